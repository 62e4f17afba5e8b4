/**
 * Walks through an XML document tag by tag and checks on the way that it is well formed.
 *
 * No document type declaration is accepted, so entities can neither be declared nor expanded.
 * Names with a colon are plain names. Line ends and blanks in attributes are normalized as XML
 * asks; all other text is left as it is.
 */
import { position, WireError } from '../error.ts';
import type { Place } from '../scalars.ts';
import {
  blank,
  decodeReferences,
  illegalCharacter,
  isNameCharacter,
  isNameStart,
  knownName,
  nextHash,
} from './characters.ts';

const maxDepth = 64;
const maxAttributes = 64;
const maxAttributeLength = 64 * 1024;

const lessThan = 60;
const greaterThan = 62;
const slash = 47;
const ampersand = 38;
const bracket = 93;

const declaration =
  /^<\?xml[ \t\n]+version[ \t\n]*=[ \t\n]*(?:"1\.[0-9]+"|'1\.[0-9]+')(?:[ \t\n]+encoding[ \t\n]*=[ \t\n]*(?:"([A-Za-z][\w.-]*)"|'([A-Za-z][\w.-]*)'))?(?:[ \t\n]+standalone[ \t\n]*=[ \t\n]*(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\n]*\?>/;

export class XmlCursor implements Place {
  readonly tolerant: boolean;
  /** Name of the element that was opened last. */
  name = '';
  /** Its attributes: name, value, name, value. */
  readonly attributes: string[] = [];
  /** Length of the used part of `attributes`. */
  attributeEnd = 0;

  /** Where the text stood that `content` returned last. */
  readonly justRead: Place;

  private readonly text: string;
  private pos = 0;
  /** Names of the open elements; only the first `depth` count. */
  private readonly open: string[] = [];
  private depth = 0;
  /** The element that was opened last has no content: `<a/>`. */
  private closed = false;

  /** Throws when the text holds a character that XML does not allow. */
  constructor(text: string, tolerant: boolean) {
    this.text = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
    this.tolerant = tolerant;
    this.justRead = { tolerant, path: () => this.open.slice(0, this.depth + 1).join('.') };
    const illegal = illegalCharacter(this.text);
    if (illegal >= 0) {
      const code = this.text.charCodeAt(illegal).toString(16).toUpperCase().padStart(4, '0');
      this.fail(`the character U+${code} is not allowed in XML`, illegal);
    }
  }

  path(): string {
    return this.open.slice(0, this.depth).join('.');
  }

  /** Throws a `syntax` error at an offset, by default the current one. */
  fail(problem: string, offset = this.pos): never {
    throw new WireError('syntax', position(this.text, offset), problem);
  }

  /** Opens the root element. */
  root(): void {
    const declared = declaration.exec(this.text);
    if (declared) {
      const encoding = declared[1] ?? declared[2];
      if (encoding !== undefined && encoding.toUpperCase() !== 'UTF-8') {
        this.fail(`the encoding is declared as ${encoding}; only UTF-8 is accepted`);
      }
      this.pos = declared[0].length;
    } else if (/^<\?xml[ \t\n?]/.test(this.text)) {
      this.fail('the XML declaration is not complete');
    }
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

  /** Opens the next child of the element that was opened last; false when it has no more. */
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
      if (code !== lessThan) this.unexpectedText();
      switch (text.charCodeAt(this.pos + 1)) {
        case slash:
          this.endTag();
          return false;
        case 33:
          if (this.isCdata()) {
            const at = this.pos;
            if (!blank.test(this.cdata())) this.fail('expected an element, found text', at);
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

  /** All text of the element that was opened last, up to its end tag, which is consumed. */
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

  /** Passes over the element that was opened last, with all that is in it. */
  skip(): void {
    const floor = this.depth;
    while (this.depth >= floor) {
      if (this.closed) {
        this.closed = false;
        this.depth--;
      } else if (!this.piece()) this.startTag();
    }
  }

  /** Text with references, CDATA sections, comments or instructions between. */
  private mixedContent(): string {
    const floor = this.depth;
    let content = '';
    while (this.depth >= floor) {
      const piece = this.piece();
      if (piece === undefined) {
        throw new WireError(
          'syntax',
          this.path(),
          `expected text, found an element (at ${position(this.text, this.pos)})`,
        );
      }
      content += piece;
    }
    return content;
  }

  /** Consumes one piece of content and returns its text; `undefined` in front of a start tag. */
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

  private references(raw: string, start: number): string {
    if (!raw.includes('&')) return raw;
    return decodeReferences(raw, (problem, offset) => this.fail(problem, start + offset));
  }

  private startTag(): void {
    const { text } = this;
    const at = this.pos;
    this.pos = at + 1;
    this.name = this.readName('the name of an element');
    if (this.depth >= maxDepth) {
      throw new WireError(
        'limit',
        position(text, at),
        `elements are nested more than ${maxDepth} deep`,
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

  private attribute(): void {
    const { text, attributes } = this;
    const at = this.pos;
    const name = this.readName('the name of an attribute');
    for (let i = 0; i < this.attributeEnd; i += 2) {
      if (attributes[i] === name) this.fail(`the attribute ${name} is given twice`, at);
    }
    if (this.attributeEnd >= 2 * maxAttributes) {
      throw new WireError(
        'limit',
        position(text, at),
        `an element has more than ${maxAttributes} attributes`,
      );
    }
    this.skipBlanks();
    if (text.charCodeAt(this.pos) !== 61) this.fail(`expected = after the attribute ${name}`);
    this.pos++;
    this.skipBlanks();
    const quote = text[this.pos];
    if (quote !== '"' && quote !== "'")
      this.fail(`expected a quoted value of the attribute ${name}`);
    const start = this.pos + 1;
    const end = text.indexOf(quote, start);
    if (end < 0) this.unexpectedEnd();
    if (end - start > maxAttributeLength) {
      throw new WireError(
        'limit',
        position(text, at),
        `the attribute ${name} is longer than ${maxAttributeLength} characters`,
      );
    }
    let value = text.slice(start, end);
    const less = value.indexOf('<');
    if (less >= 0) this.fail('< is not allowed in an attribute; write &lt;', start + less);
    // Blanks become spaces before references are decoded: &#10; stays a line end.
    value = this.references(/[\t\n]/.test(value) ? value.replace(/[\t\n]/g, ' ') : value, start);
    attributes[this.attributeEnd++] = name;
    attributes[this.attributeEnd++] = value;
    this.pos = end + 1;
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

  private readName(what: string): string {
    const { text } = this;
    const start = this.pos;
    let pos = start;
    let code = text.charCodeAt(pos);
    if (!isNameStart(code, text, pos)) {
      if (pos >= text.length) this.unexpectedEnd();
      this.fail(`expected ${what}`);
    }
    let hash = 0;
    do {
      hash = nextHash(hash, code);
      pos += code >= 0xd800 && code < 0xdc00 ? 2 : 1;
      code = text.charCodeAt(pos);
    } while (isNameCharacter(code, text, pos));
    this.pos = pos;
    const known = knownName(hash);
    return known !== undefined && known.length === pos - start && text.startsWith(known, start)
      ? known
      : text.slice(start, pos);
  }

  private isCdata(): boolean {
    return this.text.startsWith('<![CDATA[', this.pos);
  }

  private cdata(): string {
    const start = this.pos + 9;
    const end = this.text.indexOf(']]>', start);
    if (end < 0) this.unexpectedEnd();
    this.pos = end + 3;
    return this.text.slice(start, end);
  }

  private comment(): void {
    const { text } = this;
    if (!text.startsWith('<!--', this.pos)) {
      this.fail('document type declarations and entities are not accepted');
    }
    const end = text.indexOf('--', this.pos + 4);
    if (end < 0) this.unexpectedEnd();
    if (text.charCodeAt(end + 2) !== greaterThan) this.fail('-- is not allowed in a comment', end);
    this.pos = end + 3;
  }

  private instruction(): void {
    const { text } = this;
    const at = this.pos;
    this.pos += 2;
    const target = this.readName('the target of a processing instruction');
    if (target.toLowerCase() === 'xml') {
      this.fail('an XML declaration is only allowed at the very beginning', at);
    }
    const end = text.indexOf('?>', this.pos);
    if (end < 0) this.unexpectedEnd();
    if (end !== this.pos && !blank.test(text[this.pos] ?? '')) {
      this.fail('expected a blank after the target of a processing instruction');
    }
    this.pos = end + 2;
  }

  /** What may stand before and after the root element. */
  private skipMisc(): void {
    for (;;) {
      this.skipBlanks();
      if (this.text.startsWith('<?', this.pos)) this.instruction();
      else if (this.text.startsWith('<!', this.pos)) this.comment();
      else return;
    }
  }

  private skipBlanks(): void {
    let code = this.text.charCodeAt(this.pos);
    while (code === 32 || code === 10 || code === 9) code = this.text.charCodeAt(++this.pos);
  }

  private unexpectedText(): never {
    if (this.pos >= this.text.length) this.unexpectedEnd();
    const where = position(this.text, this.pos);
    throw new WireError('syntax', this.path(), `expected an element, found text (at ${where})`);
  }

  private unexpectedEnd(): never {
    const still = this.depth > 0 ? ` inside <${this.open[this.depth - 1]}>` : '';
    this.fail(`the text ends too early${still}`, this.text.length);
  }
}
