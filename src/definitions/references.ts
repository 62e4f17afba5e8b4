/**
 * References in definitions: `cluster: lab`, `{ name: mgmt, data_center: south }`. Generators
 * request the candidates, so that a client can resolve asynchronously and a server synchronously.
 */

import { getObjectType, isType, listAttributes, parseKind } from '../model/index.ts';
import { getNameScope } from '../model/naming.ts';
import { isRecord } from '../records.ts';
import { pathText, type Step } from '../source-place.ts';
import type { Item } from './document.ts';
import { isNameless, listIdentityNames } from './identity.ts';

/** Requests the objects of a type. The response is undefined for types without collections. */
export interface CandidateRequest {
  readonly type: string;
  /** Objects with other names may be omitted. */
  readonly name?: string;
}

type Candidates = readonly Item[] | undefined;

export type Resolution<T> = Generator<CandidateRequest, T, Candidates>;

/**
 * Handles a reference to a missing object. The reference remains unchanged unless the handler
 * throws.
 */
export type OnMissing = (path: Steps, type: string, name: string) => void;

type Steps = readonly Step[];

/** A reference that matches several objects. */
export class AmbiguousReference extends Error {
  /** Path of the reference in the object, and the message without the path. */
  readonly steps: Steps;
  readonly problem: string;

  constructor(steps: Steps, problem: string) {
    super(`${pathText(steps)}: ${problem}`);
    this.steps = steps;
    this.problem = problem;
  }
}

type Fields = Readonly<Record<string, unknown>>;
type MutableFields = Record<string, unknown>;

/** Copy of the attributes with references resolved to ids. */
export function* resolveAttributes(
  type: string,
  fields: Fields,
  onMissing: OnMissing,
  above: Steps = [],
): Resolution<MutableFields> {
  const attributes = isType(type) ? listAttributes(type) : {};
  const result: MutableFields = {};
  for (const [name, value] of Object.entries(fields)) {
    const attribute = attributes[name];
    const path = [...above, name];
    if (attribute?.identifiedType !== undefined && typeof value === 'string') {
      const found = yield* resolveReference(
        attribute.identifiedType,
        { name: value },
        onMissing,
        path,
      );
      result[name] = found['id'] ?? value;
    } else {
      const of = attribute && parseKind(attribute.kind);
      result[name] = of ? yield* resolveValue(of, value, onMissing, path) : value;
    }
  }
  return result;
}

function* resolveValue(
  kind: ReturnType<typeof parseKind>,
  value: unknown,
  onMissing: OnMissing,
  path: Steps,
): Resolution<unknown> {
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const [index, one] of value.entries()) {
      items.push(yield* resolveValue(kind, one, onMissing, [...path, index]));
    }
    return items;
  }
  if (!isRecord(value)) return value;
  if (kind.form === 'struct' && !isNamedPart(kind.of, value)) {
    return yield* resolveAttributes(kind.of, value, onMissing, path);
  }
  if (kind.form === 'scalar' || kind.form === 'enum') return value;
  if (value['id'] !== undefined) return value;
  if (isReference(kind.of, value)) return yield* resolveReference(kind.of, value, onMissing, path);
  return yield* resolveAttributes(kind.of, value, onMissing, path);
}

/**
 * Structured attributes that may be references by name: the VM of a template, the NICs of a bond.
 */
export const namedParts: ReadonlySet<string> = new Set(['vm', 'host_nic']);

function isNamedPart(type: string, value: Fields): boolean {
  return namedParts.has(type) && isReference(type, value);
}

/**
 * Whether a value refers to an existing object; otherwise it describes an object to be created with
 * its owner.
 */
export function isReference(type: string, value: Fields): boolean {
  const names = Object.keys(value);
  if (isNameless(type)) return names.length > 0;
  const telling = new Set([
    'name',
    'alias',
    'user_name',
    getNameScope(type),
    getParentAttribute(type),
    'version',
  ]);
  return names.length > 0 && names.every((name) => telling.has(name));
}

/** Attribute with the parent of objects that have no top-level collection. */
export function getParentAttribute(type: string): string | undefined {
  return type === 'quota' || type === 'qos' ? 'data_center' : undefined;
}

/** Resolves a reference to an id; unchanged if no object has the name. */
export function* resolveReference(
  type: string,
  value: Fields,
  onMissing: OnMissing,
  path: Steps,
): Resolution<Fields> {
  const { name: own, alias, user_name: login, ...around } = value;
  const name = own ?? alias ?? login;
  const word = name === undefined ? undefined : String(name);
  const candidates = yield { type, ...(word === undefined ? {} : { name: word }) };
  if (!candidates) return typesWithReadableIds.has(type) || isUuid(word) ? { id: word } : value;
  const owner = getParentAttribute(type);
  const place = owner === undefined ? undefined : around[owner];
  // The parent is resolved with its own type, because the API may not declare the attribute.
  const inner =
    owner === undefined || place === undefined
      ? yield* resolveAttributes(type, around, onMissing, path)
      : { [owner]: yield* resolveReference(owner, asFields(place), onMissing, [...path, owner]) };
  const matches = candidates.filter((one) => isNamed(type, one, word) && matchesValues(inner, one));
  const found = chooseVersion(type, matches);
  if (found) return { id: found['id'] };
  if (matches.length > 1) {
    throw new AmbiguousReference(path, `${matches.length} objects are named ${word}`);
  }
  if (isUuid(word)) return { id: word };
  // The object or its parent may be created later.
  onMissing(path, type, word ?? JSON.stringify(value));
  return value;
}

function asFields(value: unknown): Fields {
  return isRecord(value) ? value : { name: value };
}

/** Types whose ids are the names for users. */
const typesWithReadableIds: ReadonlySet<string> = new Set(['file']);

/** The first version of a template, unless the reference names another. */
function chooseVersion(type: string, matches: readonly Item[]): Item | undefined {
  if (matches.length < 2) return matches[0];
  if (type !== 'template') return undefined;
  const bases = matches.filter((one) => isBase(one));
  return bases.length === 1 ? bases[0] : undefined;
}

/** Whether a template is the first version. */
export function isBase({ id, version }: Item): boolean {
  const base =
    isRecord(version) && isRecord(version['base_template']) ? version['base_template'] : {};
  return base['id'] === undefined || base['id'] === id;
}

/** Whether an object has a name. */
export function isNamed(type: string, item: Item, word: string | undefined): boolean {
  if (word === undefined) return true;
  const names = listIdentityNames(type, item);
  return names.includes(word) || (type === 'user' && names.some((one) => one === `${word}-authz`));
}

/** Whether an object has the wanted values; references are compared by id. */
export function matchesValues(wanted: unknown, present: unknown): boolean {
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(present) &&
      wanted.length === present.length &&
      wanted.every((one, index) => matchesValues(one, present[index]))
    );
  }
  if (!isRecord(wanted)) return String(wanted ?? '') === String(present ?? '');
  if (!isRecord(present)) return false;
  return Object.entries(wanted).every(([name, value]) => matchesValues(value, present[name]));
}

/** Type and attributes of every object that the attributes reference. */
export function* listReferences(
  type: string,
  fields: Fields,
): Generator<readonly [string, Fields]> {
  const attributes = isType(type) ? listAttributes(type) : {};
  for (const [name, value] of Object.entries(fields)) {
    const attribute = attributes[name];
    if (attribute?.identifiedType !== undefined) yield [attribute.identifiedType, { name: value }];
    const of = attribute && getObjectType(attribute.kind);
    if (!attribute || of === undefined) continue;
    const isPart = parseKind(attribute.kind).form === 'struct';
    for (const one of Array.isArray(value) ? value : [value]) {
      if (!isRecord(one)) continue;
      if (isPart ? isNamedPart(of, one) : isReference(of, one)) yield [of, one];
      yield* listReferences(of, one);
    }
  }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function isUuid(word: string | undefined): word is string {
  return word !== undefined && uuid.test(word);
}
