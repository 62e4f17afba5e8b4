/** Lists of extents, in chunks of any size. */
import { describe, expect, it } from 'vitest';
import { parseExtents } from '../../src/transfer/parse-extents.ts';

async function* inPieces(text: string, length: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

const KiB = 1024;
const list = [
  { start: 0, length: 10, zero: false, hole: false },
  { start: 10, length: 1024 * KiB, zero: true, hole: true },
  { start: 10 + 1024 * KiB, length: 5, zero: false },
  { start: 15 + 1024 * KiB, length: 100 * KiB, zero: true },
  { start: 15 + 1124 * KiB, length: 1, zero: false },
  { start: 16 + 1124 * KiB, length: 0, zero: false },
  { start: 16 + 1124 * KiB, length: 99, zero: true },
];

describe('readLayout', () => {
  it.each([1, 3, 17, 1_000_000])('parses chunks of %i bytes', async (length) => {
    for (const text of [JSON.stringify(list), JSON.stringify(list, null, 2)]) {
      expect(await parseExtents(inPieces(text, length))).toEqual({
        size: 115 + 1124 * KiB,
        data: [
          { start: 0, end: 10 },
          // The gap is shorter than the cost of a request.
          { start: 10 + 1024 * KiB, end: 16 + 1124 * KiB },
        ],
      });
    }
  });

  it('parses the list of an empty image', async () => {
    expect(await parseExtents(inPieces('[]\n', 10))).toEqual({ size: 0, data: [] });
  });

  it.each([
    [
      'a gap',
      '[{"start":0,"length":1},{"start":2,"length":1}]',
      'an extent begins at 2 instead of 1',
    ],
    ['no numbers', '[{"start":0,"length":"1"}]', 'an extent has no numbers'],
    ['a negative length', '[{"start":0,"length":-1}]', 'an extent has no numbers'],
    ['half a list', '[{"start":0,"length":1},{"start":1,', 'it is truncated'],
    ['another value', `${'x'.repeat(20_000)}`, 'not a list of extents'],
    ['invalid JSON', '[{start:0}]', 'not JSON'],
  ])('refuses %s', async (_, text, why) => {
    await expect(parseExtents(inPieces(text, 1000))).rejects.toMatchObject({
      message: `cannot use the extents of the image daemon: ${why}`,
      code: 'bad_answer',
    });
  });
});

it('keeps gaps that cost more than a request', async () => {
  for (const [zeros, count] of [
    [128 * KiB - 1, 1],
    [128 * KiB, 2],
  ] as const) {
    const around = [
      { start: 0, length: 1, zero: false },
      { start: 1, length: zeros, zero: true },
      { start: 1 + zeros, length: 1, zero: false },
    ];
    expect((await parseExtents(inPieces(JSON.stringify(around), 99))).data).toHaveLength(count);
  }
});
