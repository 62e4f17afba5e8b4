/** Certificate authority of the service, which signs the certificates of its image daemons. */
import { X509Certificate } from 'node:crypto';
import type { Client } from './client.ts';
import { VmctlError } from './errors.ts';
import type { HttpResponse } from './http-message.ts';

const requests = new WeakMap<Client, Promise<void>>();

/**
 * Trusts the authority of the service for transfers. The service sends it over a verified connection, as it sends
 * the addresses of its image daemons; another authority may have signed the certificate of the API. If the
 * service does not send it, transfers trust the same authorities as requests. Sends one request for each client.
 * Throws if the user cannot sign in.
 */
export async function trustServiceAuthority(client: Client): Promise<void> {
  const request = requests.get(client) ?? requestAuthority(client);
  requests.set(client, request);
  await request;
}

async function requestAuthority(client: Client): Promise<void> {
  const { origin, appRoot } = await client.site();
  const path = `${appRoot}/services/pki-resource?resource=ca-certificate&format=X509-PEM-CA`;
  const answer = await client.http.send({ method: 'GET', origin, path }).catch(withoutAnswer);
  // A response of another host is not trusted.
  if (answer?.status !== 200 || answer.foreignOrigin !== undefined) return;
  const pem = Buffer.from(answer.body).toString('utf8');
  if (isAuthority(pem)) client.http.trustForTransfers(pem);
}

/** The authority is optional, so ignore errors of the service. */
function withoutAnswer(error: unknown): HttpResponse | undefined {
  if (error instanceof VmctlError) return undefined;
  throw error;
}

function isAuthority(pem: string): boolean {
  try {
    return new X509Certificate(pem).ca;
  } catch {
    return false;
  }
}
