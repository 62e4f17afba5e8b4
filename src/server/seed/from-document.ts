/** Contents of a store from a document. */

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
import { splitUserName } from '../auth/permissions.ts';
import { type CollectionRef, resolveCollection } from '../core/collection-ref.ts';
import type { RuleContext } from '../core/context.ts';
import { Refusal } from '../core/fault.ts';
import { scopeIn } from '../core/input.ts';
import { namedId } from '../core/random.ts';
import { directoryId, entryOf } from '../resources/identity.ts';
import { addImage, domainOfProvider } from '../resources/provider/images.ts';
import { addFile } from '../resources/storage/file.ts';
import { isRecord, type StoredObject } from '../store/kinds.ts';

type Give = (ctx: RuleContext, ref: CollectionRef, item: StoredObject) => StoredObject;

const givers: Readonly<Record<string, Give>> = {
  domain(ctx, _place, { name }) {
    const domain = { id: namedId(String(name)), name: String(name) };
    ctx.tx.insert('domain', '/domains', domain);
    return domain;
  },

  directory_user: (ctx, ref, item) =>
    giveEntry(ctx, 'directory_user', ref.owner?.id ?? '', loginOf(item), item),

  directory_group: (ctx, ref, item) =>
    giveEntry(ctx, 'directory_group', ref.owner?.id ?? '', String(item['name']), item),

  file: (ctx, ref, { name }) => addFile(ctx, ref.owner?.id ?? '', String(name), true),

  image: (ctx, ref, { name, size }) =>
    addImage(ctx, ref.owner?.id ?? '', String(name), Number(size ?? defaultImage)),

  openstack_image: (ctx, ref, { name, size }) =>
    addImage(
      ctx,
      domainOfProvider(ctx, ref.owner?.id ?? '')?.id ?? '',
      String(name),
      Number(size ?? defaultImage),
    ),
};

/** Bytes of an image whose size is not told. */
const defaultImage = 2 ** 30;

/** Types whose attributes describe what is given, where the API shows less. */
const describedBy: Readonly<Record<string, string>> = { openstack_image: 'image' };

/** Adds what only a file can give; undefined for everything that requests can add. */
function addUnpostable(
  ctx: RuleContext,
  ref: CollectionRef,
  item: StoredObject,
  where: string,
): StoredObject | undefined {
  const giver = givers[ref.kind];
  if (!giver) return undefined;
  if (loginOf(item) === '') throw new Error(`${where}: it has no name`);
  return giver(ctx, ref, settled(describedBy[ref.type] ?? ref.type, item, where));
}

/** Sees to it that the directory has the user or group that a file names. */
function knowInDirectory(ctx: RuleContext, ref: CollectionRef, item: StoredObject): void {
  if (ref.kind !== 'user' && ref.kind !== 'group') return;
  const name = loginOf(item).replace(/-authz$/, '');
  const { domain } = item;
  const requested = isRecord(domain) ? domain['name'] : domain;
  const found = ctx.tx.byName(
    'domain',
    String(requested ?? `${splitUserName(name)?.profile}-authz`),
  );
  // The rules say what is wrong with a domain that is not there.
  if (found?.id) giveEntry(ctx, `directory_${ref.kind}`, found.id, name, {});
}

function loginOf(item: StoredObject): string {
  return String(item['user_name'] ?? item['name'] ?? '');
}

function giveEntry(
  ctx: RuleContext,
  kind: 'directory_user' | 'directory_group',
  domain: string,
  text: string,
  item: StoredObject,
): StoredObject {
  const collection = `/domains/${domain}/${kind === 'directory_user' ? 'users' : 'groups'}`;
  const name = splitUserName(text.replace(/-authz$/, ''))?.login ?? text;
  const present = ctx.tx.get(kind, directoryId(name), collection);
  if (present) return present;
  const entry = entryOf(kind, name, domain, String(ctx.tx.get('domain', domain)?.name));
  const { name: _name, user_name: _login, ...more } = item;
  ctx.tx.insert(kind, collection, { ...entry, ...more });
  return entry;
}

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
  const ref = resolveCollection(ctx.tx, service, ids);
  const isUser = ref.kind === 'user';
  const sent = isUser ? userOf(rest) : password === undefined ? rest : { ...rest, password };
  knowInDirectory(ctx, ref, sent);
  const object = attempt(where, () => {
    const present = presentAs(ctx, ref, sent, where);
    return present
      ? generic.update(ctx, generic.find(ctx, ref, present), settled(type, sent, where))
      : (addUnpostable(ctx, ref, sent, where) ??
          generic.add(ctx, ref, settled(type, { ...defaultsOf(ctx, type), ...sent }, where)));
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
  ref: CollectionRef,
  sent: StoredObject,
  where: string,
): string | undefined {
  const { name } = sent;
  const isKept = !ref.members && !ctx.behavior(ref.kind)?.compute;
  if (typeof name !== 'string' || !isKept || !('name' in attributesOf(ref.type))) {
    return undefined;
  }
  const scope = scopeIn(ctx.tx, ref.type, settled(ref.type, sent, where));
  const found = ctx.tx.byName(ref.kind, name, { ...ref.options.where, ...scope });
  return found && String(found['id']);
}

/** What a simulated site can do without, though the API asks for it. */
function defaultsOf(ctx: RuleContext, type: string): StoredObject {
  if (type === 'host') return { root_password: randomBytes(12).toString('base64url') };
  const defaults = itemDefaults[type] ?? {};
  if (type !== 'storage_domain') return defaults;
  const [host] = ctx.tx.list('host', { limit: 1 });
  return { type: 'data', ...(host?.name ? { host: host.name } : {}) };
}

function start(ctx: RuleContext, id: string): void {
  const target = generic.find(ctx, resolveCollection(ctx.tx, '/vms', []), id);
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
