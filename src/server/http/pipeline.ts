/** Request pipeline of the API, in numbered steps. docs/architecture.md has the same numbers. */
import { addressesObject } from '../../model/index.ts';
import { type Administration, adminPath } from '../admin/endpoints.ts';
import type { Answer } from '../api/call.ts';
import { change } from '../api/change.ts';
import { findCompletionStatus } from '../api/completion.ts';
import { onceForKey } from '../api/idempotency.ts';
import { read } from '../api/read.ts';
import {
  type ApiRequest,
  type ApiResponse,
  acceptedByEngine,
  acceptedMedia,
  contentMedia,
  createParameters,
  getRequestHeader,
  isMalformedAccept,
  route,
} from '../api/request.ts';
import type { OAuthEndpoints } from '../auth/oauth.ts';
import { RuleContext } from '../core/context.ts';
import { Refusal } from '../core/fault.ts';
import { ConnectionDropped } from '../core/interceptor.ts';
import type { StoredObject } from '../store/kinds.ts';
import { runSlices, runSlicesInTurns } from '../store/slices.ts';
import { encodeAnswer } from './answer.ts';
import { answerAuxiliary } from './auxiliary-endpoints.ts';
import { answerToRefusal } from './failed-operations.ts';
import { MalformedHeader, refusalAnswer } from './refusal-answers.ts';
import { readDocument, takesBody } from './request-body.ts';
import type {
  ApiServer,
  AuthenticatedRequest,
  ReceivedRequest,
  RequestContext,
  RoutedRequest,
} from './request-context.ts';
import {
  correlationIdFrom,
  notAcceptable,
  optionsResponse,
  requestedFile,
  requireOperation,
  requireVersion,
} from './routing.ts';
import { ClientGone } from './send.ts';
import { createSerialTunnel } from './serial-tunnel.ts';
import type { HttpService } from './service.ts';
import { asksToWait, SettlementWaits, waitUntilSettled } from './settlement.ts';
import { authoriseLongBody, captureScreenAhead, hashAhead } from './work-ahead.ts';

/** Parts of the service of a site. */
export interface ServiceParts {
  readonly api: Omit<ApiServer, 'waits'>;
  readonly oauth: OAuthEndpoints;
  readonly admin: Administration;
  /** Certificate authority and certificate, PEM. */
  readonly ca: string;
  readonly certificate: string;
}

/** Creates the service of a site: the API, and the endpoints outside of it. */
export function storeService({ api, oauth, admin, ca, certificate }: ServiceParts): HttpService {
  const { coordination, dialect, interceptors } = api;
  const server: ApiServer = { ...api, waits: new SettlementWaits() };
  const auxiliary = { oauth, admin, ca, certificate, dialect };
  return {
    dialect,
    report: api.report,
    tunnel: createSerialTunnel(api),
    answered: (method, status, seconds) => admin.metrics.answered(method, status, seconds),
    answer: async (sent) => {
      const { message, connection, target, api: parsed, readBody } = sent;
      // Requests that change fault rules are not delayed by them.
      const isIntercepted = !target.startsWith(`${adminPath}/`);
      const active = () => interceptors.filter((one) => isIntercepted && one.isActive);
      const before = active();
      for (const one of before) await one.beforeResponse();
      const response = await (parsed
        ? handle(server, {
            ...parsed,
            method: message.method ?? 'GET',
            header: (name) => getRequestHeader(message, name),
            readBody,
            address: message.socket.remoteAddress ?? '',
            connection,
          })
        : answerAuxiliary(auxiliary, sent));
      await coordination.checkAfterRequest(async () => {
        for (const one of active()) if (!before.includes(one)) await one.beforeResponse();
      });
      return response;
    },
  };
}

/** Responds to a request. Rejects only if the connection must be closed. */
export async function handle(server: ApiServer, request: ApiRequest): Promise<ApiResponse> {
  const received = receive(server, request);
  const { correlationId } = received;
  let response: ApiResponse;
  try {
    const respond = () => process(received);
    response = await (reads(request) ? server.coordination.runRead(respond) : respond());
  } catch (error) {
    response = refuse(received, error);
  }
  // An engine refuses unknown callers and TRACE before it handles the correlation id.
  const isUncorrelated = response.status === 401 || request.method === 'TRACE';
  if (server.dialect.engineRefusals && isUncorrelated) return response;
  return { ...response, headers: { 'Correlation-Id': correlationId, ...response.headers } };
}

async function process(received: ReceivedRequest): Promise<ApiResponse> {
  const { match, request, server } = received;
  const { dialect } = server;
  const isOptions = request.method === 'OPTIONS';
  if (isOptions && !dialect.engineRefusals) return optionsResponse(request, match, dialect);
  const authenticated = await authenticate(received);
  requireAcceptableHeaders(authenticated);
  if (isOptions) return optionsResponse(request, match, dialect);
  const progress = match ? undefined : findCompletionStatus(server, request, authenticated.caller);
  if (progress) return encode(authenticated, progress);
  const routed = findOperation(authenticated);
  const ctx = await readBody(routed);
  const answer = await perform(ctx);
  if (!ctx.media && !ctx.file) throw notAcceptable();
  const response = encode(ctx, answer);
  return ctx.observed?.answered(response) ?? response;
}

/** Step 1: matches the path, and selects the media type and the correlation id. */
function receive(server: ApiServer, request: ApiRequest): ReceivedRequest {
  const { header, parameters, segments } = request;
  const accept = parameters.get('accept');
  return {
    server,
    request,
    match: route(segments),
    media: server.dialect.engineRefusals
      ? acceptedByEngine(accept, header('accept'))
      : acceptedMedia(accept ?? header('accept')),
    correlationId: correlationIdFrom(header('correlation-id') ?? parameters.get('correlation_id')),
  };
}

/** Step 2: authenticates the caller, before the body is read. Refuses with 401, 429 or 503. */
async function authenticate(received: ReceivedRequest): Promise<AuthenticatedRequest> {
  const { authenticator, dialect } = received.server;
  const { address, header } = received.request;
  const credentials = {
    authorization: header('authorization'),
    cookie: header('cookie'),
    prefer: header('prefer'),
    sessionTtl: header('session-ttl'),
    address,
  };
  const pending = authenticator.authenticate(credentials, `${dialect.appRoot}/api`);
  // Only the hash of a password takes time. Without it, the request continues in the same turn.
  const found = pending instanceof Promise ? await pending : pending;
  if ('refusal' in found) throw found.refusal;
  if ('refused' in found) throw new Refusal(401, 'Unauthorized', found.refused);
  return { ...received, caller: found.caller, cookie: found.setCookie };
}

function requireAcceptableHeaders({ match, media, request, server }: AuthenticatedRequest): void {
  const { engineRefusals } = server.dialect;
  requireVersion(request, server.dialect);
  if (engineRefusals && isMalformedAccept(request.header('accept'))) throw new MalformedHeader();
  if (media || request.method === 'OPTIONS' || requestedFile(request, match)) return;
  // An engine finds the object first.
  if (!(engineRefusals && reads(request) && match)) throw notAcceptable();
}

/** Step 3: finds the operation of the model. Refuses with 404 or 405. */
function findOperation(authenticated: AuthenticatedRequest): RoutedRequest {
  const { request, server } = authenticated;
  const { dialect } = server;
  const found = requireOperation(request, authenticated.match, dialect);
  return { ...authenticated, ...found, dialect, file: requestedFile(request, found.match) };
}

/** Step 4: reads the body, and decodes it. Refuses a long body of a caller without permission before. */
async function readBody(routed: RoutedRequest): Promise<RequestContext> {
  const { dialect, operation, request, server } = routed;
  if (!takesBody(operation)) return observe({ ...routed, body: {} });
  authoriseLongBody({ ...routed, body: {} });
  return observe({ ...routed, body: await readDocument(request, operation, dialect) });
  function observe(ctx: RequestContext): RequestContext {
    const observed = server.calls?.observe(operation, request, ctx.body);
    return observed ? { ...ctx, request: observed.request, body: observed.body, observed } : ctx;
  }
}

/** Steps 5 to 7, after the interceptors. An engine responds to unknown ids in its own way. */
async function perform(ctx: RequestContext): Promise<Answer> {
  try {
    for (const one of ctx.server.interceptors) {
      if (one.isActive) await one.beforeOperation(ctx.operation, () => addressedName(ctx));
    }
    return await run(ctx);
  } catch (error) {
    const answer = answerToRefusal(ctx, error);
    return answer === 'list'
      ? run({ ...ctx, match: { ...ctx.match, parentIsUnknown: true } })
      : answer;
  }
}

async function run(ctx: RequestContext): Promise<Answer> {
  const { file, operation, request, server } = ctx;
  if ((operation.http === 'GET' || operation.http === 'HEAD') && !file) {
    const isRefresh =
      operation.query.includes('refresh') && createParameters(request).flag('refresh') === true;
    // A refresh stores the objects that it finds.
    return isRefresh ? write(ctx, (rules) => runSlices(read(rules, ctx))) : runRead(ctx);
  }
  if (!asksToWait(ctx)) return runChange(ctx);
  const release = server.waits.reserve(ctx.caller);
  try {
    return await waitUntilSettled(ctx, await runChange(ctx));
  } finally {
    release();
  }
}

/** Step 5 of a read: checks the visibility of the objects, and reads them in slices. */
function runRead(ctx: RequestContext): Promise<Answer> {
  const { request, server } = ctx;
  const { encoded, store } = server;
  const work = store.read((tx) => read(ruleContext(ctx, tx), { ...ctx, encoded }));
  return runSlicesInTurns(work, (slice) => {
    if (request.connection.isClosed) throw new ClientGone(request.address);
    return store.read(slice);
  });
}

/** Step 5 of a change, also of a GET request for a file: checks permissions, and runs the rules of the object. */
async function runChange(ctx: RequestContext): Promise<Answer> {
  const forgetHash = await hashAhead(ctx);
  await captureScreenAhead(ctx);
  return await write(ctx, (rules) => onceForKey(rules, ctx, () => change(rules, ctx))).finally(
    forgetHash,
  );
}

/**
 * Runs work in one transaction. Step 6: commits. Step 7: runs effects outside of the database after the commit is
 * durable.
 */
async function write(ctx: RequestContext, work: (rules: RuleContext) => Answer): Promise<Answer> {
  const { server } = ctx;
  const { rules, answer } = await server.store.write((tx) => {
    const context = ruleContext(ctx, tx);
    return { rules: context, answer: work(context) };
  });
  server.committed();
  for (const effect of rules.afterCommit) await effect();
  return answer;
}

/** Step 8: encodes the response. The listener sends it. */
function encode(
  { cookie, media, request, server }: AuthenticatedRequest,
  answer: Answer,
): ApiResponse {
  const isHead = request.method === 'HEAD';
  const response = encodeAnswer(server.dialect, media ?? 'application/xml', answer, isHead);
  return cookie === undefined
    ? response
    : { ...response, headers: { ...response.headers, 'Set-Cookie': cookie } };
}

/** The response to an error. Rethrows errors that close the connection. */
function refuse({ media, request, server }: ReceivedRequest, error: unknown): ApiResponse {
  if (error instanceof ConnectionDropped || error instanceof ClientGone) throw error;
  const sent = contentMedia(request.header('content-type')) ?? 'application/xml';
  const form = { sent, wanted: media ?? 'application/xml' };
  return refusalAnswer(server.dialect, form, error, server.report);
}

function reads({ method }: ApiRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

function ruleContext(ctx: RequestContext, tx: RuleContext['tx']): RuleContext {
  const { caller, correlationId, request, server } = ctx;
  return new RuleContext(tx, server.site, caller, correlationId, createParameters(request));
}

/** Name of the object that the path addresses, or of the object in the body. */
function addressedName({ body, match, operation, server }: RequestContext): string | undefined {
  const id = match.ids.at(-1);
  const stored: StoredObject | undefined =
    id !== undefined && addressesObject(match.service)
      ? server.store.read((tx) => tx.get(operation.type, id))
      : undefined;
  const name = (stored ?? (Array.isArray(body) ? body[0] : body))?.['name'];
  return name === undefined ? undefined : String(name);
}
