/** Line editor of the full screen. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  completeWord,
  createInputLine,
  editLine,
} from '../../../src/features/dashboard/input-line.ts';
import type { KeyName, KeyPress } from '../../../src/features/dashboard/screen/screen-view.ts';

/** The line after keys; `|` marks the cursor. */
function typed(start: string, ...keys: readonly (KeyName | { readonly text: string })[]): string {
  const presses: readonly KeyPress[] = keys.map((key) =>
    typeof key === 'string' ? { name: key } : key,
  );
  const { text, cursor } = presses.reduce(editLine, createInputLine(start));
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

describe('a line that is typed', () => {
  it.each([
    ['what is typed goes in at the cursor', typed('ac', 'left', { text: 'b' }), 'ab|c'],
    ['backspace takes back', typed('abc', 'left', 'backspace'), 'a|c'],
    ['delete takes what is in front', typed('abc', 'home', 'delete'), '|bc'],
    ['at an end nothing happens', typed('a', 'home', 'left', 'backspace'), '|a'],
    ['home and end', typed('abc', 'home', 'end', { text: '!' }), 'abc!|'],
    ['Ctrl-U empties what is behind the cursor', typed('abc', 'left', 'clear'), '|c'],
    ['a character of two units is one', typed('a💾', 'backspace'), 'a|'],
    ['what steers a terminal is a blank', typed('', { text: 'a\u001b[2Jb\u202ec' }), 'a [2Jb c|'],
    ['other keys change nothing', typed('a', 'up', 'tab'), 'a|'],
  ])('%s', (_, result, expected) => {
    expect(result).toBe(expected);
  });

  it('keeps the cursor inside of the text, and never within a character', () => {
    const names: readonly KeyName[] = [
      'left',
      'right',
      'home',
      'end',
      'backspace',
      'delete',
      'clear',
    ];
    const key = fc.oneof(
      fc.constantFrom(...names).map((name): KeyPress => ({ name })),
      fc.constantFrom('a', 'é', '💾', '漢字').map((text): KeyPress => ({ text })),
    );
    fc.assert(
      fc.property(fc.array(key), (keys) => {
        const { text, cursor } = keys.reduce(editLine, createInputLine(''));
        for (const part of [text, text.slice(0, cursor)]) {
          expect(Buffer.from(part).toString()).toBe(part);
        }
        expect(cursor).toBeLessThanOrEqual(text.length);
      }),
    );
  });

  it.each([
    ['st', ['status=', 'status!='], 'status'],
    ['x', ['status='], 'x'],
    ['', [], ''],
    ['web', ['web01'], 'web01'],
  ])('completes %j to the common prefix of all %j', (text, words, expected) => {
    expect(completeWord(text, words)).toBe(expected);
  });
});
