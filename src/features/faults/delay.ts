/** Latency that `vmctl serve --delay` asks for: `200ms`, `200ms±50`, `1s+-200ms`. */

import { durationOf } from '../../cli/text/duration.ts';
import { UsageError } from '../../client/errors.ts';

const longest = 60_000;

/**
 * The rule that delays every answer, as `FaultRules` takes it: milliseconds, and by how many single
 * delays differ at most. A spread without a unit has that of the delay.
 */
export function latencyRule(text: string): { readonly delay: number; readonly spread?: number } {
  const [first = '', second, ...more] = text.trim().split(/±|\+-|\+\/-/);
  if (first.trim() === '' || more.length > 0 || second?.trim() === '') throw malformed(text);
  const delay = milliseconds(first.trim(), text);
  if (delay === 0) throw refused(text, 'zero delay');
  if (delay > longest) throw refused(text, 'more than one minute');
  if (second === undefined) return { delay };
  const spread = milliseconds(withUnit(second.trim(), first.trim()), text);
  if (spread > delay) throw refused(text, 'the spread is larger than the delay');
  return spread === 0 ? { delay } : { delay, spread };
}

function withUnit(spread: string, delay: string): string {
  return /\d$/.test(spread) ? `${spread}${/[a-z]+$/.exec(delay)?.[0] ?? ''}` : spread;
}

function milliseconds(part: string, text: string): number {
  try {
    return durationOf(part, '--delay');
  } catch (error) {
    if (error instanceof UsageError) throw malformed(text);
    throw error;
  }
}

function malformed(text: string): UsageError {
  return refused(text, 'not a duration');
}

function refused(text: string, why: string): UsageError {
  return new UsageError(`--delay ${text}: ${why}`, {
    hint: 'use 200ms, 1s, or 200ms±50 for 150 to 250 milliseconds (or 200ms+-50)',
  });
}
