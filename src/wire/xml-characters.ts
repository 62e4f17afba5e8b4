/** Characters, references and escaping of XML. */
import { TextBuilder } from './text-builder.ts';

/** Nothing but white space; also matches nothing at all. */
export const blank = /^[ \t\r\n]*$/;

const illegal =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML forbids
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;

/** Offset of the first character that no XML document may contain, or -1. */
export function illegalCharacter(text: string): number {
  return text.search(illegal);
}

/** First and last code points of the ranges that XML 1.0 calls NameStartChar. */
const startRanges: readonly (readonly [number, number])[] = [
  [0x3a, 0x3a],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
  [0xc0, 0xd6],
  [0xd8, 0xf6],
  [0xf8, 0x2ff],
  [0x370, 0x37d],
  [0x37f, 0x1fff],
  [0x200c, 0x200d],
  [0x2070, 0x218f],
  [0x2c00, 0x2fef],
  [0x3001, 0xd7ff],
  [0xf900, 0xfdcf],
  [0xfdf0, 0xfffd],
  [0x10000, 0xeffff],
];

/** What NameChar has beyond NameStartChar. */
const furtherRanges: readonly (readonly [number, number])[] = [
  [0x2d, 0x2e],
  [0x30, 0x39],
  [0xb7, 0xb7],
  [0x300, 0x36f],
  [0x203f, 0x2040],
];

function within(code: number, ranges: readonly (readonly [number, number])[]): boolean {
  return ranges.some(([first, last]) => code >= first && code <= last);
}

/** Which ASCII characters are within ranges: 1 at their codes. */
function tableOf(...ranges: readonly (readonly [number, number])[]): Uint8Array {
  const table = new Uint8Array(128);
  // What lies behind the end of the table is not filled.
  for (const [first, last] of ranges) table.fill(1, first, last + 1);
  return table;
}

const startTable = tableOf(...startRanges);
const characterTable = tableOf(...startRanges, ...furtherRanges);

/** Whether a name may begin with the character at an offset, whose code unit is given. */
export function isNameStart(code: number, text: string, offset: number): boolean {
  if (code < 128) return startTable[code] === 1;
  return within(text.codePointAt(offset) ?? 0, startRanges);
}

/** Whether a name may go on with the character at an offset, whose code unit is given. */
export function isNameCharacter(code: number, text: string, offset: number): boolean {
  if (code < 128) return characterTable[code] === 1;
  const point = text.codePointAt(offset) ?? 0;
  return within(point, startRanges) || within(point, furtherRanges);
}

/** Names of the model by hash: most names are found here without making a new string. */
const names = new Map<number, string>();

export function nextHash(hash: number, code: number): number {
  return (Math.imul(hash, 31) + code) | 0;
}

/** Registers a name of the model. Names that come with a document are never kept. */
export function keepName(name: string): void {
  let hash = 0;
  for (let i = 0; i < name.length; i++) hash = nextHash(hash, name.charCodeAt(i));
  names.set(hash, name);
}

/** The registered name that may have this hash; the caller compares. */
export function knownName(hash: number): string | undefined {
  return names.get(hash);
}

const predefined: Readonly<Record<string, number>> = {
  amp: 0x26,
  lt: 0x3c,
  gt: 0x3e,
  quot: 0x22,
  apos: 0x27,
};

const reference = /&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,10})|#x([0-9a-fA-F]{1,10}));/y;

/**
 * Text with its references replaced by the characters they mean. Only the five predefined
 * entities exist. `fail` is told what is wrong and at which offset.
 */
export function decodeReferences(
  raw: string,
  fail: (problem: string, offset: number) => never,
): string {
  const text = new TextBuilder(raw.length);
  let from = 0;
  for (let at = raw.indexOf('&'); at >= 0; at = raw.indexOf('&', from)) {
    text.addSlice(raw, from, at);
    reference.lastIndex = at;
    const found = reference.exec(raw);
    if (!found) {
      fail('expected &amp; &lt; &gt; &quot; &apos; or a character reference after &', at);
    }
    const [whole, name, digits, hexadecimal] = found;
    const code =
      name !== undefined
        ? (predefined[name] ?? 0)
        : digits !== undefined
          ? Number.parseInt(digits, 10)
          : Number.parseInt(hexadecimal ?? '', 16);
    if (!isCharacter(code)) fail(`${whole} is not a character that XML allows`, at);
    text.addCodePoint(code);
    from = at + whole.length;
  }
  text.addSlice(raw, from, raw.length);
  return text.toString();
}

function isCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x9 || code === 0xa || code === 0xd;
  return (
    code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff)
  );
}

// What may have to be escaped: a test without the flags of the patterns below costs far less.
const special =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML forbids
  /[&<>"\u0000-\u001f\ufffe\uffff]|[\ud800-\udfff]/;
const specialInText =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML forbids
  /[&<>\r\u0000-\u0008\u000b-\u001f\ufffe\uffff]|\p{Surrogate}/gu;
const specialInAttribute =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML forbids
  /[&<>"\u0000-\u001f\ufffe\uffff]|\p{Surrogate}/gu;

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

function escapeOne(character: string): string {
  return escapes[character] ?? '\ufffd';
}

/** Text as element content. What XML cannot carry becomes U+FFFD. */
export function escapeText(text: string): string {
  return special.test(text) ? text.replace(specialInText, escapeOne) : text;
}

/** Text as the value of an attribute in double quotes. What XML cannot carry becomes U+FFFD. */
export function escapeAttribute(text: string): string {
  return special.test(text) ? text.replace(specialInAttribute, escapeOne) : text;
}
