/** Authentication of requests: bearer token, Basic credentials or cookie (specification 5). */

import { requireAllowedText } from '../core/allowed-text.ts';
import type { Caller } from '../core/context.ts';
import { Refusal } from '../core/fault.ts';
import type { Site } from '../core/ports.ts';
import type { Store } from '../store/store.ts';
import { findCallerByName } from './permissions.ts';
import { type SessionSettings, Sessions } from './sessions.ts';
import { SignIn } from './sign-in.ts';
import { hashOfToken, readToken } from './tokens.ts';

export interface Credentials {
  readonly authorization: string | undefined;
  readonly cookie: string | undefined;
  readonly prefer: string | undefined;
  /** Minutes without a request until a new session expires. */
  readonly sessionTtl: string | undefined;
  /** Client address of the request. */
  readonly address: string;
}

export type Authentication =
  | { readonly caller: Caller; readonly setCookie?: string }
  /** Reason for a 401 response with a challenge. */
  | { readonly refused: string }
  /** Other refusals: 429 or 503. */
  | { readonly refusal: Refusal };

/** Result of an Authorization header, with its token if it contains one. */
type Found = Authentication & { readonly token?: string };

const defaultIdle = 30 * 60_000;

export class Authenticator {
  readonly signIn: SignIn;
  readonly #sessions: Sessions;
  readonly #store: Store;
  readonly #scope: string;
  readonly #steady: () => number;
  /** Callers by login name in one version of the store: their permissions depend on the data. */
  readonly #callers = new Map<string, Caller | undefined>();
  #version = -1;

  constructor(store: Store, site: Site, sessions: SessionSettings) {
    this.#store = store;
    this.#scope = site.dialect.scope;
    // Sessions and tokens expire in service time, independent of the time of day.
    this.#steady = site.steady;
    this.#sessions = new Sessions(store, sessions);
    this.signIn = new SignIn(store, site);
  }

  /**
   * The caller, and the cookie of a new session; or the reason of the refusal. A promise if a
   * password must be verified or a session is ended.
   */
  authenticate(
    credentials: Credentials,
    cookiePath: string,
  ): Authentication | Promise<Authentication> {
    const preferences = (credentials.prefer ?? '').split(',').map((word) => word.trim());
    const persistent = preferences.includes('persistent-auth');
    const session = cookieValue(credentials.cookie, 'JSESSIONID');
    if (session) {
      if (!persistent || preferences.includes('new-auth')) {
        const ended = this.#sessions.end(session, this.#steady());
        if (ended) return ended.then(() => this.#fromHeader(credentials, persistent, cookiePath));
      } else {
        const caller = this.#fromSession(session);
        if (caller) return { caller };
      }
    }
    return this.#fromHeader(credentials, persistent, cookiePath);
  }

  /** Removes expired cookie sessions. */
  purgeSessions(): Promise<void> {
    return this.#sessions.purge(this.#steady());
  }

  #fromSession(id: string): Caller | undefined {
    return this.#store.read((tx) => {
      const user = this.#sessions.use(tx, id, this.#steady());
      return user === undefined ? undefined : this.#findCaller(user);
    });
  }

  #fromHeader(
    credentials: Credentials,
    persistent: boolean,
    cookiePath: string,
  ): Authentication | Promise<Authentication> {
    const found = this.#identified(credentials);
    if (!persistent) return found;
    return found instanceof Promise
      ? found.then((one) => this.#opened(one, credentials, cookiePath))
      : this.#opened(found, credentials, cookiePath);
  }

  /** Opens a session for an authenticated caller. */
  #opened(found: Found, { sessionTtl }: Credentials, cookiePath: string): Authentication {
    if (!('caller' in found)) return found;
    const minutes = Number(sessionTtl);
    const idle = minutes >= 1 ? minutes * 60_000 : defaultIdle;
    const token = found.token === undefined ? undefined : hashOfToken(found.token);
    const user = found.caller.userName;
    const id = this.#sessions.open({ user, idle, token, opened: this.#steady() });
    return {
      caller: found.caller,
      setCookie: `JSESSIONID=${id}; Path=${cookiePath}; Secure; HttpOnly; SameSite=Strict`,
    };
  }

  #findCaller(user: string): Caller | undefined {
    if (this.#version !== this.#store.version) {
      this.#callers.clear();
      this.#version = this.#store.version;
    }
    if (this.#callers.has(user)) return this.#callers.get(user);
    const caller = this.#store.read((tx) => findCallerByName(tx, user));
    this.#callers.set(user, caller);
    return caller;
  }

  #identified({ authorization, address }: Credentials): Found | Promise<Found> {
    if (authorization === undefined) return { refused: 'Authorization Required' };
    const [scheme = '', value = ''] = authorization.split(/ +/, 2);
    switch (scheme.toLowerCase()) {
      case 'bearer':
        return this.#bearer(value);
      case 'basic':
        return this.#basic(value, address);
      default:
        return { refused: `The authentication scheme "${scheme}" is not supported.` };
    }
  }

  #bearer(token: string): Found {
    return this.#store.read((tx) => {
      const found = readToken(tx, token, this.#steady());
      if (!found) return { refused: 'The access token is expired or not valid. Sign in again.' };
      if (!found.scope.split(' ').includes(this.#scope)) {
        return { refused: `The required scope ${this.#scope} is not granted to the access token.` };
      }
      const caller = this.#findCaller(found.user);
      return caller
        ? { caller, token }
        : { refused: 'The user of the access token does not exist.' };
    });
  }

  #basic(encoded: string, address: string): Found | Promise<Found> {
    const text = Buffer.from(encoded, 'base64').toString('utf8');
    requireAllowedText(text, 'The Authorization header');
    const colon = text.indexOf(':');
    if (colon < 1) return { refused: wrongCredentials };
    const user = text.slice(0, colon);
    const password = text.slice(colon + 1);
    // One read of the store, which shares data between both lookups.
    const caller = this.#store.read(() =>
      this.signIn.isRemembered(user, password, address) ? this.#findCaller(user) : undefined,
    );
    if (!caller) return this.#checked(user, password, address);
    const written = this.signIn.usedBasic(caller, address);
    return written ? written.then(() => ({ caller })) : { caller };
  }

  async #checked(user: string, password: string, address: string): Promise<Found> {
    try {
      const caller = await this.signIn.check(user, password, address);
      if (!caller) return { refused: wrongCredentials };
      await this.signIn.usedBasic(caller, address);
      return { caller };
    } catch (error) {
      if (error instanceof Refusal) return { refusal: error };
      throw error;
    }
  }
}

/** The same message for an unknown user and a wrong password. */
export const wrongCredentials =
  'Cannot authenticate user: the user name or password is wrong, or the account is locked.';

function cookieValue(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const equals = pair.indexOf('=');
    if (pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
}
