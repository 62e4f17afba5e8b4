/** Compiler of searches: from the syntax tree to one SQL statement on the columns of the store. */

import { getObjectType, isType, listAttributes, parseKind } from '../../model/index.ts';
import type { CrossReference, SearchField, Step } from '../../model/notation/search.ts';
import type {
  Comparison,
  Expression,
  FreeText,
  SearchQuery,
  SearchValue,
  TextPattern,
} from '../../search/index.ts';
import { compose, joined, type OrderKey, type SqlCondition, type SqlTable } from './conditions.ts';
import type { SqlValue } from './driver.ts';
import { getKindType, type KindName, listColumns, requireKind } from './kinds.ts';
import { columnName } from './own-column.ts';
import { table } from './schema.ts';
import { type Binding, compareValue, matchText, unknownPath } from './search-comparison.ts';
import {
  derivedValues,
  findColumn,
  getReferenceTarget,
  jsonValue,
  measuredKey,
  measuredTable,
  measuredValue,
  orderText,
  sortKey,
  type VisibilityConditions,
  visibleCounts,
} from './search-values.ts';

/** An id and one value of a field that rules compute. */
export type MeasuredValue = readonly [id: string, value: string | number];

export interface SearchSettings {
  readonly caseSensitive: boolean;
  /** Visibility of the caller; undefined if all objects are visible. */
  readonly seen: VisibilityConditions | undefined;
  /** The source of a measured field; undefined for stored fields. */
  readonly measured: (kind: KindName, field: string) => Measure | undefined;
  /** Names of common table expressions, unique among concurrent searches. */
  readonly names?: (() => string) | undefined;
}

/** Computes the values of all objects of the kind, or of those that meet a condition. */
export type Measure = (some?: SqlCondition) => readonly MeasuredValue[];

export interface CompiledSearch {
  readonly condition: SqlCondition | undefined;
  /** Terms of the condition, all of which must hold. */
  readonly terms: readonly SqlCondition[];
  readonly orderBy: string;
  readonly orderValues: readonly SqlValue[];
  readonly order: readonly OrderKey[];
}

/** The condition and order of a search among objects of a kind. */
export function compileSearch(
  kind: KindName,
  query: SearchQuery,
  settings: SearchSettings,
): CompiledSearch {
  const { where } = query;
  const compiler = new Compiler(settings);
  const parts = where?.op === 'all' ? where.of : where ? [where] : [];
  const terms = parts.map((part) => compose`(${compiler.part(kind, part)})`);
  const order = query.order.map(({ name, field, descending }): OrderKey => {
    const measure = name === undefined ? undefined : settings.measured(kind, name);
    const key = measure
      ? compiler.measuredOrder(kind, measure, field)
      : sortKey(kind, name, field, settings.seen);
    return { ...key, descending, folds: key.folds ?? false };
  });
  // The statement also begins with the tables of the order.
  const tables = order.flatMap((key) => key.tables ?? []);
  const all = terms.length > 0 || tables.length > 0 ? joined(terms, ' AND ', 'TRUE') : undefined;
  return {
    condition: all && { ...all, tables: [...(all.tables ?? []), ...tables] },
    terms,
    orderBy: orderText(order),
    orderValues: order.flatMap(({ values }) => values),
    order,
  };
}

class Compiler {
  /** Values and tables of the current part. */
  #values: SqlValue[] = [];
  #tables: SqlTable[] = [];
  readonly #settings: SearchSettings;
  readonly #name: () => string;
  readonly #binding: Binding;

  constructor(settings: SearchSettings) {
    this.#settings = settings;
    this.#binding = {
      bind: (value) => this.#bind(value),
      caseSensitive: settings.caseSensitive === true,
    };
    let count = 0;
    this.#name = settings.names ?? (() => `selected_${++count}`);
  }

  /** Compiles an independent condition. */
  part(kind: KindName, expression: Expression): SqlCondition {
    return this.#apart(() => this.#expression(kind, expression));
  }

  /** The sort key of a measured field. */
  measuredOrder(
    kind: KindName,
    measure: Measure,
    field: SearchField,
  ): SqlCondition & { folds?: boolean } {
    const table = this.#measuredTable(kind, measure);
    return { sql: measuredKey(kind, table.name, field), values: [], tables: [table] };
  }

  /** Compiles a part with separate values and tables. */
  #apart(compile: () => string): SqlCondition {
    const [values, tables] = [this.#values, this.#tables];
    this.#values = [];
    this.#tables = [];
    try {
      return { sql: compile(), values: this.#values, tables: this.#tables };
    } finally {
      this.#values = values;
      this.#tables = tables;
    }
  }

  /** The condition that the values of a column in the matching objects include a value. */
  #among(operand: string, target: KindName, column: string, then: (kind: KindName) => string) {
    const unseen = this.#apart(() => {
      const known = column === 'id' ? '' : `"${column}" IS NOT NULL AND `;
      return `SELECT "${column}" AS id FROM ${table(target)} WHERE ${known}(${then(target)})`;
    });
    const seen = this.#apart(() => this.#seen(target));
    const name = this.#name();
    this.#tables.push({ name, select: compose`${unseen}${seen}`, unseen, from: target });
    return `${operand} IN (SELECT id FROM ${name})`;
  }

  #expression(kind: KindName, expression: Expression): string {
    switch (expression.op) {
      case 'all':
        return this.#join(kind, expression.of, ' AND ');
      case 'any':
        return this.#join(kind, expression.of, ' OR ');
      case 'compare':
        return this.#comparison(kind, expression);
      case 'text':
        return this.#freeText(kind, expression);
    }
  }

  #join(kind: KindName, parts: readonly Expression[], word: string): string {
    return `(${parts.map((part) => this.#expression(kind, part)).join(word)})`;
  }

  #comparison(kind: KindName, comparison: Comparison): string {
    const { through, name, field, relation, value } = comparison;
    return this.#reach(kind, through, (target) =>
      this.#field(target, name, field, relation, value),
    );
  }

  #freeText(kind: KindName, { through, negated, fields, pattern }: FreeText): string {
    const sql = this.#reach(kind, through, (target) => {
      const value = { kind: 'text', pattern } as const;
      const parts = fields.map(({ name, field }) => this.#field(target, name, field, '=', value));
      return parts.length === 0 ? 'FALSE' : `(${parts.join(' OR ')})`;
    });
    return negated ? `NOT coalesce(${sql}, FALSE)` : sql;
  }

  /** The condition on the target of a cross reference, or on the object itself. */
  #reach(
    kind: KindName,
    through: CrossReference | undefined,
    then: (kind: KindName) => string,
  ): string {
    if (!through?.storedReference) return this.#steps(kind, through?.steps ?? [], then);
    const target = through.type;
    if (!isType(target)) throw new Error(`The model has no type ${target}.`);
    return this.#among(jsonValue(kind, [through.storedReference, 'id']), target, 'id', then);
  }

  #field(
    kind: KindName,
    name: string,
    field: SearchField,
    relation: string,
    value: SearchValue,
  ): string {
    if (value.kind === 'tag') return this.#tag(kind, relation, value.pattern);
    if (field.through && relation === '!=') {
      return `NOT coalesce(${this.#field(kind, name, field, '=', value)}, FALSE)`;
    }
    const found = this.#steps(kind, field.through ?? [], (target) => {
      const measured = this.#settings.measured(target, name);
      if (measured) return this.#measured(target, measured, field, relation, value);
      const counted = this.#counted(target, name, relation, value);
      if (counted) return counted;
      const derived = derivedValues[target]?.[name];
      if (derived) return compareValue(derived, relation, value, this.#binding);
      const path = field.path ?? field.storedPath;
      if (path === undefined) throw unknownPath(name);
      return this.#atPath(target, path.split('.'), field, relation, value);
    });
    if (field.everyWithout === undefined) return found;
    const column = `"${columnName([field.everyWithout, 'id'])}"`;
    return relation === '!='
      ? `(${found} AND ${column} IS NOT NULL)`
      : `(${found} OR ${column} IS NULL)`;
  }

  /**
   * The condition on values that the database does not contain: the statement has them as a
   * parameter.
   */
  #measured(
    kind: KindName,
    measure: Measure,
    field: SearchField,
    relation: string,
    value: SearchValue,
  ): string {
    const measured = this.#measuredTable(kind, measure);
    this.#tables.push(measured);
    const absent = value.kind === 'absent';
    const requested = relation === '!=' ? '=' : relation;
    const inner = absent
      ? 'found IS NOT NULL'
      : compareValue(measuredValue(field), requested, value, this.#binding);
    const found = `id IN (SELECT id FROM ${measured.name} WHERE ${inner})`;
    return relation === (absent ? '=' : '!=') ? `NOT (${found})` : found;
  }

  #measuredTable(kind: KindName, measure: Measure): SqlTable {
    const of = (values: readonly MeasuredValue[]): SqlCondition => ({
      sql: measuredTable,
      values: [JSON.stringify(values)],
    });
    let all: SqlCondition | undefined;
    return {
      name: this.#name(),
      get select() {
        all ??= of(measure());
        return all;
      },
      ofSome: (looked, some) => {
        if (looked === kind) return of(measure(some));
        all ??= of(measure());
        return all;
      },
    };
  }

  /** The condition on the objects that a path of steps leads to. */
  #steps(kind: KindName, steps: readonly Step[], then: (kind: KindName) => string): string {
    const [step, ...rest] = steps;
    if (!step) return then(kind);
    const inner = (target: KindName) => this.#steps(target, rest, then);
    if ('paired' in step) {
      const column = kind === 'network' ? 'id' : columnName([kind, 'id']);
      return this.#among('id', step.paired, column, inner);
    }
    return 'follow' in step
      ? this.#follow(kind, step.follow, inner)
      : this.#back(kind, step.back, inner);
  }

  #follow(kind: KindName, attribute: string, inner: (target: KindName) => string): string {
    const declared = listAttributes(getKindType(kind))[attribute];
    if (!declared) throw unknownPath(attribute);
    const target = getObjectType(declared.kind);
    if (!target) throw unknownPath(attribute);
    if (parseKind(declared.kind).form === 'ref') {
      return this.#among(`"${columnName([attribute, 'id'])}"`, target, 'id', inner);
    }
    this.#values.push(kind, attribute);
    const links = `r.kind = ? AND r.attribute = ? AND r.id = ${table(kind)}.id`;
    return `EXISTS (SELECT 1 FROM reference r WHERE ${links} AND ${this.#among('r.target', target, 'id', inner)})`;
  }

  #back(kind: KindName, path: string, inner: (target: KindName) => string): string {
    const [type = '', attribute = ''] = path.split('.');
    const target = requireKind(type);
    const declared = listAttributes(type)[attribute];
    if (declared && parseKind(declared.kind).form === 'ref') {
      return this.#among('id', target, columnName([attribute, 'id']), inner);
    }
    this.#values.push(target, attribute);
    const links = `r.kind = ? AND r.attribute = ? AND r.target = ${table(kind)}.id`;
    return `EXISTS (SELECT 1 FROM reference r WHERE ${links} AND ${this.#among('r.id', target, 'id', inner)})`;
  }

  #atPath(
    kind: KindName,
    path: readonly string[],
    field: SearchField,
    relation: string,
    value: SearchValue,
  ): string {
    const [first = '', ...rest] = path;
    const target =
      rest.length > 0 && rest[0] !== 'id' ? getReferenceTarget(kind, first) : undefined;
    if (target) {
      // An object without the reference also lacks the value, so "!=" matches it.
      const found = this.#follow(kind, first, (next) =>
        this.#atPath(next, rest, field, '=', value),
      );
      if (relation === '!=') return `NOT coalesce(${found}, FALSE)`;
      if (relation === '=') return found;
      return this.#follow(kind, first, (next) => this.#atPath(next, rest, field, relation, value));
    }
    if (isList(kind, path)) {
      const any = `EXISTS (SELECT 1 FROM json_each(${table(kind)}.doc, '$.${path.join('.')}') e WHERE ${compareValue('CAST(e.value AS CITEXT)', '=', value, this.#binding)})`;
      return relation === '!=' ? `NOT ${any}` : any;
    }
    const operand =
      field.as === 'version'
        ? versionText(kind, path)
        : (derivedValues[kind]?.[path.join('.')] ??
          findColumn(kind, path) ??
          jsonValue(kind, path));
    return compareValue(operand, relation, value, this.#binding);
  }

  /** The condition that an object has the tag or one of its descendants. */
  #tag(kind: KindName, relation: string, pattern: TextPattern): string {
    const column = columnName([getKindType(kind), 'id']);
    // Objects of kinds without tags never match.
    if (!listColumns('assigned_tag').some(({ name }) => name === column)) {
      return relation === '!=' ? 'TRUE' : 'FALSE';
    }
    const named = matchText('name', pattern, this.#binding);
    const sql = `id IN (SELECT "${column}" FROM ${table('assigned_tag')} WHERE id IN (WITH RECURSIVE below(id) AS (SELECT id FROM ${table('tag')} WHERE ${named} UNION SELECT t.id FROM ${table('tag')} t JOIN below ON t."parent_id" = below.id) SELECT id FROM below))`;
    return relation === '!=' ? `NOT (${sql})` : sql;
  }

  /** The condition on a count of objects with restricted visibility; undefined for other fields. */
  #counted(kind: KindName, name: string, relation: string, value: SearchValue): string | undefined {
    const { seen } = this.#settings;
    const count = seen && visibleCounts[kind]?.[name]?.(seen);
    if (!count) return undefined;
    this.#values.push(...count.values);
    this.#tables.push(...(count.tables ?? []));
    return `EXISTS (SELECT 1 FROM (SELECT ${count.sql} AS found) AS counted WHERE ${compareValue('found', relation, value, this.#binding)})`;
  }

  /** The additional condition that objects of a kind are visible. */
  #seen(kind: KindName): string {
    const visible = this.#settings.seen?.(kind);
    if (!visible) return '';
    this.#values.push(...visible.values);
    this.#tables.push(...(visible.tables ?? []));
    return ` AND (${visible.sql})`;
  }

  #bind(value: SqlValue): string {
    this.#values.push(value);
    return '?';
  }
}

/** Whether the path leads to a list of texts. */
function isList(kind: KindName, [name = '', ...rest]: readonly string[]): boolean {
  const declared = listAttributes(getKindType(kind))[name];
  return rest.length === 0 && declared !== undefined && parseKind(declared.kind).list;
}

function versionText(kind: KindName, path: readonly string[]): string {
  return `${jsonValue(kind, [...path, 'major'])} || '.' || ${jsonValue(kind, [...path, 'minor'])}`;
}
