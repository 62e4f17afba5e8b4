/** Certificate authorities of the operating system, for web servers. */
import { readFileSync } from 'node:fs';
import * as tls from 'node:tls';

/** Common paths of certificate bundles. */
const bundles = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

/** Authorities of the operating system and of Node. */
export function systemCaCertificates(): readonly string[] {
  // The types of Node.js do not declare it yet.
  const { getCACertificates } = tls as { getCACertificates?: (type: string) => string[] };
  if (getCACertificates) return [...getCACertificates('default'), ...getCACertificates('system')];
  const named = [process.env['SSL_CERT_FILE'], process.env['NODE_EXTRA_CA_CERTS']];
  const found = [...named.filter((path) => path !== undefined), ...bundles].flatMap((path) => {
    try {
      return [readFileSync(path, 'utf8')];
    } catch {
      return [];
    }
  });
  return [...tls.rootCertificates, ...found];
}
