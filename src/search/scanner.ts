/** Scanner of the search language: words, quoted values, relations, and search errors. */
import type { Relation } from '../model/notation/search.ts';

/** Word or value with its position. */
export interface Token {
  readonly text: string;
  readonly position: number;
  readonly quoted: boolean;
}

const relations: readonly Relation[] = ['!=', '<=', '>=', '=', '<', '>'];

export class Scanner {
  private readonly text: string;
  private pos = 0;

  /** Throws if the text contains a character that searches must not contain. */
  constructor(text: string) {
    const forbidden = text.search(/[';]/);
    if (forbidden >= 0) {
      throw new SearchError(`${text[forbidden]} is not allowed in a query`, forbidden);
    }
    const end = text.trimEnd().length;
    if (text[end - 1] === '\\') {
      throw new SearchError('a query must not end with a backslash', end - 1);
    }
    this.text = text;
  }

  /** Offset of the next nonblank character. */
  get position(): number {
    while (isBlank(this.text.charCodeAt(this.pos))) this.pos++;
    return this.pos;
  }

  get atEnd(): boolean {
    return this.position >= this.text.length;
  }

  /** Next word, up to a blank, a quote or a relation. A quoted text counts as a word. */
  word(): Token | undefined {
    const start = this.position;
    if (this.text[start] === '"') return this.quoted();
    let end = start;
    while (end < this.text.length && !this.endsWord(end)) end++;
    this.pos = end;
    return end === start
      ? undefined
      : { text: this.text.slice(start, end), position: start, quoted: false };
  }

  /** Consumes the next word if it is this keyword, in any case. Returns whether it was. */
  keyword(keyword: string): boolean {
    const start = this.position;
    // The first letter usually differs. Comparing it avoids a copy of each word.
    if ((this.text.charCodeAt(start) | 32) !== keyword.charCodeAt(0)) return false;
    const end = start + keyword.length;
    const found =
      this.text.slice(start, end).toLowerCase() === keyword &&
      (end >= this.text.length || this.endsWord(end));
    if (found) this.pos = end;
    return found;
  }

  /** Same as `keyword`, but consumes no text. */
  startsWith(keyword: string): boolean {
    const start = this.position;
    const found = this.keyword(keyword);
    this.pos = start;
    return found;
  }

  relation(): Relation | undefined {
    const start = this.position;
    const found = relations.find((relation) => this.text.startsWith(relation, start));
    if (found) this.pos = start + found.length;
    return found;
  }

  /** Value after a relation: quoted text, or the text up to the next blank. */
  value(): Token {
    const start = this.position;
    if (start >= this.text.length) throw new SearchError('the query ends', start, ['a value']);
    if (this.text[start] === '"') return this.quoted();
    if (/[=<>]/.test(this.text[start] ?? '') || this.text.startsWith('!=', start)) {
      throw new SearchError('a second relation', start, ['a value']);
    }
    let end = start;
    while (end < this.text.length && !isBlank(this.text.charCodeAt(end))) {
      if (this.text[end] === '"') this.misplacedQuote(end);
      end++;
    }
    this.pos = end;
    return { text: this.text.slice(start, end), position: start, quoted: false };
  }

  private quoted(): Token {
    const start = this.pos;
    const end = this.text.indexOf('"', start + 1);
    if (end < 0) {
      throw new SearchError('the query ends inside quotes', this.text.length, ['"']);
    }
    this.pos = end + 1;
    if (this.pos < this.text.length && !isBlank(this.text.charCodeAt(this.pos))) {
      if (!this.endsWord(this.pos) || this.text[this.pos] === '"') this.misplacedQuote(end);
    }
    return { text: this.text.slice(start + 1, end), position: start, quoted: true };
  }

  private misplacedQuote(position: number): never {
    throw new SearchError('quotes around a part of the value', position, ['a blank']);
  }

  private endsWord(offset: number): boolean {
    const character = this.text[offset];
    if (character === '!') return this.text[offset + 1] === '=';
    return (
      character === '"' ||
      character === '=' ||
      character === '<' ||
      character === '>' ||
      isBlank(this.text.charCodeAt(offset))
    );
  }
}

function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xa0;
}

/** Syntax error in a search. The message contains the expected tokens and the position. */
export class SearchError extends Error {
  /** Problem without the position. */
  readonly problem: string;
  /** Offset in the text, from 0. The length of the text if it ends too early. */
  readonly position: number;
  /** Tokens that are valid at the position. */
  readonly expected: readonly string[];

  constructor(problem: string, position: number, expected: readonly string[] = []) {
    const wanted = expected.length > 0 ? `; expected ${expected.join(', ')}` : '';
    super(`${problem} (character ${position + 1})${wanted}`);
    this.name = 'SearchError';
    this.problem = problem;
    this.position = position;
    this.expected = expected;
  }
}

/** A search that names an unknown field. */
export class UnknownField extends SearchError {}

/**
 * Value that the database of an engine refuses. For other errors, an engine returns an empty list.
 */
export class SearchValueError extends SearchError {}
