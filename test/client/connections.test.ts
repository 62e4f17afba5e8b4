/** Connections: errors of servers, limits, and keep-alive. */
import { once } from 'node:events';
import { createServer as createPlainServer, type IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { ConnectionError } from '../../src/client/errors.ts';
import { Http, type HttpOptions } from '../../src/client/http.ts';
import { identity } from '../support/stub-server.ts';

const { ca, certificate: cert, key } = identity();
const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function httpWith(options: Partial<HttpOptions> = {}): Promise<Http> {
  const http = new Http({ trust: { ca }, retries: 0, ...options });
  open.push(() => http.close());
  return http;
}

async function listen(server: Server, protocol = 'https'): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(() => server.close());
  return `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Server with a custom handler for connections with a request. */
async function rawServer(answer: (socket: Socket) => void): Promise<string> {
  const server = createTlsServer({ cert, key }, (socket) => {
    open.push(() => socket.destroy());
    socket.on('error', () => {});
    socket.once('data', () => answer(socket));
  });
  return await listen(server);
}

async function catchFailure(origin: string, options: Partial<HttpOptions>): Promise<unknown> {
  const http = await httpWith(options);
  return await http.send({ method: 'GET', origin, path: '/x' }).then(
    ({ status }) => `answered ${status}`,
    (error: unknown) => error,
  );
}

const head = 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n';
const limit = { idleTimeout: 300 };

describe('a server that', () => {
  it.each<[string, (socket: Socket) => void, string, string]>([
    ['hangs up', (socket) => socket.end(), 'connection_lost', 'the server closed the connection'],
    [
      'hangs up in the middle of the head',
      (socket) => socket.end(head.slice(0, 20)),
      'connection_lost',
      'the server closed the connection',
    ],
    ['never responds', () => {}, 'timeout', 'the server accepted the request but does not respond'],
    [
      'sends its head byte by byte, without an end',
      (socket) => {
        socket.write(head.slice(0, -2));
        const timer = setInterval(() => socket.write('X'), 50);
        socket.once('close', () => clearInterval(timer));
      },
      'timeout',
      'the server accepted the request but does not respond',
    ],
    [
      'stops in the middle of the body',
      (socket) => socket.write(`${head}12345`),
      'connection_lost',
      'the response ended early',
    ],
    [
      'hangs up in the middle of the body',
      (socket) => socket.end(`${head}12345`),
      'connection_lost',
      'the server closed the connection',
    ],
  ])('%s', async (_, answer, code, why) => {
    const error = await catchFailure(await rawServer(answer), limit);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ code, message: expect.stringContaining(why) });
  });

  it('does not use HTTP is reported', async () => {
    const error = await catchFailure(
      await rawServer((socket) => socket.write('220 smtp\r\n')),
      limit,
    );
    expect(error).toBeInstanceOf(ConnectionError);
  });

  it('switches to another protocol is refused', async () => {
    const answer = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n';
    const error = await catchFailure(await rawServer((socket) => socket.write(answer)), limit);
    expect(error).toBeInstanceOf(ConnectionError);
  });

  it('is read slowly does not time out', async () => {
    const body = Buffer.alloc(4 * 2 ** 20, 'x');
    const origin = await listen(createServer({ cert, key }, (_, response) => response.end(body)));
    const http = await httpWith(limit);
    const answer = await http.send({ method: 'GET', origin, path: '/', isStreamed: true });
    let length = 0;
    for await (const chunk of answer.stream ?? []) {
      if (length === 0) await new Promise((resolve) => setTimeout(resolve, 900));
      length += chunk.length;
    }
    expect(length).toBe(body.length);
  });
});

describe('a request', () => {
  it('can be interrupted while its body arrives', async () => {
    const origin = await rawServer((socket) => socket.write(`${head}12345`));
    const http = await httpWith();
    const abort = new AbortController();
    const { signal } = abort;
    const sent = http.send({ method: 'GET', origin, path: '/', signal });
    setTimeout(() => abort.abort(new Error('enough')), 100);
    await expect(sent).rejects.toThrow('enough');
  });

  it('for a removal can have a body and its length', async () => {
    const got: string[] = [];
    const server = createServer({ cert, key }, async (request, response) => {
      let text = '';
      for await (const piece of request) text += String(piece);
      got.push(`${request.headers['content-length']} ${request.headers.host} ${text}`);
      response.end();
    });
    const origin = await listen(server);
    const http = await httpWith();
    await http.send({ method: 'DELETE', origin, path: '/x', body: '{"ä":1}' });
    expect(got).toEqual([`8 ${new URL(origin).host} {"ä":1}`]);
  });

  it.each([
    ['content-length', '3'],
    ['Transfer-Encoding', 'chunked'],
    ['connection', 'upgrade'],
    ['expect', '100-continue'],
  ])('with the header %s is refused', async (name, value) => {
    const origin = await listen(createServer({ cert, key }, (_, response) => response.end()));
    const http = await httpWith();
    const sent = http.send({ method: 'GET', origin, path: '/', headers: { [name]: value } });
    await expect(sent).rejects.toThrow(`invalid ${name} header`);
  });

  it('works without TLS', async () => {
    const origin = await listen(
      createPlainServer((_, response) => response.end('plain')),
      'http',
    );
    const answer = await (await httpWith()).send({ method: 'GET', origin, path: '/' });
    expect(Buffer.from(answer.body).toString()).toBe('plain');
  });
});

it('joins headers, converts names to lower case, and accepts UTF-8', async () => {
  const origin = await rawServer((socket) =>
    socket.end(
      'HTTP/1.1 200 OK\r\nX-One: a\r\nx-one: b\r\nContent-Type: t/1\r\nContent-Type: t/2\r\n' +
        'Set-Cookie: c\r\nX-Name: Jürgen\r\nContent-Length: 0\r\n\r\n',
    ),
  );
  const { headers } = await (await httpWith()).send({ method: 'GET', origin, path: '/' });
  expect(headers).toMatchObject({
    'x-one': 'a, b',
    'content-type': 't/1, t/2',
    'set-cookie': 'c',
    'x-name': 'Jürgen',
  });
});

describe('connections', () => {
  /**
   * Counts connections and requests. The first responses wait until `together` requests are
   * pending.
   */
  async function countingServer(headers: Record<string, string>, together = 1) {
    const sockets = new Set<Socket>();
    let release = () => {};
    const areThere = new Promise<void>((resolve) => {
      release = resolve;
    });
    let now = 0;
    let most = 0;
    const server = createServer({ cert, key }, (request: IncomingMessage, response) => {
      sockets.add(request.socket);
      now += 1;
      most = Math.max(most, now);
      if (now >= together) release();
      const answer = () => {
        now -= 1;
        response.writeHead(200, headers).end('x');
      };
      void areThere.then(() => setTimeout(answer, 20));
    });
    server.keepAliveTimeout = 60_000;
    return { origin: await listen(server), sockets, most: () => most };
  }

  it('are limited to eight', async () => {
    const { origin, sockets, most } = await countingServer({}, 8);
    const http = await httpWith();
    const one = () => http.send({ method: 'GET', origin, path: '/' });
    await Promise.all(Array.from({ length: 20 }, one));
    expect([sockets.size, most()]).toEqual([8, 8]);
  });

  it('can be interrupted in the queue, without a warning about listeners', async () => {
    const { origin } = await countingServer({});
    const abort = new AbortController();
    const http = await httpWith({ signal: abort.signal });
    const warnings: unknown[] = [];
    const warn = (warning: unknown) => warnings.push(warning);
    process.on('warning', warn);
    open.push(() => process.off('warning', warn));
    const one = () => http.send({ method: 'GET', origin, path: '/' });
    const all = Promise.allSettled(Array.from({ length: 30 }, one));
    abort.abort(new Error('enough'));
    for (const result of await all) {
      expect(result).toMatchObject({ status: 'rejected', reason: { message: 'enough' } });
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(warnings).toEqual([]);
  });

  it('stay open for the time that the server sends, or four seconds by default', async () => {
    const silent = await countingServer({ 'keep-alive': '' });
    const telling = await countingServer({ 'keep-alive': 'timeout=60' });
    const http = await httpWith();
    const ask = async () => {
      for (const { origin } of [silent, telling]) {
        await http.send({ method: 'GET', origin, path: '/' });
        await http.send({ method: 'GET', origin, path: '/' });
      }
    };
    await ask();
    expect([silent.sockets.size, telling.sockets.size]).toEqual([1, 1]);
    await new Promise((resolve) => setTimeout(resolve, 4_500));
    await ask();
    expect([silent.sockets.size, telling.sockets.size]).toEqual([2, 1]);
  }, 15_000);
});
