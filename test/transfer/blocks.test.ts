/** Blocks of images, compared with a simple implementation. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Extent } from '../../src/extents/file-extents.ts';
import { BLOCK, blockCount, type Piece, pieces } from '../../src/transfer/blocks.ts';

async function all(extents: readonly Extent[], size: number): Promise<Piece[]> {
  async function* given() {
    yield* extents;
  }
  const found: Piece[] = [];
  for await (const piece of pieces(given(), size)) found.push(piece);
  return found;
}

/** Alternating data and zeros of these lengths. */
function alternating(lengths: readonly number[]): { extents: Extent[]; size: number } {
  let size = 0;
  const extents = lengths.map((length, index) => {
    const start = size;
    size += length;
    return { start, end: size, zero: index % 2 === 1 };
  });
  return { extents, size };
}

const KiB = 1024;
const lengths = fc.array(
  fc.oneof(
    fc.integer({ min: 1, max: 300 * KiB }),
    fc.integer({ min: 1, max: 3 * BLOCK }),
    fc.constantFrom(BLOCK, BLOCK - 1, BLOCK + 1, 128 * KiB, 128 * KiB - 1),
  ),
  { maxLength: 12 },
);

describe('pieces', () => {
  it('cover every block once, in order, and every byte of data', async () => {
    await fc.assert(
      fc.asyncProperty(lengths, async (given) => {
        const { extents, size } = alternating(given);
        const found = await all(extents, size);
        const blocks = found.flatMap((piece) =>
          piece.kind === 'data'
            ? [piece.block]
            : Array.from({ length: piece.last - piece.first + 1 }, (_, at) => piece.first + at),
        );
        expect(blocks).toEqual(Array.from({ length: blockCount(size) }, (_, at) => at));
        const runs = found.flatMap((piece) => (piece.kind === 'data' ? piece.runs : []));
        for (const { start, end, zero } of extents) {
          if (zero) continue;
          for (const at of [start, Math.floor((start + end) / 2), end - 1]) {
            expect(runs.some((run) => run.start <= at && at < run.end)).toBe(true);
          }
        }
        for (const piece of found) {
          if (piece.kind === 'zero') continue;
          let before = piece.block * BLOCK - 128 * KiB;
          for (const run of piece.runs) {
            expect(run.end).toBeGreaterThan(run.start);
            expect(run.start - before).toBeGreaterThanOrEqual(128 * KiB);
            expect(run.end).toBeLessThanOrEqual(Math.min((piece.block + 1) * BLOCK, size));
            before = run.end;
          }
        }
      }),
    );
  });

  it('of an image without data are zeros', async () => {
    expect(await all([], 2 * BLOCK + 1)).toEqual([{ kind: 'zero', first: 0, last: 2 }]);
    expect(await all([], 0)).toEqual([]);
  });

  it('end with the image, for any extents', async () => {
    const found = await all([{ start: 0, end: 5 * BLOCK, zero: false }], BLOCK + 10);
    expect(found).toEqual([
      { kind: 'data', block: 0, runs: [{ start: 0, end: BLOCK }] },
      { kind: 'data', block: 1, runs: [{ start: BLOCK, end: BLOCK + 10 }] },
    ]);
  });
});
