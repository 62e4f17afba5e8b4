/** Shell patterns for names: `*`, `?`, `[a-z]`, `[!a-z]`, and backslash as escape. */

type Part = '*' | { readonly matches: (character: string) => boolean };

/** Whether a complete name matches a pattern, with regard to case. */
export function matchesGlob(name: string, pattern: string): boolean {
  const parts = parsePattern(pattern);
  const characters = [...name];
  // Position of the last star, and of the character after its match. Each retry extends the match
  // by one.
  let [star, resumed] = [-1, 0];
  let part = 0;
  let at = 0;
  while (at < characters.length) {
    const current = parts[part];
    if (current === '*') {
      star = part;
      resumed = at;
      part += 1;
    } else if (current?.matches(characters[at] ?? '')) {
      part += 1;
      at += 1;
    } else if (star >= 0) {
      part = star + 1;
      resumed += 1;
      at = resumed;
    } else return false;
  }
  return parts.slice(part).every((one) => one === '*');
}

function parsePattern(pattern: string): readonly Part[] {
  const tokens = pattern.match(/\\.|\[[!^]?\]?[^\]]*\]|./gsu) ?? [];
  return tokens.map((token): Part => {
    if (token === '*') return '*';
    if (token === '?') return { matches: () => true };
    if (token.length > 2 && token.startsWith('[')) return parseCharacterSet(token.slice(1, -1));
    const literal = token.length > 1 && token.startsWith('\\') ? token.slice(1) : token;
    return { matches: (character) => character === literal };
  });
}

function parseCharacterSet(text: string): Part {
  const isNegated = /^[!^]/.test(text);
  const ranges = (isNegated ? text.slice(1) : text).match(/.-.|./gsu) ?? [];
  return {
    matches: (character) =>
      isNegated !==
      ranges.some((range) => {
        const [first = '', , last = first] = [...range];
        return first <= character && character <= last;
      }),
  };
}

/**
 * Returns a search query that finds at least the matches of a pattern; undefined if the query
 * language cannot express it.
 */
export function createGlobSearch(pattern: string, names: readonly string[]): string | undefined {
  if (/["\\';]/.test(pattern)) return undefined;
  const field = names[0] === 'alias' ? 'alias' : 'name';
  return `${field}="${pattern.replaceAll(/\?|\[[!^]?\]?[^\]]*\]/g, '*')}"`;
}
