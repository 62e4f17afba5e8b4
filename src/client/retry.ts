/**
 * Retry delays, and waits that a signal cancels. Each request has its own loop instead of p-retry,
 * because `Retry-After`, renewed tickets and lost connections change the delay or the count.
 */
import { InterruptedError } from './errors.ts';

/** Waits until the time passes or the signal cancels the wait. */
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
 * Milliseconds before the next attempt: `Retry-After` up to ten seconds, otherwise exponential
 * backoff with jitter.
 */
export function delayAfter(attempt: number, retryAfter?: string): number {
  const requestedSeconds = Number(retryAfter);
  if (Number.isFinite(requestedSeconds) && requestedSeconds > 0)
    return Math.min(requestedSeconds, 10) * 1_000;
  return 200 * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
}

const MIN_DELAY = 250;
const MAX_DELAY = 15_000;

/**
 * Waits with exponential backoff by the count of consecutive failures. Rejects if the signal
 * cancels the wait.
 */
export async function backOff(failures: number, signal: AbortSignal): Promise<void> {
  await pause(Math.min(MIN_DELAY * 2 ** (failures - 1), MAX_DELAY), signal);
}
