/**
 * Events in order of their ids, without losses or duplicates. Ids increase (specification 6), but
 * an event can appear shortly after an event with a higher id. Gaps are therefore polled until a
 * timeout.
 */
import { requireOperation } from '../model/index.ts';
import type { Resource } from '../model/resource.ts';
import type { Client } from './client.ts';
import { poll } from './poll.ts';

export interface FollowOptions {
  /** First id to report. By default, only new events are reported. */
  readonly from?: number;
  /** Position of an earlier follower. Overrides `from` and `last`. */
  readonly cursor?: EventCursor;
  /** Count of earlier events to report first. */
  readonly last?: number;
  /** Count of events after which following ends. */
  readonly count?: number;
  /** Reports events since this time first. Overrides `last`. */
  readonly since?: Date;
  /** Filter of events. By default, all are reported. */
  readonly isWanted?: (event: Resource<'event'>) => boolean;
  readonly search?: string;
  readonly caseSensitive?: boolean;
  /** Milliseconds between polls. */
  readonly interval: number;
  readonly signal: AbortSignal;
  /** Called when the server is temporarily unavailable. */
  readonly onServerUnavailable?: (error: Error) => void;
}

const gapTimeout = 30_000;

/** Reported events, and the next id to request. */
export class EventCursor {
  /** All events up to this id are reported or will never appear. */
  #floor: number;
  readonly #delivered = new Map<number, number>();

  constructor(floor: number, told: readonly number[] = []) {
    this.#floor = floor;
    // The age of the gaps is unknown, so missing events may still appear.
    for (const id of told) this.#delivered.set(id, Date.now());
  }

  /** State from which a later follower can resume. */
  get state(): { readonly floor: number; readonly told: readonly number[] } {
    return { floor: this.#floor, told: [...this.#delivered.keys()] };
  }

  get floor(): number {
    return this.#floor;
  }

  /** Unreported events, the oldest first, at most `most`. */
  accept(
    events: readonly Resource<'event'>[],
    now: number,
    most = Infinity,
  ): readonly Resource<'event'>[] {
    const fresh = events
      .map((event) => ({ event, id: Number(event.id) }))
      .filter(({ id }) => id > this.#floor && !this.#delivered.has(id))
      .sort((a, b) => a.id - b.id)
      .slice(0, most);
    for (const { id } of fresh) this.#delivered.set(id, now);
    this.#advance(now);
    return fresh.map(({ event }) => event);
  }

  #advance(now: number): void {
    for (const [id, at] of [...this.#delivered].sort(([a], [b]) => a - b)) {
      if (id !== this.#floor + 1 && now - at < gapTimeout) continue;
      this.#floor = Math.max(this.#floor, id);
    }
    for (const id of this.#delivered.keys()) if (id <= this.#floor) this.#delivered.delete(id);
  }
}

/** Yields the new events of each poll, the oldest first. The list can be empty. */
export async function* followEvents(
  client: Client,
  following: FollowOptions,
): AsyncGenerator<{ readonly events: readonly Resource<'event'>[]; readonly cursor: EventCursor }> {
  const { count = Infinity, interval, signal } = following;
  const [first, cursor] = await firstEvents(client, following);
  let told = first.length;
  yield { events: first, cursor };
  if (told >= count) return;
  // Signs in before the loop, so that an error of it ends the command.
  await client.dialect();
  const read = () => listEventsAbove(client, cursor.floor, following);
  const onUnavailable = (error: Error) => following.onServerUnavailable?.(error);
  for await (const found of poll({ read, interval, signal, onUnavailable })) {
    const wanted = found.filter((event) => following.isWanted?.(event) ?? true);
    const events = cursor.accept(wanted, Date.now(), count - told);
    told += events.length;
    yield { events, cursor };
    if (told >= count) return;
  }
}

/** Returns the events to report first, and the position after them. */
async function firstEvents(
  client: Client,
  following: FollowOptions,
): Promise<[readonly Resource<'event'>[], EventCursor]> {
  const { cursor, from, last, since } = following;
  if (cursor) return [[], cursor];
  if (from !== undefined) return [[], new EventCursor(from - 1)];
  if (since !== undefined) return [[], new EventCursor(await lastBefore(client, following, since))];
  const [first, floor] = await latestEvents(client, following, last ?? 0);
  return [first.slice(0, following.count), new EventCursor(floor)];
}

/** Page size for earlier events. */
const pageSize = 500;

/** Id of the last event before a time, by the times of the events. */
async function lastBefore(client: Client, following: FollowOptions, since: Date): Promise<number> {
  const operation = requireOperation('/events', 'list');
  const { signal } = following;
  const call = { operation, what: 'list events', signal };
  const { pages } = await import('./paging.ts');
  for await (const events of pages(client, call, { size: pageSize })) {
    const before = events.find((event) => new Date(String(event.time)) < since);
    if (before) return Number(before.id);
  }
  return 0;
}

/** Highest event id. 0 without events. */
export async function highestEvent(client: Client, signal: AbortSignal): Promise<number> {
  const [newest] = await list(client, { signal }, { max: 1 });
  return Number(newest?.id ?? 0);
}

/** Events with ids greater than `floor`. Throws if the server does not respond. */
export async function listEventsAbove(
  client: Client,
  floor: number,
  following: Pick<FollowOptions, 'signal' | 'search' | 'caseSensitive'>,
): Promise<readonly Resource<'event'>[]> {
  const { eventsFromExclusive } = await client.dialect();
  const from = eventsFromExclusive ? floor : floor + 1;
  // No limit: the newest events come first, so a limit would omit the oldest.
  return await list(client, following, {
    ...(from > 0 ? { from } : {}),
    ...buildSearchQuery(following),
  });
}

/** Most recent events, and the highest event id, which does not depend on the search. */
async function latestEvents(
  client: Client,
  following: FollowOptions,
  count: number,
): Promise<[readonly Resource<'event'>[], number]> {
  const floor = await highestEvent(client, following.signal);
  if (count === 0) return [[], floor];
  const events = following.isWanted
    ? await listWanted(client, following, count, floor)
    : await list(client, following, { max: count, ...buildSearchQuery(following) });
  const told = events.filter((event) => Number(event.id) <= floor);
  return [told.sort((a, b) => Number(a.id) - Number(b.id)), floor];
}

/** Most recent events that pass the filter, newest first, up to the id `floor`. */
async function listWanted(
  client: Client,
  following: FollowOptions,
  count: number,
  floor: number,
): Promise<Resource<'event'>[]> {
  const operation = requireOperation('/events', 'list');
  const { signal, isWanted } = following;
  const query = buildSearchQuery(following);
  const call = { operation, query, what: 'list events', signal };
  const { pages } = await import('./paging.ts');
  const wanted: Resource<'event'>[] = [];
  for await (const events of pages(client, call, { size: pageSize })) {
    wanted.push(...events.filter((event) => Number(event.id) <= floor && isWanted?.(event)));
    if (wanted.length >= count) break;
  }
  return wanted.slice(0, count);
}

function buildSearchQuery({
  search,
  caseSensitive,
}: Pick<FollowOptions, 'search' | 'caseSensitive'>): {
  search?: string;
  case_sensitive?: boolean;
} {
  return search === undefined ? {} : { search, case_sensitive: caseSensitive ?? false };
}

async function list(
  client: Client,
  { signal }: Pick<FollowOptions, 'signal'>,
  query: Readonly<Record<string, number | string | boolean>>,
): Promise<Resource<'event'>[]> {
  const operation = requireOperation('/events', 'list');
  return await client.list({ operation, query, what: 'list events', signal });
}
