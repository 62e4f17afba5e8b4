/**
 * Retry policy: requests that are repeated, how often and after which delay. The loops do not use
 * p-retry, because `Retry-After`, renewed tickets and lost connections change the delay or the
 * count. Requests for images have their own loop in `transfer/daemon-requests.ts`.
 */
import { InterruptedError } from './errors.ts';
import type { HttpResponse } from './http-message.ts';

/** Statuses of an overloaded or restarting server. */
const retryableStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const tooManyRequests = 429;
const defaultRetries = 2;

export interface RetryOptions {
  /** Whether the request changes nothing, so that a retry is harmless. */
  readonly isReading: boolean;
  /** Whether the request is a sign-in. A repeated one only creates a second token. */
  readonly isSession: boolean;
  /** Maximum retries (default 2). */
  readonly retries?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends a request until it succeeds, or no retry is left. Repeats reading requests after a
 * temporary status, all requests after 429, and reading requests and sign-ins after a lost
 * connection. Returns the last response, or throws the last error.
 */
export async function retryRequest(
  { isReading, isSession, retries = defaultRetries, signal }: RetryOptions,
  send: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt > retries;
    try {
      const response = await send();
      const { status, headers } = response;
      const isRetryable =
        retryableStatuses.has(status) && (isReading || status === tooManyRequests);
      if (isLast || !isRetryable) return response;
      await pause(delayAfter(attempt, headers['retry-after']), signal);
    } catch (error) {
      if (isLast || !(isReading || isSession) || !isDropped(error)) throw error;
      await pause(delayAfter(attempt), signal);
    }
  }
}

/** Whether the server closed the connection without a response, so that a retry is harmless. */
function isDropped(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'connection_lost';
}

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
