// PUT of images: positions of bodies, refusals without a write, flushes.
import { describe, expect, it } from 'vitest';
import { LARGE_PIECE, PieceMemory, SMALL_PIECE } from '../../../src/images/system/piece-memory.ts';
import { countingBackend } from '../support/backends.ts';
import { keepAliveAgent, pattern } from '../support/harness.ts';
import { onEachBackend } from '../support/on-backends.ts';

const SIZE = 16 * 1024;

/** Content with other bytes from `start`. */
function changed(content: Buffer, start: number, bytes: Buffer): Buffer {
  const expected = Buffer.from(content);
  bytes.copy(expected, start);
  return expected;
}

onEachBackend((startHarness, storage) => {
  describe('PUT', () => {
    it('without Content-Range writes from the start', async () => {
      const { ask, image } = await startHarness();
      const file = await image({ content: pattern(SIZE) });
      const answer = await ask('PUT', '/images/image', { body: pattern(100, 2) });
      expect([answer.status, answer.headers['content-length']]).toEqual([200, '0']);
      expect((await file()).equals(changed(pattern(SIZE), 0, pattern(100, 2)))).toBe(true);
    });

    it.each([
      ['bytes 0-99/*', 0],
      ['bytes 1000-1099/*', 1000],
      ['bytes 511-610/16384', 511],
      ['bytes 511-610/20000', 511],
      ['bytes 16284-16383/*', SIZE - 100],
      ['bytes 4000-*/*', 4000],
      ['bytes 4000-*/16384', 4000],
    ])('with Content-Range %s writes this range only', async (range, start) => {
      const { ask, image } = await startHarness();
      const file = await image({ content: pattern(SIZE) });
      const headers = { 'Content-Range': range };
      const answer = await ask('PUT', '/images/image', { headers, body: pattern(100, 2) });
      expect(answer.status).toBe(200);
      expect((await file()).equals(changed(pattern(SIZE), start, pattern(100, 2)))).toBe(true);
    });

    it.each([
      ['bytes 16285-16384/*', 416],
      ['bytes 16384-16483/*', 416],
      ['bytes 16285-*/*', 416],
      ['bytes 99999999999999999999-99999999999999999999/*', 416],
      ['bytes 0-99999999999999999999/*', 416],
      ['bytes 0-98/*', 400],
      ['bytes 0-100/*', 400],
      ['bytes 99-0/*', 400],
      ['bytes */100', 400],
      ['bytes */*', 400],
      ['bytes 0-99/50', 400],
      ['bytes 100-199/100', 400],
      ['bytes 0-99', 400],
      ['bytes=0-99/*', 400],
      ['bytes -99/*', 400],
      ['lines 0-99/*', 400],
      ['0-99', 400],
      ['', 400],
    ])('with Content-Range %j for 100 bytes is %i and writes nothing', async (range, status) => {
      const { ask, image } = await startHarness();
      const file = await image({ content: pattern(SIZE) });
      const headers = { 'Content-Range': range };
      const answer = await ask('PUT', '/images/image', {
        headers,
        body: pattern(100, 2),
        agent: keepAliveAgent(),
      });
      expect([answer.status, answer.headers.connection]).toEqual([status, 'close']);
      expect(answer.headers['content-range']).toBe(status === 416 ? `bytes */${SIZE}` : undefined);
      expect((await file()).equals(pattern(SIZE))).toBe(true);
    });

    it('with more bytes than the ticket is 416 and writes nothing', async () => {
      const { ask, image } = await startHarness();
      const file = await image({ content: pattern(SIZE) });
      const answer = await ask('PUT', '/images/image', { body: pattern(SIZE + 1, 2) });
      expect(answer.status).toBe(416);
      expect((await file()).equals(pattern(SIZE))).toBe(true);
    });

    it('with two Content-Range headers is 400', async () => {
      const { ask, image } = await startHarness();
      await image({ content: pattern(SIZE) });
      const headers = { 'Content-Range': ['bytes 0-9/*', 'bytes 10-19/*'] };
      expect((await ask('PUT', '/images/image', { headers, body: pattern(10) })).status).toBe(400);
    });

    it.runIf(storage === 'file')(
      'grows a file that is shorter than its ticket, byte by byte',
      async () => {
        const { ask, image } = await startHarness();
        const file = await image({ content: pattern(100), size: SIZE });
        const headers = { 'Content-Range': 'bytes 201-203/*' };
        await ask('PUT', '/images/image', { headers, body: pattern(3, 2) });
        const expected = Buffer.concat([pattern(100), Buffer.alloc(101), pattern(3, 2)]);
        expect((await file()).equals(expected)).toBe(true);
      },
    );

    it.each([
      ['much memory', 4],
      ['no large pieces', 0],
    ])('accepts long bodies at unaligned offsets with %s', async (_name, large) => {
      const memory = new PieceMemory(large, 4);
      const { ask, daemon, image } = await startHarness({}, { memory });
      const content = pattern(4 * LARGE_PIECE);
      const file = await image({ content });
      const body = pattern(2 * LARGE_PIECE + SMALL_PIECE + 77, 2);
      const start = SMALL_PIECE + 33;
      const headers = { 'Content-Range': `bytes ${start}-${start + body.length - 1}/*` };
      expect((await ask('PUT', '/images/image', { headers, body })).status).toBe(200);
      expect((await file()).equals(changed(content, start, body))).toBe(true);
      expect(memory.free).toEqual({ large, small: 4 });
      expect((await daemon.state('image'))?.transferred).toBe(body.length);
    });

    it('accepts eight concurrent bodies for one image', async () => {
      const { ask, image } = await startHarness();
      const part = 3 * SMALL_PIECE + 1;
      const file = await image({ content: Buffer.alloc(0), size: 8 * part });
      const expected = pattern(8 * part, 3);
      await Promise.all(
        Array.from({ length: 8 }, async (_, i) => {
          const headers = { 'Content-Range': `bytes ${i * part}-${(i + 1) * part - 1}/*` };
          const body = expected.subarray(i * part, (i + 1) * part);
          const query = i % 2 ? '?flush=n' : '';
          expect((await ask('PUT', `/images/image${query}`, { headers, body })).status).toBe(200);
        }),
      );
      expect((await file()).equals(expected)).toBe(true);
    });

    it('keeps the connection open, and closes it with close=y', async () => {
      const { ask, image } = await startHarness();
      await image({ content: pattern(SIZE) });
      const agent = keepAliveAgent();
      const kept = await ask('PUT', '/images/image', { body: 'x', agent });
      expect([kept.status, kept.headers.connection]).toEqual([200, 'keep-alive']);
      const closed = await ask('PUT', '/images/image?close=y', { body: 'x', agent });
      expect([closed.status, closed.headers.connection]).toEqual([200, 'close']);
    });
  });

  describe('flush', () => {
    it.each([
      ['', 1],
      ['?flush=y', 1],
      ['?flush=n', 0],
    ])('with %j happens %i times, after the last write', async (query, flushes) => {
      const { backend, log } = countingBackend();
      const { ask, image } = await startHarness({}, { openBackend: async () => backend });
      await image({ content: pattern(SIZE) });
      const answer = await ask('PUT', `/images/image${query}`, { body: pattern(100) });
      expect(answer.status).toBe(200);
      expect(log).toEqual(['write 0+100', ...Array(flushes).fill('flush')]);
    });

    it('happens for an empty body too', async () => {
      const { backend, log } = countingBackend();
      const { ask, image } = await startHarness({}, { openBackend: async () => backend });
      await image({ content: pattern(SIZE) });
      const answer = await ask('PUT', '/images/image', { headers: { 'Content-Length': 0 } });
      expect([answer.status, log]).toEqual([200, ['flush']]);
    });

    it.each(['?flush=', '?flush=yes', '?flush=Y', '?flush=1', '?flush', '?flush=y&flush=n'])(
      'with %s is 400 and writes nothing',
      async (query) => {
        const { ask, image } = await startHarness();
        const file = await image({ content: pattern(SIZE) });
        const answer = await ask('PUT', `/images/image${query}`, { body: pattern(100, 2) });
        expect(answer.status).toBe(400);
        expect((await file()).equals(pattern(SIZE))).toBe(true);
      },
    );

    it('that fails is 500, and all later flushes fail', async () => {
      const { backend, log } = countingBackend({ flushError: 'EIO' });
      const { ask, daemon, image } = await startHarness({}, { openBackend: async () => backend });
      await image({ content: pattern(SIZE) });
      const put = (query = '') => ask('PUT', `/images/image${query}`, { body: pattern(10) });
      expect((await put()).status).toBe(500);
      expect(await daemon.state('image')).toMatchObject({ failed: true, active: false });
      expect((await put()).status).toBe(500);
      expect((await put('?flush=n')).status).toBe(500);
      const flush = await ask('PATCH', '/images/image', { body: '{"op":"flush"}' });
      expect(flush.status).toBe(500);
      expect((await ask('GET', '/images/image')).status).toBe(500);
      expect(log.filter((entry) => entry === 'flush').length).toBe(1);
    });
  });

  describe('a failure', () => {
    it.each([
      ['ENOSPC', 507],
      ['EDQUOT', 507],
      ['EIO', 500],
    ])('of a write, %s, is %i, and the next request can succeed', async (writeError, status) => {
      const { backend, heal } = countingBackend({ writeError });
      const memory = new PieceMemory(4, 4);
      const { ask, image } = await startHarness({}, { openBackend: async () => backend, memory });
      await image({ content: Buffer.alloc(0), size: 8 * LARGE_PIECE });
      const body = pattern(4 * LARGE_PIECE);
      expect((await ask('PUT', '/images/image', { body })).status).toBe(status);
      expect(memory.free).toEqual({ large: 4, small: 4 });
      heal();
      expect((await ask('PUT', '/images/image', { body })).status).toBe(200);
    });

    it('of a client keeps and counts the received bytes', async () => {
      const { connect, daemon, image } = await startHarness();
      const file = await image({ content: Buffer.alloc(0), size: 4 * LARGE_PIECE });
      const client = await connect();
      const body = pattern(300_000, 2);
      client.send(
        `PUT /images/image HTTP/1.1\r\nHost: x\r\nContent-Length: ${LARGE_PIECE}\r\n\r\n`,
      );
      client.send(body);
      client.socket.end();
      await client.closed;
      await daemon.remove('image');
      expect((await file()).subarray(0, body.length).equals(body)).toBe(true);
    });

    it('of a removed ticket ends the upload with the refusal', async () => {
      const { connect, daemon, image } = await startHarness();
      await image({ content: pattern(SIZE) });
      const client = await connect();
      client.send('PUT /images/image HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n');
      while (!(await daemon.state('image'))?.active) await new Promise(setImmediate);
      await daemon.remove('image');
      await client.until(/No valid ticket allows this operation/);
      expect(client.received).toMatch(/^HTTP\/1\.1 403 /);
    });
  });

  describe('Expect: 100-continue', () => {
    const head = (length: number, id = 'image') =>
      `PUT /images/${id} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n` +
      'Expect: 100-continue\r\n\r\n';

    it('is answered if ticket and range are valid', async () => {
      const { connect, image } = await startHarness();
      const file = await image({ content: pattern(SIZE) });
      const client = await connect();
      client.send(head(5));
      await client.until(/100 Continue\r\n\r\n$/);
      client.send('12345');
      await client.until(/200 OK/);
      expect((await file()).subarray(0, 5).toString()).toBe('12345');
    });

    it.each([
      ['a ticket that does not exist', head(5, 'absent'), 403],
      ['a body that does not fit', head(SIZE + 1), 416],
      ['an unknown expectation', head(5).replace('100-continue', 'miracles'), 417],
    ])('is not answered for %s', async (_name, request, status) => {
      const { connect, image } = await startHarness();
      await image({ content: pattern(SIZE) });
      const client = await connect();
      client.send(request);
      const received = await client.closed;
      expect(received).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(received).toContain('Connection: close');
    });
  });
});
