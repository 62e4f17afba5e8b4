/** Repeated reads with pauses between them. All commands that wait or watch use it. */

import { isRetryable, type VmctlError } from './errors.ts';
import { pause } from './retry.ts';

/** Intervals that grow by a factor up to a limit. */
interface GrowingInterval {
  readonly firstMs: number;
  readonly factor: number;
  readonly maxMs: number;
}

/** What to read, how often, and when to stop. */
export interface Polling<T> {
  readonly read: () => T | Promise<T>;
  /** Milliseconds between reads if they do not grow. */
  readonly interval: number | GrowingInterval;
  readonly signal?: AbortSignal | undefined;
  /**
   * Called when a read fails because the server is temporarily unavailable. Polling then continues;
   * without this function, the error ends it.
   */
  readonly onUnavailable?: (error: VmctlError) => void;
  readonly timeout?: {
    readonly ms: number;
    /** Creates the error to throw; `failure` is the error of the last read, if it failed. */
    readonly createError: (failure: VmctlError | undefined) => unknown;
  };
}

/**
 * Yields the result of each successful read, without end: the caller leaves the loop when it has
 * the result that it needs. Throws after the timeout, or if the signal is aborted.
 */
export async function* poll<T>(polling: Polling<T>): AsyncGenerator<T> {
  const { interval, signal, timeout } = polling;
  const { firstMs, factor, maxMs } =
    typeof interval === 'number' ? { firstMs: interval, factor: 1, maxMs: interval } : interval;
  const began = Date.now();
  for (let delayMs = firstMs; ; delayMs = Math.min(delayMs * factor, maxMs)) {
    const { value, failure } = await readOnce(polling);
    if (value) yield value.read;
    const leftMs = timeout ? timeout.ms - (Date.now() - began) : Infinity;
    if (timeout && leftMs <= 0) throw await timeout.createError(failure);
    await pause(Math.min(delayMs, leftMs), signal);
  }
}

interface ReadResult<T> {
  /** Result of a successful read. */
  readonly value?: { readonly read: T };
  readonly failure?: VmctlError;
}

async function readOnce<T>({ read, onUnavailable }: Polling<T>): Promise<ReadResult<T>> {
  try {
    return { value: { read: await read() } };
  } catch (error) {
    if (!onUnavailable || !isRetryable(error)) throw error;
    onUnavailable(error);
    return { failure: error };
  }
}
