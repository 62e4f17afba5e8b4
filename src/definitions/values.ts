/** Conversion of definition values to API values: names to references, sizes to numbers. */

import { getErrorMessage } from '../caught-errors.ts';
import { isType, listAttributes, parseKind } from '../model/index.ts';
import type { Attribute, Kind, SizeUnit } from '../model/notation/attributes.ts';
import { isRecord } from '../records.ts';
import type { SourcePlace } from '../source-place.ts';
import { readSingleValue, WireError } from '../wire/index.ts';
import type { Item } from './document.ts';
import { namedParts } from './references.ts';
import { getSecretName } from './secrets.ts';
import { parseSize } from './sizes.ts';
import { numberIfExact } from './yaml-text.ts';

/** Attributes of an object as API values. Throws `FILE:LINE:COLUMN: problem` for invalid ones. */
export function convertAttributes(
  type: string,
  item: Item,
  place: SourcePlace,
): Record<string, unknown> {
  const attributes = listAttributes(type);
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => {
      const attribute = attributes[name];
      if (name !== 'id' && !attribute) {
        const problem = `${type} has no attribute or collection "${name}"`;
        throw new Error(`${place.at(name).position()}: ${place.path()}: ${problem}`);
      }
      return [name, attribute ? convertAttribute(attribute, value, place.at(name)) : value];
    }),
  );
}

function convertAttribute(attribute: Attribute, value: unknown, place: SourcePlace): unknown {
  const { list } = parseKind(attribute.kind);
  if (list === Array.isArray(value)) {
    if (!Array.isArray(value)) return convertValue(attribute, value, place);
    return value.map((one, index) => convertValue(attribute, one, place.at(index)));
  }
  throw new Error(
    `${place}: expected ${list ? 'a list' : 'one value'}, found ${describeValue(value)}`,
  );
}

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return isRecord(value) ? 'an object' : JSON.stringify(String(value));
}

function convertValue(attribute: Attribute, value: unknown, place: SourcePlace): unknown {
  const { kind } = attribute;
  const { form, of } = parseKind(kind);
  if (getSecretName(value) !== undefined) {
    if (of === 'string') return value;
    throw new Error(`${place}: only strings can be secrets`);
  }
  if (Array.isArray(value)) throw new Error(`${place}: expected one value, found a list`);
  if (form === 'ref' || form === 'links') {
    if (!isRecord(value)) return { name: String(value) };
    return isType(of) ? convertAttributes(of, value, place) : value;
  }
  if (form === 'struct' && isRecord(value)) return convertAttributes(of, value, place);
  // The API declares these as structures, not as references.
  if (form === 'struct' && namedParts.has(of)) return { name: String(value) };
  if ((of === 'long' || of === 'int') && typeof value === 'string') {
    return readValue(kind, parseNumberWithUnit(value, attribute.unit, place), place);
  }
  return readValue(kind, value, place);
}

/** Converts a scalar. YAML may parse it with another type, for example 007 as a number. */
function readValue(kind: Kind, value: unknown, place: SourcePlace): unknown {
  try {
    return readSingleValue(kind, value);
  } catch (cause) {
    if (!(cause instanceof WireError)) throw cause;
    throw new Error(`${place}: ${cause.problem}`, { cause });
  }
}

/**
 * Parses a number with a unit, such as `4 GiB`, into the unit of its attribute. Throws
 * `FILE:LINE:COLUMN: problem`.
 */
export function parseNumberWithUnit(
  text: string,
  unit: SizeUnit | undefined,
  place: SourcePlace,
): number | bigint {
  try {
    if (unit !== undefined) return numberIfExact(parseSize(text, unit));
    if (/^-?\d+$/.test(text)) return numberIfExact(BigInt(text));
  } catch (error) {
    const reason = getErrorMessage(error);
    throw new Error(`${place}: "${text}" is ${reason}; write 4 GiB`);
  }
  throw new Error(`${place}: "${text}" is not an integer`);
}

/** Attributes of a user: `kim@internal` is user `kim@internal-authz` of domain `internal-authz`. */
export function completeUser(user: Item): Record<string, unknown> {
  const login = String(user['user_name'] ?? '').replace(/-authz$/, '');
  const profile = login.slice(login.lastIndexOf('@') + 1);
  return { domain: `${profile}-authz`, ...user, user_name: `${login}-authz` };
}
