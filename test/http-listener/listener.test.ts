/** Client errors, refusals and shutdown of a listener, with requests written to sockets. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Admission } from '../../src/http-listener/admission.ts';
import { findAmbiguity } from '../../src/http-listener/ambiguous-request.ts';
import type { Connection } from '../../src/http-listener/connection.ts';
import { HttpListener, type HttpListenerOptions } from '../../src/http-listener/listener.ts';
import { onBodyFailure } from '../../src/http-listener/request-body.ts';

const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

const echo = async (request: IncomingMessage, response: ServerResponse, { isLast }: Connection) => {
  if (isLast) response.setHeader('Connection', 'close');
  response.end(`${findAmbiguity(request)?.detail ?? 'ok'}\n`);
};

async function listen(given: Partial<HttpListenerOptions> = {}) {
  const listener = new HttpListener({
    maxHeadBytes: 1_024,
    headMs: 10_000,
    handshakeMs: 10_000,
    idleMs: 10_000,
    stallMs: 10_000,
    reportsIdleLimit: false,
    admission: new Admission({ connections: 10, perAddress: 10 }),
    serve: echo,
    ...given,
  });
  listener.server.listen(0, '127.0.0.1');
  await once(listener.server, 'listening');
  onTestFinished(() => listener.close(0));
  const { port } = listener.server.address() as AddressInfo;
  return { listener, open: () => openRaw(port) };
}

async function openRaw(port: number) {
  const socket: Socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  socket.on('error', () => {});
  const closed = once(socket, 'close').then(() => received);
  await once(socket, 'connect');
  return { socket, closed };
}

const statuses = (text: string) => text.match(/(?<=HTTP\/1\.1 )\d+/g)?.map(Number) ?? [];

describe('invalid HTTP', () => {
  const form = (detail: string) => ({ type: 'text/plain', text: `${detail}\n` });

  it('gets a response without a body after the earlier responses', async () => {
    const { open } = await listen();
    const { socket, closed } = await open();
    socket.write(`${get}${get}nonsense\r\n\r\n`);
    const text = await closed;
    expect(statuses(text)).toEqual([200, 200, 400]);
    expect(text).toMatch(/400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n$/);
  });

  it('gets a response with a body in the form of the listener', async () => {
    const { open } = await listen({ formatErrorBody: form });
    const { socket, closed } = await open();
    socket.write(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(2_000)}\r\n\r\n`);
    expect(await closed).toBe(
      'HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n' +
        'Content-Type: text/plain\r\nContent-Length: 35\r\n\r\nThe request headers are too large.\n',
    );
  });

  it.each([
    ['invalid', 'zz\r\n', false],
    ['ended', '', true],
  ])('in a body is reported to its reader (%s)', async (failure, bytes, isEnded) => {
    const { open } = await listen({
      serve: async (request, response) => {
        const found = await new Promise((resolve) => onBodyFailure(request, resolve));
        response.setHeader('Connection', 'close').end(found);
      },
    });
    const { socket, closed } = await open();
    socket.write(`PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${bytes}`);
    if (isEnded) socket.end();
    const text = await closed;
    expect([statuses(text), text.endsWith(failure)]).toEqual([[200], true]);
  });
});

describe('a late head', () => {
  it('gets 408, after the response to an earlier request that takes longer', async () => {
    let respond: () => void = () => {};
    const { open } = await listen({
      headMs: 50,
      serve: async (_, response) => {
        await new Promise<void>((resolve) => {
          respond = resolve;
        });
        response.end();
      },
    });
    const { socket, closed } = await open();
    socket.write(`${get}GET /`);
    await new Promise((resolve) => setTimeout(resolve, 200));
    respond();
    expect(statuses(await closed)).toEqual([200, 408]);
  });

  it('without a byte gets no response', async () => {
    const { open } = await listen({ headMs: 50 });
    expect(await (await open()).closed).toBe('');
  });
});

describe('an ambiguous request', () => {
  it.each([
    ['Host: x\r\nhost: y\r\n', 'Several Host headers.'],
    ['', 'The Host header is missing.'],
    [
      'Host: x\r\nTransfer-Encoding: xchunked\r\n',
      'The only supported transfer coding is chunked.',
    ],
  ])('is recognized: %j', async (headers, detail) => {
    const { open } = await listen();
    const { socket, closed } = await open();
    socket.write(`GET / HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`);
    expect(await closed).toContain(detail);
  });
});

describe('too many connections', () => {
  it('are refused with 503', async () => {
    const admission = new Admission({ connections: 1, perAddress: 1 });
    const { open } = await listen({ admission });
    await open();
    expect(await (await open()).closed).toMatch(/^HTTP\/1\.1 503 [\s\S]*Retry-After: 5\r\n/);
  });
});

describe('a shutdown', () => {
  it('closes idle connections, and answers all received requests', async () => {
    const received: (() => void)[] = [];
    const { listener, open } = await listen({
      serve: async (request, response, connection) => {
        await new Promise<void>((resolve) => received.push(resolve));
        await echo(request, response, connection);
      },
    });
    const idle = await open();
    const busy = await open();
    busy.socket.write(get + get);
    while (received.length < 1) await new Promise(setImmediate);
    const done = listener.close(10_000);
    expect(await idle.closed).toBe('');
    received[0]?.();
    while (received.length < 2) await new Promise(setImmediate);
    received[1]?.();
    const text = await busy.closed;
    expect(statuses(text)).toEqual([200, 200]);
    expect(text.match(/Connection: close/g)).toHaveLength(1);
    await done;
  });

  it('closes busy connections after the grace period', async () => {
    let isReceived = false;
    const { listener, open } = await listen({
      serve: async () => {
        isReceived = true;
      },
    });
    const { socket, closed } = await open();
    socket.write(get);
    while (!isReceived) await new Promise(setImmediate);
    await listener.close(50);
    expect(await closed).toBe('');
  });
});
