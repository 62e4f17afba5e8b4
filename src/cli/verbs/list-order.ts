/**
 * `--sort` together with `--limit`: the order comes first. The service sorts where its order is that
 * of the command line; else the whole list is read, sorted, and cut.
 */
import type { ApiObject } from '../../client/client.ts';
import { UsageError } from '../../client/errors.ts';
import { searchFields } from '../../model/derive/search.ts';
import { isSearchable } from '../../model/index.ts';
import { valueAt } from '../output/cells.ts';
import { type Order, orderOf } from '../output/order.ts';
import { wholeNumber } from '../session/command-context.ts';
import type { Run } from './run.ts';

export interface OrderedReading {
  /** The run with which the list is read. */
  readonly run: Run;
  /** So many are shown once they are sorted; absent where the service has cut already. */
  readonly limit?: number;
  /** Whether objects are missing that belong in front of those that the service left. */
  readonly isShort?: (items: readonly ApiObject[]) => boolean;
}

/** How a list is read that is sorted and cut; as it is where nothing has to be done for that. */
export function orderedReading(run: Run): OrderedReading {
  const { type, noun } = run.resolved.candidate.collection;
  const order = orderOf(run.cli, { noun, type });
  const limit = run.query['max'] ?? wholeNumber(run.options['limit'], '--limit');
  const search = String(run.query['search'] ?? '');
  // Whoever orders in the search has said which objects are meant.
  if (!order || typeof limit !== 'number' || limit <= 0 || /\bsortby\b/i.test(search)) {
    return { run };
  }
  const field = fieldFor(run, order);
  const [path = ''] = order.column.paths;
  if (field !== undefined) {
    const sorted = `${search} sortby ${field} ${order.descending ? 'desc' : 'asc'}`.trim();
    return {
      run: { ...run, query: { ...run.query, search: sorted } },
      isShort: (items) =>
        items.length >= limit && items.some((item) => valueAt(item, path) === undefined),
    };
  }
  if (run.options['page'] !== undefined) {
    throw new UsageError(`--page: the service has no pages sorted by ${path}`, {
      hint: 'remove --page; --limit returns the first ones in that order',
    });
  }
  return wholeReading(run, limit);
}

/** Reads the whole list. */
export function wholeReading(run: Run, limit: number): OrderedReading {
  const { max: _max, ...query } = run.query;
  const { limit: _limit, ...options } = run.options;
  return { run: { ...run, query, options }, limit };
}

/** The search field by which the service sorts as it is done here: numbers and dates. */
function fieldFor({ resolved }: Run, { column }: Order): string | undefined {
  const { operation } = resolved.candidate;
  const [path, ...others] = column.paths;
  if (!isSearchable(operation) || !operation.query.includes('max') || others.length > 0) {
    return undefined;
  }
  // Texts are sorted by the service without regard to numbers in them: vm-10 before vm-2.
  return Object.entries(searchFields[operation.type] ?? {}).find(
    ([, { kind, path: of, through }]) =>
      of === path && !through && (kind === 'number' || kind === 'date'),
  )?.[0];
}
