/** `list --watch`: the list again and again; on a terminal in place, else only what has changed. */

import type { ApiObject } from '../../client/client.ts';
import { pause } from '../../client/retry.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { columnsOf } from '../output/column-selection.ts';
import { inOrder, orderOf } from '../output/order.ts';
import { formatOf, isTable, printAs } from '../output/print.ts';
import { redrawn } from '../output/progress.ts';
import { wholeNumber } from '../session/command-context.ts';
import { write } from '../session/io.ts';
import { durationOf } from '../text/duration.ts';
import { jsonText } from '../text/json.ts';
import { withLinkedColumns } from './answer-columns.ts';
import { listQuery, show } from './list.ts';
import { fillNames } from './list-enrichment.ts';
import { orderedReading, wholeReading } from './list-order.ts';
import { isRaw } from './raw.ts';
import type { Run } from './run.ts';
import { watch } from './wait-for-state.ts';

const usualInterval = '2s';

/** Lists until Ctrl-C. */
export async function runWatch(run: Run): Promise<void> {
  const { cli, options } = run;
  isRaw(run);
  const { watch: period, interval: given } = options;
  const interval =
    given === undefined
      ? durationOf(typeof period === 'string' && period !== '' ? period : usualInterval, '--watch')
      : durationOf(String(given), '--interval');
  const inPlace = cli.io.stdout.isTTY === true && isTable(formatOf(cli));
  const printed = new Map<string, string>();
  let hasTitles = !cli.on('noHeaders');
  const count = wholeNumber(options['count'], '--count') ?? Number.POSITIVE_INFINITY;
  for (let looks = 1; ; looks += 1) {
    const items = await read(run);
    if (inPlace) await redraw(run, items);
    else if (await printChanges(run, items, printed, hasTitles)) hasTitles = false;
    if (looks >= count) return;
    await pause(interval, cli.signal);
  }
}

async function read(run: Run): Promise<readonly ApiObject[]> {
  const { cli, client, resolved, ids, options } = run;
  const { only } = options;
  if (Array.isArray(only)) return await readEach(run, only.map(String));
  const { operation, collection } = resolved.candidate;
  const { noun, type } = collection;
  const read = async (one: Run) =>
    await client.list({ operation, ids, query: listQuery(one), what: `list ${noun}` });
  const ordered = orderedReading(run);
  let { limit } = ordered;
  let items = await read(ordered.run);
  if (ordered.isShort?.(items)) {
    limit = items.length;
    items = await read(wholeReading(run, limit).run);
  }
  return limit === undefined ? items : inOrder(items, orderOf(cli, { noun, type })).slice(0, limit);
}

/** The objects that are named, without those that are gone. */
async function readEach(run: Run, words: readonly string[]): Promise<readonly ApiObject[]> {
  const { finder, resolved, ids } = run;
  const { collection } = resolved.candidate;
  const items: ApiObject[] = [];
  for (const word of words) {
    const found = await finder.look(word, collection, ids);
    const item = found && (await watch(run, found)?.fetch());
    if (item) items.push(item);
  }
  return await withLinkedColumns(run, collection, items);
}

async function redraw(run: Run, items: readonly ApiObject[]): Promise<void> {
  const { noun, type } = run.resolved.candidate.collection;
  await write(run.cli.io.stdout, redrawn);
  await show(run, { noun, type, items });
}

/**
 * Prints objects that are new or not as they were; one that went away is told by its id. Returns
 * whether there were any.
 */
async function printChanges(
  run: Run,
  items: readonly ApiObject[],
  printed: Map<string, string>,
  hasTitles: boolean,
): Promise<boolean> {
  const { cli, client } = run;
  const { noun, type } = run.resolved.candidate.collection;
  const format = formatOf(cli);
  const machine = format === 'json' || format === 'jsonl';
  const changed: ApiObject[] = [];
  const present = new Set<string>();
  for (const item of items) {
    const id = String(item['id']);
    const text = jsonText(item);
    present.add(id);
    if (printed.get(id) !== text) changed.push(item);
    printed.set(id, text);
  }
  for (const id of printed.keys()) {
    if (present.has(id)) continue;
    printed.delete(id);
    if (machine)
      await write(
        cli.io.stdout,
        `${escapeControlChars.json(JSON.stringify({ id, gone: true }))}\n`,
      );
    else cli.note(`${noun}/${id}: gone`);
  }
  if (changed.length === 0) return false;
  if (machine) {
    await printAs(cli, 'jsonl', { noun, type, items: changed }, false);
    return true;
  }
  const view = { noun, type, items: changed };
  const named = await fillNames(client, type, changed, columnsOf(cli, view));
  await printAs(cli, format, { ...view, items: named }, hasTitles);
  return true;
}
