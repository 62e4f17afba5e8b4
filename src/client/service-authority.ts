/** Certificate authority of the service itself, which signs the certificates of its image daemons. */
import { X509Certificate } from 'node:crypto';
import type { Client } from './client.ts';
import { VmctlError } from './errors.ts';
import type { HttpResponse } from './http-message.ts';

const told = new WeakMap<Client, Promise<void>>();

/**
 * Trusts the authority of the service for transfers. The service tells it over a connection that is verified, as
 * it tells where its image daemons are: another authority may have signed the certificate of the API. Where a
 * service does not tell it, nothing changes: transfers trust whom requests trust. Asks once for each client. Throws where
 * nobody can sign in.
 */
export async function trustServiceAuthority(client: Client): Promise<void> {
  const asked = told.get(client) ?? askForAuthority(client);
  told.set(client, asked);
  await asked;
}

async function askForAuthority(client: Client): Promise<void> {
  const { origin, appRoot } = await client.site();
  const path = `${appRoot}/services/pki-resource?resource=ca-certificate&format=X509-PEM-CA`;
  const answer = await client.http.send({ method: 'GET', origin, path }).catch(withoutAnswer);
  // What another host says of this service proves nothing.
  if (answer?.status !== 200 || answer.foreignOrigin !== undefined) return;
  const pem = Buffer.from(answer.body).toString('utf8');
  if (isAuthority(pem)) client.http.trustForTransfers(pem);
}

/** A service that does not answer this may do all the rest. */
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
