/** The texts of an object in the dashboard: details, YAML, events that are about it. */

import type { CommandRunner } from '../../cli/commands/embedded/command-runner.ts';
import { textFor } from '../../cli/output/cells.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import type { ApiObject } from '../../client/client.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { wordsOf } from './command-line.ts';
import type { Named } from './listing.ts';
import type { ObjectPlace } from './place.ts';
import { readList } from './read-list.ts';

/** So many of the newest events are looked through for those about an object. */
const searchedEvents = 500;

/** The lines of the tab that an object is shown by, for a width in columns. */
export async function readText(
  cli: CommandContext,
  runner: CommandRunner,
  { object, owner, tabs, tab }: ObjectPlace,
  width: number,
): Promise<readonly string[]> {
  const name = tabs[tab];
  if (name === 'events') return await eventsAbout(cli, object);
  const line = { noun: object.noun, verb: 'get', objects: [object], ...(owner ? { owner } : {}) };
  const flags = { output: name === 'yaml' ? 'yaml' : 'table' };
  const { out, error } = await runner.read(wordsOf(line), { columns: width, flags });
  if (error !== undefined) throw error;
  return out.trimEnd().split('\n');
}

async function eventsAbout(cli: CommandContext, { id, noun }: Named): Promise<readonly string[]> {
  const { items } = await readList(cli, { noun: 'events', limit: searchedEvents });
  const own = items.filter((event) => noun !== 'events' && refersTo(event, id));
  if (own.length === 0) return [`none of the last ${items.length} events belongs to it`];
  const reader = { terminal: true, now: Date.now() };
  return own.map((event) => {
    const time = textFor(reader, event['time'], 'date').padEnd(8);
    const severity = String(event['severity'] ?? '').padEnd(7);
    return escapeControlChars.line(`${time}  ${severity}  ${String(event['description'] ?? '')}`);
  });
}

function refersTo(event: ApiObject, id: string): boolean {
  return Object.values(event).some(
    (value) => typeof value === 'object' && value !== null && 'id' in value && value.id === id,
  );
}
