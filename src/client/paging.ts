/**
 * Paging through a list. Paging is stateless (specification 4.3): what is made or removed meanwhile
 * moves the objects behind it, so that one may come twice or not at all. Ids are yielded once; and after
 * each page the last position of the one before is looked at again: when another object is there, that
 * page is read once more.
 */
import type { ApiObject, Call, Client } from './client.ts';

export interface Paging {
  /** Objects in a page. */
  readonly size: number;
  /** Objects at most. */
  readonly limit?: number;
  /** Told when objects have moved between two pages. */
  readonly onShift?: () => void;
}

/** Calls an operation that can be searched, page by page; each is handed out as it comes. */
export async function* pages(
  client: Client,
  call: Call,
  { size, limit = Number.POSITIVE_INFINITY, onShift }: Paging,
): AsyncGenerator<readonly ApiObject[]> {
  const seen = new Set<unknown>();
  const fresh = (items: readonly ApiObject[]) => {
    const shown = items.filter(({ id }) => !seen.has(id)).slice(0, limit - seen.size);
    for (const { id } of shown) seen.add(id);
    return shown;
  };
  let last: unknown;
  for (let page = 1; seen.size < limit; page += 1) {
    let count = 0;
    const before = last;
    for await (const items of client.stream(pageOf(call, page, size))) {
      count += items.length;
      last = items.at(-1)?.['id'] ?? last;
      yield fresh(items);
    }
    if (page > 1 && (await hasShifted(client, call, (page - 1) * size, before))) {
      onShift?.();
      for await (const items of client.stream(pageOf(call, page - 1, size))) yield fresh(items);
    }
    if (count < size) return;
  }
}

/** Whether another object is at a place of the list than the one that was there. */
export async function hasShifted(
  client: Client,
  call: Call,
  place: number,
  id: unknown,
): Promise<boolean> {
  const [there] = await client.fetchUndecoded(pageOf(call, place, 1));
  return there?.['id'] !== id;
}

/** The call for one page. A direction has to stand between `sortby` and `page`. */
export function pageOf(call: Call, page: number, size: number): Call {
  const { search, ...query } = call.query ?? {};
  const text = String(search ?? '').trim();
  const directed = /\bsortby\s+\S+$/i.test(text) ? `${text} asc` : text;
  return {
    ...call,
    query: { ...query, max: size, search: `${directed} page ${page}`.trim() },
  };
}
