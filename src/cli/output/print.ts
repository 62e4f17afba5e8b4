/** Printing of results in the requested format. */
import { UsageError } from '../../client/errors.ts';
import type { CommandContext } from '../session/command-context.ts';
import { write } from '../session/io.ts';
import { type Format, formats } from '../session/settings.ts';
import { closeMatches } from '../text/did-you-mean.ts';
import { columnValue } from './cells.ts';
import { columnsOf } from './column-selection.ts';
import type { Column } from './columns.ts';
import { checkMembers, inOrder, orderOf } from './order.ts';
import { checkMemory, render } from './render.ts';
import type { Batches, Frame, Item, View } from './view.ts';

/** The format that the settings ask for. */
export function formatOf(cli: CommandContext): Format {
  const requested = cli.setting('output')?.value;
  if (requested === undefined) {
    if (cli.on('query')) return 'json';
    return cli.on('quiet') ? 'id' : 'table';
  }
  const name = requested === 'ndjson' ? 'jsonl' : requested;
  const known = formats.find((format) => format === name);
  if (known) return known;
  const near = closeMatches(name, formats);
  throw new UsageError(`-o ${requested}: unknown format`, {
    hint: near.length > 0 ? `did you mean ${near[0]}?` : `use one of ${formats.join(', ')}`,
  });
}

/** Whether the format is for people. */
export function isTable(format: Format): boolean {
  return format === 'table' || format === 'wide';
}

/** Whether the output has columns: those of a table, or those that `--columns` selects from JSON. */
export function showsColumns(cli: CommandContext): boolean {
  const format = formatOf(cli);
  return isTable(format) || ['csv', 'tsv'].includes(format) || selectsColumns(cli, format);
}

/** Writes the view to stdout. */
export async function print(cli: CommandContext, view: View): Promise<void> {
  await printAs(cli, formatOf(cli), view, !cli.on('noHeaders'));
}

/** Writes the view in a given format, with or without the line of titles. */
export async function printAs(
  cli: CommandContext,
  format: Format,
  view: View,
  headers: boolean,
): Promise<void> {
  const { items, ...frame } = view;
  // What neither the model nor the command knows has the columns of its members.
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

/**
 * Writes objects in the batches in which they come. What has to be sorted or queried is gathered
 * first; nothing else is.
 */
export async function printBatches(
  cli: CommandContext,
  format: Format,
  frame: Frame,
  batches: Batches,
  headers: boolean,
): Promise<void> {
  const query = cli.setting('query')?.value;
  const order = orderOf(cli, frame);
  let shown: Batches = prepared(cli, frame, batches);
  if (order !== undefined || query !== undefined) {
    const items = inOrder(await gathered(shown), order).slice(0, frame.limit);
    shown = [items];
    if (query !== undefined) {
      const { printQueried } = await import('./query.ts');
      const value = frame.single ? (items[0] ?? null) : items;
      await printQueried(cli, format, frame, value, query, headers);
      return;
    }
  }
  if (selectsColumns(cli, format)) shown = selected(columnsOf(cli, frame), shown);
  const pieces = render(cli, format, frame, shown, headers);
  if (frame.isPaged && cli.on('pager')) await page(cli, pieces);
  else for await (const piece of pieces) await write(cli.io.stdout, piece);
}

/** Whether the objects of a document have the members that `--columns` names, and no others. */
function selectsColumns(cli: CommandContext, format: Format): boolean {
  return (
    ['json', 'jsonl', 'yaml'].includes(format) &&
    cli.setting('columns') !== undefined &&
    !cli.on('query')
  );
}

/** Objects with the values of columns, by the titles that csv has. */
async function* selected(
  columns: readonly Column[],
  batches: Batches,
): AsyncGenerator<readonly Item[]> {
  for await (const batch of batches) {
    yield batch.map((item) =>
      Object.fromEntries(
        columns.map((column) => [column.title, columnValue(item, column) ?? null]),
      ),
    );
  }
}

/** Shows text in the pager, where there is a terminal. */
async function page(cli: CommandContext, pieces: AsyncIterable<string>): Promise<void> {
  const { Pager, pagerCommand } = await import('./pager.ts');
  const command = pagerCommand(cli);
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

/** All objects; throws where there is no memory for so many. */
export async function gathered(batches: Batches): Promise<readonly Item[]> {
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

async function* prepared(
  cli: CommandContext,
  frame: Frame,
  batches: Batches,
): AsyncGenerator<readonly Item[]> {
  const { type } = frame;
  const inUtc = cli.on('utc') && type !== undefined ? (await import('./utc.ts')).inUtc : undefined;
  for await (const batch of batches) {
    const items = batch.map(withoutLinks);
    checkMembers(cli, frame, items);
    yield inUtc && type !== undefined ? items.map((item) => inUtc(item, type)) : items;
  }
}

/** Links and actions say how to go on from an object, which is what this program is for. */
function withoutLinks(item: Item): Item {
  const { link: _link, actions: _actions, ...rest } = item;
  return rest;
}
