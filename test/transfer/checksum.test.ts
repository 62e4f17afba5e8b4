/** The checksum made here is the one that image daemons make. */
import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { ImageChecksum } from '../../src/images/hash/image-checksum.ts';
import { HashThreadPool } from '../../src/images/hash/thread-pool.ts';
import { BLOCK, blockRange } from '../../src/transfer/blocks.ts';
import { BlockHashes, hashBlock } from '../../src/transfer/checksum.ts';

async function ours(
  image: Buffer,
  order: (blocks: number[]) => number[] = (blocks) => blocks,
): Promise<string> {
  const hashes = new BlockHashes();
  const blocks = Array.from({ length: Math.ceil(image.length / BLOCK) }, (_, at) => at);
  for (const block of order(blocks)) {
    const { start, end } = blockRange(block, image.length);
    const bytes = image.subarray(start, end);
    if (bytes.some((byte) => byte !== 0)) hashes.set(block, await hashBlock(bytes));
  }
  return hashes.checksum(image.length, (block) => blockRange(block, image.length));
}

const threads = new HashThreadPool();
afterAll(() => threads.close());

async function theirs(image: Buffer): Promise<string> {
  const hash = new ImageChecksum(threads, 'sha256', BLOCK);
  for (let at = 0; at < image.length; at += BLOCK) {
    await hash.add((one) => one.update(image.subarray(at, at + BLOCK)));
  }
  return await hash.digest();
}

describe('the checksum of an image', () => {
  it.each([0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 512])('of %i bytes', async (size) => {
    const image = randomBytes(size);
    expect(await ours(image)).toBe(await theirs(image));
    expect(await ours(image, (blocks) => blocks.reverse())).toBe(await theirs(image));
    image.fill(0, BLOCK);
    expect(await ours(image)).toBe(await theirs(image));
    expect(await ours(Buffer.alloc(size))).toBe(await theirs(Buffer.alloc(size)));
  });

  it('changes with every bit', async () => {
    const image = randomBytes(BLOCK + 100);
    const before = await ours(image);
    image.writeUInt8(image.readUInt8(BLOCK + 50) ^ 1, BLOCK + 50);
    expect(await ours(image)).not.toBe(before);
  });
});
