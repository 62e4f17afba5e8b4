/** Values of a definition as the API takes them: names become references, sizes numbers. */
import { attributesOf, isType, parseKind } from '../model/index.ts';
import type { Attribute, SizeUnit } from '../model/notation/attributes.ts';
import { type Item, isItem } from './document.ts';
import { namedParts } from './references.ts';
import { secretName } from './secrets.ts';
import { parseSize } from './sizes.ts';
import { numberIfExact } from './yaml-text.ts';

/** The attributes of an object as the API has them. Throws with the place of what it has not. */
export function settled(type: string, item: Item, where: string): Record<string, unknown> {
  const attributes = attributesOf(type);
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => {
      const attribute = attributes[name];
      if (name !== 'id' && !attribute) {
        throw new Error(`${where}: ${type} has no attribute and no collection called "${name}"`);
      }
      return [name, attribute ? settledValue(attribute, value, `${where}.${name}`) : value];
    }),
  );
}

function settledValue(attribute: Attribute, value: unknown, where: string): unknown {
  const { form, of } = parseKind(attribute.kind);
  if (secretName(value) !== undefined) {
    if (of === 'string') return value;
    throw new Error(`${where}: only a text can be a secret`);
  }
  if (Array.isArray(value)) return value.map((one) => settledValue(attribute, one, where));
  if (form === 'ref' || form === 'links') {
    if (!isItem(value)) return { name: String(value) };
    return isType(of) ? settled(of, value, where) : value;
  }
  if (form === 'struct' && isItem(value)) return settled(of, value, where);
  // In the words of the API these are parts, not references.
  if (form === 'struct' && namedParts.has(of)) return { name: String(value) };
  if ((of === 'long' || of === 'int') && typeof value === 'string') {
    return numberOf(value, attribute.unit, where);
  }
  // YAML reads 007 as a number, and yes as a word.
  if (of === 'string' && (typeof value === 'number' || typeof value === 'bigint'))
    return String(value);
  return value;
}

function numberOf(text: string, unit: SizeUnit | undefined, where: string): number | bigint {
  try {
    if (unit !== undefined) return numberIfExact(parseSize(text, unit));
    if (/^-?\d+$/.test(text)) return numberIfExact(BigInt(text));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${where}: "${text}" is ${reason}; write 4 GiB`);
  }
  throw new Error(`${where}: "${text}" is not a whole number`);
}

/** `kim@internal` is kim of the domain internal-authz. */
export function userOf(user: Item): Record<string, unknown> {
  const login = String(user['user_name'] ?? '').replace(/-authz$/, '');
  const profile = login.slice(login.lastIndexOf('@') + 1);
  return { domain: `${profile}-authz`, ...user, user_name: `${login}-authz` };
}
