/** Following events: first events, later events, and resuming from a cursor. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApiObject, Call, Client } from '../../src/client/client.ts';
import { ConnectionError, ServerError, UsageError } from '../../src/client/errors.ts';
import {
  EventCursor,
  type FollowOptions,
  followEvents,
  highestEvent,
  listEventsAbove,
} from '../../src/client/follow-events.ts';
import { dialects } from '../../src/model/dialect.ts';

type Query = Readonly<Record<string, unknown>>;

const createEvent = (id: number): ApiObject => ({
  id: String(id),
  time: new Date(id * 1_000).toISOString(),
});

/** Service with events, the newest first, that supports `from`, `max` and pages. */
function serviceWith(ids: number[], isExclusive = false) {
  const asked: Query[] = [];
  const failures: Error[] = [];
  const list = async ({ query = {} }: Call): Promise<ApiObject[]> => {
    asked.push(query);
    const failure = failures.shift();
    if (failure) throw failure;
    const { from, max, search } = query as { from?: number; max?: number; search?: string };
    const page = Number(/page (\d+)$/.exec(search ?? '')?.[1] ?? 1);
    const least = from === undefined ? 0 : isExclusive ? from + 1 : from;
    const found = ids.filter((id) => id >= least).sort((a, b) => b - a);
    const size = max ?? found.length;
    return found.slice((page - 1) * size, page * size).map(createEvent);
  };
  const client = {
    list,
    stream: async function* (call: Call) {
      yield await list(call);
    },
    fetchUndecoded: list,
    dialect: async () => ({ ...dialects.standard, eventsFromExclusive: isExclusive }),
  };
  return { client: client as unknown as Client, asked, failures, ids };
}

const signal = new AbortController().signal;
const listIds = (events: readonly ApiObject[]) => events.map(({ id }) => Number(id));

/** Events of each poll. `between` runs before each poll except the first. */
async function collectPolls(
  service: ReturnType<typeof serviceWith>,
  following: Partial<FollowOptions>,
  count: number,
  between: (look: number) => void = () => {},
): Promise<number[][]> {
  const told: number[][] = [];
  const all = followEvents(service.client, { interval: 0, signal, ...following });
  for (let look = 0; look < count; look += 1) {
    if (look > 0) between(look);
    const { value, done } = await all.next();
    if (done) break;
    told.push(listIds(value.events));
  }
  await all.return(undefined);
  return told;
}

describe('first events', () => {
  it('are empty by default', async () => {
    const service = serviceWith([1, 2, 3]);
    const told = await collectPolls(service, {}, 3, (look) => {
      if (look === 2) service.ids.push(4);
    });
    expect(told).toEqual([[], [], [4]]);
    expect(service.asked[0]).toEqual({ max: 1 });
    expect(service.asked[1]).toEqual({ from: 4 });
  });

  it('are the requested count of the latest, the oldest first', async () => {
    const service = serviceWith([1, 2, 3, 9, 10]);
    expect(await collectPolls(service, { last: 3 }, 2)).toEqual([[3, 9, 10], []]);
    expect(service.asked.slice(0, 2)).toEqual([{ max: 1 }, { max: 3 }]);
  });

  it('match the filter and the search', async () => {
    const service = serviceWith([1, 2, 3, 4]);
    const isWanted = ({ id }: ApiObject) => Number(id) % 2 === 0;
    const options = { last: 3, isWanted, search: 'type=1' };
    const told = await collectPolls(service, options, 3, () => service.ids.push(5, 6));
    expect(told).toEqual([[2, 4], [6], []]);
    expect(service.asked.slice(0, 3)).toEqual([
      { max: 1 },
      // The filter applies after the request, so whole pages are read.
      { max: 500, search: 'type=1 page 1', case_sensitive: false },
      { from: 5, search: 'type=1', case_sensitive: false },
    ]);
  });

  it('pass on case sensitivity', async () => {
    const service = serviceWith([1]);
    await collectPolls(service, { search: 'x', caseSensitive: true }, 2);
    expect(service.asked.at(-1)).toEqual({ from: 2, search: 'x', case_sensitive: true });
  });

  it('exclude events that arrive during the request', async () => {
    const service = serviceWith([1, 2]);
    const { list } = service.client;
    service.client.list = async (call) => {
      const found = await list(call);
      if (!service.ids.includes(3)) service.ids.push(3);
      return found;
    };
    // The event arrived after the highest id was read. It is reported once, in the next poll.
    expect(await collectPolls(service, { last: 2 }, 3)).toEqual([[2], [3], []]);
  });

  it.each([
    [{ from: 3 }, [[], [3, 4, 5]]],
    [{ from: 6 }, [[], []]],
    [{ from: 0 }, [[], [1, 2, 3, 4, 5]]],
    [{ since: new Date(2_000) }, [[], [2, 3, 4, 5]]],
    [{ since: new Date(2_001) }, [[], [3, 4, 5]]],
    [{ since: new Date(0) }, [[], [1, 2, 3, 4, 5]]],
    [{ since: new Date(9_000) }, [[], []]],
    [{ since: new Date(3_000), last: 1 }, [[], [3, 4, 5]]],
    [{ cursor: new EventCursor(4), from: 1, last: 3 }, [[], [5]]],
    [{ cursor: new EventCursor(2, [4]) }, [[], [3, 5]]],
  ] as const)('can be selected: %j', async (following, told) => {
    for (const isExclusive of [false, true]) {
      const cursor = 'cursor' in following ? following.cursor.state : undefined;
      const fresh = cursor ? { cursor: new EventCursor(cursor.floor, cursor.told) } : {};
      const service = serviceWith([1, 2, 3, 4, 5], isExclusive);
      expect(await collectPolls(service, { ...following, ...fresh }, 2)).toEqual(told);
    }
  });

  it('are found page by page from a given time', async () => {
    const service = serviceWith(Array.from({ length: 1_200 }, (_, index) => index + 1));
    const told = await collectPolls(service, { since: new Date(100_000) }, 2);
    expect([told[0], told[1]?.length, told[1]?.[0]]).toEqual([[], 1_101, 100]);
    const searches = service.asked.map(({ search, max }) => `${max}: ${search}`);
    expect(searches).toEqual(expect.arrayContaining(['500: page 1', '500: page 2', '500: page 3']));
  });
});

describe('following', () => {
  it('ends after the requested count', async () => {
    const service = serviceWith([1, 2, 3, 4, 5]);
    expect(await collectPolls(service, { last: 4, count: 2 }, 9)).toEqual([[2, 3]]);
    expect(await collectPolls(service, { from: 1, count: 3 }, 9)).toEqual([[], [1, 2, 3]]);
    const told = await collectPolls(service, { last: 1, count: 3 }, 9, (look) => {
      service.ids.push(5 + look);
    });
    expect(told).toEqual([[5], [6], [7]]);
  });

  it('continues while the server is unavailable, and reports it', async () => {
    const service = serviceWith([1]);
    const gone = new ConnectionError('gone', { retryable: true });
    const busy = new ServerError('busy', { retryable: true });
    const seen: Error[] = [];
    const told = await collectPolls(
      service,
      { from: 2, onServerUnavailable: (error) => void seen.push(error) },
      2,
      () => {
        service.failures.push(gone, busy);
        service.ids.push(2);
      },
    );
    expect(told).toEqual([[], [2]]);
    expect(seen).toEqual([gone, busy]);
  });

  it('ends with a permanent error', async () => {
    const service = serviceWith([1]);
    const refused = new UsageError('no');
    const told = collectPolls(service, { from: 2 }, 2, () => service.failures.push(refused));
    await expect(told).rejects.toBe(refused);
  });

  it('ends with the reason of its signal', async () => {
    const controller = new AbortController();
    const service = serviceWith([1]);
    const reason = new Error('enough');
    const told = collectPolls(
      service,
      { signal: controller.signal, interval: 60_000 },
      3,
      (look) => {
        if (look === 2) controller.abort(reason);
      },
    );
    await expect(told).rejects.toBe(reason);
  });
});

describe('single requests', () => {
  it('return the highest event id, and events with higher ids', async () => {
    expect(await highestEvent(serviceWith([]).client, signal)).toBe(0);
    expect(await highestEvent(serviceWith([3, 7, 5]).client, signal)).toBe(7);
    for (const isExclusive of [false, true]) {
      const service = serviceWith([3, 7, 5], isExclusive);
      expect(listIds(await listEventsAbove(service.client, 3, { signal }))).toEqual([7, 5]);
      expect(listIds(await listEventsAbove(service.client, 0, { signal }))).toEqual([7, 5, 3]);
    }
    const first = serviceWith([1], true);
    await listEventsAbove(first.client, 0, { signal });
    expect(first.asked).toEqual([{}]);
  });
});

describe('a cursor', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const events = (...ids: number[]) => ids.map(createEvent);

  it('resumes from its state', () => {
    const cursor = new EventCursor(2);
    cursor.accept(events(3, 5, 7), 0);
    expect(cursor.state).toEqual({ floor: 3, told: [5, 7] });
    const later = new EventCursor(3, cursor.state.told);
    expect(listIds(later.accept(events(4, 5, 6, 7, 8), Date.now()))).toEqual([4, 6, 8]);
    expect(later.state).toEqual({ floor: 8, told: [] });
  });

  it('waits half a minute for a gap, also for a restored one', () => {
    const cursor = new EventCursor(0, [5]);
    const began = Date.now();
    cursor.accept([], began + 29_999);
    expect(cursor.floor).toBe(0);
    expect(listIds(cursor.accept(events(4), began + 29_999))).toEqual([4]);
    expect(cursor.accept([], began + 30_000)).toEqual([]);
    expect(cursor.state).toEqual({ floor: 5, told: [] });
    expect(cursor.accept(events(3, 5), began + 30_001)).toEqual([]);
  });

  it('never moves back for late events', () => {
    const cursor = new EventCursor(0);
    cursor.accept(events(10), 0);
    cursor.accept(events(4), 20_000);
    cursor.accept([], 30_000);
    expect(cursor.state).toEqual({ floor: 10, told: [] });
    cursor.accept([], 60_000);
    expect(cursor.floor).toBe(10);
  });

  it('keeps events above the limit for later', () => {
    const cursor = new EventCursor(0);
    expect(listIds(cursor.accept(events(3, 2, 1), 0, 2))).toEqual([1, 2]);
    expect(listIds(cursor.accept(events(3, 2, 1), 0))).toEqual([3]);
  });
});
