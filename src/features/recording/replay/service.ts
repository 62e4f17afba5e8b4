/** HTTP service that responds from a recording. Accepts every sign-in and changes nothing. */

import type { Dialect } from '../../../model/dialect.ts';
import type { Exchange } from '../../../recording/exchange.ts';
import { Redactor } from '../../../recording/redactor.ts';
import { adminPath } from '../../../server/admin/endpoints.ts';
import {
  type ApiResponse,
  acceptedMedia,
  getRequestHeader,
  parseForm,
} from '../../../server/api/request.ts';
import { requireAllowedText } from '../../../server/core/allowed-text.ts';
import { Refusal } from '../../../server/core/fault.ts';
import { ConnectionDropped, type RequestInterceptor } from '../../../server/core/interceptor.ts';
import { faultResponse } from '../../../server/http/answer.ts';
import { isSignIn, pkiResource } from '../../../server/http/auxiliary-endpoints.ts';
import type { HttpService, ServiceRequest } from '../../../server/http/service.ts';
import { representResponse } from './representation.ts';
import { normalizeRequest } from './request-key.ts';
import type { RecordedScript } from './script.ts';

export interface ReplayParts {
  readonly dialect: Dialect;
  readonly script: RecordedScript;
  /** Origins of the recorded services; links to them are rewritten to this server. */
  readonly origins: readonly string[];
  /** `https://HOST:PORT` of this server; called after it listens. */
  readonly origin: () => string;
  readonly interceptors: readonly RequestInterceptor[];
  /** Certificate authority, PEM. */
  readonly ca: string;
  readonly certificate: string;
  readonly log: (line: string) => void;
}

/** Maximum size of a request body in bytes. */
const maxBodyBytes = 8 * 2 ** 20;
/** Maximum size of a sign-in form in bytes. */
const maxFormBytes = 64 * 2 ** 10;
/** Lifetime of tokens in seconds. */
const tokenLifetimeSeconds = 365 * 24 * 3600;

/** Creates the service for a script of recorded responses. */
export function createReplayService(parts: ReplayParts): HttpService {
  const { dialect, interceptors, log } = parts;
  return {
    dialect,
    report: (error) => log(error instanceof Error ? (error.stack ?? error.message) : String(error)),
    answered: () => undefined,
    answer: async (request) => {
      for (const one of interceptors) if (one.isActive) await one.beforeResponse();
      try {
        return await answer(parts, request);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (error.status === 501) log(error.message);
        const accept =
          request.api?.parameters.get('accept') ?? getRequestHeader(request.message, 'accept');
        return faultResponse(dialect, acceptedMedia(accept) ?? 'application/xml', error);
      }
    },
  };
}

async function answer(parts: ReplayParts, request: ServiceRequest): Promise<ApiResponse> {
  const { message, target, api, readBody } = request;
  if (!api && isSignIn(target)) return signIn(parts.dialect, request);
  if (target.startsWith(`${imagesPath}/`)) {
    return {
      status: 501,
      headers: { 'Content-Type': 'text/plain;charset=UTF-8' },
      body: 'this is a replay; recordings have no disk contents\n',
    };
  }
  const own = api ? undefined : answerOwnEndpoint(parts, message.method ?? 'GET', target);
  if (own) return own;
  const headers = Object.fromEntries(
    Object.keys(message.headers).map((name) => [name, getRequestHeader(message, name) ?? '']),
  );
  // Redact the request like a recorded one, so that both compare equal.
  const redactor = new Redactor();
  const body = await readBody(maxBodyBytes);
  requireAllowedText(Buffer.from(body).toString('utf8'), 'The body');
  const sent = redactor.body(target, headers, body);
  const compared = normalizeRequest(
    {
      method: message.method ?? 'GET',
      path: redactor.target(target),
      headers: redactor.requestHeaders(headers),
    },
    sent && 'text' in sent ? sent.text : '',
    `${parts.dialect.appRoot}/api`,
  );
  const accept = api?.parameters.get('accept') ?? headers['accept'];
  const exchange = parts.script.next(compared, accept);
  return createResponse(parts, exchange, accept, compared.operation);
}

/** Path of transfer URLs, which are not recorded. */
const imagesPath = '/images';

/** Transfer URLs in recorded responses. */
const hiddenAddress = /(["<](?:transfer|proxy)_url(?:"\s*:\s*"|>))\(hidden\)/g;

/** Recorded response with links to this server. */
function createResponse(
  { dialect, origins, origin }: ReplayParts,
  { response, request }: Exchange,
  accept: string | undefined,
  operation: Parameters<typeof representResponse>[3],
): ApiResponse {
  if (!response) throw new ConnectionDropped('The recorded request has no response.');
  const here = (text: string) =>
    rewriteOrigins(text, origins, origin()).replace(
      hiddenAddress,
      (_, start: string) => `${start}${origin()}${imagesPath}/hidden`,
    );
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers)) {
    headers[name] = name === 'location' ? here(value) : value;
  }
  const { status, body } = response;
  if (body === undefined) return { status, headers };
  if ('omitted' in body) {
    throw new Refusal(
      501,
      'Not Recorded',
      `This is a replay: ${body.bytes} bytes of the response of ${request.method} ${request.path} ` +
        `were not recorded (${body.omitted}).`,
    );
  }
  if ('base64' in body) return { status, headers, body: [Buffer.from(body.base64, 'base64')] };
  const { contentType, text } = representResponse(
    response,
    here(body.text),
    accept,
    operation,
    dialect,
  );
  if (contentType !== undefined) headers['content-type'] = contentType;
  return { status, headers, body: text };
}

/** Replaces recorded origins in a text by the origin of this server. */
function rewriteOrigins(text: string, origins: readonly string[], origin: string): string {
  let result = text;
  for (const recordedOrigin of origins) {
    // JSON texts may escape slashes.
    for (const escaped of [false, true]) {
      const from = escaped ? recordedOrigin.replaceAll('/', '\\/') : recordedOrigin;
      const to = escaped ? origin.replaceAll('/', '\\/') : origin;
      const pattern = new RegExp(`${from.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w.:-])`, 'g');
      result = result.replace(pattern, () => to);
    }
  }
  return result;
}

/** Endpoints of the replay itself: administration and certificates; undefined for other paths. */
function answerOwnEndpoint(
  { dialect, script, ca, certificate }: ReplayParts,
  method: string,
  target: string,
): ApiResponse | undefined {
  const { pathname, searchParams } = new URL(`https://localhost${target === '*' ? '/' : target}`);
  if (pathname.startsWith(`${adminPath}/`)) {
    const word = pathname.slice(adminPath.length + 1).replace(/\/$/, '');
    if (method === 'GET' && (word === 'live' || word === 'ready'))
      return jsonResponse({ status: 'ok' });
    if (method === 'POST' && word === 'reset') {
      script.rewind();
      return jsonResponse({ status: 'ok' });
    }
    throw new Refusal(404, 'Not Found', `A replay supports GET ready, GET live and POST reset.`);
  }
  const isPki = [dialect.appRoot, '/ovirt-engine'].some(
    (root) => pathname === `${root}/services/pki-resource`,
  );
  return isPki ? pkiResource(searchParams, ca, certificate) : undefined;
}

/** Accepts every sign-in with the recorded scope, and every sign-out. */
async function signIn(
  { scope }: Dialect,
  { message, target, readBody }: ServiceRequest,
): Promise<ApiResponse> {
  const [path = '', query = ''] = target.split('?', 2);
  const form = parseForm(await readBody(maxFormBytes));
  const parameters = new URLSearchParams([...new URLSearchParams(query), ...form]);
  const username = parameters.get('username') ?? 'admin@internal';
  if (/\/token-info$/.test(path)) {
    return jsonResponse({ active: true, token_type: 'bearer', user_id: username, scope });
  }
  if (!/\/token(-http-auth)?$/.test(path)) return jsonResponse({});
  const given = parameters.get('scope') ?? '';
  if (!given.split(' ').includes(scope)) {
    const description = `The scope must be ${scope}.`;
    return jsonResponse({ error: 'invalid_scope', error_description: description }, 400);
  }
  if (message.method === 'POST' && !parameters.get('username') && /\/token$/.test(path)) {
    return jsonResponse(
      { error: 'invalid_request', error_description: 'The parameter username is missing.' },
      400,
    );
  }
  return jsonResponse({
    access_token: 'replay',
    scope: given,
    exp: String(Date.now() + tokenLifetimeSeconds * 1_000),
    token_type: 'bearer',
  });
}

function jsonResponse(value: unknown, status = 200): ApiResponse {
  return {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    body: JSON.stringify(value),
  };
}
