// File backend on real files: writes in place, growth, holes, and refused files.
import { mkdtemp, open, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Backend, Extent } from '../../../src/images/backends/backend.ts';
import { type FileImageOptions, openFileImage } from '../../../src/images/backends/file.ts';
import { sparseCalls } from '../../../src/images/system/sparse-calls.ts';
import { pattern } from '../support/harness.ts';

const calls = await sparseCalls();
const BLOCK = 4096;

async function setUp(content: Buffer, options: Partial<FileImageOptions> = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'images-'));
  const path = join(directory, 'image');
  await writeFile(path, content);
  const image = await openFileImage({
    path,
    size: content.length,
    writable: true,
    sparse: true,
    ...options,
  });
  onTestFinished(async () => {
    await image.close();
    await rm(directory, { recursive: true });
  });
  return { directory, path, image };
}

async function read(image: Backend, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length, 0xff);
  await image.read(offset, buffer);
  return buffer;
}

async function list(image: Backend): Promise<Extent[]> {
  const extents: Extent[] = [];
  for await (const extent of image.extents()) extents.push(extent);
  return extents;
}

describe('reading and writing', () => {
  it.each([
    [0, 1],
    [1, BLOCK],
    [511, 513],
    [BLOCK - 1, 2],
    [3 * BLOCK - 7, 7],
  ])('keeps the bytes around %i bytes at %i', async (offset, length) => {
    const content = pattern(3 * BLOCK);
    const { path, image } = await setUp(content);
    const written = pattern(length, 2);
    await image.write(offset, written);
    const expected = Buffer.from(content);
    written.copy(expected, offset);
    expect((await readFile(path)).equals(expected)).toBe(true);
    expect((await read(image, offset, length)).equals(written)).toBe(true);
  });

  it('reads zeros after the end of a file that is shorter than the image', async () => {
    const { image } = await setUp(pattern(100), { size: 300 });
    expect(
      (await read(image, 50, 200)).equals(
        Buffer.concat([pattern(100).subarray(50), Buffer.alloc(150)]),
      ),
    ).toBe(true);
    expect((await read(image, 200, 100)).equals(Buffer.alloc(100))).toBe(true);
  });

  it('grows a shorter file only up to the written bytes', async () => {
    const { path, image } = await setUp(pattern(100), { size: 3 * BLOCK });
    await image.write(BLOCK, pattern(10, 2));
    expect((await stat(path)).size).toBe(BLOCK + 10);
  });
});

describe('writing zeros', () => {
  const content = pattern(64 * BLOCK);
  const expected = Buffer.from(content).fill(0, BLOCK, 33 * BLOCK);

  it.runIf(calls)('creates holes if the image is sparse', async () => {
    const { path, image } = await setUp(content);
    const before = await stat(path);
    await image.write(BLOCK, Buffer.alloc(32 * BLOCK));
    expect((await readFile(path)).equals(expected)).toBe(true);
    expect((await stat(path)).blocks).toBeLessThan(before.blocks);
    expect((await list(image)).map(({ start, length, hole }) => [start, length, hole])).toEqual([
      [0, BLOCK, false],
      [BLOCK, 32 * BLOCK, true],
      [33 * BLOCK, 31 * BLOCK, false],
    ]);
  });

  it('grows a shorter file too', async () => {
    const { path, image } = await setUp(pattern(100), { size: 64 * BLOCK });
    await image.write(BLOCK, Buffer.alloc(32 * BLOCK));
    expect((await stat(path)).size).toBe(33 * BLOCK);
  });

  it.each([
    ['in a preallocated image', { sparse: false }],
    ['without the calls for sparse files', { calls: null }],
  ])('writes zeros %s', async (_name, options) => {
    const { path, image } = await setUp(content, options);
    const before = await stat(path);
    await image.write(BLOCK, Buffer.alloc(32 * BLOCK));
    expect((await readFile(path)).equals(expected)).toBe(true);
    expect((await stat(path)).blocks).toBe(before.blocks);
  });
});

describe.each([
  ['with the calls for sparse files', calls],
  ['without them', null],
])('zeroing %s', (_name, given) => {
  it.each([true, false])('clears only the range, sparse %s', async (sparse) => {
    const content = pattern(64 * BLOCK);
    const { path, image } = await setUp(content, { sparse, calls: given ?? null });
    await image.zero(BLOCK + 100, 20 * BLOCK);
    const expected = Buffer.from(content).fill(0, BLOCK + 100, 21 * BLOCK + 100);
    expect((await readFile(path)).equals(expected)).toBe(true);
  });

  it.each([true, false])(
    'grows a shorter file to the end of the range, sparse %s',
    async (sparse) => {
      const { path, image } = await setUp(pattern(100), {
        size: 4 * BLOCK,
        sparse,
        calls: given ?? null,
      });
      await image.zero(50, 2 * BLOCK);
      const content = await readFile(path);
      expect(content.length).toBe(2 * BLOCK + 50);
      expect(
        content.equals(Buffer.concat([pattern(100).subarray(0, 50), Buffer.alloc(2 * BLOCK)])),
      ).toBe(true);
    },
  );

  it('does nothing for an empty range', async () => {
    const { path, image } = await setUp(pattern(100), { size: BLOCK, calls: given ?? null });
    await image.zero(BLOCK, 0);
    expect((await readFile(path)).equals(pattern(100))).toBe(true);
  });
});

describe.runIf(calls)('space', () => {
  it('is deallocated by zeroing a sparse image, otherwise not', async () => {
    const content = pattern(64 * BLOCK);
    const sparse = await setUp(content, { sparse: true });
    await sparse.image.zero(0, content.length);
    expect((await stat(sparse.path)).blocks).toBe(0);
    const full = await setUp(content, { sparse: false });
    const before = (await stat(full.path)).blocks;
    await full.image.zero(0, content.length);
    expect((await stat(full.path)).blocks).toBeGreaterThanOrEqual(before);
  });

  it('is not allocated by reading holes or writing next to them', async () => {
    const { path, image } = await setUp(Buffer.alloc(0), { size: 64 * BLOCK });
    const handle = await open(path, 'r+');
    await handle.truncate(64 * BLOCK);
    await handle.close();
    await read(image, 0, 64 * BLOCK);
    await image.write(32 * BLOCK, pattern(BLOCK));
    expect((await stat(path)).blocks * 512).toBeLessThan(8 * BLOCK);
  });
});

describe('extents', () => {
  it('are one extent of data without calls for sparse files', async () => {
    const { image } = await setUp(Buffer.alloc(3 * BLOCK), { calls: null });
    expect(await list(image)).toEqual([{ start: 0, length: 3 * BLOCK, zero: false, hole: false }]);
  });

  it('end with a hole if the file is shorter than the image', async () => {
    const { image } = await setUp(pattern(100), { size: 250 });
    expect(await list(image)).toEqual([
      { start: 0, length: 100, zero: false, hole: false },
      { start: 100, length: 150, zero: true, hole: true },
    ]);
  });

  it('are empty for an empty image', async () => {
    const { image } = await setUp(Buffer.alloc(0));
    expect(await list(image)).toEqual([]);
  });

  it('end at the size of an image that is smaller than its file', async () => {
    const { image } = await setUp(pattern(500), { size: 200 });
    expect(await list(image)).toEqual([{ start: 0, length: 200, zero: false, hole: false }]);
  });

  it.runIf(calls)('distinguish data from holes at any position', async () => {
    const { image } = await setUp(Buffer.alloc(0), { size: 100 * BLOCK });
    await image.write(10 * BLOCK, pattern(2 * BLOCK));
    await image.write(50 * BLOCK, pattern(BLOCK));
    expect(await list(image)).toEqual([
      { start: 0, length: 10 * BLOCK, zero: true, hole: true },
      { start: 10 * BLOCK, length: 2 * BLOCK, zero: false, hole: false },
      { start: 12 * BLOCK, length: 38 * BLOCK, zero: true, hole: true },
      { start: 50 * BLOCK, length: BLOCK, zero: false, hole: false },
      { start: 51 * BLOCK, length: 49 * BLOCK, zero: true, hole: true },
    ]);
  });

  it.runIf(calls)('count as data if the file system does not report holes', async () => {
    const silent = {
      ...(calls as NonNullable<typeof calls>),
      nextData: () => {
        throw new Error('EINVAL');
      },
    };
    const { image } = await setUp(Buffer.alloc(2 * BLOCK), { calls: silent });
    expect(await list(image)).toEqual([{ start: 0, length: 2 * BLOCK, zero: false, hole: false }]);
  });
});

describe('opening', () => {
  const options = { size: 10, writable: false, sparse: true };

  it('refuses a symbolic link, which can have any target', async () => {
    const { directory, path } = await setUp(pattern(10));
    const link = join(directory, 'link');
    await symlink(path, link);
    await expect(openFileImage({ ...options, path: link })).rejects.toThrow('ELOOP');
  });

  it('refuses files other than regular files', async () => {
    const { directory } = await setUp(pattern(10));
    await expect(openFileImage({ ...options, path: directory })).rejects.toThrow('regular file');
  });

  it('creates no file', async () => {
    const { directory } = await setUp(pattern(10));
    const path = join(directory, 'missing');
    await expect(openFileImage({ ...options, path, writable: true })).rejects.toThrow('ENOENT');
    await expect(stat(path)).rejects.toThrow('ENOENT');
  });

  it('refuses writes to an image opened for reading', async () => {
    const { image } = await setUp(pattern(10), { writable: false });
    await expect(image.write(0, pattern(1))).rejects.toThrow('EBADF');
  });
});
