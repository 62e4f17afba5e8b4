/**
 * Strict JSON parser. Unlike `JSON.parse` and libraries based on it, it keeps integers exact,
 * refuses duplicate keys and keys such as `__proto__`, limits the depth, and reports positions.
 */
import { forbiddenCharacter, forbiddenOffset } from '../allowed-characters.ts';
import { position, WireError } from './body.ts';
import { toLong } from './scalars.ts';
import { TextBuilder } from './text-builder.ts';

const maxDepth = 64;
/** Maximum values in one text. In memory, a small value takes many times its length. */
export const maximumValues = 50_000;
const refusedKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
/** Longer integers do not fit into 64 bits and need not be exact. */
const maxDigits = 40;

/**
 * Parses a JSON text. Integers beyond 2^53 are bigints. Throws `syntax` and `limit` errors.
 * @param maxValues maximum count of values in the text
 */
export function parseJson(text: string, maxValues = Number.POSITIVE_INFINITY): unknown {
  return new JsonParser(text, maxValues).document();
}

/**
 * Same as `parseJson`, for users' documents. It also refuses characters outside XML 1.0, in the
 * text and in escapes, because other formats and stores cannot represent them.
 */
export function parseJsonDocument(text: string): unknown {
  const offset = forbiddenOffset(text);
  if (offset >= 0) {
    const problem = forbiddenProblem(text.slice(offset), 'the document');
    throw new WireError('syntax', position(text, offset), problem ?? '');
  }
  return new JsonParser(text, Number.POSITIVE_INFINITY, true).document();
}

function forbiddenProblem(text: string, where: string): string | undefined {
  const code = forbiddenCharacter(text)?.codePointAt(0);
  if (code === undefined) return undefined;
  const name = code.toString(16).toUpperCase().padStart(4, '0');
  return `${where} contains the character U+${name}, which XML 1.0 does not allow`;
}

const numberSyntax = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;

const escaped: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

class JsonParser {
  private readonly text: string;
  private pos = 0;
  private depth = 0;
  private values = 0;
  private readonly maxValues: number;
  /** Whether escapes are limited to characters of XML 1.0. */
  private readonly allowedOnly: boolean;

  constructor(text: string, maxValues: number, allowedOnly = false) {
    this.text = text;
    this.maxValues = maxValues;
    this.allowedOnly = allowedOnly;
  }

  document(): unknown {
    const value = this.value();
    this.skipBlanks();
    if (this.pos < this.text.length) this.fail('expected the end of the text');
    return value;
  }

  private value(): unknown {
    if (++this.values > this.maxValues) {
      throw new WireError(
        'limit',
        position(this.text, this.pos),
        `more than ${this.maxValues} values in the text`,
      );
    }
    this.skipBlanks();
    switch (this.text[this.pos]) {
      case '{':
        return this.nested(() => this.object());
      case '[':
        return this.nested(() => this.array());
      case '"':
        return this.string();
      case 't':
        return this.word('true', true);
      case 'f':
        return this.word('false', false);
      case 'n':
        return this.word('null', null);
      default:
        return this.number();
    }
  }

  private nested<T>(read: () => T): T {
    if (this.depth >= maxDepth) {
      throw new WireError(
        'limit',
        position(this.text, this.pos),
        `objects and arrays are nested more than ${maxDepth} deep`,
      );
    }
    this.depth++;
    this.pos++;
    const value = read();
    this.depth--;
    return value;
  }

  private object(): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    this.skipBlanks();
    if (this.take('}')) return object;
    do {
      this.skipBlanks();
      const at = this.pos;
      if (this.text[at] !== '"') this.fail('expected a member name in double quotes');
      const key = this.string();
      if (refusedKeys.has(key)) this.fail(`the member name ${key} is not allowed`, at);
      if (Object.hasOwn(object, key)) {
        this.fail(`duplicate member ${JSON.stringify(key)}`, at);
      }
      this.skipBlanks();
      if (!this.take(':')) this.fail('expected : after the member name');
      object[key] = this.value();
      this.skipBlanks();
    } while (this.take(','));
    if (!this.take('}')) this.fail('expected , or }');
    return object;
  }

  private array(): unknown[] {
    const array: unknown[] = [];
    this.skipBlanks();
    if (this.take(']')) return array;
    do {
      array.push(this.value());
      this.skipBlanks();
    } while (this.take(','));
    if (!this.take(']')) this.fail('expected , or ]');
    return array;
  }

  private string(): string {
    const { text } = this;
    const start = this.pos + 1;
    for (let pos = start; ; pos++) {
      const code = text.charCodeAt(pos);
      if (code === 34) {
        this.pos = pos + 1;
        return text.slice(start, pos);
      }
      if (code === 92) return this.escapedString(start, pos);
      if (code < 32) this.failControl(pos);
      if (pos >= text.length) this.failUnended(pos);
    }
  }

  /** Reads a string with escapes. The first escape is at `from`. */
  private escapedString(start: number, from: number): string {
    const { text } = this;
    // Find the end first, to allocate only the required memory.
    const end = this.findStringEnd(from);
    const value = new TextBuilder(end - start);
    let done = start;
    for (let at = from; at >= 0 && at < end; at = text.indexOf('\\', done)) {
      value.addSlice(text, done, at);
      this.pos = at;
      value.addCodePoint(this.escape());
      done = this.pos;
    }
    value.addSlice(text, done, end);
    this.pos = end + 1;
    return this.validateText(value.toString(), start);
  }

  /** Offset of the closing quote of the string that contains `from`. */
  private findStringEnd(from: number): number {
    const { text } = this;
    for (let pos = from; ; pos++) {
      const code = text.charCodeAt(pos);
      if (code === 34) return pos;
      if (code === 92) pos++;
      else if (code < 32) this.failControl(pos);
      if (pos >= text.length) this.failUnended(text.length);
    }
  }

  private failControl(pos: number): never {
    this.fail('a control character in a string must be written as an escape', pos);
  }

  private failUnended(pos: number): never {
    this.fail('the text ends inside a string', pos);
  }

  /** Escapes can spell an unpaired surrogate, which is invalid text. */
  private validateText(value: string, at: number): string {
    if (/\p{Surrogate}/u.test(value)) this.fail('the string has half a surrogate pair', at);
    const problem = this.allowedOnly ? forbiddenProblem(value, 'the string') : undefined;
    if (problem !== undefined) this.fail(problem, at);
    return value;
  }

  /** Code unit of an escape. */
  private escape(): number {
    const { text } = this;
    const character = text[this.pos + 1] ?? '';
    if (character === 'u') {
      const digits = text.slice(this.pos + 2, this.pos + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.fail('expected four hexadecimal digits after \\u');
      this.pos += 6;
      return Number.parseInt(digits, 16);
    }
    const meant = Object.hasOwn(escaped, character) ? escaped[character] : undefined;
    if (meant === undefined) this.fail('expected one of " \\ / b f n r t u after \\');
    this.pos += 2;
    return meant.charCodeAt(0);
  }

  private number(): number | bigint {
    if (this.pos >= this.text.length) this.fail('expected a value, found the end of the text');
    numberSyntax.lastIndex = this.pos;
    const found = numberSyntax.exec(this.text);
    if (!found) this.fail('expected a value');
    const [digits, fraction, exponent] = found;
    const at = this.pos;
    this.pos += digits.length;
    const whole = fraction === undefined && exponent === undefined;
    if (whole && digits.length > 15 && digits.length <= maxDigits) return toLong(BigInt(digits));
    const value = Number(digits);
    if (!Number.isFinite(value)) this.fail('the number is too large', at);
    return value;
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.pos)) this.fail('expected a value');
    this.pos += word.length;
    return value;
  }

  private take(character: string): boolean {
    if (this.text[this.pos] !== character) return false;
    this.pos++;
    return true;
  }

  private skipBlanks(): void {
    let code = this.text.charCodeAt(this.pos);
    while (code === 32 || code === 10 || code === 13 || code === 9) {
      code = this.text.charCodeAt(++this.pos);
    }
  }

  private fail(problem: string, offset = this.pos): never {
    throw new WireError('syntax', position(this.text, offset), problem);
  }
}

/** An integer of sixteen digits or more may not be exact as a number. */
const longNumber = /(?:^|[:[,\s])-?[0-9]{16}/;

/**
 * Parses JSON of a server with `JSON.parse` if this is exact. Duplicate members are not detected:
 * the text can be large, and the server is trusted.
 */
export function parseTrustedJson(text: string): unknown {
  if (longNumber.test(text)) return parseJson(text);
  try {
    return JSON.parse(text);
  } catch {
    // Parse again to report the position of the error.
    return parseJson(text);
  }
}
