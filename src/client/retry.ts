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

/**
 * Milliseconds to the next attempt: as many seconds as the server asks for in `Retry-After`, ten at
 * most, else about twice as long after each attempt. Clients that failed together come back apart.
 */
export function delayAfter(attempt: number, retryAfter?: string): number {
  const asked = Number(retryAfter);
  if (Number.isFinite(asked) && asked > 0) return Math.min(asked, 10) * 1_000;
  return 200 * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
}

const MIN_DELAY = 250;
const MAX_DELAY = 15_000;

/** Waits the longer the more attempts in a row have failed. Rejects when the signal ends the wait. */
export async function backOff(failures: number, signal: AbortSignal): Promise<void> {
  await pause(Math.min(MIN_DELAY * 2 ** (failures - 1), MAX_DELAY), signal);
}
