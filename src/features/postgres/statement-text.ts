/** Translation of the store's SQL to PostgreSQL. */
import type { SqlValue } from '../../server/store/driver.ts';

/** Quoted text and names, which remain unchanged, and constructs to translate. */
const tokens = /'(?:[^']|'')*'|"[^"]*"|\?|\bCROSS JOIN\b|\bCOLLATE NOCASE\b|\bWITHOUT ROWID\b/g;

/**
 * Translates a statement of the store. The store uses the common subset of both databases, plus the
 * functions in `functions.ts`. Remaining differences: parameters are numbered, with a type for
 * numbers; `CROSS JOIN` with a condition, which fixes the join order in SQLite, becomes a plain
 * join; text has one collation; and `WITHOUT ROWID` does not exist.
 */
export function translateStatement(sql: string, values: readonly SqlValue[]): string {
  let number = 0;
  return sql.replace(tokens, (token) => {
    switch (token) {
      case '?':
        number += 1;
        return `$${number}${getCast(values[number - 1])}`;
      case 'CROSS JOIN':
        return 'JOIN';
      // The column type already compares names case-insensitively. Another collation would disable
      // the indexes.
      case 'COLLATE NOCASE':
        return 'COLLATE "C"';
      case 'WITHOUT ROWID':
        return '';
      default:
        return token;
    }
  });
}

/**
 * Type cast of a parameter. PostgreSQL infers text types from the comparison, but not numeric
 * types.
 */
function getCast(value: SqlValue | undefined): string {
  if (typeof value === 'bigint') return '::int8';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? '::int8' : '::float8';
  return '';
}

/** Key of the parameter types, for the cache of translated statements. */
export function getSignature(values: readonly SqlValue[]): string {
  let signature = '';
  for (const value of values) {
    signature += getCast(value) === '' ? 't' : getCast(value) === '::int8' ? 'i' : 'f';
  }
  return signature;
}
