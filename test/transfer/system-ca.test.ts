/** Trusted authorities for web servers: those of Node and of the system. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as tls from 'node:tls';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemCaCertificates } from '../../src/transfer/system-ca.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-ca-'));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

it('include all authorities of Node', () => {
  const found = systemCaCertificates().join('\n');
  // Newer releases of Node can have other authorities.
  const some = tls.rootCertificates.filter((one) => found.includes(one));
  expect(some.length).toBeGreaterThan(tls.rootCertificates.length / 2);
});

// A Node that reads the system's authorities reads these variables only at its start.
it.skipIf('getCACertificates' in tls).each(['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'])(
  'include those in the file that %s names, if it exists',
  (variable) => {
    const path = join(folder, 'authority.pem');
    writeFileSync(path, 'an authority');
    vi.stubEnv(variable, path);
    expect(systemCaCertificates()).toContain('an authority');
    vi.stubEnv(variable, join(folder, 'none'));
    expect(systemCaCertificates()).not.toContain('an authority');
  },
);
