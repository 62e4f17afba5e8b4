/** `list` and `get`: what there is. */
import type { QueryValue, Thing } from '../../client/client.ts';
import { NotFoundError, UsageError } from '../../client/errors.ts';
import { Held, type HeldRequest } from '../../client/held.ts';
import { defaultFollow } from '../output/columns.ts';
import type { Format } from '../output/formats.ts';
import { columnsOf, formatOf, print, type View } from '../output/print.ts';
import { fillNames } from './names.ts';
import { operationNamed, placeholderOf } from './references.ts';
import { hasQuery, type Run } from './run.ts';
import { runTail } from './run-tail.ts';

const tabular: ReadonlySet<Format> = new Set(['table', 'wide', 'csv', 'tsv']);

/** Prints the objects of a collection. */
export async function runList(run: Run): Promise<void> {
  const { cli, client, verb, chosen, ids } = run;
  const { collection, operation } = chosen.candidate;
  if (run.options['tail'] === true && !cli.on('curl')) {
    await runTail(run);
    return;
  }
  const single = run.options['statistic'];
  if (verb.isStatistics && typeof single === 'string') {
    await printOne(run, single);
    return;
  }
  const items = await client.list({
    operation,
    ids,
    query: listQuery(run),
    what: `list ${collection.noun}`,
    isAsked: true,
  });
  const limit = run.query['max'];
  if (typeof limit === 'number' && limit > 0 && items.length === limit) {
    cli.note(`showing ${limit} ${collection.noun}, as --limit says; there may be more`);
  }
  await show(run, { noun: collection.noun, type: collection.type, items });
}

/** The query of a list: as given, with what has to be said explicitly and what columns need. */
export function listQuery(run: Run): Record<string, QueryValue | undefined> {
  const query = { ...run.query };
  const page = run.options['page'];
  if (page !== undefined) {
    if (!/^[1-9]\d*$/.test(String(page))) {
      throw new UsageError(`--page ${String(page)}: not a page number`, { hint: '--page 2' });
    }
    query['search'] = `${query['search'] ?? ''} page ${String(page)}`.trim();
  }
  // The documented defaults of this parameter contradict each other (specification 4.2).
  if (query['search'] !== undefined && hasQuery(run, 'case_sensitive')) {
    query['case_sensitive'] ??= false;
  }
  const { cli, chosen } = run;
  const isDefault = cli.setting('columns') === undefined && tabular.has(formatOf(cli));
  const follow = defaultFollow(chosen.candidate.collection.type);
  if (isDefault && follow !== undefined && hasQuery(run, 'follow')) query['follow'] ??= follow;
  return query;
}

async function printOne(run: Run, word: string): Promise<void> {
  const { collection } = run.chosen.candidate;
  const found = await run.finder.find(word, collection, run.ids);
  const get = collection.object ? operationNamed(collection.object, 'get') : undefined;
  const item = get
    ? await run.client.object({
        operation: get,
        ids: { ...run.ids, [placeholderOf(collection)]: found.id },
        what: `get ${found.label}`,
        isAsked: true,
      })
    : found.item;
  if (!item) throw new NotFoundError(`${found.label}: there is no such object`);
  await show(run, { noun: collection.noun, type: collection.type, items: [item], single: true });
}

/** Prints single objects. */
export async function runGet(run: Run): Promise<void> {
  const { client, finder, chosen, ids, words, query } = run;
  const { collection, operation } = chosen.candidate;
  const items: Thing[] = [];
  const held: HeldRequest[] = [];
  for (const word of words) {
    const found = await finder.find(word, collection, ids);
    const call = {
      operation,
      ids: { ...ids, [placeholderOf(collection)]: found.id },
      query,
      what: `get ${found.label}`,
      isAsked: true,
    };
    try {
      items.push(await client.object(call));
    } catch (error) {
      if (!(error instanceof Held)) throw error;
      held.push(...error.requests);
    }
  }
  if (held.length > 0) throw new Held(held);
  const single = items.length === 1;
  await show(run, { noun: collection.noun, type: collection.type, items, single });
}

/** Prints, with the names of references where the format is made for people. */
export async function show(run: Run, view: View): Promise<void> {
  const { cli, client } = run;
  const asked = cli.setting('columns') !== undefined;
  const isDetail = view.single === true && !asked && ['table', 'wide'].includes(formatOf(cli));
  if (!tabular.has(formatOf(cli)) || isDetail || view.type === undefined) {
    await print(cli, view);
    return;
  }
  const items = await fillNames(client, view.type, [...view.items], columnsOf(cli, view));
  await print(cli, { ...view, items });
}
