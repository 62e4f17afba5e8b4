/** Server log with suppression of repeated lines. */
import { escapeControlChars } from '../../escape-control-chars.ts';
import { FormatError } from '../../formats/format-error.ts';
import { systemError } from '../files/system-error.ts';
import { StoreError } from '../store/store.ts';

/** A log that escapes control characters from user and client input. */
export function createEscapedLog(log: (line: string) => void): (line: string) => void {
  return (line) => log(escapeControlChars.message(line));
}

/** Milliseconds for which a repeated line is suppressed. */
const quietTime = 10_000;

/** Error codes of connections that the client closed. They need no stack trace. */
const disconnectCodes = new Set([
  'ECONNRESET',
  'EPIPE',
  'ECONNABORTED',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

/**
 * Creates the error reporter of a log. External errors (full disk, client disconnect, invalid
 * image) are one line, suppressed while they repeat. Internal errors include their stack.
 */
export function createErrorReporter(
  log: (line: string) => void,
  now: () => number = () => performance.now(),
): (error: unknown) => void {
  const recent = new Map<string, { at: number; more: number }>();
  return (error) => {
    const line = formatLine(error);
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

/** The line for an external error; undefined for an internal one. */
function formatLine(error: unknown): string | undefined {
  if (error instanceof StoreError || error instanceof FormatError) return error.message;
  const { code } = systemError(error);
  return code !== undefined && disconnectCodes.has(code)
    ? `a client disconnected (${code})`
    : undefined;
}
