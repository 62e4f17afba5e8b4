/** Templates without a source VM in the definition, and disks that VMs get from templates. */

import { listAttributes } from '../model/index.ts';
import { isRecord } from '../records.ts';
import type { Item } from './document.ts';
import type { Entry } from './entries.ts';
import { getIdentityName } from './identity.ts';

/** Disks of a VM that come from its template: `disk: { name: root, template: rhel9 }`. */
export function listTemplateDisks({ children }: Entry): readonly Item[] {
  return children.flatMap(({ type, wanted: { disk } }) =>
    type === 'disk_attachment' && isRecord(disk) && disk['template'] !== undefined ? [disk] : [],
  );
}

/**
 * Disks to send with a new VM, with the names and storage of the definition. Each is matched with
 * the template disk of the same name; the others in order.
 */
export function matchTemplateDisks(
  wanted: readonly Item[],
  sources: readonly Item[],
): readonly Item[] {
  const named = (disk: Item) =>
    sources.find((one) => getIdentityName('disk', one) === getIdentityName('disk', disk));
  const taken = new Set(wanted.map(named));
  const others = sources.filter((one) => !taken.has(one));
  return wanted.flatMap((disk) => {
    const source = named(disk) ?? others.shift();
    if (!source) return [];
    const { name, alias, format, sparse, storage_domains } = disk;
    const said = { name: name ?? alias, format, sparse, storage_domains };
    const present = Object.entries(said).filter(([, value]) => value !== undefined);
    return [{ id: source['id'], ...Object.fromEntries(present) }];
  });
}

/** Whether a template is defined by its attributes, without a source VM. */
export function isWithoutSource({ service, wanted }: Entry): boolean {
  return service === '/templates' && wanted['vm'] === undefined;
}

/** Subcollections that a template gets from its source VM. */
export const templateSubcollections: ReadonlySet<string> = new Set([
  'nics',
  'diskattachments',
  'graphicsconsoles',
  'watchdogs',
  'mediateddevices',
]);

/** Whether an entry is in a subcollection of a template without a source VM. */
export function isPartOfTemplate({ service, parent }: Entry): boolean {
  const word = service.slice(service.lastIndexOf('/') + 1);
  return parent !== undefined && isWithoutSource(parent) && templateSubcollections.has(word);
}

/** Attributes of a template that its source VM does not have. */
const templateOnlyAttributes: ReadonlySet<string> = new Set([
  'name',
  'description',
  'comment',
  'version',
  'vm',
  'delete_protected',
]);

/** Attributes of the source VM for a template. */
export function createSourceAttributes(template: Item): Item {
  const attributes = listAttributes('vm');
  return Object.fromEntries(
    Object.entries(template).filter(
      ([name]) => attributes[name] && !templateOnlyAttributes.has(name),
    ),
  );
}
