/** The socket side: TLS, limits, bodies, and which part of the server a path belongs to. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import { type Administration, administer, adminPath } from '../admin/endpoints.ts';
import { Dropped } from '../admin/faults.ts';
import type { OAuth, OAuthRequest, OAuthResponse } from '../auth/oauth.ts';
import { Refusal } from '../fault.ts';
import { faultResponse } from './answer.ts';
import { acceptsGzip } from './compression.ts';
import { Connections } from './connections.ts';
import { type ApiServer, handle } from './pipeline.ts';
import { pkiResource } from './pki.ts';
import { type ApiResponse, acceptedMedia, parseTarget } from './request.ts';
import { send } from './send.ts';

/** Largest body of an API request, in bytes. */
export const maximumBody = 10 * 2 ** 20;
/** Largest state that is taken in, in bytes. */
const maximumState = 2 ** 30;
const maximumHeader = 64 * 2 ** 10;
/** Milliseconds for the head of a request, for all of it, and between requests. */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 120_000,
  keepAliveTimeout: 75_000,
  handshakeTimeout: 10_000,
  /** How often it is looked for connections that take longer. */
  connectionsCheckingInterval: 2_000,
};
const maximumConnections = 2_000;
const sweepInterval = 20;
/** Milliseconds to wait for a body that a GET announces; some clients never send it. */
const uselessBodyWait = 100;

export interface Listener {
  readonly server: Server;
  /** Stops taking connections, lets requests finish, and closes what is left after the grace. */
  close(graceMilliseconds: number): Promise<void>;
}

export interface ListenerOptions {
  readonly api: ApiServer;
  readonly oauth: OAuth;
  readonly admin: Administration;
  readonly ca: string;
  readonly key: string;
  readonly certificate: string;
}

/** Makes the server; the caller lets it listen. */
export function makeListener(options: ListenerOptions): Listener {
  const connections = new Connections();
  const server = createServer(
    {
      key: options.key,
      cert: options.certificate,
      minVersion: 'TLSv1.2',
      maxHeaderSize: maximumHeader,
      ...timeouts,
    },
    (request, response) => {
      connections.inTurn(request, response, () => {
        answer(options, request, response).catch((error: unknown) => {
          if (!(error instanceof Dropped)) options.api.report(error);
          response.destroy();
        });
      });
    },
  );
  server.on('secureConnection', (socket) => connections.accept(socket));
  server.maxConnections = maximumConnections;
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
  // "Expect: 201-created" is for the API, not for the HTTP server.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
  server.on('clientError', (error, socket) => connections.fail(error, socket as Socket));
  return {
    server,
    close: (grace) =>
      new Promise((resolve) => {
        // Connections become idle one by one, as their last request is answered.
        const sweep = setInterval(() => server.closeIdleConnections(), sweepInterval);
        const end = setTimeout(() => server.closeAllConnections(), grace);
        server.close(() => {
          clearInterval(sweep);
          clearTimeout(end);
          resolve();
        });
      }),
  };
}

async function answer(
  options: ListenerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { api } = options;
  const target = request.url ?? '/';
  const { appRoot } = api.dialect;
  const began = performance.now();
  let answered: ApiResponse;
  try {
    refuseSecondHost(request, response);
    const parsed = parseTarget(target, `${appRoot}/api`);
    if (parsed) {
      const body = await bodyOf(request, response);
      answered = await handle(api, {
        ...parsed,
        method: request.method ?? 'GET',
        header: (name) => headerOf(request, name),
        body,
        address: request.socket.remoteAddress ?? '',
      });
    } else {
      answered = await serveBeside(options, request, response, target);
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const media = acceptedMedia(headerOf(request, 'accept')) ?? 'application/xml';
    answered = faultResponse(api.dialect, media, error);
    if (error.status === 413) response.setHeader('Connection', 'close');
  }
  await send(response, answered, {
    isHead: request.method === 'HEAD',
    packs: acceptsGzip(headerOf(request, 'accept-encoding')),
  });
  const seconds = (performance.now() - began) / 1_000;
  options.admin.metrics.answered(request.method ?? 'GET', answered.status, seconds);
}

/**
 * Which USB devices a SPICE client shares by itself, as `class,vendor,product,version,allow` with -1
 * for any: all but keyboards and mice.
 */
const usbFilter = '3,-1,-1,-1,0|-1,-1,-1,-1,1\n';
/** Two names for the server are a way to be sent past those who check one of them. */
function refuseSecondHost({ rawHeaders }: IncomingMessage, response: ServerResponse): void {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts < 2) return;
  response.setHeader('Connection', 'close');
  throw new Refusal(400, 'Request syntactically incorrect.', 'There is more than one Host header.');
}

/** What is not the API: sign-in, certificates, health. */
async function serveBeside(
  { api, oauth, admin, ca, certificate }: ListenerOptions,
  request: IncomingMessage,
  response: ServerResponse,
  target: string,
): Promise<ApiResponse> {
  const url = new URL(target, 'https://localhost');
  const { appRoot } = api.dialect;
  if (url.pathname.startsWith(`${adminPath}/`)) {
    return administer(admin, {
      method: request.method ?? 'GET',
      path: url.pathname.slice(adminPath.length + 1).replace(/\/$/, ''),
      header: (name) => headerOf(request, name),
      body: () => bodyOf(request, response, maximumState),
    });
  }
  // Deployed clients have these paths built in, whatever the application root is.
  const path = [appRoot, '/ovirt-engine']
    .filter((root) => url.pathname.startsWith(`${root}/`))
    .map((root) => url.pathname.slice(root.length))[0];
  switch (path) {
    case '/services/pki-resource':
      return pkiResource(url.searchParams, ca, certificate);
    case '/services/files/usbfilter.txt':
      return text(200, usbFilter);
    case '/services/health':
      return text(200, 'DB Up!Welcome to Health Status!');
    case '/sso/oauth/token':
    case '/sso/oauth/token-http-auth':
      return json(await oauth.token(await oauthRequest(request, response, url)));
    case '/sso/oauth/revoke':
    case '/services/sso-logout':
      return json(await oauth.revoke(await oauthRequest(request, response, url)));
    case '/sso/oauth/token-info':
      return json(oauth.tokenInfo(await oauthRequest(request, response, url)));
    default:
      throw new Refusal(
        404,
        'Not Found',
        `There is nothing at ${url.pathname}. The API is at ${appRoot}/api.`,
      );
  }
}

async function oauthRequest(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<OAuthRequest> {
  const body = Buffer.from(await bodyOf(request, response)).toString('utf8');
  const parameters = new Map<string, string>();
  for (const [name, value] of [...url.searchParams, ...new URLSearchParams(body)]) {
    if (!parameters.has(name)) parameters.set(name, value);
  }
  return {
    parameters,
    authorization: headerOf(request, 'authorization'),
    accept: headerOf(request, 'accept'),
    address: request.socket.remoteAddress ?? '',
  };
}

function json({ status, body }: OAuthResponse): ApiResponse {
  return {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    body: JSON.stringify(body),
  };
}

function text(status: number, body: string): ApiResponse {
  return { status, headers: { 'Content-Type': 'text/plain;charset=UTF-8' }, body };
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Reads the body. Refuses with 413 one that is too large, without reading on. */
async function bodyOf(
  request: IncomingMessage,
  response: ServerResponse,
  maximum = maximumBody,
): Promise<Uint8Array> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > maximum) throw tooLarge(maximum);
  const useless = request.method === 'GET' || request.method === 'HEAD';
  if (useless) return uselessBody(request, response);
  if (headerOf(request, 'expect')?.toLowerCase() === '100-continue') response.writeContinue();
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of request as AsyncIterable<Uint8Array>) {
    length += piece.length;
    if (length > maximum) throw tooLarge(maximum);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** A body on GET means nothing: it is not waited for, and the connection ends if it is missing. */
async function uselessBody(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Uint8Array> {
  const announces =
    Number(request.headers['content-length'] ?? 0) > 0 || request.headers['transfer-encoding'];
  if (!announces) return new Uint8Array();
  request.resume();
  const came = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), uselessBodyWait);
    request.once('end', () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
  if (!came) response.setHeader('Connection', 'close');
  return new Uint8Array();
}

function tooLarge(maximum: number): Refusal {
  return new Refusal(
    413,
    'Request Entity Too Large',
    `The body is larger than the ${maximum} bytes that it may have.`,
  );
}
