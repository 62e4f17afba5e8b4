/** The sign-in endpoints: token, revoke, token-info, logout (specification 5.2). */

import { requireAllowedText } from '../core/allowed-text.ts';
import type { Caller } from '../core/context.ts';
import { Refusal } from '../core/fault.ts';
import type { Site } from '../core/ports.ts';
import { removeExpiredTokens } from '../store/credentials.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import { type Authenticator, wrongCredentials } from './authenticate.ts';
import { AuthorizationCodes } from './authorization-code.ts';
import { findCallerByName } from './permissions.ts';
import { issueToken, readToken, revokeToken } from './tokens.ts';

export interface OAuthRequest {
  /** Parameters of the query and form body. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly authorization: string | undefined;
  readonly accept: string | undefined;
  readonly address: string;
  /** Origin and application root: `https://engine.example.com/ovirt-engine`. */
  readonly root: string;
}

export interface OAuthResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent in redirections. */
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface OAuthSettings {
  readonly scope: string;
  /** Lifetime of a token in milliseconds. */
  readonly tokenLifetime: number;
  /**
   * Follows engines: the error object has other keys for the scope of the API, every scope is
   * granted, and the Accept header has to name JSON.
   */
  readonly asEngine: boolean;
}

const httpGrant = 'urn:ovirt:params:oauth:grant-type:http';

/** Scopes that engines grant together with others. */
const apiScopes = [
  'ovirt-ext=token-info:authz-search',
  'ovirt-ext=token-info:public-authz-search',
  'ovirt-ext=token-info:validate',
  'ovirt-ext=token:password-access',
];
const pageScopes = ['ovirt-app-api', 'ovirt-ext=revoke:revoke-all', ...apiScopes];
const dependentScopes: Readonly<Record<string, readonly string[]>> = {
  'ovirt-app-api': apiScopes,
  'ovirt-app-admin': pageScopes,
  'ovirt-app-portal': pageScopes,
};

/** The scope that an engine grants for a requested one. */
function grantedScope(requested: string): string {
  const scopes = requested.split(' ').filter((word) => word !== '');
  const all = scopes.flatMap((word) => [word, ...(dependentScopes[word] ?? [])]);
  return [...new Set(all)].sort().join(' ');
}

/** Implements `/sso/oauth` and the logout service. */
export class OAuthEndpoints {
  readonly #store: Store;
  readonly #site: Site;
  readonly #authenticator: Authenticator;
  readonly #settings: OAuthSettings;
  readonly codes: AuthorizationCodes;

  constructor(store: Store, site: Site, authenticator: Authenticator, settings: OAuthSettings) {
    this.#store = store;
    this.#site = site;
    this.#authenticator = authenticator;
    this.#settings = settings;
    this.codes = new AuthorizationCodes(store, authenticator.signIn, () => site.steady());
  }

  /** Grants a token for a user name and password, or for an authorization code. */
  async token(request: OAuthRequest): Promise<OAuthResponse> {
    const grant = request.parameters.get('grant_type');
    const scope = request.parameters.get('scope') ?? '';
    const { asEngine } = this.#settings;
    const named = asEngine ? /^application\/json/ : /^(application\/json|\*\/\*)/;
    if (!named.test(request.accept ?? (asEngine ? '' : '*/*'))) {
      return this.#error(scope, 'invalid_request', 'The Accept header must be application/json.');
    }
    if (grant === undefined) {
      const code = asEngine ? 'unsupported_grant_type' : 'invalid_request';
      return this.#error(scope, code, 'The parameter grant_type is missing.');
    }
    if (asEngine && grant === 'authorization_code' && !hasClient(request)) {
      return this.#error(scope, 'invalid_request', missingClient);
    }
    if (grant === 'authorization_code') return this.#exchange(request);
    if (grant !== 'password' && grant !== httpGrant) {
      return this.#error(
        scope,
        'unsupported_grant_type',
        `The grant type ${grant} is not supported; use password.`,
      );
    }
    if (asEngine && grant === httpGrant && request.authorization === undefined) {
      const error = 'error=unauthorized_client&error_description=Credentials+are+missing.';
      return { status: 302, headers: { Location: `${request.root}/oauth2-callback?${error}` } };
    }
    const given = grant === 'password' ? fromForm(request) : fromHeader(request);
    if (!given.username || given.password === undefined) {
      const missing = given.username ? 'password' : 'username';
      return this.#error(scope, 'invalid_request', `The parameter ${missing} is missing.`);
    }
    if (!asEngine && !scope.split(' ').includes(this.#settings.scope)) {
      return this.#error(scope, 'invalid_scope', `The scope must be ${this.#settings.scope}.`);
    }
    return this.#grant(given.username, given.password, scope, request.address);
  }

  async #grant(
    user: string,
    password: string,
    requested: string,
    address: string,
  ): Promise<OAuthResponse> {
    const { signIn } = this.#authenticator;
    const scope = this.#settings.asEngine ? grantedScope(requested) : requested;
    let caller: Caller | undefined;
    try {
      caller = await signIn.check(user, password, address);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, headers, message } = error;
      return { ...this.#error(requested, 'access_denied', message), status, headers };
    }
    if (!caller) return this.#error(requested, 'access_denied', wrongCredentials);
    return this.#answer(
      scope,
      await this.#store.write((tx) => this.#issue(tx, { user, caller, scope }, address)),
    );
  }

  /** Grants a token for an authorization code. */
  async #exchange(request: OAuthRequest): Promise<OAuthResponse> {
    const { parameters, address } = request;
    const client = parameters.get('client_id') ?? fromHeader(request).username;
    const granted = await this.#store.write((tx) => {
      const found = this.codes.redeem(tx, parameters, client);
      if (!found) return undefined;
      const scope = this.#settings.asEngine ? grantedScope(found.scope) : found.scope;
      return { scope, token: this.#issue(tx, { ...found, scope }, address) };
    });
    if (granted) return this.#answer(granted.scope, granted.token);
    const message = 'The authorization code is expired, used or not valid.';
    return this.#error(parameters.get('scope') ?? '', 'invalid_grant', message);
  }

  #issue(
    tx: Transaction,
    { user, caller, scope }: { user: string; caller: Caller; scope: string },
    address: string,
  ): string {
    const now = this.#site.steady();
    removeExpiredTokens(tx, now);
    this.#authenticator.signIn.tellSuccess(tx, caller, address);
    return issueToken(tx, user, scope, now + this.#settings.tokenLifetime);
  }

  #answer(scope: string, token: string): OAuthResponse {
    const ends = this.#site.now().getTime() + this.#settings.tokenLifetime;
    return {
      status: 200,
      body: { access_token: token, scope, exp: String(ends), token_type: 'bearer' },
    };
  }

  /** Revokes a token for a registered client. Only engines require the name of the client. */
  async revoke(request: OAuthRequest): Promise<OAuthResponse> {
    if (this.#settings.asEngine && !hasClient(request)) {
      const scope = request.parameters.get('scope') ?? '';
      return this.#error(scope, 'invalid_request', missingClient);
    }
    return this.signOut(request);
  }

  /** Revokes a token for any of its holders. */
  async signOut(request: OAuthRequest): Promise<OAuthResponse> {
    const token = request.parameters.get('token');
    if (token) {
      await this.#store.write((tx) => {
        const found = readToken(tx, token, this.#site.steady());
        const caller = found && findCallerByName(tx, found.user);
        if (caller) this.#authenticator.signIn.tellSignOut(tx, caller, request.address);
        revokeToken(tx, token);
      });
    }
    return { status: 200, body: {} };
  }

  /** Describes a token: validity and user. */
  tokenInfo(request: OAuthRequest): OAuthResponse {
    const token = request.parameters.get('token') ?? '';
    const scope = request.parameters.get('scope') ?? '';
    const found = this.#store.read((tx) => readToken(tx, token, this.#site.steady()));
    if (!found) {
      return this.#error(scope, 'invalid_grant', 'The token is expired or not valid.');
    }
    return {
      status: 200,
      body: { active: true, token_type: 'bearer', user_id: found.user, scope: found.scope },
    };
  }

  #error(scope: string, code: string, message: string): OAuthResponse {
    const ovirt = this.#settings.asEngine && scope === this.#settings.scope;
    return {
      status: 400,
      body: ovirt
        ? { error_code: code, error: message }
        : { error_description: message, error: code },
    };
  }
}

const missingClient = 'The parameter client_id is missing.';

/** Whether a request names its client, as a parameter or in its credentials. */
function hasClient({ parameters, authorization }: OAuthRequest): boolean {
  return parameters.has('client_id') || authorization !== undefined;
}

interface Given {
  readonly username: string | undefined;
  readonly password: string | undefined;
}

function fromForm({ parameters }: OAuthRequest): Given {
  return { username: parameters.get('username'), password: parameters.get('password') };
}

function fromHeader({ authorization }: OAuthRequest): Given {
  const match = /^Basic +(.+)$/i.exec(authorization ?? '');
  const text = Buffer.from(match?.[1] ?? '', 'base64').toString('utf8');
  requireAllowedText(text, 'The Authorization header');
  const colon = text.indexOf(':');
  if (colon < 1) return { username: undefined, password: undefined };
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}
