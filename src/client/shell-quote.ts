/** Words of command lines that somebody is told to run. */

/** A word that every shell takes as it is: bare where that is unmistakable, else in quotes. */
export function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
