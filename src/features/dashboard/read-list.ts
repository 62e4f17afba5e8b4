/** Reader of the lists in the dashboard, based on the verb `list`. */
import { selectColumns } from '../../cli/output/column-selection.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { findVerb } from '../../cli/verbs/derive-verbs.ts';
import { deriveFlags } from '../../cli/verbs/flags.ts';
import { createListQuery, mayFollowBeRefused, withoutFollow } from '../../cli/verbs/list.ts';
import { addNames } from '../../cli/verbs/list-enrichment.ts';
import type { Run } from '../../cli/verbs/run.ts';
import { runVerb } from '../../cli/verbs/run-verb.ts';
import type { Listing, Named } from './listing.ts';

/** Maximum number of objects in a list. A search narrows longer lists. */
export const maxShown = 1_000;

export interface ListRequest {
  readonly noun: string;
  readonly owner?: Named;
  readonly search?: string;
  readonly limit?: number;
}

/**
 * Reads a list. Throws `UsageError` for an invalid search, before any request, and the faults of
 * the service.
 */
export async function readList(cli: CommandContext, request: ListRequest): Promise<Listing> {
  const { noun, owner, search = '', limit = maxShown } = request;
  const verb = findVerb(noun, 'list');
  if (!verb) throw new Error(`${noun} cannot be listed.`);
  const given = new Map(search.trim() === '' ? [] : [['search', [search]]]);
  const options = owner ? { on: [`${owner.noun}/${owner.id}`] } : {};
  let listing: Listing | undefined;
  cli.useNoun(noun);
  await runVerb(cli, verb, deriveFlags(verb), given, [], options, async (run) => {
    listing = await readListing(run, limit);
  });
  if (!listing) throw new Error(`cannot read the list of ${noun}`);
  return listing;
}

async function readListing(run: Run, limit: number): Promise<Listing> {
  const { cli, client, resolved, ids } = run;
  const { operation, collection } = resolved.candidate;
  const { noun, type } = collection;
  // One extra object shows whether the service has more than the limit.
  const max = operation.query.includes('max') ? { max: limit + 1 } : {};
  const call = { operation, ids, query: { ...createListQuery(run), ...max }, what: `list ${noun}` };
  const all = await client.list(call).catch((error: unknown) => {
    if (mayFollowBeRefused(error, call)) return client.list(withoutFollow(call));
    throw error;
  });
  const columns = selectColumns(cli, { noun, type });
  const items = await addNames(client, type, all.slice(0, limit), columns);
  return { noun, type, items, columns, isCut: all.length > limit, time: new Date() };
}
