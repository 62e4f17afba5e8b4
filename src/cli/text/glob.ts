/** Patterns for names, as shells have them: `*`, `?`, `[a-z]`, `[!a-z]`; a backslash takes the next literally. */

type Part = '*' | { readonly matches: (character: string) => boolean };

/** Whether the whole of a name matches a pattern; upper and lower case differ. */
export function matchesGlob(name: string, pattern: string): boolean {
  const parts = partsOf(pattern);
  const characters = [...name];
  // Behind the last star that was tried, and what it was tried with: it takes one more character each time.
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

function partsOf(pattern: string): readonly Part[] {
  const tokens = pattern.match(/\\.|\[[!^]?\]?[^\]]*\]|./gsu) ?? [];
  return tokens.map((token): Part => {
    if (token === '*') return '*';
    if (token === '?') return { matches: () => true };
    if (token.length > 2 && token.startsWith('[')) return setOf(token.slice(1, -1));
    const literal = token.length > 1 && token.startsWith('\\') ? token.slice(1) : token;
    return { matches: (character) => character === literal };
  });
}

function setOf(text: string): Part {
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

/** A search that finds at least what the pattern matches; nothing where the language cannot say it. */
export function searchForGlob(pattern: string, names: readonly string[]): string | undefined {
  if (/["\\';]/.test(pattern)) return undefined;
  const field = names[0] === 'alias' ? 'alias' : 'name';
  return `${field}="${pattern.replaceAll(/\?|\[[!^]?\]?[^\]]*\]/g, '*')}"`;
}
