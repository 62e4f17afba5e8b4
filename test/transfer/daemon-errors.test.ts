/** Errors for responses of image daemons and lost connections. */
import { describe, expect, it } from 'vitest';
import {
  ConflictError,
  ConnectionError,
  FaultError,
  InterruptedError,
  ServerError,
  UsageError,
  VmctlError,
  WaitTimeoutError,
} from '../../src/client/errors.ts';
import {
  daemonConnectionError,
  daemonError,
  invalidResponse,
  isTicketRefusal,
  isTimeout,
} from '../../src/transfer/daemon-errors.ts';
import { isTransient } from '../../src/transfer/transfer-error.ts';

describe('an unsuccessful response', () => {
  it.each([
    [400, FaultError, 'daemon_refused', false],
    [404, FaultError, 'daemon_refused', false],
    [416, FaultError, 'daemon_refused', false],
    [428, FaultError, 'daemon_refused', false],
    [429, ServerError, 'server_error', true],
    [499, FaultError, 'daemon_refused', false],
    [500, ServerError, 'server_error', true],
    [503, ServerError, 'server_error', true],
    [507, ServerError, 'no_space_on_server', false],
  ] as const)('%i', (status, kind, code, retryable) => {
    const error = daemonError('send the image', status, ' It failed.\nAt line 5.\n');
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({
      message: 'send the image: the image daemon reports: It failed.',
      ...{ status, code, retryable },
    });
  });

  it('without a text is reported by its status', () => {
    expect(daemonError('look', 404, ' \n').message).toBe(
      'look: the image daemon reports: HTTP status 404',
    );
  });

  it('about the ticket omits the text of the daemon', () => {
    const error = daemonError('look', 403, 'ticket 1234');
    expect(error).toBeInstanceOf(ConflictError);
    expect(error).toMatchObject({
      message: 'look: the image daemon no longer accepts the ticket',
      code: 'ticket_refused',
      status: 403,
      hint: 'the transfer was paused, cancelled or has expired',
    });
    expect([403, 401, 404, 500, undefined].map(isTicketRefusal)).toEqual([
      ...[true, false, false, false, false],
    ]);
  });

  it('with a successful status is reported', () => {
    expect(invalidResponse('does not use HTTP')).toMatchObject({
      message: 'cannot download the image: the image daemon does not use HTTP',
      code: 'bad_answer',
      retryable: false,
    });
  });
});

describe('a failed connection', () => {
  const failed = (code: string) => Object.assign(new Error(code), { code });
  const made = (error: unknown) => daemonConnectionError('send', error, 'https://daemon:54322');

  it('is reported with the attempted action, and can be retried', () => {
    const cause = failed('ECONNREFUSED');
    const error = made(cause);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({
      message: expect.stringMatching(/^send: .*daemon:54322/),
      retryable: true,
      cause,
    });
    expect((error as Error).message).not.toContain('/images');
  });

  it('is unchanged if it is converted already, or another error', () => {
    const told = new UsageError('no');
    expect(made(told)).toBe(told);
    const bug = new TypeError('a mistake');
    expect(made(bug)).toBe(bug);
  });

  it.each([
    ['UND_ERR_HEADERS_TIMEOUT', true],
    ['UND_ERR_BODY_TIMEOUT', true],
    ['ETIMEDOUT', true],
    ['ECONNRESET', false],
    [5, false],
    [undefined, false],
  ])('after a timeout or immediately: %s', (code, slow) => {
    expect(isTimeout(new Error('lost', { cause: { code } }))).toBe(slow);
    expect(isTimeout(new Error('lost'))).toBe(false);
  });
});

describe('a temporary failure', () => {
  it.each<[boolean, string, unknown]>([
    [true, 'an interruption', new InterruptedError('SIGINT')],
    [true, 'a service that times out', new WaitTimeoutError('long')],
    [true, 'a lost connection', new ConnectionError('lost')],
    [true, 'a busy server', new ServerError('busy', { retryable: true })],
    [true, 'a full storage', new ServerError('full', { code: 'no_space_on_server' })],
    [false, 'a broken server', new ServerError('broken')],
    [true, 'a transfer paused by a user', new ConflictError('x', { code: 'transfer_paused' })],
    [false, 'a transfer ended by a user', new ConflictError('x', { code: 'transfer_failed' })],
    [false, 'a refusal', new FaultError('no')],
    [false, 'a full disk', new VmctlError('full', { code: 'no_space_on_server' })],
    [false, 'a bug', Object.assign(new Error('bug'), { code: 'transfer_paused' })],
    [false, 'nothing', undefined],
  ])('%s: %s', (passes, _, error) => {
    expect(isTransient(error)).toBe(passes);
  });
});
