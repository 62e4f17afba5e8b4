/**
 * An inventory that somebody wrote: the objects of a definition, each added as a request would add
 * it, so that a file can say whatever a request can, and is refused in the same words.
 */
import { randomBytes } from 'node:crypto';
import {
  type Definition,
  divided,
  itemDefaults,
  laterChildren,
  objectServiceOf,
  phasesOf,
} from '../../definitions/document.ts';
import { settled, userOf } from '../../definitions/values.ts';
import { services } from '../../model/derive/services.ts';
import { attributesOf, operationsOf } from '../../model/index.ts';
import * as generic from '../api/generic.ts';
import { setPassword } from '../auth/passwords.ts';
import { type Place, placeOf } from '../core/collection-ref.ts';
import type { RuleContext } from '../core/context.ts';
import { Refusal } from '../core/fault.ts';
import { scopeIn } from '../core/input.ts';
import type { StoredObject } from '../store/document.ts';
import { give, knowInDirectory } from './given.ts';

/** Adds all objects. Throws with the object that was refused, and why. */
export function addInventory(ctx: RuleContext, inventory: Definition): void {
  const postponed: (() => void)[] = [];
  for (const names of phasesOf(inventory)) {
    for (const name of names) {
      for (const [index, item] of (inventory[name] ?? []).entries()) {
        addOne(ctx, `/${name}`, [], item, `${name}[${index}]`, postponed);
      }
    }
    // What was put off may put something off itself: the networks of an iSCSI bond.
    for (let add = postponed.shift(); add; add = postponed.shift()) add();
  }
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
  const place = placeOf(ctx.tx, service, ids);
  const isUser = place.kind === 'user';
  const sent = isUser ? userOf(rest) : password === undefined ? rest : { ...rest, password };
  knowInDirectory(ctx, place, sent);
  const object = attempt(where, () => {
    const present = presentAs(ctx, place, sent, where);
    return present
      ? generic.update(ctx, generic.find(ctx, place, present), settled(type, sent, where))
      : (give(ctx, place, sent, where) ??
          generic.add(ctx, place, settled(type, { ...defaultsOf(ctx, type), ...sent }, where)));
  });
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

/** The id of what a new service has already under this name: its cluster, its MAC pool, ... */
function presentAs(
  ctx: RuleContext,
  place: Place,
  sent: StoredObject,
  where: string,
): string | undefined {
  const { name } = sent;
  const isKept = !place.members && !ctx.behavior(place.kind)?.compute;
  if (typeof name !== 'string' || !isKept || !('name' in attributesOf(place.type))) {
    return undefined;
  }
  const scope = scopeIn(ctx.tx, place.type, settled(place.type, sent, where));
  const found = ctx.tx.byName(place.kind, name, { ...place.options.where, ...scope });
  return found && String(found['id']);
}

/** What a simulated site can do without, though the API asks for it. */
function defaultsOf(ctx: RuleContext, type: string): StoredObject {
  if (type === 'host') return { root_password: randomBytes(12).toString('base64url') };
  const usual = itemDefaults[type] ?? {};
  if (type !== 'storage_domain') return usual;
  const [host] = ctx.tx.list('host', { limit: 1 });
  return { type: 'data', ...(host?.name ? { host: host.name } : {}) };
}

function start(ctx: RuleContext, id: string): void {
  const target = generic.find(ctx, placeOf(ctx.tx, '/vms', []), id);
  const start = operationsOf('/vms/{vm}').find(({ name }) => name === 'start');
  if (start) generic.act(ctx, target, start, {});
}

function attempt<T>(where: string, add: () => T): T {
  try {
    return add();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Error(`${where}: ${error.reason}. ${error.detail ?? ''}`.trim(), { cause: error });
  }
}
