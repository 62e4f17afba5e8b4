/** What taking back needs to know of an object, and how it says what came of it. */

import type { CommandContext } from '../../cli/session/command-context.ts';
import { collectionAt } from '../../cli/verbs/collections.ts';
import type { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import { type Ids, placeholderOf } from '../../cli/verbs/references.ts';
import type { ApiObject, Client } from '../../client/client.ts';
import { NotFoundError } from '../../client/errors.ts';
import { listOperations } from '../../model/index.ts';
import type { QueryValues } from './history-file.ts';
import type { Inverse } from './inverse.ts';

/** What takes one kind of request back. */
export type Of<K extends Inverse['kind']> = Extract<Inverse, { readonly kind: K }>;

export interface TakingBack {
  readonly cli: CommandContext;
  readonly client: Client;
  readonly runner: OperationRunner;
  /** What has changed since is replaced all the same. */
  readonly force: boolean;
}

/** What was done to an object, for programs. */
export interface Undone {
  readonly object: string;
  readonly id: string | undefined;
  /** The operation that took it back; absent where it was so already. */
  readonly operation?: string;
}

/** Says that nothing has to be done. */
export function already(cli: CommandContext, label: string, id: string, why: string): Undone {
  cli.note(`${label} ${why}; nothing to do`);
  return { object: label, id };
}

/** The error where there is nothing left to be changed. */
export function gone(label: string): NotFoundError {
  return new NotFoundError(`${label} no longer exists`);
}

/** Whether single objects can be read at a path. */
export function canBeRead(path: string): boolean {
  return listOperations(path).some(({ name }) => name === 'get');
}

/** The object as it is; undefined where it is gone, empty where nobody can tell. */
export async function present(
  { client }: TakingBack,
  { path, ids, id }: { readonly path: string; readonly ids: Ids; readonly id: string },
  query: QueryValues = {},
): Promise<ApiObject | undefined> {
  const get = listOperations(path).find(({ name }) => name === 'get');
  if (!get) return {};
  const collection = collectionAt(path.slice(0, path.lastIndexOf('/')));
  const same = Object.entries(query).filter(([name]) => get.query.includes(name));
  try {
    return await client.object({
      operation: get,
      ids: { ...ids, [placeholderOf(collection)]: id },
      query: Object.fromEntries(same),
      what: `check the current state of ${collection.noun}/${id}`,
    });
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
