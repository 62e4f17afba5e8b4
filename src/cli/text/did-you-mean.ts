/**
 * Suggestions for mistyped words: prefixes, then edit distance with transpositions.
 * The small libraries for edit distance count a transposition as two edits and ignore prefixes.
 */

/** Returns at most three similar words, the most similar first. */
export function findCloseMatches(word: string, known: Iterable<string>): readonly string[] {
  const limit = word.length <= 3 ? 1 : word.length <= 8 ? 2 : 3;
  const wanted = word.toLowerCase();
  const scored: { readonly name: string; readonly score: number }[] = [];
  for (const name of new Set(known)) {
    const other = name.toLowerCase();
    const score =
      wanted !== '' && (other.startsWith(wanted) || (wanted.length > 3 && other.includes(wanted)))
        ? 0.5
        : distance(wanted, other, limit);
    if (score <= limit) scored.push({ name, score });
  }
  return scored
    .sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

/**
 * Edit distance of two words; a transposition counts as one edit. Any number above `limit` means
 * "more than `limit`".
 */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let best = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        best = Math.min(best, (before[column - 2] ?? 0) + 1);
      }
      current.push(best);
    }
    before = previous;
    previous = current;
  }
  return previous[b.length] ?? limit + 1;
}
