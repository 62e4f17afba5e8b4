/** Ranges over direct connections: with TLS, in small chunks, slowly, repeatedly. */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createPlain, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { InterruptedError } from '../../src/client/errors.ts';
import { Http } from '../../src/client/http.ts';
import { BLOCK } from '../../src/transfer/blocks.ts';
import { RateLimit } from '../../src/transfer/rate-limit.ts';
import { RemoteImage } from '../../src/transfer/remote-image.ts';
import { identity } from '../support/stub-server.ts';

const bytes = randomBytes(3 * BLOCK);
let stop: AbortController;
let http: Http;
let url: string;
let requests: number;
let closers: (() => void)[];

beforeEach(async () => {
  stop = new AbortController();
  requests = 0;
  const { ca, certificate, key } = identity();
  http = new Http({ trust: { ca } });
  const server = createServer({ cert: certificate, key }, (request, response) => {
    requests += 1;
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(String(request.headers.range)) ?? [];
    const part = bytes.subarray(Number(first), Number(last) + 1);
    response.writeHead(206, {
      'content-length': part.length,
      'content-range': `bytes ${first}-${last}/*`,
    });
    response.end(part);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/images/ticket`;
  closers = [() => server.closeAllConnections(), () => server.close()];
});

afterEach(async () => {
  stop.abort();
  for (const close of closers) close();
  await http.close();
});

function image(limit?: RateLimit, at = url): RemoteImage {
  const options = { http, signal: stop.signal, retries: 0 };
  return new RemoteImage(at, { ...options, ...(limit ? { limit } : {}) });
}

async function readAll(remote: RemoteImage): Promise<Buffer> {
  const all = Buffer.alloc(bytes.length);
  await Promise.all(
    [0, 1, 2].map((block) => {
      const range = { start: block * BLOCK, end: (block + 1) * BLOCK };
      return remote.read(range, all.subarray(range.start, range.end));
    }),
  );
  return all;
}

it('arrive unchanged, concurrently and repeatedly', async () => {
  const remote = image();
  for (const _ of [1, 2]) expect((await readAll(remote)).equals(bytes)).toBe(true);
  expect(requests).toBe(6);
});

it('wait for the rate limit with TLS too', async () => {
  let now = 0;
  const pauses: number[] = [];
  const limit = new RateLimit(BLOCK, {
    now: () => now,
    pause: async (milliseconds) => {
      pauses.push(milliseconds);
      await new Promise((resolve) => setImmediate(resolve));
      now += milliseconds;
    },
  });
  expect((await readAll(image(limit))).equals(bytes)).toBe(true);
  expect(pauses.length).toBeGreaterThan(0);
});

it('can be stopped while they wait', async () => {
  const reason = new InterruptedError('SIGTERM');
  const end = stop;
  const limit = new RateLimit(1, {
    now: () => 0,
    pause: (_, signal) =>
      new Promise((__, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        setImmediate(() => end.abort(reason));
      }),
  });
  await expect(readAll(image(limit))).rejects.toBe(reason);
});

/** Server with scripted responses. */
async function answering(answer: (socket: Socket, count: number) => void): Promise<string> {
  let count = 0;
  const server = createPlain((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => {
      count += 1;
      answer(socket, count);
    });
    closers.push(() => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/images/x`;
}

const head = 'HTTP/1.1 206 OK\r\nContent-Range: bytes 0-9/*\r\nContent-Length: 10\r\n\r\n';

it('can arrive byte by byte', async () => {
  const at = await answering((socket) => {
    const left = [...`${head}0123456789`];
    const next = () => {
      const byte = left.shift();
      if (byte !== undefined) socket.write(byte, () => setImmediate(next));
    };
    next();
  });
  const buffer = Buffer.alloc(10);
  await image(undefined, at).read({ start: 0, end: 10 }, buffer);
  expect(buffer.toString()).toBe('0123456789');
});

it('arrive over another connection if the first was closed in the meantime', async () => {
  const at = await answering((socket, count) => {
    if (count === 2) socket.destroy();
    else socket.write(`${head}0123456789`);
  });
  const remote = image(undefined, at);
  const buffer = Buffer.alloc(10);
  await remote.read({ start: 0, end: 10 }, buffer);
  await remote.read({ start: 0, end: 10 }, buffer.fill(0));
  expect(buffer.toString()).toBe('0123456789');
  expect(remote.epoch).toBe(0);
});

it('are refused with a readable part of the reason', async () => {
  const reason = 'x'.repeat(501);
  const at = await answering((socket) =>
    socket.write(`HTTP/1.1 404 No\r\nContent-Length: 501\r\n\r\n${reason}`),
  );
  await expect(image(undefined, at).read({ start: 0, end: 10 }, Buffer.alloc(10))).rejects.toThrow(
    /^download the image: the image daemon reports: x{500}$/,
  );
});

it.each([
  ['another protocol', `${'x'.repeat(20_000)}`, 'bad_answer'],
  ['the complete image', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789', 'bad_answer'],
  ['more than requested', head.replace('h: 10', 'h: 11'), 'bad_answer'],
  ['no length', head.replace(/Content-Length.*\r\n/, ''), 'bad_answer'],
  ['less than requested', head.replace('h: 10', 'h: 9'), 'connection_lost'],
  ['bytes after the end', `${head}0123456789x`, 'connection_lost'],
  ['a refusal without an end', 'HTTP/1.1 403 No\r\n\r\nNo.', 'ticket_refused'],
])('are not accepted from %s', async (_, answer, code) => {
  const at = await answering((socket) => socket.write(answer));
  const read = image(undefined, at).read({ start: 0, end: 10 }, Buffer.alloc(10));
  await expect(read).rejects.toMatchObject({ code });
});
