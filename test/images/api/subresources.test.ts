// Extents and checksums of images.
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { startDigest } from '../../../src/hash/algorithms.ts';
import type { Digest } from '../../../src/hash/digest.ts';
import { loadHash } from '../../../src/hash/wasm-hash.ts';
import type { Backend, Extent } from '../../../src/images/backends/backend.ts';
import { sparseCalls } from '../../../src/images/system/sparse-calls.ts';
import { countingBackend } from '../support/backends.ts';
import { pattern } from '../support/harness.ts';
import { onEachBackend } from '../support/on-backends.ts';

const MEBIBYTE = 2 ** 20;
/** Bytes that are complete blocks in any file system. */
const SOME = 64 << 10;
const calls = await sparseCalls();

function withExtents(extents: Extent[]): Backend {
  const { backend } = countingBackend();
  backend.extents = async function* () {
    yield* extents;
  };
  return backend;
}

onEachBackend((startHarness) => {
  describe('extents', () => {
    it.each(['', '?context=zero', '?other=1'])('with %j cover the entire ticket', async (query) => {
      const { ask, image } = await startHarness();
      await image({ content: pattern(SOME), size: 2 * SOME });
      const answer = await ask('GET', `/images/image/extents${query}`);
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
      expect(JSON.parse(answer.text)).toEqual([
        { start: 0, length: SOME, zero: false, hole: false },
        { start: SOME, length: SOME, zero: true, hole: true },
      ]);
    });

    it('are an empty list for an empty image', async () => {
      const { ask, image } = await startHarness();
      await image({ content: Buffer.alloc(0) });
      expect(JSON.parse((await ask('GET', '/images/image/extents')).text)).toEqual([]);
    });

    it.each([
      ['?context=dirty', 404],
      ['?context=', 400],
      ['?context=other', 400],
      ['?context=zero&context=dirty', 400],
    ])('with %s are %i', async (query, status) => {
      const { ask, image } = await startHarness();
      await image({ content: pattern(10) });
      expect((await ask('GET', `/images/image/extents${query}`)).status).toBe(status);
    });

    it('merge adjacent extents of the same kind', async () => {
      const backend = withExtents([
        { start: 0, length: 10, zero: true, hole: true },
        { start: 10, length: 5, zero: true, hole: true },
        { start: 15, length: 5, zero: true, hole: false },
        { start: 20, length: 1, zero: false, hole: false },
        { start: 21, length: 1, zero: false, hole: false },
      ]);
      const { ask, image } = await startHarness({}, { openBackend: async () => backend });
      await image({ content: Buffer.alloc(0), size: 22 });
      expect(JSON.parse((await ask('GET', '/images/image/extents')).text)).toEqual([
        { start: 0, length: 15, zero: true, hole: true },
        { start: 15, length: 5, zero: true, hole: false },
        { start: 20, length: 2, zero: false, hole: false },
      ]);
    });

    it('of a fragmented image are streamed', async () => {
      const extents = Array.from({ length: 20_000 }, (_, i) => {
        return { start: i * 10, length: 10, zero: i % 2 === 0, hole: false };
      });
      const backend = withExtents(extents);
      const { ask, image } = await startHarness({}, { openBackend: async () => backend });
      await image({ content: Buffer.alloc(0), size: 200_000 });
      const answer = await ask('GET', '/images/image/extents');
      expect(answer.headers['transfer-encoding']).toBe('chunked');
      expect(JSON.parse(answer.text)).toEqual(extents);
    });

    it('keep the ticket alive but count no bytes', async () => {
      const { ask, clock, daemon, image } = await startHarness();
      await image({ content: pattern(10), timeout: 10 });
      clock.advance(9);
      await ask('GET', '/images/image/extents');
      clock.advance(9);
      expect(await daemon.state('image')).toMatchObject({ transferred: 0, expired: false });
    });
  });

  describe('checksum', () => {
    /** Direct computation: a hash over the hashes of blocks. */
    function plain(content: Buffer, blockSize: number, start: () => Digest) {
      const outer = start();
      for (let i = 0; i < content.length; i += blockSize) {
        const inner = start();
        inner.update(content.subarray(i, i + blockSize));
        outer.update(inner.digest());
      }
      return outer.digest().toString('hex');
    }

    const content = Buffer.concat([
      pattern(3 * MEBIBYTE + 5),
      Buffer.alloc(4 * MEBIBYTE),
      pattern(MEBIBYTE, 2),
    ]);

    beforeAll(async () => {
      await loadHash('blake2b');
      await loadHash('xxh128');
    });

    it('is BLAKE2b over blocks of 4 MiB by default', async () => {
      const { ask, daemon, image } = await startHarness();
      await image({ content });
      const answer = await ask('GET', '/images/image/checksum');
      expect(JSON.parse(answer.text)).toEqual({
        algorithm: 'blake2b',
        block_size: 4 * MEBIBYTE,
        checksum: plain(
          content,
          4 * MEBIBYTE,
          () => startDigest('blake2b') ?? createHash('blake2b'),
        ),
      });
      expect((await daemon.state('image'))?.transferred).toBe(content.length);
    });

    it.each([
      ['sha256', MEBIBYTE],
      ['sha1', MEBIBYTE + 4096],
      ['md5', 16 * MEBIBYTE],
      ['xxh128', MEBIBYTE],
    ])('supports %s and blocks of %i bytes', async (algorithm, blockSize) => {
      const { ask, image } = await startHarness();
      await image({ content });
      const query = `algorithm=${algorithm}&block_size=${blockSize}`;
      const answer = await ask('GET', `/images/image/checksum?${query}`);
      expect(JSON.parse(answer.text)).toEqual({
        algorithm,
        block_size: blockSize,
        checksum: plain(content, blockSize, () => startDigest(algorithm) ?? createHash(algorithm)),
      });
    });

    it('does not depend on the positions of holes', async () => {
      const { ask, daemon, directory, image } = await startHarness();
      await image({ content: Buffer.alloc(0), size: content.length, id: 'sparse' });
      const put = async (start: number, body: Buffer) => {
        const headers = { 'Content-Range': `bytes ${start}-${start + body.length - 1}/*` };
        await ask('PUT', '/images/sparse', { headers, body });
      };
      await put(0, pattern(3 * MEBIBYTE + 5));
      await put(7 * MEBIBYTE + 5, pattern(MEBIBYTE, 2));
      await writeFile(`${directory}/full`, content);
      await daemon.add({
        id: 'full',
        size: content.length,
        ops: ['read'],
        image: { kind: 'file', path: `${directory}/full` },
        timeout: 60,
        inactivityTimeout: 60,
        sparse: false,
      });
      const query = `checksum?block_size=${MEBIBYTE}`;
      const [sparse, full] = await Promise.all(
        ['sparse', 'full'].map((id) => ask('GET', `/images/${id}/${query}`)),
      );
      expect(sparse?.text).toBe(full?.text);
    });

    it.runIf(calls)('does not read holes', async () => {
      const reads: number[] = [];
      const backend = withExtents([
        { start: 0, length: MEBIBYTE, zero: false, hole: false },
        { start: MEBIBYTE, length: 2 ** 40, zero: true, hole: true },
        { start: 2 ** 40 + MEBIBYTE, length: 5, zero: false, hole: false },
      ]);
      backend.read = async (offset, buffer) => {
        reads.push(offset);
        buffer.fill(0);
      };
      const { ask, image } = await startHarness({}, { openBackend: async () => backend });
      await image({ content: Buffer.alloc(0), size: 2 ** 40 + MEBIBYTE + 5 });
      const answer = await ask('GET', '/images/image/checksum?block_size=16777216');
      expect(answer.status).toBe(200);
      expect(reads.every((offset) => offset < 16 * MEBIBYTE || offset >= 2 ** 40)).toBe(true);
    });

    it('of an empty image is the hash of no data', async () => {
      const { ask, image } = await startHarness();
      await image({ content: Buffer.alloc(0) });
      const answer = await ask('GET', '/images/image/checksum?algorithm=sha256');
      expect(JSON.parse(answer.text).checksum).toBe(createHash('sha256').digest('hex'));
    });

    it.each([
      'algorithm=shake_128',
      'algorithm=',
      'algorithm=crc32',
      'block_size=0',
      'block_size=4096',
      'block_size=1048577',
      'block_size=16781312',
      'block_size=-4194304',
      'block_size=4194304.0',
      'block_size=4M',
      'block_size=',
    ])('with %s is 400', async (query) => {
      const { ask, image } = await startHarness();
      await image({ content: pattern(10) });
      expect((await ask('GET', `/images/image/checksum?${query}`)).status).toBe(400);
    });

    it('stops when the ticket is removed', async () => {
      const { backend } = countingBackend();
      const reads: (() => void)[] = [];
      backend.extents = async function* () {
        yield { start: 0, length: 100 * MEBIBYTE, zero: false, hole: false };
      };
      backend.read = () => new Promise((resolve) => reads.push(resolve));
      const { ask, daemon, image } = await startHarness({}, { openBackend: async () => backend });
      await image({ content: Buffer.alloc(0), size: 100 * MEBIBYTE });
      const answer = ask('GET', '/images/image/checksum');
      while (reads.length === 0) await new Promise(setImmediate);
      const begun = reads.length;
      const removal = daemon.remove('image');
      for (const proceed of reads) proceed();
      expect((await answer).status).toBe(403);
      await removal;
      expect(reads).toHaveLength(begun);
    });
  });
});
