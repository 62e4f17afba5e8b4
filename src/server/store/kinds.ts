/** Tables and columns of the store, and objects as documents. */

import { isType, listAttributes, parseKind } from '../../model/index.ts';
import { type DerivedKind, derivedKinds } from '../../model/notation/kinds.ts';
import type { TypeName } from '../../model/resources/index.ts';
import type { SqlValue } from './driver.ts';
import { kindColumns } from './kind-columns.ts';
import type { Column } from './own-column.ts';

/** An object as the rules see it. */
export type StoredObject = Record<string, unknown>;

const bigMark = '$bigint';

/** Writes an object; integers beyond 2^53 keep every digit. */
export function writeDocument(object: object): string {
  return JSON.stringify(object, (_, value: unknown) =>
    typeof value === 'bigint' ? { [bigMark]: value.toString() } : value,
  );
}

/** Reads what `writeDocument` wrote. */
export function parseDocument(text: string): StoredObject {
  return readJson(text);
}

/** Reads JSON that the store has written, or that one of its statements selects. */
export function readJson<T>(text: string): T {
  // The reviver costs far more than the parse; almost no object needs it.
  const value: unknown = text.includes(bigMark)
    ? JSON.parse(text, (_, part: unknown) => {
        const digits = isRecord(part) ? part[bigMark] : undefined;
        return typeof digits === 'string' ? BigInt(digits) : part;
      })
    : JSON.parse(text);
  // Whoever reads it has written it, or the statement that selects it: the type is that of this.
  return value as T;
}

export function isRecord(value: unknown): value is StoredObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path inside an object, or undefined where the path ends early. */
export function valueAt(object: unknown, path: readonly string[]): unknown {
  let at = object;
  for (const word of path) {
    if (!isRecord(at)) return undefined;
    at = at[word];
  }
  return at;
}

/** The value of a column: booleans as 0 and 1, absent values as NULL. */
export function columnValue(object: StoredObject, column: Column): SqlValue {
  const value = valueAt(object, column.path);
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'bigint':
      return value;
    case 'boolean':
      return value ? 1 : 0;
    default:
      return null;
  }
}

/**
 * A kind of stored object: a type of the model, or one that is made from others
 * (`derivedKinds`) and has a few attributes of its own.
 */
export type KindName = TypeName | DerivedKind;

/** Type of the model for a kind. */
export type TypeOfKind<K extends KindName> = K extends DerivedKind
  ? (typeof derivedKinds)[K]
  : K extends TypeName
    ? K
    : never;

function isDerived(kind: string): kind is DerivedKind {
  return Object.hasOwn(derivedKinds, kind);
}

/** Whether there is a kind of this name. */
export function isKind(name: string): name is KindName {
  return isType(name) || isDerived(name);
}

/** The kind of a name that the model or a table gave. Throws where there is none: a mistake in the code. */
export function kindNamed(name: string): KindName {
  if (!isKind(name)) throw new Error(`Unknown kind ${name}.`);
  return name;
}

/** The model's type behind a kind. */
export function typeOfKind(kind: KindName): TypeName {
  return isDerived(kind) ? derivedKinds[kind] : kind;
}

/** All kinds that are stored: everything that a service of the model serves. */
export function storedKinds(): readonly KindName[] {
  return Object.keys(kindColumns).filter(isKind);
}

/** Columns of a kind beside collection, id, name and document: its references and search fields. */
export function columnsOf(kind: KindName): readonly Column[] {
  return kindColumns[kind] ?? [];
}

const linkListsByKind = new Map<KindName, readonly string[]>();

/** Attributes that list references to other objects; kept in a table of their own to be searched. */
export function linkListsOf(kind: KindName): readonly string[] {
  let lists = linkListsByKind.get(kind);
  if (!lists) {
    lists = Object.entries(listAttributes(typeOfKind(kind)))
      .filter(([, attribute]) => parseKind(attribute.kind).form === 'links')
      .map(([name]) => name);
    linkListsByKind.set(kind, lists);
  }
  return lists;
}
