/**
 * Characters allowed in texts of clients: those of XML 1.0, which every format and store can
 * represent.
 */

/** Any character outside of `Char` in XML 1.0 (section 2.2), including unpaired surrogates. */
const forbidden = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;

/** First forbidden character of a text. `undefined` if all are allowed. */
export function forbiddenCharacter(text: string): string | undefined {
  return forbidden.exec(text)?.[0];
}

/** Offset of the first forbidden character. -1 if all are allowed. */
export function forbiddenOffset(text: string): number {
  return text.search(forbidden);
}
