/** Listener of the API: limits, checks of requests, and selection of the endpoint. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Admission, type ConnectionLimits } from '../../http-listener/admission.ts';
import type { Connection } from '../../http-listener/connection.ts';
import { HttpListener } from '../../http-listener/listener.ts';
import {
  type ApiResponse,
  acceptedMedia,
  getRequestHeader,
  parseTarget,
  requireDecodable,
  UnsupportedVersion,
} from '../api/request.ts';
import { Refusal } from '../core/fault.ts';
import { ConnectionDropped } from '../core/interceptor.ts';
import { StoreError } from '../store/store.ts';
import { isSignIn } from './auxiliary-endpoints.ts';
import { isUnaddressed, refusalAnswer } from './refusal-answers.ts';
import { passOver, RequestBodies } from './request-body.ts';
import { isLoopbackAddress, RequestPolicy } from './request-policy.ts';
import { correlationIdFrom } from './routing.ts';
import { acceptsGzip, ClientGone, ClientGoneLog, send } from './send.ts';
import type { HttpService } from './service.ts';
import { Turns } from './turns.ts';

/** Limits of simultaneous connections. */
const connectionLimits: ConnectionLimits = { connections: 6_000, perAddress: 1_000 };

const maxHeadBytes = 64 * 2 ** 10;
/** Milliseconds. `RequestBodies` limits bodies. */
const timeouts = {
  headMs: 8_000,
  handshakeMs: 10_000,
  idleMs: 75_000,
  stallMs: 60_000,
};

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
  readonly turns: Turns;
}

/** A request with the means to respond to it. */
interface ReceivedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
}

/** Creates the server. The caller starts to listen. */
export function makeListener(options: ListenerOptions): HttpListener {
  const { service, key, certificate } = options;
  const gone = new ClientGoneLog(
    (line) => service.report(line),
    () => performance.now(),
  );
  const context: ListenerContext = {
    options,
    turns: new Turns(),
    bodies: new RequestBodies(),
    policy: createPolicy(options, () => listener.server.address()),
  };
  const listener = new HttpListener({
    tls: { key, cert: certificate },
    maxHeadBytes,
    ...timeouts,
    reportsIdleLimit: true,
    admission: new Admission(connectionLimits),
    tunnel: service.tunnel,
    serve: (request, response, connection) =>
      answer(context, { request, response, connection }).catch((error: unknown) => {
        if (error instanceof ClientGone) gone.note(error);
        else if (!(error instanceof ConnectionDropped)) service.report(error);
        response.destroy();
      }),
  });
  return listener;
}

function createPolicy(
  { hostNames, certificate, isGivenCertificate, allowOrigins }: ListenerOptions,
  findAddress: () => AddressInfo | string | null,
): RequestPolicy {
  return new RequestPolicy({
    hostNames,
    certificate: isGivenCertificate ? certificate : undefined,
    allowOrigins,
    isLoopbackOnly: () => {
      const address = findAddress();
      return isLoopbackAddress(typeof address === 'object' ? (address?.address ?? '') : address);
    },
  });
}

async function answer(context: ListenerContext, received: ReceivedRequest): Promise<void> {
  const { turns } = context;
  const { request, response, connection } = received;
  const { service } = context.options;
  const began = performance.now();
  const turn = turns.begin();
  if (turn) await turn;
  const { method = 'GET' } = request;
  let answered: ApiResponse;
  try {
    answered = await respond(context, received);
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof StoreError)) throw error;
    const wanted = acceptedMedia(getRequestHeader(request, 'accept')) ?? 'application/xml';
    const form = { sent: wanted, wanted };
    const { dialect } = service;
    const refused = refusalAnswer(dialect, form, error, (one) => service.report(one));
    // An engine adds the correlation id to refusals because of a path in the API.
    const isOfApi = (request.url ?? '').startsWith(`${dialect.appRoot}/api`);
    const isOfPath =
      error instanceof UnsupportedVersion || (error instanceof Refusal && isUnaddressed(error));
    const correlation =
      dialect.engineRefusals && isOfApi && isOfPath
        ? correlationIdFrom(getRequestHeader(request, 'correlation-id'))
        : undefined;
    answered = correlation
      ? { ...refused, headers: { ...refused.headers, 'Correlation-Id': correlation } }
      : refused;
  }
  const linger = await passOver(request, response);
  if (connection.isLast) response.setHeader('Connection', 'close');
  const packs = acceptsGzip(getRequestHeader(request, 'accept-encoding'));
  connection.expectClient(true);
  await send(response, answered, { isHead: method === 'HEAD', packs, linger });
  const seconds = (performance.now() - began) / 1_000;
  service.answered(method, answered.status, seconds);
}

/** Checks a request, and passes it to the service, which reads the body. */
async function respond(
  { options, policy, bodies }: ListenerContext,
  { request, response, connection }: ReceivedRequest,
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
  const answered = await service.answer({
    message: request,
    connection,
    target,
    api: parsed,
    readBody,
  });
  return cors ? { ...answered, headers: { ...answered.headers, ...cors } } : answered;
}
