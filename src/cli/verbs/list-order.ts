/**
 * Order of `--sort` with `--limit`: sort first, then limit.
 * The service sorts if its order equals that of `vmctl`; otherwise `vmctl` reads and sorts the
 * complete list.
 */
import type { ApiObject } from '../../client/client.ts';
import { UsageError } from '../../client/errors.ts';
import { searchFields } from '../../model/derive/search.ts';
import { isSearchable } from '../../model/index.ts';
import { getValue } from '../output/cells.ts';
import { parseOrder, type SortKey } from '../output/order.ts';
import { parseCount } from '../session/command-context.ts';
import type { Run } from './run.ts';

export interface OrderedListPlan {
  /** Run that reads the list. */
  readonly run: Run;
  /** Limit after sorting; absent if the service limits the list. */
  readonly limit?: number;
  /** Whether the service omitted objects that belong before the returned ones. */
  readonly isShort?: (items: readonly ApiObject[]) => boolean;
}

/** Plans the requests of a sorted and limited list; the unchanged run if no order is needed. */
export function planOrderedList(run: Run): OrderedListPlan {
  const { type, noun } = run.resolved.candidate.collection;
  const order = parseOrder(run.cli, { noun, type });
  const limit = run.query['max'] ?? parseCount(run.options['limit'], '--limit');
  const search = String(run.query['search'] ?? '');
  // `sortby` in the search query already determines the objects.
  if (!order || typeof limit !== 'number' || limit <= 0 || /\bsortby\b/i.test(search)) {
    return { run };
  }
  const [key, ...more] = order;
  const [path = ''] = key?.column.paths ?? [];
  const field = key && more.length === 0 ? findSortField(run, key) : undefined;
  if (field !== undefined) {
    const sorted = `${search} sortby ${field} ${key?.descending ? 'desc' : 'asc'}`.trim();
    return {
      run: { ...run, query: { ...run.query, search: sorted } },
      isShort: (items) =>
        items.length >= limit && items.some((item) => getValue(item, path) === undefined),
    };
  }
  if (run.options['page'] !== undefined) {
    throw new UsageError(
      `--page: the service has no pages sorted by ${run.cli.setting('sort')?.value ?? path}`,
      {
        hint: 'remove --page; --limit returns the first ones in that order',
      },
    );
  }
  return planCompleteList(run, limit);
}

/** Plans the request of the complete list. */
export function planCompleteList(run: Run, limit: number): OrderedListPlan {
  const { max: _max, ...query } = run.query;
  const { limit: _limit, ...options } = run.options;
  return { run: { ...run, query, options }, limit };
}

/** Returns the search field for which the service sorts like `vmctl`: numbers and dates. */
function findSortField({ resolved }: Run, { column }: SortKey): string | undefined {
  const { operation } = resolved.candidate;
  const [path, ...others] = column.paths;
  if (!isSearchable(operation) || !operation.query.includes('max') || others.length > 0) {
    return undefined;
  }
  // The service sorts texts without regard to numbers: vm-10 before vm-2.
  return Object.entries(searchFields[operation.type] ?? {}).find(
    ([, { kind, path: of, through }]) =>
      of === path && !through && (kind === 'number' || kind === 'date'),
  )?.[0];
}
