/** Control characters in what services say. */
import { describe, expect, it } from 'vitest';
import { escapeControlChars } from '../../../src/cli/text/escape-control-chars.ts';
import { jsonText } from '../../../src/cli/text/json.ts';

describe('what steers a terminal', () => {
  it('is escaped', () => {
    for (const code of [
      0x00, 0x07, 0x1b, 0x7f, 0x85, 0x9b, 0x200b, 0x200e, 0x2028, 0x202e, 0x2066,
    ]) {
      const text = `a${String.fromCharCode(code)}b`;
      expect(escapeControlChars.line(text)).toBe(`a\\u${code.toString(16).padStart(4, '0')}b`);
      expect(JSON.parse(jsonText(text))).toBe(text);
      expect(jsonText(text)).not.toContain(String.fromCharCode(code));
    }
    expect(escapeControlChars.text('a\nb\r')).toBe('a\nb\\u000d');
    expect(escapeControlChars.line('a\nb')).toBe('a\\u000ab');
  });
});
