/** Pages of an engine outside of its API: redirections, description of the sign-in, refusals. */
import { X509Certificate } from 'node:crypto';
import type { ApiResponse } from '../api/request.ts';
import { page } from './refusal-answers.ts';

/** Headers that engines send with the responses of their sign-in. */
export const signInHeaders = {
  'X-XSS-Protection': '1; MODE=BLOCK',
  'X-Content-Type-Options': 'NOSNIFF',
  'X-Frame-Options': 'SAMEORIGIN',
};

const inEnglish = { 'Content-Language': 'en-US' };

interface Place {
  /** Origin and application root: `https://engine.example.com/ovirt-engine`. */
  readonly root: string;
  /** Certificate of the server, PEM. */
  readonly certificate: string;
}

const redirections: Readonly<
  Record<string, { readonly to: string; readonly headers?: object; readonly isPage?: true }>
> = {
  '': { to: '/' },
  '/': { to: '/login?scope=ovirt-ext%3Dauth%3Aidentity', headers: signInHeaders },
  '/apidoc': { to: '/apidoc/' },
  '/sso/': { to: '/', headers: { ...signInHeaders, ...inEnglish }, isPage: true },
};

/** Response of an engine to GET of a path below its root; undefined for paths of its web pages. */
export function enginePage(path: string, { root, certificate }: Place): ApiResponse | undefined {
  const redirection = redirections[path];
  if (redirection) {
    const headers = { Location: `${root}${redirection.to}`, ...redirection.headers };
    return redirection.isPage ? page(302, headers) : { status: 302, headers };
  }
  switch (path) {
    case '/sso/openid/.well-known/openid-configuration':
      return json(configuration(root));
    case '/sso/openid/jwks':
      return json({ keys: [publicKey(certificate)] });
    case '/services/':
      return page(403, {});
    default:
      return undefined;
  }
}

/** The page of an engine for an authorization request without a client. */
export function refuseAuthorization(): ApiResponse {
  return page(400, { ...signInHeaders, ...inEnglish });
}

/** The page of an engine for an unknown path outside of the API. */
export function unknownPage(path: string): ApiResponse {
  const isInSignIn = path.startsWith('/sso/');
  const isInServices = path.startsWith('/services/');
  return page(404, { ...(isInServices ? {} : signInHeaders), ...(isInSignIn ? {} : inEnglish) });
}

function json(body: object): ApiResponse {
  return {
    status: 200,
    headers: { 'Content-Type': 'application/json', ...signInHeaders },
    body: JSON.stringify(body),
  };
}

/** The public key of the server. An engine has one that signs its identity tokens. */
function publicKey(certificate: string): object {
  return {
    ...new X509Certificate(certificate).publicKey.export({ format: 'jwk' }),
    kid: 'oVirt',
  };
}

/** Description of the sign-in (OpenID Connect Discovery 1.0). */
function configuration(root: string): object {
  const openid = `${root}/sso/openid`;
  return {
    response_types_supported: ['code'],
    request_parameter_supported: true,
    request_uri_parameter_supported: true,
    grant_types_supported: ['authorization_code', 'password'],
    end_session_endpoint: `${root}/sso/oauth/revoke`,
    scopes_supported: ['openid'],
    version: '1.0',
    issuer: openid,
    authorization_endpoint: `${openid}/authorize`,
    userinfo_endpoint: `${openid}/userinfo`,
    claims_supported: [
      'sub',
      'iss',
      'auth_time',
      'name',
      'given_name',
      'family_name',
      'preferred_username',
      'email',
    ],
    require_request_uri_registration: true,
    userinfo_signing_alg_values_supported: ['RS256'],
    jwks_uri: `${openid}/jwks`,
    subject_types_supported: ['public', 'pairwise'],
    claim_types_supported: ['normal'],
    id_token_signing_alg_values_supported: ['HS256', 'RS256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    response_modes_supported: ['query', 'fragment', 'form_post'],
    request_object_signing_alg_values_supported: ['none'],
    token_endpoint: `${openid}/token`,
  };
}
