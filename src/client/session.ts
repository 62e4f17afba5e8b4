/** Who is signed in: a token that is kept between commands, and renewed when it has run out. */
import type { Address, Site } from './address.ts';
import { AuthError } from './errors.ts';
import type { Http } from './http.ts';
import { signIn } from './sign-in.ts';

/** Where a password comes from. Asked only when somebody has to sign in. */
export interface CredentialSource {
  /** For messages: `the file /run/secret`, `the terminal`. */
  readonly description: string;
  readonly password: () => Promise<string>;
}

export interface KeptToken {
  readonly site: Site;
  readonly token: string;
}

/** Tokens that outlive the process. */
export interface TokenStore {
  readonly load: () => KeptToken | undefined;
  readonly save: (kept: KeptToken) => void;
  readonly forget: () => void;
}

export interface Login {
  readonly address: Address | Site;
  readonly username: string;
  readonly credentials: CredentialSource;
  readonly store: TokenStore;
}

export class Session {
  readonly #http: Http;
  readonly #login: Login;
  #current: KeptToken | undefined;
  #pending: Promise<KeptToken> | undefined;

  constructor(http: Http, login: Login) {
    this.#http = http;
    this.#login = login;
  }

  /** The token at hand; signs in when there is none. */
  async current(): Promise<KeptToken> {
    this.#current ??= this.#login.store.load();
    return this.#current ?? (await this.renew());
  }

  /**
   * A token other than the one that was refused. Requests that fail at the same time share one
   * sign-in, and so do commands that run side by side: what one of them stored, the others use.
   */
  async renew(refused?: string): Promise<KeptToken> {
    if (this.#pending) return await this.#pending;
    if (this.#current && this.#current.token !== refused) return this.#current;
    this.#pending = this.#signIn(refused);
    try {
      this.#current = await this.#pending;
      return this.#current;
    } finally {
      this.#pending = undefined;
    }
  }

  async #signIn(refused: string | undefined): Promise<KeptToken> {
    const { address, username, credentials, store } = this.#login;
    const kept = refused === undefined ? undefined : store.load();
    if (kept && kept.token !== refused) return kept;
    const password = await credentials.password();
    if (password === '') {
      throw new AuthError(`the password from ${credentials.description} is empty`, {
        hint: 'vmctl login signs in with another one',
      });
    }
    const signedIn = await signIn(this.#http, kept?.site ?? address, username, password);
    store.save(signedIn);
    return signedIn;
  }
}

/** A session with a token from elsewhere: it can neither be renewed nor is it kept. */
export function fixedSession(kept: KeptToken): Pick<Session, 'current' | 'renew'> {
  return {
    current: () => Promise.resolve(kept),
    renew: () =>
      Promise.reject(
        new AuthError(
          'the token in VMCTL_TOKEN is refused: it has run out, or it is not for here',
          {
            hint: 'get a new one, or unset VMCTL_TOKEN and use vmctl login',
          },
        ),
      ),
  };
}
