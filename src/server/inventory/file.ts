/**
 * An inventory that somebody wrote: the objects of a definition, each added as a request would add
 * it, so that a file can say whatever a request can, and is refused in the same words.
 */
import {
  type Definition,
  divided,
  inOrder,
  itemDefaults,
  laterChildren,
  objectServiceOf,
  togetherAfter,
} from '../../definitions/document.ts';
import { settled } from '../../definitions/values.ts';
import { operationsOf } from '../../model/index.ts';
import { services } from '../../model/services/index.ts';
import { setPassword } from '../auth/passwords.ts';
import { Refusal } from '../fault.ts';
import type { RuleContext } from '../rules/context.ts';
import * as generic from '../rules/generic.ts';
import { placeOf } from '../rules/places.ts';
import type { StoredObject } from '../store/document.ts';

/** Adds all objects. Throws with the object that was refused, and why. */
export function addInventory(ctx: RuleContext, inventory: Definition): void {
  const postponed: (() => void)[] = [];
  for (const name of inOrder(inventory)) {
    for (const [index, item] of (inventory[name] ?? []).entries()) {
      addOne(ctx, `/${name}`, [], item, `${name}[${index}]`, postponed);
    }
    if (name === togetherAfter) for (const add of postponed.splice(0)) add();
  }
  for (const add of postponed) add();
}

function addOne(
  ctx: RuleContext,
  service: string,
  ids: readonly string[],
  item: StoredObject,
  where: string,
  postponed: (() => void)[],
): void {
  const objectService = objectServiceOf(service);
  const type = services[service]?.type ?? '';
  const { own, below } = divided(objectService, item);
  // A state is reached, not set; the password of a user is no attribute.
  const { status, password, ...rest } = own;
  const isUser = type === 'user';
  const sent = isUser ? userOf(rest) : password === undefined ? rest : { ...rest, password };
  const place = placeOf(ctx.tx, service, ids);
  const object = attempt(where, () =>
    generic.add(ctx, place, settled(type, { ...itemDefaults[type], ...sent }, where)),
  );
  const id = String(object['id']);
  if (isUser && typeof password === 'string') {
    setPassword(ctx.tx, String(sent['user_name']).replace(/-authz$/, ''), password);
  }
  for (const [name, items] of below) {
    const add = () => {
      for (const [index, child] of items.entries()) {
        const path = `${objectService}/${name}`;
        addOne(ctx, path, [...ids, id], child, `${where}.${name}[${index}]`, postponed);
      }
    };
    if (laterChildren.has(name)) postponed.push(add);
    else add();
  }
  if (type === 'vm' && status === 'up') {
    postponed.push(() => attempt(where, () => start(ctx, id)));
  }
}

function start(ctx: RuleContext, id: string): void {
  const target = generic.find(ctx, placeOf(ctx.tx, '/vms', []), id);
  const start = operationsOf('/vms/{vm}').find(({ name }) => name === 'start');
  if (start) generic.act(ctx, target, start, {});
}

/** `kim@internal` is kim of the domain internal-authz. */
function userOf(user: StoredObject): StoredObject {
  const login = String(user['user_name'] ?? '').replace(/-authz$/, '');
  const profile = login.slice(login.lastIndexOf('@') + 1);
  return { domain: `${profile}-authz`, ...user, user_name: `${login}-authz` };
}

function attempt<T>(where: string, add: () => T): T {
  try {
    return add();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Error(`${where}: ${error.reason}. ${error.detail ?? ''}`.trim(), { cause: error });
  }
}
