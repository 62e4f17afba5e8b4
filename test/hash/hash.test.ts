/** Hashes with known digests, and hashes of blocks. */
import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { listAlgorithms, startDigest } from '../../src/hash/algorithms.ts';
import { HashThreadPool } from '../../src/hash/thread-pool.ts';
import { loadHash, WasmHash } from '../../src/hash/wasm-hash.ts';
import { ImageChecksum } from '../../src/images/api/image-checksum.ts';
import { pattern } from '../images/support/harness.ts';

beforeAll(async () => {
  for (const algorithm of listAlgorithms()) await loadHash(algorithm);
});

describe('BLAKE2b', () => {
  // Digests of `b2sum -l 256`.
  it.each([
    ['', '0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8'],
    ['abc', 'bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319'],
    [
      'The quick brown fox jumps over the lazy dog',
      '01718cec35cd3d796dd00020e0bfecb473ad23457d063b75eff29c0ffa2e58a9',
    ],
  ])('has the known digest of %j', (text, digest) => {
    const hash = new WasmHash('blake2b').update(Buffer.from(text));
    expect(hash.digest().toString('hex')).toBe(digest);
  });
});

describe('XXH128', () => {
  // As `xxhsum -H2` prints them.
  it.each([
    ['', '99aa06d3014798d86001c324468d497f'],
    ['abc', '06b05ab6733a618578af5f94892f3950'],
    ['a'.repeat(1_000), 'b01da365eddaa29cb3e7af627147db7c'],
  ])('gives the known digest of %j', (text, digest) => {
    const hash = startDigest('xxh128');
    hash?.update(Buffer.from(text));
    expect(hash?.digest().toString('hex')).toBe(digest);
  });
});

describe.each(['blake2b', 'xxh128'])('%s', (algorithm) => {
  it('depends neither on the pieces of the input nor on concurrent hashes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 5_000 }), { maxLength: 12 }), (parts) => {
        const [cut, other] = [startDigest(algorithm), startDigest(algorithm)];
        for (const part of parts) {
          cut?.update(part);
          other?.update(Buffer.from('between'));
          if (part.length % 3 === 0) startDigest(algorithm)?.update(part);
        }
        const whole = startDigest(algorithm);
        whole?.update(Buffer.concat(parts));
        expect(cut?.digest()).toEqual(whole?.digest());
        expect(other?.digest().length).toBeGreaterThan(0);
      }),
    );
  });
});

describe('algorithms', () => {
  it('lists BLAKE2b first, and only available algorithms', () => {
    expect(listAlgorithms()[0]).toBe('blake2b');
    expect(listAlgorithms().at(-1)).toBe('xxh128');
    expect(listAlgorithms()).toEqual(expect.arrayContaining(['blake2s', 'sha256', 'sha3_256']));
    for (const name of listAlgorithms())
      expect(startDigest(name)?.digest().length).toBeGreaterThan(0);
  });

  it.each(['shake_128', 'SHA256', 'RSA-SHA256', '', 'toString'])('is undefined for %j', (name) => {
    expect(startDigest(name)).toBeUndefined();
  });

  it('has 32-byte digests for both kinds of BLAKE2', () => {
    expect(startDigest('blake2b')?.digest().length).toBe(32);
    expect(startDigest('blake2s')?.digest().length).toBe(32);
  });
});

const threads = new HashThreadPool(2);
afterAll(() => threads.close());

describe('BlockHash', () => {
  const BLOCK = 4096;
  const plain = (bytes: Buffer, size = BLOCK) => {
    const outer = createHash('sha256');
    for (let i = 0; i < bytes.length; i += size) {
      const block = bytes.subarray(i, i + size);
      outer.update(createHash('sha256').update(block).digest());
    }
    return outer.digest('hex');
  };
  const made = (size = BLOCK) => {
    const hash = new ImageChecksum(threads, 'sha256', size);
    onTestFinished(() => hash.close());
    return hash;
  };
  const addBytes = async (hash: ImageChecksum, bytes: Buffer) => {
    for (let i = 0; i < bytes.length; i += BLOCK) {
      const block = bytes.subarray(i, i + BLOCK);
      await hash.add(async (one) => {
        for (let at = 0; at < block.length; at += 1000) {
          await one.update(block.subarray(at, at + 1000));
        }
      });
    }
  };

  it.each([0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 50 * BLOCK + 17])(
    'is the hash of the hashes of blocks, for %i bytes',
    async (length) => {
      const bytes = pattern(length);
      const hash = made();
      await addBytes(hash, bytes);
      expect(await hash.digest()).toBe(plain(bytes));
    },
  );

  it('keeps the order of blocks, whichever is hashed first', async () => {
    const bytes = pattern(4 * BLOCK);
    const hash = made();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const block = (index: number) => bytes.subarray(index * BLOCK, (index + 1) * BLOCK);
    await hash.add(async (one) => {
      await held;
      await one.update(block(0));
    });
    await hash.add((one) => one.update(block(1)));
    await hash.add((one) => one.update(block(2)).then(release));
    await hash.add((one) => one.update(block(3)));
    expect(await hash.digest()).toBe(plain(bytes));
  });

  it('counts zero blocks as if they had been read', async () => {
    const data = pattern(BLOCK);
    const hash = made();
    await addBytes(hash, data);
    await hash.addZeros(10_000);
    await addBytes(hash, data.subarray(0, 100));
    const whole = Buffer.concat([data, Buffer.alloc(10_000 * BLOCK), data.subarray(0, 100)]);
    expect(await hash.digest()).toBe(plain(whole));
  });

  it('has a zero block for sizes that are no multiple of its buffer', async () => {
    const size = 3 * 2 ** 20 + 4096;
    const hash = made(size);
    await hash.addZeros(1);
    expect(await hash.digest()).toBe(plain(Buffer.alloc(size), size));
  });

  it('tells of a block that could not be read, and waits for the others', async () => {
    const hash = made();
    let others = 0;
    await hash.add(() => Promise.reject(new Error('EIO')));
    await hash.add(async (one) => {
      await one.update(pattern(100));
      others += 1;
    });
    await expect(hash.digest()).rejects.toThrow('EIO');
    await hash.close();
    expect(others).toBe(1);
  });
});

describe('the threads of hashes', () => {
  const expected = (algorithm: string, bytes: Buffer) =>
    createHash(algorithm).update(bytes).digest();

  it('make several at a time', async () => {
    const all = ['sha256', 'sha1', 'md5'].map((algorithm) => threads.start(algorithm));
    const bytes = randomBytes(200_000);
    await Promise.all(all.map((one) => one.update(bytes.subarray(0, 70_000))));
    await Promise.all(all.map((one) => one.update(bytes.subarray(70_000))));
    const [sha256, sha1] = await Promise.all(all.map((one) => one.digest()));
    expect(sha256).toEqual(new Uint8Array(expected('sha256', bytes)));
    expect(sha1).toEqual(new Uint8Array(expected('sha1', bytes)));
    for (const one of all) one.close();
    await expect(all[0]?.digest()).rejects.toThrow('unknown hash');
  });

  it('tell what was begun before they ended, and begin anew', async () => {
    const before = threads.start('sha256');
    await threads.close();
    await expect(before.digest()).rejects.toThrow('has stopped');
    before.close();
    const after = threads.start('sha256');
    expect(await after.digest()).toEqual(new Uint8Array(expected('sha256', Buffer.alloc(0))));
    after.close();
  });
});
