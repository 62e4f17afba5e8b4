/** Compressed images: detection, decompression, and read errors. */
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { VmctlError } from '../../src/client/errors.ts';
import {
  type Compression,
  compressionByExtension,
  decompressed,
  detectCompression,
} from '../../src/transfer/compression.ts';
import { readHead } from '../../src/transfer/stream-head.ts';
import { catchFailure, collect } from './support/collect.ts';

const text = Buffer.from('a');
const packed = {
  gzip: gzipSync(text),
  xz: Buffer.from(
    'fd377a585a0000016922de36020021010c0000008f98419c010000610000000043beb7e800011501a96334609042990d010000000001595a',
    'hex',
  ),
  zstd: Buffer.from('28b52ffd0458090000615b6e8ca9', 'hex'),
};
const names = ['gzip', 'xz', 'zstd'] as const;

/** Bytes in chunks of this length. */
async function* inPieces(bytes: Buffer, length = bytes.length): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

function packing(name: keyof typeof packed): Compression {
  const found = detectCompression(packed[name]);
  if (!found) throw new Error(`${name} is unknown.`);
  return found;
}

describe('a compressed file', () => {
  it.each(names)('with %s is detected by its first bytes', (name) => {
    const { magic } = packing(name);
    expect(packing(name).name).toBe(name);
    expect(detectCompression(magic)?.name).toBe(name);
    expect(detectCompression(magic.subarray(0, -1))).toBeUndefined();
    expect(detectCompression(Buffer.concat([text, magic]))).toBeUndefined();
  });

  it.each([
    ['a.gz', 'gzip'],
    ['/b/c.raw.XZ', 'xz'],
    ['a.qcow2.zst', 'zstd'],
    ['a.gz.old', undefined],
    ['gz', undefined],
    ['a.zstd', undefined],
  ])('is detected by its name: %s, %s', (path, name) => {
    expect(compressionByExtension(path)?.name).toBe(name);
  });

  it.each(names)('with %s is decompressed from any chunks', async (name) => {
    for (const length of [1, 5, 1_000]) {
      const bytes = decompressed('a', packing(name), inPieces(packed[name], length));
      expect(Buffer.concat(await collect(bytes)).toString()).toBe('a');
    }
  });
});

describe.each(names)('%s', (name) => {
  it.each([
    ['is truncated', () => packed[name].subarray(0, -3)],
    ['is damaged', () => Buffer.from(packed[name]).fill(255, 6, 14)],
  ])('that %s is reported', async (_, damaged) => {
    const error = await catchFailure(
      collect(decompressed('a.x', packing(name), inPieces(damaged()))),
    );
    expect(error).toBeInstanceOf(VmctlError);
    expect(error).toMatchObject({
      message: expect.stringMatching(
        `^cannot decompress a\\.x: ${name} data is truncated or damaged \\(.+\\)$`,
      ),
      code: 'damaged_file',
      hint: 'download or compress it again',
    });
  });

  it('that cannot be read fails with the read error', async () => {
    const reason = new Error('the disk was removed');
    async function* failing() {
      yield packed[name].subarray(0, 10);
      throw reason;
    }
    expect(await catchFailure(collect(decompressed('a', packing(name), failing())))).toBe(reason);
  });
});

describe('the first bytes of a stream', () => {
  it.each([1, 7, 511, 512, 513, 2_000])('in chunks of %i are not lost', async (length) => {
    const whole = Buffer.from(Array.from({ length: 1_500 }, (_, at) => at % 251));
    const { head, bytes } = await readHead(inPieces(whole, length));
    expect(head.equals(whole.subarray(0, 512))).toBe(true);
    expect(Buffer.concat(await collect(bytes)).equals(whole)).toBe(true);
  });

  it('are the complete content of a short stream', async () => {
    const { head, bytes } = await readHead(inPieces(text));
    expect(head).toEqual(text);
    expect(await collect(bytes)).toEqual([text]);
    const none = await readHead(inPieces(Buffer.alloc(0), 1));
    expect(none.head).toHaveLength(0);
    expect(await collect(none.bytes)).toEqual([]);
  });

  it('are read without further requests', async () => {
    let asked = 0;
    async function* counted() {
      for (;;) {
        asked += 1;
        yield Buffer.alloc(256);
      }
    }
    await readHead(counted());
    expect(asked).toBe(2);
  });
});
