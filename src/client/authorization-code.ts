/** Authorization code flow with PKCE, for a program on the computer of the user (RFC 8252). */
import { createHash, randomBytes } from 'node:crypto';
import { dialects } from '../model/dialect.ts';
import { type Site, siteUrl } from './address.ts';
import type { Http } from './http.ts';
import { postForm, requestToken, type StoredToken, signInError } from './session.ts';

/** Registration of this program at the service. The stand-in needs no secret. */
export interface OAuthClient {
  readonly id: string;
  readonly secret?: string;
}

/** One attempt to sign in. */
export interface CodeAttempt {
  /** URL that the browser opens. */
  readonly url: string;
  readonly state: string;
  readonly verifier: string;
  readonly redirect: string;
}

/** Creates an attempt with a new state and verifier. Services without PKCE ignore the challenge. */
export function createCodeAttempt(site: Site, client: OAuthClient, redirect: string): CodeAttempt {
  const state = randomBytes(32).toString('base64url');
  const verifier = randomBytes(32).toString('base64url');
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id: client.id,
    redirect_uri: redirect,
    scope: dialects[site.dialect].scope,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  return { url: `${siteUrl(site)}/sso/oauth/authorize?${parameters}`, state, verifier, redirect };
}

/** Exchanges a code for a token. Throws `AuthError` if the service refuses it. */
export async function exchangeCode(
  http: Http,
  site: Site,
  client: OAuthClient,
  { code, attempt }: { readonly code: string; readonly attempt: CodeAttempt },
): Promise<StoredToken> {
  const { answer, reply, token } = await requestToken(http, site, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: attempt.redirect,
    code_verifier: attempt.verifier,
    scope: dialects[site.dialect].scope,
    ...toForm(client),
  });
  if (token) return token;
  throw signInError(answer, reply, site, {
    what: `sign in with the browser at ${siteUrl(site)}`,
    hint: 'try again; engines require a registered client: see --client-id and VMCTL_CLIENT_SECRET',
  });
}

/** User name of a token, with its domain; undefined if the service does not describe the token. */
export async function readTokenUser(
  http: Http,
  { site, token }: StoredToken,
  client: OAuthClient,
): Promise<string | undefined> {
  const form = { token, scope: dialects[site.dialect].scope, ...toForm(client) };
  const { answer, reply } = await postForm(http, site, '/sso/oauth/token-info', form);
  const user = reply['user_id'];
  return answer.status === 200 && typeof user === 'string' ? user : undefined;
}

function toForm({ id, secret }: OAuthClient): Readonly<Record<string, string>> {
  return { client_id: id, ...(secret === undefined ? {} : { client_secret: secret }) };
}
