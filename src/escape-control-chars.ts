/**
 * Escapes for text from others (names, messages, paths of requests) on terminals and in logs: whatever could
 * steer a terminal, hide text or forge a line is written in the notation of the format at hand.
 */

// Control characters, C1, bidirectional marks and overrides, zero-width and line separators, tags.
const controlChars = String.raw`\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}`;
const anyControlChar = new RegExp(`[${controlChars}]`, 'gu');
const anyControlCharButNewline = new RegExp(`(?!\\n)[${controlChars}]`, 'gu');
const controlCharInXml = new RegExp(`(?![\\t\\n]|\\r\\n)[${controlChars}]`, 'gu');

/** In the notation of JSON: two escapes for a character beyond 16 bits. */
function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

export const escapeControlChars = {
  /** For a cell or a line: an end of line in the text becomes a space. */
  line(text: string): string {
    return text.replace(/\r?\n/g, ' ').replace(anyControlChar, escaped);
  },
  /**
   * For messages and logs: only lines that are indented go on below, as in lists and stacks. Nothing that is
   * quoted in a message can begin a line, so that it cannot pass for another message.
   */
  message(text: string): string {
    return text.replace(/\r?\n(?![ \t])/g, ' ').replace(anyControlCharButNewline, escaped);
  },
  /** For text that keeps its lines: documents, answers of servers. */
  text(text: string): string {
    return text.replace(anyControlCharButNewline, escaped);
  },
  /** For serialized JSON, where the escapes are part of the notation. */
  json(text: string): string {
    return text.replace(anyControlCharButNewline, escaped);
  },
  /** For XML, which has references to characters. Ends of lines stay, whatever they are. */
  xml(text: string): string {
    return text.replace(controlCharInXml, (one) => `&#x${one.codePointAt(0)?.toString(16)};`);
  },
};
