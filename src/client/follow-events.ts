/**
 * Following of the audit log. Identifiers grow (specification 6), but an event with a smaller one may
 * become visible a little after its successor: gaps are watched for a while before they are believed.
 * No event is lost, none is delivered twice.
 */
import { operationsOf } from '../model/index.ts';
import type { ApiObject, Client } from './client.ts';
import { isRetryable } from './errors.ts';
import { pause } from './retry.ts';

export interface FollowOptions {
  /** First identifier to tell; without it only what happens from now on. */
  readonly from?: number;
  /** Where an earlier follower ended; it wins over `from` and `last`. */
  readonly cursor?: EventCursor;
  /** How many earlier events to tell first. */
  readonly last?: number;
  /** Ends after so many events. */
  readonly count?: number;
  /** Tells those since then first, before `last` is looked at. */
  readonly since?: Date;
  /** Which of them are told; by default all. */
  readonly isWanted?: (event: ApiObject) => boolean;
  readonly search?: string;
  readonly caseSensitive?: boolean;
  /** Milliseconds between two questions. */
  readonly interval: number;
  readonly signal: AbortSignal;
  /** Told when the server does not answer for a moment. */
  readonly onServerUnavailable?: (error: Error) => void;
}

const gapTimeout = 30_000;

/** What has been told, and from where on to ask. */
export class EventCursor {
  /** Everything up to here was told, or is not going to come. */
  #floor: number;
  readonly #delivered = new Map<number, number>();

  constructor(floor: number, told: readonly number[] = []) {
    this.#floor = floor;
    // Nobody knows since when; what is missing between them may still come.
    for (const id of told) this.#delivered.set(id, Date.now());
  }

  /** What a later follower needs to go on from here. */
  get state(): { readonly floor: number; readonly told: readonly number[] } {
    return { floor: this.#floor, told: [...this.#delivered.keys()] };
  }

  get floor(): number {
    return this.#floor;
  }

  /** The events that were not told before, the oldest first, `most` of them. */
  accept(events: readonly ApiObject[], now: number, most = Infinity): readonly ApiObject[] {
    const fresh = events
      .map((event) => ({ event, id: Number(event['id']) }))
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

/** Yields what is new after each look, the oldest first; the list may be empty. */
export async function* followEvents(
  client: Client,
  following: FollowOptions,
): AsyncGenerator<{ readonly events: readonly ApiObject[]; readonly cursor: EventCursor }> {
  const { count = Infinity } = following;
  const [first, cursor] = await firstEvents(client, following);
  let told = first.length;
  yield { events: first, cursor };
  while (told < count) {
    const found = await newerEvents(client, following, cursor.floor);
    if (found) {
      const wanted = found.filter((event) => following.isWanted?.(event) ?? true);
      const events = cursor.accept(wanted, Date.now(), count - told);
      told += events.length;
      yield { events, cursor };
    }
    if (told < count) await pause(following.interval, following.signal);
  }
}

/** What is told first, and from where it goes on. */
async function firstEvents(
  client: Client,
  following: FollowOptions,
): Promise<[readonly ApiObject[], EventCursor]> {
  const { cursor, from, last, since } = following;
  if (cursor) return [[], cursor];
  if (from !== undefined) return [[], new EventCursor(from - 1)];
  if (since !== undefined) return [[], new EventCursor(await lastBefore(client, following, since))];
  const [first, floor] = await latestEvents(client, following, last ?? 0);
  return [first.slice(0, following.count), new EventCursor(floor)];
}

/** Events in one look back. */
const pageSize = 500;

/** The identifier of the last event before a moment, by the times that the events have. */
async function lastBefore(client: Client, following: FollowOptions, since: Date): Promise<number> {
  const operation = operationsOf('/events').find(({ name }) => name === 'list');
  if (!operation) throw new Error('The model has no list of events.');
  const { signal } = following;
  const call = { operation, what: 'list events', signal };
  const { pages } = await import('./paging.ts');
  for await (const events of pages(client, call, { size: pageSize })) {
    const before = events.find((event) => new Date(String(event['time'])) < since);
    if (before) return Number(before['id']);
  }
  return 0;
}

/** The highest identifier of an event that there is; 0 where there is none. */
export async function highestEvent(client: Client, signal: AbortSignal): Promise<number> {
  const [newest] = await list(client, { signal }, { max: 1 });
  return Number(newest?.['id'] ?? 0);
}

/** The events above an identifier. Throws where the server does not answer. */
export async function eventsAbove(
  client: Client,
  floor: number,
  signal: AbortSignal,
): Promise<readonly ApiObject[]> {
  const { eventsFromExclusive } = await client.dialect();
  const from = eventsFromExclusive ? floor : floor + 1;
  return await list(client, { signal }, from > 0 ? { from } : {});
}

/** The last events, and the highest identifier there is, whatever the search says. */
async function latestEvents(
  client: Client,
  following: FollowOptions,
  count: number,
): Promise<[readonly ApiObject[], number]> {
  const floor = await highestEvent(client, following.signal);
  if (count === 0) return [[], floor];
  const events = await list(client, following, { max: count, ...searchOf(following) });
  const told = events.filter((event) => Number(event['id']) <= floor);
  const wanted = told.filter((event) => following.isWanted?.(event) ?? true);
  return [wanted.sort((a, b) => Number(a['id']) - Number(b['id'])), floor];
}

/** Everything above the floor; `undefined` when the server is away for a moment. */
async function newerEvents(
  client: Client,
  following: FollowOptions,
  floor: number,
): Promise<readonly ApiObject[] | undefined> {
  const { eventsFromExclusive } = await client.dialect();
  const from = eventsFromExclusive ? floor : floor + 1;
  try {
    // Without a maximum: the newest come first, and a limit would cut the oldest off.
    return await list(client, following, {
      ...(from > 0 ? { from } : {}),
      ...searchOf(following),
    });
  } catch (error) {
    if (!isRetryable(error)) throw error;
    following.onServerUnavailable?.(error);
    return undefined;
  }
}

function searchOf({ search, caseSensitive }: FollowOptions): {
  search?: string;
  case_sensitive?: boolean;
} {
  return search === undefined ? {} : { search, case_sensitive: caseSensitive ?? false };
}

async function list(
  client: Client,
  { signal }: Pick<FollowOptions, 'signal'>,
  query: Readonly<Record<string, number | string | boolean>>,
): Promise<ApiObject[]> {
  const operation = operationsOf('/events').find(({ name }) => name === 'list');
  if (!operation) throw new Error('The model has no list of events.');
  return await client.list({ operation, query, what: 'list events', signal });
}
