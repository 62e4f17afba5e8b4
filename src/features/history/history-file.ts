/**
 * History of what was changed: a file for each command, named by its number, to which the command alone
 * adds lines. Commands that run at the same time need no lock, and what breaks off loses one line.
 */

import {
  closeSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { makePrivateDirectory } from '../../cli/session/private-file.ts';
import { UsageError } from '../../client/errors.ts';
import { systemReason } from '../../system-errors.ts';

/** So many commands are kept, the newest. */
const maxEntries = 1_000;

/** What is known of a command before its first request. */
export interface HistoryHead {
  /** ISO 8601. */
  readonly time: string;
  /** Address of the service, with the path that it is below. */
  readonly server: string;
  readonly username?: string;
  /** The words of the command, without secrets. */
  readonly words: readonly string[];
  /** The number of the entry that it takes back. */
  readonly undoes?: number;
}

/** Attribute values; null where an attribute had none. */
export type Values = Readonly<Record<string, unknown>>;

/** Parameters of a query. */
export type QueryValues = Readonly<Record<string, string | number | boolean>>;

/** One request that could change something. Secrets are left out of all of it. */
export interface HistoryRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly correlationId?: string;
  /** What was tried, in words: `update vms/web01`. */
  readonly what?: string;
  /** The operation of the model that was called: path template of its service, and its name. */
  readonly service?: string;
  readonly operation?: string;
  readonly ids?: Readonly<Record<string, string>>;
  readonly query?: QueryValues;
  readonly body?: Values;
  /** What an update was going to replace, or what was removed. */
  readonly before?: Values;
}

/** What came of a request: a status, or why there was none. */
export interface HistoryOutcome {
  readonly status?: number;
  readonly error?: string;
  /** The object that was answered. */
  readonly made?: { readonly id: string; readonly name?: string };
  /** What an update has led to. */
  readonly after?: Values;
}

export interface HistoryStep extends HistoryRequest {
  /** Absent where the command ended before it was known. */
  readonly outcome?: HistoryOutcome;
}

export interface HistoryEntry extends HistoryHead {
  readonly number: number;
  /** All that the command was about is as it was to be, whether a request was needed or not. */
  readonly isComplete: boolean;
  readonly steps: readonly HistoryStep[];
}

/** A line of a file. */
type Line =
  | { readonly head: HistoryHead }
  | { readonly request: number; readonly said: HistoryRequest }
  | { readonly outcome: number; readonly said: HistoryOutcome }
  | { readonly isComplete: true };

const { O_WRONLY, O_CREAT, O_EXCL, O_APPEND, O_NOFOLLOW = 0 } = constants;

/** Longer lines are of nothing that anybody could take back by hand. */
const maxLine = 1024 * 1024;

/** The folder of the history, below that of the state. */
export function historyDirectory(stateDirectory: string): string {
  return join(stateDirectory, 'history');
}

/** Begins an entry; returns its number. Throws where nothing can be written. */
export function beginEntry(directory: string, head: HistoryHead): number {
  makePrivateDirectory(directory);
  const numbers = numbersIn(directory);
  for (let number = (numbers.at(-1) ?? 0) + 1; ; number += 1) {
    try {
      const file = openSync(
        fileOf(directory, number),
        O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
        0o600,
      );
      closeSync(file);
    } catch (error) {
      // Another command has taken the number.
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw error;
    }
    append(directory, number, { head });
    for (const old of numbers.slice(0, Math.max(0, numbers.length + 1 - maxEntries))) {
      rmSync(fileOf(directory, old), { force: true });
    }
    return number;
  }
}

/** Notes that a request is going to be sent: the `index`-th of its command. */
export function addRequest(
  directory: string,
  number: number,
  index: number,
  request: HistoryRequest,
): void {
  const isLong = JSON.stringify(request).length > maxLine;
  const { body: _body, before: _before, ...short } = request;
  append(directory, number, { request: index, said: isLong ? short : request });
}

/** Notes what came of it. */
export function addOutcome(
  directory: string,
  number: number,
  index: number,
  outcome: HistoryOutcome,
): void {
  const isLong = JSON.stringify(outcome).length > maxLine;
  const { after: _after, ...short } = outcome;
  append(directory, number, { outcome: index, said: isLong ? short : outcome });
}

/** Notes that all that a command was about is as it was to be. */
export function markComplete(directory: string, number: number): void {
  append(directory, number, { isComplete: true });
}

/** All entries, from the oldest to the newest. What cannot be read is left out. */
export function readHistory(directory: string): readonly HistoryEntry[] {
  return numbersIn(directory).flatMap((number) => {
    const entry = readEntry(directory, number);
    return entry ? [entry] : [];
  });
}

function append(directory: string, number: number, line: Line): void {
  const file = openSync(fileOf(directory, number), O_WRONLY | O_APPEND | O_NOFOLLOW);
  try {
    writeSync(file, `${JSON.stringify(line, asNumber)}\n`);
  } finally {
    closeSync(file);
  }
}

/** 64-bit integers beyond what numbers hold are kept as texts. */
function asNumber(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

function numbersIn(directory: string): readonly number[] {
  let names: readonly string[];
  try {
    names = readdirSync(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw new UsageError(`cannot read the history in "${directory}": ${systemReason(error)}`, {
      code: 'unreadable_directory',
      hint: 'check the permissions of the directory',
      cause: error,
    });
  }
  return names
    .flatMap((name) => /^(\d{1,15})\.jsonl$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((one, other) => one - other);
}

function fileOf(directory: string, number: number): string {
  return join(directory, `${number}.jsonl`);
}

function readEntry(directory: string, number: number): HistoryEntry | undefined {
  let text: string;
  try {
    text = readFileSync(fileOf(directory, number), 'utf8');
  } catch {
    return undefined;
  }
  const lines = text.split('\n').flatMap((line) => lineOf(line) ?? []);
  const head = lines.flatMap((line) => ('head' in line ? [line.head] : []))[0];
  if (!head) return undefined;
  const outcomes = new Map(
    lines.flatMap((line) => ('outcome' in line ? [[line.outcome, line.said] as const] : [])),
  );
  const steps = lines.flatMap((line): readonly HistoryStep[] => {
    if (!('request' in line)) return [];
    const outcome = outcomes.get(line.request);
    return [{ ...line.said, ...(outcome ? { outcome } : {}) }];
  });
  const isComplete = lines.some((line) => 'isComplete' in line);
  return { number, isComplete, ...head, steps };
}

/** A line as it was written; what somebody has damaged is skipped. */
function lineOf(text: string): Line | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const { head, request, outcome, said, isComplete } = value;
  if (isComplete === true) return { isComplete };
  if (isRecord(head)) {
    const { time, server, words } = head;
    const isHead = typeof time === 'string' && typeof server === 'string' && Array.isArray(words);
    return isHead ? { head: head as unknown as HistoryHead } : undefined;
  }
  if (!isRecord(said)) return undefined;
  if (typeof outcome === 'number') return { outcome, said: said as HistoryOutcome };
  const isRequest = typeof said['method'] === 'string' && typeof said['path'] === 'string';
  if (typeof request !== 'number' || !isRequest) return undefined;
  return { request, said: said as unknown as HistoryRequest };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
