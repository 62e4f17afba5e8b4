/** What lists are ordered by, in SQL: columns, values of other objects, values that are sent along. */
import { attributesOf, parseKind } from '../../model/index.ts';
import { defaultSorts, type SearchField } from '../../model/search-fields.ts';
import { columnName, columnsOf, type KindName, ownColumn, typeOfKind } from './kinds.ts';
import { table } from './schema.ts';
import { derivedValues } from './search-values.ts';

/** The order of a list that asks for none. */
export function defaultOrder(kind: KindName): string {
  const rules = defaultSorts[typeOfKind(kind)] ?? [{ path: 'name' }];
  const keys = rules.map(
    ({ path, descending }) => `${sortValue(kind, path.split('.'))} ${descending ? 'DESC' : 'ASC'}`,
  );
  return [...keys, 'rowid'].join(', ');
}

/** Pairs of id and value, written as JSON, as a table. */
export const measuredTable =
  "SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS found FROM json_each(?)";

/** A key of such a table, whose JSON is a value of the order. */
export function measuredKey(kind: KindName): string {
  return `(WITH measured AS MATERIALIZED (SELECT id, min(found) AS found FROM (${measuredTable}) GROUP BY id) SELECT measured.found FROM measured WHERE measured.id = ${table(kind)}.id)`;
}

/** What a field sorts by; the least of several values. */
export function sortKey(kind: KindName, name: string | undefined, field: SearchField): string {
  const derived = name === undefined ? undefined : derivedValues[kind]?.[name];
  if (derived) return derived;
  const path = (field.path ?? field.kept ?? '').split('.');
  if (!field.through) return sortValue(kind, path);
  let at = kind;
  let ids = `(${table(kind)}.id)`;
  for (const step of field.through) {
    if ('paired' in step) throw new Error(`Nothing sorts by ${name}.`);
    const [from = '', attribute = ''] = 'back' in step ? step.back.split('.') : [at, step.follow];
    const [here, there] = 'back' in step ? ['target', 'id'] : ['id', 'target'];
    const target = referenceTarget(from as KindName, attribute);
    const column = `[${columnName([attribute, 'id'])}]`;
    const parsed = parseKind(
      attributesOf(typeOfKind(from as KindName))[attribute]?.kind ?? 'string',
    );
    if (!target) {
      ids = `(SELECT s.${there} FROM reference s WHERE s.kind = '${from}' AND s.attribute = '${attribute}' AND s.${here} IN ${ids})`;
    } else if ('back' in step)
      ids = `(SELECT s.id FROM ${table(from as KindName)} s WHERE s.${column} IN ${ids})`;
    else ids = `(SELECT s.${column} FROM ${table(at)} s WHERE s.id IN ${ids})`;
    at = ('back' in step ? from : parsed.of) as KindName;
  }
  return `(SELECT min(${sortValue(at, path)}) FROM ${table(at)} WHERE ${table(at)}.id IN ${ids})`;
}

/** An expression for the value at a path, which may lead through references. */
function sortValue(kind: KindName, path: readonly string[]): string {
  const derived = derivedValues[kind]?.[path.join('.')];
  if (derived) return derived;
  const column = columnOf(kind, path);
  if (column) return `${table(kind)}.${column}`;
  const [first = '', ...rest] = path;
  const target = referenceTarget(kind, first);
  if (!target) return jsonValue(kind, path);
  return `(SELECT ${sortValue(target, rest)} FROM ${table(target)} WHERE ${table(target)}.id = ${table(kind)}.[${columnName([first, 'id'])}])`;
}

/** The value at a path inside the document of an object. */
export function jsonValue(kind: KindName, path: readonly string[]): string {
  return `json_extract(${table(kind)}.doc, '$.${path.join('.')}')`;
}

/** The quoted column that holds a path of the object itself. */
export function columnOf(kind: KindName, path: readonly string[]): string | undefined {
  const name = columnName(path);
  if (name === 'id' || name === 'name') return `[${name}]`;
  if (!ownColumn(typeOfKind(kind), path)) return undefined;
  return columnsOf(kind).some((column) => column.name === name) ? `[${name}]` : undefined;
}

/** The kind that a reference attribute leads to. */
export function referenceTarget(kind: KindName, attribute: string): KindName | undefined {
  const declared = attributesOf(typeOfKind(kind))[attribute];
  const parsed = declared && parseKind(declared.kind);
  return parsed?.form === 'ref' ? (parsed.of as KindName) : undefined;
}
