/**
 * Files of the history: one JSON Lines file per command, named by its number. Only the command
 * itself appends to its file, so concurrent commands need no lock and a crash loses at most one
 * line.
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
import { getErrorCode } from '../../caught-errors.ts';
import { makePrivateDirectory } from '../../cli/session/private-file.ts';
import { UsageError } from '../../client/errors.ts';
import { isRecord } from '../../records.ts';
import { systemReason } from '../../system-errors.ts';

/** Number of stored commands; older ones are deleted. */
const maxEntries = 1_000;

/** First line of an entry, written before the first request. */
export interface HistoryHead {
  /** ISO 8601. */
  readonly time: string;
  /** Base URL of the service. */
  readonly server: string;
  readonly username?: string;
  /** Arguments of the command, without secrets. */
  readonly words: readonly string[];
  /** Number of the entry that this command undoes. */
  readonly undoes?: number;
}

/** Attribute values; null for an attribute without a value. */
export type Values = Readonly<Record<string, unknown>>;

/** Query parameters. */
export type QueryValues = Readonly<Record<string, string | number | boolean>>;

/** A request that could change an object, without secrets. */
export interface HistoryRequest {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  readonly correlationId?: string;
  /** Description of the request: `update vms/web01`. */
  readonly what?: string;
  /** Operation of the model: path template of the service, and name. */
  readonly service?: string;
  readonly operation?: string;
  readonly ids?: Readonly<Record<string, string>>;
  readonly query?: QueryValues;
  readonly body?: Values;
  /** Values that an update replaces, or the removed object. */
  readonly before?: Values;
}

/** Result of a request: a status, or the reason why there was no response. */
export interface HistoryOutcome {
  readonly status?: number;
  readonly error?: string;
  /** The created object. */
  readonly made?: { readonly id: string; readonly name?: string };
  /** Values after an update. */
  readonly after?: Values;
}

export interface HistoryStep extends HistoryRequest {
  /** Absent if the command ended before the result was known. */
  readonly outcome?: HistoryOutcome;
}

export interface HistoryEntry extends HistoryHead {
  readonly number: number;
  /** Whether the command reached its goal, with or without requests. */
  readonly isComplete: boolean;
  readonly steps: readonly HistoryStep[];
}

/** Line of a history file. */
type Line =
  | { readonly head: HistoryHead }
  | { readonly request: number; readonly said: HistoryRequest }
  | { readonly outcome: number; readonly said: HistoryOutcome }
  | { readonly isComplete: true };

const { O_WRONLY, O_CREAT, O_EXCL, O_APPEND, O_NOFOLLOW = 0 } = constants;

/**
 * Maximum length of a line in bytes. Longer requests are stored without their values and cannot be
 * undone.
 */
const maxLineBytes = 1024 * 1024;

/** Folder of the history, below the state folder. */
export function historyDirectory(stateDirectory: string): string {
  return join(stateDirectory, 'history');
}

/**
 * Creates an entry and deletes surplus ones; returns its number. Throws if the folder is not
 * writable.
 */
export function createEntry(directory: string, head: HistoryHead): number {
  makePrivateDirectory(directory);
  const numbers = listNumbers(directory);
  for (let number = (numbers.at(-1) ?? 0) + 1; ; number += 1) {
    try {
      const file = openSync(
        entryPath(directory, number),
        O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
        0o600,
      );
      closeSync(file);
    } catch (error) {
      // Another command has used the number.
      if (getErrorCode(error) === 'EEXIST') continue;
      throw error;
    }
    appendLine(directory, number, { head });
    for (const old of numbers.slice(0, Math.max(0, numbers.length + 1 - maxEntries))) {
      rmSync(entryPath(directory, old), { force: true });
    }
    return number;
  }
}

/** Records the `index`-th request of a command before it is sent. */
export function addRequest(
  directory: string,
  number: number,
  index: number,
  request: HistoryRequest,
): void {
  const isLong = formatRecord(request).length > maxLineBytes;
  const { body: _body, before: _before, ...short } = request;
  appendLine(directory, number, { request: index, said: isLong ? short : request });
}

/** Records the result of a request. */
export function addOutcome(
  directory: string,
  number: number,
  index: number,
  outcome: HistoryOutcome,
): void {
  const isLong = formatRecord(outcome).length > maxLineBytes;
  const { after: _after, ...short } = outcome;
  appendLine(directory, number, { outcome: index, said: isLong ? short : outcome });
}

/** Marks an entry as complete. */
export function markComplete(directory: string, number: number): void {
  appendLine(directory, number, { isComplete: true });
}

/** All entries, oldest first; unreadable ones are skipped. */
export function readHistory(directory: string): readonly HistoryEntry[] {
  return listNumbers(directory).flatMap((number) => {
    const entry = readEntry(directory, number);
    return entry ? [entry] : [];
  });
}

function appendLine(directory: string, number: number, line: Line): void {
  const file = openSync(entryPath(directory, number), O_WRONLY | O_APPEND | O_NOFOLLOW);
  try {
    writeSync(file, `${formatRecord(line)}\n`);
  } finally {
    closeSync(file);
  }
}

/** Formats a value as in the history: JSON with large integers as strings. */
export function formatRecord(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? member.toString() : member,
  );
}

function listNumbers(directory: string): readonly number[] {
  let names: readonly string[];
  try {
    names = readdirSync(directory);
  } catch (error) {
    const code = getErrorCode(error);
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

function entryPath(directory: string, number: number): string {
  return join(directory, `${number}.jsonl`);
}

function readEntry(directory: string, number: number): HistoryEntry | undefined {
  let text: string;
  try {
    text = readFileSync(entryPath(directory, number), 'utf8');
  } catch {
    return undefined;
  }
  const lines = text.split('\n').flatMap((line) => parseLine(line) ?? []);
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

/** Parses a line; undefined for a damaged one. */
function parseLine(text: string): Line | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const { head, request, outcome, said, isComplete } = value;
  if (isComplete === true) return { isComplete };
  if (isRecord(head)) return isHead(head) ? { head } : undefined;
  if (!isRecord(said)) return undefined;
  if (typeof outcome === 'number') return { outcome, said };
  return typeof request === 'number' && isRequest(said) ? { request, said } : undefined;
}

/** Checks the members that every entry has; `vmctl` wrote the others. */
function isHead(value: Values): value is Values & HistoryHead {
  const { time, server, words } = value;
  return typeof time === 'string' && typeof server === 'string' && Array.isArray(words);
}

/** Checks the members that every request has; `vmctl` wrote the others. */
function isRequest(value: Values): value is Values & HistoryRequest {
  return typeof value['method'] === 'string' && typeof value['path'] === 'string';
}
