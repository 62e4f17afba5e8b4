/** Values of a definition as the API takes them: names become references, sizes numbers. */
import { isType, listAttributes, parseKind } from '../model/index.ts';
import type { Attribute, Kind, SizeUnit } from '../model/notation/attributes.ts';
import type { SourcePlace } from '../source-place.ts';
import { readSingleValue, WireError } from '../wire/index.ts';
import { type Item, isItem } from './document.ts';
import { namedParts } from './references.ts';
import { secretName } from './secrets.ts';
import { parseSize } from './sizes.ts';
import { numberIfExact } from './yaml-text.ts';

/** The attributes of an object as the API has them. Throws `FILE:LINE:COLUMN: problem` for what it has not. */
export function settled(type: string, item: Item, place: SourcePlace): Record<string, unknown> {
  const attributes = listAttributes(type);
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => {
      const attribute = attributes[name];
      if (name !== 'id' && !attribute) {
        const problem = `${type} has no attribute or collection "${name}"`;
        throw new Error(`${place.at(name).position()}: ${place.path()}: ${problem}`);
      }
      return [name, attribute ? settledAttribute(attribute, value, place.at(name)) : value];
    }),
  );
}

function settledAttribute(attribute: Attribute, value: unknown, place: SourcePlace): unknown {
  const { list } = parseKind(attribute.kind);
  if (list === Array.isArray(value)) {
    if (!Array.isArray(value)) return settledValue(attribute, value, place);
    return value.map((one, index) => settledValue(attribute, one, place.at(index)));
  }
  throw new Error(`${place}: expected ${list ? 'a list' : 'one value'}, found ${described(value)}`);
}

function described(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return isItem(value) ? 'an object' : JSON.stringify(String(value));
}

function settledValue(attribute: Attribute, value: unknown, place: SourcePlace): unknown {
  const { kind } = attribute;
  const { form, of } = parseKind(kind);
  if (secretName(value) !== undefined) {
    if (of === 'string') return value;
    throw new Error(`${place}: only strings can be secrets`);
  }
  if (Array.isArray(value)) throw new Error(`${place}: expected one value, found a list`);
  if (form === 'ref' || form === 'links') {
    if (!isItem(value)) return { name: String(value) };
    return isType(of) ? settled(of, value, place) : value;
  }
  if (form === 'struct' && isItem(value)) return settled(of, value, place);
  // In the words of the API these are parts, not references.
  if (form === 'struct' && namedParts.has(of)) return { name: String(value) };
  if ((of === 'long' || of === 'int') && typeof value === 'string') {
    return readValue(kind, numberOf(value, attribute.unit, place), place);
  }
  return readValue(kind, value, place);
}

/** A value without members, as the API takes it: YAML reads 007 as a number, and yes as a word. */
function readValue(kind: Kind, value: unknown, place: SourcePlace): unknown {
  try {
    return readSingleValue(kind, value);
  } catch (cause) {
    if (!(cause instanceof WireError)) throw cause;
    throw new Error(`${place}: ${cause.problem}`, { cause });
  }
}

/**
 * The number in a text, such as `4 GiB`, in the unit of its attribute. Throws `FILE:LINE:COLUMN: problem` for
 * other texts.
 */
export function numberOf(
  text: string,
  unit: SizeUnit | undefined,
  place: SourcePlace,
): number | bigint {
  try {
    if (unit !== undefined) return numberIfExact(parseSize(text, unit));
    if (/^-?\d+$/.test(text)) return numberIfExact(BigInt(text));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${place}: "${text}" is ${reason}; write 4 GiB`);
  }
  throw new Error(`${place}: "${text}" is not an integer`);
}

/** `kim@internal` is kim of the domain internal-authz. */
export function userOf(user: Item): Record<string, unknown> {
  const login = String(user['user_name'] ?? '').replace(/-authz$/, '');
  const profile = login.slice(login.lastIndexOf('@') + 1);
  return { domain: `${profile}-authz`, ...user, user_name: `${login}-authz` };
}
