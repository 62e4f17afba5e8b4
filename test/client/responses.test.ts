/** Errors for unsuccessful responses, and bodies within limits of time and memory. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  AuthError,
  ConflictError,
  ConnectionError,
  FaultError,
  ForbiddenError,
  NotFoundError,
  ServerError,
} from '../../src/client/errors.ts';
import { maxBodyLength, readBody, withProgress } from '../../src/client/response-body.ts';
import {
  errorFromResponse,
  faultMessage,
  type RequestDescription,
} from '../../src/client/response-errors.ts';

const attempt: RequestDescription = {
  request: { method: 'GET', origin: 'https://a.test', path: '/vms/1' },
  what: 'get vms/1',
};

function answer(status: number, body = '<html/>', headers: Record<string, string> = {}) {
  return { status, headers, body: new TextEncoder().encode(body) };
}

describe('the error for a status', () => {
  it.each([
    [300, FaultError, 'redirected', 'the server redirects to ?', /use that address/],
    [399, FaultError, 'redirected', 'the server redirects to ?', /use that address/],
    [400, FaultError, 'refused', 'bad request', undefined],
    [401, AuthError, 'auth_required', 'not signed in', /vmctl login/],
    [403, ForbiddenError, 'forbidden', 'not allowed', /whoami/],
    [404, NotFoundError, 'not_found', 'not found', undefined],
    [405, FaultError, 'refused', 'the service does not support this operation', /may be older/],
    [406, FaultError, 'refused', 'the service does not support JSON or XML here', undefined],
    [409, ConflictError, 'conflict', 'conflict', undefined],
    [413, FaultError, 'refused', 'the request is too large', undefined],
    [415, FaultError, 'refused', 'the service cannot parse the body', undefined],
    [429, ServerError, 'server_error', 'too many requests', /^run the command again later$/],
    [499, FaultError, 'refused', 'unexpected HTTP status 499', undefined],
    [500, ServerError, 'server_error', 'server error', undefined],
    [501, ServerError, 'server_error', 'the service does not support this operation', /api info/],
    [502, ServerError, 'server_error', 'the proxy gets no response from the server', undefined],
    [
      503,
      ServerError,
      'server_error',
      'the service is unavailable',
      /^run the command again later$/,
    ],
    [
      504,
      ServerError,
      'server_error',
      /^the proxy gets no timely response from the server$/,
      undefined,
    ],
    [599, ServerError, 'server_error', 'unexpected HTTP status 599', undefined],
  ] as const)('%s', (status, kind, code, why, hint) => {
    const error = errorFromResponse(answer(status), attempt);
    expect(error.constructor).toBe(kind);
    const [what, ...rest] = error.message.split(': ');
    expect(what).toBe('get vms/1');
    if (typeof why === 'string') expect(rest.join(': ')).toBe(why);
    else expect(rest.join(': ')).toMatch(why);
    expect(error).toMatchObject({ code, status, retryable: [429, 502, 503, 504].includes(status) });
    expect(error.request).toEqual({ method: 'GET', path: '/vms/1' });
    expect(error.fault).toBeUndefined();
    if (hint) expect(error.hint).toMatch(hint);
    else expect(error.hint).toBeUndefined();
  });

  it('contains the message of the fault, or the target of a redirect', () => {
    const fault = { reason: 'Operation Failed', detail: '[Cannot run VM.]' };
    const error = errorFromResponse(answer(409, JSON.stringify(fault)), attempt);
    expect(error).toMatchObject({ message: 'get vms/1: Cannot run VM.', fault });
    const moved = errorFromResponse(answer(307, '', { location: 'https://b.test/' }), attempt);
    expect(moved.message).toBe('get vms/1: the server redirects to https://b.test/');
  });

  it('names the request without a description', () => {
    const error = errorFromResponse(answer(500), { request: attempt.request });
    expect(error.message).toBe('GET /vms/1: server error');
  });

  it('is a conflict for a refused action', () => {
    for (const status of [400, 405, 422]) {
      const error = errorFromResponse(answer(status), { ...attempt, isAction: true });
      expect(error).toBeInstanceOf(ConflictError);
      expect(error.code).toBe('action_failed');
    }
    const hidden = errorFromResponse(answer(404), { ...attempt, isAction: true });
    expect(hidden).toBeInstanceOf(NotFoundError);
  });

  it('does not depend on a body', () => {
    expect(errorFromResponse(answer(404, ''), attempt).message).toBe('get vms/1: not found');
    expect(errorFromResponse(answer(409, ''), attempt).message).toBe('get vms/1: conflict');
  });
});

describe('hints for a known collection', () => {
  const hint = (status: number, what?: string) =>
    errorFromResponse(answer(status), {
      request: attempt.request,
      noun: 'vms',
      ...(what === undefined ? {} : { what }),
    }).hint;

  it.each([
    [404, 'get vms/web01', 'the object may be deleted: vmctl vms list'],
    [409, 'start vms/web01', 'check the state with vmctl vms get web01'],
    [409, 'start vms/my vm', "check the state with vmctl vms get 'my vm'"],
    [409, 'create vms/web01', undefined],
    [409, 'add vms/web01', undefined],
    [409, 'start hosts/web01', undefined],
    [409, undefined, undefined],
    [403, 'start vms/web01', 'check the user with vmctl whoami; an administrator can grant a role'],
  ] as const)('%s, %s', (status, what, expected) => {
    expect(hint(status, what)).toBe(expected);
  });
});

describe('extracts the message of a fault', () => {
  it.each([
    [{ detail: ' [ Cannot run VM. ] ' }, 'Cannot run VM.'],
    [{ detail: '[one\ntwo]' }, 'one\ntwo'],
    [{ detail: '[[x]]' }, '[x]'],
    [{ detail: '[x] y' }, '[x] y'],
    [{ detail: 'y [x]' }, 'y [x]'],
    [{ detail: '[]', reason: 'r' }, 'r'],
    [{ detail: '', reason: '' }, undefined],
  ])('%j', (fault, text) => {
    expect(faultMessage(fault)).toBe(text);
  });
});

describe('a body', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const limits = { idleTimeout: 1_000, maxLength: 3_000 };
  const bytes = (length: number) => Buffer.alloc(length, 'x');

  /** Chunks with delays in seconds, on a fake clock that only they advance. */
  function slowly(chunks: readonly (readonly [seconds: number, length: number])[]) {
    let now = 0;
    let ended = false;
    vi.spyOn(process, 'uptime').mockImplementation(() => now);
    async function* body() {
      try {
        for (const [seconds, length] of chunks) {
          now += seconds;
          yield bytes(length);
        }
      } finally {
        ended = true;
      }
    }
    return { body: body(), hasEnded: () => ended, pass: (seconds: number) => (now += seconds) };
  }

  it('is assembled from any chunks', async () => {
    for (const parts of [[], [5], [1_000, 0, 2_000]]) {
      const { body } = slowly(parts.map((length) => [0, length]));
      const whole = await readBody(body, limits);
      expect(whole.length).toBe(parts.reduce((sum, length) => sum + length, 0));
    }
  });

  it('is accepted up to the maximum length, and refused with one more byte', async () => {
    expect((await readBody(slowly([[0, 3_000]]).body, limits)).length).toBe(3_000);
    const long = slowly([
      [0, 3_000],
      [0, 1],
      [0, 1],
    ]);
    await expect(readBody(long.body, { ...limits, maxLength: 3_000 })).rejects.toMatchObject({
      name: 'ServerError',
      code: 'answer_too_long',
    });
    expect(long.hasEnded()).toBe(true);
    await expect(
      readBody(slowly([[0, 5 * 2 ** 20]]).body, { ...limits, maxLength: 3 * 2 ** 20 }),
    ).rejects.toThrow('the response exceeds 3 MiB');
    expect(maxBodyLength).toBe(268_435_456);
  });

  it.each([
    ['a kilobyte within each timeout', [[0.9, 1_024] as const, [0.9, 1_024] as const], true],
    ['a kilobyte just before the timeout', [[1, 1] as const, [0, 1_023] as const], true],
    ['little, but quickly', [[0.5, 1] as const, [0.5, 1] as const], true],
    ['hardly anything', [[0.6, 1_023] as const, [0.5, 0] as const], false],
    ['a kilobyte, and then nothing', [[5, 1_024] as const, [1.1, 1] as const], false],
    [
      'a kilobyte whose first half is too old',
      [
        [0.9, 512],
        [0.9, 512],
      ] as const,
      true,
    ],
  ])('fails after %s', async (_, chunks, isTaken) => {
    const { body, hasEnded } = slowly(chunks);
    const reading = readBody(body, limits);
    if (isTaken) await reading;
    else {
      await expect(reading).rejects.toBeInstanceOf(ConnectionError);
      await expect(reading).rejects.toMatchObject({
        code: 'timeout',
        hint: expect.stringContaining('--idle-timeout'),
      });
    }
    expect(hasEnded()).toBe(true);
  });

  it('without progress is reported with the received bytes and the time', async () => {
    const { body } = slowly([
      [0, 10],
      [2.4, 7],
    ]);
    await expect(readBody(body, limits)).rejects.toThrow(
      'no progress of the response: 17 bytes in 2 s',
    );
  });

  it('does not time out for a slow reader', async () => {
    const { body, pass } = slowly([
      [0.5, 1],
      [0.4, 1],
    ]);
    for await (const chunk of withProgress(body, limits)) {
      expect(chunk.length).toBe(1);
      pass(100);
    }
  });

  it('ends when its reader stops', async () => {
    const { body, hasEnded } = slowly([
      [0, 1],
      [0, 1],
    ]);
    for await (const _ of withProgress(body, limits)) break;
    expect(hasEnded()).toBe(true);
  });
});
