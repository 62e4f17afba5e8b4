/** Sort order of objects: `--sort`, checked against the model. */
import { UsageError } from '../../client/errors.ts';
import type { CommandContext } from '../session/command-context.ts';
import { findCloseMatches } from '../text/did-you-mean.ts';
import { formatPlain, getColumnValue } from './cells.ts';
import {
  addContextColumn,
  checkPath,
  findColumn,
  isContextColumn,
  selectColumns,
} from './column-selection.ts';
import { type Column, parseColumn } from './columns.ts';
import type { Item, ViewMetadata } from './view.ts';

export interface SortKey {
  readonly column: Column;
  readonly descending: boolean;
}

/** Keys in order of precedence. */
export type Order = readonly SortKey[];

/**
 * Parses `--sort`: column titles or attribute paths, separated by commas. Throws `UsageError` if
 * the type has neither.
 */
export function parseOrder(cli: CommandContext, frame: ViewMetadata): Order | undefined {
  const keys = listSortWords(cli).map((text) => parseSortKey(cli, frame, text));
  return keys.length > 0 ? keys : undefined;
}

/** Throws `UsageError` for a comma without a key. */
function listSortWords(cli: CommandContext): readonly string[] {
  const text = cli.setting('sort')?.value;
  if (text === undefined) return [];
  const words = text.split(',').map((one) => one.trim());
  if (words.some((one) => one === '' || one === '-')) {
    throw new UsageError(`--sort ${text}: no attribute before or after a comma`, {
      hint: 'for example --sort -memory,name',
    });
  }
  return words;
}

function parseSortKey(cli: CommandContext, given: ViewMetadata, text: string): SortKey {
  const frame = addContextColumn(cli, given);
  const descending = text.startsWith('-');
  const word = descending ? text.slice(1) : text;
  const titled = selectColumns(cli, frame).find(
    ({ title }) => title.toLowerCase() === word.toLowerCase(),
  );
  if (titled) return { column: titled, descending };
  const column = findColumn(word, frame);
  for (const path of column.paths) checkPath(path, frame, '--sort');
  return { column, descending };
}

/** Checks `--columns` and `--sort` against the type, before the first request. */
export function checkSelection(cli: CommandContext, frame: ViewMetadata): void {
  if (cli.setting('columns') !== undefined) selectColumns(cli, frame);
  parseOrder(cli, frame);
}

/**
 * Checks `--columns` and `--sort` against the members of objects that the model does not describe.
 */
export function checkMembers(
  cli: CommandContext,
  given: ViewMetadata,
  items: readonly Item[],
): void {
  const frame = addContextColumn(cli, given);
  const { type, columns = [] } = frame;
  if (type !== undefined || items.length === 0) return;
  const paths = columns.flatMap((one) => parseColumn(one).paths);
  const known = [...new Set([...paths, ...items.flatMap((item) => Object.keys(item))])];
  const sorted = listSortWords(cli).map((one) => one.replace(/^-/, ''));
  const named = (cli.setting('columns')?.value ?? '')
    .split(',')
    .map((one) => one.trim().replace(/^[+-]/, ''))
    .filter((one) => one !== '');
  const chosen = [
    ...sorted.flatMap((one) =>
      findColumn(one, frame).paths.map((path) => ['--sort', path] as const),
    ),
    ...named.flatMap((one) =>
      findColumn(one, frame).paths.map((path) => ['--columns', path] as const),
    ),
  ];
  for (const [flag, path] of chosen) {
    const [first = ''] = path.split('.');
    if (known.includes(first) || known.includes(path) || isContextColumn(path, frame)) continue;
    const near = findCloseMatches(first, known);
    throw new UsageError(`${flag} ${path}: unknown column`, {
      code: 'unknown_attribute',
      hint:
        near.length > 0 ? `did you mean ${near.join(' or ')}?` : `use one of ${known.join(', ')}`,
    });
  }
}

/** Sorts objects. Objects without the value are last in both directions. */
export function sortItems(items: readonly Item[], order: Order | undefined): readonly Item[] {
  if (!order) return items;
  const keyed = items.map((item) => ({
    item,
    values: order.map(({ column }) => getColumnValue(item, column)),
  }));
  keyed.sort((a, b) => {
    for (const [index, { descending }] of order.entries()) {
      const result = compare(a.values[index], b.values[index], descending ? -1 : 1);
      if (result !== 0) return result;
    }
    return 0;
  });
  return keyed.map(({ item }) => item);
}

/** Compares numbers by value, and texts naturally. */
function compare(a: unknown, b: unknown, sign: 1 | -1): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  if (isNumeric(a) && isNumeric(b)) return sign * (a === b ? 0 : a < b ? -1 : 1);
  return sign * formatPlain(a).localeCompare(formatPlain(b), 'en', { numeric: true });
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}
