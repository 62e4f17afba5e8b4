/**
 * HTTPS server with a request handler of the test, and environment variables for commands that use
 * it.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identity } from './stub-server.ts';

export interface TlsServer {
  /** The environment contains a token, so commands do not sign in. */
  readonly env: Readonly<Record<string, string>>;
  readonly close: () => void;
}

/** Starts the server on a free port; `/virt-app/api` is the path of the service. */
export async function startTlsServer(answer: RequestListener): Promise<TlsServer> {
  const { ca, certificate, key } = identity();
  const server = createServer({ cert: certificate, key }, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const folder = mkdtempSync(join(tmpdir(), 'vmctl-tls-'));
  const file = join(folder, 'ca.pem');
  writeFileSync(file, ca);
  return {
    env: {
      HOME: folder,
      VMCTL_URL: `https://127.0.0.1:${(server.address() as AddressInfo).port}/virt-app`,
      VMCTL_TOKEN: 'token',
      VMCTL_CA_FILE: file,
    },
    close: () => {
      server.closeAllConnections();
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
