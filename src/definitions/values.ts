/** Values of a definition as the API takes them: names become references, sizes numbers. */
import { attributesOf, isType, parseKind } from '../model/index.ts';
import type { Kind } from '../model/notation/attributes.ts';
import { type Item, isItem } from './document.ts';
import { secretName } from './secrets.ts';

const units: Readonly<Record<string, number>> = {
  '': 1,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};

/** The attributes of an object as the API has them. Throws with the place of what it has not. */
export function settled(type: string, item: Item, where: string): Record<string, unknown> {
  const attributes = attributesOf(type);
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => {
      const attribute = attributes[name];
      if (name !== 'id' && !attribute) {
        throw new Error(`${where}: ${type} has no attribute and no collection called "${name}"`);
      }
      return [name, attribute ? settledValue(attribute.kind, value, `${where}.${name}`) : value];
    }),
  );
}

function settledValue(kind: Kind, value: unknown, where: string): unknown {
  const { form, of } = parseKind(kind);
  if (secretName(value) !== undefined) {
    if (of === 'string') return value;
    throw new Error(`${where}: only a text can be a secret`);
  }
  if (Array.isArray(value)) return value.map((one) => settledValue(kind, one, where));
  if (form === 'ref' || form === 'links') {
    if (!isItem(value)) return { name: String(value) };
    return isType(of) ? settled(of, value, where) : value;
  }
  if (form === 'struct' && isItem(value)) return settled(of, value, where);
  // A template is made of a machine that it holds in the words of the API.
  if (form === 'struct' && of === 'vm') return { name: String(value) };
  if ((of === 'long' || of === 'int') && typeof value === 'string') return sizeOf(value, where);
  // YAML reads 007 as a number, and yes as a word.
  if (of === 'string' && typeof value === 'number') return String(value);
  return value;
}

function sizeOf(text: string, where: string): number {
  const [, digits = '', unit = ''] = /^(\d+) ?([A-Za-z]*)$/.exec(text) ?? [];
  const factor = units[unit];
  if (digits === '' || factor === undefined) {
    throw new Error(`${where}: "${text}" is not a number with KiB, MiB, GiB or TiB`);
  }
  return Number(digits) * factor;
}

/** `kim@internal` is kim of the domain internal-authz. */
export function userOf(user: Item): Record<string, unknown> {
  const login = String(user['user_name'] ?? '').replace(/-authz$/, '');
  const profile = login.slice(login.lastIndexOf('@') + 1);
  return { domain: `${profile}-authz`, ...user, user_name: `${login}-authz` };
}

/** A number of bytes as people write it: in the largest unit that loses nothing. */
export function sizeText(bytes: number): string | number {
  const unit = Object.keys(units).findLast(
    (name) => name !== '' && bytes !== 0 && bytes % (units[name] ?? 1) === 0,
  );
  return unit === undefined ? bytes : `${bytes / (units[unit] ?? 1)} ${unit}`;
}
