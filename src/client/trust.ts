/** Certificate authority that a server presents in a TLS handshake (specification 5.1). */
import type { X509Certificate } from 'node:crypto';
import type { DetailedPeerCertificate } from 'node:tls';
import { connectionError } from './connection-errors.ts';
import { TrustError } from './errors.ts';
import { type EnvironmentVariables, namesProxy } from './proxy-env.ts';

/** Presented authority, with the details that users compare. */
export interface PresentedCa {
  readonly pem: string;
  /** SHA-256 of the certificate: pairs of hexadecimal digits with colons. */
  readonly fingerprint: string;
  readonly subject: string;
  readonly validFrom: string;
  readonly validTo: string;
  /** Whether the certificate is self-signed, as authorities are. */
  readonly selfSigned: boolean;
  /** Whether Node trusts the server without the pinned authority. */
  readonly publiclyTrusted: boolean;
}

const handshakeTimeout = 10_000;

/** Connects without verification, and returns the last certificate of the chain. */
export async function fetchPresentedCa(
  origin: string,
  env: EnvironmentVariables,
  signal?: AbortSignal,
): Promise<PresentedCa> {
  const { certificates, authorized } = await handshake(origin, env, signal);
  const last = certificates.at(-1);
  if (!last) {
    throw new TrustError(`${new URL(origin).host} presents no certificate`, {
      hint: 'check the port in the URL',
    });
  }
  return {
    pem: last.toString(),
    fingerprint: last.fingerprint256,
    subject: last.subject.replaceAll('\n', ', '),
    validFrom: toIsoDate(last.validFrom),
    validTo: toIsoDate(last.validTo),
    selfSigned: last.checkIssued(last),
    publiclyTrusted: authorized,
  };
}

interface Handshake {
  readonly certificates: readonly X509Certificate[];
  readonly authorized: boolean;
}

async function handshake(
  origin: string,
  env: EnvironmentVariables,
  signal: AbortSignal | undefined,
): Promise<Handshake> {
  const tunnel = namesProxy(env)
    ? await (await import('./proxy-tunnel.ts')).connectThroughProxy(origin, env)
    : undefined;
  const { connect } = process.getBuiltinModule('node:tls');
  const { X509Certificate } = process.getBuiltinModule('node:crypto');
  const url = new URL(origin);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return await new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      socket.destroy();
      reject(
        signal?.aborted
          ? signal.reason
          : connectionError(error, { method: 'TLS', origin, path: '/' }),
      );
    };
    const socket = connect({
      host,
      port: Number(url.port || 443),
      // Only reads the certificate; no request uses this connection.
      rejectUnauthorized: false,
      timeout: handshakeTimeout,
      ...(tunnel ? { socket: tunnel } : {}),
      ...(isIpAddress(host) ? {} : { servername: host }),
    });
    const abort = () => fail(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    socket.once('error', fail);
    socket.once('timeout', () => fail(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })));
    socket.once('secureConnect', () => {
      signal?.removeEventListener('abort', abort);
      const certificates = listChain(socket.getPeerCertificate(true)).map(
        (raw) => new X509Certificate(raw),
      );
      const authorized = socket.authorized;
      socket.destroy();
      resolve({ certificates, authorized });
    });
  });
}

/** Whether the host of a URL is an IP address, which has no server name. */
function isIpAddress(host: string): boolean {
  return host.includes(':') || /^\d+(\.\d+){3}$/.test(host);
}

/** Chain from the server's certificate to the last one presented. A root is its own issuer. */
function listChain(first: DetailedPeerCertificate): readonly Buffer[] {
  const chain: Buffer[] = [];
  let at: DetailedPeerCertificate | undefined = first;
  while (at?.raw) {
    chain.push(at.raw);
    at = at.issuerCertificate === at ? undefined : at.issuerCertificate;
  }
  return chain;
}

/** Converts a date of OpenSSL to ISO 8601. */
function toIsoDate(text: string): string {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : date.toISOString().replace(/\.\d+/, '');
}

/**
 * Normalizes a fingerprint from user input, with or without `SHA256` and colons. `undefined` for
 * other text.
 */
export function normalizeFingerprint(text: string): string | undefined {
  const digits = text
    .trim()
    .replace(/^sha-?256( fingerprint)?[:=\s]*/i, '')
    .replaceAll(/[:\s]/g, '');
  if (!/^[0-9a-f]{64}$/i.test(digits)) return undefined;
  return digits.toUpperCase().replaceAll(/(..)(?!$)/g, '$1:');
}

/**
 * Explains why a server with a pinned authority is no longer trusted: whether it presents another
 * authority.
 */
export async function explainPinMismatch(
  origin: string,
  pinned: string,
  env: EnvironmentVariables,
  signal?: AbortSignal,
): Promise<TrustError | undefined> {
  const presented = await fetchPresentedCa(origin, env, signal).catch(() => undefined);
  if (!presented || presented.fingerprint === pinned) return undefined;
  const host = new URL(origin).host;
  return new TrustError(
    `${host} presents a new certificate authority:\n` +
      `  pinned:    ${pinned}\n  presented: ${presented.fingerprint}\n` +
      'Someone may be intercepting the connection, or the service was reinstalled',
    {
      code: 'pin_mismatch',
      hint: `check the fingerprint with the administrator of the service, then: vmctl login ${origin} --ca-fingerprint ${presented.fingerprint}`,
    },
  );
}
