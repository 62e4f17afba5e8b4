/** By what an object of a definition is recognised among those that a service has. */
import type { Thing } from '../../client/client.ts';
import type { Item } from '../../definitions/document.ts';
import { valueAt } from '../output/cells.ts';

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

/** A permission is the one with the same role for the same user or group. */
export function isSamePermission(wanted: Item, present: Thing): boolean {
  return ['role', 'user', 'group'].every(
    (name) => idOf(wanted[name]) === undefined || idOf(wanted[name]) === idOf(present[name]),
  );
}

function idOf(value: unknown): unknown {
  return (value as { readonly id?: unknown } | undefined)?.id;
}
