/** Columns that the answers of changes leave out: fetched object by object. */
import type { ApiObject } from '../../client/client.ts';
import { NotFoundError } from '../../client/errors.ts';
import { showsColumns } from '../output/print.ts';
import type { Collection } from './collections.ts';
import { linksForColumns } from './list.ts';
import { operationNamed, placeholderOf } from './references.ts';
import type { Run } from './run.ts';

/**
 * Adds the linked objects that the columns show: the answer to POST or PUT has only references. Sends one
 * request for each object, and only for output with columns. A failure is a warning, because the change succeeded.
 */
export async function withLinkedColumns(
  run: Run,
  collection: Collection,
  items: readonly ApiObject[],
): Promise<readonly ApiObject[]> {
  if (run.verb.kind === 'remove' || !showsColumns(run.cli)) return items;
  const get = collection.object ? operationNamed(collection.object, 'get') : undefined;
  const follow = linksForColumns(run, collection, false);
  if (!get?.query.includes('follow') || follow === undefined) return items;
  const fetched: ApiObject[] = [];
  for (const item of items) {
    if (item['id'] === undefined) {
      fetched.push(item);
      continue;
    }
    const ids = { ...run.ids, [placeholderOf(collection)]: String(item['id']) };
    try {
      const whole = await run.client.object({ operation: get, ids, query: { follow } });
      fetched.push(completed(item, whole));
    } catch (error) {
      if (!(error instanceof NotFoundError)) {
        run.cli.warn(`cannot fetch the columns of ${collection.noun}: ${(error as Error).message}`);
      }
      fetched.push(item);
    }
  }
  return fetched;
}

/** Keeps the plain values of the answer, and adds the members that it lacks or only refers to. */
function completed(item: ApiObject, whole: ApiObject): ApiObject {
  const own = Object.entries(item).filter(([, value]) => typeof value !== 'object');
  return { ...item, ...whole, ...Object.fromEntries(own) };
}
