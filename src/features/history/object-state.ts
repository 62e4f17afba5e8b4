/** Current state of objects for an undo, and its results. */

import type { CommandContext } from '../../cli/session/command-context.ts';
import { getCollection } from '../../cli/verbs/collections.ts';
import type { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import { getPlaceholder, type Ids } from '../../cli/verbs/references.ts';
import type { ApiObject, Client } from '../../client/client.ts';
import { NotFoundError } from '../../client/errors.ts';
import { listOperations } from '../../model/index.ts';
import { findLaterChange, formatCommand } from './entries.ts';
import type { QueryValues } from './history-file.ts';
import type { Inverse } from './inverse.ts';

/** Inverse of one kind. */
export type InverseOfKind<K extends Inverse['kind']> = Extract<Inverse, { readonly kind: K }>;

export interface UndoContext {
  readonly cli: CommandContext;
  readonly client: Client;
  readonly runner: OperationRunner;
  /** Number of the change that is undone. */
  readonly number: number;
  /** Whether to overwrite later changes. */
  readonly force: boolean;
}

/** Result of one inverse request, for structured output. */
export interface UndoResult {
  readonly object: string;
  readonly id: string | undefined;
  /** Name of the inverse operation; absent if nothing had to be done. */
  readonly operation?: string;
}

/** Reports that nothing has to be done. */
export function reportUnchanged(
  cli: CommandContext,
  label: string,
  id: string,
  why: string,
): UndoResult {
  cli.note(`${label} ${why}; nothing to do`);
  return { object: label, id };
}

/** Error for an object that no longer exists, with the recorded deletion. */
export function missingObject(
  { cli, number }: UndoContext,
  label: string,
  id: string,
): NotFoundError {
  const deletion = findLaterChange(cli, number, id, 'remove');
  const by = deletion ? `: history/${deletion.number} (${formatCommand(deletion)}) deleted it` : '';
  return new NotFoundError(`${label} no longer exists${by}`, {
    hint: 'deleted objects cannot be restored; vmctl history lists other changes',
  });
}

/** Whether the API can read single objects at a path. */
export function canBeRead(path: string): boolean {
  return listOperations(path).some(({ name }) => name === 'get');
}

/** Current object; undefined if it no longer exists, empty if the API cannot read it. */
export async function readCurrentObject(
  { client }: UndoContext,
  { path, ids, id }: { readonly path: string; readonly ids: Ids; readonly id: string },
  query: QueryValues = {},
): Promise<ApiObject | undefined> {
  const get = listOperations(path).find(({ name }) => name === 'get');
  if (!get) return {};
  const collection = getCollection(path.slice(0, path.lastIndexOf('/')));
  const same = Object.entries(query).filter(([name]) => get.query.includes(name));
  try {
    return await client.object({
      operation: get,
      ids: { ...ids, [getPlaceholder(collection)]: id },
      query: Object.fromEntries(same),
      what: `check the current state of ${collection.noun}/${id}`,
    });
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
