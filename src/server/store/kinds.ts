/** Tables and columns of the store, and objects as documents. */

import { searchFields } from '../../model/derive/search.ts';
import { services } from '../../model/derive/services.ts';
import { attributesOf, isType, parseKind } from '../../model/index.ts';
import { type DerivedKind, derivedKinds } from '../../model/notation/kinds.ts';
import type { TypeName } from '../../model/resources/index.ts';
import type { SqlValue } from './driver.ts';

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

function isDerived(kind: string): kind is DerivedKind {
  return Object.hasOwn(derivedKinds, kind);
}

/** Whether there is a kind of this name. */
export function isKind(name: string): name is KindName {
  return isType(name) || isDerived(name);
}

/** The kind of a name that the model or a table gave. Throws where there is none: a mistake in the code. */
export function kindNamed(name: string): KindName {
  if (!isKind(name)) throw new Error(`There is no kind ${name}.`);
  return name;
}

/** The model's type behind a kind. */
export function typeOfKind(kind: KindName): TypeName {
  return isDerived(kind) ? derivedKinds[kind] : kind;
}

export interface Column {
  readonly name: string;
  /** Where the value is inside the object. */
  readonly path: readonly string[];
  readonly sql: 'TEXT COLLATE NOCASE' | 'TEXT' | 'INTEGER' | 'REAL';
}

/** All kinds that are stored: everything that a service of the model serves. */
export function storedKinds(): readonly KindName[] {
  const types = new Set(Object.values(services).map((service) => service.type));
  return [...types, ...Object.keys(derivedKinds).filter(isDerived)];
}

/** Paths that rules look things up by, beside references and search fields. */
const lookedUp: Readonly<Record<string, readonly string[]>> = {
  vm: ['memory', 'cpu.topology.sockets', 'cpu.topology.cores', 'cpu.topology.threads'],
  event: ['index', 'custom_id'],
  nic: ['mac.address'],
  snapshot_nic: ['mac.address'],
  cdrom: ['file.id'],
  template: ['version.base_template.id'],
  image_transfer: ['phase'],
  disk: ['total_size', 'storage_type'],
  disk_snapshot: ['actual_size'],
  gluster_brick: ['server_id'],
};

const columnsByKind = new Map<KindName, readonly Column[]>();

/** Columns of a kind beside collection, id, name and document: its references and search fields. */
export function columnsOf(kind: KindName): readonly Column[] {
  let columns = columnsByKind.get(kind);
  if (!columns) {
    const type = typeOfKind(kind);
    const found = new Map<string, Column>();
    for (const [attribute, { kind: form, writeOnly }] of Object.entries(attributesOf(type))) {
      if (parseKind(form).form === 'ref' && !writeOnly) {
        add(found, { name: columnName([attribute, 'id']), path: [attribute, 'id'], sql: 'TEXT' });
      }
    }
    for (const field of Object.values(searchFields[type] ?? {})) {
      const column = field.path && !field.through && ownColumn(type, field.path.split('.'));
      if (column) add(found, column);
    }
    for (const path of lookedUp[kind] ?? []) {
      const column = ownColumn(type, path.split('.'));
      if (column) add(found, column);
    }
    found.delete('name');
    found.delete('id');
    columns = [...found.values()];
    columnsByKind.set(kind, columns);
  }
  return columns;
}

function add(columns: Map<string, Column>, column: Column): void {
  columns.set(column.name, column);
}

/** Name of the column that holds the value at a path. */
export function columnName(path: readonly string[]): string {
  return path.join('_');
}

/** The column of a path that stays inside the object; none where it crosses a reference or list. */
export function ownColumn(type: string, path: readonly string[]): Column | undefined {
  let at = type;
  for (const [index, word] of path.entries()) {
    const last = index === path.length - 1;
    const attribute = attributesOf(at)[word];
    if (word === 'id' && last) {
      // That of a VLAN is a number.
      const { form, of } = attribute ? parseKind(attribute.kind) : {};
      const isNumber = form === 'scalar' && of !== undefined && sqlType(of) === 'INTEGER';
      return { name: columnName(path), path, sql: isNumber ? 'INTEGER' : 'TEXT' };
    }
    if (!attribute) return undefined;
    const { form, of, list } = parseKind(attribute.kind);
    if (list) return undefined;
    if (last && (form === 'scalar' || form === 'enum')) {
      return { name: columnName(path), path, sql: form === 'enum' ? 'TEXT' : sqlType(of) };
    }
    if (form === 'ref' && path.length === index + 2 && path[index + 1] === 'id') {
      return { name: columnName(path), path, sql: 'TEXT' };
    }
    if (form !== 'struct') return undefined;
    at = of;
  }
  return undefined;
}

function sqlType(scalar: string): Column['sql'] {
  switch (scalar) {
    case 'int':
    case 'long':
    case 'bool':
      return 'INTEGER';
    case 'decimal':
      return 'REAL';
    case 'date':
      return 'TEXT';
    default:
      return 'TEXT COLLATE NOCASE';
  }
}

const linkListsByKind = new Map<KindName, readonly string[]>();

/** Attributes that list references to other objects; kept in a table of their own to be searched. */
export function linkListsOf(kind: KindName): readonly string[] {
  let lists = linkListsByKind.get(kind);
  if (!lists) {
    lists = Object.entries(attributesOf(typeOfKind(kind)))
      .filter(([, attribute]) => parseKind(attribute.kind).form === 'links')
      .map(([name]) => name);
    linkListsByKind.set(kind, lists);
  }
  return lists;
}
