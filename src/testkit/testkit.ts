/**
 * Reference server in a test: `import { startServer } from 'vmctl/testkit'`. It runs in the process
 * of the test, on free ports of 127.0.0.1, over HTTPS, and stores no data.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { TestServer, TestServerOptions } from './types.ts';

export type { TestServer, TestServerOptions } from './types.ts';

/** Starts a server. Resolves when it responds. Rejects for invalid options. */
export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { serverExtensions } = await import('./extensions.ts');
  const extensions = await serverExtensions({ fault: options.faults ?? [] });
  const address = { host: '127.0.0.1', port: 0 };
  const { loadServer } = await import('../server/load.ts');
  const start = await loadServer();
  const server = await start({
    listen: address,
    imagesListen: address,
    data: undefined,
    dialect: options.dialect ?? 'standard',
    admin: options.admin ?? 'admin@internal',
    password: options.password ?? randomBytes(12).toString('base64url'),
    inventory: options.inventory ?? 'small',
    extensions,
    speed: options.speed ?? 0,
    seed: options.seed,
    tokenLifetime: 8 * 3600,
    log: options.log ?? (() => {}),
  });
  const { baseUrl: url, apiUrl, username, password, caFile } = server;
  const stop = () => server.stop();
  return {
    url,
    apiUrl,
    username,
    password,
    caFile,
    ca: readFileSync(caFile, 'utf8'),
    env: {
      VMCTL_URL: url,
      VMCTL_USERNAME: username,
      VMCTL_PASSWORD: password,
      VMCTL_CA_FILE: caFile,
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
