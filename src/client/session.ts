/** Session of a user: sign-in (specification 5.2), and stored, renewable tokens. */

import { dialects } from '../model/dialect.ts';
import { toRecord } from '../records.ts';
import { type Address, candidates, type Site, siteUrl } from './address.ts';
import { AuthError, NotFoundError, ServerError } from './errors.ts';
import type { Http } from './http.ts';
import type { HttpResponse } from './http-message.ts';
import { errorFromResponse } from './response-errors.ts';

/** Source of a password, read only for a sign-in. */
export interface CredentialSource {
  /** Name for messages: `the file /run/secret`, `the terminal`. */
  readonly description: string;
  readonly password: () => Promise<string>;
}

export interface StoredToken {
  readonly site: Site;
  readonly token: string;
  /** End of the token in milliseconds since 1970, if the service reports it. */
  readonly expires?: number;
}

/** Store of tokens that outlive the process. */
export interface TokenStore {
  readonly load: () => StoredToken | undefined;
  readonly save: (stored: StoredToken) => void;
  readonly forget: () => void;
  /** Runs the work under a lock, so that processes sign in one at a time. */
  readonly exclusively: <T>(work: () => Promise<T>) => Promise<T>;
}

export interface Login {
  readonly address: Address | Site;
  readonly username: string;
  readonly credentials: CredentialSource;
  readonly store: TokenStore;
  /** Requests a token without a password (default: with the password of `credentials`). */
  readonly requestToken?: () => Promise<StoredToken>;
}

export class Session {
  readonly #http: Http;
  readonly #login: Login;
  #current: StoredToken | undefined;
  #pending: Promise<StoredToken> | undefined;

  constructor(http: Http, login: Login) {
    this.#http = http;
    this.#login = login;
  }

  /** Current token. Signs in if the store has none. */
  async current(): Promise<StoredToken> {
    this.#current ??= this.#login.store.load();
    return this.#current ?? (await this.renew());
  }

  /**
   * Returns a token other than the refused one. Concurrent requests share one sign-in. Concurrent
   * commands use a token that one of them has stored.
   */
  async renew(refused?: string): Promise<StoredToken> {
    if (this.#pending) return await this.#pending;
    if (this.#current && this.#current.token !== refused) return this.#current;
    this.#pending = this.#login.store.exclusively(() => this.#signIn(refused));
    try {
      this.#current = await this.#pending;
      return this.#current;
    } finally {
      this.#pending = undefined;
    }
  }

  async #signIn(refused: string | undefined): Promise<StoredToken> {
    const { store, requestToken } = this.#login;
    const stored = store.load();
    if (stored && stored.token !== refused) return stored;
    const signedIn = requestToken ? await requestToken() : await this.#usePassword(stored?.site);
    store.save(signedIn);
    return signedIn;
  }

  async #usePassword(site: Site | undefined): Promise<StoredToken> {
    const { address, username, credentials } = this.#login;
    const password = await credentials.password();
    if (password === '') {
      throw new AuthError(`the password from ${credentials.description} is empty`, {
        hint: 'sign in again with vmctl login',
      });
    }
    return await signIn(this.#http, site ?? address, username, password);
  }
}

/** Creates a session for a given token, which is neither renewed nor stored. */
export function fixedSession(stored: StoredToken): Pick<Session, 'current' | 'renew'> {
  return {
    current: () => Promise.resolve(stored),
    renew: () =>
      Promise.reject(
        new AuthError('the token in VMCTL_TOKEN is refused: expired, or for another service', {
          hint: 'get a new one, or unset VMCTL_TOKEN and use vmctl login',
        }),
      ),
  };
}

const formHeaders = {
  'content-type': 'application/x-www-form-urlencoded',
  accept: 'application/json',
} as const;

/**
 * Signs in at the address, or at the default paths of services, and detects the dialect. Throws an
 * `AuthError` for refused credentials.
 */
export async function signIn(
  http: Http,
  address: Address | Site,
  username: string,
  password: string,
): Promise<StoredToken> {
  const sites = 'dialect' in address ? [address] : candidates(address);
  let refused: AuthError | undefined;
  for (const site of sites) {
    const { answer, reply, token } = await requestToken(http, site, {
      grant_type: 'password',
      scope: dialects[site.dialect].scope,
      username,
      password,
    });
    if (token) return token;
    if (isNotFound(answer, reply)) continue;
    const error = signInError(answer, reply, site, {
      what: `sign in as ${username} at ${siteUrl(site)}`,
      hint: username.includes('@')
        ? 'check user name and password, then run vmctl login'
        : `add the domain to the user name: ${username}@internal`,
    });
    // Another scope may be accepted.
    if (!(error instanceof AuthError) || error.code !== 'invalid_scope') throw error;
    refused = error;
  }
  throw refused ?? noService(address);
}

type Reply = Readonly<Record<string, unknown>>;

/** Posts a form to an endpoint of the sign-in, and parses the response. */
export async function postForm(
  http: Http,
  site: Site,
  path: string,
  form: Readonly<Record<string, string>>,
): Promise<{ readonly answer: HttpResponse; readonly reply: Reply }> {
  const answer = await http.send({
    isSession: true,
    method: 'POST',
    origin: site.origin,
    path: `${site.appRoot}${path}`,
    headers: formHeaders,
    body: new URLSearchParams(form).toString(),
  });
  return { answer, reply: parseReply(Buffer.from(answer.body).toString('utf8')) };
}

/** Requests a token. `token` is undefined if the service refuses it. */
export async function requestToken(
  http: Http,
  site: Site,
  form: Readonly<Record<string, string>>,
): Promise<{
  readonly answer: HttpResponse;
  readonly reply: Reply;
  readonly token: StoredToken | undefined;
}> {
  const { answer, reply } = await postForm(http, site, '/sso/oauth/token', form);
  return { answer, reply, token: answer.status === 200 ? readToken(reply, site) : undefined };
}

/** Reads the token in the body of a response; undefined if it has none. */
export function parseTokenReply(body: string, site: Site): StoredToken | undefined {
  return readToken(parseReply(body), site);
}

function readToken(reply: Reply, site: Site): StoredToken | undefined {
  const token = reply['access_token'];
  return typeof token === 'string' ? { site, token, ...readExpiry(reply['exp']) } : undefined;
}

/** Milliseconds after which a date is invalid: services send the largest number for "no end". */
const lastTime = 8.64e15;

/** End of a token, from the member `exp` of a response. */
function readExpiry(value: unknown): Pick<StoredToken, 'expires'> {
  const expires = Number(value);
  return value !== null && expires > 0 && expires < lastTime ? { expires } : {};
}

/** Whether no OAuth endpoint responded, so that the service has another path. */
function isNotFound(answer: HttpResponse, reply: Reply): boolean {
  if (answer.status >= 300 && answer.status < 400) return true;
  return (answer.status === 404 || answer.status === 405) && errorCode(reply) === undefined;
}

function noService(address: Address): NotFoundError {
  const tried = candidates(address).map((site) => site.appRoot);
  return new NotFoundError(
    `no virtualization service at ${address.origin} below ${[...new Set(tried)].join(' or ')}`,
    {
      code: 'no_service',
      hint: 'use the URL with the path of the service: https://host[:port]/path',
    },
  );
}

/** Services use two forms of error codes and messages. */
function errorCode(reply: Reply): string | undefined {
  const { error, error_code, error_description } = reply;
  const code = error_description === undefined ? (error_code ?? error) : error;
  return typeof code === 'string' ? code : undefined;
}

/** Error of a refused sign-in. `hint` is that of refused credentials. */
export function signInError(
  answer: HttpResponse,
  reply: Reply,
  site: Site,
  { what, hint }: { readonly what: string; readonly hint: string },
): Error {
  const request = { method: 'POST', path: `${site.appRoot}/sso/oauth/token` };
  const code = errorCode(reply);
  const text = reply['error_description'] ?? reply['error'] ?? code;
  if (answer.status >= 500 || code === 'server_error') {
    return new ServerError(`${what}: ${text ?? `HTTP status ${answer.status}`}`, {
      status: answer.status,
      request,
      retryable: true,
      hint: 'try again later',
    });
  }
  if (code === undefined && answer.status !== 401) {
    return errorFromResponse(answer, { request: { ...request, origin: site.origin }, what });
  }
  return new AuthError(`${what}: ${text ?? 'the credentials were refused'}`, {
    code: code ?? 'access_denied',
    status: answer.status,
    request,
    hint,
  });
}

/** Revokes a token. An unknown token counts as revoked. */
export async function revoke(http: Http, site: Site, token: string): Promise<void> {
  const { answer } = await postForm(http, site, '/services/sso-logout', {
    token,
    scope: dialects[site.dialect].scope,
  });
  if (answer.status >= 500) {
    throw errorFromResponse(answer, {
      request: { method: 'POST', origin: site.origin, path: `${site.appRoot}/services/sso-logout` },
      what: 'sign out',
    });
  }
}

/** Object in a JSON response. Some services wrap it in a list of one. */
function parseReply(body: string): Reply {
  try {
    const parsed: unknown = JSON.parse(body);
    const value: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
    return toRecord(value);
  } catch {
    return {};
  }
}
