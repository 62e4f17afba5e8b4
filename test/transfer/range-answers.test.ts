/** Responses to one range, byte by byte: accepted, refused, and their effect on the connection. */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RangeConnection, type RangeRequest } from '../../src/transfer/range-connection.ts';
import { RangePool } from '../../src/transfer/range-pool.ts';
import { catchFailure } from './support/collect.ts';

let server: Server;
let origin: string;
let sockets: Socket[];
let asked: string[];
/** Connections with at least one request. */
let used: Set<Socket>;
let connection: RangeConnection;
let stop: AbortController;
/** Response to the n-th request, from 1. */
let answer: (socket: Socket, count: number) => void;

beforeEach(async () => {
  sockets = [];
  asked = [];
  used = new Set();
  stop = new AbortController();
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (request) => {
      asked.push(request.toString());
      used.add(socket);
      answer(socket, asked.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  connection = new RangeConnection({ origin, trust: {} });
});

afterEach(async () => {
  connection.close();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

/** Request for ten bytes from an offset. */
function ten(first = 0): RangeRequest & { readonly buffer: Buffer } {
  const { signal } = stop;
  return { path: '/images/x', first, last: first + 9, buffer: Buffer.alloc(10, '-'), signal };
}

function partial(body: string, ...more: readonly string[]): string {
  const fields = ['Content-Range: bytes 0-9/*', `Content-Length: ${body.length}`, ...more];
  return `HTTP/1.1 206 Partial Content\r\n${fields.join('\r\n')}\r\n\r\n${body}`;
}

describe('ten bytes', () => {
  it('are requested by first and last byte, and stored at the offset', async () => {
    answer = (socket) => socket.write(partial('0123456789'));
    const request = ten();
    expect(await connection.get(request)).toEqual({ status: 206, text: '' });
    expect(request.buffer.toString()).toBe('0123456789');
    const host = new URL(origin).host;
    expect(asked).toEqual([`GET /images/x HTTP/1.1\r\nhost: ${host}\r\nrange: bytes=0-9\r\n\r\n`]);
    expect(connection).toMatchObject({ isUsable: true, isUsed: true, hasBegun: false });
  });

  it.each([
    ['with names of fields in any case', partial('0123456789').replace('Content-L', 'CONTENT-l')],
    ['with other fields', partial('0123456789', 'X-Content-Length: 5', 'Server: a')],
    ['with a length of the image', partial('0123456789').replace('/*', '/4096')],
    ['with blanks around values', partial('0123456789').replace('th: 10', 'th:  10  ')],
  ])('are accepted %s', async (_, text) => {
    answer = (socket) => socket.write(text);
    const request = ten();
    expect((await connection.get(request)).status).toBe(206);
    expect(request.buffer.toString()).toBe('0123456789');
    expect(connection.isUsable).toBe(true);
  });

  it.each([
    ['that closes', partial('0123456789', 'Connection: Close')],
    ['with HTTP 1.0', partial('0123456789').replace('1.1', '1.0')],
  ])('are accepted from a connection %s, which is then closed', async (_, text) => {
    answer = (socket) => socket.write(text);
    const request = ten();
    expect((await connection.get(request)).status).toBe(206);
    expect(request.buffer.toString()).toBe('0123456789');
    expect(connection.isUsable).toBe(false);
    await expect(connection.get(ten())).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
    expect(asked).toHaveLength(1);
  });

  it('arrive in two parts, followed by the next ten bytes', async () => {
    answer = (socket, count) => {
      const text = partial(count === 1 ? '0123456789' : 'abcdefghij');
      socket.write(text.slice(0, -4), () => setImmediate(() => socket.write(text.slice(-4))));
    };
    for (const expected of ['0123456789', 'abcdefghij']) {
      const request = ten();
      expect((await connection.get(request)).status).toBe(206);
      expect(request.buffer.toString()).toBe(expected);
    }
  });
});

describe('no bytes', () => {
  it.each([
    ['a short refusal', 'HTTP/1.1 404 No\r\nContent-Length: 3\r\n\r\nNo.', 404, 'No.', true],
    ['a refusal without a text', 'HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n', 403, '', true],
    ['a refusal without a length', 'HTTP/1.1 503 No\r\n\r\nNo.', 503, '', false],
    [
      'a refusal that closes',
      'HTTP/1.1 500 No\r\nConnection: close\r\nContent-Length: 3\r\n\r\nNo.',
      ...([500, 'No.', false] as const),
    ],
    [
      'a refusal that is long',
      `HTTP/1.1 500 No\r\nContent-Length: 65537\r\n\r\n${'x'.repeat(65_537)}`,
      ...([500, '', false] as const),
    ],
    [
      'a refusal of the maximum length',
      `HTTP/1.1 500 No\r\nContent-Length: 65536\r\n\r\n${'x'.repeat(65_536)}`,
      ...([500, 'x'.repeat(65_536), true] as const),
    ],
  ])('arrive with %s', async (_, text, status, said, usable) => {
    answer = (socket) => socket.write(text);
    const request = ten();
    expect(await connection.get(request)).toEqual({ status, text: said });
    expect(request.buffer.toString()).toBe('----------');
    expect(connection.isUsable).toBe(usable);
  });

  const bad = (what: string) => `cannot download the image: the image daemon ${what}`;
  it.each([
    [
      'the complete image',
      'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789',
      bad('does not support ranges'),
    ],
    ['another protocol', 'SSH-2.0-OpenSSH\r\n\r\n', bad('does not use HTTP')],
    ['another version', 'HTTP/2.0 206 OK\r\n\r\n', bad('does not use HTTP')],
    ['a longer number', 'HTTP/1.1 2061 OK\r\n\r\n', bad('does not use HTTP')],
    ['a head without an end', 'x'.repeat(16_384), bad('does not use HTTP')],
    [
      'another range',
      partial('0123456789').replace('0-9', '10-19'),
      bad('sends another range than requested'),
    ],
    [
      'a range with the same beginning',
      partial('0123456789').replace('0-9', '0-99'),
      bad('sends another range than requested'),
    ],
    [
      'no range',
      partial('0123456789').replace(/Content-Range.*\r\n/, ''),
      bad('sends another range than requested'),
    ],
    [
      'no length',
      partial('0123456789').replace(/Content-Length.*\r\n/, ''),
      bad('sends no content length'),
    ],
    [
      'an invalid length',
      partial('0123456789').replace('th: 10', 'th: 10x'),
      bad('sends no content length'),
    ],
    ['too many bytes', partial('0123456789x'), bad('sends more data than requested')],
    ['too few bytes', partial('012345678'), 'short'],
    ['more bytes than declared', `${partial('0123456789')}x`, 'data after the response'],
    [
      'a refusal with additional bytes',
      'HTTP/1.1 404 No\r\nContent-Length: 3\r\n\r\nNo.x',
      'data after the response',
    ],
  ])('are accepted from %s', async (_, text, message) => {
    answer = (socket) => socket.write(text);
    const code = message.startsWith('cannot download') ? 'bad_answer' : 'UND_ERR_SOCKET';
    expect(await catchFailure(connection.get(ten()))).toMatchObject({ message, code });
    expect(connection.isUsable).toBe(false);
  });

  it('arrive after a lost connection', async () => {
    answer = (socket) => socket.end(partial('0123456789').slice(0, -3));
    expect(await catchFailure(connection.get(ten()))).toMatchObject({ code: 'UND_ERR_SOCKET' });
    expect(connection).toMatchObject({ isUsable: false, isUsed: false, hasBegun: true });
  });

  it('are requested after a stop, which also ends the wait', async () => {
    const reason = new Error('enough');
    answer = () => stop.abort(reason);
    expect(await catchFailure(connection.get(ten()))).toBe(reason);
    expect(connection.isUsable).toBe(false);
    const other = new RangeConnection({ origin, trust: {} });
    expect(await catchFailure(other.get(ten()))).toBe(reason);
    expect(other.isUsable).toBe(true);
    other.close();
    expect(other.isUsable).toBe(false);
  });
});

describe('a rate limit', () => {
  it('receives the count of all bytes, and delays them', async () => {
    const text = partial('0123456789');
    answer = (socket) => socket.write(text);
    let passed = 0;
    let isOver = false;
    const pass = async (count: number) => {
      passed += count;
      await new Promise(setImmediate);
      expect(isOver).toBe(false);
    };
    const request = { ...ten(), pace: { piece: 4, pass } };
    const { status } = await connection.get(request);
    isOver = true;
    expect(status).toBe(206);
    expect(request.buffer.toString()).toBe('0123456789');
    expect(passed).toBe(text.length);
  });

  it('that ends with the request does not affect it', async () => {
    answer = (socket) => socket.write(partial('0123456789'));
    const reason = new Error('enough');
    const pass = async () => {
      stop.abort(reason);
      throw reason;
    };
    expect(await catchFailure(connection.get({ ...ten(), pace: { piece: 4, pass } }))).toBe(reason);
  });

  it('does not delay a refusal', async () => {
    answer = (socket) => socket.write('HTTP/1.1 404 No\r\nContent-Length: 3\r\n\r\nNo.');
    const pass = () => new Promise<void>(() => undefined);
    expect(await connection.get({ ...ten(), pace: { piece: 1, pass } })).toEqual({
      ...{ status: 404, text: 'No.' },
    });
  });
});

describe('a local socket', () => {
  it('is used with the host localhost', async () => {
    const socketPath = join(tmpdir(), `vmctl-range-${process.pid}.sock`);
    const local = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (request) => {
        asked.push(request.toString());
        socket.end(partial('0123456789'));
      });
    });
    await new Promise<void>((resolve) => local.listen(socketPath, resolve));
    const other = new RangeConnection({ origin: 'https://nowhere.invalid', trust: {}, socketPath });
    const request = ten();
    expect((await other.get(request)).status).toBe(206);
    expect(request.buffer.toString()).toBe('0123456789');
    expect(asked[0]).toContain('\r\nhost: localhost\r\n');
    other.close();
    await new Promise((resolve) => local.close(resolve));
  });
});

describe('a pool', () => {
  let pool: RangePool;

  beforeEach(() => {
    pool = new RangePool();
  });

  afterEach(() => pool.close());

  it('uses an idle connection, and opens others for concurrent requests', async () => {
    answer = (socket) => socket.write(partial('0123456789'));
    for (const _ of [1, 2, 3]) await pool.get({ origin, trust: {} }, ten());
    expect(used.size).toBe(1);
    await Promise.all([1, 2, 3].map(() => pool.get({ origin, trust: {} }, ten())));
    expect(used.size).toBe(3);
    await Promise.all([1, 2, 3].map(() => pool.get({ origin, trust: {} }, ten())));
    expect(used.size).toBe(3);
    expect(asked).toHaveLength(9);
  });

  it('retries if an idle connection was closed', async () => {
    answer = (socket, count) => {
      if (count === 2) socket.destroy();
      else socket.write(partial('0123456789'));
    };
    await pool.get({ origin, trust: {} }, ten());
    expect((await pool.get({ origin, trust: {} }, ten())).status).toBe(206);
    expect(asked).toHaveLength(3);
    expect(used.size).toBe(2);
  });

  it('does not retry over a new connection, or after the first response bytes', async () => {
    answer = (socket) => socket.destroy();
    await catchFailure(pool.get({ origin, trust: {} }, ten()));
    expect(asked).toHaveLength(1);
    answer = (socket, count) => {
      if (count === 3) socket.end('HTTP/1.1 206');
      else socket.write(partial('0123456789'));
    };
    await pool.get({ origin, trust: {} }, ten());
    expect(await catchFailure(pool.get({ origin, trust: {} }, ten()))).toMatchObject({
      code: 'UND_ERR_SOCKET',
    });
    expect(asked).toHaveLength(3);
  });

  it('ends its requests when it is closed, and keeps no connections', async () => {
    answer = () => pool.close();
    expect(await catchFailure(pool.get({ origin, trust: {} }, ten()))).toMatchObject({
      ...{ message: 'closed', code: 'UND_ERR_SOCKET' },
    });
    answer = (socket) => socket.write(partial('0123456789'));
    await pool.get({ origin, trust: {} }, ten());
    await pool.get({ origin, trust: {} }, ten());
    expect(used.size).toBe(3);
  });
});
