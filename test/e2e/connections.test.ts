/** Behaviour of connections for foreign clients, with requests written to sockets. */
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawApi, send } from '../support/raw.ts';
import { type ServerProcess, startServerProcess } from '../support/server.ts';

let server: ServerProcess;
let api: RawApi;

beforeAll(async () => {
  server = await startServerProcess(['--speed', '0', '--inventory', 'hosts=2,vms=60']);
  api = await RawApi.signIn(server);
});

afterAll(async () => {
  await server.stop();
});

function open(): Promise<TLSSocket> {
  const { hostname, port } = new URL(server.ready.base_url);
  const options: ConnectionOptions = { host: hostname, port: Number(port), ca: server.ca };
  return new Promise((resolve, reject) => {
    const socket = connect(options, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Received text until the server closes the connection or the condition is met. */
function received(socket: TLSSocket, met = (_: string) => false): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.on('data', (piece: Buffer) => {
      text += piece.toString('latin1');
      if (met(text)) resolve(text);
    });
    socket.once('end', () => resolve(text));
    socket.once('close', () => resolve(text));
    socket.once('error', reject);
  });
}

function head(path: string, headers: readonly string[] = [], method = 'GET'): string {
  const { host, pathname } = new URL(server.ready.api_url);
  const lines = [`Host: ${host}`, `Authorization: Bearer ${api.token}`, ...headers];
  return `${method} ${pathname}${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

/** Bodies of consecutive responses. */
function bodiesIn(text: string): string[] {
  const bodies: string[] = [];
  for (let rest = text; rest.startsWith('HTTP/1.1 '); ) {
    const start = rest.indexOf('\r\n\r\n') + 4;
    const head = rest.slice(0, start);
    // Slow responses on a busy computer are chunked.
    const found = /transfer-encoding: chunked/i.test(head)
      ? chunksIn(rest.slice(start))
      : wholeIn(rest.slice(start), Number(/content-length: (\d+)/i.exec(head)?.[1]));
    if (!found) break;
    bodies.push(found.body);
    rest = rest.slice(start + found.length);
  }
  return bodies;
}

interface FoundBody {
  readonly body: string;
  /** Number of characters, including chunk headers. */
  readonly length: number;
}

function wholeIn(text: string, length: number): FoundBody | undefined {
  return text.length >= length ? { body: text.slice(0, length), length } : undefined;
}

function chunksIn(text: string): FoundBody | undefined {
  let body = '';
  let at = 0;
  for (;;) {
    const [line, size] = /^([0-9a-f]+)\r\n/i.exec(text.slice(at)) ?? [];
    const length = Number.parseInt(size ?? '', 16);
    if (line === undefined || text.length < at + line.length + length + 2) return undefined;
    body += text.slice(at + line.length, at + line.length + length);
    at += line.length + length + 2;
    if (length === 0) return { body, length: at };
  }
}

describe('a connection', () => {
  it('without a request is closed silently, with a partial request after 408', async () => {
    const [silent, half, second] = await Promise.all([open(), open(), open()]);
    half.write(head('/vms').slice(0, -2));
    second.write(`${head('/tags')}GET /virt-app`);
    const answers = await Promise.all([received(silent), received(half), received(second)]);
    expect(answers[0]).toBe('');
    expect(answers[1]).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(answers[2]?.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 408']);
  });

  it('that is idle after a response gets no 400', async () => {
    const socket = await open();
    const answer = received(socket, (text) => bodiesIn(text).length === 1);
    socket.write(head('/tags'));
    await answer;
    const rest = received(socket);
    socket.end();
    expect(await rest).toBe('');
  });

  it('without HTTP gets 400', async () => {
    const socket = await open();
    const answer = received(socket);
    socket.write('hello\r\n\r\n');
    expect(await answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  });

  it('gets the responses to valid requests before the 400 for invalid data', async () => {
    const socket = await open();
    const answer = received(socket);
    socket.write(`${head('/vms?max=5')}${head('/tags')}nonsense\r\n\r\n`);
    expect((await answer).match(/HTTP\/1\.1 \d+/g)).toEqual([
      'HTTP/1.1 200',
      'HTTP/1.1 200',
      'HTTP/1.1 400',
    ]);
  });
});

describe('pipelined requests', () => {
  it.each([
    ['eight answers of 8 KiB', '/vms?max=3', 8],
    ['a hundred answers', '/tags', 100],
    ['answers longer than any buffer', '/vms?search=sortby%20name&all_content=true', 6],
  ])('are all answered: %s', async (_, path, count) => {
    const plain = await api.call('GET', path);
    expect(plain.status).toBe(200);
    const socket = await open();
    // With Content-Length, or chunked.
    const met = (text: string) =>
      text.split('HTTP/1.1 200').length - 1 === count &&
      /<\/\w+>\n(\r\n0\r\n\r\n)?$/.test(text.slice(-60));
    const answers = received(socket, (text) => met(text));
    // Long heads, so that the requests do not arrive in one packet.
    socket.write(head(path, [`X-Padding: ${'x'.repeat(8_000)}`]).repeat(count));
    const text = await answers;
    socket.destroy();
    expect(text.split('HTTP/1.1 200')).toHaveLength(count + 1);
  });

  it('are executed and answered in order', async () => {
    const socket = await open();
    const names = Array.from({ length: 20 }, (_, index) => `pipelined-${index}`);
    const xml = ['Content-Type: application/xml'];
    const answers = received(socket, (text) => bodiesIn(text).length === 40);
    for (const name of names) {
      const body = `<tag><name>${name}</name></tag>`;
      socket.write(
        `${head('/tags', [...xml, `Content-Length: ${body.length}`], 'POST')}${body}${head('/tags')}`,
      );
    }
    const bodies = bodiesIn(await answers);
    socket.destroy();
    for (const [index, name] of names.entries()) {
      expect(bodies[2 * index]).toContain(`<name>${name}</name>`);
      expect(bodies[2 * index + 1]).toContain(`<name>${name}</name>`);
      expect(bodies[2 * index + 1]).not.toContain(`<name>${names[index + 1]}</name>`);
    }
  });
});

describe('a request', () => {
  it('with a second Host header is refused', async () => {
    const socket = await open();
    const answer = received(socket);
    socket.write(head('/tags', ['host: elsewhere.example.com']));
    expect(await answer).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('an answer', () => {
  const list = '/vms?all_content=true';

  it.each([
    ['gzip', true],
    ['deflate, gzip;q=0.5', true],
    ['*', true],
    ['gzip;q=0', false],
    ['*;q=0', false],
    ['identity, gzip;q=0.5', false],
    ['br', false],
    ['', false],
  ])('is compressed on request: %s', async (encoding, packed) => {
    for (const path of [list, '/vms?max=1', '/clusters']) {
      const plain = await api.call('GET', path);
      const answer = await api.call('GET', path, { headers: { 'Accept-Encoding': encoding } });
      expect(answer.headers['vary']).toBe('Accept-Encoding');
      expect(answer.headers['content-encoding']).toBe(packed ? 'gzip' : undefined);
      const bytes = packed ? gunzipSync(answer.bytes) : answer.bytes;
      expect(bytes.toString()).toBe(plain.text);
      if (packed) expect(answer.bytes.length).toBeLessThan(plain.bytes.length);
    }
  });

  it('is not compressed if it is tiny', async () => {
    const headers = { 'Accept-Encoding': 'gzip' };
    const { headers: tiny } = await api.call('GET', '/bookmarks', { headers });
    expect(tiny['content-encoding']).toBeUndefined();
  });

  it('of the image daemon is never compressed', async () => {
    const url = `${new URL(server.ready.upload_url).origin}/images/x`;
    const headers = { 'Accept-Encoding': 'gzip' };
    const answer = await send(url, { method: 'OPTIONS', ca: server.ca, headers });
    expect(answer.headers['content-encoding']).toBeUndefined();
  });
});

describe('certificates', () => {
  it('can be concatenated', async () => {
    expect(server.ca.endsWith('-----END CERTIFICATE-----\n')).toBe(true);
    for (const format of ['X509-PEM-CA', 'X509-PEM']) {
      for (const resource of ['ca-certificate', 'engine-certificate']) {
        const query = `resource=${resource}&format=${format}`;
        const url = `${server.ready.base_url}/services/pki-resource?${query}`;
        const { text } = await send(url, { ca: server.ca });
        expect(text.endsWith('-----END CERTIFICATE-----\n'), query).toBe(true);
      }
    }
  });
});
