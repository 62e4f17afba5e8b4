/** Small HTTPS server with its own certificate authority, for tests of the client. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Identity {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

interface IdentityOptions {
  readonly names?: string;
  readonly days?: number;
}

const identities = new Map<string, Identity>();

/** Certificate authority and a server certificate signed by it; created once per label. */
export function identity(label = 'first', options: IdentityOptions = {}): Identity {
  const made = identities.get(label);
  if (made) return made;
  const directory = mkdtempSync(join(tmpdir(), 'vmctl-ca-'));
  const file = (name: string) => join(directory, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' });
  const keyPath = (name: string) =>
    openssl('ecparam', '-genkey', '-name', 'prime256v1', '-noout', '-out', file(name));
  try {
    keyPath('ca.key');
    keyPath('server.key');
    const usage = ['-addext', 'basicConstraints=critical,CA:TRUE'];
    openssl(
      ...['req', '-x509', '-new', '-key', file('ca.key'), '-days', '30', '-sha256'],
      ...['-subj', `/O=Test/CN=Authority ${label}`, ...usage, '-out', file('ca.pem')],
    );
    openssl(
      ...['req', '-new', '-key', file('server.key'), '-subj', '/CN=localhost'],
      ...['-out', file('server.csr')],
    );
    writeFileSync(
      file('names'),
      `subjectAltName=${options.names ?? 'DNS:localhost,IP:127.0.0.1'}\n`,
    );
    openssl(
      ...['x509', '-req', '-in', file('server.csr'), '-CA', file('ca.pem')],
      ...['-CAkey', file('ca.key'), '-CAcreateserial', '-days', String(options.days ?? 30)],
      ...['-sha256', '-extfile', file('names'), '-out', file('server.pem')],
    );
    const ca = readFileSync(file('ca.pem'), 'utf8');
    const result = {
      ca,
      certificate: readFileSync(file('server.pem'), 'utf8') + ca,
      key: readFileSync(file('server.key'), 'utf8'),
    };
    identities.set(label, result);
    return result;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

export interface StubRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface StubAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: unknown;
  /** Closes the connection instead of responding. */
  readonly drop?: boolean;
}

export type Route = StubAnswer | ((request: StubRequest) => StubAnswer | Promise<StubAnswer>);

/** Routes by `METHOD /path`; `*` matches any segment. */
export type Routes = Record<string, Route>;

export interface Stub {
  readonly url: string;
  readonly port: number;
  readonly identity: Identity;
  readonly requests: readonly StubRequest[];
  readonly routes: Routes;
  /** `METHOD path?query` of the requests so far. */
  readonly log: () => readonly string[];
  readonly close: () => Promise<void>;
}

/** Accepted password, and the first token of the stub. */
export const password = 'correct horse';

/** Routes of a service with sign-in. */
export function serviceRoutes(root = '/virt-app'): Routes {
  let count = 0;
  return {
    [`POST ${root}/sso/oauth/token`]: ({ body }) => {
      const form = new URLSearchParams(body);
      if (form.get('password') !== password) {
        return {
          status: 400,
          body: { error: 'access_denied', error_description: 'No such user.' },
        };
      }
      count += 1;
      return { body: { access_token: `token-${count}`, token_type: 'bearer', scope: 'x' } };
    },
    [`POST ${root}/services/sso-logout`]: { body: {} },
    [`GET ${root}/api`]: {
      body: {
        product_info: {
          name: 'Stub',
          vendor: 'test',
          version: { major: 4, minor: 5, full_version: '4.5.1' },
        },
        authenticated_user: { id: '11', name: 'admin', user_name: 'admin@internal' },
      },
    },
  };
}

/** Starts a stub on a free port of the loopback interface. */
export async function startStub(routes: Routes, as: Identity = identity()): Promise<Stub> {
  const requests: StubRequest[] = [];
  const server = createServer({ cert: as.certificate, key: as.key }, (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', async () => {
      const url = new URL(incoming.url ?? '/', 'https://stub');
      const request: StubRequest = {
        method: incoming.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      requests.push(request);
      const route = routeFor(routes, request);
      const answer = typeof route === 'function' ? await route(request) : route;
      if (answer.drop) {
        incoming.socket.destroy();
        return;
      }
      const isText = typeof answer.body === 'string';
      outgoing.writeHead(answer.status ?? 200, {
        'content-type': isText ? 'text/plain' : 'application/json',
        ...answer.headers,
      });
      outgoing.end(isText ? answer.body : JSON.stringify(answer.body ?? {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://localhost:${port}`,
    port,
    identity: as,
    requests,
    routes,
    log: () =>
      requests.map(({ method, path, query }) => {
        const text = decodeURIComponent(query.toString().replaceAll('+', ' '));
        return `${method} ${path}${text === '' ? '' : `?${text}`}`;
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const missing: StubAnswer = {
  status: 404,
  body: { reason: 'Not Found', detail: 'There is no such object.' },
};

function routeFor(routes: Routes, { method, path }: StubRequest): Route {
  const exact = routes[`${method} ${path}`];
  if (exact) return exact;
  const segments = path.split('/');
  for (const [key, route] of Object.entries(routes)) {
    const [verb, pattern = ''] = key.split(' ');
    const parts = pattern.split('/');
    const matches =
      verb === method &&
      parts.length === segments.length &&
      parts.every((part, index) => part === '*' || part === segments[index]);
    if (matches) return route;
  }
  return missing;
}
