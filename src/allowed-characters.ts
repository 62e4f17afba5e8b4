/** Alphabet of all texts from clients: the characters of XML 1.0, which every format and store can hold. */

/** Anything but a `Char` of XML 1.0 (section 2.2), lone surrogates included. */
const forbidden = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;

/** The first character of a text that is not allowed; undefined if all are. */
export function forbiddenCharacter(text: string): string | undefined {
  return forbidden.exec(text)?.[0];
}

/** Offset of that character in the text; -1 if all are allowed. */
export function forbiddenOffset(text: string): number {
  return text.search(forbidden);
}
