/** The OAuth password grant, and giving the token back (specification 5.2). */
import { dialects } from '../model/dialect.ts';
import { type Address, candidates, type Site, siteUrl } from './address.ts';
import { AuthError, NotFoundError, ServerError } from './errors.ts';
import type { Answer, Http } from './http.ts';
import { errorOf } from './response-errors.ts';

export interface SignedIn {
  readonly site: Site;
  readonly token: string;
}

const formHeaders = {
  'content-type': 'application/x-www-form-urlencoded',
  accept: 'application/json',
} as const;

/**
 * Signs in where the address says, or where a service usually is; finds the dialect on the way.
 * Throws an `AuthError` when the credentials are refused.
 */
export async function signIn(
  http: Http,
  address: Address | Site,
  username: string,
  password: string,
): Promise<SignedIn> {
  const places = 'dialect' in address ? [address] : candidates(address);
  let refused: AuthError | undefined;
  for (const site of places) {
    const answer = await http.send({
      isSession: true,
      method: 'POST',
      origin: site.origin,
      path: `${site.appRoot}/sso/oauth/token`,
      headers: formHeaders,
      body: new URLSearchParams({
        grant_type: 'password',
        scope: dialects[site.dialect].scope,
        username,
        password,
      }).toString(),
    });
    const reply = jsonOf(answer);
    const token = reply['access_token'];
    if (answer.status === 200 && typeof token === 'string') return { site, token };
    if (isElsewhere(answer, reply)) continue;
    const error = refusal(answer, reply, site, username);
    // With another scope the same credentials may be fine.
    if (!(error instanceof AuthError) || error.code !== 'invalid_scope') throw error;
    refused = error;
  }
  throw refused ?? noService(address);
}

/** Nothing there that speaks OAuth: the service lives at another path. */
function isElsewhere(answer: Answer, reply: Readonly<Record<string, unknown>>): boolean {
  if (answer.status >= 300 && answer.status < 400) return true;
  return (answer.status === 404 || answer.status === 405) && errorCode(reply) === undefined;
}

function noService(address: Address): NotFoundError {
  const tried = candidates(address).map((site) => site.appRoot);
  return new NotFoundError(
    `no virtualization service at ${address.origin} below ${[...new Set(tried)].join(' or ')}`,
    {
      code: 'no_service',
      hint: 'give the URL with the path of the service: https://host[:port]/path',
    },
  );
}

/** Services write the code and the text of a refusal in two ways; both are understood. */
function errorCode(reply: Readonly<Record<string, unknown>>): string | undefined {
  const { error, error_code, error_description } = reply;
  const code = error_description === undefined ? (error_code ?? error) : error;
  return typeof code === 'string' ? code : undefined;
}

function refusal(
  answer: Answer,
  reply: Readonly<Record<string, unknown>>,
  site: Site,
  username: string,
): Error {
  const request = { method: 'POST', path: `${site.appRoot}/sso/oauth/token` };
  const code = errorCode(reply);
  const text = reply['error_description'] ?? reply['error'] ?? code;
  const what = `sign in as ${username} at ${siteUrl(site)}`;
  if (answer.status >= 500 || code === 'server_error') {
    return new ServerError(`${what}: ${text ?? `HTTP status ${answer.status}`}`, {
      status: answer.status,
      request,
      retryable: true,
      hint: 'try again later',
    });
  }
  if (code === undefined && answer.status !== 401) {
    return errorOf(answer, { request: { ...request, origin: site.origin }, what });
  }
  return new AuthError(`${what}: ${text ?? 'the credentials were refused'}`, {
    code: code ?? 'access_denied',
    status: answer.status,
    request,
    hint: username.includes('@')
      ? 'check user name and password; vmctl login asks for them again'
      : `user names have a domain: ${username}@internal`,
  });
}

/** Ends the token. A service that no longer knows it is as good as one that forgets it now. */
export async function revoke(http: Http, site: Site, token: string): Promise<void> {
  const answer = await http.send({
    isSession: true,
    method: 'POST',
    origin: site.origin,
    path: `${site.appRoot}/sso/oauth/revoke`,
    headers: formHeaders,
    body: new URLSearchParams({ token, scope: dialects[site.dialect].scope }).toString(),
  });
  if (answer.status >= 500) {
    throw errorOf(answer, {
      request: { method: 'POST', origin: site.origin, path: `${site.appRoot}/sso/oauth/revoke` },
      what: 'sign out',
    });
  }
}

/** The object in a JSON answer; some services wrap it in a list of one. */
function jsonOf(answer: Answer): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(answer.body).toString('utf8'));
    const value: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
