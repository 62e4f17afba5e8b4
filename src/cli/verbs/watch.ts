/** Repeated list of `list --watch`: redrawn on a terminal, otherwise only changes. */

import type { ApiObject } from '../../client/client.ts';
import { UsageError } from '../../client/errors.ts';
import { poll } from '../../client/poll.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { selectColumns } from '../output/column-selection.ts';
import { parseOrder, sortItems } from '../output/order.ts';
import { getFormat, isTable, printAs } from '../output/print.ts';
import { clearScreen } from '../output/progress.ts';
import { parseCount } from '../session/command-context.ts';
import { write } from '../session/io.ts';
import { parseTimerDuration } from '../text/duration.ts';
import { formatJson } from '../text/json.ts';
import { addLinkedColumns } from './answer-columns.ts';
import { createListQuery, showView } from './list.ts';
import { addNames } from './list-enrichment.ts';
import { planCompleteList, planOrderedList } from './list-order.ts';
import { isRaw } from './raw.ts';
import type { Run } from './run.ts';
import { isTree } from './snapshot-tree.ts';
import { createPoller } from './wait-for-state.ts';

const defaultInterval = '2s';

/** Repeats the list until Ctrl-C, or `--count` times. */
export async function runWatch(run: Run): Promise<void> {
  const { cli, options } = run;
  if (cli.origin !== undefined) {
    throw new UsageError('--watch is not valid with several contexts', {
      hint: 'use --context with one name',
    });
  }
  isRaw(run);
  isTree(run);
  const { watch: period, interval: given } = options;
  const interval =
    given === undefined
      ? parseTimerDuration(
          typeof period === 'string' && period !== '' ? period : defaultInterval,
          '--watch',
        )
      : parseTimerDuration(String(given), '--interval');
  const inPlace = cli.io.stdout.isTTY === true && isTable(getFormat(cli));
  const printed = new Map<string, string>();
  let hasTitles = !cli.isOn('noHeaders');
  const count = parseCount(options['count'], '--count') ?? Number.POSITIVE_INFINITY;
  let reads = 0;
  for await (const items of poll({ read: () => readList(run), interval, signal: cli.signal })) {
    reads += 1;
    if (inPlace) await redraw(run, items);
    else if (await printChanges(run, items, printed, hasTitles)) hasTitles = false;
    if (reads >= count) return;
  }
}

async function readList(run: Run): Promise<readonly ApiObject[]> {
  const { cli, client, resolved, ids, options } = run;
  const { only } = options;
  if (Array.isArray(only)) return await readEach(run, only.map(String));
  const { operation, collection } = resolved.candidate;
  const { noun, type } = collection;
  const read = async (one: Run) =>
    await client.list({ operation, ids, query: createListQuery(one), what: `list ${noun}` });
  const ordered = planOrderedList(run);
  let { limit } = ordered;
  let items = await read(ordered.run);
  if (ordered.isShort?.(items)) {
    limit = items.length;
    items = await read(planCompleteList(run, limit).run);
  }
  return limit === undefined
    ? items
    : sortItems(items, parseOrder(cli, { noun, type })).slice(0, limit);
}

/** Reads the named objects, without deleted ones. */
async function readEach(run: Run, words: readonly string[]): Promise<readonly ApiObject[]> {
  const { finder, resolved, ids } = run;
  const { collection } = resolved.candidate;
  const items: ApiObject[] = [];
  for (const word of words) {
    const found = await finder.findIfExists(word, collection, ids);
    const item = found && (await createPoller(run, found)?.fetch());
    if (item) items.push(item);
  }
  return await addLinkedColumns(run, collection, items);
}

async function redraw(run: Run, items: readonly ApiObject[]): Promise<void> {
  const { noun, type } = run.resolved.candidate.collection;
  await write(run.cli.io.stdout, clearScreen);
  await showView(run, { noun, type, items });
}

/**
 * Prints new and changed objects, and the ids of deleted ones. Returns whether it printed objects.
 */
async function printChanges(
  run: Run,
  items: readonly ApiObject[],
  printed: Map<string, string>,
  hasTitles: boolean,
): Promise<boolean> {
  const { cli, client } = run;
  const { noun, type } = run.resolved.candidate.collection;
  const format = getFormat(cli);
  const isJson = format === 'json' || format === 'jsonl';
  const changed: ApiObject[] = [];
  const present = new Set<string>();
  for (const item of items) {
    const id = String(item['id']);
    const text = formatJson(item);
    present.add(id);
    if (printed.get(id) !== text) changed.push(item);
    printed.set(id, text);
  }
  for (const id of printed.keys()) {
    if (present.has(id)) continue;
    printed.delete(id);
    if (isJson)
      await write(
        cli.io.stdout,
        `${escapeControlChars.json(JSON.stringify({ id, gone: true }))}\n`,
      );
    else cli.note(`${noun}/${id}: gone`);
  }
  if (changed.length === 0) return false;
  if (isJson) {
    await printAs(cli, 'jsonl', { noun, type, items: changed }, false);
    return true;
  }
  const view = { noun, type, items: changed };
  const named = await addNames(client, type, changed, selectColumns(cli, view));
  await printAs(cli, format, { ...view, items: named }, hasTitles);
  return true;
}
