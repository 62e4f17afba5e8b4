/** Certificates in a folder: retained while they are valid for all hosts, replaced otherwise. */
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadOwnCertificates } from '../../../src/server/tls/certificates.ts';

const now = new Date('2026-11-25T12:00:00Z');
let folder: string;

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'vmctl-certificates-')), 'tls');
});
afterEach(() => {
  rmSync(join(folder, '..'), { recursive: true });
});

describe('the certificate of a restarted server', () => {
  it.each([
    ['a name', 'stand-in.example.com'],
    ['an IPv4 address', '192.0.2.7'],
    ['an IPv6 address', '2001:db8::7'],
  ])('has %s as a new name, from the same authority, and then stays', async (_, added) => {
    const first = await loadOwnCertificates(folder, ['localhost', '127.0.0.1'], now);
    const hosts = ['localhost', '127.0.0.1', added];
    const second = await loadOwnCertificates(folder, hosts, now);
    expect(second.ca).toBe(first.ca);
    expect(second.server.certificate).not.toBe(first.server.certificate);
    const certificate = new X509Certificate(second.server.certificate);
    expect(certificate.verify(new X509Certificate(first.ca).publicKey)).toBe(true);
    expect(certificate.subjectAltName).toMatch(/localhost/);
    const third = await loadOwnCertificates(folder, hosts, now);
    expect(third.server).toEqual(second.server);
  });

  it('stays without changes, and with fewer requested hosts', async () => {
    const first = await loadOwnCertificates(folder, ['localhost', '127.0.0.1', '::1'], now);
    expect(await loadOwnCertificates(folder, ['localhost', '127.0.0.1', '::1'], now)).toEqual(
      first,
    );
    expect(await loadOwnCertificates(folder, ['localhost'], now)).toEqual(first);
  });
});
