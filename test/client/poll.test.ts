/** Polling with a fake clock: intervals, unavailable servers, timeouts and signals. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConnectionError, NotFoundError } from '../../src/client/errors.ts';
import { type Polling, poll } from '../../src/client/poll.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const unavailable = new ConnectionError('a.test cannot be reached', { retryable: true });

/** Times of the first reads in milliseconds, until an error ends polling. */
async function poll5({ read, ...polling }: Partial<Polling<number>>) {
  const times: number[] = [];
  const seen: number[] = [];
  const began = Date.now();
  const run = async () => {
    const options = { interval: 100, ...polling };
    const timed = () => {
      times.push(Date.now() - began);
      return read ? read() : times.length;
    };
    for await (const value of poll({ ...options, read: timed })) if (seen.push(value) === 5) return;
  };
  const ended = run().catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  return { times, seen, error: await ended };
}

/** Results in sequence; errors are thrown. */
function inSequence(...results: readonly (number | Error)[]): () => number {
  const left = [...results];
  return () => {
    const result = left.shift() ?? 0;
    if (result instanceof Error) throw result;
    return result;
  };
}

describe('poll', () => {
  it('reads immediately, then at fixed intervals', async () => {
    expect(await poll5({})).toEqual({
      times: [0, 100, 200, 300, 400],
      seen: [1, 2, 3, 4, 5],
      error: undefined,
    });
  });

  it('reads at growing intervals up to a limit', async () => {
    const { times } = await poll5({ interval: { firstMs: 10, factor: 2, maxMs: 30 } });
    expect(times).toEqual([0, 10, 30, 60, 90]);
  });

  it('ends with the error of a read', async () => {
    const error = new NotFoundError('no such VM');
    const onUnavailable = vi.fn();
    expect(await poll5({ read: inSequence(1, error), onUnavailable })).toMatchObject({ error });
    expect(await poll5({ read: inSequence(1, unavailable) })).toMatchObject({ error: unavailable });
    expect(onUnavailable).not.toHaveBeenCalled();
  });

  it('tolerates an unavailable server if the caller does', async () => {
    const onUnavailable = vi.fn();
    const read = inSequence(1, unavailable, unavailable, 2, 3, 4, 5);
    const { seen, times } = await poll5({ read, onUnavailable });
    expect(seen).toEqual([1, 2, 3, 4, 5]);
    expect(times).toHaveLength(7);
    expect(onUnavailable.mock.calls).toEqual([[unavailable], [unavailable]]);
  });

  it('reads a last time at the timeout, then throws its error', async () => {
    const createError = vi.fn((failure?: Error) => failure ?? new Error('timed out'));
    const { times, error } = await poll5({ timeout: { ms: 250, createError } });
    expect(times).toEqual([0, 100, 200, 250]);
    expect(error).toEqual(new Error('timed out'));
  });

  it('passes the error of the last read to the timeout', async () => {
    const createError = (failure?: Error) => failure;
    const read = inSequence(1, unavailable, unavailable);
    const timeout = { ms: 150, createError };
    const { error } = await poll5({ read, timeout, onUnavailable: () => undefined });
    expect(error).toBe(unavailable);
  });

  it('ends when the signal is aborted', async () => {
    const signal = AbortSignal.abort(new Error('stopped'));
    expect(await poll5({ signal })).toMatchObject({ times: [0], error: new Error('stopped') });
  });
});
