/** Endpoints outside of the API: sign-in, certificates, health, administration. */
import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Dialect } from '../../model/dialect.ts';
import { type Administration, administer, adminPath } from '../admin/endpoints.ts';
import { type ApiResponse, getRequestHeader, parseForm } from '../api/request.ts';
import type { OAuthEndpoints, OAuthRequest, OAuthResponse } from '../auth/oauth.ts';
import { enginePage, refuseAuthorization, signInHeaders, unknownPage } from './engine-pages.ts';
import { page, UnknownMethod, UnknownPath } from './refusal-answers.ts';
import type { ReadBody, ServiceRequest } from './service.ts';
import { signInPage } from './sign-in-page.ts';

/** Character set of certificates, as deployed engines declare it. */
const latin = '; charset=ISO-8859-1';

/** Responds to `/services/pki-resource?resource=...&format=...`. */
export function pkiResource(
  parameters: URLSearchParams,
  ca: string,
  serverChain: string,
): ApiResponse {
  const resource = parameters.get('resource');
  const authority = resource === 'ca-certificate' || resource === 'qemu-ca-certificate';
  if (!authority && resource !== 'engine-certificate') {
    return refused(
      `Unknown resource "${resource ?? ''}"; use ca-certificate, qemu-ca-certificate or engine-certificate.`,
    );
  }
  const pem = authority ? ca : firstCertificate(serverChain);
  const format = parameters.get('format') ?? (authority ? 'X509-PEM-CA' : 'X509-PEM');
  switch (format) {
    case 'X509-PEM-CA':
      return {
        status: 200,
        headers: { 'Content-Type': `application/x-x509-ca-cert${latin}` },
        body: pem,
      };
    case 'X509-PEM':
      return {
        status: 200,
        headers: { 'Content-Type': `application/x-x509-cert${latin}` },
        body: pem,
      };
    case 'OPENSSH-PUBKEY':
      return {
        status: 200,
        headers: { 'Content-Type': `text/plain${latin}` },
        body: sshKey(pem, parameters.get('alias')),
      };
    default:
      return refused(`Unknown format "${format}"; use X509-PEM, X509-PEM-CA or OPENSSH-PUBKEY.`);
  }
}

function refused(message: string): ApiResponse {
  return {
    status: 400,
    headers: { 'Content-Type': 'text/plain;charset=UTF-8' },
    body: `${message}\n`,
  };
}

function firstCertificate(chain: string): string {
  const end = '-----END CERTIFICATE-----';
  return `${chain.slice(0, chain.indexOf(end) + end.length)}\n`;
}

/** Public key of a certificate with curve P-256, in OpenSSH format. */
function sshKey(pem: string, alias: string | null): string {
  const key = new X509Certificate(pem).publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([
    Buffer.from([4]),
    Buffer.from(key.x ?? '', 'base64url'),
    Buffer.from(key.y ?? '', 'base64url'),
  ]);
  const type = 'ecdsa-sha2-nistp256';
  const blob = Buffer.concat([
    field(Buffer.from(type)),
    field(Buffer.from('nistp256')),
    field(point),
  ]);
  return `${type} ${blob.toString('base64')}${alias ? ` ${alias}` : ''}\n`;
}

function field(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Maximum bytes of a saved state, the limit of a string, and of a sign-in form. */
const maximumState = 2 ** 29 - 2 ** 10;
const maximumForm = 64 * 2 ** 10;

export interface AuxiliaryEndpoints {
  readonly oauth: OAuthEndpoints;
  readonly admin: Administration;
  readonly dialect: Dialect;
  /** Certificate authority and certificate, PEM. */
  readonly ca: string;
  readonly certificate: string;
}

/**
 * Filter of USB devices that a SPICE client shares automatically, as
 * `class,vendor,product,version,allow` with -1 for any value: all except keyboards and mice.
 */
const usbFilter = '3,-1,-1,-1,0|-1,-1,-1,-1,1\n';

/** Whether a path outside of the API signs in or out, with any method. */
export function isSignIn(target: string): boolean {
  return /^[^?]*\/(?:sso\/oauth\/|services\/sso-logout)/.test(target);
}

/** Responds to a request outside of the API. Refuses an unknown path with 404. */
export async function answerAuxiliary(
  { oauth, admin, dialect, ca, certificate }: AuxiliaryEndpoints,
  { message: request, connection, target, readBody }: ServiceRequest,
): Promise<ApiResponse> {
  const { appRoot, engineAnswers } = dialect;
  const url = new URL(`https://localhost${target === '*' ? '/' : target}`);
  if (url.pathname.startsWith(`${adminPath}/`)) {
    return administer(admin, {
      method: request.method ?? 'GET',
      path: url.pathname.slice(adminPath.length + 1).replace(/\/$/, ''),
      parameters: url.searchParams,
      header: (name) => getRequestHeader(request, name),
      body: () => readBody(maximumState),
      address: request.socket.remoteAddress ?? '',
      connection,
    });
  }
  // Deployed clients use these paths with each application root.
  const path = [appRoot, '/ovirt-engine']
    .filter((root) => url.pathname === root || url.pathname.startsWith(`${root}/`))
    .map((root) => url.pathname.slice(root.length))[0];
  const root = `https://${getRequestHeader(request, 'host') ?? 'localhost'}${appRoot}`;
  const sent = () => oauthRequest(request, url, root, readBody);
  switch (path) {
    case '/services/pki-resource':
      return asPage(engineAnswers, pkiResource(url.searchParams, ca, certificate));
    case '/services/files/usbfilter.txt':
      return text(200, usbFilter);
    case '/services/health':
      // Throws if the store is not readable, and the response is 503.
      admin.store.read((tx) => tx.tasks.nextDue());
      return engineAnswers
        ? {
            status: 200,
            headers: { 'Content-Type': 'text/html;charset=ISO-8859-1' },
            body: healthy,
          }
        : text(200, healthy);
    case '/sso/oauth/authorize':
      return authorize(oauth, dialect, request.method ?? 'GET', await sent());
    case '/sso/oauth/token':
    case '/sso/oauth/token-http-auth':
      return json(dialect, await oauth.token(await sent()));
    case '/sso/oauth/revoke':
      return json(dialect, await oauth.revoke(await sent()));
    case '/services/sso-logout':
      return json(dialect, await oauth.signOut(await sent()));
    case '/sso/oauth/token-info':
      return json(dialect, oauth.tokenInfo(await sent()));
    default:
      if (engineAnswers && path !== undefined) {
        const isRead = request.method === 'GET' || request.method === 'HEAD';
        const found = isRead
          ? enginePage(path, { root, certificate: firstCertificate(certificate) })
          : undefined;
        return found ?? unknownPage(path);
      }
      throw new UnknownPath(`${url.pathname} not found. The API is at ${appRoot}/api.`);
  }
}

/** Responds to the sign-in of a browser: with a page, or with a redirection to a program. */
async function authorize(
  oauth: OAuthEndpoints,
  { engineAnswers, product }: Dialect,
  method: string,
  request: OAuthRequest,
): Promise<ApiResponse> {
  if (!['GET', 'HEAD', 'POST'].includes(method)) {
    throw new UnknownMethod('/sso/oauth/authorize', method, 'GET, HEAD, POST');
  }
  // An engine refuses requests without a client with its own page.
  if (engineAnswers && !request.parameters.has('client_id')) return refuseAuthorization();
  return signInPage(await oauth.codes.authorize(request, method === 'POST'), product.name);
}

async function oauthRequest(
  request: IncomingMessage,
  url: URL,
  root: string,
  readBody: ReadBody,
): Promise<OAuthRequest> {
  const form = parseForm(await readBody(maximumForm));
  const parameters = new Map<string, string>();
  for (const [name, value] of [...url.searchParams, ...form]) {
    if (!parameters.has(name)) parameters.set(name, value);
  }
  return {
    parameters,
    authorization: getRequestHeader(request, 'authorization'),
    accept: getRequestHeader(request, 'accept'),
    address: request.socket.remoteAddress ?? '',
    root,
  };
}

function json({ engineAnswers }: Dialect, { status, headers, body }: OAuthResponse): ApiResponse {
  const more = engineAnswers ? signInHeaders : { 'Cache-Control': 'no-store' };
  return {
    status,
    headers: { ...(body && { 'Content-Type': 'application/json' }), ...more, ...headers },
    ...(body && { body: JSON.stringify(body) }),
  };
}

const healthy = 'DB Up!Welcome to Health Status!';

/** Encodes a refusal as a web page, if the dialect has one. */
function asPage(engineAnswers: boolean, response: ApiResponse): ApiResponse {
  return engineAnswers && response.status === 400 ? page(400, {}) : response;
}

function text(status: number, body: string): ApiResponse {
  return { status, headers: { 'Content-Type': 'text/plain;charset=UTF-8' }, body };
}
