/**
 * Names come from other people. Whatever could steer a terminal or hide text in it is written as
 * an escape, in the notation of the format at hand.
 */

// Control characters, C1, bidirectional marks and overrides, zero-width and line separators.
const controlChars = String.raw`\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb`;
const anyControlChar = new RegExp(`[${controlChars}]`, 'g');
const anyControlCharButNewline = new RegExp(`(?!\\n)[${controlChars}]`, 'g');
const controlCharInXml = new RegExp(`(?![\\t\\n]|\\r\\n)[${controlChars}]`, 'g');

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

export const escapeControlChars = {
  /** For a cell or a line: no line breaks either. */
  line(text: string): string {
    return text.replace(anyControlChar, escaped);
  },
  /** For messages that may have several lines. */
  text(text: string): string {
    return text.replace(anyControlCharButNewline, escaped);
  },
  /** For serialized JSON, where the escapes are part of the notation. */
  json(text: string): string {
    return text.replace(anyControlCharButNewline, escaped);
  },
  /** For XML, which has references to characters. Ends of lines stay, whatever they are. */
  xml(text: string): string {
    return text.replace(controlCharInXml, (one) => `&#x${one.charCodeAt(0).toString(16)};`);
  },
};
