/**
 * Cursor over an XML document, tag by tag, with a check of well-formedness. Tree parsers lack
 * limits and positions, and need a second pass. Names may contain colons without a meaning. Line
 * ends, and blanks in attributes, are normalized.
 */
import { type DecodeOptions, position, WireError, type WireErrorSource } from './body.ts';
import type { ReadPosition } from './scalars.ts';
import { blank } from './xml-characters.ts';
import { greaterThan, lessThan, slash, XmlScanner } from './xml-scanner.ts';

const maxDepth = 64;
/**
 * Maximum elements in a document of a client. In memory, a small element takes many times its
 * length.
 */
const maxElements = 50_000;
const ampersand = 38;
const bracket = 93;

export class XmlCursor extends XmlScanner implements ReadPosition {
  readonly tolerant: boolean;
  /** Skips unknown elements and text. */
  readonly skipsUnknown: boolean;
  /** Name of the current element, whose start tag was read last. */
  name = '';
  /** Offset of its start tag. */
  start = 0;
  /** Position of the text that `content` returned last. */
  readonly justRead: ReadPosition;

  /** Names of the open elements. Only the first `depth` entries are valid. */
  private readonly open: string[] = [];
  private depth = 0;
  private elements = 0;
  /** Whether the current element has no content: `<a/>`. */
  private closed = false;

  /** Throws if the text contains a character that XML forbids. */
  constructor(text: string, unknown: DecodeOptions['unknown'] = 'refuse') {
    super(text);
    const tolerant = unknown === 'skip';
    this.tolerant = tolerant;
    this.skipsUnknown = unknown !== 'refuse';
    this.justRead = {
      tolerant,
      path: () => this.open.slice(0, this.depth + 1).join('.'),
      source: () => this.source(),
    };
  }

  path(): string {
    return this.open.slice(0, this.depth).join('.');
  }

  /** Position of the current element. */
  source(): WireErrorSource {
    return { position: position(this.text, this.start) };
  }

  /** Throws an error about the current element, which is well formed but unexpected. */
  refuse(problem: string): never {
    const source = this.source();
    throw new WireError('syntax', this.path(), `${problem} (at ${source.position})`, source);
  }

  /** Opens the root element. */
  root(): void {
    this.declaration();
    this.skipMisc();
    if (this.pos >= this.text.length) this.fail('expected an element, found the end of the text');
    if (this.text.charCodeAt(this.pos) !== lessThan) this.fail('expected an element, found text');
    this.startTag();
  }

  /** Checks that nothing follows the root element. */
  end(): void {
    this.skipMisc();
    if (this.pos < this.text.length)
      this.fail('expected the end of the text after the root element');
  }

  /** Opens the next child of the current element. Returns false after the last child. */
  nextChild(): boolean {
    if (this.closed) {
      this.closed = false;
      this.depth--;
      return false;
    }
    const { text } = this;
    for (;;) {
      let code = text.charCodeAt(this.pos);
      while (code === 10 || code === 32 || code === 9) code = text.charCodeAt(++this.pos);
      if (code !== lessThan) {
        if (this.tolerant || !this.skipsUnknown || this.piece() === undefined)
          this.unexpectedText();
        continue;
      }
      switch (text.charCodeAt(this.pos + 1)) {
        case slash:
          this.endTag();
          return false;
        case 33:
          if (this.isCdata()) {
            const at = this.pos;
            if (!blank.test(this.cdata()) && (this.tolerant || !this.skipsUnknown))
              this.fail('expected an element, found text', at);
          } else this.comment();
          break;
        case 63:
          this.instruction();
          break;
        default:
          this.startTag();
          return true;
      }
    }
  }

  /** Whether the current element begins with a child. Consumes no text. */
  hasChildren(): boolean {
    if (this.closed) return false;
    const { text } = this;
    let { pos } = this;
    for (;;) {
      const tag = text.indexOf('<', pos);
      if (tag < 0 || !blank.test(text.slice(pos, tag))) return false;
      const isComment = text.startsWith('<!--', tag);
      if (!isComment && text[tag + 1] !== '?')
        return text[tag + 1] !== '/' && text[tag + 1] !== '!';
      const end = text.indexOf(isComment ? '-->' : '?>', tag + 2);
      if (end < 0) return false;
      pos = text.indexOf('>', end) + 1;
    }
  }

  /** Text of the current element. Consumes its end tag. */
  content(): string {
    if (this.closed) {
      this.closed = false;
      this.depth--;
      return '';
    }
    const { text } = this;
    const start = this.pos;
    let pos = start;
    let code = text.charCodeAt(pos);
    while (code !== lessThan && code !== ampersand && code !== bracket && pos < text.length) {
      code = text.charCodeAt(++pos);
    }
    if (code === lessThan && text.charCodeAt(pos + 1) === slash) {
      this.pos = pos;
      this.endTag();
      return text.slice(start, pos);
    }
    return this.mixedContent();
  }

  /** Skips the current element with its content. */
  skip(): void {
    const floor = this.depth;
    while (this.depth >= floor) {
      if (this.closed) {
        this.closed = false;
        this.depth--;
      } else if (this.piece() === undefined) this.startTag();
    }
  }

  /** Text that contains references, CDATA sections, comments or instructions. */
  private mixedContent(): string {
    const floor = this.depth;
    let content = '';
    while (this.depth >= floor) {
      const piece = this.piece();
      if (piece === undefined) {
        const at = position(this.text, this.pos);
        const problem = `expected text, found an element (at ${at})`;
        throw new WireError('syntax', this.path(), problem, { position: at });
      }
      content += piece;
    }
    return content;
  }

  /** Consumes one piece of content and returns its text. `undefined` before a start tag. */
  private piece(): string | undefined {
    const { text } = this;
    if (text.charCodeAt(this.pos) !== lessThan) {
      const start = this.pos;
      const end = text.indexOf('<', start);
      if (end < 0) this.unexpectedEnd();
      const raw = text.slice(start, end);
      const bad = raw.indexOf(']]>');
      if (bad >= 0) this.fail(']]> is not allowed in text; write ]]&gt;', start + bad);
      this.pos = end;
      return this.references(raw, start);
    }
    switch (text.charCodeAt(this.pos + 1)) {
      case slash:
        this.endTag();
        return '';
      case 33:
        if (this.isCdata()) return this.cdata();
        this.comment();
        return '';
      case 63:
        this.instruction();
        return '';
      default:
        return undefined;
    }
  }

  private startTag(): void {
    const { text } = this;
    const at = this.pos;
    this.start = at;
    this.pos = at + 1;
    this.name = this.readName('the name of an element');
    if (this.depth >= maxDepth) {
      throw new WireError(
        'limit',
        position(text, at),
        `elements are nested more than ${maxDepth} deep`,
      );
    }
    if (++this.elements > maxElements && !this.tolerant) {
      throw new WireError(
        'limit',
        position(text, at),
        `more than ${maxElements} elements in the document`,
      );
    }
    this.open[this.depth++] = this.name;
    this.attributeEnd = 0;
    for (;;) {
      const before = this.pos;
      this.skipBlanks();
      const code = text.charCodeAt(this.pos);
      if (code === greaterThan) {
        this.pos++;
        return;
      }
      if (code === slash) {
        if (text.charCodeAt(this.pos + 1) !== greaterThan) this.fail('expected /> after /');
        this.pos += 2;
        this.closed = true;
        return;
      }
      if (this.pos >= text.length) this.unexpectedEnd();
      if (this.pos === before) this.fail('expected a blank, > or /> in the tag');
      this.attribute();
    }
  }

  private endTag(): void {
    const { text } = this;
    const expected = this.open[this.depth - 1] ?? '';
    const at = this.pos;
    let pos = at + 2 + expected.length;
    let code = text.charCodeAt(pos);
    const matches = text.startsWith(expected, at + 2);
    if (!matches || (code !== greaterThan && !(code <= 32) && pos < text.length)) {
      this.pos = at + 2;
      const found = this.readName('the name of an element');
      this.fail(`expected </${expected}>, found </${found}>`, at);
    }
    while (code === 10 || code === 32 || code === 9) code = text.charCodeAt(++pos);
    this.pos = pos;
    if (code !== greaterThan) {
      if (pos >= text.length) this.unexpectedEnd();
      this.fail(`expected > at the end of </${expected}>`);
    }
    this.pos = pos + 1;
    this.depth--;
  }

  private unexpectedText(): never {
    if (this.pos >= this.text.length) this.unexpectedEnd();
    const where = position(this.text, this.pos);
    throw new WireError('syntax', this.path(), `expected an element, found text (at ${where})`);
  }

  protected override unexpectedEnd(): never {
    const still = this.depth > 0 ? ` inside <${this.open[this.depth - 1]}>` : '';
    this.fail(`unexpected end of the text${still}`, this.text.length);
  }
}
