/**
 * A command line as a shell has it, up to the cursor: taken apart into words for completion, and what
 * may stand there written back the way the shell needs it, inside of quotes or not.
 */

/** Shells that hand over the line as it is typed; zsh takes it apart by itself. */
export const lineShells = ['bash', 'fish', 'powershell'] as const;

export type LineShell = (typeof lineShells)[number];

type Quote = '' | "'" | '"';

export interface Line {
  /** Words without their quotes; the last one is being typed. */
  readonly words: readonly string[];
  /** What of the last word stays in front of what is put in, without quotes. */
  readonly kept: string;
  /** The quotes in which the cursor is. */
  readonly quote: Quote;
}

/** How a shell hides characters from itself. */
interface Dialect {
  /** In front of a character outside of quotes. */
  readonly escape: string;
  /** What the same character does inside of quotes: in front of which ones it counts. */
  readonly escapable: Readonly<Record<"'" | '"', RegExp | undefined>>;
  /** Two quotes inside of quotes of the same kind are one. */
  readonly doubles: boolean;
}

const dialects: Readonly<Record<LineShell, Dialect>> = {
  bash: { escape: '\\', escapable: { "'": undefined, '"': /["\\$`]/ }, doubles: false },
  fish: { escape: '\\', escapable: { "'": /['\\]/, '"': /["\\$]/ }, doubles: false },
  powershell: { escape: '`', escapable: { "'": undefined, '"': /./s }, doubles: true },
};

/**
 * Takes a line apart.
 * @param breaks characters at which the shell begins anew within a word: COMP_WORDBREAKS of bash
 */
export function readLine(shell: LineShell, line: string, breaks = ''): Line {
  const { escape: escapeSign, escapable, doubles } = dialects[shell];
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
      // What a quote opens is replaced from there on.
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

/** The text that the shell has to put in for a word, or nothing where it does not fit what is there. */
export function writeWord(
  shell: LineShell,
  { kept, quote }: Line,
  word: string,
): string | undefined {
  if (!word.startsWith(kept)) return undefined;
  const text = word.slice(kept.length);
  switch (shell) {
    case 'bash':
      return bashText(text, quote);
    case 'fish':
      // It writes quotes by itself.
      return text;
    case 'powershell':
      return powershellText(text, quote);
  }
}

function bashText(text: string, quote: Quote): string {
  if (quote === "'") return text.replaceAll("'", "'\\''");
  if (quote === '"') return text.replaceAll(/["\\$`]/g, '\\$&');
  return text.replaceAll(/[^\p{L}\p{M}\p{N}_./:=@%+,-]/gu, '\\$&');
}

/** A comma makes a list there, and typographic quotes are quotes. */
function powershellText(text: string, quote: Quote): string {
  if (quote === '"') return `"${text.replaceAll(/["“”„`$]/g, '`$&')}"`;
  if (quote === '' && /^[\p{L}\p{N}_/.\\=+%:-]+$/u.test(text)) return text;
  return `'${text.replaceAll(/['‘’‚‛]/g, '$&$&')}'`;
}
