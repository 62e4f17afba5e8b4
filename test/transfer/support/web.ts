/** Web server with one file and configurable features. */

import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { identity } from '../../support/stub-server.ts';

export interface WebFeatures {
  /** Supports ranges, and sends a version. */
  readonly ranges?: boolean;
  readonly etag?: () => string;
  /** Sends the length. */
  readonly length?: boolean;
  /** Ends the response after this count of bytes. */
  readonly cut?: (request: number) => number | undefined;
}

export interface Web {
  readonly url: string;
  readonly ca: string;
  /** Requested ranges. */
  readonly asked: string[];
  close(): Promise<void>;
}

/** Serves a file at `/NAME`, and a redirect to it at `/moved/NAME`. */
export async function serveFile(
  path: string,
  name: string,
  features: WebFeatures = {},
): Promise<Web> {
  const { ca, certificate, key } = identity();
  const bytes = readFileSync(path);
  const asked: string[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    if (request.url === `/moved/${name}`) {
      response.writeHead(302, { location: `/${name}` }).end();
      return;
    }
    if (request.url?.split('?')[0] !== `/${name}`) {
      response.writeHead(404).end('nothing');
      return;
    }
    asked.push(request.headers.range ?? '');
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    const ranged = features.ranges !== false && range;
    const first = ranged ? Number(range[1]) : 0;
    const last = ranged ? Math.min(Number(range[2]), bytes.length - 1) : bytes.length - 1;
    const body = bytes.subarray(first, last + 1);
    response.writeHead(ranged ? 206 : 200, {
      ...(features.etag ? { etag: features.etag() } : {}),
      ...(features.length === false ? {} : { 'content-length': body.length }),
      ...(ranged ? { 'content-range': `bytes ${first}-${last}/${bytes.length}` } : {}),
    });
    const cut = features.cut?.(asked.length);
    if (cut === undefined) response.end(body);
    else response.write(body.subarray(0, cut), () => response.destroy());
  };
  const server = createServer({ cert: certificate, key }, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://localhost:${port}/${name}`,
    ca,
    asked,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
