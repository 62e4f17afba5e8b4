/** Access to operating system errors among thrown values. */

/** Code, path and message of a thrown error; empty for other values. */
export function systemError(error: unknown): Partial<NodeJS.ErrnoException> {
  return error instanceof Error ? error : {};
}
