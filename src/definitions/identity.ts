/** Identity of objects in definitions: a name, or a combination of attributes. */
import { isRecord } from '../records.ts';
import type { Item } from './document.ts';

/** Attribute paths with the name of an object, best first, for types without `name`. */
const identities: Readonly<Record<string, readonly string[]>> = {
  disk: ['alias', 'name'],
  disk_attachment: ['name', 'disk.alias', 'disk.name'],
  user: ['user_name'],
  snapshot: ['description'],
  host_device: ['name', 'id'],
};

/** Name of an object; undefined for types that only their attributes identify. */
export function getIdentityName(type: string, item: Item): string | undefined {
  const paths = identities[type] ?? ['name'];
  const found = paths.map((path) => getValueAt(item, path)).find((one) => one !== undefined);
  return found === undefined ? undefined : String(found);
}

/** All names of an object of a service. */
export function listIdentityNames(type: string, item: Item): readonly string[] {
  return (identities[type] ?? ['name']).flatMap((path) => {
    const value = getValueAt(item, path);
    return value === undefined ? [] : [String(value)];
  });
}

function getValueAt(item: Item, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), item);
}

/**
 * Attributes that identify an object, for types without names. If the list is empty, a parent has a
 * single object, for example the CD-ROM drive of a VM.
 */
const identifyingAttributes: Readonly<Record<string, readonly string[]>> = {
  agent: ['address', 'type'],
  balance: ['scheduling_policy_unit'],
  cdrom: [],
  cluster_feature: ['id'],
  event_subscription: ['event'],
  filter: ['scheduling_policy_unit'],
  graphics_console: ['protocol'],
  network_attachment: ['network'],
  network_label: ['id'],
  numa_node: ['index'],
  openstack_volume_authentication_key: ['uuid'],
  permission: ['role', 'user', 'group'],
  quota_cluster_limit: ['cluster'],
  quota_storage_limit: ['storage_domain'],
  ssh_public_key: ['content'],
  storage_connection: ['type', 'address', 'path', 'target', 'port'],
  storage_connection_extension: ['target'],
  virtual_numa_node: ['index'],
  vm_mediated_device: ['spec_params'],
  watchdog: [],
  weight: ['scheduling_policy_unit'],
};

/** Whether attributes identify the objects of a type instead of a name. */
export function isNameless(type: string): boolean {
  return identifyingAttributes[type] !== undefined;
}

/** Identifying attributes of a nameless type, with resolved references. */
export function listIdentifyingAttributes(type: string): readonly string[] {
  return identifyingAttributes[type] ?? [];
}

/** Whether two nameless objects are the same. References in `wanted` must be resolved. */
export function isSame(type: string, wanted: Item, present: Item): boolean {
  return listIdentifyingAttributes(type).every(
    (name) => comparableText(wanted[name]) === comparableText(present[name]),
  );
}

function comparableText(value: unknown): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return JSON.stringify(value.map(comparableText));
  if (!isRecord(value)) return String(value);
  return value['id'] === undefined
    ? JSON.stringify(
        Object.entries(value)
          .sort()
          .map(([name, one]) => [name, comparableText(one)]),
      )
    : String(value['id']);
}
