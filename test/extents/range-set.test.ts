/** Range sets, compared with sets of numbers. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RangeSet } from '../../src/extents/range-set.ts';

describe('RangeSet', () => {
  it('counts overlapping ranges once', () => {
    const ranges = new RangeSet();
    ranges.add(0, 100);
    ranges.add(50, 150);
    ranges.add(1000, 1100);
    expect(ranges.total).toBe(250);
    expect(ranges.count).toBe(2);
  });

  it('agrees with a set of offsets, and merges adjacent ranges', () => {
    const range = fc.tuple(fc.nat(60), fc.nat(12));
    fc.assert(
      fc.property(fc.array(range, { maxLength: 40 }), (added) => {
        const ranges = new RangeSet();
        const offsets = new Set<number>();
        for (const [start, length] of added) {
          ranges.add(start, start + length);
          for (let i = start; i < start + length; i++) offsets.add(i);
        }
        const runs = [...offsets].filter((offset) => !offsets.has(offset - 1)).length;
        expect([ranges.total, ranges.count]).toEqual([offsets.size, runs]);
      }),
    );
  });

  it('knows its members, and the missing parts of a range', () => {
    const range = fc
      .tuple(fc.nat(60), fc.nat(8))
      .map(([first, more]) => [first, first + more] as const);
    fc.assert(
      fc.property(fc.array(range), range, (added, [start, end]) => {
        const set = new RangeSet();
        const model = new Set<number>();
        for (const [from, to] of added) {
          set.add(from, to);
          for (let value = from; value < to; value += 1) model.add(value);
        }
        for (let value = 0; value < 80; value += 1) expect(set.has(value)).toBe(model.has(value));
        const missing = [...set.missing(start, end)].flatMap((part) =>
          Array.from({ length: part.end - part.start }, (_, at) => part.start + at),
        );
        const expected = Array.from({ length: end - start }, (_, at) => start + at);
        expect(missing).toEqual(expected.filter((value) => !model.has(value)));
        const all = [...set];
        all.forEach((part, index) => {
          expect(part.start).toBeGreaterThan(all[index - 1]?.end ?? -1);
        });
      }),
    );
  });
});
