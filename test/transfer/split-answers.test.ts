/**
 * Responses to ranges that arrive in two reads, split at every byte of head and body: over TCP, TLS
 * and a local socket, with and without a rate limit, over one connection and several.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import {
  type AddressInfo,
  createServer as createPlain,
  type ListenOptions,
  type Server,
  type Socket,
} from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTls } from 'node:tls';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { DaemonEndpoint } from '../../src/transfer/range-connection.ts';
import { RangePool } from '../../src/transfer/range-pool.ts';
import { RateLimit } from '../../src/transfer/rate-limit.ts';
import { identity } from '../support/stub-server.ts';

const SIZE = 40;
const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));

let server: Server;
let pool: RangePool;
let folder: string;
const sockets = new Set<Socket>();
/** Split position of the next responses, and all split positions. */
let at: number;
const split = new Set<number>();

/** Waits until the other side, in this process, has read all written bytes. */
async function read(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

function createAnswer(request: string): Buffer {
  const [, first = '0', last = '0'] = /range: bytes=(\d+)-(\d+)/.exec(request) ?? [];
  const part = bytes.subarray(Number(first), Number(last) + 1);
  return Buffer.concat([
    Buffer.from(
      `HTTP/1.1 206 Partial Content\r\nContent-Range: bytes ${first}-${last}/256\r\nContent-Length: ${part.length}\r\n\r\n`,
    ),
    part,
  ]);
}

/** Answers each request in two parts. */
function serve(socket: Socket): void {
  sockets.add(socket);
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  socket.on('data', async (request: Buffer) => {
    const answer = createAnswer(request.toString());
    const where = at % answer.length;
    split.add(where);
    await new Promise((resolve) => socket.write(answer.subarray(0, where), resolve));
    await read();
    socket.write(answer.subarray(where));
  });
}

async function listening(kind: string): Promise<DaemonEndpoint> {
  const { ca, certificate, key } = identity();
  server = kind === 'tls' ? createTls({ cert: certificate, key }) : createPlain();
  server.on(kind === 'tls' ? 'secureConnection' : 'connection', serve);
  const path = join(folder, 'socket');
  const listen: ListenOptions = kind === 'socket' ? { path } : { port: 0, host: '127.0.0.1' };
  await new Promise<void>((resolve) => server.listen(listen, resolve));
  if (kind === 'socket') return { origin: 'https://127.0.0.1', trust: {}, socketPath: path };
  const { port } = server.address() as AddressInfo;
  return { origin: `${kind === 'tls' ? 'https' : 'http'}://127.0.0.1:${port}`, trust: { ca } };
}

beforeEach(() => {
  pool = new RangePool();
  folder = mkdtempSync(join(tmpdir(), 'vmctl-split-'));
  split.clear();
});

afterEach(() => {
  pool.close();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Rate limit whose clock moves only during its pauses. */
function limited(): RateLimit {
  let now = 0;
  return new RateLimit(1_000, {
    now: () => now,
    pause: async (milliseconds) => {
      await read();
      now += milliseconds;
    },
  });
}

async function get(
  place: DaemonEndpoint,
  first: number,
  limit: RateLimit | undefined,
): Promise<Buffer> {
  const { signal } = new AbortController();
  const buffer = Buffer.alloc(SIZE);
  const { status } = await pool.get(place, {
    ...{ path: '/images/x', first, last: first + SIZE - 1, buffer, signal },
    // A piece is smaller than the body, which arrives in more than two reads.
    ...(limit ? { pace: { piece: 16, pass: (count) => limit.acquire(count, signal) } } : {}),
  });
  expect(status).toBe(206);
  return buffer;
}

const ways = ['tcp', 'tls', 'socket'].flatMap((kind) =>
  [1, 3].flatMap((parallel) =>
    ['at once', 'with a limit'].map((rate) => [kind, parallel, rate] as const),
  ),
);

it.each(ways)('C4 over %s, %s at a time, %s', async (kind, parallel, rate) => {
  const place = await listening(kind);
  const whole = createAnswer(`range: bytes=0-${SIZE - 1}`).length;
  const limit = rate === 'at once' ? undefined : limited();
  for (at = 0; at < whole; at += 1) {
    const starts = Array.from({ length: parallel }, (_, index) => index * SIZE);
    const parts = await Promise.all(starts.map((first) => get(place, first, limit)));
    const wanted = starts.map((first) => bytes.subarray(first, first + SIZE));
    expect(parts, `split at byte ${at}`).toEqual(wanted);
  }
  expect(split.size).toBeGreaterThanOrEqual(whole - 2);
  expect(sockets.size).toBe(parallel);
});
