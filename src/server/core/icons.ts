/** Icons of virtual machines and templates: uploaded ones, or those of the operating system. */

import type { Resource } from '../../model/resource.ts';
import { isRecord, type StoredObject } from '../store/kinds.ts';
import type { Transaction } from '../store/transaction.ts';
import { notFound, Refusal } from './fault.ts';
import { iconPictures } from './icon-pictures.ts';
import { namedId } from './random.ts';

type Icon = Resource<'icon'>;
type Icons = { readonly small_icon: { id: string }; readonly large_icon: { id: string } };

const iconNames = ['small_icon', 'large_icon'] as const;

const byFamily = new Map<string, Icons>(
  Object.keys(iconPictures).map((family) => [family, iconsOfFamily(family)]),
);

function iconsOfFamily(family: string): Icons {
  return {
    small_icon: { id: idOf(family, 'small_icon') },
    large_icon: { id: idOf(family, 'large_icon') },
  };
}

function idOf(family: string, name: string): string {
  return namedId('icon', family, name);
}

/** The icons of an operating system, by its word: `rhel_9x64`. */
export function iconsOf(system = 'other'): Icons {
  const [family = ''] = /^[a-z]*/.exec(system) ?? [];
  return byFamily.get(family) ?? iconsOfFamily('other');
}

/** The icons that a machine or template is shown with. */
export function shownIcons(object: {
  readonly os?: { readonly type?: string };
  readonly small_icon?: object;
  readonly large_icon?: object;
}): StoredObject {
  const { small_icon, large_icon } = object;
  const icons = iconsOf(object.os?.type);
  if (!small_icon && !large_icon) return icons;
  return { small_icon: small_icon ?? icons.small_icon, large_icon: large_icon ?? icons.large_icon };
}

/** Adds the icons of all operating systems. */
export function addDefaultIcons(tx: Transaction): void {
  for (const [family, pictures] of Object.entries(iconPictures)) {
    for (const name of iconNames) {
      add(tx, { id: idOf(family, name), media_type: 'image/png', data: pictures[name] });
    }
  }
}

function add(tx: Transaction, icon: Icon): void {
  tx.insert('icon', '/icons', icon);
}

const mediaTypes: ReadonlySet<unknown> = new Set(['image/png', 'image/jpeg', 'image/gif']);
/** Characters of an icon in base64: 24 KiB. */
const maximumData = 32 * 1024;

/**
 * Makes icons of the pictures that were sent with an object, which refers to them from then on.
 * One without content means that of the operating system. Refuses with 404 an icon that does not
 * exist, and with 400 what is no picture.
 */
export function settleIcons(tx: Transaction, object: StoredObject): void {
  for (const name of iconNames) {
    const sent = object[name];
    if (isRecord(sent)) object[name] = settled(tx, name, sent);
  }
}

function settled(tx: Transaction, name: string, sent: Icon): { id: string } | undefined {
  if (sent.id !== undefined) {
    if (!tx.get('icon', sent.id)) throw notFound(`Icon ${sent.id} does not exist.`);
    return { id: sent.id };
  }
  const { media_type, data } = sent;
  if (media_type === undefined && data === undefined) return undefined;
  if (!mediaTypes.has(media_type)) {
    throw unfit(`${name}.media_type is none of ${[...mediaTypes].join(', ')}.`);
  }
  const plain = data?.replace(/\s/g, '') ?? '';
  if (!/^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/.test(plain)) {
    throw unfit(`${name}.data is not a picture in base64.`);
  }
  if (plain.length > maximumData) throw unfit(`${name}.data is larger than 24 KiB.`);
  // The same picture is one icon, whoever uses it.
  const id = namedId('icon', String(media_type), plain);
  if (!tx.get('icon', id)) add(tx, { id, media_type: String(media_type), data: plain });
  return { id };
}

function unfit(detail: string): Refusal {
  return new Refusal(400, 'Operation Failed', detail);
}
