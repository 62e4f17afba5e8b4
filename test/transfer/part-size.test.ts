/** Size of the parts of a block: it shrinks until parts arrive, and grows afterwards. */
import { expect, it } from 'vitest';
import { BLOCK } from '../../src/transfer/blocks.ts';
import { PartSize } from '../../src/transfer/part-size.ts';

const KiB = 1024;

it('shrinks until parts arrive, to a minimum of 64 KiB', () => {
  const size = new PartSize();
  expect(size.bytes).toBe(BLOCK);
  for (const expected of [1024, 256, 64, 64]) {
    size.lost(size.bytes);
    expect(size.bytes).toBe(expected * KiB);
  }
});

it('stays if parts of its size arrive between two losses', () => {
  const size = new PartSize();
  size.lost(BLOCK);
  for (let losses = 0; losses < 100; losses += 1) {
    size.arrived(size.bytes);
    size.lost(size.bytes);
  }
  expect(size.bytes).toBe(1024 * KiB);
});

it('shrinks once for several connections that are lost together', () => {
  const size = new PartSize();
  for (let connections = 0; connections < 8; connections += 1) size.lost(BLOCK);
  expect(size.bytes).toBe(1024 * KiB);
});

it('shrinks although small parts arrive', () => {
  const size = new PartSize();
  size.arrived(512);
  size.lost(BLOCK);
  expect(size.bytes).toBe(1024 * KiB);
});

it('is a multiple of 64 KiB for every size of the lost part', () => {
  for (const lost of [1, 65 * KiB, 300 * KiB + 7, 1000 * KiB, BLOCK - 512]) {
    const size = new PartSize();
    size.lost(lost);
    expect(size.bytes % (64 * KiB)).toBe(0);
    expect(size.bytes).toBeGreaterThanOrEqual(64 * KiB);
    expect(size.bytes).toBeLessThanOrEqual(Math.max(64 * KiB, lost / 4));
  }
});

it('grows again after as many bytes as a larger part has', () => {
  const size = new PartSize();
  size.lost(BLOCK);
  size.lost(1024 * KiB);
  for (let parts = 0; parts < 3; parts += 1) size.arrived(size.bytes);
  expect(size.bytes).toBe(256 * KiB);
  size.arrived(size.bytes);
  expect(size.bytes).toBe(1024 * KiB);
  for (let parts = 0; parts < 64; parts += 1) size.arrived(size.bytes);
  expect(size.bytes).toBe(BLOCK);
});
