/** Durations as people write them. */
import { describe, expect, it } from 'vitest';
import { parseDuration, parseTimerDuration } from '../../../src/cli/text/duration.ts';

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

  it('are at most 24 days for timers', () => {
    expect(parseTimerDuration('24d', '--x')).toBe(24 * 86_400_000);
    expect(() => parseTimerDuration('25d', '--x')).toThrow('--x 25d: longer than 24 days');
    expect(parseDuration('400d', '--x')).toBe(400 * 86_400_000);
  });
});
