/** Finds out who sends a request: bearer token, Basic credentials or cookie (specification 5). */
import type { Caller } from '../rules/context.ts';
import type { Store } from '../store/store.ts';
import { PasswordCache } from './passwords.ts';
import { Sessions } from './sessions.ts';
import { readToken } from './tokens.ts';
import { callerOf } from './users.ts';

export interface Credentials {
  readonly authorization: string | undefined;
  readonly cookie: string | undefined;
  readonly prefer: string | undefined;
  /** Minutes without a request after which a new session ends. */
  readonly sessionTtl: string | undefined;
}

export type Authentication =
  | { readonly caller: Caller; readonly setCookie?: string }
  | { readonly refused: string };

const defaultIdle = 30 * 60_000;

export class Authenticator {
  readonly passwords = new PasswordCache();
  readonly #sessions = new Sessions();
  readonly #store: Store;
  readonly #scope: string;
  readonly #now: () => Date;
  /** By login name, as of one version of the store: what somebody may do changes with the data. */
  readonly #callers = new Map<string, Caller | undefined>();
  #version = -1;

  constructor(store: Store, scope: string, now: () => Date) {
    this.#store = store;
    this.#scope = scope;
    this.#now = now;
  }

  /** The caller, and the cookie to set when a session was opened; or why there is none. */
  authenticate(credentials: Credentials, cookiePath: string): Authentication {
    const now = this.#now().getTime();
    const preferences = (credentials.prefer ?? '').split(',').map((word) => word.trim());
    const persistent = preferences.includes('persistent-auth');
    const session = cookieValue(credentials.cookie, 'JSESSIONID');
    if (session) {
      if (!persistent || preferences.includes('new-auth')) {
        this.#sessions.end(session);
      } else {
        const user = this.#sessions.use(session, now);
        const caller = user && this.#callerOf(user);
        if (caller) return { caller };
      }
    }
    const found = this.#fromHeader(credentials.authorization, now);
    if ('refused' in found || !persistent) return found;
    const minutes = Number(credentials.sessionTtl);
    const idle = minutes >= 1 ? minutes * 60_000 : defaultIdle;
    const id = this.#sessions.open(found.caller.userName, idle, now);
    return {
      caller: found.caller,
      setCookie: `JSESSIONID=${id}; Path=${cookiePath}; Secure; HttpOnly; SameSite=Strict`,
    };
  }

  #callerOf(user: string): Caller | undefined {
    if (this.#version !== this.#store.version) {
      this.#callers.clear();
      this.#version = this.#store.version;
    }
    if (this.#callers.has(user)) return this.#callers.get(user);
    const caller = this.#store.read((tx) => callerOf(tx, user));
    this.#callers.set(user, caller);
    return caller;
  }

  #fromHeader(authorization: string | undefined, now: number): Authentication {
    if (authorization === undefined) return { refused: 'Authorization Required' };
    const [scheme = '', value = ''] = authorization.split(/ +/, 2);
    switch (scheme.toLowerCase()) {
      case 'bearer':
        return this.#bearer(value, now);
      case 'basic':
        return this.#basic(value, now);
      default:
        return { refused: `The authentication scheme "${scheme}" is not supported.` };
    }
  }

  #bearer(token: string, now: number): Authentication {
    return this.#store.read((tx) => {
      const found = readToken(tx, token, now);
      if (!found) return { refused: 'The access token is expired or not valid. Sign in again.' };
      if (!found.scope.split(' ').includes(this.#scope)) {
        return { refused: `The required scope ${this.#scope} is not granted to the access token.` };
      }
      const caller = this.#callerOf(found.user);
      return caller ? { caller } : { refused: 'The user of the access token does not exist.' };
    });
  }

  #basic(encoded: string, now: number): Authentication {
    const text = Buffer.from(encoded, 'base64').toString('utf8');
    const colon = text.indexOf(':');
    const user = text.slice(0, colon);
    const password = text.slice(colon + 1);
    return this.#store.read((tx) => {
      const right = colon > 0 && this.passwords.check(tx, user, password, now);
      const caller = right ? this.#callerOf(user) : undefined;
      return caller ? { caller } : { refused: wrongCredentials };
    });
  }
}

/** The same words for an unknown user and a wrong password. */
export const wrongCredentials =
  'Cannot authenticate user: the user name or password is wrong, or the account is locked.';

function cookieValue(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const equals = pair.indexOf('=');
    if (pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
}
