/** Rendering of objects into pieces of text in one format, as they arrive. */

import { VmctlError } from '../../client/errors.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import type { CommandContext } from '../session/command-context.ts';
import type { Format } from '../session/settings.ts';
import { getEllipsis } from '../text/display-width.ts';
import { formatJson } from '../text/json.ts';
import {
  formatForReader,
  formatPlain,
  getColumnValue,
  getCut,
  getMeaning,
  type Reader,
} from './cells.ts';
import { createPainter, paintCell } from './color.ts';
import { findChosenColumns, selectColumns } from './column-selection.ts';
import { type Column, parseColumn } from './columns.ts';
import { createLineFormatter } from './delimited.ts';
import { renderDetails } from './details.ts';
import {
  drawTable,
  fitTable,
  type Paint,
  renderAligned,
  renderBlocks,
  type TableText,
} from './table.ts';
import type { Batches, Item, ViewMetadata } from './view.ts';

/**
 * Renders all batches. Tables collect the texts of all rows first, because the widest cells
 * determine the layout; other formats stream.
 */
export async function* renderView(
  cli: CommandContext,
  format: Format,
  frame: ViewMetadata,
  batches: Batches,
  headers: boolean,
): AsyncGenerator<string> {
  switch (format) {
    case 'json':
    case 'raw':
      yield* frame.single ? renderSingleJson(batches) : renderJsonArray(batches);
      return;
    case 'jsonl':
      yield* renderLines(batches, formatJson);
      return;
    case 'yaml':
      yield* renderYaml(batches, frame.single === true);
      return;
    case 'name':
      yield* renderLines(filterIdentified(batches), (item) => formatReference(frame.noun, item));
      return;
    case 'id':
      // Objects without id and name are skipped: scripts would interpret an empty line as an
      // object.
      yield* renderLines(filterIdentified(batches), (item) =>
        escapeControlChars.line(formatPlain(item['id'] ?? item['name'])),
      );
      return;
    case 'csv':
    case 'tsv':
      yield* renderDelimited(cli, frame, batches, format, headers);
      return;
    case 'xml': {
      const { renderXml } = await import('./xml.ts');
      yield* renderXml(frame, batches);
      return;
    }
    default:
      yield* renderTable(cli, format, frame, batches, headers);
  }
}

async function* renderLines(
  batches: Batches,
  line: (item: Item) => string,
): AsyncGenerator<string> {
  for await (const batch of batches) {
    if (batch.length > 0) yield `${batch.map((item) => line(item)).join('\n')}\n`;
  }
}

/** Skips objects without id and name. */
async function* filterIdentified(batches: Batches): AsyncGenerator<readonly Item[]> {
  for await (const batch of batches) {
    yield batch.filter(({ id, name }) => id !== undefined || name !== undefined);
  }
}

async function* renderSingleJson(batches: Batches): AsyncGenerator<string> {
  let only: Item | undefined;
  for await (const [first] of batches) only ??= first;
  yield `${formatJson(only ?? null, 2)}\n`;
}

/** Renders an array in pieces, with the same text as in one piece. */
async function* renderJsonArray(batches: Batches): AsyncGenerator<string> {
  let isFirst = true;
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    // The objects of the batch without brackets, separated by commas.
    const inner = formatJson(batch, 2).slice(1, -2);
    yield isFirst ? `[${inner}` : `,${inner}`;
    isFirst = false;
  }
  yield isFirst ? '[]\n' : '\n]\n';
}

async function* renderYaml(batches: Batches, single: boolean): AsyncGenerator<string> {
  const { formatYaml } = await import('./yaml.ts');
  let isEmpty = true;
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    yield await formatYaml(single ? batch[0] : batch);
    isEmpty = false;
  }
  if (isEmpty) yield await formatYaml(single ? null : []);
}

/**
 * Formats a reference for other commands: `kind/name`, or `kind/id` if the name is missing or has
 * control characters.
 */
export function formatReference(noun: string, item: Item): string {
  const name = item['name'];
  const fit = typeof name === 'string' && name !== '' && escapeControlChars.line(name) === name;
  return `${noun}/${fit ? name : escapeControlChars.line(formatPlain(item['id']))}`;
}

async function* renderDelimited(
  cli: CommandContext,
  frame: ViewMetadata,
  batches: Batches,
  format: 'csv' | 'tsv',
  headers: boolean,
): AsyncGenerator<string> {
  const columns = selectColumns(cli, frame);
  const line = createLineFormatter(cli, format);
  if (headers) yield `${line(columns.map((column) => column.title))}\n`;
  yield* renderLines(batches, (item) =>
    line(columns.map((column) => formatPlain(getColumnValue(item, column)))),
  );
}

async function* renderTable(
  cli: CommandContext,
  format: Format,
  frame: ViewMetadata,
  batches: Batches,
  headers: boolean,
): AsyncGenerator<string> {
  const width = getTerminalWidth(cli);
  const reader: Reader = {
    terminal: width !== undefined,
    now: cli.isOn('utc') || cli.isOn('fullTime') ? undefined : Date.now(),
  };
  if (frame.single && cli.setting('columns') === undefined) {
    for await (const [only] of batches) {
      if (only)
        yield* renderDetails(only, frame.type, reader, format === 'wide' ? undefined : width);
    }
    return;
  }
  let columns = selectColumns(cli, frame);
  const formatRow = createRowFormatter(columns, frame, reader);
  let rows: (readonly string[])[] = [];
  // Some lists contain only ids; then the table has only the column `id`.
  const ids: (readonly string[])[] = [];
  for await (const batch of batches) {
    for (const item of batch) {
      const row = formatRow(item);
      if (ids.length === rows.length && row.every((cell) => cell === '')) {
        ids.push([escapeControlChars.line(formatForReader(reader, item['id'], 'plain'))]);
      }
      rows.push(row);
    }
    checkMemory(rows.length, 'tables need all rows in memory', 'use -o jsonl, csv or tsv');
  }
  if (rows.length === 0) {
    const { noun, search } = frame;
    cli.note(`no ${noun} found${search === undefined ? '' : ` with --search '${search}'`}`);
    return;
  }
  const isChosen = findChosenColumns(cli, frame) !== undefined;
  if (ids.length === rows.length && !isChosen) {
    columns = [parseColumn('id')];
    rows = ids;
  }
  const titles = columns.map(({ title }) => title);
  const cuts = columns.map(({ paths }) => getCut(frame.type, paths[0] ?? ''));
  const table: TableText = { titles, rows, headers, cuts, isChosen };
  if (width === undefined) yield* joinLines(renderAligned(table, await createPaint(cli, columns)));
  else yield* renderOnTerminal(cli, columns, table, format === 'wide' ? Infinity : width);
}

/** Width of the terminal on stdout; undefined without a terminal. */
export function getTerminalWidth(cli: CommandContext): number | undefined {
  const { isTTY, columns } = cli.io.stdout;
  // Some terminals report no width.
  return isTTY === true ? columns || 80 : undefined;
}

/** Renders a table for the terminal width, in colour. stderr lists the omitted columns. */
async function* renderOnTerminal(
  cli: CommandContext,
  columns: readonly Column[],
  table: TableText,
  width: number,
): AsyncGenerator<string> {
  const fit = fitTable(table, width, getEllipsis(cli.io.env));
  const kept = fit ? fit.kept.flatMap((index) => columns[index] ?? []) : columns;
  const paint = await createPaint(cli, kept);
  if (!fit) {
    yield* joinLines(renderBlocks(table, width, paint));
    return;
  }
  // For many rows, the library is too slow; `alignedLines` renders the same text.
  if (table.rows.length <= drawnRows) yield `${await drawTable(fit.table, paint)}\n`;
  else yield* joinLines(renderAligned(fit.table, paint));
  if (fit.dropped.length > 0) {
    cli.noteOnce(`columns not shown: ${fit.dropped.join(', ')}; -o wide shows all`);
  }
}

const drawnRows = 200;
const pieceSize = 64 * 1024;

function* joinLines(all: Iterable<string>): Generator<string> {
  let piece = '';
  for (const line of all) {
    piece += `${line}\n`;
    if (piece.length < pieceSize) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

/**
 * Creates the function that formats the cells of an object for a reader, without control
 * characters.
 */
export function createRowFormatter(
  columns: readonly Column[],
  { type, meanings = {} }: Pick<ViewMetadata, 'type' | 'meanings'>,
  reader: Reader,
): (item: Item) => readonly string[] {
  const usual = columns.map(({ paths: [path = ''] }) => meanings[path] ?? getMeaning(type, path));
  return (item) =>
    columns.map((column, index) => {
      const meaning = isByteStatistic(item, type, column) ? 'bytes' : (usual[index] ?? 'plain');
      return escapeControlChars.line(
        formatForReader(reader, getColumnValue(item, column), meaning),
      );
    });
}

/** The unit of a statistic is in the object. */
function isByteStatistic(item: Item, type: string | undefined, { paths }: Column): boolean {
  return type === 'statistic' && item['unit'] === 'bytes' && paths[0] === 'values.datum';
}

async function createPaint(
  cli: CommandContext,
  columns: readonly Column[],
): Promise<Paint | undefined> {
  const paint = await createPainter(cli, cli.io.stdout);
  if (!paint) return undefined;
  return (cell, column, row) =>
    row < 0 ? paint.bold(cell) : paintCell(cell, columns[column]?.paths[0] ?? '', paint);
}

/** Maximum share of the heap for results. The remainder is for running work and garbage. */
const maxHeapShare = 0.6;

/**
 * Checks the heap after each collected batch. Throws `VmctlError` (`too_much_to_hold`) before the
 * process runs out of memory.
 * @param what reason to collect, for the message: `tables need all rows in memory`
 */
export function checkMemory(count: number, what: string, hint: string): void {
  const { getHeapStatistics } = process.getBuiltinModule('node:v8');
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  if (used < limit * maxHeapShare) return;
  throw new VmctlError(`result too large for memory after ${count} objects: ${what}`, {
    code: 'too_much_to_hold',
    hint: `${hint}, or limit the result with --max or --search`,
  });
}
