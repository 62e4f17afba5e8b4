/** Certificates that clients may fetch without signing in (specification 5.1). */
import { X509Certificate } from 'node:crypto';
import type { ApiResponse } from '../api/request.ts';

/** Answers `/services/pki-resource?resource=...&format=...`. */
export function pkiResource(
  parameters: URLSearchParams,
  ca: string,
  serverChain: string,
): ApiResponse {
  const resource = parameters.get('resource');
  const authority = resource === 'ca-certificate' || resource === 'qemu-ca-certificate';
  if (!authority && resource !== 'engine-certificate') {
    return refused(
      `The resource "${resource ?? ''}" is unknown; use ca-certificate, qemu-ca-certificate or engine-certificate.`,
    );
  }
  const pem = authority ? ca : firstOf(serverChain);
  const format = parameters.get('format') ?? (authority ? 'X509-PEM-CA' : 'X509-PEM');
  switch (format) {
    case 'X509-PEM-CA':
      return { status: 200, headers: { 'Content-Type': 'application/x-x509-ca-cert' }, body: pem };
    case 'X509-PEM':
      return { status: 200, headers: { 'Content-Type': 'application/x-x509-cert' }, body: pem };
    case 'OPENSSH-PUBKEY':
      return {
        status: 200,
        headers: { 'Content-Type': 'text/plain;charset=UTF-8' },
        body: sshKey(pem, parameters.get('alias')),
      };
    default:
      return refused(
        `The format "${format}" is unknown; use X509-PEM, X509-PEM-CA or OPENSSH-PUBKEY.`,
      );
  }
}

function refused(message: string): ApiResponse {
  return {
    status: 400,
    headers: { 'Content-Type': 'text/plain;charset=UTF-8' },
    body: `${message}\n`,
  };
}

function firstOf(chain: string): string {
  const end = '-----END CERTIFICATE-----';
  return `${chain.slice(0, chain.indexOf(end) + end.length)}\n`;
}

/** The key of a certificate on curve P-256 in the form of OpenSSH. */
function sshKey(pem: string, alias: string | null): string {
  const key = new X509Certificate(pem).publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([
    Buffer.from([4]),
    Buffer.from(key.x ?? '', 'base64url'),
    Buffer.from(key.y ?? '', 'base64url'),
  ]);
  const type = 'ecdsa-sha2-nistp256';
  const blob = Buffer.concat([
    field(Buffer.from(type)),
    field(Buffer.from('nistp256')),
    field(point),
  ]);
  return `${type} ${blob.toString('base64')}${alias ? ` ${alias}` : ''}\n`;
}

function field(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
