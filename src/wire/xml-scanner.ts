/**
 * Scanner of XML tokens: names, attributes, comments, CDATA sections and processing instructions.
 * It refuses document type declarations, so that entities cannot be declared or expanded.
 */
import { position, WireError } from './body.ts';
import {
  blank,
  decodeReferences,
  findName,
  illegalCharacter,
  isNameCharacter,
  isNameStart,
  nextHash,
} from './xml-characters.ts';

const maxAttributes = 64;
const maxAttributeLength = 64 * 1024;

export const lessThan = 60;
export const greaterThan = 62;
export const slash = 47;
const equals = 61;

const declaration =
  /^<\?xml[ \t\n]+version[ \t\n]*=[ \t\n]*(?:"1\.[0-9]+"|'1\.[0-9]+')(?:[ \t\n]+encoding[ \t\n]*=[ \t\n]*(?:"([A-Za-z][\w.-]*)"|'([A-Za-z][\w.-]*)'))?(?:[ \t\n]+standalone[ \t\n]*=[ \t\n]*(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\n]*\?>/;

export class XmlScanner {
  /** Attributes of the current element: name, value, name, value. */
  readonly attributes: string[] = [];
  /** Length of the used part of `attributes`. */
  attributeEnd = 0;

  protected readonly text: string;
  protected pos = 0;

  /** Throws if the text contains a character that XML forbids. */
  constructor(text: string) {
    this.text = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
    const illegal = illegalCharacter(this.text);
    if (illegal >= 0) {
      const code = this.text.charCodeAt(illegal).toString(16).toUpperCase().padStart(4, '0');
      this.fail(`the character U+${code} is not allowed in XML`, illegal);
    }
  }

  /** Throws a `syntax` error at an offset, by default the current one. */
  fail(problem: string, offset = this.pos): never {
    throw new WireError('syntax', position(this.text, offset), problem);
  }

  protected unexpectedEnd(): never {
    this.fail('unexpected end of the text', this.text.length);
  }

  /** Reads the optional XML declaration. */
  protected declaration(): void {
    const declared = declaration.exec(this.text);
    if (declared) {
      const encoding = declared[1] ?? declared[2];
      if (encoding !== undefined && encoding.toUpperCase() !== 'UTF-8') {
        this.fail(`the encoding is declared as ${encoding}; only UTF-8 is accepted`);
      }
      this.pos = declared[0].length;
    } else if (/^<\?xml[ \t\n?]/.test(this.text)) {
      this.fail('the XML declaration is incomplete');
    }
  }

  protected attribute(): void {
    const { text, attributes } = this;
    const at = this.pos;
    const name = this.readName('the name of an attribute');
    for (let i = 0; i < this.attributeEnd; i += 2) {
      if (attributes[i] === name) this.fail(`duplicate attribute ${name}`, at);
    }
    if (this.attributeEnd >= 2 * maxAttributes) {
      throw new WireError(
        'limit',
        position(text, at),
        `an element has more than ${maxAttributes} attributes`,
      );
    }
    this.skipBlanks();
    if (text.charCodeAt(this.pos) !== equals) this.fail(`expected = after the attribute ${name}`);
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
    // Replace blanks before references: &#10; remains a line end.
    value = this.references(/[\t\n]/.test(value) ? value.replace(/[\t\n]/g, ' ') : value, start);
    attributes[this.attributeEnd++] = name;
    attributes[this.attributeEnd++] = value;
    this.pos = end + 1;
  }

  protected readName(what: string): string {
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
    const known = findName(hash);
    return known !== undefined && known.length === pos - start && text.startsWith(known, start)
      ? known
      : text.slice(start, pos);
  }

  protected references(raw: string, start: number): string {
    if (!raw.includes('&')) return raw;
    return decodeReferences(raw, (problem, offset) => this.fail(problem, start + offset));
  }

  protected isCdata(): boolean {
    return this.text.startsWith('<![CDATA[', this.pos);
  }

  protected cdata(): string {
    const start = this.pos + 9;
    const end = this.text.indexOf(']]>', start);
    if (end < 0) this.unexpectedEnd();
    this.pos = end + 3;
    return this.text.slice(start, end);
  }

  protected comment(): void {
    const { text } = this;
    if (!text.startsWith('<!--', this.pos)) {
      this.fail('document type declarations and entities are not accepted');
    }
    const end = text.indexOf('--', this.pos + 4);
    if (end < 0) this.unexpectedEnd();
    if (text.charCodeAt(end + 2) !== greaterThan) this.fail('-- is not allowed in a comment', end);
    this.pos = end + 3;
  }

  protected instruction(): void {
    const { text } = this;
    const at = this.pos;
    this.pos += 2;
    const target = this.readName('the target of a processing instruction');
    if (target.toLowerCase() === 'xml') {
      this.fail('an XML declaration is only allowed at the beginning', at);
    }
    const end = text.indexOf('?>', this.pos);
    if (end < 0) this.unexpectedEnd();
    if (end !== this.pos && !blank.test(text[this.pos] ?? '')) {
      this.fail('expected a blank after the target of a processing instruction');
    }
    this.pos = end + 2;
  }

  /** Skips comments and instructions before and after the root element. */
  protected skipMisc(): void {
    for (;;) {
      this.skipBlanks();
      if (this.text.startsWith('<?', this.pos)) this.instruction();
      else if (this.text.startsWith('<!', this.pos)) this.comment();
      else return;
    }
  }

  protected skipBlanks(): void {
    let code = this.text.charCodeAt(this.pos);
    while (code === 32 || code === 10 || code === 9) code = this.text.charCodeAt(++this.pos);
  }
}
