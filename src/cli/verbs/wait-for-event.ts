/** `--for event=CODE`: waits until something is written about an object in the audit log. */
import type { ApiObject } from '../../client/client.ts';
import { UsageError } from '../../client/errors.ts';
import { eventsAbove, highestEvent } from '../../client/follow-events.ts';
import type { Condition } from '../../client/poll.ts';
import type { Progress } from '../output/progress.ts';
import { bareWord } from './identifiers.ts';
import type { Run } from './run.ts';
import { waitShown } from './wait-for-state.ts';

/** The number in `event=32`; nothing where another condition is meant. */
export function eventCodeOf(text: string): number | undefined {
  const [, code] = /^event=(.*)$/.exec(text) ?? [];
  if (code === undefined) return undefined;
  if (/^\d{1,9}$/.test(code)) return Number(code);
  throw new UsageError(`--for ${text}: "${code}" is not an event code`, {
    hint: 'use the number that vmctl events list shows: event=32',
  });
}

/** The highest identifier of an event at the moment: what comes from now on is above it. */
export async function eventsSoFar({ client, cli }: Run): Promise<number> {
  return await highestEvent(client, cli.signal);
}

/** Waits for an event about the object of a word, which need not exist yet. Returns the event. */
export async function waitForEvent(
  run: Run,
  word: string,
  code: number,
  floor: number,
  progress: Progress,
): Promise<ApiObject | undefined> {
  const { client, cli, finder, ids, resolved } = run;
  const { collection } = resolved.candidate;
  const name = bareWord(word, collection.noun);
  const label = `${collection.noun}/${name}`;
  const goal: Condition = {
    text: `event=${code}`,
    isMet: (event) => event !== undefined,
    getState: (event) => (event === undefined ? `waiting for event ${code}` : `event ${code}`),
  };
  let id: string | undefined;
  let from = floor;
  const fetch = async () => {
    id ??= (await finder.look(word, collection, ids))?.id;
    const events = await eventsAbove(client, from, cli.signal);
    from = Math.max(from, ...events.map((event) => Number(event['id'])));
    return events.find(
      (event) => Number(event['code']) === code && isAbout(event, collection.type, id, name),
    );
  };
  const resume = `vmctl wait ${label}`;
  return await waitShown(run, { label, resume, existed: true, fetch }, goal, progress);
}

/** An object that is gone is known by the name that the event has kept of it. */
function isAbout(event: ApiObject, type: string, id: string | undefined, name: string): boolean {
  return Object.entries(event).some(([member, value]) => {
    if (typeof value !== 'object' || value === null) return false;
    const { id: itsId, name: itsName } = value as ApiObject;
    return (id !== undefined && itsId === id) || (member === type && itsName === name);
  });
}
