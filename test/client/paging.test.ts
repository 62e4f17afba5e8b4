/** Pages of a list that changes between requests: no duplicates, and detection of moved objects. */
import { describe, expect, it, vi } from 'vitest';
import type { ApiObject, Call, Client } from '../../src/client/client.ts';
import { createPageCall, hasShifted, pages } from '../../src/client/paging.ts';
import { listOperations } from '../../src/model/index.ts';

const operation = listOperations('/vms').find(({ name }) => name === 'list');
if (!operation) throw new Error('There is no list of VMs.');
const call: Call = { operation };

/** Paged list of ids. `change` runs after each page. */
function servePages(ids: string[], change: (page: number) => void = () => {}) {
  const asked: string[] = [];
  const pageIn = (query: Call['query'] = {}) => {
    const { max, search } = query as { max: number; search: string };
    asked.push(`${max}: ${search}`);
    const page = Number(/page (\d+)$/.exec(search)?.[1]);
    return ids.slice((page - 1) * max, page * max).map((id): ApiObject => ({ id }));
  };
  const client = {
    stream: async function* ({ query }: Call) {
      const found = pageIn(query);
      const half = Math.ceil(found.length / 2);
      yield found.slice(0, half);
      yield found.slice(half);
      change(asked.length);
    },
    fetchUndecoded: async ({ query }: Call) => pageIn(query),
  };
  return { client: client as unknown as Client, asked };
}

async function read(client: Client, size: number, more: object = {}): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const items of pages(client, call, { size, ...more })) {
    found.push(...items.map(({ id }) => id));
  }
  return found;
}

describe('pages', () => {
  it('are read until one is not full, and each is checked for moves', async () => {
    const onShift = vi.fn();
    const { client, asked } = servePages([...'abcde']);
    expect(await read(client, 2, { onShift })).toEqual([...'abcde']);
    expect(onShift).not.toHaveBeenCalled();
    expect(asked).toEqual(['2: page 1', '2: page 2', '1: page 2', '2: page 3', '1: page 4']);
  });

  it.each([
    ['', 1, []],
    ['a', 2, ['a']],
    ['ab', 2, ['a', 'b']],
    ['abcd', 2, ['a', 'b', 'c', 'd']],
  ])('of %j by %s', async (ids, size, found) => {
    expect(await read(servePages([...ids]).client, size)).toEqual(found);
  });

  it.each([
    [1, ['a'], 1],
    [2, ['a', 'b'], 1],
    [3, ['a', 'b', 'c'], 3],
    [9, ['a', 'b', 'c', 'd'], 5],
  ])('are limited to %s objects', async (limit, found, requests) => {
    const { client, asked } = servePages([...'abcd']);
    expect(await read(client, 2, { limit })).toEqual(found);
    expect(asked).toHaveLength(requests);
  });

  it('include an object that a removal moved to the previous page', async () => {
    const ids = [...'abcdef'];
    const onShift = vi.fn();
    const { client } = servePages(ids, (page) => {
      if (page === 1) ids.shift();
    });
    const found = await read(client, 2, { onShift });
    expect(onShift).toHaveBeenCalledOnce();
    expect(found).toEqual(['a', 'b', 'd', 'e', 'c', 'f']);
  });

  it('include an object once that an addition moved to the next page', async () => {
    const ids = [...'abcd'];
    const onShift = vi.fn();
    const { client } = servePages(ids, (page) => {
      if (page === 1) ids.unshift('new');
    });
    expect(await read(client, 2, { onShift })).toEqual(['a', 'b', 'c', 'new', 'd']);
    expect(onShift).toHaveBeenCalled();
  });

  it('are read again without a callback', async () => {
    const ids = [...'abcdef'];
    const { client } = servePages(ids, (page) => {
      if (page === 1) ids.shift();
    });
    expect(await read(client, 2)).toHaveLength(6);
  });
});

it('detects a different or missing object at a position', async () => {
  const { client } = servePages([...'abc']);
  expect(await hasShifted(client, call, 2, 'b')).toBe(false);
  expect(await hasShifted(client, call, 2, 'c')).toBe(true);
  expect(await hasShifted(client, call, 9, 'c')).toBe(true);
});

it.each([
  [{}, { max: 5, search: 'page 2' }],
  [{ search: ' name=a ' }, { max: 5, search: 'name=a page 2' }],
  [{ search: 'sortby name' }, { max: 5, search: 'sortby name asc page 2' }],
  [{ search: 'a=b SORTBY  name ' }, { max: 5, search: 'a=b SORTBY  name asc page 2' }],
  [{ search: 'sortby name desc' }, { max: 5, search: 'sortby name desc page 2' }],
  [{ search: 'xsortby name' }, { max: 5, search: 'xsortby name page 2' }],
  [
    { search: 'a', follow: 'nics', max: 9 },
    { max: 5, follow: 'nics', search: 'a page 2' },
  ],
])('builds the search of a page: %j', (query, expected) => {
  expect(createPageCall({ ...call, query, what: 'list vms' }, 2, 5)).toEqual({
    operation,
    what: 'list vms',
    query: expected,
  });
});
