/** Printing of results in the requested format. */
import { UsageError } from '../../client/errors.ts';
import type { CommandContext } from '../session/command-context.ts';
import { write } from '../session/io.ts';
import { type Format, formats } from '../session/settings.ts';
import { findCloseMatches } from '../text/did-you-mean.ts';
import { getColumnValue } from './cells.ts';
import { CollectingContext } from './collecting-context.ts';
import { selectColumns } from './column-selection.ts';
import type { Column } from './columns.ts';
import { checkMembers, parseOrder, sortItems } from './order.ts';
import { checkMemory, renderView } from './render.ts';
import type { Batches, Item, View, ViewMetadata } from './view.ts';

/** Returns the output format of the settings. */
export function getFormat(cli: CommandContext): Format {
  const requested = cli.setting('output')?.value;
  if (requested === undefined) {
    if (cli.isOn('query')) return 'json';
    return cli.isOn('quiet') ? 'id' : 'table';
  }
  const name = requested === 'ndjson' ? 'jsonl' : requested;
  const known = formats.find((format) => format === name);
  if (known) return known;
  const near = findCloseMatches(name, formats);
  throw new UsageError(`-o ${requested}: unknown format`, {
    hint: near.length > 0 ? `did you mean ${near[0]}?` : `use one of ${formats.join(', ')}`,
  });
}

export function isTable(format: Format): boolean {
  return format === 'table' || format === 'wide';
}

/** Whether the output has columns: of a table, or of JSON selected by `--columns`. */
export function showsColumns(cli: CommandContext): boolean {
  const format = getFormat(cli);
  return isTable(format) || ['csv', 'tsv'].includes(format) || selectsColumns(cli, format);
}

/** Prints a view on stdout. */
export async function printView(cli: CommandContext, view: View): Promise<void> {
  await printAs(cli, getFormat(cli), view, !cli.isOn('noHeaders'));
}

/** Prints a view in a given format, with or without headers. */
export async function printAs(
  cli: CommandContext,
  format: Format,
  view: View,
  headers: boolean,
): Promise<void> {
  const { items, ...frame } = view;
  // Objects that neither the model nor the command describes have their members as columns.
  const members = [...new Set(items.flatMap((item) => Object.keys(item)))];
  const isKnown = frame.type !== undefined || frame.columns !== undefined;
  await printBatches(
    cli,
    format,
    isKnown ? frame : { ...frame, columns: members },
    [items],
    headers,
  );
}

/** Prints objects in batches as they arrive. Only sorting and queries collect all objects first. */
export async function printBatches(
  cli: CommandContext,
  format: Format,
  frame: ViewMetadata,
  batches: Batches,
  headers: boolean,
): Promise<void> {
  const query = cli.setting('query')?.value;
  const order = parseOrder(cli, frame);
  let shown: Batches = prepareItems(cli, frame, batches);
  const collects = cli instanceof CollectingContext;
  if (order !== undefined || query !== undefined || collects) {
    const items = sortItems(await collect(shown), order).slice(0, frame.limit);
    shown = [items];
    if (collects) {
      cli.views.push({ frame, items });
      return;
    }
    if (query !== undefined) {
      const { printQueryResult } = await import('./query.ts');
      const value = frame.single ? (items[0] ?? null) : items;
      await printQueryResult(cli, format, frame, value, query, headers);
      return;
    }
  }
  if (selectsColumns(cli, format)) shown = selectValues(selectColumns(cli, frame), shown);
  const pieces = renderView(cli, format, frame, shown, headers);
  if (frame.isPaged && cli.isOn('pager')) await printPaged(cli, pieces);
  else for await (const piece of pieces) await write(cli.io.stdout, piece);
}

/** Whether `--columns` selects members of JSON or YAML objects. */
function selectsColumns(cli: CommandContext, format: Format): boolean {
  return (
    ['json', 'jsonl', 'yaml'].includes(format) &&
    cli.setting('columns') !== undefined &&
    !cli.isOn('query')
  );
}

/** Yields objects with the values of columns, by title. */
async function* selectValues(
  columns: readonly Column[],
  batches: Batches,
): AsyncGenerator<readonly Item[]> {
  for await (const batch of batches) {
    yield batch.map((item) =>
      Object.fromEntries(
        columns.map((column) => [column.title, getColumnValue(item, column) ?? null]),
      ),
    );
  }
}

/** Prints text through the pager, or directly without one. */
async function printPaged(cli: CommandContext, pieces: AsyncIterable<string>): Promise<void> {
  const { Pager, getPagerCommand } = await import('./pager.ts');
  const command = getPagerCommand(cli);
  const pager = command === undefined ? undefined : new Pager(cli, command);
  try {
    for await (const piece of pieces) {
      if (!pager) await write(cli.io.stdout, piece);
      else if (!(await pager.write(piece))) break;
    }
  } finally {
    await pager?.close();
  }
}

/** Collects all objects. Throws if memory is insufficient. */
export async function collect(batches: Batches): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const batch of batches) {
    for (const item of batch) items.push(item);
    checkMemory(
      items.length,
      '--sort and --query need all objects in memory',
      'remove --sort and --query',
    );
  }
  return items;
}

async function* prepareItems(
  cli: CommandContext,
  frame: ViewMetadata,
  batches: Batches,
): AsyncGenerator<readonly Item[]> {
  const { type } = frame;
  const inUtc =
    cli.isOn('utc') && type !== undefined ? (await import('./utc.ts')).convertToUtc : undefined;
  for await (const batch of batches) {
    const items = batch.map(withoutLinks);
    checkMembers(cli, frame, items);
    yield inUtc && type !== undefined ? items.map((item) => inUtc(item, type)) : items;
  }
}

/** Links and actions are navigation for API clients; `vmctl` has commands instead. */
function withoutLinks(item: Item): Item {
  const { link: _link, actions: _actions, ...rest } = item;
  return rest;
}
