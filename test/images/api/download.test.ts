// GET of images: complete, in ranges, out of bounds, and with failures.
import { describe, expect, it } from 'vitest';
import type { Backend } from '../../../src/images/backends/backend.ts';
import { LARGE_PIECE, PieceMemory, SMALL_PIECE } from '../../../src/images/system/piece-memory.ts';
import { keepAliveAgent, pattern } from '../support/harness.ts';
import { onEachBackend } from '../support/on-backends.ts';

const SIZE = 16 * 1024;

onEachBackend((startHarness) => {
  describe('GET', () => {
    it('without a range returns the complete image', async () => {
      const { ask, image } = await startHarness();
      await image({ content: pattern(SIZE) });
      const answer = await ask('GET', '/images/image');
      expect(answer.status).toBe(200);
      expect(answer.headers).toMatchObject({
        'content-type': 'application/octet-stream',
        'content-length': String(SIZE),
        'content-disposition': 'attachment',
      });
      expect(answer.headers['content-range']).toBeUndefined();
      expect(answer.body.equals(pattern(SIZE))).toBe(true);
    });

    it.each([
      ['bytes=0-0', 0, 1],
      ['bytes=0-16383', 0, SIZE],
      ['bytes=0-', 0, SIZE],
      ['bytes=5-', 5, SIZE],
      ['bytes=511-1024', 511, 1025],
      ['bytes=16383-16383', SIZE - 1, SIZE],
      ['bytes=16383-', SIZE - 1, SIZE],
      ['bytes=007-8', 7, 9],
    ])('with %s returns this range', async (range, start, end) => {
      const { ask, image } = await startHarness();
      await image({ content: pattern(SIZE) });
      const answer = await ask('GET', '/images/image', { headers: { Range: range } });
      expect(answer.status).toBe(206);
      expect(answer.headers['content-range']).toBe(`bytes ${start}-${end - 1}/*`);
      expect(answer.headers['content-length']).toBe(String(end - start));
      expect(answer.body.equals(pattern(SIZE).subarray(start, end))).toBe(true);
    });

    it.each([
      'bytes=0-16384',
      'bytes=16384-',
      'bytes=20000-',
      'bytes=20000-20001',
      'bytes=99999999999999999999-',
      'bytes=0-99999999999999999999',
    ])(
      'with %s past the end is 416 with the size, and the connection remains open',
      async (range) => {
        const { ask, image } = await startHarness();
        await image({ content: pattern(SIZE) });
        const agent = keepAliveAgent();
        const answer = await ask('GET', '/images/image', { headers: { Range: range }, agent });
        expect(answer.status).toBe(416);
        expect(answer.headers['content-range']).toBe(`bytes */${SIZE}`);
        expect(answer.headers.connection).toBe('keep-alive');
      },
    );

    it.each([
      'bytes=-100',
      'bytes=-0',
      'bytes=0-1,2-3',
      'bytes=0-1, 4-5',
      'Bytes=0-1',
      'lines=0-1',
      'bytes=5-4',
      'bytes=-',
      'bytes= 0-1',
      'bytes=0 -1',
      'bytes=0x0-1',
      'bytes=',
      'x',
    ])('with %s is 416', async (range) => {
      const { ask, image } = await startHarness();
      await image({ content: pattern(SIZE) });
      const answer = await ask('GET', '/images/image', { headers: { Range: range } });
      expect(answer.status).toBe(416);
      expect(answer.headers['content-range']).toBeUndefined();
    });

    it('with two Range headers is 416', async () => {
      const { ask, image } = await startHarness();
      await image({ content: pattern(SIZE) });
      const headers = { Range: ['bytes=0-1', 'bytes=2-3'] };
      expect((await ask('GET', '/images/image', { headers })).status).toBe(416);
    });

    it('of an empty image is empty, and has no first byte', async () => {
      const { ask, image } = await startHarness();
      await image({ content: Buffer.alloc(0) });
      const whole = await ask('GET', '/images/image');
      expect([whole.status, whole.headers['content-length']]).toEqual([200, '0']);
      const range = await ask('GET', '/images/image', { headers: { Range: 'bytes=0-' } });
      expect([range.status, range.headers['content-range']]).toEqual([416, 'bytes */0']);
    });

    it('reads zeros after the end of a file that is shorter than the ticket', async () => {
      const { ask, image } = await startHarness();
      await image({ content: pattern(100), size: 1000 });
      const answer = await ask('GET', '/images/image');
      expect(answer.body.equals(Buffer.concat([pattern(100), Buffer.alloc(900)]))).toBe(true);
    });

    it('never returns bytes of the file after the size of the ticket', async () => {
      const { ask, image } = await startHarness();
      await image({ content: pattern(1000), size: 100 });
      expect((await ask('GET', '/images/image')).body.length).toBe(100);
      const beyond = await ask('GET', '/images/image', { headers: { Range: 'bytes=50-150' } });
      expect(beyond.status).toBe(416);
    });

    it('offers the name of the file, safely encoded in the header', async () => {
      const { ask, image } = await startHarness();
      await image({ content: pattern(10), filename: 'a"b\r\nX: y ö.raw' });
      const answer = await ask('GET', '/images/image');
      expect(answer.headers['content-disposition']).toBe(
        'attachment; filename="a_b__X: y _.raw"; filename*=UTF-8\'\'a%22b%0D%0AX%3A%20y%20%C3%B6.raw',
      );
    });

    it.each([
      ['much memory', 4],
      ['no large pieces', 0],
    ])('returns long unaligned ranges with %s, and releases the memory', async (_name, large) => {
      const memory = new PieceMemory(large, 4);
      const { ask, image } = await startHarness({}, { memory });
      const content = pattern(3 * LARGE_PIECE + 12_345);
      await image({ content });
      for (const [start, end] of [
        [0, content.length],
        [SMALL_PIECE - 1, 2 * LARGE_PIECE + 1],
      ]) {
        const headers = { Range: `bytes=${start}-${(end ?? 0) - 1}` };
        const answer = await ask('GET', '/images/image', { headers });
        expect(answer.body.equals(content.subarray(start, end))).toBe(true);
      }
      expect(memory.free).toEqual({ large, small: 4 });
    });

    it('serves many concurrent connections with little memory', async () => {
      const memory = new PieceMemory(2, 16);
      const { ask, image } = await startHarness({}, { memory });
      const content = pattern(LARGE_PIECE + 999);
      await image({ content });
      const answers = await Promise.all(
        Array.from({ length: 16 }, () => ask('GET', '/images/image')),
      );
      expect(answers.every((answer) => answer.body.equals(content))).toBe(true);
      expect(memory.free).toEqual({ large: 2, small: 16 });
    });

    it('ends the connection with close=y, and accepts only y and n', async () => {
      const { ask, image } = await startHarness();
      await image({ content: pattern(10) });
      const agent = keepAliveAgent();
      const closing = await ask('GET', '/images/image?close=y', { agent });
      expect([closing.status, closing.headers.connection]).toEqual([200, 'close']);
      expect((await ask('GET', '/images/image?close=x')).status).toBe(400);
    });

    it('counts the bytes once, and is idle afterwards', async () => {
      const { ask, clock, daemon, image } = await startHarness();
      await image({ content: pattern(SIZE) });
      for (const range of ['bytes=0-99', 'bytes=50-149', 'bytes=1000-1099']) {
        await ask('GET', '/images/image', { headers: { Range: range } });
      }
      clock.advance(3);
      expect(await daemon.state('image')).toEqual({
        id: 'image',
        active: false,
        transferred: 250,
        idle: 3,
        expired: false,
        expiresIn: 297,
        cancelled: false,
        connections: expect.any(Number),
        failed: false,
      });
    });
  });

  describe('a failure', () => {
    it('to open the image is 500 without details, and the connection remains open', async () => {
      const { ask, daemon, directory } = await startHarness();
      await daemon.add({
        id: 'lost',
        size: 10,
        ops: ['read'],
        image: { kind: 'file', path: `${directory}/lost` },
        timeout: 60,
        inactivityTimeout: 60,
        sparse: true,
      });
      const answer = await ask('GET', '/images/lost', { agent: keepAliveAgent() });
      expect([answer.status, answer.headers.connection]).toEqual([500, 'keep-alive']);
      expect(answer.text).not.toContain(directory);
    });

    it('to allocate memory, while a disk hangs, is 503', async () => {
      const memory = new PieceMemory(0, 2);
      const held = [memory.take(1), memory.take(1)];
      const { ask, image } = await startHarness({}, { memory });
      await image({ content: pattern(10) });
      expect((await ask('GET', '/images/image')).status).toBe(503);
      for (const piece of held) memory.release(piece);
      expect((await ask('GET', '/images/image')).status).toBe(200);
    });

    /** Backend that reads `good` bytes and then fails. */
    function failing(good: number): Backend {
      return {
        read: (offset) => {
          if (offset < good) return Promise.resolve();
          return Promise.reject(Object.assign(new Error('bad disk'), { code: 'EIO' }));
        },
        write: async () => {},
        zero: async () => {},
        flush: async () => {},
        async *extents() {},
        close: async () => {},
      };
    }

    it('with the first bytes is 500', async () => {
      const { ask, image, memory } = await startHarness(
        {},
        { openBackend: async () => failing(0) },
      );
      await image({ content: pattern(10) });
      expect((await ask('GET', '/images/image')).status).toBe(500);
      expect(memory.free).toEqual({ large: 4, small: 16 });
    });

    it('after the first bytes closes the connection', async () => {
      const parts = { openBackend: async () => failing(LARGE_PIECE) };
      const { ask, daemon, image, memory } = await startHarness({}, parts);
      await image({ content: Buffer.alloc(0), size: 4 * LARGE_PIECE });
      await expect(ask('GET', '/images/image')).rejects.toThrow('aborted');
      await daemon.remove('image');
      expect(memory.free).toEqual({ large: 4, small: 16 });
    });
  });
});
