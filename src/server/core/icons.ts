/** Icons of VMs and templates: uploaded ones, or those of the operating system. */

import type { Resource } from '../../model/resource.ts';
import { isRecord } from '../../records.ts';
import type { StoredObject } from '../store/kinds.ts';
import type { Transaction } from '../store/transaction.ts';
import { Refusal } from './fault.ts';
import { iconPictures } from './icon-pictures.ts';
import { namedId } from './random.ts';

type Icon = Resource<'icon'>;
type Icons = { readonly small_icon: { id: string }; readonly large_icon: { id: string } };

export const iconNames = ['small_icon', 'large_icon'] as const;

/** Ids of the small and large icon of each family, identical in all engines. */
const familyIds: Readonly<Record<string, readonly [small: string, large: string]>> = {
  debian: ['3580af26-e3f6-e7bf-c172-c8de477767fb', '02401d08-0cb0-264e-b69f-035d5c3f8267'],
  freebsd: ['8a38c09b-d011-ca1f-2574-286090a59dc4', '5567c2fc-0a81-0bbd-74c3-a81b11e0c8e0'],
  linux: ['72125ccc-de4e-f914-4601-09089b928333', '3a82c1bb-55b0-ca49-f3fb-c41d3a9fb772'],
  sles: ['d4f828a8-d723-39b6-1eeb-2cb88f8bc2e6', '9712176d-4903-682e-ad7d-49828e57b807'],
  ubuntu: ['5e7683c5-fb62-f954-c9bb-15b27c022ba3', '02a30788-ef58-1a36-0379-b68d973f5270'],
  windows: ['bebf3360-89be-be3f-be09-e2a33d7e9d3e', '392cecd9-1815-81c8-ad6b-15123749004f'],
  other: ['03e72b87-18b0-4c96-836f-9ea39a13f564', 'dc976a0b-5c88-47bc-8acc-e46fe3641e1a'],
  rhel: ['3ff52a97-5e86-4287-8782-43c8d2e7cb38', 'b65d9071-1767-4d06-934c-e5fe53267db9'],
  atomic: ['f9ad6601-8740-4489-a33c-5c02f90b60a9', '493ef2e7-e827-44d0-9836-632d0e515451'],
  rhcos: ['4ca05125-db5f-4a09-a622-a84b30cbf507', '14e22fed-7c3d-4bbb-a52d-1f7f5f2cf2ce'],
};

function listFamilyIcons(family: string): Icons {
  return {
    small_icon: { id: getIconId(family, 'small_icon') },
    large_icon: { id: getIconId(family, 'large_icon') },
  };
}

function getIconId(family: string, name: (typeof iconNames)[number]): string {
  const [small, large] = familyIds[family] ?? [];
  return (name === 'small_icon' ? small : large) ?? namedId('icon', family, name);
}

function findFamily(system: string): string {
  if (system === 'other_linux_kernel_4') return 'rhel';
  if (system.startsWith('other_linux')) return 'linux';
  if (system.startsWith('rhel_atomic')) return 'atomic';
  const [family = ''] = /^[a-z]*?(?=x64$|[^a-z]|$)/.exec(system) ?? [];
  return family in iconPictures ? family : 'other';
}

/** The icons of an operating system, by its type: `rhel_9x64`. */
export function getSystemIcons(system = 'other'): Icons {
  return listFamilyIcons(findFamily(system));
}

/** The only system that is listed without icons. Its VMs have those of its family. */
const systemWithoutIcons = 'rhel_6_9_plus_ppc64';

/** The icons in the list entry of an operating system. */
export function getListedIcons(system: string): Partial<Icons> {
  return system === systemWithoutIcons ? {} : getSystemIcons(system);
}

/** The icons in the representation of a VM or template. */
export function getShownIcons(object: {
  readonly os?: { readonly type?: string };
  readonly small_icon?: object;
  readonly large_icon?: object;
}): StoredObject {
  const { small_icon, large_icon } = object;
  const icons = getSystemIcons(object.os?.type);
  if (!small_icon && !large_icon) return icons;
  return { small_icon: small_icon ?? icons.small_icon, large_icon: large_icon ?? icons.large_icon };
}

/** Families whose small icons precede all large ones in lists. */
const firstFamilies = ['debian', 'freebsd', 'linux', 'sles', 'ubuntu', 'windows'];

/** Adds the icons of all operating systems, in the order in which engines list them. */
export function addDefaultIcons(tx: Transaction): void {
  const addIcon = (family: string, name: (typeof iconNames)[number]) => {
    const data = iconPictures[family]?.[name];
    if (data !== undefined) add(tx, { id: getIconId(family, name), media_type: 'image/png', data });
  };
  for (const name of iconNames) for (const family of firstFamilies) addIcon(family, name);
  for (const family of Object.keys(iconPictures)) {
    if (firstFamilies.includes(family)) continue;
    for (const name of iconNames) addIcon(family, name);
  }
}

function add(tx: Transaction, icon: Icon): void {
  tx.insert('icon', '/icons', icon);
}

const mediaTypes: ReadonlySet<unknown> = new Set(['image/png', 'image/jpeg', 'image/gif']);
/** Maximum characters of an icon in base64: 24 KiB. */
const maximumData = 32 * 1024;

/**
 * Stores the pictures in a request as icons and replaces them with references. An icon without
 * content means the icon of the operating system. Refuses with 400 an unknown icon id and invalid
 * picture data.
 */
export function storeIcons(tx: Transaction, object: StoredObject): void {
  for (const name of iconNames) {
    const sent = object[name];
    if (isRecord(sent)) object[name] = storeIcon(tx, name, sent);
  }
}

function storeIcon(tx: Transaction, name: string, sent: Icon): { id: string } | undefined {
  if (sent.id !== undefined) {
    if (!tx.get('icon', sent.id)) throw invalidIcon(`Icon ${sent.id} does not exist.`);
    if (sent.data !== undefined) throw invalidIcon(`${name} has both an id and data.`);
    return { id: sent.id };
  }
  const { media_type, data } = sent;
  if (media_type === undefined && data === undefined) return undefined;
  if (!mediaTypes.has(media_type)) {
    throw invalidIcon(`${name}.media_type is none of ${[...mediaTypes].join(', ')}.`);
  }
  const plain = data?.replace(/\s/g, '') ?? '';
  if (!/^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/.test(plain)) {
    throw invalidIcon(`${name}.data is not a picture in base64.`);
  }
  if (plain.length > maximumData) throw invalidIcon(`${name}.data is larger than 24 KiB.`);
  // The id depends on the content: equal pictures share one icon.
  const id = namedId('icon', String(media_type), plain);
  if (!tx.get('icon', id)) add(tx, { id, media_type: String(media_type), data: plain });
  return { id };
}

function invalidIcon(detail: string): Refusal {
  return new Refusal(400, 'Operation Failed', detail);
}
