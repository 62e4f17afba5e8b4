/** `vmctl __names REQUEST`: fetches names for completion, and keeps them. Says nothing, and never signs in. */

import { valueAt } from '../output/cells.ts';
import { CommandContext } from '../session/command-context.ts';
import { openClientWithoutSignIn } from '../session/connect.ts';
import type { Io } from '../session/io.ts';
import { cacheNames } from '../session/name-cache.ts';
import { collectionsOf } from '../verbs/collections.ts';
import { nameAttributesOf, nameFollowOf } from '../verbs/identifiers.ts';
import { Finder, operationNamed, parentIds } from '../verbs/references.ts';
import type { NamesRequest } from './refresh.ts';

/** Milliseconds after which the process gives up, whatever it is waiting for. */
const limit = 10_000;

/** Fetches the names of a place. Whatever is wrong, the exit code is 0: nobody is there to be told. */
export async function fetchNames(text: string, io: Io, signal: AbortSignal): Promise<number> {
  const timer = setTimeout(() => process.exit(0), limit);
  try {
    const { place, options } = JSON.parse(text) as NamesRequest;
    const context = new CommandContext(io, signal, openClientWithoutSignIn);
    context.use({ ...options, retries: '0', input: false, timeout: `${limit}ms` });
    try {
      await fetchFrom(context, place);
    } finally {
      await context.close();
    }
  } catch {
    // What is known stays; the next press of the key but a few tries again.
  }
  clearTimeout(timer);
  return 0;
}

async function fetchFrom(context: CommandContext, place: NamesRequest['place']): Promise<void> {
  const { noun, parents = [] } = place;
  const collection = collectionsOf(noun).find(
    (one) =>
      one.parents.length === parents.length &&
      one.parents.every((parent, index) => parent.noun === parents[index]?.[0]),
  );
  const operation = collection && operationNamed(collection.path, 'list');
  if (!collection || !operation) return;
  const words = new Map(
    collection.parents.map(({ placeholder }, at) => [placeholder, parents[at]?.[1] ?? '']),
  );
  const client = await context.client();
  const ids = await parentIds(
    new Finder(client),
    collection.parents,
    (name) => words.get(name) ?? '',
  );
  const follow = nameFollowOf(collection.type);
  const items = await client.fetchUndecoded({
    operation,
    ids,
    ...(follow === undefined ? {} : { query: { follow } }),
  });
  const attributes = nameAttributesOf(collection.type);
  const names = items.map((item) => {
    const values = attributes.map((name) => valueAt(item, name));
    return String(values.find((value) => value !== undefined) ?? item['id'] ?? '');
  });
  cacheNames(context, place, names, true);
}
