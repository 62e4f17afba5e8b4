/** Authorization codes for programs on the computer of the user (RFC 6749, RFC 7636, RFC 8252). */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Caller } from '../core/context.ts';
import { Refusal } from '../core/fault.ts';
import { findToken, removeExpiredTokens, removeToken, writeToken } from '../store/credentials.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import { wrongCredentials } from './authenticate.ts';
import { findCallerByName } from './permissions.ts';
import type { SignIn } from './sign-in.ts';
import { codeScope, hashOfToken } from './tokens.ts';

/** Lifetime of a code in milliseconds of service time. */
export const codeLifetime = 60_000;

/** A valid request for a code. */
export interface CodeRequest {
  readonly client: string;
  readonly redirect: string;
  readonly scope: string;
  readonly state: string;
  /** SHA-256 of the verifier, as base64url. */
  readonly challenge: string;
}

/** Request to the authorization endpoint. */
export interface FormRequest {
  /** Parameters of the query and form body. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly address: string;
}

/** Result of a request to the authorization endpoint. */
export type Authorization =
  /** The request is invalid, and so may be its redirection target. */
  | { readonly refused: string }
  | { readonly location: string }
  | {
      readonly form: CodeRequest;
      readonly failure?: string;
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
    };

/** Authorization endpoint, and the exchange of its codes. */
export class AuthorizationCodes {
  readonly #store: Store;
  readonly #signIn: Pick<SignIn, 'check'>;
  /** Service time in milliseconds. */
  readonly #now: () => number;

  constructor(store: Store, signIn: Pick<SignIn, 'check'>, now: () => number) {
    this.#store = store;
    this.#signIn = signIn;
    this.#now = now;
  }

  /** Returns the form for a request; with credentials, redirects with a code. */
  async authorize(
    { parameters, address }: FormRequest,
    isSubmitted: boolean,
  ): Promise<Authorization> {
    const client = parameters.get('client_id') ?? '';
    const redirect = parameters.get('redirect_uri') ?? '';
    if (client === '') return { refused: 'The parameter client_id is missing.' };
    if (!isLoopback(redirect)) {
      return { refused: 'The redirect_uri must be http://127.0.0.1:PORT or http://[::1]:PORT.' };
    }
    const state = parameters.get('state') ?? '';
    const problem = findProblem(parameters);
    if (problem) return { location: createLocation(redirect, { ...problem, state }) };
    const form = {
      ...{ client, redirect, state },
      scope: parameters.get('scope') ?? '',
      challenge: parameters.get('code_challenge') ?? '',
    };
    if (!isSubmitted) return { form, status: 200 };
    const user = parameters.get('username') ?? '';
    try {
      const password = parameters.get('password') ?? '';
      const caller = await this.#signIn.check(user, password, address);
      if (!caller) return { form, status: 403, failure: wrongCredentials };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, headers, message } = error;
      return { form, status, failure: message, ...(headers ? { headers } : {}) };
    }
    const code = await this.#issueCode(user, form);
    return { location: createLocation(redirect, { code, state }) };
  }

  async #issueCode(user: string, form: CodeRequest): Promise<string> {
    const code = randomBytes(32).toString('base64url');
    const now = this.#now();
    await this.#store.write((tx) => {
      removeExpiredTokens(tx, now);
      const scope = `${codeScope}${JSON.stringify(form)}`;
      writeToken(tx, hashOfToken(code), { user, scope, expires: now + codeLifetime });
    });
    return code;
  }

  /**
   * Returns the user and the scope of a code; undefined for an invalid one. Each code is valid for
   * one attempt, because another one could guess its verifier.
   */
  redeem(
    tx: Transaction,
    parameters: ReadonlyMap<string, string>,
    client: string | undefined,
  ): { readonly user: string; readonly caller: Caller; readonly scope: string } | undefined {
    const hash = hashOfToken(parameters.get('code') ?? '');
    const row = findToken(tx, hash);
    if (!row?.scope.startsWith(codeScope)) return undefined;
    removeToken(tx, hash);
    // Written by `#issueCode`.
    const form: CodeRequest = JSON.parse(row.scope.slice(codeScope.length));
    const isRight =
      row.expires > this.#now() &&
      form.client === client &&
      form.redirect === parameters.get('redirect_uri') &&
      isSameText(form.challenge, createChallenge(parameters.get('code_verifier') ?? ''));
    const caller = isRight ? findCallerByName(tx, row.user) : undefined;
    return caller && { user: row.user, caller, scope: form.scope };
  }
}

/** Whether a URL is that of a program on the computer of the user (RFC 8252, section 7.3). */
function isLoopback(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, port, username, password, hash } = new URL(text);
  return (
    protocol === 'http:' &&
    (hostname === '127.0.0.1' || hostname === '[::1]') &&
    port !== '' &&
    `${username}${password}${hash}` === ''
  );
}

/** Problem of a request that the program of the user receives. */
function findProblem(
  parameters: ReadonlyMap<string, string>,
): { readonly error: string; readonly error_description: string } | undefined {
  if (parameters.get('response_type') !== 'code') {
    return {
      error: 'unsupported_response_type',
      error_description: 'The response_type must be code.',
    };
  }
  const challenge = parameters.get('code_challenge') ?? '';
  if (parameters.get('code_challenge_method') === 'S256' && /^[\w-]{43}$/.test(challenge)) {
    return undefined;
  }
  return {
    error: 'invalid_request',
    error_description: 'The code_challenge must be a SHA-256 in base64url, with the method S256.',
  };
}

function createLocation(redirect: string, values: Readonly<Record<string, string>>): string {
  const url = new URL(redirect);
  for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value);
  return url.href;
}

function createChallenge(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

function isSameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
