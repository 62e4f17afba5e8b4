// Defects of a similar product, each shown to be absent.
import { Agent, request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { monotonicClock } from '../../src/images/system/clock.ts';
import { LARGE_PIECE } from '../../src/images/system/piece-memory.ts';
import { certificate } from './support/certificate.ts';
import { keepAliveAgent, pattern } from './support/harness.ts';
import { onEachBackend } from './support/on-backends.ts';

const SIZE = 16 * 1024;
const HOST = 'Host: x\r\n';
const RANGE = 'Content-Range: bytes 0-9/*\r\n';

onEachBackend((startHarness) => {
  describe('framing of requests', () => {
    const chunked = (path: string, text: string, headers = '') =>
      `PUT ${path} HTTP/1.1\r\n${HOST}${headers}Transfer-Encoding: chunked\r\n\r\n` +
      `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
    const info = `GET /info/ HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`;

    it('writes chunked bodies, and never reads them as the next request', async () => {
      const { connect, image } = await startHarness();
      const file = await image({ content: pattern(SIZE) });
      const smuggled = `GET /images/image HTTP/1.1\r\n${HOST}\r\n`;
      const client = await connect();
      client.send(chunked('/images/image', smuggled, 'Content-Range: bytes 10-*/*\r\n') + info);
      const received = await client.closed;
      expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
      expect(received).toContain('"version"');
      const expected = pattern(SIZE);
      expected.write(smuggled, 10, 'latin1');
      expect((await file()).equals(expected)).toBe(true);
    });

    it.each([
      ['a refused chunked body', chunked('/images/absent', 'GET / HTTP/1.1\r\n\r\n'), 403],
      [
        'a body without a length',
        `PUT /images/image HTTP/1.1\r\n${HOST}\r\nGET /info/ HTTP/1.1\r\n\r\n`,
        411,
      ],
      [
        'a negative length',
        `PUT /images/image HTTP/1.1\r\n${HOST}Content-Length: -1\r\n\r\nGET /info/ HTTP/1.1\r\n\r\n`,
        400,
      ],
      [
        'two lengths',
        `PUT /images/image HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 9\r\n\r\n123456789`,
        400,
      ],
      ['a length and chunks', chunked('/images/image', 'abc', 'Content-Length: 3\r\n'), 400],
      [
        'an unknown coding',
        `PUT /images/image HTTP/1.1\r\n${HOST}Transfer-Encoding: xchunked\r\n\r\nabc`,
        501,
      ],
      ['two hosts', `GET /images/image HTTP/1.1\r\n${HOST}${HOST}\r\n`, 400],
      ['no host', 'GET /images/image HTTP/1.1\r\n\r\n', 400],
      ['garbage', '\x16\x03\x01 hello\r\n\r\n', 400],
      [
        'a head that is too large',
        `GET / HTTP/1.1\r\n${HOST}X: ${'x'.repeat(17_000)}\r\n\r\n`,
        431,
      ],
    ])('answers %s once, and closes the connection', async (_name, text, status) => {
      const { connect, image } = await startHarness();
      await image({ content: pattern(SIZE) });
      const client = await connect();
      client.send(text + info);
      // A correct client stops here. Until then the server reads on.
      await client.until(/\.\n$/);
      client.socket.end();
      const received = await client.closed;
      expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`]);
      expect(received).toContain('Connection: close');
      expect(received).toContain('text/plain; charset=UTF-8');
    });

    it.each([
      ['shorter than its range', chunked('/images/image', 'abc', RANGE), 400],
      ['longer than its range', chunked('/images/image', 'x'.repeat(11), RANGE), 400],
      ['past the end', chunked('/images/image', 'x'.repeat(SIZE + 1)), 416],
    ])(
      'refuses a complete chunked body %s, and continues with the next request',
      async (_name, text, status) => {
        const { connect, image } = await startHarness();
        await image({ content: pattern(SIZE) });
        const client = await connect();
        client.send(text + info);
        const received = await client.closed;
        const answers = received.match(/HTTP\/1\.1 \d+/g);
        expect(answers).toEqual([`HTTP/1.1 ${status}`, 'HTTP/1.1 200']);
      },
    );

    it.each([
      ['chunk sizes', 'zz\r\nabc\r\n0\r\n\r\n'],
      ['chunk ends', '3\r\nabcdef\r\n0\r\n\r\n'],
    ])('a body with invalid %s is 400, and the connection closed', async (_name, body) => {
      const { connect, daemon, image } = await startHarness();
      await image({ content: pattern(SIZE) });
      const client = await connect();
      client.send(`PUT /images/image HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`);
      while (!(await daemon.state('image'))?.active) await new Promise(setImmediate);
      client.send(body + info);
      const received = await client.closed;
      expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
      expect((await daemon.state('image'))?.active).toBe(false);
    });

    it('answers the requests before invalid data', async () => {
      const { connect, image } = await startHarness();
      await image({ content: pattern(3 * LARGE_PIECE) });
      const client = await connect();
      client.send(`GET /images/image HTTP/1.1\r\n${HOST}\r\n\x00garbage\r\n\r\n`);
      const received = await client.closed;
      expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
      expect(received.length).toBeGreaterThan(3 * LARGE_PIECE);
    });

    it('never reads the body of a GET as the next request', async () => {
      const { connect, image } = await startHarness();
      await image({ content: Buffer.from('content') });
      const client = await connect();
      const inner = `GET /info/ HTTP/1.1\r\n${HOST}\r\n`;
      client.send(`GET /images/image HTTP/1.1\r\n${HOST}Content-Length: ${inner.length}\r\n\r\n`);
      client.send(inner);
      client.send(info);
      const received = await client.closed;
      expect(received.match(/HTTP\/1\.1 \d+/g)?.length).toBeLessThanOrEqual(2);
      expect(received.match(/"version"/g)?.length ?? 0).toBeLessThanOrEqual(1);
    });

    it('does not wait for the declared body of a GET', async () => {
      const { connect, image } = await startHarness();
      await image({ content: Buffer.from('content') });
      const client = await connect();
      client.send(`GET /images/image HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\n`);
      await client.until(/content$/);
      client.socket.end();
      expect(await client.closed).toContain('Connection: close');
    });
  });

  describe('ranges', () => {
    it('bytes=-0 is not the complete image', async () => {
      const { ask, image } = await startHarness();
      await image({ content: pattern(SIZE) });
      const answer = await ask('GET', '/images/image', { headers: { Range: 'bytes=-0' } });
      expect(answer.status).toBe(416);
    });

    it('bytes=SIZE- is not an empty 206 with invalid headers', async () => {
      const { ask, image } = await startHarness();
      await image({ content: pattern(SIZE) });
      const answer = await ask('GET', '/images/image', { headers: { Range: `bytes=${SIZE}-` } });
      expect([answer.status, answer.headers['content-range']]).toEqual([416, `bytes */${SIZE}`]);
    });

    it.each(['bytes 0-98/*', 'bytes 0-100/*'])(
      'Content-Range %s must match a Content-Length of 100',
      async (range) => {
        const { ask, image } = await startHarness();
        const file = await image({ content: pattern(SIZE) });
        const headers = { 'Content-Range': range };
        const answer = await ask('PUT', '/images/image', { headers, body: pattern(100, 2) });
        expect(answer.status).toBe(400);
        expect((await file()).equals(pattern(SIZE))).toBe(true);
      },
    );
  });

  describe('routes', () => {
    it('405 lists the allowed methods', async () => {
      const { ask } = await startHarness();
      const answer = await ask('DELETE', '/images/any');
      expect([answer.status, answer.headers.allow]).toEqual([405, 'OPTIONS,GET,PUT,PATCH']);
    });

    it.each(['extentsFOO', 'extents/', 'checksumX'])('/images/{id}/%s is 404', async (part) => {
      const { ask, image } = await startHarness();
      await image({ content: pattern(10) });
      expect((await ask('GET', `/images/image/${part}`)).status).toBe(404);
    });

    it.each(['', '/extents', '/checksum'])('403 closes the connection on {id}%s', async (part) => {
      const { ask } = await startHarness();
      const answer = await ask('GET', `/images/absent${part}`, { agent: keepAliveAgent() });
      expect([answer.status, answer.headers.connection]).toEqual([403, 'close']);
    });
  });

  describe('tickets', () => {
    it('do not end up to a second early, as with clocks truncated to seconds', async () => {
      const { ask, clock, image } = await startHarness();
      clock.advance(0.9);
      await image({ content: pattern(10), timeout: 1 });
      clock.advance(0.999);
      expect((await ask('GET', '/images/image')).status).toBe(200);
    });

    it('use a monotonic clock', async () => {
      vi.useFakeTimers({ toFake: ['Date'] });
      onTestFinished(() => void vi.useRealTimers());
      const { ask, daemon, image } = await startHarness({}, { clock: monotonicClock });
      await image({ content: pattern(10), timeout: 60 });
      for (const year of [1970, 2999]) {
        vi.setSystemTime(new Date(year, 1, 1));
        expect((await ask('GET', '/images/image')).status).toBe(200);
        expect(await daemon.state('image')).toMatchObject({ expired: false });
      }
    });

    it('without an idle limit permit any transfer', async () => {
      const { ask, image } = await startHarness();
      await image({ content: pattern(3 * LARGE_PIECE), inactivityTimeout: 0 });
      expect((await ask('GET', '/images/image')).body.length).toBe(3 * LARGE_PIECE);
      const body = pattern(3 * LARGE_PIECE, 2);
      expect((await ask('PUT', '/images/image', { body })).status).toBe(200);
    });
  });

  describe('TLS', () => {
    it('a stalled handshake delays no other client', async () => {
      const { daemon } = await startHarness({ tls: certificate });
      const silent = Array.from({ length: 5 }, () => connectTcp(daemon.port, '127.0.0.1'));
      onTestFinished(() => {
        for (const socket of silent) socket.destroy();
      });
      await Promise.all(
        silent.map((socket) => new Promise((done) => socket.once('connect', done))),
      );
      const agent = new Agent({ ca: certificate.cert });
      const status = await new Promise((resolve, reject) => {
        request(`https://localhost:${daemon.port}/info/`, { agent, family: 4 }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        })
          .on('error', reject)
          .end();
      });
      expect(status).toBe(200);
    });
  });
});
