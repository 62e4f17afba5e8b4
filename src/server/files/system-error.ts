/** Errors of the operating system among whatever was thrown. */

/** Code, path and message of a thrown error; nothing of what is no error. */
export function systemError(error: unknown): Partial<NodeJS.ErrnoException> {
  return error instanceof Error ? error : {};
}
