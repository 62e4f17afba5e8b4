/** By what an object of a definition is recognised among those that a service has. */
import type { Thing } from '../../../client/client.ts';
import type { Item } from '../../../definitions/document.ts';
import { plainText, valueAt } from '../../output/cells.ts';

/** Attribute paths that say which object is meant, the best first, where it is not the name. */
const identities: Readonly<Record<string, readonly string[]>> = {
  disk: ['name', 'alias'],
  disk_attachment: ['name', 'disk.name', 'disk.alias'],
  user: ['user_name'],
  snapshot: ['description'],
};

/** The word by which an object is known; none where only its parts say which one it is. */
export function wordOf(type: string, item: Item): string | undefined {
  const paths = identities[type] ?? ['name'];
  const found = paths.map((path) => valueAt(item, path)).find((one) => one !== undefined);
  return found === undefined ? undefined : String(found);
}

/**
 * Attributes that together say which object is meant, of types whose objects have no name. Where there
 * are none a parent has one such object: the CD-ROM drive of a machine.
 */
const parts: Readonly<Record<string, readonly string[]>> = {
  agent: ['address'],
  balance: ['scheduling_policy_unit'],
  cdrom: [],
  filter: ['scheduling_policy_unit'],
  graphics_console: ['protocol'],
  network_attachment: ['network'],
  numa_node: ['index'],
  permission: ['role', 'user', 'group'],
  watchdog: [],
  weight: ['scheduling_policy_unit'],
};

/** Whether objects of a type are known by what they consist of. */
export function isNameless(type: string): boolean {
  return parts[type] !== undefined;
}

/** Whether both are the same nameless object; of what is wanted the references are looked up. */
export function isSame(type: string, wanted: Item, present: Thing): boolean {
  return (parts[type] ?? []).every(
    (name) => wanted[name] === undefined || sameText(wanted[name]) === sameText(present[name]),
  );
}

function sameText(value: unknown): string {
  const id = (value as { readonly id?: unknown } | undefined)?.id;
  return plainText(id ?? value);
}
