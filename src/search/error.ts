/** What is thrown for a search that does not parse. */

/** A search that does not parse. The message says what was expected, and at which character. */
export class SearchError extends Error {
  /** Offset in the text, from 0; the length of the text when it ends too early. */
  readonly position: number;
  /** What could have stood there. */
  readonly expected: readonly string[];

  constructor(problem: string, position: number, expected: readonly string[] = []) {
    const wanted = expected.length > 0 ? `; expected ${expected.join(', ')}` : '';
    super(`${problem} at character ${position + 1}${wanted}`);
    this.name = 'SearchError';
    this.position = position;
    this.expected = expected;
  }
}
