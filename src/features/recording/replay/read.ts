/** Reader of recordings. */

import { readFileSync } from 'node:fs';
import {
  type Exchange,
  isHeader,
  recordingVersion,
  requireExchange,
} from '../../../recording/exchange.ts';
import { jsonPlace } from '../../../source-place.ts';
import { systemReason } from '../../../system-errors.ts';
import { describeLineProblem } from '../../../wire/json-file.ts';

export interface Recording {
  readonly exchanges: readonly Exchange[];
  /** Warnings about skipped lines. */
  readonly warnings: readonly string[];
}

/** Error for an invalid recording, with a hint. */
export class RecordingError extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/**
 * Reads a recording. Skips truncated lines (killed process, full disk) with a warning. Throws a
 * `RecordingError` for any other invalid content.
 */
export function readRecording(path: string): Recording {
  const lines = readLines(path);
  checkHeader(lines[0] ?? '', path);
  const exchanges: Exchange[] = [];
  const warnings: string[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const value = parseLine(line);
    if (isHeader(value)) continue;
    if (value === undefined) {
      const isLast = index === lines.length - 1;
      const problem = isLast ? 'truncated line' : 'not JSON';
      const [position] = describeLineProblem(line, path, index + 1).split(': ', 1);
      warnings.push(`${position}: ${problem}; skipped`);
      continue;
    }
    requireExchange(value, ({ steps, message }) => {
      const position = jsonPlace(path, line, index + 1)
        .at(...steps)
        .position();
      throw new RecordingError(`${position}: ${message}`, 'correct or remove the line');
    });
    exchanges.push(value);
  }
  return { exchanges, warnings };
}

function readLines(path: string): readonly string[] {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new RecordingError(
      `cannot read recording "${path}": ${systemReason(error)}`,
      'create one with vmctl --record FILE',
    );
  }
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(0x0a, at);
    const to = end < 0 ? bytes.length : end;
    lines.push(bytes.toString('utf8', at, to));
    at = to + 1;
  }
  return lines;
}

function checkHeader(line: string, path: string): void {
  const header = parseLine(line);
  if (isHeader(header) && header.version === recordingVersion) return;
  if (isHeader(header)) {
    throw new RecordingError(
      `${jsonPlace(path, line).at('version').position()}: recording of version ${header.version}; this vmctl reads version ${recordingVersion}`,
      `use the version that created it: ${header.program}`,
    );
  }
  const hint = 'create one with vmctl --record FILE';
  if (line.trim() === '') throw new RecordingError(`${path}:1:1: the text is empty`, hint);
  const [position] =
    header === undefined
      ? describeLineProblem(line, path, 1).split(': ', 1)
      : [jsonPlace(path, line).position()];
  throw new RecordingError(`${position}: not a recording`, hint);
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
