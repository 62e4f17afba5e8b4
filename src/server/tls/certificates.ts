/** Server certificates on disk: created on demand and renewed before they expire. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { join } from 'node:path';
import { restrictFile, restrictFolder } from '../files/access.ts';
import { writeDurably } from '../files/durable-file.ts';
import { systemError } from '../files/system-error.ts';
import {
  addLineEnd,
  createAuthority,
  createServerCertificate,
  type KeyAndCertificate,
} from './authority.ts';

export interface ServerCertificates {
  /** PEM of the certificate authority. */
  readonly ca: string;
  readonly server: KeyAndCertificate;
}

const renewBefore = 30 * 24 * 3600 * 1000;

/** Storage of the authority that all servers of a site share. */
export interface AuthorityKeeper {
  read(): string | undefined;
  write(text: string): void;
}

/**
 * Loads or creates the certificates in a folder; without a folder, nothing is stored. With a
 * `keeper`, all servers of the site share the authority.
 */
export async function loadOwnCertificates(
  folder: string | undefined,
  hosts: readonly string[],
  now: Date,
  keeper?: AuthorityKeeper,
): Promise<ServerCertificates> {
  if (folder === undefined) {
    const authority = await createAuthority(now);
    const server = await createServerCertificate(authority, hosts, now);
    return { ca: authority.certificate, server };
  }
  restrictFolder(folder);
  for (const name of ['ca.key', 'server.key']) restrictFile(join(folder, name));
  const kept = keeper?.read();
  // `write` received the same text.
  if (kept !== undefined) takeOver(folder, 'ca', JSON.parse(kept) as KeyAndCertificate);
  const authority = await loadOrMake(folder, 'ca', now, [], () => createAuthority(now));
  const text = JSON.stringify(authority);
  if (text !== kept) keeper?.write(text);
  const server = await loadOrMake(
    folder,
    'server',
    now,
    hosts,
    () => createServerCertificate(authority, hosts, now),
    authority.certificate,
  );
  return { ca: authority.certificate, server };
}

/** Stores a certificate in a folder and replaces an earlier one. */
function takeOver(folder: string, name: string, { key, certificate }: KeyAndCertificate): void {
  const path = join(folder, `${name}.pem`);
  if (existsSync(path) && readFileSync(path, 'utf8') === certificate) return;
  writeDurably(join(folder, `${name}.key`), key, 0o600);
  writeDurably(path, certificate, 0o644);
}

/**
 * Reads the certificate and key of the user. The last certificate of the chain is the authority.
 */
export function readGivenCertificates(certFile: string, keyFile: string): ServerCertificates {
  const certificate = readFileSync(certFile, 'utf8');
  const key = readFileSync(keyFile, 'utf8');
  const chain = certificate.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  const last = chain?.at(-1);
  if (!last) throw new Error(`${certFile} has no PEM certificate.`);
  return { ca: `${last}\n`, server: { key, certificate } };
}

async function loadOrMake(
  folder: string,
  name: string,
  now: Date,
  hosts: readonly string[],
  make: () => Promise<KeyAndCertificate>,
  issuer?: string,
): Promise<KeyAndCertificate> {
  const keyFile = join(folder, `${name}.key`);
  const certFile = join(folder, `${name}.pem`);
  if (existsSync(keyFile) && existsSync(certFile)) {
    const pair = {
      key: readFileSync(keyFile, 'utf8'),
      certificate: readFileSync(certFile, 'utf8'),
    };
    const isIssued = issuer === undefined || isIssuedBy(pair.certificate, issuer);
    if (isMatchingPair(pair, certFile) && isIssued && isUsable(pair.certificate, hosts, now)) {
      const certificate = addLineEnd(pair.certificate);
      // Earlier versions wrote no line end.
      if (certificate !== pair.certificate) writeDurably(certFile, certificate, 0o644);
      return { ...pair, certificate };
    }
  }
  const made = await make();
  writeDurably(keyFile, made.key, 0o600);
  writeDurably(certFile, made.certificate, 0o644);
  return made;
}

/** Whether key and certificate match: a crash may have occurred between their writes. */
function isMatchingPair({ key, certificate }: KeyAndCertificate, file: string): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch (error) {
    const { message } = systemError(error);
    throw new Error(
      `${file} or its key is damaged (${message}). Remove both to create new ones; clients must then trust the new authority.`,
      { cause: error },
    );
  }
}

/** Whether this authority, and not an earlier one, has issued a certificate. */
function isIssuedBy(pem: string, issuer: string): boolean {
  return new X509Certificate(pem).verify(new X509Certificate(issuer).publicKey);
}

/** Whether a certificate remains valid for some time and for all hosts. */
function isUsable(pem: string, hosts: readonly string[], now: Date): boolean {
  const certificate = new X509Certificate(pem);
  if (new Date(certificate.validTo).getTime() - renewBefore < now.getTime()) return false;
  return hosts.every((host) => isForHost(certificate, host));
}

/** Whether a certificate is valid for a host name or address. Node throws for invalid addresses. */
function isForHost(certificate: X509Certificate, host: string): boolean {
  // A name contains no colon. The test for an IPv6 address is the slowest one in Node.
  const isAddress = host.includes(':') || isIPv4(host);
  const found = isAddress ? certificate.checkIP(host) : certificate.checkHost(host);
  return found !== undefined;
}
