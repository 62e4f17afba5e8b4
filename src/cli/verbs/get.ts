/** The verb `get`. */
import type { ApiObject, Call } from '../../client/client.ts';
import { type DryRunRequest, DryRunStop } from '../../client/dry-run.ts';
import { formatOf, isTable } from '../output/print.ts';
import { followOf, isAsSent, isFollowRefused, show, unfollowed } from './list.ts';
import { nameReferences, referencesOf } from './list-enrichment.ts';
import { isRaw, printRaw } from './raw.ts';
import { placeholderOf } from './references.ts';
import { hasQuery, type Run } from './run.ts';
import { targetsOf } from './selection.ts';

/** Prints single objects. */
export async function runGet(run: Run): Promise<void> {
  const { cli, client, resolved, ids } = run;
  const { collection, operation } = resolved.candidate;
  const asked = followOf(run, run.query['follow']);
  // The names of what it refers to come along with it.
  const isNamed = isDetail(run) && asked === undefined;
  const follow = isNamed && hasQuery(run, 'follow') ? referencesOf(collection.type) : asked;
  const raw = isRaw(run);
  const asSent = isAsSent(cli) ? await import('./list-xml.ts') : undefined;
  const documents: string[] = [];
  const items: ApiObject[] = [];
  const dryRunRequests: DryRunRequest[] = [];
  for (const found of await targetsOf(run)) {
    const call = {
      operation,
      ids: { ...ids, [placeholderOf(collection)]: found.id },
      query: { ...run.query, ...(follow === undefined ? {} : { follow }) },
      what: `get ${found.label}`,
      isPrimary: true,
    };
    try {
      if (raw) await printRaw(run, call);
      else if (asSent) documents.push(await asSent.documentOf(client, call));
      else items.push(await (isNamed ? fetchNamed(run, call) : client.object(call)));
    } catch (error) {
      if (!(error instanceof DryRunStop)) throw error;
      dryRunRequests.push(...error.requests);
    }
  }
  if (dryRunRequests.length > 0) throw new DryRunStop(dryRunRequests);
  if (raw) return;
  if (asSent) {
    await asSent.printDocuments(cli, collection.type, documents);
    return;
  }
  // A pattern that nothing matches is a list without anything in it.
  const single = items.length === 1 && run.options['glob'] !== true;
  await show(run, { noun: collection.noun, type: collection.type, items, single, isPaged: true });
}

/** Whether a person is shown all attributes of one object. */
function isDetail({ cli, words, options }: Run): boolean {
  return (
    cli.io.stdout.isTTY === true &&
    words.length === 1 &&
    options['glob'] !== true &&
    isTable(formatOf(cli)) &&
    !cli.dryRunMode &&
    cli.setting('columns') === undefined &&
    !cli.on('query')
  );
}

/** The object with names in its references, as far as anybody tells them. */
async function fetchNamed({ client }: Run, call: Call): Promise<ApiObject> {
  const item = await client.object(call).catch((error: unknown) => {
    if (!isFollowRefused(error, call)) throw error;
    // A service that does not follow all of them is asked for the object alone.
    return client.object(unfollowed(call));
  });
  return await nameReferences(client, call.operation.type, item);
}
