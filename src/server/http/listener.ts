/** TLS listener: limits of connections, and selection of the endpoint. */

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

/** Limits of simultaneous connections. */
const connectionLimits: ConnectionLimits = { connections: 6_000, perAddress: 1_000 };

const maximumHeader = 64 * 2 ** 10;
/** Milliseconds for the head of a request, and between requests. `RequestBodies` limits bodies. */
const timeouts = {
  headersTimeout: 8_000,
  requestTimeout: 0,
  keepAliveTimeout: 75_000,
  handshakeTimeout: 10_000,
  /** Interval of the check for these timeouts. */
  connectionsCheckingInterval: 1_000,
};
/** Milliseconds without a byte from the client. */
const silence = 60_000;

/** Milliseconds for started handshakes at shutdown. */
const handshake = 1_000;

export interface Listener {
  readonly server: Server;
  /**
   * Accepts no connections, finishes requests, and closes remaining connections after the grace
   * period.
   */
  close(graceMilliseconds: number): Promise<void>;
}

export interface ListenerOptions {
  readonly service: HttpService;
  readonly key: string;
  readonly certificate: string;
  /** Host names that clients may use for a server on a loopback address. */
  readonly hostNames: readonly string[];
  /** Whether the user provided the certificate, whose names are permitted as well. */
  readonly isGivenCertificate: boolean;
  /** Origins whose pages may send changes. */
  readonly allowOrigins: readonly string[];
}

/** Shared state of all requests. */
interface ListenerContext {
  readonly options: ListenerOptions;
  readonly policy: RequestPolicy;
  readonly bodies: RequestBodies;
  readonly connections: Connections;
  readonly turns: Turns;
}

/** Creates the server. The caller starts to listen. */
export function makeListener(options: ListenerOptions): Listener {
  const { service, key, certificate } = options;
  const connections = new Connections();
  const admission = new LimitedConnections(connectionLimits, connections.idleSince);
  const gone = new ClientGoneLog(
    (line) => service.report(line),
    () => performance.now(),
  );
  const context: ListenerContext = {
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
      // `RequestPolicy` checks the header, so that no later request of the connection is served.
      requireHostHeader: false,
      ...timeouts,
    },
    (request, response) => {
      connections.inTurn(request, response, () => {
        answer(context, request, response).catch((error: unknown) => {
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
  // The API handles `Expect: 201-created`.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
  server.on('clientError', (error, socket) => {
    if (socket instanceof Socket) connections.fail(error, socket);
    else socket.destroy(error);
  });
  // Node regards connections with an unsent response as idle. `Connections` does not.
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
  context: ListenerContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { connections, turns } = context;
  const { service } = context.options;
  const began = performance.now();
  const turn = turns.begin();
  if (turn) await turn;
  const { method = 'GET' } = request;
  let answered: ApiResponse;
  try {
    answered = await respond(context, request, response);
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof StoreError)) throw error;
    const wanted = acceptedMedia(headerOf(request, 'accept')) ?? 'application/xml';
    const form = { sent: wanted, wanted };
    const { dialect } = service;
    const refused = refusalAnswer(dialect, form, error, (one) => service.report(one));
    // An engine adds the correlation id to refusals because of a path in the API.
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

/** Checks a request, and passes it to the service, which reads the body. */
async function respond(
  { options, policy, bodies }: ListenerContext,
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
  // A body of GET has no meaning, and some clients declare it without sending it.
  const readBody = (maximum: number): Promise<Uint8Array> =>
    method === 'GET' || method === 'HEAD'
      ? Promise.resolve(new Uint8Array())
      : bodies.read(request, response, maximum);
  const answered = await service.answer({ message: request, target, api: parsed, readBody });
  return cors ? { ...answered, headers: { ...answered.headers, ...cors } } : answered;
}
