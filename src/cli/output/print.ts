/** Prints a result in the format that was asked for. All formats come from the same value. */
import { UsageError } from '../../client/errors.ts';
import { attributesOf, isType } from '../../model/index.ts';
import type { Cli } from '../cli.ts';
import { write } from '../io.ts';
import { nearest } from '../nearest.ts';
import { columnValue, humanText, meaningOf, plainText, valueAt } from './cells.ts';
import { painted, painter } from './color.ts';
import { type Column, columnOf, defaultColumns } from './columns.ts';
import { detailLines } from './details.ts';
import { type Format, formats } from './formats.ts';
import { harmless } from './harmless.ts';
import { jsonArray, jsonText } from './json.ts';
import { alignedLines, fitted, grid, type TableText } from './table.ts';
import { yamlText } from './yaml.ts';

type Item = Readonly<Record<string, unknown>>;

/** What a command has to show. */
export interface View {
  /** Noun of the objects, for `-o name`. */
  readonly noun: string;
  /** Their type in the model; absent for what is not of the API. */
  readonly type?: string;
  readonly items: readonly Item[];
  /** One object instead of a list. */
  readonly single?: boolean;
  /** Columns where the type does not decide. */
  readonly columns?: readonly string[];
}

/** The format that the settings ask for. */
export function formatOf(cli: Cli): Format {
  const asked = cli.setting('output')?.value;
  if (asked === undefined) return cli.on('quiet') ? 'id' : 'table';
  const name = asked === 'ndjson' ? 'jsonl' : asked;
  const known = formats.find((format) => format === name);
  if (known) return known;
  const near = nearest(name, formats);
  throw new UsageError(`-o ${asked}: there is no such format`, {
    hint: near.length > 0 ? `did you mean ${near[0]}?` : `there are: ${formats.join(', ')}`,
  });
}

/** Whether the format is for people. */
export function isTable(format: Format): boolean {
  return format === 'table' || format === 'wide';
}

/** Writes the view to stdout. */
export async function print(cli: Cli, view: View): Promise<void> {
  await printAs(cli, formatOf(cli), view, !cli.on('noHeaders'));
}

/** Writes the view in a given format, with or without the line of titles. */
export async function printAs(
  cli: Cli,
  format: Format,
  view: View,
  headers: boolean,
): Promise<void> {
  const items = sorted(view.items.map(withoutLinks), cli.setting('sort')?.value);
  for await (const piece of render(cli, format, { ...view, items }, headers)) {
    await write(cli.io.stdout, piece);
  }
}

/** Links and actions say how to go on from an object, which is what this program is for. */
function withoutLinks(item: Item): Item {
  const { link: _link, actions: _actions, ...rest } = item;
  return rest;
}

async function* render(
  cli: Cli,
  format: Format,
  view: View,
  headers: boolean,
): AsyncGenerator<string> {
  const { items, single } = view;
  switch (format) {
    case 'json':
      if (single) yield `${jsonText(items[0] ?? null, 2)}\n`;
      else yield* jsonArray(items);
      return;
    case 'jsonl':
      for (const item of items) yield `${jsonText(item)}\n`;
      return;
    case 'yaml': {
      yield await yamlText(single ? items[0] : items);
      return;
    }
    case 'name':
      for (const item of items) yield `${nameOf(view.noun, item)}\n`;
      return;
    case 'id':
      for (const item of items) yield `${harmless.line(plainText(item['id'] ?? item['name']))}\n`;
      return;
    case 'csv':
    case 'tsv':
      yield* separated(cli, view, format === 'csv' ? ',' : '\t', headers);
      return;
    default:
      yield* tabular(cli, format, view, headers);
  }
}

/** A reference that can be given to another command: by name where that is unmistakable. */
export function nameOf(noun: string, item: Item): string {
  const name = item['name'];
  const fit = typeof name === 'string' && name !== '' && harmless.line(name) === name;
  return `${noun}/${fit ? name : plainText(item['id'])}`;
}

function* separated(cli: Cli, view: View, separator: string, headers: boolean): Generator<string> {
  const columns = columnsOf(cli, view);
  const quote = separator === ',' ? csvCell : harmless.line;
  const line = (cells: readonly string[]) => `${cells.map(quote).join(separator)}\n`;
  if (headers) yield line(columns.map((column) => column.title));
  for (const item of view.items) {
    yield line(columns.map((column) => plainText(columnValue(item, column))));
  }
}

function csvCell(text: string): string {
  const safe = harmless.line(text);
  return /[",]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

async function* tabular(
  cli: Cli,
  format: Format,
  view: View,
  headers: boolean,
): AsyncGenerator<string> {
  const { stdout } = cli.io;
  const terminal = stdout.isTTY === true;
  if (view.single && view.items.length === 1 && cli.setting('columns') === undefined) {
    yield* detailLines(view.items[0] ?? {}, view.type, terminal);
    return;
  }
  const columns = columnsOf(cli, view, format === 'wide');
  if (view.items.length === 0) {
    cli.note(`no ${view.noun} found`);
    return;
  }
  const table = tableText(columns, view, terminal, headers);
  // Drawing a grid costs more than its rows are worth when there are many.
  if (terminal && table.rows.length <= gridLimit) {
    const fit = format === 'wide' ? table : fitted(table, stdout.columns ?? 80);
    yield `${await grid(await colored(cli, columns, fit))}\n`;
    return;
  }
  for (const line of alignedLines(table)) yield `${line}\n`;
}

async function colored(cli: Cli, columns: readonly Column[], table: TableText): Promise<TableText> {
  const paint = await painter(cli, cli.io.stdout);
  if (!paint) return table;
  return {
    ...table,
    titles: table.titles.map((title) => paint.bold(title)),
    rows: table.rows.map((row) =>
      row.map((cell, index) => painted(cell, columns[index]?.paths[0] ?? '', paint)),
    ),
  };
}

const gridLimit = 200;

function tableText(
  columns: readonly Column[],
  view: View,
  terminal: boolean,
  headers: boolean,
): TableText {
  const now = Date.now();
  const meanings = columns.map(({ paths }) => meaningOf(view.type, paths[0] ?? ''));
  const rows = view.items.map((item) =>
    columns.map((column, index) => {
      const value = columnValue(item, column);
      const text = terminal ? humanText(value, meanings[index] ?? 'plain', now) : plainText(value);
      return harmless.line(text);
    }),
  );
  const rigid = new Set(
    columns.flatMap(({ paths }, index) => (/(^|\.)id$/.test(paths[0] ?? '') ? [index] : [])),
  );
  return { titles: columns.map(({ title }) => title.toUpperCase()), rows, headers, rigid };
}

/** The columns that were asked for, or those that the type has by itself. */
export function columnsOf(cli: Cli, view: View, wide = false): readonly Column[] {
  const asked = cli.setting('columns')?.value;
  if (asked !== undefined) {
    const columns = asked
      .split(',')
      .map((text) => text.trim())
      .filter((text) => text !== '');
    if (columns.length === 0) throw new UsageError('--columns names no column');
    for (const column of columns) checkPath(columnOf(column), view.type);
    return columns.map(columnOf);
  }
  const usual = view.columns?.map(columnOf) ?? defaultColumns(view.type ?? '');
  const hasId = usual.some(({ paths }) => paths[0] === 'id');
  return wide && !hasId ? [...usual, columnOf('id')] : usual;
}

/** A path whose first word the type does not have can only be a mistake. */
function checkPath({ paths }: Column, type: string | undefined): void {
  if (type === undefined || !isType(type)) return;
  const known = ['id', 'href', ...Object.keys(attributesOf(type))];
  for (const path of paths) {
    const [first = ''] = path.split('.');
    if (known.includes(first)) continue;
    const near = nearest(first, known);
    throw new UsageError(`--columns ${path}: ${type.replaceAll('_', ' ')} has no ${first}`, {
      hint:
        near.length > 0 ? `did you mean ${near.join(' or ')}?` : `there are: ${known.join(', ')}`,
    });
  }
}

function sorted(items: readonly Item[], by: string | undefined): readonly Item[] {
  if (by === undefined) return items;
  const descending = by.startsWith('-');
  const path = descending ? by.slice(1) : by;
  const keyed = items.map((item) => ({ item, key: valueAt(item, path) }));
  keyed.sort((a, b) => compare(a.key, b.key));
  if (descending) keyed.reverse();
  return keyed.map(({ item }) => item);
}

/** Numbers as numbers, texts as people order them; what is missing comes last. */
function compare(a: unknown, b: unknown): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  const numeric = (value: unknown) => typeof value === 'number' || typeof value === 'bigint';
  if (numeric(a) && numeric(b)) return Number(a) - Number(b);
  return plainText(a).localeCompare(plainText(b), 'en', { numeric: true });
}
