/** Characters, references and escaping of XML. */
import { TextBuilder } from './text-builder.ts';

/** Matches white space and the empty text. */
export const blank = /^[ \t\r\n]*$/;

const illegal =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML forbids
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;

/** Offset of the first character that XML forbids, or -1. */
export function illegalCharacter(text: string): number {
  return text.search(illegal);
}

/** First and last code points of the ranges of NameStartChar in XML 1.0. */
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

/** Code points of NameChar that are not in NameStartChar. */
const additionalRanges: readonly (readonly [number, number])[] = [
  [0x2d, 0x2e],
  [0x30, 0x39],
  [0xb7, 0xb7],
  [0x300, 0x36f],
  [0x203f, 0x2040],
];

function within(code: number, ranges: readonly (readonly [number, number])[]): boolean {
  return ranges.some(([first, last]) => code >= first && code <= last);
}

/** Table of ASCII codes: 1 for codes within the ranges. */
function createTable(...ranges: readonly (readonly [number, number])[]): Uint8Array {
  const table = new Uint8Array(128);
  // `fill` ignores codes after the end of the table.
  for (const [first, last] of ranges) table.fill(1, first, last + 1);
  return table;
}

const startTable = createTable(...startRanges);
const characterTable = createTable(...startRanges, ...additionalRanges);

/** Whether a name may begin at an offset. `code` is the code unit at this offset. */
export function isNameStart(code: number, text: string, offset: number): boolean {
  if (code < 128) return startTable[code] === 1;
  return within(text.codePointAt(offset) ?? 0, startRanges);
}

/**
 * Whether a name may contain the character at an offset. `code` is the code unit at this offset.
 */
export function isNameCharacter(code: number, text: string, offset: number): boolean {
  if (code < 128) return characterTable[code] === 1;
  const point = text.codePointAt(offset) ?? 0;
  return within(point, startRanges) || within(point, additionalRanges);
}

/** Names of the model by hash. A hit avoids the creation of a new string. */
const names = new Map<number, string>();

export function nextHash(hash: number, code: number): number {
  return (Math.imul(hash, 31) + code) | 0;
}

/** Registers a name of the model. Names from documents are never registered. */
export function registerName(name: string): void {
  let hash = 0;
  for (let i = 0; i < name.length; i++) hash = nextHash(hash, name.charCodeAt(i));
  names.set(hash, name);
}

/** The registered name that may have this hash; the caller compares. */
export function findName(hash: number): string | undefined {
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
 * Replaces references by their characters. Only the five predefined entities exist. `fail` receives
 * the problem and its offset.
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

// Characters that may need an escape. This test is much faster than the patterns below, which have
// flags.
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

/** Escapes text for element content. Characters that XML forbids become U+FFFD. */
export function escapeText(text: string): string {
  return special.test(text) ? text.replace(specialInText, escapeOne) : text;
}

/** Escapes text for an attribute in double quotes. Characters that XML forbids become U+FFFD. */
export function escapeAttribute(text: string): string {
  return special.test(text) ? text.replace(specialInAttribute, escapeOne) : text;
}
