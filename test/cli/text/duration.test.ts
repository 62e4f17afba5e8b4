/** Durations as people write them. */
import { describe, expect, it } from 'vitest';
import { parseDuration } from '../../../src/cli/text/duration.ts';

describe('durations', () => {
  it.each([
    ['90', 90_000],
    ['1.5s', 1_500],
    ['10m', 600_000],
    ['1h30m', 5_400_000],
    ['300ms', 300],
  ])('%s', (text, milliseconds) => {
    expect(parseDuration(text, '--x')).toBe(milliseconds);
  });

  it.each(['', 'x', '1x', '5m!', '-1s'])('%s is none', (text) => {
    expect(() => parseDuration(text, '--x')).toThrow();
  });
});
