/** What SQLite and the system say of the disk below the store, in words that say what to do. */

/** The database could not be read or written: answered with 503, nothing of the request has happened. */
export class StoreError extends Error {}

/** The message of whatever was thrown. */
export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** A message of SQLite, or of the system, about the disk: with what helps where that is known. */
export function ioCause(text: string): string {
  if (/is full/i.test(text)) return 'the disk that holds it is full; free some space';
  if (/readonly/i.test(text)) {
    return 'it can only be read; make its folder and its file system writable for this user';
  }
  if (/unable to open/i.test(text)) {
    return `${text}; is its folder writable, and are there file descriptors left?`;
  }
  if (/I\/O/i.test(text)) return `the disk failed (${text}); look at the log of the system`;
  return text;
}

/** Whether an error of SQLite comes from the disk below it, not from what was asked. */
export function isOfDisk(error: unknown): boolean {
  // What befell an image is the matter of one request.
  if (error instanceof StoreError) return false;
  return /I\/O error|is full|readonly database|unable to open|malformed|out of memory/i.test(
    messageOf(error),
  );
}

/** Whether an error of SQLite heals without a restart: nothing was written. */
export function heals(error: unknown): boolean {
  return /is full|readonly database|unable to open/i.test(messageOf(error));
}
