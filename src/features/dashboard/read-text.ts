/** Texts of an object in the dashboard: details, YAML and events. */

import type { CommandRunner } from '../../cli/commands/embedded/command-runner.ts';
import { formatForReader } from '../../cli/output/cells.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import type { ApiObject } from '../../client/client.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { commandWords } from './command-line.ts';
import type { Named } from './listing.ts';
import { readList } from './read-list.ts';
import type { ObjectView } from './views.ts';

/** Number of newest events that are searched for events of an object. */
const searchedEvents = 500;

/** Lines of the current tab of an object, formatted for a width in columns. */
export async function readText(
  cli: CommandContext,
  runner: CommandRunner,
  { object, owner, tabs, tab }: ObjectView,
  width: number,
): Promise<readonly string[]> {
  const name = tabs[tab];
  if (name === 'events') return await readEvents(cli, object);
  const line = { noun: object.noun, verb: 'get', objects: [object], ...(owner ? { owner } : {}) };
  const flags = { output: name === 'yaml' ? 'yaml' : 'table' };
  const { out, error } = await runner.runReadOnly(commandWords(line), { columns: width, flags });
  if (error !== undefined) throw error;
  return out.trimEnd().split('\n');
}

async function readEvents(cli: CommandContext, { id, noun }: Named): Promise<readonly string[]> {
  const { items } = await readList(cli, { noun: 'events', limit: searchedEvents });
  const own = items.filter((event) => noun !== 'events' && refersTo(event, id));
  if (own.length === 0) return [`none of the last ${items.length} events belongs to it`];
  const reader = { terminal: true, now: Date.now() };
  return own.map((event) => {
    const time = formatForReader(reader, event['time'], 'date').padEnd(8);
    const severity = String(event['severity'] ?? '').padEnd(7);
    return escapeControlChars.line(`${time}  ${severity}  ${String(event['description'] ?? '')}`);
  });
}

function refersTo(event: ApiObject, id: string): boolean {
  return Object.values(event).some(
    (value) => typeof value === 'object' && value !== null && 'id' in value && value.id === id,
  );
}
