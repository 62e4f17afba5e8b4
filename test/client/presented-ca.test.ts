/** Authority that a server presents in real handshakes. */
import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConnectionError, TrustError } from '../../src/client/errors.ts';
import {
  explainPinMismatch,
  fetchPresentedCa,
  normalizeFingerprint,
} from '../../src/client/trust.ts';
import { identity, type Stub, startStub } from '../support/stub-server.ts';

let stub: Stub;
const ca = new X509Certificate(identity().ca);
const pinned = ca.fingerprint256;

beforeAll(async () => {
  stub = await startStub({});
});
afterAll(() => stub.close());

describe('the authority of a server', () => {
  it('is the last certificate of the chain, with its details', async () => {
    for (const origin of [stub.url, stub.url.replace('localhost', '127.0.0.1')]) {
      const presented = await fetchPresentedCa(origin, {});
      expect(presented).toEqual({
        pem: ca.toString(),
        fingerprint: pinned,
        subject: 'O=Test, CN=Authority first',
        validFrom: new Date(ca.validFrom).toISOString().replace('.000', ''),
        validTo: new Date(ca.validTo).toISOString().replace('.000', ''),
        selfSigned: true,
        publiclyTrusted: false,
      });
    }
    // No request was sent.
    expect(stub.requests).toEqual([]);
  });

  it('is not available if the server does not respond or the signal is aborted', async () => {
    const closed = await startStub({});
    await closed.close();
    await expect(fetchPresentedCa(closed.url, {})).rejects.toBeInstanceOf(ConnectionError);
    const controller = new AbortController();
    const reason = new Error('enough');
    const seen = fetchPresentedCa(stub.url, {}, controller.signal);
    controller.abort(reason);
    await expect(seen).rejects.toBe(reason);
  });
});

describe('a server that is no longer trusted', () => {
  it('is reported with both authorities if it presents another one', async () => {
    const before = pinned.replaceAll(/[0-9A-F]/g, '0');
    const error = await explainPinMismatch(stub.url, before, {});
    expect(error).toBeInstanceOf(TrustError);
    expect(error?.message).toBe(
      `localhost:${stub.port} presents a new certificate authority:\n` +
        `  pinned:    ${before}\n  presented: ${pinned}\n` +
        'Someone may be intercepting the connection, or the service was reinstalled',
    );
    expect(error).toMatchObject({
      code: 'pin_mismatch',
      hint: expect.stringContaining(`vmctl login ${stub.url} --ca-fingerprint ${pinned}`),
    });
  });

  it('has no explanation if the authority is unchanged or unknown', async () => {
    expect(await explainPinMismatch(stub.url, pinned, {})).toBeUndefined();
    const closed = await startStub({});
    await closed.close();
    expect(await explainPinMismatch(closed.url, 'x', {})).toBeUndefined();
  });
});

describe('fingerprints', () => {
  const digits = 'ab'.repeat(32);

  it.each([
    ` ${digits}\n`,
    `SHA-256 Fingerprint: ${digits}`,
    `sha256=${digits}`,
    digits.replaceAll('ab', 'ab '),
  ])('accepts %j', (text) => {
    expect(normalizeFingerprint(text)).toBe(digits.toUpperCase().match(/../g)?.join(':'));
  });

  it.each([`x${digits}`, `${digits}x`, digits.slice(1), `sha1:${digits}`, `a sha256:${digits}`])(
    'refuses %j',
    (text) => {
      expect(normalizeFingerprint(text)).toBeUndefined();
    },
  );
});
