/** Words of the command of an alias, quoted as in a shell. */
import { UsageError } from '../../client/errors.ts';

const word = /(?:[^\s'"\\]|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*")+/g;
const part = /\\([\s\S])|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"/g;

/** Splits a text into words without quotes. Throws `UsageError` for an open quote. */
export function splitWords(text: string): readonly string[] {
  const rest = text.replaceAll(word, '').trim();
  if (rest !== '') {
    const problem = rest.startsWith('\\') ? 'a backslash at the end' : `an open quote ${rest[0]}`;
    const correction = rest.startsWith('\\') ? 'remove it' : `add the closing quote ${rest[0]}`;
    throw new UsageError(`"${text}" has ${problem}`, { hint: correction });
  }
  return (text.match(word) ?? []).map(removeQuotes);
}

/** Operators of shells, which have no meaning in an alias. */
const shellOperators = new Set(['|', '||', '&&', '&', ';', '>', '>>', '<']);

/** Finds an operator of shells that is a word without quotes. */
export function findShellOperator(text: string): string | undefined {
  return text.match(word)?.find((one) => shellOperators.has(one));
}

function removeQuotes(quoted: string): string {
  return quoted.replaceAll(
    part,
    (_, escaped?: string, single?: string, double?: string) =>
      escaped ?? single ?? (double ?? '').replaceAll(/\\(["\\])/g, '$1'),
  );
}
