/** The hosts of the examples: `engine.example.com` and others, with certificates, on this machine. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { identity } from '../support/stub-server.ts';

const require = createRequire(import.meta.url);
const preload = fileURLToPath(new URL('./hosts.cjs', import.meta.url));

export interface NamedHosts {
  /** Options of a server that shows the certificate of these hosts. */
  readonly flags: readonly string[];
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly caFile: string;
  readonly ca: string;
  /** Environment in which commands find hosts at these local ports, and trust them. */
  env(ports: Readonly<Record<string, number>>): Record<string, string>;
  /** Makes this process find them, too. */
  findHere(env: Readonly<Record<string, string>>): void;
}

/** Writes certificate and key to a folder. */
export function namedHosts(folder: string): NamedHosts {
  const { ca, certificate, key } = examples();
  mkdirSync(folder, { recursive: true });
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const caFile = file('ca.pem', ca);
  const certificateFile = file('server.pem', certificate);
  const keyFile = file('server.key', key);
  const flags = ['--tls-cert', certificateFile, '--tls-key', keyFile];
  const env = (ports: Readonly<Record<string, number>>) => ({
    NODE_OPTIONS: `--require=${JSON.stringify(preload)}`,
    NODE_EXTRA_CA_CERTS: caFile,
    EXAMPLE_HOSTS: JSON.stringify(
      Object.fromEntries(
        Object.entries(ports).map(([host, port]) => [`${host}:443`, `127.0.0.1:${port}`]),
      ),
    ),
  });
  const findHere = (given: Readonly<Record<string, string>>) => {
    process.env['EXAMPLE_HOSTS'] = given['EXAMPLE_HOSTS'];
    require(preload);
  };
  return { flags, certificateFile, keyFile, caFile, ca, env, findHere };
}

function examples() {
  return identity('examples', { names: 'DNS:*.example.com,DNS:localhost,IP:127.0.0.1' });
}

/** A web server that has this file at any path, and its port. */
export async function startWeb(bytes: Buffer): Promise<{ server: Server; port: number }> {
  const { certificate, key } = examples();
  const server = createServer({ cert: certificate, key }, (_request, response) => {
    response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port };
}
