/** Undo of one recorded request: checks the object and sends the inverse request. */
import { ConflictError } from '../../client/errors.ts';
import { getState } from '../../client/wait-for-condition.ts';
import { lifecycles } from '../../model/derive/lifecycles.ts';
import type { UndoStep } from './inverse.ts';
import {
  canBeRead,
  type InverseOfKind,
  missingObject,
  readCurrentObject,
  reportUnchanged,
  type UndoContext,
  type UndoResult,
} from './object-state.ts';
import { restoreValues } from './restore-values.ts';

/**
 * Sends the inverse of a request. Throws `no_opposite` if none exists, and `changed_since` if the
 * object has changed since.
 */
export async function undoStep(
  context: UndoContext,
  { label, inverse, why }: UndoStep,
): Promise<UndoResult> {
  if (!inverse)
    throw new ConflictError(`${label}: ${why ?? 'cannot be reverted'}`, { code: 'no_opposite' });
  switch (inverse.kind) {
    case 'update':
      return await restoreValues(context, label, inverse);
    case 'action':
      return await undoAction(context, label, inverse);
    case 'remove':
      return await undoAdd(context, label, inverse);
    case 'add':
      return await undoRemove(context, label, inverse);
  }
}

async function undoAction(
  context: UndoContext,
  label: string,
  inverse: InverseOfKind<'action'>,
): Promise<UndoResult> {
  const { cli, runner, force } = context;
  const { path, type, ids, id, operation, undoes } = inverse;
  const now = await readCurrentObject(context, inverse);
  if (!now) throw missingObject(context, label, id);
  const moves = lifecycles[type]?.moves ?? {};
  const state = getState(type, now);
  const isIn = (name: string) => moves[name]?.to === state || moves[name]?.or?.includes(state);
  if (moves[undoes]?.to !== undefined && !isIn(undoes)) {
    if (isIn(operation)) return reportUnchanged(cli, label, id, `is already ${state}`);
    if (!force) {
      throw new ConflictError(
        `${label} has changed since: it is ${state}, not ${moves[undoes].to}`,
        {
          code: 'changed_since',
          hint: 'use --force to try anyway',
        },
      );
    }
  }
  await runner.change({ path, name: operation, ids }, { id, label, item: now });
  return { object: label, id, operation };
}

async function undoAdd(
  context: UndoContext,
  label: string,
  inverse: InverseOfKind<'remove'>,
): Promise<UndoResult> {
  const { cli, runner } = context;
  const { path, ids, id, query } = inverse;
  if (canBeRead(path) && !(await readCurrentObject(context, inverse))) {
    return reportUnchanged(cli, label, id, 'no longer exists');
  }
  await runner.change({ path, name: 'remove', verb: getVerb(inverse), ids, query }, { id, label });
  return { object: label, id, operation: 'remove' };
}

/** Verb for messages: an attached object is removed, not deleted. */
function getVerb({ isDeletion }: InverseOfKind<'remove'>): string {
  return isDeletion ? 'delete' : 'remove';
}

async function undoRemove(
  { cli, runner }: UndoContext,
  label: string,
  inverse: InverseOfKind<'add'>,
): Promise<UndoResult> {
  const { path, ids, body, isAttached } = inverse;
  const verb = isAttached ? { verb: 'attach' } : {};
  const made = await runner.add({ path, name: 'add', ids, body, ...verb });
  cli.note(`${label}: restored`);
  const id = made['id'] ?? body['id'];
  return { object: label, id: id === undefined ? undefined : String(id), operation: 'add' };
}
