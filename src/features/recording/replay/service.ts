/** A service that answers from a recording: anybody may sign in, and nothing changes. */

import type { Dialect } from '../../../model/dialect.ts';
import type { Exchange } from '../../../recording/exchange.ts';
import { Redactor } from '../../../recording/redactor.ts';
import { adminPath } from '../../../server/admin/endpoints.ts';
import {
  type ApiResponse,
  acceptedMedia,
  headerOf,
  parseForm,
} from '../../../server/api/request.ts';
import { requireAllowedText } from '../../../server/core/allowed-text.ts';
import { Refusal } from '../../../server/core/fault.ts';
import { ConnectionDropped, type RequestInterceptor } from '../../../server/core/interceptor.ts';
import { faultResponse } from '../../../server/http/answer.ts';
import { isSignIn, pkiResource } from '../../../server/http/auxiliary-endpoints.ts';
import type { HttpService, ServiceRequest } from '../../../server/http/service.ts';
import { represented } from './representation.ts';
import { comparedRequest } from './request-key.ts';
import type { Script } from './script.ts';

export interface ReplayParts {
  readonly dialect: Dialect;
  readonly script: Script;
  /** Origins of the services that were recorded: links to them lead to the replay. */
  readonly origins: readonly string[];
  /** `https://HOST:PORT` of this one; asked once it listens. */
  readonly origin: () => string;
  readonly interceptors: readonly RequestInterceptor[];
  /** PEM. */
  readonly ca: string;
  readonly certificate: string;
  readonly log: (line: string) => void;
}

/** Largest body that is taken, in bytes. */
const maximumBody = 8 * 2 ** 20;
/** Largest form of a sign-in, in bytes. */
const maximumForm = 64 * 2 ** 10;
/** Seconds that a token is said to be valid. */
const tokenLifetime = 365 * 24 * 3600;

/** The service over a script of recorded answers. */
export function replayService(parts: ReplayParts): HttpService {
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
        const accept = request.api?.parameters.get('accept') ?? headerOf(request.message, 'accept');
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
  const own = api ? undefined : ownEndpoint(parts, message.method ?? 'GET', target);
  if (own) return own;
  const headers = Object.fromEntries(
    Object.keys(message.headers).map((name) => [name, headerOf(message, name) ?? '']),
  );
  // What comes is compared as it would have been recorded: secrets are no part of it.
  const redactor = new Redactor();
  const body = await readBody(maximumBody);
  requireAllowedText(Buffer.from(body).toString('utf8'), 'The body');
  const sent = redactor.body(target, headers, body);
  const compared = comparedRequest(
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
  return recorded(parts, exchange, accept, compared.operation);
}

/** Where addresses of transfers lead, which are not recorded. */
const imagesPath = '/images';

/** Addresses of transfers, as they are recorded. */
const hiddenAddress = /(["<](?:transfer|proxy)_url(?:"\s*:\s*"|>))\(hidden\)/g;

/** The recorded answer, at home here. */
function recorded(
  { dialect, origins, origin }: ReplayParts,
  { response, request }: Exchange,
  accept: string | undefined,
  operation: Parameters<typeof represented>[3],
): ApiResponse {
  if (!response) throw new ConnectionDropped('The recorded request has no response.');
  const here = (text: string) =>
    atHome(text, origins, origin()).replace(
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
  const { contentType, text } = represented(response, here(body.text), accept, operation, dialect);
  if (contentType !== undefined) headers['content-type'] = contentType;
  return { status, headers, body: text };
}

/** A text with links to this server in place of those to the recorded ones. */
function atHome(text: string, origins: readonly string[], origin: string): string {
  let result = text;
  for (const recordedOrigin of origins) {
    // JSON may have its slashes escaped.
    for (const escaped of [false, true]) {
      const from = escaped ? recordedOrigin.replaceAll('/', '\\/') : recordedOrigin;
      const to = escaped ? origin.replaceAll('/', '\\/') : origin;
      const pattern = new RegExp(`${from.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w.:-])`, 'g');
      result = result.replace(pattern, () => to);
    }
  }
  return result;
}

/** What the replay has of its own, beside what was recorded; undefined for everything else. */
function ownEndpoint(
  { dialect, script, ca, certificate }: ReplayParts,
  method: string,
  target: string,
): ApiResponse | undefined {
  const { pathname, searchParams } = new URL(`https://localhost${target === '*' ? '/' : target}`);
  if (pathname.startsWith(`${adminPath}/`)) {
    const word = pathname.slice(adminPath.length + 1).replace(/\/$/, '');
    if (method === 'GET' && (word === 'live' || word === 'ready')) return json({ status: 'ok' });
    if (method === 'POST' && word === 'reset') {
      script.rewind();
      return json({ status: 'ok' });
    }
    throw new Refusal(404, 'Not Found', `A replay supports GET ready, GET live and POST reset.`);
  }
  const isPki = [dialect.appRoot, '/ovirt-engine'].some(
    (root) => pathname === `${root}/services/pki-resource`,
  );
  return isPki ? pkiResource(searchParams, ca, certificate) : undefined;
}

/** Signs anybody in, with the scope of the service that was recorded, and out. */
async function signIn(
  { scope }: Dialect,
  { message, target, readBody }: ServiceRequest,
): Promise<ApiResponse> {
  const [path = '', query = ''] = target.split('?', 2);
  const form = parseForm(await readBody(maximumForm));
  const parameters = new URLSearchParams([...new URLSearchParams(query), ...form]);
  const username = parameters.get('username') ?? 'admin@internal';
  if (/\/token-info$/.test(path)) {
    return json({ active: true, token_type: 'bearer', user_id: username, scope });
  }
  if (!/\/token(-http-auth)?$/.test(path)) return json({});
  const given = parameters.get('scope') ?? '';
  if (!given.split(' ').includes(scope)) {
    const description = `The scope must be ${scope}.`;
    return json({ error: 'invalid_scope', error_description: description }, 400);
  }
  if (message.method === 'POST' && !parameters.get('username') && /\/token$/.test(path)) {
    return json(
      { error: 'invalid_request', error_description: 'The parameter username is missing.' },
      400,
    );
  }
  return json({
    access_token: 'replay',
    scope: given,
    exp: String(Date.now() + tokenLifetime * 1_000),
    token_type: 'bearer',
  });
}

function json(value: unknown, status = 200): ApiResponse {
  return {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    body: JSON.stringify(value),
  };
}
