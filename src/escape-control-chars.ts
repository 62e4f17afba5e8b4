/**
 * Escapes of foreign text (names, messages, request paths) for terminals and logs. Characters that
 * control a terminal, hide text or forge a line are written in the notation of the format.
 */

// Control characters, C1, bidirectional marks and overrides, zero-width and line separators, tags.
const controlChars = String.raw`\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}`;
const anyControlChar = new RegExp(`[${controlChars}]`, 'gu');
const anyControlCharButNewline = new RegExp(`(?!\\n)[${controlChars}]`, 'gu');
const controlCharInXml = new RegExp(`(?![\\t\\n]|\\r\\n)[${controlChars}]`, 'gu');

/** JSON notation: two escapes for a character of more than 16 bits. */
function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

export const escapeControlChars = {
  /** Escapes a table cell or a line. Line ends become spaces. */
  line(text: string): string {
    return text.replace(/\r?\n/g, ' ').replace(anyControlChar, escaped);
  },
  /**
   * Escapes messages and logs. Only indented lines continue on a new line, as in lists and stacks.
   * Quoted text cannot begin a line, so that it cannot imitate another message.
   */
  message(text: string): string {
    return text.replace(/\r?\n(?![ \t])/g, ' ').replace(anyControlCharButNewline, escaped);
  },
  /** Escapes text that keeps its lines: documents, responses of servers. */
  text(text: string): string {
    return text.replace(anyControlCharButNewline, escaped);
  },
  /** Escapes serialized JSON, whose notation includes the escapes. */
  json(text: string): string {
    return text.replace(anyControlCharButNewline, escaped);
  },
  /** Escapes XML by character references. All line ends remain. */
  xml(text: string): string {
    return text.replace(controlCharInXml, (one) => `&#x${one.codePointAt(0)?.toString(16)};`);
  },
};
