/** Parser of `vmctl serve --delay`: `200ms`, `200ms±50`, `1s+-200ms`. */

import { parseTimerDuration } from '../../cli/text/duration.ts';
import { UsageError } from '../../client/errors.ts';

const longestMs = 60_000;

/**
 * Rule that delays every response, as `FaultRules` expects it: `delay` and maximum deviation
 * `spread` in milliseconds. A spread without a unit has the unit of the delay.
 */
export function parseDelay(text: string): { readonly delay: number; readonly spread?: number } {
  const [first = '', second, ...more] = text.trim().split(/±|\+-|\+\/-/);
  if (first.trim() === '' || more.length > 0 || second?.trim() === '') throw malformedDelay(text);
  const delay = parseMilliseconds(first.trim(), text);
  if (delay === 0) throw delayError(text, 'zero delay');
  if (delay > longestMs) throw delayError(text, 'more than one minute');
  if (second === undefined) return { delay };
  const spread = parseMilliseconds(withUnit(second.trim(), first.trim()), text);
  if (spread > delay) throw delayError(text, 'the spread is larger than the delay');
  return spread === 0 ? { delay } : { delay, spread };
}

function withUnit(spread: string, delay: string): string {
  return /\d$/.test(spread) ? `${spread}${/[a-z]+$/.exec(delay)?.[0] ?? ''}` : spread;
}

function parseMilliseconds(part: string, text: string): number {
  try {
    return parseTimerDuration(part, '--delay');
  } catch (error) {
    if (error instanceof UsageError) throw malformedDelay(text);
    throw error;
  }
}

function malformedDelay(text: string): UsageError {
  return delayError(text, 'not a duration');
}

function delayError(text: string, why: string): UsageError {
  return new UsageError(`--delay ${text}: ${why}`, {
    hint: 'use 200ms, 1s, or 200ms±50 for 150 to 250 milliseconds (or 200ms+-50)',
  });
}
