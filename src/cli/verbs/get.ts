/** The verb `get`. */
import type { ApiObject, Call } from '../../client/client.ts';
import { type DryRunRequest, DryRunStop } from '../../client/dry-run.ts';
import { getFormat, isTable } from '../output/print.ts';
import {
  isUnchangedXml,
  mayFollowBeRefused,
  selectLinks,
  showView,
  withoutFollow,
} from './list.ts';
import { addReferenceNames, listReferenceLinks } from './list-enrichment.ts';
import { isRaw, printRaw } from './raw.ts';
import { getPlaceholder } from './references.ts';
import { hasQuery, type Run } from './run.ts';
import { resolveTargets } from './selection.ts';

export async function runGet(run: Run): Promise<void> {
  const { cli, client, resolved, ids } = run;
  const { collection, operation } = resolved.candidate;
  const asked = selectLinks(run, run.query['follow']);
  // The response includes the names of references if they are followed.
  const isNamed = isDetail(run) && run.query['follow'] === undefined;
  const references =
    isNamed && hasQuery(run, 'follow') ? listReferenceLinks(collection.type) : undefined;
  const links = [asked, references].filter((one) => one !== undefined);
  const follow = links.length === 0 ? undefined : links.join(',');
  const raw = isRaw(run);
  const asSent = isUnchangedXml(cli) ? await import('./list-xml.ts') : undefined;
  const documents: string[] = [];
  const items: ApiObject[] = [];
  const dryRunRequests: DryRunRequest[] = [];
  for (const found of await resolveTargets(run)) {
    const call = {
      operation,
      ids: { ...ids, [getPlaceholder(collection)]: found.id },
      query: { ...run.query, ...(follow === undefined ? {} : { follow }) },
      what: `get ${found.label}`,
      isPrimary: true,
    };
    try {
      if (raw) await printRaw(run, call);
      else if (asSent) documents.push(await asSent.readDocument(client, call));
      else if (isNamed) items.push(await addNextStart(run, await fetchNamed(run, call)));
      else items.push(await client.object(call));
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
  // The result of a pattern is a list, even an empty one.
  const single = items.length === 1 && run.options['glob'] !== true;
  await showView(run, {
    noun: collection.noun,
    type: collection.type,
    items,
    single,
    isPaged: true,
  });
}

/** Whether the output is a detail view for a person. */
function isDetail({ cli, words, options }: Run): boolean {
  return (
    cli.io.stdout.isTTY === true &&
    words.length === 1 &&
    options['glob'] !== true &&
    isTable(getFormat(cli)) &&
    !cli.dryRunMode &&
    cli.setting('columns') === undefined &&
    !cli.isOn('query')
  );
}

/** Adds the changes that wait for the next start of a VM. */
async function addNextStart(run: Run, item: ApiObject): Promise<ApiObject> {
  const isPending = item['next_run_configuration_exists'] === true;
  if (!isPending || run.query['next_run'] !== undefined) return item;
  const { addPendingChanges } = await import('./pending-changes.ts');
  return await addPendingChanges(run.client, item);
}

/** Reads an object, and adds the names of its references as far as the service reveals them. */
export async function fetchNamed({ client }: Run, call: Call): Promise<ApiObject> {
  const item = await client.object(call).catch((error: unknown) => {
    if (!mayFollowBeRefused(error, call)) throw error;
    // Fallback for services that cannot follow all links.
    return client.object(withoutFollow(call));
  });
  return await addReferenceNames(client, call.operation.type, item);
}
