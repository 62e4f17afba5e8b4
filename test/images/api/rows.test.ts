// Rows of the images protocol over raw sockets that no other test in this folder covers.
import { connect as connectTls } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { certificate } from '../support/certificate.ts';
import { keepAliveAgent, pattern, startHarness } from '../support/harness.ts';
import { onEachBackend } from '../support/on-backends.ts';

const SIZE = 16 * 1024;
const HOST = 'Host: x\r\n';
const CLOSE = 'Connection: close\r\n';

onEachBackend((startHarness) => {
  /** Image of 16 KiB, and a client that sends a text and reads until the connection ends. */
  async function setUp(ops: ('read' | 'write')[] = ['read', 'write']) {
    const harness = await startHarness();
    const file = await harness.image({ content: pattern(SIZE), ops });
    const exchange = async (text: string) => {
      const client = await harness.connect();
      client.send(text);
      return client.closed;
    };
    return { ...harness, exchange, file };
  }

  const get = (headers = '', path = '/images/image') =>
    `GET ${path} HTTP/1.1\r\n${HOST}${headers}${CLOSE}\r\n`;
  const body = (received: string) =>
    Buffer.from(received.slice(received.indexOf('\r\n\r\n') + 4), 'latin1');

  describe('GET', () => {
    it.each([
      ['If-Range is ignored', get('Range: bytes=1-2\r\nIf-Range: "x"\r\n'), 206, 2],
      ['conditions are ignored', get('If-None-Match: *\r\n'), 200, SIZE],
      ['Accept-Encoding changes nothing', get('Accept-Encoding: gzip\r\n'), 200, SIZE],
      ['an unknown query is ignored', get('', '/images/image?x=1&y'), 200, SIZE],
      ['a header may be written in any case', get('rAnGe: bytes=0-9\r\n'), 206, 10],
    ])('%s', async (_name, text, status, length) => {
      const { exchange } = await setUp();
      const received = await exchange(text);
      expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(body(received).length).toBe(length);
    });

    it.each([
      ['', 200],
      ['Range: bytes=5-9\r\n', 206],
    ])('is permitted by a write ticket, with %j', async (headers, status) => {
      const { exchange } = await setUp(['write']);
      expect(await exchange(get(headers))).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    });

    it('has no header with a false promise', async () => {
      const { exchange } = await setUp();
      const [head = ''] = (await exchange(get())).split('\r\n\r\n');
      expect(head).not.toMatch(/^(etag|last-modified|accept-ranges|server|x-powered-by):/im);
      expect(head).toMatch(/^date:/im);
    });

    it('with HTTP/1.0 is answered, and the connection closed', async () => {
      const { exchange } = await setUp();
      const received = await exchange('GET /images/image HTTP/1.0\r\n\r\n');
      expect(received).toMatch(/^HTTP\/1\.1 200 /);
      expect(body(received).equals(pattern(SIZE))).toBe(true);
    });
  });

  describe('HEAD', () => {
    it.each(['', '/extents', '/checksum', '/checksum/algorithms'])(
      'is 405 on an image%s, without a body',
      async (part) => {
        const { exchange } = await setUp();
        const text = `HEAD /images/image${part} HTTP/1.1\r\n${HOST}${CLOSE}\r\n`;
        const received = await exchange(text);
        expect(received).toMatch(/^HTTP\/1\.1 405 [^\r]*\r\n[\s\S]*Allow: /);
        expect(body(received).length).toBe(0);
      },
    );
  });

  describe('PUT', () => {
    const put = (headers: string, bytes: string) =>
      `PUT /images/image HTTP/1.1\r\n${HOST}${headers}${CLOSE}\r\n${bytes}`;

    it.each([
      ['at its start by default', put('Content-Length: 3\r\n', 'abc'), 0],
      [
        'at the start of Content-Range, with any total',
        put('Content-Length: 3\r\nContent-Range: bytes 7-9/99999\r\n', 'abc'),
        7,
      ],
      [
        'a body of any content type',
        put('Content-Length: 3\r\nContent-Type: text/html\r\n', 'abc'),
        0,
      ],
      [
        'in chunks with extensions and trailers',
        put('Transfer-Encoding: chunked\r\n', '1;x=y\r\na\r\n2\r\nbc\r\n0\r\nX: y\r\n\r\n'),
        0,
      ],
    ])('writes %s', async (_name, text, start) => {
      const { exchange, file } = await setUp();
      expect(await exchange(text)).toMatch(/^HTTP\/1\.1 200 /);
      const expected = pattern(SIZE);
      expected.write('abc', start);
      expect((await file()).equals(expected)).toBe(true);
    });

    it.each([
      ['by a ticket for reading', ['read' as const], 403],
      ['after the end of the ticket', ['write' as const], 416],
    ])('is refused %s, without a write', async (_name, ops, status) => {
      const { exchange, file } = await setUp([...ops]);
      const range = `Content-Range: bytes ${SIZE}-${SIZE + 2}/*\r\n`;
      const received = await exchange(put(`Content-Length: 3\r\n${range}`, 'abc'));
      expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(received).toMatch(/connection: close/i);
      expect((await file()).equals(pattern(SIZE))).toBe(true);
    });
  });

  describe('one connection', () => {
    it.each([
      ['GET and GET', ['GET', 'GET']],
      ['PUT and PUT', ['PUT', 'PUT']],
      ['PUT and GET', ['PUT', 'GET']],
      ['PATCH and GET', ['PATCH', 'GET']],
    ])('serves %s in one packet, in order', async (_name, methods) => {
      const { exchange } = await setUp();
      const bodies: Record<string, string> = { GET: '', PUT: 'hello', PATCH: '{"op":"flush"}' };
      const texts = methods.map((method, i) => {
        const bytes = bodies[method] ?? '';
        const length = bytes === '' ? '' : `Content-Length: ${bytes.length}\r\n`;
        const last = i === methods.length - 1 ? CLOSE : '';
        return `${method} /images/image HTTP/1.1\r\n${HOST}${length}${last}\r\n${bytes}`;
      });
      const received = await exchange(texts.join(''));
      expect(received.match(/HTTP\/1\.1 200 OK/g)?.length).toBe(2);
      if (methods[0] === 'PUT' && methods[1] === 'GET') expect(received).toContain('\r\n\r\nhello');
    });

    it('serves several tickets', async () => {
      const { ask, image } = await setUp();
      await image({ id: 'other', content: pattern(SIZE, 2) });
      const agent = keepAliveAgent();
      for (const [id, seed] of [
        ['image', 1],
        ['other', 2],
        ['image', 1],
      ] as const) {
        const answer = await ask('GET', `/images/${id}`, { agent });
        expect(answer.body.equals(pattern(SIZE, seed))).toBe(true);
        expect(answer.headers.connection).toBe('keep-alive');
      }
    });
  });

  describe('CORS', () => {
    it.each(['/extents', '/checksum', '/checksum/algorithms', '/checksum?algorithm=none'])(
      'permits browsers to read the response for %s too',
      async (part) => {
        const { exchange } = await setUp();
        const received = await exchange(
          get('Origin: https://ui.example\r\n', `/images/image${part}`),
        );
        expect(received).toMatch(/^access-control-allow-origin: \*/im);
        expect(received).toMatch(/^access-control-expose-headers: Content-Range/im);
        expect(received).toMatch(/^access-control-max-age: 86400/im);
      },
    );
  });
});

describe('OPTIONS', () => {
  it.each(['file', 'nbd'])(
    'opens the image, and is 500 if it cannot be opened, on %s',
    async (kind) => {
      const { ask, daemon, directory } = await startHarness();
      await daemon.add({
        id: 'lost',
        size: 10,
        ops: ['read'],
        image:
          kind === 'file'
            ? { kind, path: `${directory}/lost` }
            : { kind: 'nbd', address: { path: `${directory}/lost` }, exportName: '' },
        timeout: 60,
        inactivityTimeout: 60,
        sparse: true,
      });
      const answer = await ask('OPTIONS', '/images/lost', { agent: keepAliveAgent() });
      expect([answer.status, answer.headers.connection]).toEqual([500, 'keep-alive']);
      expect(answer.text).not.toContain(directory);
    },
  );
});

describe('TLS', () => {
  it('offers only HTTP/1.1', async () => {
    const { daemon } = await startHarness({ tls: certificate });
    const protocol = await new Promise((resolve, reject) => {
      const socket = connectTls({
        port: daemon.port,
        host: '127.0.0.1',
        ca: certificate.cert,
        ALPNProtocols: ['h2', 'http/1.1'],
      });
      onTestFinished(() => void socket.destroy());
      socket.once('secureConnect', () => resolve(socket.alpnProtocol));
      socket.once('error', reject);
    });
    expect(protocol).not.toBe('h2');
  });
});
