/** Entries of the history, printed for people and programs. */

import { formatOf, isTable, print } from '../../cli/output/print.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { write } from '../../cli/session/io.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { commandOf, isDone, type KnownEntry } from './entries.ts';
import type { HistoryStep, Values } from './history-file.ts';
import { isValues } from './history-values.ts';
import { labelOf, undoingsOf } from './inverse.ts';

/** Prints a list of entries. */
export async function showEntries(
  cli: CommandContext,
  entries: readonly KnownEntry[],
  all: boolean,
): Promise<void> {
  const columns = ['id', 'time', 'command', 'outcome', 'undo', ...(all ? ['server'] : [])];
  const items = entries.map(itemOf);
  const meanings = { time: 'date' } as const;
  await print(cli, { noun: 'history', items, columns, meanings, isPaged: true });
}

/** Prints one entry whole, with its requests and how each is taken back. */
export async function showEntry(cli: CommandContext, entry: KnownEntry): Promise<void> {
  if (!isTable(formatOf(cli)) || cli.on('query') || cli.setting('columns') !== undefined) {
    const view = { noun: 'history', items: [itemOf(entry)], single: true };
    await print(cli, { ...view, columns: ['id', 'time', 'command', 'outcome', 'undo', 'server'] });
    return;
  }
  const { number, time, server, username, state } = entry;
  const lines = [
    `change:   ${number}`,
    `time:     ${time}`,
    `server:   ${server}${username === undefined ? '' : `, as ${username}`}`,
    `command:  ${commandOf(entry)}`,
    `outcome:  ${state}`,
    `undo:     ${[undoOf(entry), ...reasonsOf(entry)].join('; ')}`,
    ...entry.steps.flatMap(stepLines),
  ];
  await write(cli.io.stdout, lines.map((line) => `${escapeControlChars.line(line)}\n`).join(''));
}

function itemOf(entry: KnownEntry) {
  const { number, time, server, username, words, state, undoes, undoneBy, steps } = entry;
  const reasons = reasonsOf(entry);
  return {
    id: number,
    time,
    command: commandOf(entry),
    outcome: state,
    undo: undoOf(entry),
    can_be_undone: undoneBy === undefined && canBeUndone(entry),
    ...(reasons.length === 0 ? {} : { not_undone_because: reasons }),
    ...(undoneBy === undefined ? {} : { undone_by: undoneBy }),
    ...(undoes === undefined ? {} : { undoes }),
    server,
    ...(username === undefined ? {} : { username }),
    words,
    requests: steps.map(requestOf),
  };
}

function requestOf(step: HistoryStep) {
  const { method, path, correlationId, service, operation, body, before, outcome } = step;
  const { status, error, made, after } = outcome ?? {};
  return {
    object: labelOf(step),
    method,
    path,
    ...(service === undefined ? {} : { service, operation }),
    ...(status === undefined ? {} : { status }),
    ...(error === undefined ? {} : { error }),
    ...(correlationId === undefined ? {} : { correlation_id: correlationId }),
    ...(made ? { made } : {}),
    ...(body ? { body } : {}),
    ...(before ? { before } : {}),
    ...(after ? { after } : {}),
  };
}

/** Whether an entry can be undone, in a few words. */
function undoOf(entry: KnownEntry): string {
  const { undoneBy, undoes, steps } = entry;
  if (undoneBy !== undefined) return `undone by ${undoneBy}`;
  const works = undoingsOf(steps);
  const possible = works.filter(({ inverse }) => inverse !== undefined).length;
  const word = possible === 0 ? 'no' : possible < works.length ? 'partially' : 'possible';
  return undoes === undefined ? word : `${word} (undoes ${undoes})`;
}

/** Why it cannot be undone, or not all of it. */
function reasonsOf({ steps }: KnownEntry): readonly string[] {
  const works = undoingsOf(steps);
  if (works.length === 0) return ['no change'];
  return [...new Set(works.flatMap(({ why }) => why ?? []))];
}

function canBeUndone({ steps }: KnownEntry): boolean {
  const works = undoingsOf(steps);
  return works.length > 0 && works.every(({ inverse }) => inverse !== undefined);
}

function stepLines(step: HistoryStep): readonly string[] {
  const { method, path, outcome, before, operation } = step;
  const { status, error, after } = outcome ?? {};
  const came = status ?? (outcome ? 'no response' : 'unknown');
  const values =
    operation === 'update' && isDone(step) ? changeLines(before, after ?? step.body) : [];
  return [
    '',
    `${method} ${path} -> ${came}`,
    `  object: ${labelOf(step)}`,
    ...(error === undefined ? [] : [`  error: ${error}`]),
    ...(step.correlationId === undefined ? [] : [`  correlation: ${step.correlationId}`]),
    ...values.map((line) => `  ${line}`),
  ];
}

/** What an update has changed, a line for each value. */
function changeLines(before: Values = {}, after: Values = {}): readonly string[] {
  const old = new Map(leaves(before, ''));
  return leaves(after, '').map(
    ([path, value]) => `${path}: ${textOf(old.get(path))} -> ${textOf(value)}`,
  );
}

function leaves(values: Values, prefix: string): readonly (readonly [string, unknown])[] {
  return Object.entries(values).flatMap(([name, value]) =>
    isValues(value) && value['id'] === undefined
      ? leaves(value, `${prefix}${name}.`)
      : [[`${prefix}${name}`, value] as const],
  );
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '(nothing)';
  if (isValues(value)) return String(value['name'] ?? value['id'] ?? JSON.stringify(value));
  return typeof value === 'string' ? value || "''" : JSON.stringify(value);
}
