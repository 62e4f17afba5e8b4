/** Export of a service as a definition: settable attributes, with names instead of ids. */

import { getReferenceId } from '../../cli/text/objects.ts';
import type { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import type { Ids } from '../../cli/verbs/references.ts';
import type { ApiObject } from '../../client/client.ts';
import { isBond, nicsOfHosts } from '../../definitions/bonds.ts';
import { collectionOrder, findObjectService, type Item } from '../../definitions/document.ts';
import { getIdentityName, listIdentifyingAttributes } from '../../definitions/identity.ts';
import { formatSize } from '../../definitions/sizes.ts';
import { nounsByPath } from '../../model/derive/commands.ts';
import { unwrittenObjects, writtenCollections } from '../../model/derive/definitions.ts';
import { services } from '../../model/derive/services.ts';
import { isType, listAttributes, parseKind } from '../../model/index.ts';
import type { Attribute } from '../../model/notation/attributes.ts';
import type { Resource } from '../../model/resource.ts';
import { isRecord } from '../../records.ts';
import { CachedService, listChildren } from './cached-service.ts';
import {
  getExportedVersion,
  isDirect,
  isOverriddenDefault,
  isRequired,
  isSecretNeeded,
  isSettable,
  listUnwritten,
  omitMember,
  sortItems,
} from './exported-attributes.ts';
import { ReferenceNames } from './names.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Collections that are exported by default, in dependency order. */
export const exportedCollections: readonly string[] = collectionOrder.filter(
  (name) => writtenCollections[`/${name}`],
);

/** Types whose ids are meaningful and therefore exported. */
const typesWithExportedIds: ReadonlySet<string> = new Set([
  'cluster_feature',
  'file',
  'logical_unit',
  'network_label',
]);

/** Default names of the management network of a new data center. */
const defaultNetworkNames: ReadonlySet<unknown> = new Set(['mgmt', 'ovirtmgmt']);

/** Position of an object: the ids of its parents, and its label for secrets. */
interface ExportPosition {
  readonly ids: Ids;
  readonly label: string;
  /** Template of a VM: a new VM takes its defaults from here. */
  readonly from?: Item;
}

export interface ExportOptions {
  /** Whether to export which VMs run. */
  readonly status: boolean;
}

export class Exporter {
  readonly #site: CachedService;
  readonly #names: ReferenceNames;
  readonly #options: ExportOptions;
  readonly #secrets = new Set<string>();
  /** Ids of the disks that are exported in full; further occurrences refer to them by name. */
  readonly #writtenDisks = new Set<string>();

  constructor(runner: OperationRunner, options: ExportOptions) {
    this.#site = new CachedService(runner);
    this.#names = new ReferenceNames(this.#site);
    this.#options = options;
  }

  /** Objects that the definition references by id, because their names are ambiguous. */
  get ambiguous(): readonly string[] {
    return [...this.#names.ambiguous];
  }

  /** Number of placeholders for passwords and keys in the definition. */
  get secrets(): number {
    return this.#secrets.size;
  }

  /** Objects of the named collections, in dependency order. */
  async definition(names: readonly string[]): Promise<Record<string, readonly unknown[]>> {
    const result: Record<string, readonly unknown[]> = {};
    for (const name of names) {
      const items = await this.#exportCollection(`/${name}`, { ids: {}, label: '' });
      if (items.length > 0) result[name] = items;
    }
    return result;
  }

  async #exportCollection(service: string, place: ExportPosition): Promise<readonly unknown[]> {
    const items: unknown[] = [];
    for (const item of await this.#site.list(service, place.ids)) {
      if (await this.#isWritten(service, item, place.ids)) {
        items.push(await this.#exportObject(service, item, place));
      }
    }
    const rule = writtenCollections[service];
    return sortItems(
      services[service]?.type ?? '',
      items,
      rule?.only !== undefined || rule?.how === 'names',
    );
  }

  async #exportObject(service: string, item: ApiObject, place: ExportPosition): Promise<unknown> {
    const type = services[service]?.type ?? '';
    const rule = writtenCollections[service];
    if (rule?.how === 'names') return await this.#exportMember(type, item, place.ids);
    const objectService = findObjectService(service) ?? '';
    const placeholder = objectService.slice(objectService.lastIndexOf('{') + 1, -1);
    const ids = { ...place.ids, [placeholder]: String(item['id']) };
    const noun = nounsByPath[service] ?? service.slice(service.lastIndexOf('/') + 1);
    const label = `${place.label}${noun}/${this.#nameObject(type, item)}/`;
    const template = getReferenceId(item, 'template');
    const from =
      type === 'vm' ? (await this.#names.byId('template')).get(String(template)) : undefined;
    if (service === nicsOfHosts) return await this.#exportBond(item, { ids, label });
    const own = await this.#exportFields(type, item, { ids, label, ...(from ? { from } : {}) });
    // The profiles of a network are exported separately, with their filters.
    if (service === '/networks') own['profile_required'] = false;
    if (service === '/vnicprofiles') own['network_filter'] ??= {};
    if (service === '/templates') own['version'] = getExportedVersion(own, item);
    const more = await this.#listUnshownReferences(service, item);
    for (const [name, [of, value]] of Object.entries(more)) {
      if (value) own[name] = await this.#names.createReference(of, value, ids);
    }
    if (rule?.only)
      return Object.fromEntries(rule.only.map((name) => [name, own[name] ?? item[name]]));
    for (const { path } of listChildren(service)) {
      const found = await this.#exportCollection(path, { ids, label });
      if (found.length > 0) own[path.slice(path.lastIndexOf('/') + 1)] = found;
    }
    if (this.#options.status && type === 'vm' && item['status'] === 'up') own['status'] = 'up';
    return own;
  }

  /** A bond. The API sets its members and options only through an action. */
  async #exportBond(
    { name, bonding }: Resource<'host_nic'>,
    place: ExportPosition,
  ): Promise<unknown> {
    const { options = [], slaves = [] } = bonding ?? {};
    const names: unknown[] = [];
    for (const slave of slaves) {
      names.push(await this.#names.createReference('host_nic', slave, place.ids));
    }
    const set = options.map((one) => ({ name: one.name, value: one.value }));
    return { name, bonding: { ...(set.length > 0 ? { options: set } : {}), slaves: names } };
  }

  #nameObject(type: string, item: ApiObject): string {
    const parts = listIdentifyingAttributes(type).map((name) => {
      const value = item[name];
      return isRecord(value) ? String(value['name'] ?? value['id']) : String(value ?? '');
    });
    return getIdentityName(type, item) ?? parts.join(',');
  }

  /** An object that exists on its own, as a member of a list of names. */
  async #exportMember(type: string, item: ApiObject, ids: Ids): Promise<unknown> {
    const named = await this.#names.createReference(type, item, ids);
    // The list already implies the parent of the member.
    return isRecord(named) && named['name'] !== undefined ? named['name'] : named;
  }

  /** References that a new object needs but a read does not return, with their types. */
  async #listUnshownReferences(
    service: string,
    item: ApiObject,
  ): Promise<Record<string, readonly [string, Item | undefined]>> {
    if (service === '/storagedomains') return { host: ['host', await this.#findHost(item)] };
    if (service !== '/clusters') return {};
    const ids = { cluster: String(item['id']) };
    const networks = await this.#site.list('/clusters/{cluster}/networks', ids);
    const network = networks.find(({ usages }) => usages?.includes('management'));
    const center = getReferenceId(item, 'data_center');
    const inCenter = [...(await this.#names.byId('network')).values()].filter(
      (one) => one.data_center?.id === center,
    );
    // The default management network is implied.
    const isUsual =
      network === undefined || defaultNetworkNames.has(network.name) || inCenter.length === 1;
    return isUsual ? {} : { management_network: ['network', network] };
  }

  /** Host that can attach a storage domain: the first host of its data center by name. */
  async #findHost(domain: Resource<'storage_domain'>): Promise<Item | undefined> {
    const clusters = await this.#names.byId('cluster');
    const hosts = [...(await this.#names.byId('host')).values()].sort((one, other) =>
      String(one.name) < String(other.name) ? -1 : 1,
    );
    const centers = domain.data_centers ?? [domain.data_center];
    const ids = new Set(centers.flatMap((one) => one?.id ?? []));
    const getDataCenter = ({ cluster }: Resource<'host'>) =>
      clusters.get(String(cluster?.id))?.data_center?.id;
    const host = hosts.find((one) => ids.has(getDataCenter(one) ?? '')) ?? hosts[0];
    return host && { id: host.id };
  }

  async #exportFields(
    type: string,
    item: Fields,
    place: ExportPosition,
  ): Promise<Record<string, unknown>> {
    const attributes: Readonly<Record<string, Attribute>> = isType(type)
      ? listAttributes(type)
      : {};
    const unwritten = new Set(listUnwritten(type));
    const result: Record<string, unknown> = {};
    const { volume_group: group } = item;
    if (type === 'host_storage' && isRecord(group) && Array.isArray(group['logical_units'])) {
      return await this.#exportFields(
        type,
        { ...omitMember(item, 'volume_group'), logical_units: group['logical_units'] },
        place,
      );
    }
    if (typesWithExportedIds.has(type) && item['id'] !== undefined) result['id'] = item['id'];
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
        result[name] = { secret: this.#addSecret(`${place.label}${name}`) };
      } else if (
        value !== undefined &&
        value !== '' &&
        isSettable(
          attribute,
          value,
          isRequired(type, name) || isOverriddenDefault(attribute, place.from?.[name]),
        )
      ) {
        const given = await this.#exportValue(attribute, name, value, place);
        if (given !== undefined) result[name] = given;
      }
    }
    return result;
  }

  /** Unique name of a placeholder. */
  #addSecret(label: string): string {
    let name = label;
    for (let number = 2; this.#secrets.has(name); number++) name = `${label}-${number}`;
    this.#secrets.add(name);
    return name;
  }

  async #exportValue(
    { kind, identifiedType, unit }: Pick<Attribute, 'kind' | 'identifiedType' | 'unit'>,
    name: string,
    value: unknown,
    place: ExportPosition,
  ): Promise<unknown> {
    const { form, of } = parseKind(kind);
    if (Array.isArray(value)) {
      const values: unknown[] = [];
      for (const one of value)
        values.push(await this.#exportValue({ kind, ...(unit ? { unit } : {}) }, name, one, place));
      const present = values.filter((one) => one !== undefined);
      return present.length > 0 ? present : undefined;
    }
    if (identifiedType !== undefined)
      return await this.#names.createReference(identifiedType, { id: value }, place.ids);
    if (isRecord(value)) {
      if (form === 'ref' || form === 'links') return await this.#exportReference(of, value, place);
      const label = `${place.label}${name}/`;
      const inner =
        form === 'struct' ? await this.#exportFields(of, value, { ids: place.ids, label }) : {};
      return Object.keys(inner).length > 0 ? inner : undefined;
    }
    const bytes = Number(value);
    return unit === 'bytes' && Number.isSafeInteger(bytes) ? formatSize(bytes) : value;
  }

  /** Reference by name; objects that are created with their owner are exported in full. */
  async #exportReference(type: string, value: Item, place: ExportPosition): Promise<unknown> {
    const id = String(value['id']);
    if (type === 'gluster_brick') return await this.#exportFields(type, value, place);
    if (type === 'disk' && value['provisioned_size'] !== undefined && !this.#writtenDisks.has(id)) {
      this.#writtenDisks.add(id);
      const { alias, name, ...disk } = await this.#exportFields(type, value, place);
      const { template } = value;
      const from = isRecord(template)
        ? await this.#names.createReference('template', template, place.ids)
        : undefined;
      return {
        name: alias ?? name,
        ...disk,
        ...(from === undefined || place.ids['template'] ? {} : { template: from }),
      };
    }
    return await this.#names.createReference(type, value, place.ids);
  }

  /**
   * Whether to export an object. Omits objects that every service has, and objects that are created
   * with others.
   */
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
    if (service === '/storageconnections') return !(await this.#belongsToDomain(item));
    if (type === 'cdrom') return item['file'] !== undefined;
    return true;
  }

  /** Whether a storage connection belongs to a storage domain, which creates it. */
  async #belongsToDomain(connection: Resource<'storage_connection'>): Promise<boolean> {
    const names = ['address', 'path', 'target'] as const;
    const same = (one: Partial<Record<(typeof names)[number], string>>) =>
      names.every((name) => (one[name] ?? '') === (connection[name] ?? ''));
    return (await this.#site.list('/storagedomains')).some(({ storage }) => {
      if (!storage) return false;
      const { logical_units: units = [], volume_group: group } = storage;
      return [storage, ...units, ...(group?.logical_units ?? [])].some(same);
    });
  }
}
