/** TLS listener: limits on connections, and the endpoint that answers a request. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { Socket } from 'node:net';
import { type ConnectionLimits, LimitedConnections, tlsSettings } from '../../images/index.ts';
import {
  type ApiResponse,
  acceptedMedia,
  headerOf,
  parseTarget,
  requireDecodable,
  UnsupportedVersion,
} from '../api/request.ts';
import { Refusal } from '../core/fault.ts';
import { ConnectionDropped } from '../core/interceptor.ts';
import { StoreError } from '../store/store.ts';
import { isSignIn } from './auxiliary-endpoints.ts';
import { Connections } from './connections.ts';
import { isUnaddressed, refusalAnswer } from './refusal-answers.ts';
import { passOver, RequestBodies } from './request-body.ts';
import { isLoopbackAddress, RequestPolicy } from './request-policy.ts';
import { correlationIdFrom } from './routing.ts';
import { acceptsGzip, ClientGone, ClientGoneLog, send } from './send.ts';
import type { HttpService } from './service.ts';
import { Turns } from './turns.ts';

/** Connections at once. */
const connectionLimits: ConnectionLimits = { connections: 6_000, perAddress: 1_000 };

const maximumHeader = 64 * 2 ** 10;
/** Milliseconds for the head of a request, and between requests. Bodies have limits of their own. */
const timeouts = {
  headersTimeout: 8_000,
  requestTimeout: 0,
  keepAliveTimeout: 75_000,
  handshakeTimeout: 10_000,
  /** How often it is looked for connections that take longer. */
  connectionsCheckingInterval: 1_000,
};
/** Milliseconds without a byte on a connection on which the client is to move. */
const silence = 60_000;

/** Milliseconds for handshakes that have begun when the server ends. */
const handshake = 1_000;

export interface Listener {
  readonly server: Server;
  /** Stops taking connections, lets requests finish, and closes what is left after the grace. */
  close(graceMilliseconds: number): Promise<void>;
}

export interface ListenerOptions {
  readonly service: HttpService;
  readonly key: string;
  readonly certificate: string;
  /** Names that clients may use for a server that listens on this machine alone. */
  readonly hostNames: readonly string[];
  /** The certificate was given by the user: the names in it count as well. */
  readonly isGivenCertificate: boolean;
  /** Origins whose pages may change something. */
  readonly allowOrigins: readonly string[];
}

/** What answers have in common. */
interface Door {
  readonly options: ListenerOptions;
  readonly policy: RequestPolicy;
  readonly bodies: RequestBodies;
  readonly connections: Connections;
  readonly turns: Turns;
}

/** Makes the server; the caller lets it listen. */
export function makeListener(options: ListenerOptions): Listener {
  const { service, key, certificate } = options;
  const connections = new Connections();
  const admission = new LimitedConnections(connectionLimits, connections.idleSince);
  const gone = new ClientGoneLog(
    (line) => service.report(line),
    () => performance.now(),
  );
  const door: Door = {
    options,
    connections,
    turns: new Turns(),
    bodies: new RequestBodies(),
    policy: new RequestPolicy({
      hostNames: options.hostNames,
      certificate: options.isGivenCertificate ? certificate : undefined,
      allowOrigins: options.allowOrigins,
      isLoopbackOnly: () => {
        const address = server.address();
        return isLoopbackAddress(typeof address === 'object' ? (address?.address ?? '') : address);
      },
    }),
  };
  const server: Server = createServer(
    {
      key,
      cert: certificate,
      ...tlsSettings,
      maxHeaderSize: maximumHeader,
      // Looked at here, so that nothing that follows such a request is served.
      requireHostHeader: false,
      ...timeouts,
    },
    (request, response) => {
      connections.inTurn(request, response, () => {
        answer(door, request, response).catch((error: unknown) => {
          if (error instanceof ClientGone) gone.note(error);
          else if (!(error instanceof ConnectionDropped)) service.report(error);
          response.destroy();
        });
      });
    },
  );
  server.timeout = silence;
  server.on('timeout', (socket) => connections.stalled(socket, silence));
  server.on('connection', (socket: Socket) => {
    if (!admission.admit(socket)) socket.destroy();
  });
  server.on('secureConnection', (socket) => connections.accept(socket));
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
  // "Expect: 201-created" is for the API, not for the HTTP server.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
  server.on('clientError', (error, socket) => {
    if (socket instanceof Socket) connections.fail(error, socket);
    else socket.destroy(error);
  });
  // What Node takes for idle may still have an answer on its way; here it is known better.
  server.closeIdleConnections = () => connections.finish();
  return {
    server,
    close: (grace) =>
      new Promise((resolve) => {
        const end = setTimeout(() => server.closeAllConnections(), grace);
        const shake = setTimeout(() => {
          for (const one of admission.all()) if (!connections.isSecured(one)) one.destroy();
        }, handshake);
        server.close(() => {
          clearTimeout(end);
          clearTimeout(shake);
          resolve();
        });
      }),
  };
}

async function answer(
  door: Door,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { connections, turns } = door;
  const { service } = door.options;
  const began = performance.now();
  const turn = turns.begin();
  if (turn) await turn;
  const { method = 'GET' } = request;
  let answered: ApiResponse;
  try {
    answered = await respond(door, request, response);
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof StoreError)) throw error;
    const wanted = acceptedMedia(headerOf(request, 'accept')) ?? 'application/xml';
    const form = { sent: wanted, wanted };
    const { dialect } = service;
    const refused = refusalAnswer(dialect, form, error, (one) => service.report(one));
    // Engines correlate what they refuse because of a path in the API.
    const isOfApi = (request.url ?? '').startsWith(`${dialect.appRoot}/api`);
    const isOfPath =
      error instanceof UnsupportedVersion || (error instanceof Refusal && isUnaddressed(error));
    const correlation =
      dialect.engineRefusals && isOfApi && isOfPath
        ? correlationIdFrom(headerOf(request, 'correlation-id'))
        : undefined;
    answered = correlation
      ? { ...refused, headers: { ...refused.headers, 'Correlation-Id': correlation } }
      : refused;
  }
  const linger = await passOver(request, response);
  if (connections.isLast(request.socket)) response.setHeader('Connection', 'close');
  const packs = acceptsGzip(headerOf(request, 'accept-encoding'));
  await send(response, answered, { isHead: method === 'HEAD', packs, linger });
  const seconds = (performance.now() - began) / 1_000;
  service.answered(method, answered.status, seconds);
}

/** Finds out whose request it is; bodies are read by those who need them. */
async function respond(
  { options, policy, bodies }: Door,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<ApiResponse> {
  const { service } = options;
  const { method = 'GET' } = request;
  let target: string;
  try {
    target = policy.target(request);
  } catch (error) {
    response.setHeader('Connection', 'close');
    throw error;
  }
  const { appRoot, engineRefusals } = service.dialect;
  const parsed = parseTarget(target, `${appRoot}/api`, engineRefusals);
  if (!parsed) requireDecodable(target);
  const cors = request.headers.origin === undefined ? undefined : policy.corsHeaders(request);
  if (cors && method === 'OPTIONS') return { status: 204, headers: cors };
  policy.checkOrigin(request, !parsed && isSignIn(target));
  // A body on GET means nothing, and some clients never send it.
  const readBody = (maximum: number): Promise<Uint8Array> =>
    method === 'GET' || method === 'HEAD'
      ? Promise.resolve(new Uint8Array())
      : bodies.read(request, response, maximum);
  const answered = await service.answer({ message: request, target, api: parsed, readBody });
  return cors ? { ...answered, headers: { ...answered.headers, ...cors } } : answered;
}
