/** Export of a service as a definition: names instead of ids, and only what can be set. */
import type { ApiObject } from '../../../client/client.ts';
import { collectionOrder, objectServiceOf } from '../../../definitions/document.ts';
import { sizeText } from '../../../definitions/values.ts';
import { services } from '../../../model/derive/services.ts';
import { attributesOf, isType, parseKind } from '../../../model/index.ts';
import { scopeOf } from '../../../model/naming.ts';
import type { Attribute } from '../../../model/notation/attributes.ts';
import { plainText } from '../../output/cells.ts';
import { homeOf } from '../../verbs/collections.ts';
import type { OperationRunner } from '../../verbs/operation-runner.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Children that are written down with their parent. */
const children: Readonly<Record<string, readonly string[]>> = {
  datacenters: ['storagedomains'],
  clusters: ['networks'],
  vms: ['nics', 'diskattachments'],
};

/** What every service has by itself, and disks, which are told with their machines. */
const leftOut = new Set(['domains', 'users', 'groups', 'disks']);

/** What is told of an object that is only named by its parent. */
const named = new Set(['datacenters/storagedomains', 'clusters/networks']);

/** Collections that are exported when none is named. */
export const exported: readonly string[] = collectionOrder.filter((name) => !leftOut.has(name));

/** Attributes that follow from others, or from the service, whoever may set them. */
const derived: Readonly<Record<string, ReadonlySet<string>>> = {
  vm: new Set(['creation_time', 'origin', 'cpu_profile', 'custom_emulated_machine', 'quota']),
  disk: new Set(['disk_profile', 'image_id', 'quota', 'name']),
  disk_attachment: new Set(['vm', 'logical_name', 'name']),
  nic: new Set(['vm', 'network']),
  host: new Set(['vgpu_placement']),
  // What a machine shows when it is asked.
  ssh: new Set(['fingerprint', 'public_key']),
  network: new Set(['vdsm_name']),
  // Where the screen of a machine is depends on where it runs.
  display: new Set(['address', 'port', 'secure_port']),
};

const sizes = /^(memory|guaranteed|max|provisioned_size|initial_size)$/;

/** What says which object is meant; `within` where others have the same name elsewhere. */
interface Name {
  readonly name: string;
  readonly within?: { readonly attribute: string; readonly type: string; readonly id: string };
}

export class Exporter {
  readonly #performer: OperationRunner;
  /** Names by id, by the type that they are of. */
  readonly #names = new Map<string, Promise<ReadonlyMap<string, Name>>>();

  constructor(runner: OperationRunner) {
    this.#performer = runner;
  }

  /** The objects of these collections, in the order in which they need each other. */
  async definition(names: readonly string[]): Promise<Record<string, readonly object[]>> {
    const result: Record<string, readonly object[]> = {};
    for (const name of names) {
      const items: object[] = [];
      const service = `/${name}`;
      for (const item of await this.#performer.list({ path: service, follow: followOf(service) })) {
        if (isBuiltIn(name, item)) continue;
        items.push(await this.#whole(name, service, item));
      }
      if (items.length > 0) result[name] = items;
    }
    return result;
  }

  async #whole(name: string, service: string, item: ApiObject): Promise<object> {
    const type = services[service]?.type ?? '';
    const own = await this.#fields(type, item);
    const objectService = objectServiceOf(service) ?? '';
    const placeholder = objectService.slice(objectService.lastIndexOf('{') + 1, -1);
    const ids = { [placeholder]: String(item['id']) };
    for (const child of children[name] ?? []) {
      const path = `${objectService}/${child}`;
      const found = await this.#performer.list({ path, ids, follow: followOf(path) });
      if (found.length === 0) continue;
      const childType = services[path]?.type ?? '';
      own[child] = await Promise.all(
        found.map((one) =>
          named.has(`${name}/${child}`) ? one['name'] : this.#fields(childType, one),
        ),
      );
    }
    if (type === 'vm' && item['status'] === 'up') own['status'] = 'up';
    return own;
  }

  async #fields(type: string, item: Fields): Promise<Record<string, unknown>> {
    const attributes: Readonly<Record<string, Attribute>> = isType(type) ? attributesOf(type) : {};
    const result: Record<string, unknown> = {};
    if (item['name'] !== undefined && attributes['name'] && !derived[type]?.has('name')) {
      result['name'] = item['name'];
    }
    for (const [name, attribute] of Object.entries(attributes)) {
      const value = item[name];
      if (value === undefined || value === '' || !isTold(type, name, attribute, value)) continue;
      const exportedValue = await this.#value(attribute, name, value);
      if (exportedValue !== undefined) result[name] = exportedValue;
    }
    return result;
  }

  async #value({ kind }: Attribute, name: string, value: unknown): Promise<unknown> {
    const { form, of } = parseKind(kind);
    if (Array.isArray(value)) {
      const items = await Promise.all(
        value.map((one) => this.#value({ kind, mut: 'CU' }, name, one)),
      );
      const exportedValue = items.filter((one) => one !== undefined);
      return exportedValue.length > 0 ? exportedValue : undefined;
    }
    if (form === 'struct') {
      const inner = await this.#fields(of, value as Fields);
      return Object.keys(inner).length > 0 ? inner : undefined;
    }
    if (form === 'ref' || form === 'links') return await this.#reference(of, value as Fields);
    const bytes = Number(value);
    return sizes.test(name) && Number.isSafeInteger(bytes) ? sizeText(bytes) : value;
  }

  /** By name, and where it is if others are called the same; an object that only its owner has in full. */
  async #reference(type: string, value: Fields): Promise<unknown> {
    const id = String(value['id']);
    if (type === 'disk' && value['provisioned_size'] !== undefined) {
      const { alias, ...disk } = await this.#fields(type, value);
      return { name: alias ?? value['name'], ...disk };
    }
    const home = homeOf(type);
    if (!home) return value['name'] ?? { id };
    const known = (await this.#namesOf(type, home.path)).get(id);
    if (!known) return { id };
    const { name, within } = known;
    if (!within) return name;
    return { name, [within.attribute]: await this.#reference(within.type, { id: within.id }) };
  }

  #namesOf(type: string, path: string): Promise<ReadonlyMap<string, Name>> {
    let names = this.#names.get(type);
    if (!names) {
      names = this.#readNames(type, path);
      this.#names.set(type, names);
    }
    return names;
  }

  async #readNames(type: string, path: string): Promise<ReadonlyMap<string, Name>> {
    const attribute = scopeOf(type);
    const within = isType(type) && attribute ? attributesOf(type)[attribute] : undefined;
    const all = (await this.#performer.list({ path })).map((item) => ({
      own: String(item['id']),
      name: plainText(item['name'] ?? item['alias']),
      place: plainText((item[attribute ?? ''] as Fields | undefined)?.['id']),
    }));
    const counts = new Map<string, number>();
    const count = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
    for (const { name, place } of all) for (const key of [name, `${name}\n${place}`]) count(key);
    const result = new Map<string, Name>();
    for (const { own, name, place } of all) {
      if (name === '') continue;
      if (counts.get(name) === 1) result.set(own, { name });
      else if (attribute && within && place && counts.get(`${name}\n${place}`) === 1) {
        result.set(own, {
          name,
          within: { attribute, type: parseKind(within.kind).of, id: place },
        });
      }
    }
    return result;
  }
}

/** What can be set, is not a secret, and is not what a new object has anyway. */
function isTold(
  type: string,
  name: string,
  { mut, writeOnly, default: defaultValue }: Attribute,
  value: unknown,
): boolean {
  if (mut === 'R' || mut === 'A' || writeOnly || name === 'id' || name === 'name') return false;
  if (derived[type]?.has(name)) return false;
  return defaultValue === undefined || String(value) !== String(defaultValue);
}

/** Objects that are not made by a definition: every service has them, or they come with others. */
function isBuiltIn(name: string, item: ApiObject): boolean {
  return (
    (name === 'templates' && item['name'] === 'Blank') ||
    (name === 'tags' && item['name'] === 'root') ||
    (name === 'storagedomains' && domainsOfProviders.has(item['type']))
  );
}

/** Types of storage domains that come with a provider. */
const domainsOfProviders: ReadonlySet<unknown> = new Set(['image', 'volume']);

function followOf(path: string): string | undefined {
  return path.endsWith('/diskattachments') ? 'disk' : undefined;
}
