/**
 * Delays between attempts, and waiting that a signal can end. Loops stand with the requests, without
 * p-retry: `Retry-After`, renewed tickets and lost connections each change the delay or the count.
 */
import { InterruptedError } from './errors.ts';

/** Waits, unless the signal ends the wait. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason ?? new InterruptedError('SIGINT'));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, milliseconds);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}

const MIN_DELAY = 250;
const MAX_DELAY = 15_000;

/** Waits the longer the more attempts in a row have failed. Rejects when the signal ends the wait. */
export async function backOff(failures: number, signal: AbortSignal): Promise<void> {
  await pause(Math.min(MIN_DELAY * 2 ** (failures - 1), MAX_DELAY), signal);
}
