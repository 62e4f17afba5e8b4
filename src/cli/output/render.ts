/** Rendering of objects, as they arrive, into pieces of text of one format. */

import { VmctlError } from '../../client/errors.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import type { CommandContext } from '../session/command-context.ts';
import type { Format } from '../session/settings.ts';
import { ellipsis } from '../text/display-width.ts';
import { jsonText } from '../text/json.ts';
import { columnValue, cutOf, meaningOf, plainText, type Reader, textFor } from './cells.ts';
import { painted, painter } from './color.ts';
import { chosenColumns, columnsOf } from './column-selection.ts';
import { type Column, columnOf } from './columns.ts';
import { delimitedLine } from './delimited.ts';
import { detailLines } from './details.ts';
import { alignedLines, blockLines, drawn, fitted, type Paint, type TableText } from './table.ts';
import type { Batches, Frame, Item } from './view.ts';

/**
 * The text of all batches. Everything but a table is written as it comes; a table is as wide as its
 * widest cells, so that its texts are kept, though not its objects.
 */
export async function* render(
  cli: CommandContext,
  format: Format,
  frame: Frame,
  batches: Batches,
  headers: boolean,
): AsyncGenerator<string> {
  switch (format) {
    case 'json':
    case 'raw':
      yield* frame.single ? singleJson(batches) : jsonArray(batches);
      return;
    case 'jsonl':
      yield* lines(batches, jsonText);
      return;
    case 'yaml':
      yield* yaml(batches, frame.single === true);
      return;
    case 'name':
      yield* lines(identified(batches), (item) => nameOf(frame.noun, item));
      return;
    case 'id':
      // What has neither id nor name is no line: scripts would take an empty one for an object.
      yield* lines(identified(batches), (item) =>
        escapeControlChars.line(plainText(item['id'] ?? item['name'])),
      );
      return;
    case 'csv':
    case 'tsv':
      yield* separated(cli, frame, batches, format, headers);
      return;
    case 'xml': {
      const { xmlText } = await import('./xml.ts');
      yield* xmlText(frame, batches);
      return;
    }
    default:
      yield* tabular(cli, format, frame, batches, headers);
  }
}

async function* lines(batches: Batches, line: (item: Item) => string): AsyncGenerator<string> {
  for await (const batch of batches) {
    if (batch.length > 0) yield `${batch.map((item) => line(item)).join('\n')}\n`;
  }
}

/** Without the objects that have neither id nor name. */
async function* identified(batches: Batches): AsyncGenerator<readonly Item[]> {
  for await (const batch of batches) {
    yield batch.filter(({ id, name }) => id !== undefined || name !== undefined);
  }
}

async function* singleJson(batches: Batches): AsyncGenerator<string> {
  let only: Item | undefined;
  for await (const [first] of batches) only ??= first;
  yield `${jsonText(only ?? null, 2)}\n`;
}

/** An array with each of its objects indented; the same text as if it was written at once. */
async function* jsonArray(batches: Batches): AsyncGenerator<string> {
  let isFirst = true;
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    // Without its brackets: the objects of the batch, with commas between them.
    const inner = jsonText(batch, 2).slice(1, -2);
    yield isFirst ? `[${inner}` : `,${inner}`;
    isFirst = false;
  }
  yield isFirst ? '[]\n' : '\n]\n';
}

async function* yaml(batches: Batches, single: boolean): AsyncGenerator<string> {
  const { yamlText } = await import('./yaml.ts');
  let isEmpty = true;
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    yield await yamlText(single ? batch[0] : batch);
    isEmpty = false;
  }
  if (isEmpty) yield await yamlText(single ? null : []);
}

/** A reference that can be given to another command: by name where that is unmistakable. */
export function nameOf(noun: string, item: Item): string {
  const name = item['name'];
  const fit = typeof name === 'string' && name !== '' && escapeControlChars.line(name) === name;
  return `${noun}/${fit ? name : escapeControlChars.line(plainText(item['id']))}`;
}

async function* separated(
  cli: CommandContext,
  frame: Frame,
  batches: Batches,
  format: 'csv' | 'tsv',
  headers: boolean,
): AsyncGenerator<string> {
  const columns = columnsOf(cli, frame);
  const line = delimitedLine(cli, format);
  if (headers) yield `${line(columns.map((column) => column.title))}\n`;
  yield* lines(batches, (item) =>
    line(columns.map((column) => plainText(columnValue(item, column)))),
  );
}

async function* tabular(
  cli: CommandContext,
  format: Format,
  frame: Frame,
  batches: Batches,
  headers: boolean,
): AsyncGenerator<string> {
  const width = terminalWidth(cli);
  const reader: Reader = {
    terminal: width !== undefined,
    now: cli.on('utc') ? undefined : Date.now(),
  };
  if (frame.single && cli.setting('columns') === undefined) {
    for await (const [only] of batches) {
      if (only) yield* detailLines(only, frame.type, reader, format === 'wide' ? undefined : width);
    }
    return;
  }
  let columns = columnsOf(cli, frame, format === 'wide');
  const rowOf = rowMaker(columns, frame, reader);
  let rows: (readonly string[])[] = [];
  // Members of some lists come without their attributes: all there is to show is their ids.
  const ids: (readonly string[])[] = [];
  for await (const batch of batches) {
    for (const item of batch) {
      const row = rowOf(item);
      if (ids.length === rows.length && row.every((cell) => cell === '')) {
        ids.push([escapeControlChars.line(textFor(reader, item['id'], 'plain'))]);
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
  const isChosen = chosenColumns(cli, frame) !== undefined;
  if (ids.length === rows.length && !isChosen) {
    columns = [columnOf('id')];
    rows = ids;
  }
  const titles = columns.map(({ title }) => title);
  const cuts = columns.map(({ paths }) => cutOf(frame.type, paths[0] ?? ''));
  const table: TableText = { titles, rows, headers, cuts, isChosen };
  if (width === undefined) yield* inPieces(alignedLines(table, await paintFor(cli, columns)));
  else yield* onTerminal(cli, columns, table, format === 'wide' ? Infinity : width);
}

/** The columns of the terminal that stdout is; `undefined` where it is none. */
function terminalWidth(cli: CommandContext): number | undefined {
  const { isTTY, columns } = cli.io.stdout;
  // Some terminals do not know how wide they are.
  return isTTY === true ? columns || 80 : undefined;
}

/** The table as wide as the terminal, in colour; what has no room in it is named on stderr. */
async function* onTerminal(
  cli: CommandContext,
  columns: readonly Column[],
  table: TableText,
  width: number,
): AsyncGenerator<string> {
  const fit = fitted(table, width, ellipsis(cli.io.env));
  const kept = fit ? fit.kept.flatMap((index) => columns[index] ?? []) : columns;
  const paint = await paintFor(cli, kept);
  if (!fit) {
    yield* inPieces(blockLines(table, width, paint));
    return;
  }
  // The library takes longer than rows are worth when there are many; it draws the same.
  if (table.rows.length <= drawnRows) yield `${await drawn(fit.table, paint)}\n`;
  else yield* inPieces(alignedLines(fit.table, paint));
  if (fit.dropped.length > 0) {
    cli.noteOnce(`columns not shown: ${fit.dropped.join(', ')}; -o wide shows all`);
  }
}

const drawnRows = 200;
const pieceSize = 64 * 1024;

function* inPieces(all: Iterable<string>): Generator<string> {
  let piece = '';
  for (const line of all) {
    piece += `${line}\n`;
    if (piece.length < pieceSize) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

/** Makes the cells of an object as a reader reads them, free of control characters. */
export function rowMaker(
  columns: readonly Column[],
  { type, meanings = {} }: Pick<Frame, 'type' | 'meanings'>,
  reader: Reader,
): (item: Item) => readonly string[] {
  const usual = columns.map(({ paths: [path = ''] }) => meanings[path] ?? meaningOf(type, path));
  return (item) =>
    columns.map((column, index) => {
      const meaning = measuresBytes(item, type, column) ? 'bytes' : (usual[index] ?? 'plain');
      return escapeControlChars.line(textFor(reader, columnValue(item, column), meaning));
    });
}

/** A statistic says itself what its value counts. */
function measuresBytes(item: Item, type: string | undefined, { paths }: Column): boolean {
  return type === 'statistic' && item['unit'] === 'bytes' && paths[0] === 'values.datum';
}

async function paintFor(
  cli: CommandContext,
  columns: readonly Column[],
): Promise<Paint | undefined> {
  const paint = await painter(cli, cli.io.stdout);
  if (!paint) return undefined;
  return (cell, column, row) =>
    row < 0 ? paint.bold(cell) : painted(cell, columns[column]?.paths[0] ?? '', paint);
}

/** The part of the heap that may be in use; the rest is for what is under way, and for garbage. */
const maxHeapShare = 0.6;

/**
 * Call it after each batch that is kept. Throws `VmctlError` (`too_much_to_hold`) when hardly any
 * memory is left, instead of letting the process die without a word.
 * @param what is kept, and why: `all rows are kept to align the columns`
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
