/** Text of the store's statements as PostgreSQL understands it. */
import type { SqlValue } from '../../server/store/driver.ts';

/** Texts and names in quotes, which stay as they are; and what is written otherwise. */
const tokens = /'(?:[^']|'')*'|"[^"]*"|\?|\bCROSS JOIN\b|\bCOLLATE NOCASE\b|\bWITHOUT ROWID\b/g;

/**
 * A statement of the store for PostgreSQL. The store writes what both databases understand, with
 * functions that `functions.ts` brings. What is left: parameters have numbers, and a type where a number
 * is sent; `CROSS JOIN` with a condition, which keeps SQLite from changing the order of tables, is an
 * ordinary join; texts have the one collation that there is; and every table has its rows in the same form.
 */
export function statementText(sql: string, values: readonly SqlValue[]): string {
  let number = 0;
  return sql.replace(tokens, (token) => {
    switch (token) {
      case '?':
        number += 1;
        return `$${number}${castOf(values[number - 1])}`;
      case 'CROSS JOIN':
        return 'JOIN';
      // Columns compare names the same in upper and lower case by their type. With another collation than
      // theirs no index would be used.
      case 'COLLATE NOCASE':
        return 'COLLATE "C"';
      case 'WITHOUT ROWID':
        return '';
      default:
        return token;
    }
  });
}

/** Texts take the type of what they are compared with; of numbers PostgreSQL would not guess it. */
function castOf(value: SqlValue | undefined): string {
  if (typeof value === 'bigint') return '::int8';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? '::int8' : '::float8';
  return '';
}

/** What the types of the values change in the text: statements are remembered by it. */
export function signatureOf(values: readonly SqlValue[]): string {
  let signature = '';
  for (const value of values) {
    signature += castOf(value) === '' ? 't' : castOf(value) === '::int8' ? 'i' : 'f';
  }
  return signature;
}
