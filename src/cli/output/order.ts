/** Order of what is printed: what `--sort` names, checked against the model, and the sorting by it. */
import { UsageError } from '../../client/errors.ts';
import type { CommandContext } from '../session/command-context.ts';
import { closeMatches } from '../text/did-you-mean.ts';
import { columnValue, plainText } from './cells.ts';
import { checkPath, columnsOf, namedColumn } from './column-selection.ts';
import { type Column, columnOf } from './columns.ts';
import type { Frame, Item } from './view.ts';

export interface Order {
  readonly column: Column;
  readonly descending: boolean;
}

/** What `--sort` asks for: a column by its title, or an attribute. Throws where there is neither. */
export function orderOf(cli: CommandContext, frame: Frame): Order | undefined {
  const text = cli.setting('sort')?.value;
  if (text === undefined) return undefined;
  const descending = text.startsWith('-');
  const word = descending ? text.slice(1) : text;
  const titled = columnsOf(cli, frame).find(
    ({ title }) => title.toLowerCase() === word.toLowerCase(),
  );
  if (titled) return { column: titled, descending };
  const column = namedColumn(word, frame);
  for (const path of column.paths) checkPath(path, frame.type, '--sort');
  return { column, descending };
}

/** Refuses columns, and an order, that the type does not have: before anything is sent. */
export function checkSelection(cli: CommandContext, frame: Frame): void {
  if (cli.setting('columns') !== undefined) columnsOf(cli, frame);
  orderOf(cli, frame);
}

/** The same for what the model does not know: its objects tell which members there are. */
export function checkMembers(cli: CommandContext, frame: Frame, items: readonly Item[]): void {
  const { type, columns = [] } = frame;
  if (type !== undefined || items.length === 0) return;
  const paths = columns.flatMap((one) => columnOf(one).paths);
  const known = [...new Set([...paths, ...items.flatMap((item) => Object.keys(item))])];
  const sort = cli.setting('sort')?.value.replace(/^-/, '');
  const named = (cli.setting('columns')?.value ?? '').split(',').filter((one) => one.trim() !== '');
  const given = [
    ...(sort === undefined
      ? []
      : namedColumn(sort, frame).paths.map((path) => ['--sort', path] as const)),
    ...named.flatMap((one) =>
      namedColumn(one.trim(), frame).paths.map((path) => ['--columns', path] as const),
    ),
  ];
  for (const [flag, path] of given) {
    const [first = ''] = path.split('.');
    if (known.includes(first) || known.includes(path)) continue;
    const near = closeMatches(first, known);
    throw new UsageError(`${flag} ${path}: unknown column`, {
      code: 'unknown_attribute',
      hint:
        near.length > 0 ? `did you mean ${near.join(' or ')}?` : `use one of ${known.join(', ')}`,
    });
  }
}

/** The objects in that order. What lacks the value comes last, whichever way is sorted. */
export function inOrder(items: readonly Item[], order: Order | undefined): readonly Item[] {
  if (!order) return items;
  const { column, descending } = order;
  const keyed = items.map((item) => ({ item, key: columnValue(item, column) }));
  keyed.sort((a, b) => compare(a.key, b.key, descending ? -1 : 1));
  return keyed.map(({ item }) => item);
}

/** Numbers as numbers, texts as people order them. */
function compare(a: unknown, b: unknown, sign: 1 | -1): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  if (isNumeric(a) && isNumeric(b)) return sign * (a === b ? 0 : a < b ? -1 : 1);
  return sign * plainText(a).localeCompare(plainText(b), 'en', { numeric: true });
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}
