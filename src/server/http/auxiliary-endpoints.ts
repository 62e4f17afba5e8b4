/** What the server answers beside the API: sign-in, certificates, health, and what a stand-in has. */
import type { IncomingMessage } from 'node:http';
import { type Administration, administer, adminPath } from '../admin/endpoints.ts';
import { type ApiResponse, headerOf } from '../api/request.ts';
import type { OAuth, OAuthRequest, OAuthResponse } from '../auth/oauth.ts';
import { Refusal } from '../core/fault.ts';
import { pkiResource } from './pki.ts';

/** Largest state that is taken in, and largest form of a sign-in, in bytes. */
const maximumState = 2 ** 30;
const maximumForm = 64 * 2 ** 10;

export interface AuxiliaryEndpoints {
  readonly oauth: OAuth;
  readonly admin: Administration;
  readonly appRoot: string;
  /** The certificate authority and the certificate, PEM. */
  readonly ca: string;
  readonly certificate: string;
}

export type ReadBody = (maximum: number) => Promise<Uint8Array>;

/**
 * Which USB devices a SPICE client shares by itself, as `class,vendor,product,version,allow` with -1
 * for any: all but keyboards and mice.
 */
const usbFilter = '3,-1,-1,-1,0|-1,-1,-1,-1,1\n';

/** Whether a path below no API root signs somebody in or out, whatever the method is. */
export function isSignIn(target: string): boolean {
  return /^[^?]*\/(?:sso\/oauth\/|services\/sso-logout)/.test(target);
}

/** Answers a request that is not for the API. Refuses with 404 what is nothing. */
export async function answerAuxiliary(
  { oauth, admin, appRoot, ca, certificate }: AuxiliaryEndpoints,
  request: IncomingMessage,
  target: string,
  readBody: ReadBody,
): Promise<ApiResponse> {
  const url = new URL(`https://localhost${target === '*' ? '/' : target}`);
  if (url.pathname.startsWith(`${adminPath}/`)) {
    return administer(admin, {
      method: request.method ?? 'GET',
      path: url.pathname.slice(adminPath.length + 1).replace(/\/$/, ''),
      header: (name) => headerOf(request, name),
      body: () => readBody(maximumState),
      address: request.socket.remoteAddress ?? '',
    });
  }
  // Deployed clients have these paths built in, whatever the application root is.
  const path = [appRoot, '/ovirt-engine']
    .filter((root) => url.pathname.startsWith(`${root}/`))
    .map((root) => url.pathname.slice(root.length))[0];
  switch (path) {
    case '/services/pki-resource':
      return pkiResource(url.searchParams, ca, certificate);
    case '/services/files/usbfilter.txt':
      return text(200, usbFilter);
    case '/services/health':
      return text(200, 'DB Up!Welcome to Health Status!');
    case '/sso/oauth/token':
    case '/sso/oauth/token-http-auth':
      return json(await oauth.token(await oauthRequest(request, url, readBody)));
    case '/sso/oauth/revoke':
    case '/services/sso-logout':
      return json(await oauth.revoke(await oauthRequest(request, url, readBody)));
    case '/sso/oauth/token-info':
      return json(oauth.tokenInfo(await oauthRequest(request, url, readBody)));
    default:
      throw new Refusal(
        404,
        'Not Found',
        `There is nothing at ${url.pathname}. The API is at ${appRoot}/api.`,
      );
  }
}

async function oauthRequest(
  request: IncomingMessage,
  url: URL,
  readBody: ReadBody,
): Promise<OAuthRequest> {
  const body = Buffer.from(await readBody(maximumForm)).toString('utf8');
  const parameters = new Map<string, string>();
  for (const [name, value] of [...url.searchParams, ...new URLSearchParams(body)]) {
    if (!parameters.has(name)) parameters.set(name, value);
  }
  return {
    parameters,
    authorization: headerOf(request, 'authorization'),
    accept: headerOf(request, 'accept'),
    address: request.socket.remoteAddress ?? '',
  };
}

function json({ status, headers, body }: OAuthResponse): ApiResponse {
  return {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers },
    body: JSON.stringify(body),
  };
}

function text(status: number, body: string): ApiResponse {
  return { status, headers: { 'Content-Type': 'text/plain;charset=UTF-8' }, body };
}
