/** Output of history entries, as text or structured data. */

import { getFormat, isTable, printView } from '../../cli/output/print.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { write } from '../../cli/session/io.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { isRecord } from '../../records.ts';
import { formatCommand, isDone, type KnownEntry } from './entries.ts';
import { formatRecord, type HistoryStep, type Values } from './history-file.ts';
import { getObjectLabel, listUndoSteps } from './inverse.ts';

export async function showEntries(
  cli: CommandContext,
  entries: readonly KnownEntry[],
  all: boolean,
): Promise<void> {
  const columns = ['id', 'time', 'command', 'outcome', 'undo', ...(all ? ['server'] : [])];
  const items = entries.map(describeEntry);
  const meanings = { time: 'date' } as const;
  await printView(cli, { noun: 'history', items, columns, meanings, isPaged: true });
}

/** Prints one entry with its requests and its undo state. */
export async function showEntry(cli: CommandContext, entry: KnownEntry): Promise<void> {
  if (!isTable(getFormat(cli)) || cli.isOn('query') || cli.setting('columns') !== undefined) {
    const view = { noun: 'history', items: [describeEntry(entry)], single: true };
    await printView(cli, {
      ...view,
      columns: ['id', 'time', 'command', 'outcome', 'undo', 'server'],
    });
    return;
  }
  const { number, time, server, username, state } = entry;
  const lines = [
    `change:   ${number}`,
    `time:     ${time}`,
    `server:   ${server}${username === undefined ? '' : `, as ${username}`}`,
    `command:  ${formatCommand(entry)}`,
    `outcome:  ${state}`,
    `undo:     ${[describeUndo(entry), ...listReasons(entry)].join('; ')}`,
    ...entry.steps.flatMap(formatStep),
  ];
  await write(cli.io.stdout, lines.map((line) => `${escapeControlChars.line(line)}\n`).join(''));
}

function describeEntry(entry: KnownEntry) {
  const { number, time, server, username, words, state, undoes, undoneBy, steps } = entry;
  const reasons = listReasons(entry);
  return {
    id: number,
    time,
    command: formatCommand(entry),
    outcome: state,
    undo: describeUndo(entry),
    can_be_undone: undoneBy === undefined && canBeUndone(entry),
    ...(reasons.length === 0 ? {} : { not_undone_because: reasons }),
    ...(undoneBy === undefined ? {} : { undone_by: undoneBy }),
    ...(undoes === undefined ? {} : { undoes }),
    server,
    ...(username === undefined ? {} : { username }),
    words,
    requests: steps.map(describeStep),
  };
}

function describeStep(step: HistoryStep) {
  const { method, path, correlationId, service, operation, body, before, outcome } = step;
  const { status, error, made, after } = outcome ?? {};
  return {
    object: getObjectLabel(step),
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

/** Undo state of an entry, in a few words. */
function describeUndo(entry: KnownEntry): string {
  const { undoneBy, undoes, steps } = entry;
  if (undoneBy !== undefined) return `undone by ${undoneBy}`;
  const works = listUndoSteps(steps);
  const possible = works.filter(({ inverse }) => inverse !== undefined).length;
  const word = possible === 0 ? 'no' : possible < works.length ? 'partially' : 'possible';
  return undoes === undefined ? word : `${word} (undoes ${undoes})`;
}

/** Reasons why an entry cannot be undone, completely or partially. */
function listReasons({ steps }: KnownEntry): readonly string[] {
  const works = listUndoSteps(steps);
  if (works.length === 0) return ['no change'];
  return [...new Set(works.flatMap(({ why }) => why ?? []))];
}

function canBeUndone({ steps }: KnownEntry): boolean {
  const works = listUndoSteps(steps);
  return works.length > 0 && works.every(({ inverse }) => inverse !== undefined);
}

function formatStep(step: HistoryStep): readonly string[] {
  const { method, path, outcome, before, operation } = step;
  const { status, error, after } = outcome ?? {};
  const came = status ?? (outcome ? 'no response' : 'unknown');
  const values =
    operation === 'update' && isDone(step) ? formatChanges(before, after ?? step.body) : [];
  return [
    '',
    `${method} ${path} -> ${came}`,
    `  object: ${getObjectLabel(step)}`,
    ...(error === undefined ? [] : [`  error: ${error}`]),
    ...(step.correlationId === undefined ? [] : [`  correlation: ${step.correlationId}`]),
    ...values.map((line) => `  ${line}`),
  ];
}

/** Changed values of an update, one line each. */
function formatChanges(before: Values = {}, after: Values = {}): readonly string[] {
  const old = new Map(listLeaves(before, ''));
  return listLeaves(after, '').map(
    ([path, value]) => `${path}: ${formatValue(old.get(path))} -> ${formatValue(value)}`,
  );
}

function listLeaves(values: Values, prefix: string): readonly (readonly [string, unknown])[] {
  return Object.entries(values).flatMap(([name, value]) =>
    isRecord(value) && value['id'] === undefined
      ? listLeaves(value, `${prefix}${name}.`)
      : [[`${prefix}${name}`, value] as const],
  );
}

function formatValue(value: unknown): string {
  if (value === undefined || value === null) return '(nothing)';
  if (isRecord(value)) return String(value['name'] ?? value['id'] ?? formatRecord(value));
  return typeof value === 'string' ? value || "''" : formatRecord(value);
}
