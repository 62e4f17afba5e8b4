/** Columns that responses to changes lack, read object by object. */

import { getErrorMessage } from '../../caught-errors.ts';
import type { ApiObject } from '../../client/client.ts';
import { NotFoundError } from '../../client/errors.ts';
import { showsColumns } from '../output/print.ts';
import type { Collection } from './collections.ts';
import { selectLinksForColumns } from './list.ts';
import { findOperation, getPlaceholder } from './references.ts';
import type { Run } from './run.ts';

/**
 * Adds the linked objects of the columns: a response to POST or PUT contains only references. Sends
 * one request for each object, for output with columns only. A failure is a warning, because the
 * change succeeded.
 */
export async function addLinkedColumns(
  run: Run,
  collection: Collection,
  items: readonly ApiObject[],
): Promise<readonly ApiObject[]> {
  if (run.verb.kind === 'remove' || !showsColumns(run.cli)) return items;
  const get = collection.object ? findOperation(collection.object, 'get') : undefined;
  const follow = selectLinksForColumns(run, collection, false);
  if (!get?.query.includes('follow') || follow === undefined) return items;
  const fetched: ApiObject[] = [];
  for (const item of items) {
    if (item['id'] === undefined) {
      fetched.push(item);
      continue;
    }
    const ids = { ...run.ids, [getPlaceholder(collection)]: String(item['id']) };
    try {
      const whole = await run.client.object({ operation: get, ids, query: { follow } });
      fetched.push(completeItem(item, whole));
    } catch (error) {
      if (!(error instanceof NotFoundError)) {
        run.cli.warn(`cannot fetch the columns of ${collection.noun}: ${getErrorMessage(error)}`);
      }
      fetched.push(item);
    }
  }
  return fetched;
}

/** Keeps the plain values of the response, and adds members that it lacks or only refers to. */
function completeItem(item: ApiObject, whole: ApiObject): ApiObject {
  const own = Object.entries(item).filter(([, value]) => typeof value !== 'object');
  return { ...item, ...whole, ...Object.fromEntries(own) };
}
