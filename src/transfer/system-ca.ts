/** Certificate authorities that this system trusts, for web servers. */
import { readFileSync } from 'node:fs';
import * as tls from 'node:tls';

/** Where systems keep the authorities that they believe. */
const bundles = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

/** The authorities that this system believes, and those that Node comes with. */
export function systemCaCertificates(): readonly string[] {
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
