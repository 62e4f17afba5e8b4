/** Polling with a fake clock: intervals and results. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApiObject } from '../../src/client/client.ts';
import {
  AuthError,
  ConflictError,
  ConnectionError,
  ServerError,
  WaitTimeoutError,
} from '../../src/client/errors.ts';
import {
  type Condition,
  conditionFor,
  getState,
  type PolledObject,
  stateAttribute,
  type WaitOptions,
  waitFor,
} from '../../src/client/wait-for-condition.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

type Look = ApiObject | undefined | Error;

/** Object with a sequence of results; the last one is repeated. */
function polled(results: readonly Look[], more: Partial<PolledObject> = {}) {
  const at: number[] = [];
  const began = Date.now();
  const left = [...results];
  const object: PolledObject = {
    label: 'vms/x',
    resume: 'vmctl vms wait x',
    fetch: async () => {
      at.push(Date.now() - began);
      const look = left.length > 1 ? left.shift() : left[0];
      if (look instanceof Error) throw look;
      return look;
    },
    ...more,
  };
  return { object, at };
}

const isUp: Condition = {
  text: 'status=up',
  isMet: (now) => now?.['status'] === 'up',
  getState: (now) => getState('vm', now),
};

/** Runs the wait to its end with the fake clock. Returns the object or the error. */
async function outcome(
  object: PolledObject,
  options: Partial<WaitOptions> = {},
  condition = isUp,
): Promise<unknown> {
  const result = waitFor(object, condition, { timeout: 60_000, ...options }).catch(
    (error: unknown) => error,
  );
  await vi.runAllTimersAsync();
  return await result;
}

const down = { status: 'down' };
const up = { status: 'up' };
const busy = new ServerError('the server is busy', { retryable: true, code: 'busy' });
const gone = new ConnectionError('a.test cannot be reached', { retryable: true });

describe('polling', () => {
  it('slows down to every three seconds', async () => {
    const { object, at } = polled([down]);
    await outcome(object, { timeout: 60_000 });
    const pauses = at.slice(1).map((time, index) => time - (at[index] ?? 0));
    expect(pauses.slice(0, 4)).toEqual([25, 35, 49, 68].map((ms) => expect.closeTo(ms, -1)));
    for (const [index, pause] of pauses.slice(1, -1).entries()) {
      expect(pause).toBeGreaterThanOrEqual(pauses[index] ?? 0);
    }
    expect(pauses.at(-2)).toBe(3_000);
    // The last poll is exactly at the timeout.
    expect(at.at(-1)).toBe(60_000);
  });

  it('returns the last object', async () => {
    const { object, at } = polled([down, up]);
    expect(await outcome(object)).toBe(up);
    expect(at).toHaveLength(2);
    expect(await outcome(polled([up]).object, { timeout: 0 })).toBe(up);
  });

  it('reports each state once while it lasts', async () => {
    const told: string[] = [];
    const { object } = polled([down, down, { status: 'powering_up' }, busy, down, up]);
    await outcome(object, { onChange: (state) => void told.push(state) });
    expect(told).toEqual(['down', 'powering_up', 'down', 'up']);
  });

  it('distinguishes an object that does not exist yet from a deleted one', async () => {
    const told: string[] = [];
    const onChange = (state: string) => void told.push(state);
    await outcome(polled([undefined, down, undefined, up]).object, { onChange });
    expect(told.splice(0)).toEqual(['absent', 'down', 'gone', 'up']);
    await outcome(polled([undefined, up], { existed: true }).object, { onChange });
    expect(told).toEqual(['gone', 'up']);
  });

  it('fetches reasons only for interactive use', async () => {
    const reason = vi.fn(async () => 'Host is full.');
    const told: unknown[] = [];
    const onChange = (...all: unknown[]) => void told.push(all);
    await outcome(polled([down, up], { reason }).object, { onChange });
    expect(reason).not.toHaveBeenCalled();
    await outcome(polled([down, up], { reason }).object, { onChange, reasons: true });
    expect(told).toEqual([
      ['down', undefined],
      ['up', undefined],
      ['down', 'Host is full.'],
      ['up', 'Host is full.'],
    ]);
    const silent = vi.fn(() => Promise.reject(new Error('no events')));
    expect(await outcome(polled([up], { reason: silent }).object, { reasons: true })).toBe(up);
  });

  it('continues while the server is unavailable, and reports it once', async () => {
    const onUnavailable = vi.fn();
    const onAvailable = vi.fn();
    const { object } = polled([down, busy, gone, down, up]);
    expect(await outcome(object, { onUnavailable, onAvailable })).toBe(up);
    expect(onUnavailable.mock.calls).toEqual([[busy]]);
    expect(onAvailable).toHaveBeenCalledOnce();
    // The callbacks are optional.
    expect(await outcome(polled([busy, up]).object)).toBe(up);
  });

  it('ends immediately for a permanent error or the signal', async () => {
    const refused = new AuthError('no');
    expect(await outcome(polled([refused]).object)).toBe(refused);
    const controller = new AbortController();
    const reason = new Error('enough');
    const { object } = polled([down]);
    const onChange = () => controller.abort(reason);
    expect(await outcome(object, { signal: controller.signal, onChange })).toBe(reason);
  });
});

describe('a timeout', () => {
  it('reports the state of the object and the command that waits longer', async () => {
    const { object } = polled([down], { reason: async () => 'Host is full.' });
    const error = await outcome(object, { timeout: 9_600 });
    expect(error).toBeInstanceOf(WaitTimeoutError);
    expect(error).toMatchObject({
      message:
        'timed out after 10 s waiting for status=up of vms/x; state: down; last event: Host is full.',
      hint: 'to wait longer: vmctl vms wait x --for status=up',
      next: ['vmctl vms wait x --for status=up'],
    });
    expect(await outcome(polled([undefined]).object, { timeout: 1_000 })).toMatchObject({
      message: 'timed out after 1 s waiting for status=up of vms/x; state: absent',
    });
  });

  it('reports an unavailable server instead of the object', async () => {
    const error = await outcome(polled([down, gone]).object, { timeout: 5_000 });
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({
      message:
        'timed out after 5 s waiting for status=up of vms/x: a.test cannot be reached; last state: down',
      code: 'unreachable',
      hint: 'the operation may continue; once the server responds: vmctl vms wait x --for status=up',
      next: ['vmctl vms wait x --for status=up'],
      retryable: true,
      cause: gone,
    });
    const failed = await outcome(polled([busy]).object, { timeout: 5_000 });
    expect(failed).toBeInstanceOf(ServerError);
    expect(failed).toMatchObject({
      message: 'timed out after 5 s waiting for status=up of vms/x: the server is busy',
      code: 'busy',
    });
  });
});

describe('a missed goal', () => {
  const start = () => conditionFor('vm', ['start'], 'vms/x');

  it('is reported with the message of the service', async () => {
    const results = [{ status: 'powering_up' }, down];
    const plain = await outcome(polled(results).object, {}, start());
    expect(plain).toBeInstanceOf(ConflictError);
    expect(plain).toMatchObject({
      message: 'vms/x is down instead of up',
      code: 'unexpected_state',
      hint: 'vmctl events list',
    });
    const reason = async () => 'No host fits.';
    const told = await outcome(polled(results, { reason }).object, {}, start());
    expect(told).toBeInstanceOf(ConflictError);
    expect(told).toMatchObject({
      message: 'vms/x is down instead of up: No host fits.',
      code: 'unexpected_state',
      hint: 'vmctl events list',
    });
    const bug = new TypeError('a bug');
    const broken: Condition = {
      ...isUp,
      isMet: () => {
        throw bug;
      },
    };
    expect(await outcome(polled([up], { reason }).object, {}, broken)).toBe(bug);
  });

  it('is ignored while the state may be outdated', async () => {
    const condition = start();
    expect(condition.isMet(down)).toBe(false);
    vi.advanceTimersByTime(10_000);
    expect(condition.isMet(down)).toBe(false);
    vi.advanceTimersByTime(1);
    expect(() => condition.isMet(down)).toThrow('vms/x is down instead of up');
    expect(condition.isMet(up)).toBe(true);
  });

  it('is reported immediately after a transitional state', () => {
    const condition = start();
    expect(condition.isMet({ status: 'wait_for_launch' })).toBe(false);
    expect(() => condition.isMet(down)).toThrow('vms/x is down instead of up');
  });

  it('is reported if the object is absent for some time', () => {
    const condition = conditionFor('vm', ['add'], 'vms/x');
    expect(condition.isMet(undefined)).toBe(false);
    vi.advanceTimersByTime(10_000);
    expect(condition.isMet(undefined)).toBe(false);
    vi.advanceTimersByTime(1);
    expect(() => condition.isMet(undefined)).toThrow(
      expect.objectContaining({
        message: 'vms/x was deleted while waiting for down',
        code: 'unexpected_state',
        hint: 'vmctl events list',
      }),
    );
  });
});

describe('goals', () => {
  it('without a state are met by any existing object', () => {
    expect(conditionFor('vm', ['start'], 'x').isMet({})).toBe(true);
    expect(conditionFor('bookmark', ['add'], 'x').isMet({ status: undefined })).toBe(true);
    expect(conditionFor('vm', ['clone'], 'x').isMet(undefined)).toBe(true);
  });

  it('of a removal are met only by absence', () => {
    const condition = conditionFor('vm', ['detach', 'remove'], 'x');
    expect([condition.text, condition.isMet(down), condition.isMet(undefined)]).toEqual([
      'gone',
      false,
      true,
    ]);
    expect(condition.getState(undefined)).toBe('gone');
    expect(condition.getState(down)).toBe('down');
  });

  it.each([
    ['vm', ['clone'], 'image_locked', false],
    ['vm', ['clone'], 'up', true],
    ['vm', ['clone'], 'powering_up', false],
    ['gluster_brick', ['activate'], 'locked', false],
    ['gluster_brick', ['activate'], 'up', true],
  ])('of %s after %j: %s is settled: %s', (type, operations, status, isSettled) => {
    const condition = conditionFor(type, operations, 'x');
    expect(condition.text).toBe('settled');
    expect(condition.isMet({ status })).toBe(isSettled);
  });
});

it.each([
  ['vm', 'status'],
  ['snapshot', 'snapshot_status'],
  ['image_transfer', 'phase'],
  ['job', 'status'],
  ['bookmark', undefined],
  ['no_such_type', undefined],
])('finds the state of %s in its %s', (type, attribute) => {
  expect(stateAttribute(type)).toBe(attribute);
  if (attribute === undefined) {
    expect(getState(type, { status: 'x' })).toBe('exists');
    return;
  }
  expect(getState(type, { [attribute]: 'x' })).toBe('x');
  expect(getState(type, {})).toBe('exists');
  expect(getState(type, undefined)).toBe('gone');
});
