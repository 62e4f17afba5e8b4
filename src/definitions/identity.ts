/** Which object of a service one of a definition is: what its name is, or what it consists of. */
import { type Item, isItem } from './document.ts';

/** Attribute paths that say which object is meant, the best first, where it is not the name. */
const identities: Readonly<Record<string, readonly string[]>> = {
  disk: ['alias', 'name'],
  disk_attachment: ['name', 'disk.alias', 'disk.name'],
  user: ['user_name'],
  snapshot: ['description'],
  host_device: ['name', 'id'],
};

/** The word by which an object is known; none where only its parts say which one it is. */
export function wordOf(type: string, item: Item): string | undefined {
  const paths = identities[type] ?? ['name'];
  const found = paths.map((path) => at(item, path)).find((one) => one !== undefined);
  return found === undefined ? undefined : String(found);
}

/** All the words by which an object that a service has may be called. */
export function wordsOf(type: string, item: Item): readonly string[] {
  return (identities[type] ?? ['name']).flatMap((path) => {
    const value = at(item, path);
    return value === undefined ? [] : [String(value)];
  });
}

function at(item: Item, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (isItem(value) ? value[name] : undefined), item);
}

/**
 * Attributes that together say which object is meant, of types whose objects have no name. Where there
 * are none a parent has one such object: the CD-ROM drive of a machine.
 */
const parts: Readonly<Record<string, readonly string[]>> = {
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

/** Whether objects of a type are known by what they consist of. */
export function isNameless(type: string): boolean {
  return parts[type] !== undefined;
}

/** What a nameless object is known by; the references are looked up. */
export function partsOf(type: string): readonly string[] {
  return parts[type] ?? [];
}

/** Whether both are the same nameless object; of what is wanted the references are looked up. */
export function isSame(type: string, wanted: Item, present: Item): boolean {
  return partsOf(type).every((name) => textOf(wanted[name]) === textOf(present[name]));
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return JSON.stringify(value.map(textOf));
  if (!isItem(value)) return String(value);
  return value['id'] === undefined
    ? JSON.stringify(
        Object.entries(value)
          .sort()
          .map(([name, one]) => [name, textOf(one)]),
      )
    : String(value['id']);
}
