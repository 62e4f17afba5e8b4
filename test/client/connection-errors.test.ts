/** Messages for failed connections and handshakes. */
import { describe, expect, it } from 'vitest';
import { connectionError } from '../../src/client/connection-errors.ts';
import {
  ConnectionError,
  isRetryable,
  TrustError,
  UsageError,
  type VmctlError,
} from '../../src/client/errors.ts';

const request = { method: 'GET', origin: 'https://a.test:8443', path: '/vms' };

function failure(code: string, more: object = {}): Error & { code: string } {
  return Object.assign(new Error(`raw ${code}`), { code, ...more });
}

function explained(error: unknown): VmctlError {
  return connectionError(error, request) as VmctlError;
}

describe('an unreachable server', () => {
  it.each([
    ['ENOTFOUND', 'host not found', 'unreachable'],
    ['EAI_AGAIN', 'the DNS server does not respond', 'unreachable'],
    ['ECONNREFUSED', 'connection refused', 'unreachable'],
    ['EHOSTUNREACH', 'no route to host', 'unreachable'],
    ['ENETUNREACH', 'network unreachable', 'unreachable'],
    ['ETIMEDOUT', 'the host does not respond', 'unreachable'],
    ['UND_ERR_CONNECT_TIMEOUT', 'the host does not respond', 'unreachable'],
    ['UND_ERR_HEADERS_TIMEOUT', 'the server accepted the request but does not respond', 'timeout'],
    ['UND_ERR_BODY_TIMEOUT', 'the response ended early', 'connection_lost'],
    ['UND_ERR_SOCKET', 'the server closed the connection', 'connection_lost'],
    ['ECONNRESET', 'the connection was reset', 'connection_lost'],
    ['EPIPE', 'the connection was reset', 'connection_lost'],
    ['EPROTO', 'it does not use TLS', 'unreachable'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'it does not use TLS', 'unreachable'],
    ['ERR_SSL_SOMETHING_ELSE', 'it does not use TLS', 'unreachable'],
    ['ERR_SSL_UNSUPPORTED_PROTOCOL', 'it only supports insecure TLS versions', 'unreachable'],
    [
      'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
      'it only supports insecure TLS versions',
      'unreachable',
    ],
  ])('%s: %s', (raw, why, code) => {
    const cause = failure(raw);
    const error = explained(cause);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toBe(`cannot connect to a.test:8443: ${why}`);
    expect(error).toMatchObject({ code, retryable: true, cause });
    expect(error.request).toEqual({ method: 'GET', path: '/vms' });
    expect(error.hint).toMatch(/^\w.{5,}$/);
    expect(isRetryable(error)).toBe(true);
  });

  it('reports unknown errors verbatim, without a retry', () => {
    const error = explained(failure('ESTRANGE'));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({
      message: 'cannot connect to a.test:8443: raw ESTRANGE',
      hint: 'check the URL and the network',
      code: 'unreachable',
      retryable: false,
    });
    expect(explained(new AggregateError([], 'all failed')).message).toBe(
      'cannot connect to a.test:8443: all failed',
    );
  });
});

describe('an untrusted server', () => {
  const unknown = 'its certificate authority is not trusted';

  it.each([
    ...[
      'SELF_SIGNED_CERT_IN_CHAIN',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'UNABLE_TO_GET_ISSUER_CERT',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'CERT_SIGNATURE_FAILURE',
      'CERT_UNTRUSTED',
      'INVALID_CA',
    ].map((raw) => [raw, unknown, 'untrusted'] as const),
    ['CERT_HAS_EXPIRED', 'its certificate has expired', 'certificate_expired'],
    ['CERT_NOT_YET_VALID', 'its certificate is not valid yet', 'certificate_expired'],
    ['CERT_REVOKED', 'its certificate was revoked', 'untrusted'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another host', 'wrong_host'],
  ] as const)('%s: %s', (raw, why, code) => {
    const error = explained(failure(raw));
    expect(error).toBeInstanceOf(TrustError);
    expect(error.message).toBe(`a.test:8443 is not trusted: ${why}`);
    expect(error).toMatchObject({ code, retryable: false });
    expect(error.hint).toMatch(/^\w.{5,}$/);
    if (why === unknown) expect(error.hint).toContain('vmctl login');
  });

  it('reports the names in a certificate for another host', () => {
    const reason = "Host: a.test. is not in the cert's altnames: DNS:b.test, IP Address:10.0.0.1";
    expect(explained(failure('ERR_TLS_CERT_ALTNAME_INVALID', { reason })).message).toBe(
      'a.test:8443 is not trusted: its certificate is for another host (it is for b.test, 10.0.0.1)',
    );
  });
});

describe('finds the cause of a nested error', () => {
  const wrapped = (code: string | undefined, cause: unknown) =>
    Object.assign(new Error('fetch failed', { cause }), code === undefined ? {} : { code });

  it.each([
    ['in the cause', wrapped(undefined, failure('ENOTFOUND')), 'host not found'],
    [
      'in the cause of a closed socket',
      wrapped('UND_ERR_SOCKET', failure('ECONNREFUSED')),
      'connection refused',
    ],
    [
      'in a closed socket without a cause',
      wrapped('UND_ERR_SOCKET', new Error('x')),
      'the server closed the connection',
    ],
    [
      'in the error, which precedes its cause',
      wrapped('ETIMEDOUT', failure('ENOTFOUND')),
      'the host does not respond',
    ],
    [
      'in the first of several attempts',
      new AggregateError([failure('ECONNREFUSED'), failure('ENOTFOUND')]),
      'connection refused',
    ],
    [
      'in the cause of the first of several attempts',
      new AggregateError([wrapped(undefined, failure('ENETUNREACH'))]),
      'network unreachable',
    ],
  ])('%s', (_, error, why) => {
    expect(explained(error).message).toBe(`cannot connect to a.test:8443: ${why}`);
  });
});

it('returns other errors unchanged', () => {
  const own = new UsageError('no');
  const bug = new TypeError('a bug');
  expect(connectionError(own, request)).toBe(own);
  expect(connectionError(bug, request)).toBe(bug);
  expect(connectionError('text', request)).toEqual(new Error('text'));
  expect(connectionError(null, request)).toEqual(new Error('null'));
  // Numeric codes have another meaning.
  const numbered = Object.assign(new Error('x'), { code: 5 });
  expect(connectionError(numbered, request)).toBe(numbered);
});
