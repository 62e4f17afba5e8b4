// Shared flushes and memory of pieces, without sockets.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PieceWriter } from '../../src/images/api/piece-io.ts';
import { LARGE_PIECE, PieceMemory, SMALL_PIECE } from '../../src/images/system/piece-memory.ts';
import { SharedFlush } from '../../src/images/tickets/shared-flush.ts';
import { pattern } from './support/harness.ts';

describe('SharedFlush', () => {
  /** Flush that runs until the test ends it. */
  function manualFlush() {
    const running: { resolve: () => void; reject: (error: Error) => void }[] = [];
    const shared = new SharedFlush(
      () => new Promise<void>((resolve, reject) => running.push({ resolve, reject })),
    );
    return { shared, running };
  }

  it('serves calls during a flush with one later flush', async () => {
    const { shared, running } = manualFlush();
    const first = shared.run();
    await Promise.resolve();
    expect(running.length).toBe(1);
    const second = shared.run();
    const third = shared.run();
    running[0]?.resolve();
    await first;
    await new Promise(setImmediate);
    expect(running.length).toBe(2);
    running[1]?.resolve();
    await Promise.all([second, third]);
    expect(running.length).toBe(2);
  });

  it('B4 never flushes again after a failure, because data may be lost', async () => {
    const { shared, running } = manualFlush();
    const first = shared.run();
    await Promise.resolve();
    const second = shared.run();
    running[0]?.reject(new Error('EIO'));
    await expect(first).rejects.toThrow('EIO');
    await expect(second).rejects.toThrow('EIO');
    await expect(shared.run()).rejects.toThrow('EIO');
    expect(running.length).toBe(1);
    expect(shared.failed).toBe(true);
  });
});

describe('PieceMemory', () => {
  it('lends a small piece if no large one is free, and then has no spare pieces', () => {
    const memory = new PieceMemory(1, 2);
    const large = memory.take(LARGE_PIECE);
    expect(large.length).toBe(LARGE_PIECE);
    expect(memory.takeSpare()).toBeUndefined();
    expect(memory.take(LARGE_PIECE).length).toBe(SMALL_PIECE);
    memory.release(large);
    expect(memory.takeSpare()).toBe(large);
  });

  it('reserves large pieces for large requests', () => {
    const memory = new PieceMemory(1, 1);
    expect(memory.take(SMALL_PIECE).length).toBe(SMALL_PIECE);
    expect(memory.free).toEqual({ large: 1, small: 0 });
  });

  it('lends pieces that do not overlap', () => {
    const memory = new PieceMemory(2, 2);
    const pieces = [memory.take(LARGE_PIECE), memory.take(LARGE_PIECE), memory.take(1)];
    for (const [i, piece] of pieces.entries()) piece.fill(i + 1);
    for (const [i, piece] of pieces.entries()) {
      expect(piece.every((byte) => byte === i + 1)).toBe(true);
    }
  });

  it('is 64 MiB by default', () => {
    const { free } = new PieceMemory();
    expect(free.large * LARGE_PIECE + free.small * SMALL_PIECE).toBe(64 * 2 ** 20);
  });
});

describe('PieceWriter', () => {
  it('writes all bytes, for any chunks and memory', async () => {
    const parts = fc.record({
      start: fc.nat(3 * SMALL_PIECE),
      lengths: fc.array(fc.nat(2 * SMALL_PIECE), { maxLength: 8 }),
      large: fc.nat(1),
    });
    await fc.assert(
      fc.asyncProperty(parts, async ({ start, lengths, large }) => {
        const memory = new PieceMemory(large, 1);
        const length = lengths.reduce((sum, part) => sum + part, 0);
        const source = pattern(length);
        const target = Buffer.alloc(start + length);
        const writer = new PieceWriter({
          memory,
          start,
          length,
          write: async (offset, bytes) => {
            await new Promise(setImmediate);
            bytes.copy(target, offset);
          },
        });
        let sent = 0;
        for (const part of lengths) {
          await writer.push(source.subarray(sent, sent + part));
          sent += part;
        }
        await writer.finish();
        await writer.close();
        expect(target.subarray(start).equals(source)).toBe(true);
        expect(memory.free).toEqual({ large, small: 1 });
      }),
      { numRuns: 40 },
    );
  });

  it('reports a failed write and releases its memory', async () => {
    const memory = new PieceMemory(2, 1);
    const writer = new PieceWriter({
      memory,
      start: 0,
      length: 4 * LARGE_PIECE,
      write: () => Promise.reject(new Error('no space')),
    });
    await expect(
      (async () => {
        for (let i = 0; i < 4; i++) await writer.push(pattern(LARGE_PIECE));
        await writer.finish();
      })(),
    ).rejects.toThrow('no space');
    await writer.close();
    expect(memory.free).toEqual({ large: 2, small: 1 });
  });
});
