/** Readers of caught values, which JavaScript does not require to be errors. */

/** Message of an error; text of any other value. */
export function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Code of an error, for example `ENOENT`; undefined if it has none. */
export function getErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Returns the value if it is an error; otherwise an error with its text. */
export function toError(value: unknown): Error {
  return value instanceof Error ? value : new Error(String(value));
}
