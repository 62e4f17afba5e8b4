// Hashes: BLAKE2b against known answers and against Node's own, block hashes against a plain one.
import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { algorithms, startDigest } from '../../src/images/hash/algorithms.ts';
import { Blake2b } from '../../src/images/hash/blake2b.ts';
import { BlockHash } from '../../src/images/hash/block-hash.ts';
import { HashThread } from '../../src/images/hash/hash-thread.ts';
import { pattern } from './support/harness.ts';

const short = (text: string) => new Blake2b(32).update(Buffer.from(text)).digest().toString('hex');

describe('Blake2b', () => {
  it.each([
    ['', '0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8'],
    ['abc', 'bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319'],
    [
      'The quick brown fox jumps over the lazy dog',
      '01718cec35cd3d796dd00020e0bfecb473ad23457d063b75eff29c0ffa2e58a9',
    ],
  ])('gives the known 32-byte digest of %j', (text, digest) => {
    expect(short(text)).toBe(digest);
  });

  it('is not a cut-off longer digest', () => {
    const long = createHash('blake2b512').update('').digest('hex');
    expect(long.startsWith(short(''))).toBe(false);
  });

  it.each([0, 1, 127, 128, 129, 255, 256, 257, 65_535, 65_536, 65_537, 65_664, 65_665, 200_000])(
    'agrees with the system on %i bytes',
    (length) => {
      const bytes = pattern(length);
      const expected = createHash('blake2b512').update(bytes).digest('hex');
      expect(new Blake2b(64).update(bytes).digest().toString('hex')).toBe(expected);
    },
  );

  it('does not depend on how its input is cut, nor on other hashes in between', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(300), { maxLength: 12 }), (lengths) => {
        const bytes = pattern(lengths.reduce((sum, length) => sum + length, 0));
        const cut = new Blake2b(64);
        let used = 0;
        for (const length of lengths) {
          cut.update(bytes.subarray(used, used + length));
          new Blake2b(32).update(pattern(500, used)).digest();
          used += length;
        }
        expect(cut.digest()).toEqual(createHash('blake2b512').update(bytes).digest());
      }),
    );
  });
});

describe('algorithms', () => {
  it('offers BLAKE2b first, and only what works', () => {
    expect(algorithms()[0]).toBe('blake2b');
    expect(algorithms()).toEqual(expect.arrayContaining(['blake2s', 'sha256', 'sha3_256']));
    for (const name of algorithms()) expect(startDigest(name)?.digest().length).toBeGreaterThan(0);
  });

  it.each(['shake_128', 'SHA256', 'RSA-SHA256', '', 'toString'])('does not know %j', (name) => {
    expect(startDigest(name)).toBeUndefined();
  });

  it('has 32-byte digests for both kinds of BLAKE2', () => {
    expect(startDigest('blake2b')?.digest().length).toBe(32);
    expect(startDigest('blake2s')?.digest().length).toBe(32);
  });
});

describe('BlockHash', () => {
  const BLOCK = 4096;
  const start = () => createHash('sha256');
  const plain = (bytes: Buffer) => {
    const outer = createHash('sha256');
    for (let i = 0; i < bytes.length; i += BLOCK) {
      const block = bytes.subarray(i, i + BLOCK);
      outer.update(createHash('sha256').update(block).digest());
    }
    return outer.digest('hex');
  };

  it.each([0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK + 17])(
    'is the hash of the hashes of blocks, for %i bytes',
    (length) => {
      const bytes = pattern(length);
      const hash = new BlockHash(BLOCK, start);
      for (let i = 0; i < length; i += 1000) hash.update(bytes.subarray(i, i + 1000));
      expect(hash.digest()).toBe(plain(bytes));
    },
  );

  it('counts zero blocks as if they had been read', () => {
    const data = pattern(BLOCK);
    const hash = new BlockHash(BLOCK, start);
    hash.update(data);
    hash.zeroBlocks(3);
    hash.update(data.subarray(0, 100));
    const whole = Buffer.concat([data, Buffer.alloc(3 * BLOCK), data.subarray(0, 100)]);
    expect(hash.digest()).toBe(plain(whole));
  });

  it('has a zero block for sizes that are no multiple of its buffer', () => {
    const size = 3 * 2 ** 20 + 4096;
    const counted = new BlockHash(size, start);
    counted.zeroBlocks(1);
    const read = new BlockHash(size, start);
    read.update(Buffer.alloc(size));
    expect(counted.digest()).toBe(read.digest());
  });
});

describe('the thread of checksums', () => {
  const MEBIBYTE = 2 ** 20;
  const thread = new HashThread();
  afterAll(() => thread.close());

  /** The same in this thread. */
  function expected(algorithm: 'sha256' | 'sha1', pieces: readonly (Buffer | number)[]): string {
    const hash = new BlockHash(MEBIBYTE, () => createHash(algorithm));
    for (const piece of pieces) {
      if (typeof piece === 'number') hash.zeroBlocks(piece);
      else hash.update(piece);
    }
    return hash.digest();
  }

  it('makes several at a time', async () => {
    const pieces = [randomBytes(MEBIBYTE), 3, randomBytes(MEBIBYTE / 2), randomBytes(100)];
    const [one, other] = [thread.start('sha256', MEBIBYTE), thread.start('sha1', MEBIBYTE)];
    for (const piece of pieces) {
      const all = [one, other].map((hash) =>
        typeof piece === 'number' ? hash.zeroBlocks(piece) : hash.update(piece),
      );
      await Promise.all(all);
    }
    expect(await one.digest()).toBe(expected('sha256', pieces));
    expect(await other.digest()).toBe(expected('sha1', pieces));
    one.close();
    await expect(one.digest()).rejects.toThrow('no such checksum');
    other.close();
  });

  it('tells what was begun before it ended, and begins anew', async () => {
    const before = thread.start('sha256', MEBIBYTE);
    await thread.close();
    await expect(before.digest()).rejects.toThrow('has stopped');
    const after = thread.start('sha256', MEBIBYTE);
    expect(await after.digest()).toBe(expected('sha256', []));
  });
});
