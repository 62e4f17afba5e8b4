/**
 * The way of one API request: authenticate, route, decode, authorise, rule, encode. Each step is
 * one function here or one call into the room that knows it.
 */

import { isRefusedPlainly } from '../../model/action-answers.ts';
import type { Dialect } from '../../model/dialect.ts';
import { type FileAnswer, fileAnswers } from '../../model/files.ts';
import { addressesObject, type Operation } from '../../model/index.ts';
import type { MediaType } from '../../wire/index.ts';
import type { Answer, Call } from '../api/call.ts';
import type { CallLog } from '../api/call-log.ts';
import { statusOf } from '../api/completion.ts';
import { discreetly } from '../api/discreet-refusals.ts';
import { serve } from '../api/dispatch.ts';
import type { EncodedObjects } from '../api/encoded-objects.ts';
import { onceForKey } from '../api/idempotency.ts';
import {
  type ApiRequest,
  type ApiResponse,
  acceptedByEngine,
  acceptedMedia,
  asksFor,
  contentMedia,
  isMalformedAccept,
  type Match,
  parametersOf,
  route,
  UnsupportedVersion,
} from '../api/request.ts';
import type { Authentication, Authenticator } from '../auth/authenticate.ts';
import { type Caller, RuleContext } from '../core/context.ts';
import { isOfInput, Refusal } from '../core/fault.ts';
import { ConnectionDropped, type RequestInterceptor } from '../core/interceptor.ts';
import { withMaskedSecrets } from '../core/masked-secrets.ts';
import type { Site } from '../core/ports.ts';
import type { StoredObject } from '../store/kinds.ts';
import { atOnce, inTurns } from '../store/slices.ts';
import type { Store } from '../store/store.ts';
import { encodeAnswer } from './answer.ts';
import {
  isUnaddressed,
  MalformedHeader,
  refusalAnswer,
  UnknownMethod,
  UnknownPath,
} from './refusal-answers.ts';
import { readDocument, takesBody } from './request-body.ts';
import { ClientGone } from './send.ts';
import { asksToWait, type SettlementWaits, waitUntilSettled } from './settlement.ts';
import { insteadOf } from './unknown-id-answers.ts';
import { authoriseLongBody, hashAhead } from './work-ahead.ts';

export interface ApiServer {
  readonly store: Store;
  readonly site: Site;
  readonly dialect: Dialect;
  readonly authenticator: Authenticator;
  /** Cache of encoded objects. Without it, each response is encoded anew. */
  readonly encoded?: EncodedObjects | undefined;
  /** Requests that wait for the end of their work. */
  readonly waits: SettlementWaits;
  /** Tells that a transaction was committed: tasks may have become due. */
  readonly committed: () => void;
  readonly interceptors: readonly RequestInterceptor[];
  /** Notes which operations are called, where that is asked for. */
  readonly calls?: CallLog | undefined;
  /** Notes an error that is ours, not the client's. */
  readonly report: (error: unknown) => void;
}

/** Answers one request to the API. Throws only where the connection has to end. */
export async function handle(server: ApiServer, request: ApiRequest): Promise<ApiResponse> {
  const { engineRefusals } = server.dialect;
  const media = engineRefusals
    ? acceptedByEngine(request.parameters.get('accept'), request.header('accept'))
    : acceptedMedia(request.parameters.get('accept') ?? request.header('accept'));
  const correlationId = correlationOf(
    request.header('correlation-id') ?? request.parameters.get('correlation_id'),
  );
  let response: ApiResponse;
  try {
    const work = () => answer(server, request, media, correlationId);
    const { method } = request;
    const reads = method === 'GET' || method === 'HEAD';
    response = await (reads ? server.store.assumingNoChange(work) : work());
  } catch (error) {
    if (error instanceof ConnectionDropped || error instanceof ClientGone) throw error;
    const sent = contentMedia(request.header('content-type')) ?? 'application/xml';
    const form = { sent, wanted: media ?? 'application/xml' };
    response = refusalAnswer(server.dialect, form, error, server.report);
  }
  // Engines refuse who is unknown, and TRACE, before they look at anything else.
  if (server.dialect.engineRefusals && (response.status === 401 || request.method === 'TRACE')) {
    return response;
  }
  return { ...response, headers: { 'Correlation-Id': correlationId, ...response.headers } };
}

async function answer(
  server: ApiServer,
  request: ApiRequest,
  media: MediaType | undefined,
  correlationId: string,
): Promise<ApiResponse> {
  const match = route(request.segments);
  const { engineRefusals } = server.dialect;
  if (request.method === 'OPTIONS' && !engineRefusals)
    return optionsAnswer(request, match, server.dialect);
  // Most callers are known at once; hashing a password takes a while.
  const signedIn = authenticate(server, request);
  const { caller, headers } = acceptedCaller(
    signedIn instanceof Promise ? await signedIn : signedIn,
  );
  requireVersion(request, server.dialect);
  if (engineRefusals && isMalformedAccept(request.header('accept'))) throw new MalformedHeader();
  if (request.method === 'OPTIONS') return optionsAnswer(request, match, server.dialect);
  const file = fileAskedFor(request, match);
  const reads = request.method === 'GET' || request.method === 'HEAD';
  // Engines look for the object first.
  if (!media && !file && !(engineRefusals && reads && match)) throw notAcceptable();
  const status = match ? undefined : statusOf(server, request, caller);
  if (status) {
    const { headers: own, ...response } = encodeAnswer(
      server.dialect,
      media ?? 'application/xml',
      status,
      false,
    );
    return { ...response, headers: { ...own, ...headers } };
  }
  const { match: found, operation } = requireOperation(request, match, server.dialect);
  const sends = takesBody(operation);
  if (sends) {
    const call = { request, match: found, operation, body: {}, dialect: server.dialect };
    authoriseLongBody(server, call, caller);
  }
  const body = sends ? await readDocument(request, operation, server.dialect) : {};
  const observed = server.calls?.observe(operation, request, body);
  const { request: seen, body: sent } = observed ?? { request, body };
  const result = await perform(server, seen, found, operation, sent, file, caller, correlationId);
  if (!media && !file) throw notAcceptable();
  const head = request.method === 'HEAD';
  const response = encodeAnswer(server.dialect, media ?? 'application/xml', result, head);
  const made = observed?.answered(response) ?? response;
  return { ...made, headers: { ...made.headers, ...headers } };
}

function notAcceptable(): Refusal {
  return new Refusal(
    406,
    'Not Acceptable',
    'The Accept header allows neither application/xml nor application/json.',
  );
}

/** Steps 4 and 5, after the interceptors. */
async function perform(...call: Parameters<typeof run>): Promise<Answer> {
  const [server, request, match, operation, body, ...rest] = call;
  const { dialect } = server;
  try {
    for (const interceptor of server.interceptors) {
      if (!interceptor.isActive) continue;
      await interceptor.beforeOperation(operation, () => nameOf(server, match, operation, body));
    }
    return await run(...call);
  } catch (error) {
    const instead = dialect.engineRefusals ? insteadOf(error, operation, match) : undefined;
    if (!instead) return failedAction(dialect, operation, body, error);
    if ('answer' in instead) return instead.answer;
    if ('refusal' in instead) {
      if (instead.isBare) throw instead.refusal;
      return failedAction(dialect, operation, body, instead.refusal);
    }
    return run(server, request, { ...match, parentIsUnknown: true }, operation, body, ...rest);
  }
}

/**
 * The answer of an action that was refused: the action as it was sent, with the fault inside. What is
 * no action is refused with a fault alone.
 */
function failedAction(
  { engineRefusals }: Dialect,
  operation: Operation,
  body: StoredObject | StoredObject[],
  error: unknown,
): Answer {
  if (!operation.isAction || !(error instanceof Refusal)) throw error;
  const isPlain = isOfInput(error) || isUnaddressed(error) || isRefusedPlainly(operation);
  if (engineRefusals && isPlain) throw error;
  const { status, reason, detail } = error;
  const fault = { reason, ...(detail === undefined ? {} : { detail }) };
  const sent = Array.isArray(body) ? {} : withMaskedSecrets(body);
  return { status, form: 'action', action: { ...sent, fault, status: 'failed' } };
}

/** Name of the object that a request is about: the one it addresses, or the one that is sent. */
function nameOf(
  { store }: ApiServer,
  match: Match,
  { type }: Operation,
  body: StoredObject | StoredObject[],
): string | undefined {
  const id = match.ids.at(-1);
  const stored: StoredObject | undefined =
    id !== undefined && namesObject(match) ? store.read((tx) => tx.get(type, id)) : undefined;
  const name = (stored ?? (Array.isArray(body) ? body[0] : body))?.['name'];
  return name === undefined ? undefined : String(name);
}

/** Step 1: who asks. Nothing of the body is read before. */
function authenticate(
  { authenticator, dialect }: ApiServer,
  { header, address }: ApiRequest,
): Authentication | Promise<Authentication> {
  return authenticator.authenticate(
    {
      authorization: header('authorization'),
      cookie: header('cookie'),
      prefer: header('prefer'),
      sessionTtl: header('session-ttl'),
      address,
    },
    `${dialect.appRoot}/api`,
  );
}

/** Refuses with 401 and a challenge, or with what else speaks against letting somebody in. */
function acceptedCaller(found: Authentication): {
  caller: Caller;
  headers: Record<string, string>;
} {
  if ('refusal' in found) throw found.refusal;
  if ('refused' in found) throw new Refusal(401, 'Unauthorized', found.refused);
  const { caller, setCookie } = found;
  return { caller, headers: setCookie ? { 'Set-Cookie': setCookie } : {} };
}

/** The file that a request is answered with, where it asks for one that there is. */
function fileAskedFor(request: ApiRequest, match: Match | undefined): FileAnswer | undefined {
  const operation = match?.operations.get(request.method);
  const found = operation && fileAnswers[`${operation.http} ${operation.path}`];
  const accept = request.parameters.get('accept') ?? request.header('accept');
  return found && asksFor(accept, found.media, found.preferred === true) ? found : undefined;
}

function requireVersion(request: ApiRequest, { engineRefusals }: Dialect): void {
  const version = request.header('version');
  if (version !== undefined && version.trim() !== '' && version.trim() !== '4') {
    // The path prefix wins over the header (specification 9).
    if (!request.apiPath.endsWith('/v4'))
      throw new UnsupportedVersion(version.trim(), engineRefusals);
  }
}

/** Step 2: which operation. Refuses with 404 or 405. */
function requireOperation(
  request: ApiRequest,
  match: Match | undefined,
  { engineRefusals }: Dialect,
): { match: Match; operation: Operation } {
  const path = `${request.apiPath}/${request.segments.join('/')}`;
  if (!match) {
    throw new UnknownPath(`${path} is not a path of the API.`);
  }
  const method =
    request.method === 'HEAD' && !match.operations.has('HEAD') ? 'GET' : request.method;
  const operation = match.operations.get(method);
  if (!operation) {
    // Engines refuse TRACE before they know which methods there are.
    const methods = request.method === 'TRACE' && engineRefusals ? undefined : allowed(match);
    throw new UnknownMethod(path, request.method, methods);
  }
  return { match, operation };
}

/** In the order in which engines list them. */
const methodOrder = ['HEAD', 'DELETE', 'POST', 'GET', 'OPTIONS', 'PUT', 'PATCH'];

function allowed(match: Match): string {
  const methods = new Set([...match.operations.keys(), 'OPTIONS']);
  if (methods.has('GET')) methods.add('HEAD');
  return methodOrder.filter((method) => methods.has(method)).join(', ');
}

function optionsAnswer(
  request: ApiRequest,
  match: Match | undefined,
  dialect: Dialect,
): ApiResponse {
  if (!match) requireOperation(request, match, dialect);
  const allow = match ? allowed(match) : '';
  return {
    status: 200,
    headers: { Allow: allow, 'Content-Type': 'text/plain;charset=UTF-8' },
    body: allow,
  };
}

/**
 * Steps 4 and 5: may the caller do it, and what it does, in one transaction; then what follows it
 * outside.
 */
async function run(
  server: ApiServer,
  request: ApiRequest,
  match: Match,
  operation: Operation,
  body: StoredObject | StoredObject[],
  file: FileAnswer | undefined,
  caller: Caller,
  correlationId: string,
): Promise<Answer> {
  const { store, site } = server;
  const call = { request, match, operation, body, dialect: server.dialect, file };
  const parameters = parametersOf(request);
  // A file may have to be made, with a ticket in it.
  const reads = !file && (operation.http === 'GET' || operation.http === 'HEAD');
  // Reading a storage again writes down what is found there.
  const refreshes = operation.query.includes('refresh') && parameters.flag('refresh') === true;
  if (reads && !refreshes) {
    const reading = { ...call, encoded: server.encoded };
    const work = store.read((tx) =>
      discreetly(new RuleContext(tx, site, caller, correlationId, parameters), reading, serve),
    );
    return inTurns(work, (slice) => {
      if (request.connection.isClosed) throw new ClientGone(request.address);
      return store.read(slice);
    });
  }
  if (!asksToWait(call)) return change(server, call, caller, correlationId);
  const release = server.waits.reserve(caller);
  try {
    const result = await change(server, call, caller, correlationId);
    return await waitUntilSettled(server, caller, call, result);
  } finally {
    release();
  }
}

/** Changes something, in one transaction; then does what follows outside. */
async function change(
  server: ApiServer,
  call: Call,
  caller: Caller,
  correlationId: string,
): Promise<Answer> {
  const { store, site } = server;
  const { request } = call;
  const forgetHash = await hashAhead(server, call, caller);
  const { ctx, result } = await store
    .write((tx) => {
      const context = new RuleContext(tx, site, caller, correlationId, parametersOf(request));
      const work = () => atOnce(discreetly(context, call, serve));
      return { ctx: context, result: onceForKey(context, call, work) };
    })
    .finally(forgetHash);
  server.committed();
  for (const effect of ctx.afterCommit) await effect();
  return result;
}

/** Whether the path of the request names one object. */
function namesObject(match: Match): boolean {
  return addressesObject(match.service);
}

/** The id that ties a request to its events: of the client, or a new one. */
export function correlationOf(given: string | undefined): string {
  const clean = (given ?? '').replace(/[^0-9A-Za-z_-]/g, '').slice(0, 36);
  return clean === '' ? crypto.randomUUID() : clean;
}
