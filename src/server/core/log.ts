/** Log of a server: a line that repeats is written once, with its count. */
import { escapeControlChars } from '../../escape-control-chars.ts';
import { FormatError } from '../../formats/format-error.ts';
import { systemError } from '../files/system-error.ts';
import { StoreError } from '../store/store.ts';

/** A log that escapes what users and clients could put into its lines. */
export function escapedLog(log: (line: string) => void): (line: string) => void {
  return (line) => log(escapeControlChars.message(line));
}

/** Milliseconds in which a line is written once. */
const quietTime = 10_000;

/** What a connection that was given up looks like; no news for anybody. */
const gone = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ERR_STREAM_PREMATURE_CLOSE']);

/**
 * Makes what notes errors. Those that come from outside (a disk that is full, a client that went away, an image
 * that cannot be used) are a line, written at most once in a while; errors of our own come with their stack.
 */
export function reporter(
  log: (line: string) => void,
  now: () => number = () => performance.now(),
): (error: unknown) => void {
  const recent = new Map<string, { at: number; more: number }>();
  return (error) => {
    const line = lineOf(error);
    if (line === undefined) {
      log(error instanceof Error ? (error.stack ?? error.message) : String(error));
      return;
    }
    const before = recent.get(line);
    if (before && now() - before.at < quietTime) {
      before.more += 1;
      return;
    }
    if (recent.size > 100) recent.clear();
    recent.set(line, { at: now(), more: 0 });
    log(before && before.more > 0 ? `${line} (${before.more} more)` : line);
  };
}

/** The line for an error that the server is not to blame for; undefined for an internal error. */
function lineOf(error: unknown): string | undefined {
  if (error instanceof StoreError || error instanceof FormatError) return error.message;
  const { code } = systemError(error);
  return code !== undefined && gone.has(code) ? `a client disconnected (${code})` : undefined;
}
