/** Kinds of stored objects, their columns, and their JSON documents. */

import { isType, listAttributes, parseKind } from '../../model/index.ts';
import { type DerivedKind, derivedKinds } from '../../model/notation/kinds.ts';
import type { TypeName } from '../../model/resources/index.ts';
import { isRecord } from '../../records.ts';
import type { SqlValue } from './driver.ts';
import { kindColumns } from './kind-columns.ts';
import type { Column } from './own-column.ts';

/** An object in its decoded form. */
export type StoredObject = Record<string, unknown>;

const bigMark = '$bigint';

/** Serializes an object. Integers beyond 2^53 keep every digit. */
export function writeDocument(object: object): string {
  return JSON.stringify(object, (_, value: unknown) =>
    typeof value === 'bigint' ? { [bigMark]: value.toString() } : value,
  );
}

/** Parses the output of `writeDocument`. */
export function parseDocument(text: string): StoredObject {
  return readJson(text);
}

/** Parses JSON from the store or from one of its statements. */
export function readJson<T>(text: string): T {
  // The reviver costs far more than the parse; almost no object needs it.
  const value: unknown = text.includes(bigMark)
    ? JSON.parse(text, (_, part: unknown) => {
        const digits = isRecord(part) ? part[bigMark] : undefined;
        return typeof digits === 'string' ? BigInt(digits) : part;
      })
    : JSON.parse(text);
  // The caller also determines the writer or statement, and therefore the type.
  return value as T;
}

/** The value at a path inside an object; undefined if the path ends early. */
export function getValueAt(object: unknown, path: readonly string[]): unknown {
  let at = object;
  for (const word of path) {
    if (!isRecord(at)) return undefined;
    at = at[word];
  }
  return at;
}

/** The value of a column: booleans as 0 and 1, absent values as NULL. */
export function getStoredValue(object: StoredObject, column: Column): SqlValue {
  const value = getValueAt(object, column.path);
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
 * A kind of stored object: a type of the model, or one derived from another type (`derivedKinds`).
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

/** Whether a kind has this name. */
export function isKind(name: string): name is KindName {
  return isType(name) || isDerived(name);
}

/**
 * The kind with a name from the model or a table. Throws for an unknown name, which is an internal
 * error.
 */
export function requireKind(name: string): KindName {
  if (!isKind(name)) throw new Error(`Unknown kind ${name}.`);
  return name;
}

/** The model type of a kind. */
export function getKindType(kind: KindName): TypeName {
  return isDerived(kind) ? derivedKinds[kind] : kind;
}

/** All stored kinds: every type that a service of the model serves. */
export function storedKinds(): readonly KindName[] {
  return Object.keys(kindColumns).filter(isKind);
}

/**
 * Columns of a kind in addition to collection, id, name and document: references and search fields.
 */
export function listColumns(kind: KindName): readonly Column[] {
  return kindColumns[kind] ?? [];
}

const linkListsByKind = new Map<KindName, readonly string[]>();

/** Attributes that list references to other objects. The table `reference` indexes them. */
export function listLinkAttributes(kind: KindName): readonly string[] {
  let lists = linkListsByKind.get(kind);
  if (!lists) {
    lists = Object.entries(listAttributes(getKindType(kind)))
      .filter(([, attribute]) => parseKind(attribute.kind).form === 'links')
      .map(([name]) => name);
    linkListsByKind.set(kind, lists);
  }
  return lists;
}
