/** The verb `list`, and how objects are shown by all verbs. */

import type { ApiObject, Call, Client, QueryValue } from '../../client/client.ts';
import { NotFoundError, UsageError, VmctlError } from '../../client/errors.ts';
import type { Paging } from '../../client/paging.ts';
import { isSearchable } from '../../model/index.ts';
import { chosenColumns, columnsOf, linksOf } from '../output/column-selection.ts';
import { type Column, defaultFollow, wideColumns } from '../output/columns.ts';
import { orderOf } from '../output/order.ts';
import { formatOf, gathered, isTable, printBatches, showsColumns } from '../output/print.ts';
import type { Batches, Frame, View } from '../output/view.ts';
import { type CommandContext, wholeNumber } from '../session/command-context.ts';
import { cacheNames, maxNames } from '../session/name-cache.ts';
import { type Collection, singular } from './collections.ts';
import { bareWord } from './identifiers.ts';
import { AttachedStatus, Names, withListsOf } from './list-enrichment.ts';
import { orderedReading, wholeReading } from './list-order.ts';
import { isRaw, printRaw } from './raw.ts';
import { operationNamed, placeholderOf } from './references.ts';
import { hasQuery, type Run } from './run.ts';
import { runTail } from './tail.ts';

/** The objects of one piece of an answer. */
type Batch = readonly ApiObject[];

/** Prints the objects of a collection. */
export async function runList(run: Run): Promise<void> {
  const { cli, verb, resolved } = run;
  const { collection } = resolved.candidate;
  const raw = isRaw(run);
  if (run.options['tail'] === true && !cli.on('curl')) {
    await runTail(run);
    return;
  }
  const single = run.options['statistic'];
  if (verb.isStatistics && typeof single === 'string') {
    await printOne(run, single);
    return;
  }
  const { noun, type } = collection;
  let reading = orderedReading(run);
  let { call, paging } = callOf(reading.run);
  if (raw) {
    await printRaw(run, call);
    return;
  }
  if (isAsSent(cli)) {
    const { printList } = await import('./list-xml.ts');
    await printList(run, call, paging);
    return;
  }
  const seen: Seen = { names: [], count: 0 };
  let batches: Batches = counted(reading.run, await batchesOf(run, call, paging), seen);
  if (reading.isShort) {
    const items = await gathered(batches);
    batches = [items];
    if (reading.isShort(items)) {
      reading = wholeReading(run, items.length);
      ({ call, paging } = callOf(reading.run));
      batches = counted(reading.run, await batchesOf(run, call, paging), seen);
    }
  }
  const { limit } = reading;
  const { search: asked } = run.query;
  const frame = {
    ...{ noun, type, isPaged: true },
    ...(limit === undefined ? {} : { limit }),
    ...(typeof asked === 'string' ? { search: asked } : {}),
  };
  await showBatches(run, frame, batches);
  if (limit !== undefined && seen.count > limit) noteLimit(run, limit);
  const { names } = seen;
  const parents = collection.parents.flatMap(({ noun: kind, placeholder }) => {
    const word = resolved.parentWords.get(placeholder);
    return word === undefined ? [] : [[kind, bareWord(word, kind)] as const];
  });
  if (parents.length < collection.parents.length) return;
  const { search, max, filter } = call.query ?? {};
  cacheNames(
    cli,
    { noun, parents },
    names,
    [search, max, filter].every((one) => one === undefined),
  );
}

function callOf(run: Run): { call: Call; paging: Paging | undefined } {
  const { operation, collection } = run.resolved.candidate;
  const what = `list ${collection.noun}`;
  const call = { operation, ids: run.ids, query: listQuery(run), what, isPrimary: true };
  return { call, paging: pagingOf(run) };
}

async function batchesOf(
  run: Run,
  call: Call,
  paging: Paging | undefined,
): Promise<AsyncIterable<Batch>> {
  if (!paging) return orUnfollowed(run, call, (one) => run.client.stream(one));
  const { pages } = await import('../../client/paging.ts');
  return orUnfollowed(run, call, (one) => pages(run.client, one, paging));
}

/** The same without what only the usual columns want to follow, where a service refuses that. */
async function* orUnfollowed(
  { query }: Run,
  call: Call,
  read: (call: Call) => AsyncIterable<Batch>,
): AsyncGenerator<Batch> {
  try {
    yield* read(call);
  } catch (error) {
    if (query['follow'] !== undefined || !isFollowRefused(error, call)) throw error;
    yield* read(unfollowed(call));
  }
}

/** Whether it may be the following that a service has refused. */
export function isFollowRefused(error: unknown, { query }: Call): boolean {
  const { status = 0 } = error instanceof VmctlError ? error : {};
  return query?.['follow'] !== undefined && status >= 400 && status < 500 && status !== 401;
}

/** The call for the objects alone. */
export function unfollowed(call: Call): Call {
  return { ...call, query: { ...call.query, follow: undefined } };
}

/** What somebody would type to mean the object. */
function nameForCompletion(item: ApiObject): string {
  return String(item['name'] ?? item['alias'] ?? item['id'] ?? '');
}

/** What a list had, while it was read. */
interface Seen {
  readonly names: string[];
  count: number;
}

/** Says when there may be more than was asked for; gathers names on the way. */
async function* counted(
  run: Run,
  batches: AsyncIterable<Batch>,
  seen: Seen,
): AsyncGenerator<Batch> {
  const { names } = seen;
  let count = 0;
  // Where the service cannot count, the rest is left out here.
  const maxItems = wholeNumber(run.options['limit'], '--limit') ?? Infinity;
  for await (const whole of batches) {
    const batch = whole.slice(0, maxItems - count);
    count += batch.length;
    seen.count = count;
    if (names.length < maxNames) names.push(...batch.map(nameForCompletion));
    yield batch;
    if (count >= maxItems) break;
  }
  const limit = run.query['max'] ?? maxItems;
  if (typeof limit !== 'number' || limit === 0 || count < limit) return;
  noteLimit(run, limit);
}

function noteLimit(run: Run, limit: number): void {
  const { noun } = run.resolved.candidate.collection;
  run.cli.note(`showing ${limit} ${limit === 1 ? singular(noun) : noun} (--limit); more may exist`);
}

/** How `--page-size` wants the list to be read; nothing when it is read at once. */
function pagingOf(run: Run): Paging | undefined {
  const { cli, options, query, resolved } = run;
  const given = options['pageSize'];
  if (given === undefined) return undefined;
  const size = Number(given);
  if (!Number.isInteger(size) || size < 1) {
    throw new UsageError(`--page-size ${String(given)}: not a number of objects`, {
      hint: '--page-size 500',
    });
  }
  const { operation, collection } = resolved.candidate;
  if (!isSearchable(operation) || !operation.query.includes('max')) {
    throw new UsageError(`--page-size: the service has no pages of these ${collection.noun}`, {
      hint: 'remove it; lists are printed as they arrive',
    });
  }
  if (options['page'] !== undefined || /\bpage\s+\d+\s*$/i.test(String(query['search'] ?? ''))) {
    throw new UsageError('--page-size reads all pages, but --page requests one', {
      hint: 'with --page, the page size is --limit',
    });
  }
  const limit = query['max'];
  return {
    size,
    ...(typeof limit === 'number' ? { limit } : {}),
    onShift: () => cli.warn('objects changed while the pages were read; vmctl read them again'),
  };
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
  const follow = followOf(run, query['follow']);
  if (follow !== undefined) query['follow'] = follow;
  return query;
}

/** What has to be followed: what was asked for, and what the columns need. */
export function followOf(run: Run, given: QueryValue | undefined): QueryValue | undefined {
  if (!hasQuery(run, 'follow')) return given;
  const single = run.verb.kind === 'get' && run.words.length === 1;
  return linksForColumns(run, run.resolved.candidate.collection, single, given);
}

/** The links to follow for the columns of objects, besides those that were asked for. */
export function linksForColumns(
  run: Run,
  { noun, type, object, path }: Collection,
  single: boolean,
  given?: QueryValue,
): QueryValue | undefined {
  const { cli } = run;
  const place = object ?? path;
  const frame = { noun, type, single };
  const sorted = orderOf(cli, { noun, type })?.column;
  const isTabular = showsColumns(cli);
  const links = sorted ? linksOf([sorted], type, place) : [];
  if (!isTabular && links.length === 0) return given;
  if (chosenColumns(cli, frame) === undefined && links.length === 0) {
    const isWide = formatOf(cli) === 'wide' && run.verb.kind === 'list';
    const wide = isWide ? linksOf(wideColumns(type), type, place) : [];
    const usual = given ?? defaultFollow(type);
    return wide.length === 0 ? usual : [...(usual === undefined ? [] : [usual]), ...wide].join(',');
  }
  const needed = [...linksOf(isTabular ? columnsOf(cli, frame) : [], type, place), ...links];
  const all = [...(given === undefined ? [] : [String(given)]), ...needed];
  return all.length > 0 ? [...new Set(all.join(',').split(','))].join(',') : undefined;
}

async function printOne(run: Run, word: string): Promise<void> {
  const { collection } = run.resolved.candidate;
  const found = await run.finder.find(word, collection, run.ids);
  const get = collection.object ? operationNamed(collection.object, 'get') : undefined;
  const item = get
    ? await run.client.object({
        operation: get,
        ids: { ...run.ids, [placeholderOf(collection)]: found.id },
        what: `get ${found.label}`,
        isPrimary: true,
      })
    : found.item;
  if (!item) throw new NotFoundError(`${found.label} not found`);
  await show(run, { noun: collection.noun, type: collection.type, items: [item], single: true });
}

/** Whether the answer is printed as the service writes it: in XML, with nothing done to it. */
export function isAsSent(cli: CommandContext): boolean {
  return formatOf(cli) === 'xml' && !(cli.on('sort') || cli.on('query') || cli.on('utc'));
}

/** Prints, with the names of references where the format is made for people. */
export async function show(run: Run, view: View): Promise<void> {
  const { items, ...frame } = view;
  await showBatches(run, frame, [items]);
}

/** Prints objects in the batches in which they come, with the names of references as `show`. */
async function showBatches(run: Run, frame: Frame, batches: Batches): Promise<void> {
  const { cli, client } = run;
  const format = formatOf(cli);
  const hasColumnsFlag = cli.setting('columns') !== undefined;
  const isDetail = frame.single === true && !hasColumnsFlag && isTable(format);
  const isTabular = showsColumns(cli) && !isDetail && !cli.on('query');
  const sorted = frame.single ? undefined : orderOf(cli, frame)?.column;
  const columns = [...(isTabular ? columnsOf(cli, frame) : []), ...(sorted ? [sorted] : [])];
  const named =
    columns.length > 0 && frame.type !== undefined
      ? filled(client, frame.type, columns, batches)
      : batches;
  await printBatches(cli, format, frame, named, !cli.on('noHeaders'));
}

/** What the columns show and the answer left out: names of references, states of domains. */
async function* filled(
  client: Client,
  type: string,
  columns: readonly Column[],
  batches: Batches,
): AsyncGenerator<Batch> {
  const names = new Names(client, type, columns);
  const states = new AttachedStatus(client, type, columns);
  for await (const batch of batches) {
    const whole = batch.map((item) => withListsOf(item, type, columns));
    yield await names.fill(await states.fill(whole));
  }
}
