/** The local checksum equals that of image daemons. */
import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { HashThreadPool } from '../../src/hash/thread-pool.ts';
import { ImageChecksum } from '../../src/images/api/image-checksum.ts';
import { BLOCK, blockRange } from '../../src/transfer/blocks.ts';
import { BlockHashes } from '../../src/transfer/checksum.ts';
import { type Algorithm, selectFastest } from '../../src/transfer/checksum-algorithm.ts';

async function ours(
  algorithm: Algorithm,
  image: Buffer,
  order: (blocks: number[]) => number[] = (blocks) => blocks,
): Promise<string> {
  const hashes = new BlockHashes(algorithm);
  const blocks = Array.from({ length: Math.ceil(image.length / BLOCK) }, (_, at) => at);
  for (const block of order(blocks)) {
    const { start, end } = blockRange(block, image.length);
    const bytes = image.subarray(start, end);
    if (bytes.some((byte) => byte !== 0)) hashes.set(block, await hashes.hash(bytes));
  }
  return await hashes.checksum(image.length, (block) => blockRange(block, image.length));
}

const threads = new HashThreadPool();
afterAll(() => threads.close());

async function theirs(algorithm: Algorithm, image: Buffer): Promise<string> {
  const hash = new ImageChecksum(threads, algorithm, BLOCK);
  for (let at = 0; at < image.length; at += BLOCK) {
    await hash.add((one) => one.update(image.subarray(at, at + BLOCK)));
  }
  return await hash.digest();
}

describe.each(['sha256', 'xxh128'] as const)('the checksum of an image by %s', (algorithm) => {
  it.each([0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 512])('of %i bytes', async (size) => {
    const image = randomBytes(size);
    expect(await ours(algorithm, image)).toBe(await theirs(algorithm, image));
    expect(await ours(algorithm, image, (blocks) => blocks.reverse())).toBe(
      await theirs(algorithm, image),
    );
    image.fill(0, BLOCK);
    expect(await ours(algorithm, image)).toBe(await theirs(algorithm, image));
    expect(await ours(algorithm, Buffer.alloc(size))).toBe(
      await theirs(algorithm, Buffer.alloc(size)),
    );
  });

  it('changes with every bit', async () => {
    const image = randomBytes(BLOCK + 100);
    const before = await ours(algorithm, image);
    image.writeUInt8(image.readUInt8(BLOCK + 50) ^ 1, BLOCK + 50);
    expect(await ours(algorithm, image)).not.toBe(before);
  });
});

describe('the fastest algorithm', () => {
  it.each([
    [['blake2b', 'sha256', 'xxh128'], 'xxh128'],
    [['blake2b', 'sha256'], 'sha256'],
    [[], 'sha256'],
  ])('of %j', (names, algorithm) => {
    expect(selectFastest(new Set(names))).toBe(algorithm);
  });
});
