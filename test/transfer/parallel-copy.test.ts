/** Parallel copy of blocks: journal entries, repetitions, failures. */
import { describe, expect, it } from 'vitest';
import { BLOCK, type Piece, WINDOW } from '../../src/transfer/blocks.ts';
import { Journal } from '../../src/transfer/journal.ts';
import {
  type CopyOptions,
  type MovedPiece,
  ParallelCopy,
} from '../../src/transfer/parallel-copy.ts';
import { ProgressReporter } from '../../src/transfer/progress.ts';
import { catchFailure } from './support/collect.ts';

const data = (block: number): Piece => ({
  kind: 'data',
  block,
  runs: [{ start: block * BLOCK, end: (block + 1) * BLOCK }],
});

function createJournal(blocks: number): Journal {
  return Journal.inMemory({
    ...{ version: 1, direction: 'upload', server: 's', disk: 'd', name: 'n', file: 'f' },
    identity: { size: 0, modified: '', inode: '' },
    ...{ format: 'raw', size: blocks * BLOCK, created: true, zeroed: true, hashed: true },
  });
}

/** Copy of these pieces, and a log of its calls. */
function bench(pieces: readonly Piece[], some: Partial<CopyOptions> = {}) {
  const journal = createJournal(pieces.length);
  const progress = new ProgressReporter(undefined);
  const happened: string[] = [];
  let epoch = 0;
  async function* given() {
    yield* pieces;
  }
  const move = async (piece: Piece): Promise<MovedPiece> => {
    const name = piece.kind === 'data' ? String(piece.block) : `${piece.first}-${piece.last}`;
    happened.push(`move ${name}`);
    if (piece.kind === 'zero') return { piece, moved: 0, skipped: 5, epoch };
    return { piece, moved: 10, skipped: 1, epoch, digest: Buffer.alloc(32, piece.block + 1) };
  };
  const copy = new ParallelCopy({
    pieces: given(),
    parallel: 1,
    ...{ move, journal, progress },
    epoch: () => epoch,
    flush: async () => void happened.push('flush'),
    onDurable: (piece) =>
      void happened.push(`durable ${piece.kind === 'data' ? piece.block : 'zeros'}`),
    ...some,
  });
  const lose = () => {
    epoch += 1;
    copy.connectionLost();
  };
  return { copy, journal, progress, happened, move, lose };
}

const doneIn = ({ done }: Journal) => [...done].map(({ start, end }) => [start, end]);

describe('a copy', () => {
  it('copies every piece, flushes, and records durable pieces', async () => {
    const pieces: Piece[] = [data(0), { kind: 'zero', first: 1, last: 3 }, data(4)];
    const { copy, journal, progress, happened } = bench(pieces);
    await copy.run();
    expect(happened.slice(0, 3).sort()).toEqual(['move 0', 'move 1-3', 'move 4']);
    expect(happened[3]).toBe('flush');
    expect(happened.slice(4).sort()).toEqual(['durable 0', 'durable 4', 'durable zeros']);
    expect(doneIn(journal)).toEqual([[0, 5]]);
    expect(journal.hashes.get(4)).toEqual(Buffer.alloc(32, 5));
    expect(journal.hashes.get(2)).toBeUndefined();
    expect(progress).toMatchObject({ transferred: 20, skipped: 7 });
  });

  it('records blocks without a hash too', async () => {
    const { copy, journal } = bench([data(0), data(1)], {
      move: async (piece) => ({ piece, moved: 0, skipped: 1, epoch: 0 }),
    });
    await copy.run();
    expect(doneIn(journal)).toEqual([[0, 2]]);
    expect(journal.hashes.isEmpty).toBe(true);
  });

  it('without pieces neither copies nor flushes', async () => {
    const { copy, happened } = bench([]);
    await copy.run();
    expect(happened).toEqual([]);
  });

  it('copies two pieces for each parallel request', async () => {
    let most = 0;
    let now = 0;
    const buffers = new Set<Buffer>();
    const { copy } = bench(
      Array.from({ length: 12 }, (_, block) => data(block)),
      {
        parallel: 3,
        move: async (piece, buffer) => {
          now += 1;
          most = Math.max(most, now);
          expect(buffers.has(buffer)).toBe(false);
          expect(buffer).toHaveLength(BLOCK);
          buffers.add(buffer);
          await new Promise(setImmediate);
          buffers.delete(buffer);
          now -= 1;
          return { piece, moved: 1, skipped: 0 };
        },
      },
    );
    await copy.run();
    expect(most).toBe(6);
  });

  it('never has more than a window of unflushed data', async () => {
    let unsafe = 0;
    let most = 0;
    let flushes = 0;
    const blocks = (3 * WINDOW) / BLOCK;
    const { copy, journal } = bench(
      Array.from({ length: blocks }, (_, block) => data(block)),
      {
        parallel: 2,
        move: async (piece) => {
          unsafe += 1;
          most = Math.max(most, unsafe);
          return { piece, moved: 1, skipped: 0, digest: Buffer.alloc(32, 1) };
        },
        flush: async () => {
          flushes += 1;
          await new Promise(setImmediate);
        },
        onDurable: () => {
          unsafe -= 1;
        },
      },
    );
    await copy.run();
    expect(most).toBe(WINDOW / BLOCK);
    expect(flushes).toBeGreaterThanOrEqual(3);
    expect(unsafe).toBe(0);
    expect(doneIn(journal)).toEqual([[0, blocks]]);
  });
});

describe('a lost connection', () => {
  it('repeats unflushed pieces', async () => {
    const seen: number[] = [];
    const made = bench([data(0), data(1), data(2)], {
      move: async (piece) => {
        const moved = await made.move(piece);
        if (piece.kind === 'data') seen.push(piece.block);
        if (seen.length === 3) made.lose();
        return moved;
      },
    });
    await made.copy.run();
    // The last piece was acknowledged before the loss was reported.
    expect(seen.sort()).toEqual([0, 0, 1, 1, 2, 2]);
    expect(made.progress).toMatchObject({ transferred: 30, skipped: 3 });
    expect(doneIn(made.journal)).toEqual([[0, 3]]);
  });

  it('during a flush repeats its pieces, and records none', async () => {
    let flushes = 0;
    const made = bench([data(0), data(1)], {
      flush: async () => {
        flushes += 1;
        if (flushes > 1) return;
        made.lose();
      },
    });
    await made.copy.run();
    expect(flushes).toBe(2);
    const moves = made.happened.filter((one) => one.startsWith('move')).sort();
    expect(moves).toEqual(['move 0', 'move 0', 'move 1', 'move 1']);
    expect(made.progress).toMatchObject({ transferred: 20, skipped: 2 });
    expect(made.happened.filter((one) => one.startsWith('durable'))).toHaveLength(2);
  });

  it('releases the space of repeated pieces', async () => {
    const blocks = (2 * WINDOW) / BLOCK;
    let moves = 0;
    const made = bench(
      Array.from({ length: blocks }, (_, block) => data(block)),
      {
        parallel: 2,
        move: async (piece) => {
          moves += 1;
          const moved = await made.move(piece);
          if (moves % 5 === 0 && moves < 100) made.lose();
          return moved;
        },
      },
    );
    await made.copy.run();
    expect(moves).toBeGreaterThan(blocks);
    expect(doneIn(made.journal)).toEqual([[0, blocks]]);
    expect(made.progress.transferred).toBe(10 * blocks);
  });
});

describe('a window that losses have reduced', () => {
  it.each([
    { parallel: 1, losses: 4 },
    { parallel: 1, losses: 9 },
    { parallel: 4, losses: 2 },
    { parallel: 4, losses: 3 },
    { parallel: 4, losses: 4 },
    { parallel: 4, losses: 9 },
  ])('is flushed again if pieces arrived during a flush: %o', async ({ parallel, losses }) => {
    const blocks = (2 * WINDOW) / BLOCK;
    const workers = 2 * parallel;
    const arrivals: (() => void)[] = [];
    let arrived = 0;
    const made = bench(
      Array.from({ length: blocks }, (_, block) => data(block)),
      {
        parallel,
        // The requests of all workers arrive one by one, each after a part of a flush.
        move: async (piece) => {
          if (arrived < workers) {
            await new Promise<void>((resolve) => {
              arrivals.push(resolve);
              if (arrivals.length < workers) return;
              for (let loss = 0; loss < losses; loss += 1) made.lose();
              arrivals.shift()?.();
            });
            arrived += 1;
            setImmediate(() => arrivals.shift()?.());
          }
          return await made.move(piece);
        },
        flush: async () => {
          for (let turn = 0; turn < workers; turn += 1) await new Promise(setImmediate);
        },
      },
    );
    await made.copy.run();
    expect(doneIn(made.journal)).toEqual([[0, blocks]]);
    expect(made.progress.transferred).toBe(10 * blocks);
  });
});

describe('a failure', () => {
  const failing =
    (block: number) =>
    async (piece: Piece): Promise<MovedPiece> => {
      if (piece.kind === 'data' && piece.block === block) throw new Error('broken');
      return { piece, moved: 1, skipped: 0, digest: Buffer.alloc(32, 1) };
    };

  it('ends the copy, and is reported immediately and once', async () => {
    let told = 0;
    let moved = 0;
    const { copy, journal, happened } = bench(
      Array.from({ length: 50 }, (_, at) => data(at)),
      {
        move: async (piece) => {
          moved += 1;
          return await failing(1)(piece);
        },
        onFailure: () => {
          told += 1;
        },
      },
    );
    expect((await catchFailure(copy.run())).message).toBe('broken');
    expect(told).toBe(1);
    expect(moved).toBeLessThan(6);
    // Unflushed data of a daemon are not reliable.
    expect(happened).toEqual([]);
    expect(doneIn(journal)).toEqual([]);
  });

  it('records received pieces if they can be flushed', async () => {
    const { copy, journal, happened } = bench([data(0), data(1), data(2)], {
      move: failing(2),
      flushOnFailure: true,
    });
    expect((await catchFailure(copy.run())).message).toBe('broken');
    expect(doneIn(journal)).toEqual([[0, 2]]);
    expect(happened.filter((one) => one === 'flush')).toHaveLength(1);
  });

  it('of a flush is final: no further flush or entry', async () => {
    let flushes = 0;
    const { copy, journal } = bench([data(0)], {
      flushOnFailure: true,
      flush: async () => {
        flushes += 1;
        throw new Error('no room');
      },
    });
    expect((await catchFailure(copy.run())).message).toBe('no room');
    expect(flushes).toBe(1);
    expect(doneIn(journal)).toEqual([]);
  });

  it('of a flush is final for later pieces too', async () => {
    let flushes = 0;
    const blocks = WINDOW / BLOCK;
    const { copy, journal } = bench(
      Array.from({ length: 2 * blocks }, (_, at) => data(at)),
      {
        ...{ parallel: blocks, flushOnFailure: true },
        // Half of a window arrives before the flush fails, the other half later.
        move: async (piece) => {
          const turns = piece.kind === 'data' && piece.block < blocks / 2 ? 0 : 5;
          for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
          return { piece, moved: 1, skipped: 0, digest: Buffer.alloc(32, 1) };
        },
        flush: async () => {
          flushes += 1;
          await new Promise(setImmediate);
          if (flushes === 1) throw new Error('no room');
        },
      },
    );
    expect((await catchFailure(copy.run())).message).toBe('no room');
    expect(flushes).toBe(1);
    expect(doneIn(journal)).toEqual([]);
  });

  it('of a flush ends the copy while workers wait for space', async () => {
    let moved = 0;
    const { copy } = bench(
      Array.from({ length: 100 }, (_, at) => data(at)),
      {
        parallel: 4,
        move: async (piece) => {
          moved += 1;
          return { piece, moved: 1, skipped: 0 };
        },
        flush: async () => {
          await new Promise(setImmediate);
          throw new Error('no room');
        },
      },
    );
    expect((await catchFailure(copy.run())).message).toBe('no room');
    expect(moved).toBeLessThanOrEqual(WINDOW / BLOCK);
  });

  it('of the source is that of the copy', async () => {
    async function* source(): AsyncGenerator<Piece> {
      yield data(0);
      throw new Error('unreadable');
    }
    const { copy } = bench([], { pieces: source() });
    expect((await catchFailure(copy.run())).message).toBe('unreadable');
  });
});
