/** From the syntax tree of a search to one SQL statement on the columns of the store. */
import { attributesOf, parseKind } from '../../model/index.ts';
import { defaultSorts, type SearchField, type Step } from '../../model/search-fields.ts';
import type {
  Comparison,
  Expression,
  FreeText,
  SearchQuery,
  SearchValue,
  TextPattern,
} from '../../search/index.ts';
import { Refusal } from '../fault.ts';
import type { SqlValue } from './driver.ts';
import { columnName, columnsOf, type KindName, ownColumn, typeOfKind } from './kinds.ts';
import { table } from './schema.ts';
import type { SqlCondition } from './transaction.ts';

/** The condition and order of a search among objects of a kind. */
export function compileSearch(
  kind: KindName,
  query: SearchQuery,
  caseSensitive: boolean,
): { condition: SqlCondition | undefined; orderBy: string } {
  const compiler = new Compiler(caseSensitive);
  const sql = query.where && compiler.expression(kind, query.where);
  const keys = query.order.map(({ field, descending }) => {
    const value = field.path ? sortValue(kind, field.path.split('.')) : 'NULL';
    return `${value} ${descending ? 'DESC' : 'ASC'}`;
  });
  return {
    condition: sql === undefined ? undefined : { sql, values: compiler.values },
    orderBy: [...keys, 'rowid'].join(', '),
  };
}

/** The order of a list that asks for none. */
export function defaultOrder(kind: KindName): string {
  const rules = defaultSorts[typeOfKind(kind)] ?? [{ path: 'name' }];
  const keys = rules.map(
    ({ path, descending }) => `${sortValue(kind, path.split('.'))} ${descending ? 'DESC' : 'ASC'}`,
  );
  return [...keys, 'rowid'].join(', ');
}

/** An expression for the value at a path, which may lead through references. */
function sortValue(kind: KindName, path: readonly string[]): string {
  const sum = sums[kind]?.[path.join('.')];
  if (sum) return sum;
  const column = columnOf(kind, path);
  if (column) return `${table(kind)}.${column}`;
  const [first = '', ...rest] = path;
  const target = referenceTarget(kind, first);
  if (!target) return jsonValue(kind, path);
  return `(SELECT ${sortValue(target, rest)} FROM ${table(target)} WHERE ${table(target)}.id = ${table(kind)}.[${columnName([first, 'id'])}])`;
}

/** Sum of a column of the disks on a storage domain. */
function ofDisks(column: string): string {
  return `(SELECT total(d.[${column}]) FROM ${table('disk')} d JOIN reference r ON r.id = d.id WHERE r.target = ${table('storage_domain')}.id AND r.kind = 'disk' AND r.attribute = 'storage_domains')`;
}

/** Values that are sums over other objects, by kind and path. */
const sums: Readonly<Partial<Record<KindName, Readonly<Record<string, string>>>>> = {
  storage_domain: {
    used: ofDisks('total_size'),
    committed: ofDisks('provisioned_size'),
    available: `(${table('storage_domain')}.[available] - ${ofDisks('total_size')})`,
  },
};

function jsonValue(kind: KindName, path: readonly string[]): string {
  return `json_extract(${table(kind)}.doc, '$.${path.join('.')}')`;
}

/** The quoted column that holds a path of the object itself. */
function columnOf(kind: KindName, path: readonly string[]): string | undefined {
  const name = columnName(path);
  if (name === 'id' || name === 'name') return `[${name}]`;
  if (!ownColumn(typeOfKind(kind), path)) return undefined;
  return columnsOf(kind).some((column) => column.name === name) ? `[${name}]` : undefined;
}

/** The kind that a reference attribute leads to. */
function referenceTarget(kind: KindName, attribute: string): KindName | undefined {
  const declared = attributesOf(typeOfKind(kind))[attribute];
  const parsed = declared && parseKind(declared.kind);
  return parsed?.form === 'ref' ? (parsed.of as KindName) : undefined;
}

class Compiler {
  readonly values: SqlValue[] = [];
  readonly #caseSensitive: boolean;

  constructor(caseSensitive: boolean) {
    this.#caseSensitive = caseSensitive;
  }

  expression(kind: KindName, expression: Expression): string {
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
    return `(${parts.map((part) => this.expression(kind, part)).join(word)})`;
  }

  #comparison(kind: KindName, comparison: Comparison): string {
    const { through, name, field, relation, value } = comparison;
    if (!through) return this.#field(kind, name, field, relation, value);
    if (!through.steps) throw cannotSearch(through.names[0] ?? name);
    return this.#steps(kind, through.steps, (target) =>
      this.#field(target, name, field, relation, value),
    );
  }

  #freeText(kind: KindName, { through, negated, fields, pattern }: FreeText): string {
    const any = (target: KindName) => {
      const parts = fields
        .filter(({ field }) => field.path !== undefined && !field.as)
        .map(({ name, field }) => this.#field(target, name, field, '=', { kind: 'text', pattern }));
      return parts.length === 0 ? '0' : `(${parts.join(' OR ')})`;
    };
    const steps = through ? through.steps : [];
    if (!steps) throw cannotSearch(through?.names[0] ?? '');
    const sql = this.#steps(kind, steps, any);
    return negated ? `NOT (${sql})` : sql;
  }

  #field(
    kind: KindName,
    name: string,
    field: SearchField,
    relation: string,
    value: SearchValue,
  ): string {
    if (value.kind === 'tag') return this.#tag(kind, relation, value.pattern);
    const path = field.path ?? field.kept;
    if (path === undefined) throw cannotSearch(name);
    return this.#steps(kind, field.through ?? [], (target) =>
      this.#atPath(target, path.split('.'), field, relation, value),
    );
  }

  /** The condition on the objects that some steps lead to. */
  #steps(kind: KindName, steps: readonly Step[], then: (kind: KindName) => string): string {
    const [step, ...rest] = steps;
    if (!step) return then(kind);
    const inner = (target: KindName) => this.#steps(target, rest, then);
    return 'follow' in step ? this.#follow(kind, step.follow, inner) : this.#back(step.back, inner);
  }

  #follow(kind: KindName, attribute: string, inner: (target: KindName) => string): string {
    const declared = attributesOf(typeOfKind(kind))[attribute];
    if (!declared) throw cannotSearch(attribute);
    const { form, of } = parseKind(declared.kind);
    const target = of as KindName;
    if (form === 'ref') {
      return `[${columnName([attribute, 'id'])}] IN (SELECT id FROM ${table(target)} WHERE ${inner(target)})`;
    }
    this.values.push(kind, attribute);
    return `id IN (SELECT r.id FROM reference r WHERE r.kind = ? AND r.attribute = ? AND r.target IN (SELECT id FROM ${table(target)} WHERE ${inner(target)}))`;
  }

  #back(path: string, inner: (target: KindName) => string): string {
    const [type = '', attribute = ''] = path.split('.');
    const target = type as KindName;
    const declared = attributesOf(type)[attribute];
    if (declared && parseKind(declared.kind).form === 'ref') {
      const column = columnName([attribute, 'id']);
      return `id IN (SELECT [${column}] FROM ${table(target)} WHERE [${column}] IS NOT NULL AND ${inner(target)})`;
    }
    this.values.push(target, attribute);
    return `id IN (SELECT r.target FROM reference r WHERE r.kind = ? AND r.attribute = ? AND r.id IN (SELECT id FROM ${table(target)} WHERE ${inner(target)}))`;
  }

  #atPath(
    kind: KindName,
    path: readonly string[],
    field: SearchField,
    relation: string,
    value: SearchValue,
  ): string {
    const [first = '', ...rest] = path;
    const target = rest.length > 0 && rest[0] !== 'id' ? referenceTarget(kind, first) : undefined;
    if (target) {
      // An object without the reference lacks the value, too: it is what "!=" asks for.
      const found = this.#follow(kind, first, (next) =>
        this.#atPath(next, rest, field, '=', value),
      );
      if (relation === '!=') return `NOT coalesce(${found}, 0)`;
      if (relation === '=') return found;
      return this.#follow(kind, first, (next) => this.#atPath(next, rest, field, relation, value));
    }
    const operand =
      field.as === 'version'
        ? versionText(kind, path)
        : (sums[kind]?.[path.join('.')] ?? columnOf(kind, path) ?? jsonValue(kind, path));
    return this.#compare(operand, relation, value);
  }

  #compare(operand: string, relation: string, value: SearchValue): string {
    if (relation === '!=') return `NOT coalesce(${this.#compare(operand, '=', value)}, 0)`;
    switch (value.kind) {
      case 'absent':
        return `(${operand} IS NULL OR ${operand} = '')`;
      case 'text':
        return this.#text(operand, value.pattern);
      case 'user':
        return this.#user(operand, value.name, value.domain);
      case 'word':
        return `${operand} = ${this.#bind(value.word)}`;
      case 'bool':
        return `coalesce(${operand}, 0) = ${this.#bind(value.value ? 1 : 0)}`;
      case 'number':
        return `${operand} ${relation} ${this.#bind(value.value)}`;
      case 'size':
        return this.#size(operand, relation, value.from, value.until);
      case 'date':
        if (relation === '=') {
          return `(${operand} >= ${this.#bind(value.from)} AND ${operand} < ${this.#bind(value.until)})`;
        }
        return `${operand} ${relation} ${this.#bind(value.from)}`;
      case 'severity':
        return `${operand} IN (${value.words.map((word) => this.#bind(word)).join(', ')})`;
      default:
        throw cannotSearch(value.kind);
    }
  }

  #size(operand: string, relation: string, from: number | bigint, until: number | bigint): string {
    switch (relation) {
      case '=':
        return `(${operand} >= ${this.#bind(from)} AND ${operand} < ${this.#bind(until)})`;
      case '<':
        return `${operand} < ${this.#bind(from)}`;
      case '<=':
        return `${operand} < ${this.#bind(until)}`;
      case '>':
        return `${operand} >= ${this.#bind(until)}`;
      default:
        return `${operand} >= ${this.#bind(from)}`;
    }
  }

  #text(operand: string, { pieces }: TextPattern): string {
    const whole = pieces.length === 1;
    if (whole) {
      const same = `${operand} = ${this.#bind(pieces[0] ?? '')}`;
      const folded = operand === '[id]' ? same : `${same} COLLATE NOCASE`;
      if (!this.#caseSensitive) return folded;
      return `(${folded} AND ${operand} = ${this.#bind(pieces[0] ?? '')} COLLATE BINARY)`;
    }
    if (this.#caseSensitive) {
      const glob = pieces.map((piece) => piece.replace(/[*?[]/g, '[$&]')).join('*');
      return `${operand} GLOB ${this.#bind(glob)}`;
    }
    const like = pieces.map((piece) => piece.replace(/[\\%_]/g, '\\$&')).join('%');
    return `${operand} LIKE ${this.#bind(like)} ESCAPE '\\'`;
  }

  /** User names are kept as `name@domain`; a name alone matches in any domain. */
  #user(operand: string, name: TextPattern, domain: TextPattern | undefined): string {
    const [last = '', ...before] = [...name.pieces].reverse();
    const [first = '', ...after] = domain?.pieces ?? ['', ''];
    const both = [...before.reverse(), `${last}@${first}`, ...after];
    const parts = [this.#text(operand, { pieces: both })];
    if (domain)
      parts.push(this.#text(operand, { pieces: [...both.slice(0, -1), `${both.at(-1)}-authz`] }));
    else parts.push(this.#text(operand, name));
    return `(${parts.join(' OR ')})`;
  }

  /** Objects that carry the tag, or one below it. */
  #tag(kind: KindName, relation: string, pattern: TextPattern): string {
    const column = columnName([typeOfKind(kind), 'id']);
    if (!columnsOf('assigned_tag').some(({ name }) => name === column)) throw cannotSearch('tag');
    const named = this.#text('name', pattern);
    const sql = `id IN (SELECT [${column}] FROM ${table('assigned_tag')} WHERE id IN (WITH RECURSIVE below(id) AS (SELECT id FROM ${table('tag')} WHERE ${named} UNION SELECT t.id FROM ${table('tag')} t JOIN below ON t.[parent_id] = below.id) SELECT id FROM below))`;
    return relation === '!=' ? `NOT (${sql})` : sql;
  }

  #bind(value: SqlValue): string {
    this.values.push(value);
    return '?';
  }
}

function versionText(kind: KindName, path: readonly string[]): string {
  return `${jsonValue(kind, [...path, 'major'])} || '.' || ${jsonValue(kind, [...path, 'minor'])}`;
}

function cannotSearch(what: string): Refusal {
  return new Refusal(501, 'Not Implemented', `This server cannot search by "${what}" yet.`);
}
