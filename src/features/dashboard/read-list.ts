/** Reading of the lists that the dashboard shows, as `list` reads them. */
import { columnsOf } from '../../cli/output/column-selection.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { verbOf } from '../../cli/verbs/derive-verbs.ts';
import { flagsOf } from '../../cli/verbs/flags.ts';
import { isFollowRefused, listQuery, unfollowed } from '../../cli/verbs/list.ts';
import { fillNames } from '../../cli/verbs/list-enrichment.ts';
import type { Run } from '../../cli/verbs/run.ts';
import { runVerb } from '../../cli/verbs/run-verb.ts';
import type { Listing, Named } from './listing.ts';

/** So many objects are shown; who looks for one among more searches. */
export const maxShown = 1_000;

/** What is to be listed. */
export interface ListRequest {
  readonly noun: string;
  readonly owner?: Named;
  readonly search?: string;
  readonly limit?: number;
}

/**
 * Reads a list. Throws what `list` throws: `UsageError` for a search that does not parse, without a
 * request, and faults of the service.
 */
export async function readList(cli: CommandContext, request: ListRequest): Promise<Listing> {
  const { noun, owner, search = '', limit = maxShown } = request;
  const verb = verbOf(noun, 'list');
  if (!verb) throw new Error(`${noun} cannot be listed.`);
  const given = new Map(search.trim() === '' ? [] : [['search', [search]]]);
  const options = owner ? { on: [`${owner.noun}/${owner.id}`] } : {};
  let listing: Listing | undefined;
  cli.useNoun(noun);
  await runVerb(cli, verb, flagsOf(verb), given, [], options, async (run) => {
    listing = await listingOf(run, limit);
  });
  if (!listing) throw new Error(`cannot read the list of ${noun}`);
  return listing;
}

async function listingOf(run: Run, limit: number): Promise<Listing> {
  const { cli, client, resolved, ids } = run;
  const { operation, collection } = resolved.candidate;
  const { noun, type } = collection;
  // One more than is shown tells whether there are more.
  const max = operation.query.includes('max') ? { max: limit + 1 } : {};
  const call = { operation, ids, query: { ...listQuery(run), ...max }, what: `list ${noun}` };
  const all = await client.list(call).catch((error: unknown) => {
    if (isFollowRefused(error, call)) return client.list(unfollowed(call));
    throw error;
  });
  const columns = columnsOf(cli, { noun, type });
  const items = await fillNames(client, type, all.slice(0, limit), columns);
  return { noun, type, items, columns, isCut: all.length > limit, time: new Date() };
}
