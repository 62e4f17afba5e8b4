/**
 * Pagination of lists. Paging is stateless (specification 4.3): if objects are created or removed
 * between requests, later objects move, and can be repeated or missed. Each id is yielded once.
 * After each page, the last position of the previous page is checked, and this page is read again
 * if the object differs.
 */
import type { TypeName } from '../model/resources/index.ts';
import type { ApiObject, Call, Client, ObjectOf } from './client.ts';

export interface Paging {
  /** Objects on a page. */
  readonly size: number;
  /** Maximum objects. */
  readonly limit?: number;
  /** Called if objects moved between two pages. */
  readonly onShift?: () => void;
}

/** Calls a searchable operation page by page. Yields each page when it arrives. */
export async function* pages<T extends TypeName>(
  client: Client,
  call: Call<T>,
  { size, limit = Number.POSITIVE_INFINITY, onShift }: Paging,
): AsyncGenerator<readonly ObjectOf<T>[]> {
  const seen = new Set<unknown>();
  const readId = (item: ApiObject | undefined) => item?.['id'];
  const fresh = (items: readonly ObjectOf<T>[]) => {
    const shown = items.filter((item) => !seen.has(readId(item))).slice(0, limit - seen.size);
    for (const item of shown) seen.add(readId(item));
    return shown;
  };
  let last: unknown;
  for (let page = 1; seen.size < limit; page += 1) {
    let count = 0;
    const before = last;
    for await (const items of client.stream(createPageCall(call, page, size))) {
      count += items.length;
      last = readId(items.at(-1)) ?? last;
      yield fresh(items);
    }
    if (page > 1 && (await hasShifted(client, call, (page - 1) * size, before))) {
      onShift?.();
      for await (const items of client.stream(createPageCall(call, page - 1, size)))
        yield fresh(items);
    }
    if (count < size) return;
  }
}

/** Whether the object at a position has changed. */
export async function hasShifted(
  client: Client,
  call: Call,
  place: number,
  id: unknown,
): Promise<boolean> {
  const [there] = await client.fetchUndecoded(createPageCall(call, place, 1));
  return there?.['id'] !== id;
}

/** Call for one page. The direction must be between `sortby` and `page`. */
export function createPageCall<T extends TypeName>(
  call: Call<T>,
  page: number,
  size: number,
): Call<T> {
  const { search, ...query } = call.query ?? {};
  const text = String(search ?? '').trim();
  const directed = /\bsortby\s+\S+$/i.test(text) ? `${text} asc` : text;
  return {
    ...call,
    query: { ...query, max: size, search: `${directed} page ${page}`.trim() },
  };
}
