/** Parser of durations: `90s`, `1h30m`. */
import { UsageError } from '../../client/errors.ts';

const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Parses a duration into milliseconds: `90s`, `10m`, `1h30m`. A bare number is in seconds. */
export function parseDuration(text: string, flag: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  if (parts.length === 0 || parts.map((part) => part[0]).join('') !== text) {
    throw new UsageError(`${flag} ${text}: not a duration`, { hint: 'write 90s, 10m or 1h30m' });
  }
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (units[unit] ?? 0), 0);
}

/** Longest time that a timer of Node can wait; it fires at once for longer ones. */
export const longestTimerMs = 2 ** 31 - 1;

/** Same as `parseDuration`, for a time that a timer waits: at most 24 days. */
export function parseTimerDuration(text: string, flag: string): number {
  const milliseconds = parseDuration(text, flag);
  if (milliseconds <= longestTimerMs) return milliseconds;
  throw new UsageError(`${flag} ${text}: longer than 24 days`, { hint: 'use a shorter time: 24d' });
}
