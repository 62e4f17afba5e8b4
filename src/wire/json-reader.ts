/** Reader of objects from parsed JSON, with one cached reader for each shape. */
import type { Kind } from '../model/notation/attributes.ts';
import type { Step } from '../source-place.ts';
import { WireError, type WireErrorKind, type WireErrorSource } from './body.ts';
import { maximumValues, parseJson, parseTrustedJson } from './json-parser.ts';
import { dateOfMillis, type Place, scalarReader } from './scalars.ts';
import {
  type Member,
  type ObjectContent,
  type ScalarContent,
  type Shape,
  singleContent,
} from './shape.ts';

type Fields = Record<string, unknown>;

/** Path from the root to the current value. */
class JsonPlace implements Place {
  readonly tolerant: boolean;
  readonly bareLists: boolean;
  private readonly root: string;
  private readonly steps: Step[] = [];

  constructor(root: string, tolerant: boolean, bareLists = tolerant) {
    this.root = root;
    this.tolerant = tolerant;
    this.bareLists = bareLists;
  }

  /** Member names only. `source` contains the list indexes. */
  path(): string {
    return [this.root, ...this.steps.filter((step) => typeof step === 'string')].join('.');
  }

  source(): WireErrorSource {
    return { steps: [...this.steps] };
  }

  enter(step: Step): void {
    this.steps.push(step);
  }

  leave(): void {
    this.steps.pop();
  }

  /** Throws. `stranger` is an unknown member of the current object. */
  fail(problem: string, stranger?: string, kind: WireErrorKind = 'syntax'): never {
    const steps = stranger === undefined ? this.steps : [...this.steps, stranger];
    const known = stranger === undefined ? kind : 'unknown';
    throw new WireError(known, this.path(), problem, { steps: [...steps] });
  }
}

type ReadValue = (value: unknown, place: JsonPlace) => unknown;

/** Reads a text with one object and no wrapper. `root` begins the paths in messages. */
export function readJson(
  text: string,
  root: string,
  shape: Shape,
  tolerant: boolean,
  bareLists = tolerant,
): Fields {
  const value = tolerant ? parseTrustedJson(text) : parseJson(text, maximumValues);
  return readerOf(shape)(value, new JsonPlace(root, tolerant, bareLists));
}

/** Members of a collection in addition to its items. */
const besideItems: ReadonlySet<string> = new Set(['actions', 'link', 'size', 'total', 'active']);

/** Reads a text with a collection: an object with the array of items under one key. */
export function readJsonList(
  text: string,
  item: string,
  shape: Shape,
  tolerant: boolean,
): Fields[] {
  const value = tolerant ? parseTrustedJson(text) : parseJson(text, maximumValues);
  const place = new JsonPlace(item, tolerant);
  const collection = objectOf(value, place);
  if (!tolerant) {
    const stranger = Object.keys(collection).find((key) => key !== item && !besideItems.has(key));
    if (stranger !== undefined)
      place.fail(`unknown member ${stranger}; expected ${item}`, stranger);
  }
  const read = readerOf(shape);
  return itemsOf(collection[item], place).map((one) => read(one, place));
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'bigint' ? 'a number' : `a ${typeof value}`;
}

function objectOf(value: unknown, place: JsonPlace): Fields {
  return isObject(value) ? value : place.fail(`expected an object, found ${describe(value)}`);
}

/** Some services write a list of one item without the array. Only clients accept this. */
function itemsOf(value: unknown, place: JsonPlace): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  return place.tolerant ? [value] : place.fail(`expected an array, found ${describe(value)}`);
}

const readers = new WeakMap<Shape, (value: unknown, place: JsonPlace) => Fields>();

function readerOf(shape: Shape): (value: unknown, place: JsonPlace) => Fields {
  let reader = readers.get(shape);
  if (!reader) {
    reader = makeReader(shape);
    readers.set(shape, reader);
  }
  return reader;
}

interface MemberReader {
  readonly name: string;
  readonly read: ReadValue;
}

function makeReader(shape: Shape): (value: unknown, place: JsonPlace) => Fields {
  const readers = new Map<string, MemberReader>();
  // Created on first use: types have many members, responses few.
  const readerFor = (key: string): MemberReader | undefined => {
    const made = readers.get(key);
    if (made) return made;
    const member = shape.memberFor
      ? shape.memberFor(key)
      : shape.members.find(({ name, wire }) => name === key || wire === key);
    if (!member) return undefined;
    const reader = { name: member.name, read: memberReader(member) };
    readers.set(key, reader);
    return reader;
  };
  return (value, place) => {
    const source = objectOf(value, place);
    const fields: Fields = {};
    for (const key of Object.keys(source)) {
      const member = readerFor(key);
      if (!member) {
        if (place.tolerant) continue;
        place.enter(key);
        return place.fail(
          `unknown member, ${shape.display} has no such member`,
          undefined,
          'unknown',
        );
      }
      const found = source[key];
      if (found === null) continue;
      place.enter(key);
      if (fields[member.name] !== undefined && !place.tolerant) {
        place.fail('duplicate member, under two names');
      }
      const read = member.read(found, place);
      if (read !== undefined) fields[member.name] = read;
      place.leave();
    }
    return fields;
  };
}

function memberReader({ content }: Member): ReadValue {
  if (content.form !== 'list') return contentReader(content);
  const readItem = contentReader(content.of);
  const { item, wrapped } = content;
  const readAll = (value: unknown, place: JsonPlace) => {
    const items: unknown[] = [];
    let index = 0;
    for (const one of itemsOf(value, place)) {
      place.enter(index++);
      const read = one === null ? undefined : readItem(one, place);
      place.leave();
      if (read !== undefined) items.push(read);
    }
    return items;
  };
  if (!wrapped) return readAll;
  return (value, place) => {
    if (place.bareLists && Array.isArray(value)) return readAll(value, place);
    const wrapper = objectOf(value, place);
    if (!place.tolerant) {
      const stranger = Object.keys(wrapper).find((key) => key !== item);
      if (stranger !== undefined)
        place.fail(`unknown member ${stranger}; expected ${item}`, stranger);
    }
    place.enter(item);
    const items = readAll(wrapper[item], place);
    place.leave();
    return items;
  };
}

function contentReader(content: ScalarContent | ObjectContent): ReadValue {
  if (content.form === 'scalar') return scalarValueReader(content);
  let reader: ((value: unknown, place: JsonPlace) => Fields) | undefined;
  return (value, place) => {
    reader ??= readerOf(content.shape());
    return reader(value, place);
  };
}

/** Accepts typed values that match the kind, and parses the text of others. */
function scalarValueReader(content: ScalarContent): ReadValue {
  const readText = scalarReader(content);
  const { kind } = content;
  return (value, place) => {
    switch (typeof value) {
      case 'string':
        return kind === 'date' && /^-?[0-9]{1,17}$/.test(value)
          ? dateOfMillis(Number(value), place)
          : readText(value, place);
      case 'boolean':
        return kind === 'bool' ? value : readText(String(value), place);
      case 'number':
        if (kind === 'date') return dateOfMillis(value, place);
        if (kind === 'long' && Number.isInteger(value) && Math.abs(value) <= 2 ** 63) {
          return Number.isSafeInteger(value) ? value + 0 : readText(String(BigInt(value)), place);
        }
        return readText(String(value), place);
      case 'bigint':
        return kind === 'decimal' ? Number(value) : readText(String(value), place);
      default:
        return place.fail(`expected a single value, found ${describe(value)}`);
    }
  };
}

/**
 * Reads the value of a plain or enum kind from a member of a body. Throws a `WireError` for an
 * invalid value.
 */
export function readSingleValue(kind: Kind, value: unknown): unknown {
  const content = singleContent(kind);
  return content.form === 'scalar'
    ? scalarValueReader(content)(value, new JsonPlace('', false))
    : value;
}
