/** The verb `list`, and the output of objects for all verbs. */

import type { ApiObject, Call, Client, QueryValue } from '../../client/client.ts';
import { NotFoundError, UsageError, VmctlError } from '../../client/errors.ts';
import type { Paging } from '../../client/paging.ts';
import { isSearchable } from '../../model/index.ts';
import { findChosenColumns, listFollowedLinks, selectColumns } from '../output/column-selection.ts';
import { type Column, defaultFollow, wideColumns } from '../output/columns.ts';
import { parseOrder } from '../output/order.ts';
import { collect, getFormat, isTable, printBatches, showsColumns } from '../output/print.ts';
import type { Batches, View, ViewMetadata } from '../output/view.ts';
import { type CommandContext, parseCount } from '../session/command-context.ts';
import { cacheNames, maxNames } from '../session/name-cache.ts';
import { type Collection, getSingular } from './collections.ts';
import { parseReference } from './identifiers.ts';
import { AttachedStatus, addFollowedLists, NameLookup } from './list-enrichment.ts';
import { planCompleteList, planOrderedList } from './list-order.ts';
import { isRaw, printRaw } from './raw.ts';
import { findOperation, getPlaceholder } from './references.ts';
import { hasQuery, type Run } from './run.ts';
import { drawTree, isTree } from './snapshot-tree.ts';
import { refuseFlagsOfTail, runTail } from './tail.ts';
import { collapseVersions, getVersionedName } from './template-versions.ts';

/** Objects of one piece of a response. */
type Batch = readonly ApiObject[];

/** Prints the objects of a collection. */
export async function runList(run: Run): Promise<void> {
  const { cli, verb, resolved } = run;
  const { collection } = resolved.candidate;
  const raw = isRaw(run);
  const tree = isTree(run);
  if (run.options['tail'] === true && !cli.isOn('curl')) {
    await runTail(run);
    return;
  }
  refuseFlagsOfTail(run.options);
  const single = run.options['statistic'];
  if (verb.isStatistics && typeof single === 'string') {
    await printOne(run, single);
    return;
  }
  const { noun, type } = collection;
  let reading = planOrderedList(run);
  let { call, paging } = createCall(reading.run);
  if (raw) {
    await printRaw(run, call);
    return;
  }
  if (isUnchangedXml(cli)) {
    const { printList } = await import('./list-xml.ts');
    await printList(run, call, paging);
    return;
  }
  const seen: ListStatistics = { names: [], count: 0 };
  let batches: Batches = limitBatches(reading.run, await readBatches(run, call, paging), seen);
  if (reading.isShort) {
    const items = await collect(batches);
    batches = [items];
    if (reading.isShort(items)) {
      reading = planCompleteList(run, items.length);
      ({ call, paging } = createCall(reading.run));
      batches = limitBatches(reading.run, await readBatches(run, call, paging), seen);
    }
  }
  if (tree) batches = [drawTree(await collect(batches), cli.io.env)];
  const { limit } = reading;
  const { search: asked } = run.query;
  const frame = {
    ...{ noun, type, isPaged: true },
    ...(limit === undefined ? {} : { limit }),
    // Without the flag, the search is that of --on.
    ...(typeof asked === 'string' && run.options['search'] !== undefined ? { search: asked } : {}),
  };
  await showBatches(run, frame, batches);
  if (limit !== undefined && seen.count > limit) noteLimit(run, limit);
  const { names } = seen;
  const parents = collection.parents.flatMap(({ noun: kind, placeholder }) => {
    const word = resolved.parentWords.get(placeholder);
    return word === undefined ? [] : [[kind, parseReference(word, kind)] as const];
  });
  if (parents.length < collection.parents.length) return;
  const { search, max, filter } = call.query ?? {};
  cacheNames(
    cli,
    { noun, parents },
    collapseVersions(type, names),
    [search, max, filter, run.isWanted].every((one) => one === undefined),
  );
}

function createCall(run: Run): { call: Call; paging: Paging | undefined } {
  const { operation, collection } = run.resolved.candidate;
  const what = `list ${collection.noun}`;
  const call = { operation, ids: run.ids, query: createListQuery(run), what, isPrimary: true };
  return { call, paging: parsePaging(run) };
}

async function readBatches(
  run: Run,
  call: Call,
  paging: Paging | undefined,
): Promise<AsyncIterable<Batch>> {
  if (!paging) return readUnfollowedIfRefused(run, call, (one) => run.client.stream(one));
  const { pages } = await import('../../client/paging.ts');
  return readUnfollowedIfRefused(run, call, (one) => pages(run.client, one, paging));
}

/**
 * Repeats the request without the links of the default columns if a service refuses to follow them.
 */
async function* readUnfollowedIfRefused(
  { query }: Run,
  call: Call,
  read: (call: Call) => AsyncIterable<Batch>,
): AsyncGenerator<Batch> {
  try {
    yield* read(call);
  } catch (error) {
    if (query['follow'] !== undefined || !mayFollowBeRefused(error, call)) throw error;
    yield* read(withoutFollow(call));
  }
}

/** Whether followed links may be the reason of a refusal. */
export function mayFollowBeRefused(error: unknown, { query }: Call): boolean {
  const { status = 0 } = error instanceof VmctlError ? error : {};
  return query?.['follow'] !== undefined && status >= 400 && status < 500 && status !== 401;
}

/** Returns the call without followed links. */
export function withoutFollow(call: Call): Call {
  return { ...call, query: { ...call.query, follow: undefined } };
}

/** Returns the name of an object for completion. */
function getCompletionName(item: ApiObject): string {
  return String(item['name'] ?? item['alias'] ?? item['id'] ?? '');
}

/** Names and number of the objects in a list. */
interface ListStatistics {
  readonly names: string[];
  count: number;
}

/** Applies `--limit`, collects names, and prints a note if more objects may exist. */
async function* limitBatches(
  run: Run,
  batches: AsyncIterable<Batch>,
  seen: ListStatistics,
): AsyncGenerator<Batch> {
  const { names } = seen;
  const { type } = run.resolved.candidate.collection;
  let count = 0;
  // Limits here what the service cannot limit.
  const maxItems = parseCount(run.options['limit'], '--limit') ?? Infinity;
  const { isWanted } = run;
  for await (const whole of batches) {
    const wanted = isWanted ? whole.filter(isWanted) : whole;
    const batch = wanted.slice(0, maxItems - count);
    count += batch.length;
    seen.count = count;
    if (names.length < maxNames) {
      names.push(...batch.map((item) => getVersionedName(type, getCompletionName(item), item)));
    }
    yield batch;
    if (count >= maxItems) break;
  }
  const limit = run.query['max'] ?? maxItems;
  if (typeof limit !== 'number' || limit === 0 || count < limit) return;
  noteLimit(run, limit);
}

function noteLimit(run: Run, limit: number): void {
  const { noun } = run.resolved.candidate.collection;
  run.cli.note(
    `showing ${limit} ${limit === 1 ? getSingular(noun) : noun} (--limit); more may exist`,
  );
}

/** Validates `--page-size`; undefined without it. */
function parsePaging(run: Run): Paging | undefined {
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

/** Completes the query of a list with explicit defaults and the links for columns. */
export function createListQuery(run: Run): Record<string, QueryValue | undefined> {
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
  const follow = selectLinks(run, query['follow']);
  if (follow !== undefined) query['follow'] = follow;
  return query;
}

/** Returns the links to follow: the requested ones and those for columns. */
export function selectLinks(run: Run, given: QueryValue | undefined): QueryValue | undefined {
  if (!hasQuery(run, 'follow')) return given;
  const single = run.verb.kind === 'get' && run.words.length === 1 && run.cli.origin === undefined;
  return selectLinksForColumns(run, run.resolved.candidate.collection, single, given);
}

/** Returns the links to follow for the columns of objects, in addition to the requested ones. */
export function selectLinksForColumns(
  run: Run,
  { noun, type, object, path }: Collection,
  single: boolean,
  given?: QueryValue,
): QueryValue | undefined {
  const { cli } = run;
  const place = object ?? path;
  const frame = { noun, type, single };
  const sorted = parseOrder(cli, { noun, type })?.map(({ column }) => column) ?? [];
  const isTabular = showsColumns(cli);
  const links = listFollowedLinks(sorted, type, place);
  if (!isTabular && links.length === 0) return given;
  if (findChosenColumns(cli, frame) === undefined && links.length === 0) {
    const isWide = getFormat(cli) === 'wide' && run.verb.kind === 'list';
    const wide = isWide ? listFollowedLinks(wideColumns(type), type, place) : [];
    const usual = given ?? defaultFollow(type);
    return wide.length === 0 ? usual : [...(usual === undefined ? [] : [usual]), ...wide].join(',');
  }
  const needed = [
    ...listFollowedLinks(isTabular ? selectColumns(cli, frame) : [], type, place),
    ...links,
  ];
  const all = [...(given === undefined ? [] : [String(given)]), ...needed];
  return all.length > 0 ? [...new Set(all.join(',').split(','))].join(',') : undefined;
}

async function printOne(run: Run, word: string): Promise<void> {
  const { collection } = run.resolved.candidate;
  const found = await run.finder.find(word, collection, run.ids);
  const get = collection.object ? findOperation(collection.object, 'get') : undefined;
  const item = get
    ? await run.client.object({
        operation: get,
        ids: { ...run.ids, [getPlaceholder(collection)]: found.id },
        what: `get ${found.label}`,
        isPrimary: true,
      })
    : found.item;
  if (!item) throw new NotFoundError(`${found.label} not found`);
  await showView(run, {
    noun: collection.noun,
    type: collection.type,
    items: [item],
    single: true,
  });
}

/** Whether the XML response is printed unchanged. */
export function isUnchangedXml(cli: CommandContext): boolean {
  return getFormat(cli) === 'xml' && !(cli.isOn('sort') || cli.isOn('query') || cli.isOn('utc'));
}

/** Prints objects, with the names of references in formats with columns. */
export async function showView(run: Run, view: View): Promise<void> {
  const { items, ...frame } = view;
  await showBatches(run, frame, [items]);
}

/** Prints objects in batches as they arrive; otherwise like `show`. */
async function showBatches(run: Run, frame: ViewMetadata, batches: Batches): Promise<void> {
  const { cli, client } = run;
  const format = getFormat(cli);
  const hasColumnsFlag = cli.setting('columns') !== undefined;
  const isOne = frame.single === true && cli.origin === undefined;
  const isDetail = isOne && !hasColumnsFlag && isTable(format);
  const isTabular = showsColumns(cli) && !isDetail && !cli.isOn('query');
  const order = frame.single ? [] : (parseOrder(cli, frame) ?? []);
  const columns = [
    ...(isTabular ? selectColumns(cli, frame) : []),
    ...order.map(({ column }) => column),
  ];
  const named =
    columns.length > 0 && frame.type !== undefined
      ? fillBatches(client, frame.type, columns, batches)
      : batches;
  await printBatches(cli, format, frame, named, !cli.isOn('noHeaders'));
}

/** Adds values that columns show and responses lack: names of references, states of domains. */
async function* fillBatches(
  client: Client,
  type: string,
  columns: readonly Column[],
  batches: Batches,
): AsyncGenerator<Batch> {
  const names = new NameLookup(client, type, columns);
  const states = new AttachedStatus(client, type, columns);
  for await (const batch of batches) {
    const whole = batch.map((item) => addFollowedLists(item, type, columns));
    yield await names.fill(await states.fill(whole));
  }
}
