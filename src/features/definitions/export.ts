/** Export of a service as a definition: names instead of ids, and only what can be set. */

import type { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import type { Ids } from '../../cli/verbs/references.ts';
import type { ApiObject } from '../../client/client.ts';
import { isBond, nicsOfHosts } from '../../definitions/bonds.ts';
import { collectionOrder, type Item, isItem, objectServiceOf } from '../../definitions/document.ts';
import { partsOf, wordOf } from '../../definitions/identity.ts';
import { sizeText } from '../../definitions/sizes.ts';
import { nounsByPath } from '../../model/derive/commands.ts';
import { unwrittenObjects, writtenCollections } from '../../model/derive/definitions.ts';
import { services } from '../../model/derive/services.ts';
import { isType, listAttributes, parseKind } from '../../model/index.ts';
import type { Attribute } from '../../model/notation/attributes.ts';
import {
  idIn,
  inFixedOrder,
  isDirect,
  isRequired,
  isSecretNeeded,
  isSettable,
  isUnusual,
  listOf,
  unwrittenOf,
  versionOf,
  without,
} from './exported-attributes.ts';
import { Names } from './names.ts';
import { childrenOf, Site } from './site.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Collections that are exported when none is named. */
export const exported: readonly string[] = collectionOrder.filter(
  (name) => writtenCollections[`/${name}`],
);

/** Types whose ids say what is meant, wherever they are. */
const meaningfulIds: ReadonlySet<string> = new Set([
  'cluster_feature',
  'file',
  'logical_unit',
  'network_label',
]);

/** What the management network is called that a new data center has. */
const usualNames: ReadonlySet<unknown> = new Set(['mgmt', 'ovirtmgmt']);

/** Where an object is: the ids above it, and what commands call it. */
interface Place {
  readonly ids: Ids;
  readonly label: string;
  /** What a machine is made from: new ones are as this is, not as usual. */
  readonly from?: Item;
}

export interface ExportOptions {
  /** Also which machines run. */
  readonly status: boolean;
}

export class Exporter {
  readonly #site: Site;
  readonly #names: Names;
  readonly #options: ExportOptions;
  readonly #secrets = new Set<string>();
  /** Disks that are written: others that have them name them. */
  readonly #writtenDisks = new Set<string>();

  constructor(runner: OperationRunner, options: ExportOptions) {
    this.#site = new Site(runner);
    this.#names = new Names(this.#site);
    this.#options = options;
  }

  /** Objects that the definition names by their ids, because others are called the same. */
  get ambiguous(): readonly string[] {
    return [...this.#names.ambiguous];
  }

  /** How many passwords and keys the definition has placeholders for. */
  get secrets(): number {
    return this.#secrets.size;
  }

  /** The objects of these collections, in the order in which they need each other. */
  async definition(names: readonly string[]): Promise<Record<string, readonly unknown[]>> {
    const result: Record<string, readonly unknown[]> = {};
    for (const name of names) {
      const items = await this.#collection(`/${name}`, { ids: {}, label: '' });
      if (items.length > 0) result[name] = items;
    }
    return result;
  }

  async #collection(service: string, place: Place): Promise<readonly unknown[]> {
    const items: unknown[] = [];
    for (const item of await this.#site.list(service, place.ids)) {
      if (await this.#isWritten(service, item, place.ids)) {
        items.push(await this.#whole(service, item, place));
      }
    }
    const rule = writtenCollections[service];
    return inFixedOrder(
      services[service]?.type ?? '',
      items,
      rule?.only !== undefined || rule?.how === 'names',
    );
  }

  async #whole(service: string, item: ApiObject, place: Place): Promise<unknown> {
    const type = services[service]?.type ?? '';
    const rule = writtenCollections[service];
    if (rule?.how === 'names') return await this.#member(type, item, place.ids);
    const objectService = objectServiceOf(service) ?? '';
    const placeholder = objectService.slice(objectService.lastIndexOf('{') + 1, -1);
    const ids = { ...place.ids, [placeholder]: String(item['id']) };
    const noun = nounsByPath[service] ?? service.slice(service.lastIndexOf('/') + 1);
    const label = `${place.label}${noun}/${this.#wordFor(type, item)}/`;
    const template = idIn(item, 'template');
    const from =
      type === 'vm' ? (await this.#names.byId('template')).get(String(template)) : undefined;
    if (service === nicsOfHosts) return await this.#bond(item, { ids, label });
    const own = await this.#fields(type, item, { ids, label, ...(from ? { from } : {}) });
    // The profiles of a network are written by themselves, with their filters.
    if (service === '/networks') own['profile_required'] = false;
    if (service === '/vnicprofiles') own['network_filter'] ??= {};
    if (service === '/templates') own['version'] = versionOf(own, item);
    const more = await this.#unshown(service, item);
    for (const [name, [of, value]] of Object.entries(more)) {
      if (value) own[name] = await this.#names.of(of, value, ids);
    }
    if (rule?.only)
      return Object.fromEntries(rule.only.map((name) => [name, own[name] ?? item[name]]));
    for (const { path } of childrenOf(service)) {
      const found = await this.#collection(path, { ids, label });
      if (found.length > 0) own[path.slice(path.lastIndexOf('/') + 1)] = found;
    }
    if (this.#options.status && type === 'vm' && item['status'] === 'up') own['status'] = 'up';
    return own;
  }

  /** A bond, of which only an action sets anything. */
  async #bond({ name, bonding }: ApiObject, place: Place): Promise<unknown> {
    const { options, slaves } = isItem(bonding) ? bonding : {};
    const names: unknown[] = [];
    for (const slave of listOf(slaves).filter(isItem)) {
      names.push(await this.#names.of('host_nic', slave, place.ids));
    }
    const set = listOf(options)
      .filter(isItem)
      .map((one) => ({ name: one['name'], value: one['value'] }));
    return { name, bonding: { ...(set.length > 0 ? { options: set } : {}), slaves: names } };
  }

  #wordFor(type: string, item: ApiObject): string {
    const parts = partsOf(type).map((name) => {
      const value = item[name];
      return isItem(value) ? String(value['name'] ?? value['id']) : String(value ?? '');
    });
    return wordOf(type, item) ?? parts.join(',');
  }

  /** What exists by itself, in a list of its names. */
  async #member(type: string, item: ApiObject, ids: Ids): Promise<unknown> {
    const named = await this.#names.of(type, item, ids);
    // The list that it is in says where it is.
    return isItem(named) && named['name'] !== undefined ? named['name'] : named;
  }

  /** References that the service does not show, but needs to make an object anew; with their types. */
  async #unshown(
    service: string,
    item: ApiObject,
  ): Promise<Record<string, readonly [string, Item | undefined]>> {
    if (service === '/storagedomains') return { host: ['host', await this.#hostFor(item)] };
    if (service !== '/clusters') return {};
    const ids = { cluster: String(item['id']) };
    const networks = await this.#site.list('/clusters/{cluster}/networks', ids);
    const network = networks.find(
      ({ usages }) => Array.isArray(usages) && usages.includes('management'),
    );
    const inCenter = [...(await this.#names.byId('network')).values()].filter(
      (one) => idIn(one, 'data_center') === idIn(item, 'data_center'),
    );
    // The one that a data center comes with needs no mention.
    const isUsual =
      network === undefined || usualNames.has(network['name']) || inCenter.length === 1;
    return isUsual ? {} : { management_network: ['network', network] };
  }

  /** A host that can attach a storage domain: the first of its data center. */
  async #hostFor(domain: ApiObject): Promise<Item | undefined> {
    const clusters = await this.#names.byId('cluster');
    const hosts = [...(await this.#names.byId('host')).values()].sort((one, other) =>
      String(one['name']) < String(other['name']) ? -1 : 1,
    );
    const centers = domain['data_centers'];
    const ids = new Set(
      (Array.isArray(centers) ? centers : [domain['data_center']]).map(
        (one) => isItem(one) && one['id'],
      ),
    );
    const centerOf = (host: Item) =>
      idIn(clusters.get(String(idIn(host, 'cluster'))) ?? {}, 'data_center');
    const host = hosts.find((one) => ids.has(centerOf(one) as string)) ?? hosts[0];
    return host && { id: host['id'] };
  }

  async #fields(type: string, item: Fields, place: Place): Promise<Record<string, unknown>> {
    const attributes: Readonly<Record<string, Attribute>> = isType(type)
      ? listAttributes(type)
      : {};
    const unwritten = new Set(unwrittenOf(type));
    const result: Record<string, unknown> = {};
    const { volume_group: group } = item;
    if (type === 'host_storage' && isItem(group) && Array.isArray(group['logical_units'])) {
      return await this.#fields(
        type,
        { ...without(item, 'volume_group'), logical_units: group['logical_units'] },
        place,
      );
    }
    if (meaningfulIds.has(type) && item['id'] !== undefined) result['id'] = item['id'];
    if (
      (item['name'] ?? '') !== '' &&
      attributes['name']?.mut.includes('C') &&
      !unwritten.has('name')
    ) {
      result['name'] = item['name'];
    }
    for (const [name, attribute] of Object.entries(attributes)) {
      if (unwritten.has(name) || name === 'name') continue;
      const value = item[name];
      if (attribute.secret) {
        if (!isSecretNeeded(type, name, attribute, item)) continue;
        result[name] = { secret: this.#secret(`${place.label}${name}`) };
      } else if (
        value !== undefined &&
        value !== '' &&
        isSettable(
          attribute,
          value,
          isRequired(type, name) || isUnusual(attribute, place.from?.[name]),
        )
      ) {
        const given = await this.#value(attribute, name, value, place);
        if (given !== undefined) result[name] = given;
      }
    }
    return result;
  }

  /** The name of a placeholder, one for each. */
  #secret(label: string): string {
    let name = label;
    for (let number = 2; this.#secrets.has(name); number++) name = `${label}-${number}`;
    this.#secrets.add(name);
    return name;
  }

  async #value(
    { kind, idOf, unit }: Pick<Attribute, 'kind' | 'idOf' | 'unit'>,
    name: string,
    value: unknown,
    place: Place,
  ): Promise<unknown> {
    const { form, of } = parseKind(kind);
    if (Array.isArray(value)) {
      const values: unknown[] = [];
      for (const one of value)
        values.push(await this.#value({ kind, ...(unit ? { unit } : {}) }, name, one, place));
      const present = values.filter((one) => one !== undefined);
      return present.length > 0 ? present : undefined;
    }
    if (idOf !== undefined) return await this.#names.of(idOf, { id: value }, place.ids);
    if (isItem(value)) {
      if (form === 'ref' || form === 'links') return await this.#reference(of, value, place);
      const label = `${place.label}${name}/`;
      const inner =
        form === 'struct' ? await this.#fields(of, value, { ids: place.ids, label }) : {};
      return Object.keys(inner).length > 0 ? inner : undefined;
    }
    const bytes = Number(value);
    return unit === 'bytes' && Number.isSafeInteger(bytes) ? sizeText(bytes) : value;
  }

  /** By name; what is made along with its owner in full. */
  async #reference(type: string, value: Item, place: Place): Promise<unknown> {
    const id = String(value['id']);
    if (type === 'gluster_brick') return await this.#fields(type, value, place);
    if (type === 'disk' && value['provisioned_size'] !== undefined && !this.#writtenDisks.has(id)) {
      this.#writtenDisks.add(id);
      const { alias, name, ...disk } = await this.#fields(type, value, place);
      const { template } = value;
      const from = isItem(template)
        ? await this.#names.of('template', template, place.ids)
        : undefined;
      return {
        name: alias ?? name,
        ...disk,
        ...(from === undefined || place.ids['template'] ? {} : { template: from }),
      };
    }
    return await this.#names.of(type, value, place.ids);
  }

  /** Whether an object is written: every service has some, others come with what they belong to. */
  async #isWritten(service: string, item: ApiObject, ids: Ids): Promise<boolean> {
    const type = services[service]?.type ?? '';
    const isMember = writtenCollections[service]?.how === 'names';
    const whole = isMember
      ? ((await this.#names.byId(type)).get(String(item['id'])) ?? item)
      : item;
    const isUnwritten = Object.entries(unwrittenObjects[type] ?? {}).some(([name, values]) =>
      values === 'any' ? whole[name] !== undefined : values.some((one) => one === whole[name]),
    );
    if (isUnwritten) return isMember && type !== 'storage_domain';
    if (type === 'permission') return isDirect(item, ids);
    if (service === nicsOfHosts) return isBond(item);
    if (service === '/disks') return !(await this.#site.attachedDisks()).has(String(item['id']));
    if (service === '/storageconnections') return !(await this.#isOfDomain(item));
    if (type === 'cdrom') return item['file'] !== undefined;
    return true;
  }

  /** The connection of a storage domain comes with it. */
  async #isOfDomain(connection: ApiObject): Promise<boolean> {
    const same = (one: unknown) =>
      isItem(one) &&
      ['address', 'path', 'target'].every((name) => (one[name] ?? '') === (connection[name] ?? ''));
    return (await this.#site.list('/storagedomains')).some(({ storage }) => {
      if (!isItem(storage)) return false;
      const { logical_units: units, volume_group: group } = storage;
      const inGroup = isItem(group) ? group['logical_units'] : undefined;
      return [storage, ...listOf(units), ...listOf(inGroup)].some(same);
    });
  }
}
