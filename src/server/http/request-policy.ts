/**
 * Checks of requests before all others. They refuse ambiguous requests (request smuggling),
 * foreign hosts (DNS rebinding), and changes by pages of other sites (CSRF).
 */
import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { findAmbiguity } from '../../http-listener/ambiguous-request.ts';
import { Refusal } from '../core/fault.ts';

export interface RequestPolicyOptions {
  /** Names of this server, in lower case. */
  readonly hostNames: readonly string[];
  /** Certificate of the user, PEM. Its names are names of this server. */
  readonly certificate?: string | undefined;
  /** Origins whose pages may send changes. */
  readonly allowOrigins: readonly string[];
  /** Whether the server listens on loopback addresses only. Called after it listens. */
  readonly isLoopbackOnly: () => boolean;
}

/** Host with an optional port, as in the Host header and the target of a request. */
const authority = /^(\[[0-9a-f:.]+\]|[a-z0-9._~%!$&'()*+,;=-]+)(?::(\d{0,5}))?$/i;
/** Maximum cached values of permitted Host headers. */
const maxRemembered = 256;

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

export class RequestPolicy {
  readonly #hostNames: ReadonlySet<string>;
  readonly #certificate: X509Certificate | undefined;
  readonly #origins: ReadonlySet<string>;
  readonly #isLoopbackOnly: () => boolean;
  /** Permitted Host headers, unchanged. */
  readonly #allowed = new Set<string>();

  constructor(options: RequestPolicyOptions) {
    this.#hostNames = new Set(options.hostNames);
    this.#certificate = options.certificate ? new X509Certificate(options.certificate) : undefined;
    this.#origins = new Set(options.allowOrigins);
    this.#isLoopbackOnly = options.isLoopbackOnly;
  }

  /**
   * Returns the path and query of a request with an acceptable head. Refuses with 400, 403, 417 or
   * 501, and the connection closes, because its remaining bytes are ambiguous.
   */
  target(request: IncomingMessage): string {
    refuseAmbiguous(request);
    const { expect, host } = request.headers;
    if (expect !== undefined) checkExpectations(expect);
    if (host !== undefined && !this.#allowed.has(host)) this.#checkHost(host);
    const { url = '/' } = request;
    if (url.startsWith('/') || url === '*') return url;
    return pathOfAbsolute(url, host);
  }

  /** Refuses changes by pages of other sites with 403. A sign-in is a change with each method. */
  checkOrigin({ headers, method = 'GET' }: IncomingMessage, changes: boolean): void {
    const { origin } = headers;
    if (origin === undefined || (safeMethods.has(method) && !changes)) return;
    if (origin === `https://${headers.host}` || this.#origins.has(origin)) return;
    throw new Refusal(
      403,
      'Forbidden',
      `Pages of ${origin} must not change anything here; allow them with vmctl serve --allow-origin.`,
    );
  }

  /** Headers with which browsers permit a page of an allowed origin to read the response. */
  corsHeaders({ headers, method }: IncomingMessage): Readonly<Record<string, string>> | undefined {
    const { origin } = headers;
    if (origin === undefined || !this.#origins.has(origin)) return undefined;
    const requested = method === 'OPTIONS' ? headers['access-control-request-headers'] : undefined;
    return {
      'Access-Control-Allow-Origin': origin,
      ...(method === 'OPTIONS' ? { 'Access-Control-Allow-Methods': 'GET, POST, PUT, DELETE' } : {}),
      ...(requested === undefined ? {} : { 'Access-Control-Allow-Headers': requested }),
    };
  }

  #checkHost(host: string): void {
    const name = authority.exec(host)?.[1]?.toLowerCase().replace(/\.$/, '');
    if (name === undefined) throw malformed('The Host header is not a host name.');
    if (this.#isLoopbackOnly() && !isLoopbackName(name) && !this.#isOwnName(name)) {
      throw new Refusal(
        403,
        'Forbidden',
        `This server listens on this computer only, and ${name} is not its name. ` +
          `To add the name, start it with --host-name ${name}.`,
      );
    }
    if (this.#allowed.size >= maxRemembered) this.#allowed.clear();
    this.#allowed.add(host);
  }

  #isOwnName(name: string): boolean {
    return this.#hostNames.has(name) || this.#certificate?.checkHost(name) !== undefined;
  }
}

/** Whether a name, in lower case, is a loopback name on each computer (RFC 6761). */
function isLoopbackName(name: string): boolean {
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  return isLoopbackAddress(name.startsWith('[') ? name.slice(1, -1) : name);
}

/** Whether an IP address is a loopback address. */
export function isLoopbackAddress(address: string): boolean {
  if (address === '::1') return true;
  return /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(address);
}

/** `https://HOST/PATH`, which clients send to proxies. The host must equal the header. */
function pathOfAbsolute(url: string, host: string | undefined): string {
  const match = /^https:\/\/([^/?#]*)([^#]*)$/i.exec(url);
  const [, named = '', path = ''] = match ?? [];
  const same = host !== undefined && withoutPort(named) === withoutPort(host);
  if (!match || !same) throw malformed(`The target ${shown(url)} does not belong to this server.`);
  return path.startsWith('/') ? path : `/${path}`;
}

function withoutPort(host: string): string {
  return host.toLowerCase().replace(/:(?:443)?$/, '');
}

function refuseAmbiguous(request: IncomingMessage): void {
  const ambiguity = findAmbiguity(request);
  if (!ambiguity) return;
  const { status, detail } = ambiguity;
  throw status === 501 ? new Refusal(501, 'Not Implemented', detail) : malformed(detail);
}

const expectations: ReadonlySet<string> = new Set(['100-continue', '201-created', '202-accepted']);

function checkExpectations(header: string): void {
  for (const one of header.split(',')) {
    if (expectations.has(one.trim().toLowerCase()) || one.trim() === '') continue;
    throw new Refusal(
      417,
      'Expectation Failed',
      'Expect may be 100-continue, 201-created or 202-accepted.',
    );
  }
}

function malformed(detail: string): Refusal {
  return new Refusal(400, 'Request syntactically incorrect.', detail);
}

function shown(url: string): string {
  return url.length > 200 ? `${url.slice(0, 197)}...` : url;
}
