/** What lists are ordered by, in SQL: columns, values of other objects, values that are sent along. */

import { defaultSorts } from '../../model/derive/search.ts';
import { attributesOf, parseKind } from '../../model/index.ts';
import type { SearchField } from '../../model/notation/search.ts';
import { compose, type OrderKey, type SqlCondition } from './conditions.ts';
import { columnName, columnsOf, type KindName, ownColumn, typeOfKind } from './kinds.ts';
import { table } from './schema.ts';
import { derivedValues, type Seen, seenValues } from './search-values.ts';

/** The keys of a list that asks for no order. */
export function defaultKeys(kind: KindName): OrderKey[] {
  const rules = defaultSorts[typeOfKind(kind)] ?? [{ path: 'name' }];
  return rules.map(({ path, descending }) => {
    const key = sortValue(kind, path.split('.'), undefined);
    return { ...key, descending: descending ?? false, folds: key.folds ?? false };
  });
}

/** The order of a list that asks for none. */
export function defaultOrder(kind: KindName): string {
  return orderText(defaultKeys(kind));
}

/** Keys as SQL; what is the same in all of them comes in the order of creation. */
export function orderText(keys: readonly OrderKey[]): string {
  return [
    ...keys.map(({ sql, descending }) => `${sql} ${descending ? 'DESC' : 'ASC'}`),
    'rowid',
  ].join(', ');
}

/** Pairs of id and value, written as JSON, as a table. */
export const measuredTable =
  "SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS found FROM json_each(?)";

/** A key of such a table, which has this name. */
export function measuredKey(kind: KindName, name: string): string {
  return `(WITH measured AS MATERIALIZED (SELECT id, min(found) AS found FROM ${name} GROUP BY id) SELECT measured.found FROM measured WHERE measured.id = ${table(kind)}.id)`;
}

/** A key, and whether upper and lower case count the same in it: so it is in columns of names. */
type SortKey = SqlCondition & { readonly folds?: boolean };

/** What a field sorts by; the least of several values, among those of visible objects. */
export function sortKey(
  kind: KindName,
  name: string | undefined,
  field: SearchField,
  seen: Seen | undefined,
): SortKey {
  const counted = seen && name !== undefined ? seenValues[kind]?.[name]?.(seen) : undefined;
  const derived = name === undefined ? undefined : derivedValues[kind]?.[name];
  if (counted) return counted;
  if (derived) return { sql: derived, values: [] };
  const path = (field.path ?? field.kept ?? '').split('.');
  if (!field.through) return sortValue(kind, path, seen);
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
  const value = sortValue(at, path, seen);
  return compose`(SELECT min(${value}) FROM ${table(at)} WHERE ${table(at)}.id IN ${ids}${visible(at, seen)})`;
}

/** An expression for the value at a path, which may lead through references. */
function sortValue(kind: KindName, path: readonly string[], seen: Seen | undefined): SortKey {
  const derived = derivedValues[kind]?.[path.join('.')];
  if (derived) return { sql: derived, values: [] };
  const column = columnOf(kind, path);
  if (column) return { sql: `${table(kind)}.${column}`, values: [], folds: isFolded(kind, column) };
  const [first = '', ...rest] = path;
  const target = referenceTarget(kind, first);
  if (!target) return { sql: jsonValue(kind, path), values: [] };
  const value = sortValue(target, rest, seen);
  const here = `${table(target)}.id = ${table(kind)}.[${columnName([first, 'id'])}]`;
  return compose`(SELECT ${value} FROM ${table(target)} WHERE ${here}${visible(target, seen)})`;
}

/** Whether a column has NOCASE; a value that is selected from one has it no more. */
function isFolded(kind: KindName, column: string): boolean {
  if (column === '[name]') return true;
  return columnsOf(kind).some(({ name, sql }) => column === `[${name}]` && sql.includes('NOCASE'));
}

/** The further condition that objects of a kind are visible. */
function visible(kind: KindName, seen: Seen | undefined): SqlCondition {
  const condition = seen?.(kind);
  return condition ? compose` AND (${condition})` : { sql: '', values: [] };
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
