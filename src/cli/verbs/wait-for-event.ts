/** Wait for an event about an object: `--for event=CODE`. */

import { UsageError } from '../../client/errors.ts';
import { highestEvent, listEventsAbove } from '../../client/follow-events.ts';
import type { Condition } from '../../client/wait-for-condition.ts';
import type { Resource } from '../../model/resource.ts';
import { isRecord } from '../../records.ts';
import type { Progress } from '../output/progress.ts';
import { parseReference } from './identifiers.ts';
import type { Run } from './run.ts';
import { waitWithProgress } from './wait-for-state.ts';

/** Parses the code of `event=32`; undefined for other conditions. */
export function parseEventCode(text: string): number | undefined {
  const [, code] = /^event=(.*)$/.exec(text) ?? [];
  if (code === undefined) return undefined;
  if (/^\d{1,9}$/.test(code)) return Number(code);
  throw new UsageError(`--for ${text}: "${code}" is not an event code`, {
    hint: 'use the number that vmctl events list shows: event=32',
  });
}

/** Returns the highest event id so far. Later events have higher ids. */
export async function fetchLastEventId({ client, cli }: Run): Promise<number> {
  return await highestEvent(client, cli.signal);
}

/** Waits for an event about the named object, which need not exist yet. Returns the event. */
export async function waitForEvent(
  run: Run,
  word: string,
  code: number,
  floor: number,
  progress: Progress,
): Promise<Resource<'event'> | undefined> {
  const { client, cli, finder, ids, resolved } = run;
  const { collection } = resolved.candidate;
  const name = parseReference(word, collection.noun);
  const label = `${collection.noun}/${name}`;
  const goal: Condition<Resource<'event'>> = {
    text: `event=${code}`,
    isMet: (event) => event !== undefined,
    getState: (event) => (event === undefined ? `waiting for event ${code}` : `event ${code}`),
  };
  let id: string | undefined;
  let from = floor;
  const fetch = async () => {
    id ??= (await finder.findIfExists(word, collection, ids))?.id;
    const events = await listEventsAbove(client, from, { signal: cli.signal });
    from = Math.max(from, ...events.map((event) => Number(event.id)));
    return events.find(
      (event) => Number(event.code) === code && concernsObject(event, collection.type, id, name),
    );
  };
  const resume = `vmctl wait ${label}`;
  return await waitWithProgress(run, { label, resume, existed: true, fetch }, goal, progress);
}

/**
 * Whether an event is about an object. After its deletion, only the name in the event identifies
 * it.
 */
function concernsObject(
  event: Resource<'event'>,
  type: string,
  id: string | undefined,
  name: string,
): boolean {
  return Object.entries<unknown>(event).some(([member, value]) => {
    if (!isRecord(value)) return false;
    const { id: itsId, name: itsName } = value;
    return (id !== undefined && itsId === id) || (member === type && itsName === name);
  });
}
