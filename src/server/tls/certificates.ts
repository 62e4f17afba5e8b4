/** The certificates of the server on disk: made when they are missing, renewed before they end. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { join } from 'node:path';
import { ownFile, ownFolder } from '../files/access.ts';
import { writeDurably } from '../files/durable-file.ts';
import { systemError } from '../files/system-error.ts';
import {
  type KeyAndCertificate,
  makeAuthority,
  makeServerCertificate,
  withLineEnd,
} from './authority.ts';

export interface ServerCertificates {
  /** PEM of the certificate authority. */
  readonly ca: string;
  readonly server: KeyAndCertificate;
}

const renewBefore = 30 * 24 * 3600 * 1000;

/** Where the authority of a site is kept that several servers have. */
export interface AuthorityKeeper {
  read(): string | undefined;
  write(text: string): void;
}

/**
 * Loads the certificates from a folder, or makes them there. Without a folder nothing is kept. With a
 * `keeper` the authority is the one that all servers of the site have.
 */
export async function ownCertificates(
  folder: string | undefined,
  hosts: readonly string[],
  now: Date,
  keeper?: AuthorityKeeper,
): Promise<ServerCertificates> {
  if (folder === undefined) {
    const authority = await makeAuthority(now);
    const server = await makeServerCertificate(authority, hosts, now);
    return { ca: authority.certificate, server };
  }
  ownFolder(folder);
  for (const name of ['ca.key', 'server.key']) ownFile(join(folder, name));
  const kept = keeper?.read();
  // `write` got the same.
  if (kept !== undefined) takeOver(folder, 'ca', JSON.parse(kept) as KeyAndCertificate);
  const authority = await loadOrMake(folder, 'ca', now, [], () => makeAuthority(now));
  const text = JSON.stringify(authority);
  if (text !== kept) keeper?.write(text);
  const server = await loadOrMake(
    folder,
    'server',
    now,
    hosts,
    () => makeServerCertificate(authority, hosts, now),
    authority.certificate,
  );
  return { ca: authority.certificate, server };
}

/** Keeps a certificate in a folder, in place of another one that was there. */
function takeOver(folder: string, name: string, { key, certificate }: KeyAndCertificate): void {
  const path = join(folder, `${name}.pem`);
  if (existsSync(path) && readFileSync(path, 'utf8') === certificate) return;
  writeDurably(join(folder, `${name}.key`), key, 0o600);
  writeDurably(path, certificate, 0o644);
}

/** Reads a certificate that the user gave, with its key; the last of the chain is the authority. */
export function givenCertificates(certFile: string, keyFile: string): ServerCertificates {
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
    if (belong(pair, certFile) && isIssued && serves(pair.certificate, hosts, now)) {
      const certificate = withLineEnd(pair.certificate);
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

/** Whether both were written: the server may have ended between one and the other. */
function belong({ key, certificate }: KeyAndCertificate, file: string): boolean {
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

/** Whether the authority has made a certificate, and not another one that was there before. */
function isIssuedBy(pem: string, issuer: string): boolean {
  return new X509Certificate(pem).verify(new X509Certificate(issuer).publicKey);
}

/** Whether a certificate is valid for some time yet, for all of the hosts. */
function serves(pem: string, hosts: readonly string[], now: Date): boolean {
  const certificate = new X509Certificate(pem);
  if (new Date(certificate.validTo).getTime() - renewBefore < now.getTime()) return false;
  return hosts.every((host) => names(certificate, host));
}

/** Whether a host, a name or an address, is one of a certificate. Node throws at addresses that are none. */
function names(certificate: X509Certificate, host: string): boolean {
  // A name has no colon. To find out whether it is an address of six is the slowest test that Node has.
  const isAddress = host.includes(':') || isIPv4(host);
  const found = isAddress ? certificate.checkIP(host) : certificate.checkHost(host);
  return found !== undefined;
}
