/** Comparisons of values with those of a search, as SQL. */
import type { SearchValue, TextPattern } from '../../search/index.ts';
import type { SqlValue } from './driver.ts';

/** How values become parameters of the statement, and whether texts are compared by case. */
export interface Binding {
  readonly bind: (value: SqlValue) => string;
  readonly caseSensitive: boolean;
}

/** The condition that a value, as SQL, stands in a relation to one of a search. */
export function compareValue(
  operand: string,
  relation: string,
  value: SearchValue,
  by: Binding,
): string {
  // Words of severity are those that meet the relation, whichever it is.
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
      throw unknownWay(value.kind);
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
    return `(${folded} AND glob(${bind(globOf(pieces))}, ${operand}))`;
  }
  if (caseSensitive) {
    return `glob(${bind(globOf(pieces))}, ${operand})`;
  }
  const like = pieces.map((piece) => piece.replace(/[\\%_]/g, '\\$&')).join('%');
  return `${operand} LIKE ${bind(like)} ESCAPE '\\'`;
}

/** A pattern for `glob`, which knows upper from lower case: with any text between the pieces. */
function globOf(pieces: readonly string[]): string {
  return pieces.map((piece) => piece.replace(/[*?[]/g, '[$&]')).join('*');
}

/** User names are kept as `name@domain`; a name alone matches in any domain. */
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

/** The model declares a way to a value that is none: a mistake in the code. */
export function unknownWay(what: string): Error {
  return new Error(`The model has no location for "${what}".`);
}
