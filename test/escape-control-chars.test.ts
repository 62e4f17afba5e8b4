/** Escapes of foreign text that controls a terminal, hides text or forges a line. */
import { describe, expect, it } from 'vitest';
import { formatJson } from '../src/cli/text/json.ts';
import { escapeControlChars } from '../src/escape-control-chars.ts';

const hostile = [
  ...[0x00, 0x07, 0x08, 0x1b, 0x7f, 0x85, 0x9b, 0x9d, 0xad, 0x034f, 0x061c],
  ...[0x200b, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2060, 0x2066, 0x2069, 0xfeff],
];

describe('dangerous characters', () => {
  it.each(hostile)('are escaped: %i', (code) => {
    const text = `a${String.fromCharCode(code)}b`;
    const escaped = `a\\u${code.toString(16).padStart(4, '0')}b`;
    for (const form of ['line', 'message', 'text'] as const) {
      expect(escapeControlChars[form](text)).toBe(escaped);
    }
    expect(JSON.parse(formatJson(text))).toBe(text);
    expect(formatJson(text)).not.toContain(String.fromCharCode(code));
    if (code !== 0) expect(escapeControlChars.xml(text)).toBe(`a&#x${code.toString(16)};b`);
  });

  it('are escaped beyond 16 bits: tags, which spell hidden text', () => {
    const tag = '\u{e0041}';
    expect(escapeControlChars.line(tag)).toBe('\\udb40\\udc41');
    expect(JSON.parse(formatJson(tag))).toBe(tag);
    expect(escapeControlChars.xml(tag)).toBe('&#xe0041;');
    expect(escapeControlChars.line('grin 😀 ž')).toBe('grin 😀 ž');
  });
});

describe('a line end', () => {
  it('becomes a space in a line, and remains in a text', () => {
    expect(escapeControlChars.line('a\nb\r\nc\rd')).toBe('a b c\\u000dd');
    expect(escapeControlChars.text('a\nb\r')).toBe('a\nb\\u000d');
  });

  it('remains in a message only before an indented line', () => {
    expect(escapeControlChars.message('several:\n  a\n  b\nvmctl: forged\r\nagain')).toBe(
      'several:\n  a\n  b vmctl: forged again',
    );
  });
});
