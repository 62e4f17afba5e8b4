/** SQL comparisons of stored values with search values. */
import type { SearchValue, TextPattern } from '../../search/index.ts';
import type { SqlValue } from './driver.ts';

/** Binding of values to statement parameters, and case sensitivity. */
export interface Binding {
  readonly bind: (value: SqlValue) => string;
  readonly caseSensitive: boolean;
}

/** The condition that a SQL operand has a relation to a search value. */
export function compareValue(
  operand: string,
  relation: string,
  value: SearchValue,
  by: Binding,
): string {
  // Severity names are the ones that meet the relation, including "!=".
  if (relation === '!=' && value.kind !== 'severity') {
    return `NOT coalesce(${compareValue(operand, '=', value, by)}, FALSE)`;
  }
  switch (value.kind) {
    case 'absent':
      return `(${operand} IS NULL OR CAST(${operand} AS TEXT) = '')`;
    case 'text':
      return matchText(operand, value.pattern, by);
    case 'user':
      return matchUser(operand, value.name, value.domain, by);
    case 'word':
      return `${operand} = ${by.bind(value.word)}`;
    case 'bool':
      return `coalesce(${operand}, 0) = ${by.bind(value.value ? 1 : 0)}`;
    case 'number':
      return `${operand} ${relation} ${by.bind(value.value)}`;
    case 'size':
      return compareSize(operand, relation, value.from, value.until, by);
    case 'date':
      if (relation === '=') {
        return `(${operand} >= ${by.bind(value.from)} AND ${operand} < ${by.bind(value.until)})`;
      }
      return `${operand} ${relation} ${by.bind(value.from)}`;
    case 'span':
      return `${operand} ${relation} ${by.bind(value.seconds)}`;
    case 'severity':
      if (value.words.length === 0) return 'FALSE';
      return `${operand} IN (${value.words.map((word) => by.bind(word)).join(', ')})`;
    default:
      throw unknownPath(value.kind);
  }
}

function compareSize(
  operand: string,
  relation: string,
  from: number | bigint,
  until: number | bigint,
  { bind }: Binding,
): string {
  switch (relation) {
    case '=':
      return `(${operand} >= ${bind(from)} AND ${operand} < ${bind(until)})`;
    case '<':
      return `${operand} < ${bind(from)}`;
    case '<=':
      return `${operand} < ${bind(until)}`;
    case '>':
      return `${operand} >= ${bind(until)}`;
    default:
      return `${operand} >= ${bind(from)}`;
  }
}

/** The condition that a text matches a pattern. */
export function matchText(
  operand: string,
  { pieces }: TextPattern,
  { bind, caseSensitive }: Binding,
): string {
  const whole = pieces.length === 1;
  if (whole) {
    const same = `${operand} = ${bind(pieces[0] ?? '')}`;
    const folded = operand === '"id"' ? same : `${same} COLLATE NOCASE`;
    if (!caseSensitive) return folded;
    return `(${folded} AND glob(${bind(toGlob(pieces))}, ${operand}))`;
  }
  if (caseSensitive) {
    return `glob(${bind(toGlob(pieces))}, ${operand})`;
  }
  const like = pieces.map((piece) => piece.replace(/[\\%_]/g, '\\$&')).join('%');
  return `${operand} LIKE ${bind(like)} ESCAPE '\\'`;
}

/** A pattern for `glob`, which is case-sensitive, with any text between the pieces. */
function toGlob(pieces: readonly string[]): string {
  return pieces.map((piece) => piece.replace(/[*?[]/g, '[$&]')).join('*');
}

/** User names are stored as `name@domain`; a name without domain matches in any domain. */
function matchUser(
  operand: string,
  name: TextPattern,
  domain: TextPattern | undefined,
  by: Binding,
): string {
  const [last = '', ...before] = [...name.pieces].reverse();
  const [first = '', ...after] = domain?.pieces ?? ['', ''];
  const both = [...before.reverse(), `${last}@${first}`, ...after];
  const parts = [matchText(operand, { pieces: both }, by)];
  if (domain)
    parts.push(matchText(operand, { pieces: [...both.slice(0, -1), `${both.at(-1)}-authz`] }, by));
  else parts.push(matchText(operand, name, by));
  return `(${parts.join(' OR ')})`;
}

/** Internal error: the model declares a path without a value. */
export function unknownPath(what: string): Error {
  return new Error(`The model has no location for "${what}".`);
}
