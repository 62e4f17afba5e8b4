/**
 * Background refresh of names for completion: `vmctl __names REQUEST`. Prints nothing and never
 * signs in.
 */

import { getValue } from '../output/cells.ts';
import { CommandContext } from '../session/command-context.ts';
import { openClientWithoutSignIn } from '../session/connect.ts';
import type { Io } from '../session/io.ts';
import { cacheNames } from '../session/name-cache.ts';
import { listCollections } from '../verbs/collections.ts';
import { getNameAttributes, getNameLink } from '../verbs/identifiers.ts';
import { Finder, findOperation, resolveParentIds } from '../verbs/references.ts';
import { collapseVersions, getVersionedName } from '../verbs/template-versions.ts';
import type { NamesRequest } from './refresh.ts';

/** Milliseconds until the process exits unconditionally. */
const limitMs = 10_000;

/**
 * Fetches the names of a collection and caches them. Returns exit code 0 even after errors, because
 * no reader exists.
 */
export async function fetchNames(text: string, io: Io, signal: AbortSignal): Promise<number> {
  const timer = setTimeout(() => process.exit(0), limitMs);
  try {
    // Right because `refreshNames` starts this process with a `NamesRequest`.
    const { place, options } = JSON.parse(text) as NamesRequest;
    const context = new CommandContext(io, signal, openClientWithoutSignIn);
    context.useFlags({ ...options, retries: '0', input: false, timeout: `${limitMs}ms` });
    try {
      await fetchCollection(context, place);
    } finally {
      await context.close();
    }
  } catch {
    // The cached names remain. A later key press retries.
  }
  clearTimeout(timer);
  return 0;
}

async function fetchCollection(
  context: CommandContext,
  place: NamesRequest['place'],
): Promise<void> {
  const { noun, parents = [] } = place;
  const collection = listCollections(noun).find(
    (one) =>
      one.parents.length === parents.length &&
      one.parents.every((parent, index) => parent.noun === parents[index]?.[0]),
  );
  const operation = collection && findOperation(collection.path, 'list');
  if (!collection || !operation) return;
  const words = new Map(
    collection.parents.map(({ placeholder }, at) => [placeholder, parents[at]?.[1] ?? '']),
  );
  const client = await context.client();
  const ids = await resolveParentIds(
    new Finder(client),
    collection.parents,
    (name) => words.get(name) ?? '',
  );
  const follow = getNameLink(collection.type);
  const items = await client.fetchUndecoded({
    operation,
    ids,
    ...(follow === undefined ? {} : { query: { follow } }),
  });
  const attributes = getNameAttributes(collection.type);
  const names = items.map((item) => {
    const values = attributes.map((name) => getValue(item, name));
    const name = String(values.find((value) => value !== undefined) ?? item['id'] ?? '');
    return getVersionedName(collection.type, name, item);
  });
  cacheNames(context, place, collapseVersions(collection.type, names), true);
}
