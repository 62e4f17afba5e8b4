/** Takes one request of the history back: looks at the object as it is, and does the opposite. */
import { ConflictError } from '../../client/errors.ts';
import { getState } from '../../client/poll.ts';
import { lifecycles } from '../../model/derive/lifecycles.ts';
import type { Undoing } from './inverse.ts';
import {
  already,
  canBeRead,
  gone,
  type Of,
  present,
  type TakingBack,
  type Undone,
} from './object-state.ts';
import { setBack } from './set-back.ts';

/** Does the opposite of one request. Throws where it has none, and where the object is not as it was left. */
export async function takeBack(
  context: TakingBack,
  { label, inverse, why }: Undoing,
): Promise<Undone> {
  if (!inverse)
    throw new ConflictError(`${label}: ${why ?? 'cannot be reverted'}`, { code: 'no_opposite' });
  switch (inverse.kind) {
    case 'update':
      return await setBack(context, label, inverse);
    case 'action':
      return await act(context, label, inverse);
    case 'remove':
      return await remove(context, label, inverse);
    case 'add':
      return await add(context, label, inverse);
  }
}

async function act(context: TakingBack, label: string, inverse: Of<'action'>): Promise<Undone> {
  const { cli, runner, force } = context;
  const { path, type, ids, id, operation, undoes } = inverse;
  const now = await present(context, inverse);
  if (!now) throw gone(label);
  const moves = lifecycles[type]?.moves ?? {};
  const state = getState(type, now);
  const isIn = (name: string) => moves[name]?.to === state || moves[name]?.or?.includes(state);
  if (moves[undoes]?.to !== undefined && !isIn(undoes)) {
    if (isIn(operation)) return already(cli, label, id, `is already ${state}`);
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

async function remove(context: TakingBack, label: string, inverse: Of<'remove'>): Promise<Undone> {
  const { cli, runner } = context;
  const { path, ids, id, query } = inverse;
  if (canBeRead(path) && !(await present(context, inverse))) {
    return already(cli, label, id, 'no longer exists');
  }
  await runner.change({ path, name: 'remove', verb: verbFor(inverse), ids, query }, { id, label });
  return { object: label, id, operation: 'remove' };
}

/** The word that is told of a removal: what was attached is still somewhere. */
function verbFor({ isDeletion }: Of<'remove'>): string {
  return isDeletion ? 'delete' : 'remove';
}

async function add(
  { cli, runner }: TakingBack,
  label: string,
  inverse: Of<'add'>,
): Promise<Undone> {
  const { path, ids, body, isAttached } = inverse;
  const verb = isAttached ? { verb: 'attach' } : {};
  const made = await runner.add({ path, name: 'add', ids, body, ...verb });
  cli.note(`${label}: restored`);
  const id = made['id'] ?? body['id'];
  return { object: label, id: id === undefined ? undefined : String(id), operation: 'add' };
}
