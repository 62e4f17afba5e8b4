/**
 * References in definitions: `cluster: lab`, `{ name: mgmt, data_center: south }`. What they lead to
 * is asked for as it is needed, so that a client may wait for the answers and a server need not.
 */
import { getObjectType, isType, listAttributes, parseKind } from '../model/index.ts';
import { getNameScope } from '../model/naming.ts';
import { pathText, type Step } from '../source-place.ts';
import { type Item, isItem } from './document.ts';
import { isNameless, wordsOf } from './identity.ts';

/** Asks for the objects of a type; `undefined` is answered for types without collections. */
export interface Question {
  readonly type: string;
  /** Nobody needs objects of other names. */
  readonly name?: string;
}

type Answers = readonly Item[] | undefined;

export type Asking<T> = Generator<Question, T, Answers>;

/** Told of a reference to something that is not there; it stays as it is unless this throws. */
export type OnMissing = (path: Steps, type: string, name: string) => void;

type Steps = readonly Step[];

/** Several objects have the name. */
export class AmbiguousReference extends Error {
  /** Path of the reference below the object, and the message without it. */
  readonly steps: Steps;
  readonly problem: string;

  constructor(steps: Steps, problem: string) {
    super(`${pathText(steps)}: ${problem}`);
    this.steps = steps;
    this.problem = problem;
  }
}

type Fields = Readonly<Record<string, unknown>>;
type Written = Record<string, unknown>;

/** A copy of the attributes in which references are ids. */
export function* resolved(
  type: string,
  fields: Fields,
  onMissing: OnMissing,
  above: Steps = [],
): Asking<Written> {
  const attributes = isType(type) ? listAttributes(type) : {};
  const result: Written = {};
  for (const [name, value] of Object.entries(fields)) {
    const attribute = attributes[name];
    const path = [...above, name];
    if (attribute?.idOf !== undefined && typeof value === 'string') {
      const found = yield* reference(attribute.idOf, { name: value }, onMissing, path);
      result[name] = found['id'] ?? value;
    } else {
      const of = attribute && parseKind(attribute.kind);
      result[name] = of ? yield* resolvedValue(of, value, onMissing, path) : value;
    }
  }
  return result;
}

function* resolvedValue(
  kind: ReturnType<typeof parseKind>,
  value: unknown,
  onMissing: OnMissing,
  path: Steps,
): Asking<unknown> {
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const [index, one] of value.entries()) {
      items.push(yield* resolvedValue(kind, one, onMissing, [...path, index]));
    }
    return items;
  }
  if (!isItem(value)) return value;
  if (kind.form === 'struct' && !isNamedPart(kind.of, value)) {
    return yield* resolved(kind.of, value, onMissing, path);
  }
  if (kind.form === 'scalar' || kind.form === 'enum') return value;
  if (value['id'] !== undefined) return value;
  if (isReference(kind.of, value)) return yield* reference(kind.of, value, onMissing, path);
  return yield* resolved(kind.of, value, onMissing, path);
}

/** Parts that are objects by name: the VM of which a template is made, the interfaces of a bond. */
export const namedParts: ReadonlySet<string> = new Set(['vm', 'host_nic']);

function isNamedPart(type: string, value: Fields): boolean {
  return namedParts.has(type) && isReference(type, value);
}

/** Whether it names an object that is there; otherwise it is one that is made along with its owner. */
export function isReference(type: string, value: Fields): boolean {
  const names = Object.keys(value);
  if (isNameless(type)) return names.length > 0;
  const telling = new Set([
    'name',
    'alias',
    'user_name',
    getNameScope(type),
    ownerOf(type),
    'version',
  ]);
  return names.length > 0 && names.every((name) => telling.has(name));
}

/** The attribute of objects without a collection of their own that says where they are. */
export function ownerOf(type: string): string | undefined {
  return type === 'quota' || type === 'qos' ? 'data_center' : undefined;
}

/** The reference as an id; as it was where nothing has the name. */
export function* reference(
  type: string,
  value: Fields,
  onMissing: OnMissing,
  path: Steps,
): Asking<Fields> {
  const { name: own, alias, user_name: login, ...around } = value;
  const name = own ?? alias ?? login;
  const word = name === undefined ? undefined : String(name);
  const candidates = yield { type, ...(word === undefined ? {} : { name: word }) };
  if (!candidates) return typeOfIds.has(type) || isUuid(word) ? { id: word } : value;
  const owner = ownerOf(type);
  const place = owner === undefined ? undefined : around[owner];
  // Where it is has a type of its own, though the API may not say so.
  const inner =
    owner === undefined || place === undefined
      ? yield* resolved(type, around, onMissing, path)
      : { [owner]: yield* reference(owner, named(place), onMissing, [...path, owner]) };
  const matches = candidates.filter((one) => isNamed(type, one, word) && covers(inner, one));
  const found = choose(type, matches);
  if (found) return { id: found['id'] };
  if (matches.length > 1) {
    throw new AmbiguousReference(path, `${matches.length} objects are named ${word}`);
  }
  if (isUuid(word)) return { id: word };
  // What it is in may come with something that is made first.
  onMissing(path, type, word ?? JSON.stringify(value));
  return value;
}

function named(value: unknown): Fields {
  return isItem(value) ? value : { name: value };
}

/** Types whose ids are what people call the objects. */
const typeOfIds: ReadonlySet<string> = new Set(['file']);

/** Of the versions of a template the first is meant, unless somebody says which. */
function choose(type: string, matches: readonly Item[]): Item | undefined {
  if (matches.length < 2) return matches[0];
  if (type !== 'template') return undefined;
  const bases = matches.filter((one) => isBase(one));
  return bases.length === 1 ? bases[0] : undefined;
}

/** Whether a template is no version of another. */
export function isBase({ id, version }: Item): boolean {
  const base = isItem(version) && isItem(version['base_template']) ? version['base_template'] : {};
  return base['id'] === undefined || base['id'] === id;
}

/** Whether an object is called so. */
export function isNamed(type: string, item: Item, word: string | undefined): boolean {
  if (word === undefined) return true;
  const names = wordsOf(type, item);
  return names.includes(word) || (type === 'user' && names.some((one) => one === `${word}-authz`));
}

/** Whether an object is as these attributes say; references are compared by id. */
export function covers(wanted: unknown, present: unknown): boolean {
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(present) &&
      wanted.length === present.length &&
      wanted.every((one, index) => covers(one, present[index]))
    );
  }
  if (!isItem(wanted)) return String(wanted ?? '') === String(present ?? '');
  if (!isItem(present)) return false;
  return Object.entries(wanted).every(([name, value]) => covers(value, present[name]));
}

/** Every object that the attributes refer to: its type, and what is said of it. */
export function* mentioned(type: string, fields: Fields): Generator<readonly [string, Fields]> {
  const attributes = isType(type) ? listAttributes(type) : {};
  for (const [name, value] of Object.entries(fields)) {
    const attribute = attributes[name];
    if (attribute?.idOf !== undefined) yield [attribute.idOf, { name: value }];
    const of = attribute && getObjectType(attribute.kind);
    if (!attribute || of === undefined) continue;
    const isPart = parseKind(attribute.kind).form === 'struct';
    for (const one of Array.isArray(value) ? value : [value]) {
      if (!isItem(one)) continue;
      if (isPart ? isNamedPart(of, one) : isReference(of, one)) yield [of, one];
      yield* mentioned(of, one);
    }
  }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function isUuid(word: string | undefined): word is string {
  return word !== undefined && uuid.test(word);
}
