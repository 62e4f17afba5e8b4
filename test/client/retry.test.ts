/** Delays between attempts, and their cancellation. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { InterruptedError } from '../../src/client/errors.ts';
import { backOff, delayAfter, pause } from '../../src/client/retry.ts';

describe('the delay after an attempt', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each([
    [1, 150, 250],
    [2, 300, 500],
    [3, 600, 1_000],
  ])('number %s in a row is between %s and %s ms', (attempt, least, most) => {
    const random = vi.spyOn(Math, 'random');
    random.mockReturnValue(0);
    expect(delayAfter(attempt)).toBe(least);
    random.mockReturnValue(1);
    expect(delayAfter(attempt)).toBe(most);
  });

  it.each([
    ['0.01', 10],
    ['3', 3_000],
    ['10', 10_000],
    ['11', 10_000],
    ['3600', 10_000],
  ])('is that of the server, up to ten seconds: %s', (asked, delay) => {
    expect(delayAfter(1, asked)).toBe(delay);
  });

  it.each(['0', '-5', 'Infinity', 'Wed, 21 Oct 2026 07:28:00 GMT', ''])(
    'is the default if the server sends %j',
    (asked) => {
      vi.spyOn(Math, 'random').mockReturnValue(0.5);
      expect(delayAfter(2, asked)).toBe(400);
    },
  );
});

describe('waiting', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Checks that the wait ends after exactly these milliseconds. */
  async function expectDelay(wait: Promise<void>, milliseconds: number): Promise<void> {
    const ended = vi.fn();
    wait.then(ended, ended);
    await vi.advanceTimersByTimeAsync(milliseconds - 1);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toHaveBeenCalledOnce();
  }

  it.each([
    [1, 250],
    [2, 500],
    [6, 8_000],
    [7, 15_000],
    [8, 15_000],
    [2_000, 15_000],
  ])('takes the delay after %s failures: %s ms', async (failures, delay) => {
    await expectDelay(backOff(failures, new AbortController().signal), delay);
  });

  it('ends with the reason of its signal, and removes its timer', async () => {
    const controller = new AbortController();
    const wait = pause(1_000, controller.signal);
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(wait).rejects.toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
    await expect(pause(1_000, controller.signal)).rejects.toBe(reason);
    await expect(backOff(1, controller.signal)).rejects.toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('without a reason is an interruption', async () => {
    const signal = { aborted: true, reason: undefined } as AbortSignal;
    await expect(pause(1_000, signal)).rejects.toThrow(InterruptedError);
  });

  it('removes its listener from the signal', async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    await expectDelay(pause(20, signal), 20);
    expect(removed.mock.calls.map(([type, listener]) => [type, listener])).toEqual(
      added.mock.calls.map(([type, listener]) => [type, listener]),
    );
    expect(added).toHaveBeenCalledOnce();
  });
});
