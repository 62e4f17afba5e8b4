/** Certificates of a folder: as long as they serve they stay; what they do not name gets a new one. */
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownCertificates } from '../../../src/server/tls/certificates.ts';

const now = new Date('2026-11-25T12:00:00Z');
let folder: string;

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'vmctl-certificates-')), 'tls');
});
afterEach(() => {
  rmSync(join(folder, '..'), { recursive: true });
});

describe('the certificate of a server that starts again', () => {
  it.each([
    ['a name', 'stand-in.example.com'],
    ['an IPv4 address', '192.0.2.7'],
    ['an IPv6 address', '2001:db8::7'],
  ])('has %s that was not in it, by the same authority, and stays then', async (_, added) => {
    const first = await ownCertificates(folder, ['localhost', '127.0.0.1'], now);
    const hosts = ['localhost', '127.0.0.1', added];
    const second = await ownCertificates(folder, hosts, now);
    expect(second.ca).toBe(first.ca);
    expect(second.server.certificate).not.toBe(first.server.certificate);
    const certificate = new X509Certificate(second.server.certificate);
    expect(certificate.verify(new X509Certificate(first.ca).publicKey)).toBe(true);
    expect(certificate.subjectAltName).toMatch(/localhost/);
    const third = await ownCertificates(folder, hosts, now);
    expect(third.server).toEqual(second.server);
  });

  it('stays where nothing has changed, and where fewer hosts are asked for', async () => {
    const first = await ownCertificates(folder, ['localhost', '127.0.0.1', '::1'], now);
    expect(await ownCertificates(folder, ['localhost', '127.0.0.1', '::1'], now)).toEqual(first);
    expect(await ownCertificates(folder, ['localhost'], now)).toEqual(first);
  });
});
