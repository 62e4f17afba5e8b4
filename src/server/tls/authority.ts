/** Certificate authority of the server, and the certificates that it signs. */
import { createHash, randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';

export interface KeyAndCertificate {
  /** Private key, PEM. */
  readonly key: string;
  /** PEM; for servers the complete chain: server certificate first, certificate authority last. */
  readonly certificate: string;
}

const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const day = 24 * 3600 * 1000;
/** Milliseconds before now at which certificates become valid, for clients with a slow clock. */
const skew = day;

async function library(): Promise<typeof import('@peculiar/x509')> {
  // The library requires this polyfill. Loaded only to create a certificate.
  await import('reflect-metadata');
  return import('@peculiar/x509');
}

/** Creates a certificate authority that is valid for ten years. */
export async function createAuthority(now: Date): Promise<KeyAndCertificate> {
  const x509 = await library();
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: `CN=vmctl serve CA ${randomBytes(3).toString('hex')}, O=vmctl`,
    notBefore: new Date(now.getTime() - skew),
    notAfter: new Date(now.getTime() + 3650 * day),
    signingAlgorithm: keyAlgorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return {
    key: await privatePem(keys.privateKey),
    certificate: addLineEnd(certificate.toString('pem')),
  };
}

/**
 * Creates a server certificate for host names and addresses, signed by the authority and valid for
 * a year.
 */
export async function createServerCertificate(
  authority: KeyAndCertificate,
  hosts: readonly string[],
  now: Date,
): Promise<KeyAndCertificate> {
  const x509 = await library();
  const keys = await newKeys();
  const issuer = new x509.X509Certificate(authority.certificate);
  const signingKey = await webcrypto.subtle.importKey(
    'pkcs8',
    toDer(authority.key),
    keyAlgorithm,
    false,
    ['sign'],
  );
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: `CN=${hosts[0] ?? 'localhost'}, O=vmctl`,
    issuer: issuer.subject,
    notBefore: new Date(now.getTime() - skew),
    notAfter: new Date(now.getTime() + 365 * day),
    signingAlgorithm: keyAlgorithm,
    publicKey: keys.publicKey,
    signingKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        hosts.map((host) => ({ type: isIP(host) ? 'ip' : 'dns', value: host }) as const),
      ),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const own = certificate.toString('pem');
  return {
    key: await privatePem(keys.privateKey),
    certificate: addLineEnd(own) + addLineEnd(authority.certificate),
  };
}

/** A PEM text with a line end, so that clients can concatenate certificates. */
export function addLineEnd(pem: string): string {
  return `${pem.trimEnd()}\n`;
}

/** SHA-256 fingerprint of a PEM certificate: pairs of hexadecimal digits with colons. */
export function formatFingerprint(pem: string): string {
  const digest = createHash('sha256').update(toDer(pem)).digest('hex').toUpperCase();
  return (digest.match(/../g) ?? []).join(':');
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify']);
}

async function privatePem(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
}

function toDer(pem: string): Buffer {
  return Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64');
}

/** A positive serial number of 127 random bits. */
function serial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString('hex');
}
