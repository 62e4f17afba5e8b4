// Dirty bitmaps, compared with sets of blocks, as files, and after crashes.
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Backend } from '../../../src/images/backends/backend.ts';
import { openFileImage } from '../../../src/images/backends/file.ts';
import { trackWrites, withChanges } from '../../../src/images/dirty/backend.ts';
import {
  BadBitmap,
  createBitmapFile,
  DIRTY_BLOCK,
  DirtyBitmap,
  isBitmapFile,
  REGION,
  readBitmapFile,
} from '../../../src/images/dirty/bitmap.ts';
import { DirtyTracker } from '../../../src/images/dirty/tracker.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'dirty-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function listBlocks(bitmap: DirtyBitmap): number[] {
  const count = Math.ceil(bitmap.size / DIRTY_BLOCK);
  return Array.from({ length: count }, (_, block) => block).filter((block) => bitmap.has(block));
}

/** Blocks of a range in an image. */
function touched(size: number, offset: number, length: number): number[] {
  const end = Math.min(size, offset + length);
  if (end <= offset) return [];
  const first = Math.floor(offset / DIRTY_BLOCK);
  const last = Math.ceil(end / DIRTY_BLOCK);
  return Array.from({ length: last - first }, (_, index) => first + index);
}

const sizes = fc.oneof(
  fc.integer({ min: 0, max: 70 * DIRTY_BLOCK }),
  fc.constant(16 * DIRTY_BLOCK),
);
const ranges = fc.array(
  fc.tuple(fc.nat(80 * DIRTY_BLOCK), fc.oneof(fc.nat(3), fc.nat(30 * DIRTY_BLOCK))),
  { maxLength: 12 },
);

describe('a dirty bitmap', () => {
  it('contains the same blocks as a set', () => {
    fc.assert(
      fc.property(sizes, ranges, (size, all) => {
        const bitmap = new DirtyBitmap(size);
        const known = new Set<number>();
        for (const [offset, length] of all) {
          bitmap.add(offset, length);
          for (const block of touched(size, offset, length)) known.add(block);
        }
        expect(listBlocks(bitmap)).toEqual([...known].sort((a, b) => a - b));
        let end = 0;
        let before: boolean | undefined;
        for (const { start, length, dirty } of bitmap.runs()) {
          expect(start).toBe(end);
          expect(length).toBeGreaterThan(0);
          expect(dirty).not.toBe(before);
          for (const block of touched(size, start, length)) expect(known.has(block)).toBe(dirty);
          end = start + length;
          before = dirty;
        }
        expect(end).toBe(size);
      }),
    );
  });

  it('merges a bitmap of a shorter or longer image', () => {
    fc.assert(
      fc.property(sizes, sizes, ranges, ranges, (size, other, mine, its) => {
        const one = new DirtyBitmap(size);
        const two = new DirtyBitmap(other);
        for (const [offset, length] of mine) one.add(offset, length);
        for (const [offset, length] of its) two.add(offset, length);
        const expected = new Set(listBlocks(one));
        for (const block of listBlocks(two)) if (block * DIRTY_BLOCK < size) expected.add(block);
        for (const block of touched(size, other, size)) expected.add(block);
        one.merge(two);
        expect(listBlocks(one)).toEqual([...expected].sort((a, b) => a - b));
        // Bits after the end are clear.
        const clean = new DirtyBitmap(size);
        for (const block of expected) clean.add(block * DIRTY_BLOCK, 1);
        expect(one.bits.equals(clean.bits)).toBe(true);
      }),
    );
  });
});

describe('the file of a bitmap', () => {
  const size = 3 * REGION + 5 * DIRTY_BLOCK + 17;

  it('is exact after each clean end', async () => {
    const path = join(folder(), 'bitmap');
    await createBitmapFile(path, size);
    expect(isBitmapFile(path, size)).toBe(true);
    expect(isBitmapFile(path, size + 1)).toBe(false);
    const known = new Set<number>();
    for (let session = 0; session < 4; session++) {
      const tracker = await DirtyTracker.open(path);
      const offsets = [session * 7 * DIRTY_BLOCK + 3, session * REGION - 1, size - 1 - session];
      await Promise.all(
        offsets.map(async (offset) => {
          if (offset < 0) return;
          await tracker.mark(offset, 2);
          for (const block of touched(size, offset, 2)) known.add(block);
        }),
      );
      await tracker.close();
      expect(listBlocks(await readBitmapFile(path))).toEqual([...known].sort((a, b) => a - b));
    }
  });

  it('after a crash, counts regions with pending writes as dirty, and no others', async () => {
    const path = join(folder(), 'bitmap');
    await createBitmapFile(path, size);
    const before = await DirtyTracker.open(path);
    await before.mark(5 * DIRTY_BLOCK, 1);
    await before.close();
    const tracker = await DirtyTracker.open(path);
    await tracker.mark(2 * REGION + 9 * DIRTY_BLOCK, 1);
    // Copy of the file during a session, as after a power failure.
    const after = `${path}.after`;
    copyFileSync(path, after);
    await tracker.close();
    const perRegion = REGION / DIRTY_BLOCK;
    const region = Array.from({ length: perRegion }, (_, index) => 2 * perRegion + index);
    expect(listBlocks(await readBitmapFile(after))).toEqual([5, ...region]);
    expect(listBlocks(await readBitmapFile(path))).toEqual([5, 2 * perRegion + 9]);
    // The next session continues, and its clean end keeps all dirty blocks.
    const next = await DirtyTracker.open(after);
    await next.mark(DIRTY_BLOCK, 1);
    await next.close();
    expect(listBlocks(await readBitmapFile(after))).toEqual([1, 5, ...region]);
  });

  it('marks a region once', async () => {
    const path = join(folder(), 'bitmap');
    await createBitmapFile(path, size);
    const tracker = await DirtyTracker.open(path);
    expect(tracker.mark(0, 1)).toBeInstanceOf(Promise);
    await tracker.mark(0, 1);
    expect(tracker.mark(REGION - 1, 1)).toBeUndefined();
    expect(tracker.mark(REGION - 1, 2)).toBeInstanceOf(Promise);
    expect(tracker.mark(size, 10)).toBeUndefined();
    await tracker.close();
  });

  it('is refused if it is invalid or truncated', async () => {
    const path = join(folder(), 'bitmap');
    writeFileSync(path, Buffer.alloc(5000, 7));
    await expect(DirtyTracker.open(path)).rejects.toBeInstanceOf(BadBitmap);
    await createBitmapFile(path, size);
    const { readFileSync } = await import('node:fs');
    writeFileSync(path, readFileSync(path).subarray(0, -1));
    await expect(readBitmapFile(path)).rejects.toBeInstanceOf(BadBitmap);
  });
});

describe('an image with known changes', () => {
  async function image(size: number) {
    const directory = folder();
    const path = join(directory, 'image');
    const bitmap = join(directory, 'bitmap');
    writeFileSync(path, '');
    const open = () => openFileImage({ path, size, writable: true, sparse: true });
    await createBitmapFile(bitmap, size);
    return { bitmap, open };
  }

  async function listExtents(backend: Backend) {
    const found = [];
    for await (const extent of backend.dirtyExtents?.() ?? []) found.push(extent);
    return found;
  }

  it('reports written and zeroed blocks', async () => {
    const size = 20 * DIRTY_BLOCK + 100;
    const { bitmap, open } = await image(size);
    const tracked = await trackWrites(await open(), bitmap);
    await tracked.write(DIRTY_BLOCK - 1, Buffer.from('ab'));
    await tracked.zero(5 * DIRTY_BLOCK, DIRTY_BLOCK);
    await tracked.write(size - 1, Buffer.from('z'));
    await tracked.flush();
    await tracked.close();
    const since = withChanges(await open(), size, [{ path: bitmap, size }]);
    const extents = await listExtents(since);
    await since.close();
    expect(extents.map(({ start, length }) => start + length).at(-1)).toBe(size);
    const dirty = extents.filter((one) => one.dirty);
    const blocks = new Set(dirty.flatMap(({ start, length }) => touched(size, start, length)));
    expect([...blocks]).toEqual([0, 1, 5, 20]);
    expect(extents.find(({ start }) => start === 5 * DIRTY_BLOCK)).toMatchObject({ zero: true });
    // Zeros are reported in unchanged blocks too.
    expect(extents.find((one) => !one.dirty)).toMatchObject({ zero: true });
  });

  it('counts blocks after its former end as dirty', async () => {
    const { open } = await image(8 * DIRTY_BLOCK);
    const since = withChanges(await open(), 8 * DIRTY_BLOCK, [{ size: 3 * DIRTY_BLOCK + 1 }]);
    const extents = await listExtents(since);
    await since.close();
    expect(extents.filter((one) => one.dirty)).toEqual([
      { start: 3 * DIRTY_BLOCK, length: 5 * DIRTY_BLOCK, dirty: true, zero: true },
    ]);
  });
});
