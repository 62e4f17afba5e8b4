/** Quoting of words for command lines in hints. */

/** A word that every shell takes as it is: bare where that is unmistakable, else in quotes. */
export function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
