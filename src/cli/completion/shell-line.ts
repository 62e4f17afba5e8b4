/** Quoting rules of shells, to split the line before the cursor into words and to quote choices. */

/** Shells that pass the typed line; zsh passes words. */
export const lineShells = ['bash', 'fish', 'powershell'] as const;

export type LineShell = (typeof lineShells)[number];

type Quote = '' | "'" | '"';

export interface Line {
  /** Words without quotes. The last one is at the cursor. */
  readonly words: readonly string[];
  /** Part of the last word that the shell does not replace, without quotes. */
  readonly kept: string;
  /** Quote that is open at the cursor. */
  readonly quote: Quote;
}

/** Quoting rules of a shell. */
interface QuotingRules {
  /** Escape character outside quotes. */
  readonly escape: string;
  /** Characters that the escape character affects inside quotes. */
  readonly escapable: Readonly<Record<"'" | '"', RegExp | undefined>>;
  /** Whether a doubled quote inside quotes is one quote. */
  readonly doubles: boolean;
}

const quotingRules: Readonly<Record<LineShell, QuotingRules>> = {
  bash: { escape: '\\', escapable: { "'": undefined, '"': /["\\$`]/ }, doubles: false },
  fish: { escape: '\\', escapable: { "'": /['\\]/, '"': /["\\$]/ }, doubles: false },
  powershell: { escape: '`', escapable: { "'": undefined, '"': /./s }, doubles: true },
};

/**
 * Splits a line into words.
 * @param breaks characters at which the shell starts a new word: COMP_WORDBREAKS of bash
 */
export function splitLine(shell: LineShell, line: string, breaks = ''): Line {
  const { escape: escapeSign, escapable, doubles } = quotingRules[shell];
  const words: string[] = [];
  let word: string | undefined;
  let kept = '';
  let quote: Quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] ?? '';
    const next = line[at + 1];
    if (quote !== '') {
      if (character === quote && doubles && next === quote) at += 1;
      else if (character === quote) {
        quote = '';
        kept = '';
        continue;
      } else if (character === escapeSign && next !== undefined && escapable[quote]?.test(next)) {
        at += 1;
      }
      word += line[at] ?? '';
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= '';
      // bash replaces the text from the opening quote on.
      if (shell === 'bash') kept = word;
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      kept = '';
    } else if (character === escapeSign && next !== undefined) {
      word = `${word ?? ''}${next}`;
      at += 1;
    } else {
      word = `${word ?? ''}${character}`;
      if (breaks.includes(character)) kept = word;
    }
  }
  return { words: [...words, word ?? ''], kept, quote };
}

/**
 * Returns the text that the shell inserts for a word; undefined if the word does not continue the
 * typed text.
 */
export function quoteWord(
  shell: LineShell,
  { kept, quote }: Line,
  word: string,
): string | undefined {
  if (!word.startsWith(kept)) return undefined;
  const text = word.slice(kept.length);
  switch (shell) {
    case 'bash':
      return quoteForBash(text, quote);
    case 'fish':
      // fish adds quotes itself.
      return text;
    case 'powershell':
      return quoteForPowershell(text, quote);
  }
}

function quoteForBash(text: string, quote: Quote): string {
  if (quote === "'") return text.replaceAll("'", "'\\''");
  if (quote === '"') return text.replaceAll(/["\\$`]/g, '\\$&');
  return text.replaceAll(/[^\p{L}\p{M}\p{N}_./:=@%+,-]/gu, '\\$&');
}

/** In PowerShell, a comma builds a list, and typographic quotes are quotes. */
function quoteForPowershell(text: string, quote: Quote): string {
  if (quote === '"') return `"${text.replaceAll(/["“”„`$]/g, '`$&')}"`;
  if (quote === '' && /^[\p{L}\p{N}_/.\\=+%:-]+$/u.test(text)) return text;
  return `'${text.replaceAll(/['‘’‚‛]/g, '$&$&')}'`;
}
