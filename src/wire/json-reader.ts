/** Reader of objects from parsed JSON, with one cached reader for each shape. */

import type { Kind } from '../model/notation/attributes.ts';
import { isRecord } from '../records.ts';
import type { Step } from '../source-place.ts';
import { WireError, type WireErrorKind, type WireErrorSource } from './body.ts';
import { maximumValues, parseJson, parseTrustedJson } from './json-parser.ts';
import { dateFromMillis, type ReadPosition, scalarReader } from './scalars.ts';
import {
  type Member,
  type ObjectContent,
  type ScalarContent,
  type Shape,
  singleContent,
} from './shape.ts';

type Fields = Record<string, unknown>;

/** Path from the root to the current value. */
class JsonPosition implements ReadPosition {
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
  fail(problem: string, unknownMember?: string, kind: WireErrorKind = 'syntax'): never {
    const steps = unknownMember === undefined ? this.steps : [...this.steps, unknownMember];
    const known = unknownMember === undefined ? kind : 'unknown';
    throw new WireError(known, this.path(), problem, { steps: [...steps] });
  }
}

type ReadValue = (value: unknown, position: JsonPosition) => unknown;

/** Reads a text with one object and no wrapper. `root` begins the paths in messages. */
export function readJson(
  text: string,
  root: string,
  shape: Shape,
  tolerant: boolean,
  bareLists = tolerant,
): Fields {
  const value = tolerant ? parseTrustedJson(text) : parseJson(text, maximumValues);
  return getReader(shape)(value, new JsonPosition(root, tolerant, bareLists));
}

/** Members of a collection in addition to its items. */
const collectionMembers: ReadonlySet<string> = new Set([
  'actions',
  'link',
  'size',
  'total',
  'active',
]);

/** Reads a text with a collection: an object with the array of items under one key. */
export function readJsonList(
  text: string,
  item: string,
  shape: Shape,
  tolerant: boolean,
): Fields[] {
  const value = tolerant ? parseTrustedJson(text) : parseJson(text, maximumValues);
  const position = new JsonPosition(item, tolerant);
  const collection = requireObject(value, position);
  if (!tolerant) {
    const unknownMember = Object.keys(collection).find(
      (key) => key !== item && !collectionMembers.has(key),
    );
    if (unknownMember !== undefined)
      position.fail(`unknown member ${unknownMember}; expected ${item}`, unknownMember);
  }
  const read = getReader(shape);
  return listItems(collection[item], position).map((one) => read(one, position));
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'bigint' ? 'a number' : `a ${typeof value}`;
}

function requireObject(value: unknown, position: JsonPosition): Fields {
  return isRecord(value) ? value : position.fail(`expected an object, found ${describe(value)}`);
}

/** Some services write a list of one item without the array. Only clients accept this. */
function listItems(value: unknown, position: JsonPosition): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  return position.tolerant ? [value] : position.fail(`expected an array, found ${describe(value)}`);
}

const readers = new WeakMap<Shape, (value: unknown, position: JsonPosition) => Fields>();

function getReader(shape: Shape): (value: unknown, position: JsonPosition) => Fields {
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

function makeReader(shape: Shape): (value: unknown, position: JsonPosition) => Fields {
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
  return (value, position) => {
    const source = requireObject(value, position);
    const fields: Fields = {};
    for (const key of Object.keys(source)) {
      const member = readerFor(key);
      if (!member) {
        if (position.tolerant) continue;
        position.enter(key);
        return position.fail(
          `unknown member, ${shape.display} has no such member`,
          undefined,
          'unknown',
        );
      }
      const found = source[key];
      if (found === null) continue;
      position.enter(key);
      if (fields[member.name] !== undefined && !position.tolerant) {
        position.fail('duplicate member, under two names');
      }
      const read = member.read(found, position);
      if (read !== undefined) fields[member.name] = read;
      position.leave();
    }
    return fields;
  };
}

function memberReader({ content }: Member): ReadValue {
  if (content.form !== 'list') return contentReader(content);
  const readItem = contentReader(content.of);
  const { item, wrapped } = content;
  const readAll = (value: unknown, position: JsonPosition) => {
    const items: unknown[] = [];
    let index = 0;
    for (const one of listItems(value, position)) {
      position.enter(index++);
      const read = one === null ? undefined : readItem(one, position);
      position.leave();
      if (read !== undefined) items.push(read);
    }
    return items;
  };
  if (!wrapped) return readAll;
  return (value, position) => {
    if (position.bareLists && Array.isArray(value)) return readAll(value, position);
    const wrapper = requireObject(value, position);
    if (!position.tolerant) {
      const unknownMember = Object.keys(wrapper).find((key) => key !== item);
      if (unknownMember !== undefined)
        position.fail(`unknown member ${unknownMember}; expected ${item}`, unknownMember);
    }
    position.enter(item);
    const items = readAll(wrapper[item], position);
    position.leave();
    return items;
  };
}

function contentReader(content: ScalarContent | ObjectContent): ReadValue {
  if (content.form === 'scalar') return scalarValueReader(content);
  let reader: ((value: unknown, position: JsonPosition) => Fields) | undefined;
  return (value, position) => {
    reader ??= getReader(content.shape());
    return reader(value, position);
  };
}

/** Accepts typed values that match the kind, and parses the text of others. */
function scalarValueReader(content: ScalarContent): ReadValue {
  const readText = scalarReader(content);
  const { kind } = content;
  return (value, position) => {
    switch (typeof value) {
      case 'string':
        return kind === 'date' && /^-?[0-9]{1,17}$/.test(value)
          ? dateFromMillis(Number(value), position)
          : readText(value, position);
      case 'boolean':
        return kind === 'bool' ? value : readText(String(value), position);
      case 'number':
        if (kind === 'date') return dateFromMillis(value, position);
        if (kind === 'long' && Number.isInteger(value) && Math.abs(value) <= 2 ** 63) {
          return Number.isSafeInteger(value)
            ? value + 0
            : readText(String(BigInt(value)), position);
        }
        return readText(String(value), position);
      case 'bigint':
        return kind === 'decimal' ? Number(value) : readText(String(value), position);
      default:
        return position.fail(`expected a single value, found ${describe(value)}`);
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
    ? scalarValueReader(content)(value, new JsonPosition('', false))
    : value;
}
