/**
 * Plain server in a separate process: pipes a file into the response in chunks of 64 KiB, and
 * writes request bodies.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, readFileSync, statSync } from 'node:fs';
import { createServer as plainServer } from 'node:http';
import { createServer as tlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

export interface PlainServer {
  readonly pid: number;
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** The program that contains this module; `words` select one of the servers below. */
const self = (...words: string[]) => [fileURLToPath(import.meta.url), ...words];

/** Starts a server for a file, over TLS or a unix socket. PUT writes another file. */
export async function startPlain(
  file: string,
  target: string,
  place: { readonly key: string; readonly cert: string } | { readonly path: string },
): Promise<PlainServer> {
  const words =
    'path' in place ? ['--plain-path', place.path] : ['--plain-tls', place.key, place.cert];
  const child: ChildProcess = spawn(process.execPath, self(...words, file, target), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [port] = (await once(child, 'message')) as [number];
  return {
    pid: child.pid ?? 0,
    url: 'path' in place ? 'http://localhost/' : `https://127.0.0.1:${port}/`,
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

/** Runs a server if requested by the command line. Returns whether it was. */
export async function playPart(words: readonly string[]): Promise<boolean> {
  const [part, ...rest] = words;
  if (part === '--plain-path') {
    const [path = '', file = '', target = ''] = rest;
    serve(file, target, path);
  } else if (part === '--plain-tls') {
    const [key = '', cert = '', file = '', target = ''] = rest;
    serve(file, target, { key: readFileSync(key), cert: readFileSync(cert) });
  } else return false;
  return true;
}

function serve(file: string, target: string, place: string | { key: Buffer; cert: Buffer }): void {
  const { size } = statSync(file);
  const listener: Parameters<typeof plainServer>[1] = (request, response) => {
    if (request.method === 'PUT') {
      request.pipe(createWriteStream(target)).on('finish', () => response.end());
      return;
    }
    response.writeHead(200, { 'Content-Length': size });
    createReadStream(file).pipe(response);
  };
  const server =
    typeof place === 'string'
      ? plainServer(listener).listen(place)
      : tlsServer(place, listener).listen(0, '127.0.0.1');
  server.once('listening', () => {
    process.send?.((server.address() as AddressInfo).port ?? 0);
  });
}
