/**
 * An inventory that somebody wrote: a YAML or JSON file with the objects of a site, in the words of
 * the API, by collection. Each is added as a request would add it, so that a file can say whatever
 * a request can, and is refused in the same words.
 *
 *     datacenters:
 *       - name: north
 *         storagedomains: [nfs1]
 *     clusters:
 *       - { name: web, data_center: north, cpu: { type: Intel Nehalem Family } }
 *     vms:
 *       - name: web01
 *         cluster: web
 *         memory: 4 GiB
 *         diskattachments:
 *           - { bootable: true, interface: virtio, disk: { name: root, provisioned_size: 10 GiB, ... } }
 *         nics: [{ name: nic1 }]
 *         status: up
 */
import { attributesOf, operationsOf, parseKind, subCollections } from '../../model/index.ts';
import { services } from '../../model/services/index.ts';
import { setPassword } from '../auth/passwords.ts';
import { Refusal } from '../fault.ts';
import type { RuleContext } from '../rules/context.ts';
import * as generic from '../rules/generic.ts';
import { placeOf } from '../rules/places.ts';
import { isRecord, type StoredObject } from '../store/document.ts';

/** Collections in the order in which they need each other; others follow as they are written. */
const order = [
  'macpools',
  'datacenters',
  'clusters',
  'networks',
  'vnicprofiles',
  'hosts',
  'storagedomains',
  'users',
  'groups',
  'tags',
  'disks',
  'templates',
  'vms',
];

/** What is put together only when its parts are there: path words below an object. */
const later = new Set(['storagedomains', 'permissions', 'tags']);
/** After these collections what was put off until now can be done: domains are attached. */
const together = 'storagedomains';

/** What an object gets unless the file says otherwise. */
const defaults: Readonly<Record<string, StoredObject>> = { vm: { template: 'Blank' } };

export type Inventory = Readonly<Record<string, readonly StoredObject[]>>;

/** Checks that a document is such an inventory. Throws with what is wrong, and where. */
export function readInventory(document: unknown, where: string): Inventory {
  if (!isRecord(document)) throw new Error(`${where} must hold collections such as "vms:"`);
  for (const [name, list] of Object.entries(document)) {
    if (!services[`/${name}`]) {
      throw new Error(`${where}: "${name}" is not a collection of the API, such as vms or hosts`);
    }
    if (!Array.isArray(list)) throw new Error(`${where}: ${name} must be a list`);
    for (const [index, item] of list.entries()) {
      if (!isRecord(item)) throw new Error(`${where}: ${name}[${index}] must be an object`);
    }
  }
  return document as unknown as Inventory;
}

/** Adds all objects. Throws with the object that was refused, and why. */
export function addInventory(ctx: RuleContext, inventory: Inventory): void {
  const names = Object.keys(inventory);
  const postponed: (() => void)[] = [];
  for (const name of [...order, ...names.filter((one) => !order.includes(one))]) {
    for (const [index, item] of (inventory[name] ?? []).entries()) {
      addOne(ctx, `/${name}`, [], item, `${name}[${index}]`, postponed);
    }
    if (name === together) for (const add of postponed.splice(0)) add();
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
  const objectService = Object.keys(services).find(
    (path) => path.startsWith(`${service}/{`) && path.lastIndexOf('/') === service.length,
  );
  const children = new Set(objectService ? subCollections(objectService) : []);
  const type = services[service]?.type ?? '';
  const own: StoredObject = {};
  const below: [string, StoredObject[]][] = [];
  for (const [name, value] of Object.entries(item)) {
    if (children.has(name) && Array.isArray(value)) below.push([name, value.map(named)]);
    else own[name] = value;
  }
  // A state is reached, not set; the password of a user is no attribute.
  const { status, password, ...rest } = own;
  const isUser = type === 'user';
  const sent = isUser ? userOf(rest) : password === undefined ? rest : { ...rest, password };
  const place = placeOf(ctx.tx, service, ids);
  const object = attempt(where, () =>
    generic.add(ctx, place, settled(type, { ...defaults[type], ...sent }, where)),
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
    if (later.has(name)) postponed.push(add);
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

/** A text stands for the object of that name. */
function named(value: unknown): StoredObject {
  return isRecord(value) ? value : { name: String(value) };
}

function attempt<T>(where: string, add: () => T): T {
  try {
    return add();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Error(`${where}: ${error.reason}. ${error.detail ?? ''}`.trim(), { cause: error });
  }
}

const units: Readonly<Record<string, number>> = {
  '': 1,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};

/** Names become references, and sizes with units become numbers. */
function settled(type: string, item: StoredObject, where: string): StoredObject {
  const attributes = attributesOf(type);
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => {
      const attribute = attributes[name];
      if (name !== 'id' && !attribute) {
        throw new Error(`${where}: ${type} has no attribute and no collection called "${name}"`);
      }
      return [name, attribute ? settledValue(attribute.kind, value, `${where}.${name}`) : value];
    }),
  );
}

function settledValue(
  kind: Parameters<typeof parseKind>[0],
  value: unknown,
  where: string,
): unknown {
  const { form, of } = parseKind(kind);
  if (Array.isArray(value)) return value.map((one) => settledValue(kind, one, where));
  if (form === 'ref' || form === 'links') {
    if (!isRecord(value)) return { name: String(value) };
    return 'disk' === of || form === 'links' ? settled(of, value, where) : value;
  }
  if (form === 'struct' && isRecord(value)) return settled(of, value, where);
  if ((of === 'long' || of === 'int') && typeof value === 'string') {
    const [, digits = '', unit = ''] = /^(\d+) ?([A-Za-z]*)$/.exec(value) ?? [];
    const factor = units[unit];
    if (digits === '' || factor === undefined) {
      throw new Error(`${where}: "${value}" is not a number with KiB, MiB, GiB or TiB`);
    }
    return Number(digits) * factor;
  }
  return value;
}
