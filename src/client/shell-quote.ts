/** Quoting of arguments in suggested commands. */

/** Quotes an argument for any shell. Plain arguments remain unquoted. */
export function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
