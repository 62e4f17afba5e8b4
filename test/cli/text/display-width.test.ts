/** Widths of texts on a terminal. */
import { describe, expect, it } from 'vitest';
import { getDisplayWidth, truncate } from '../../../src/cli/text/display-width.ts';

describe('widths', () => {
  it.each([
    ['abc', 3],
    ['長い', 4],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['плитка', 6],
  ])('of %s is %i', (text, width) => {
    expect(getDisplayWidth(text)).toBe(width);
  });

  it('are cut between characters', () => {
    expect(truncate('長い名前', 5)).toBe('長い…');
    expect(truncate('abc', 3)).toBe('abc');
  });
});
