/** Sources that can be read once: blocks, buffers, releases. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConflictError, UsageError } from '../../src/client/errors.ts';
import type { Extent } from '../../src/extents/file-extents.ts';
import { BLOCK } from '../../src/transfer/blocks.ts';
import { StreamSource } from '../../src/transfer/stream-source.ts';
import { runs } from '../support/mutants.ts';
import { catchFailure, collect } from './support/collect.ts';

async function* splitChunks(bytes: Buffer, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

function createSource(
  bytes: Buffer,
  {
    size = bytes.length,
    chunk = 65_536,
    signal = new AbortController().signal,
    closed = () => {},
  } = {},
): StreamSource {
  return new StreamSource({
    path: 'standard input',
    identity: { size, modified: '', inode: '' },
    content: { format: 'raw', virtualSize: size, hasBackingFile: false },
    size,
    repeatable: false,
    open: () => splitChunks(bytes, chunk),
    signal,
    close: async () => closed(),
  });
}

const listExtents = async (source: StreamSource): Promise<Extent[]> =>
  await collect(await source.extents());

it('yields every byte, for any chunks', async () => {
  const piece = fc.record({ length: fc.integer({ min: 1, max: 2_000_000 }), byte: fc.nat(2) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 6 }),
      fc.constantFrom(1_000_003, 65_536, BLOCK, BLOCK + 1),
      async (list, chunk) => {
        const bytes = Buffer.concat(list.map(({ length, byte }) => Buffer.alloc(length, byte)));
        const source = createSource(bytes, { chunk });
        const back = Buffer.alloc(bytes.length, 0xff);
        let at = 0;
        for (const { start, end, zero } of await listExtents(source)) {
          expect(start).toBe(at);
          expect(end).toBeGreaterThan(start);
          if (zero) expect(bytes.subarray(start, end).equals(Buffer.alloc(end - start))).toBe(true);
          at = end;
        }
        expect(at).toBe(bytes.length);
        for (let start = 0; start < bytes.length; start += BLOCK) {
          const end = Math.min(start + BLOCK, bytes.length);
          await source.read({ start, end }, back.subarray(start, end));
        }
        expect(back.equals(bytes)).toBe(true);
      },
    ),
    { numRuns: runs(20) },
  );
});

describe('a read', () => {
  const bytes = Buffer.alloc(BLOCK + 100, 1);
  bytes.fill(2, BLOCK);

  it('accepts any part of a block, with zeros after the end', async () => {
    const source = createSource(bytes);
    await listExtents(source);
    const buffer = Buffer.alloc(20, 0xff);
    await source.read({ start: BLOCK + 90, end: BLOCK + 110 }, buffer);
    expect([...buffer]).toEqual([...Array(10).fill(2), ...Array(10).fill(0)]);
    await source.read({ start: BLOCK + 200, end: BLOCK + 220 }, buffer.fill(0xff));
    expect(buffer.equals(Buffer.alloc(20))).toBe(true);
  });

  it('fails for a released block', async () => {
    const source = createSource(bytes);
    await listExtents(source);
    source.release({ kind: 'data', block: 0, runs: [] });
    source.release({ kind: 'data', block: 0, runs: [] });
    const read = source.read({ start: 0, end: 4 }, Buffer.alloc(4));
    await expect(read).rejects.toThrow('Block 0 was already released.');
  });

  it('works for the last block and for zeros after their release', async () => {
    const source = createSource(Buffer.concat([Buffer.alloc(BLOCK), Buffer.alloc(BLOCK, 3)]));
    await listExtents(source);
    source.release({ kind: 'data', block: 1, runs: [] });
    source.release({ kind: 'zero', first: 0, last: 0 });
    source.release({ kind: 'data', block: 0, runs: [] });
    const buffer = Buffer.alloc(4, 0xff);
    await source.read({ start: 2 * BLOCK - 4, end: 2 * BLOCK }, buffer);
    expect([...buffer]).toEqual([3, 3, 3, 3]);
    await source.read({ start: 0, end: 4 }, buffer);
    expect([...buffer]).toEqual([0, 0, 0, 0]);
  });
});

describe('the length', () => {
  it.each([
    [BLOCK - 1, /^standard input ended after 4194303 of the 4194304 bytes given with --size$/],
    [0, /ended after 0 of the 4194304 bytes given with --size$/],
    [BLOCK + 1, /has more than the 4194304 bytes given with --size$/],
  ])('of %i bytes differs from the expected one', async (length, message) => {
    const error = await catchFailure(
      listExtents(createSource(Buffer.alloc(length, 1), { size: BLOCK })),
    );
    expect(error).toMatchObject({
      code: 'wrong_length',
      hint: 'the upload is incomplete; check the program that writes the image',
    });
    expect(error).toBeInstanceOf(ConflictError);
    expect(error.message).toMatch(message);
  });
});

describe('a failure of the stream', () => {
  const failing = (failure: Error, signal = new AbortController().signal) =>
    new StreamSource({
      path: 'p',
      identity: { size: 1, modified: '', inode: '' },
      content: { format: 'raw', virtualSize: 1, hasBackingFile: false },
      size: 1,
      repeatable: true,
      // biome-ignore lint/correctness/useYield: it fails before anything comes
      open: async function* () {
        throw failure;
      },
      signal,
    });

  it('is reported as a read error', async () => {
    const failure = new Error('EIO');
    const error = await catchFailure(listExtents(failing(failure)));
    expect(error).toMatchObject({ code: 'unreadable_file', cause: failure });
    expect(error.message).toBe('cannot read "p": EIO');
  });

  it('is unchanged if it is specific', async () => {
    const failure = new UsageError('it is damaged', { code: 'damaged_file' });
    expect(await catchFailure(listExtents(failing(failure)))).toBe(failure);
  });

  it('after an interruption is the interruption', async () => {
    const reason = new Error('enough');
    const stop = AbortSignal.abort(reason);
    expect(await catchFailure(listExtents(failing(new Error('closed'), stop)))).toBe(reason);
    expect(await catchFailure(listExtents(createSource(Buffer.alloc(9), { signal: stop })))).toBe(
      reason,
    );
  });
});

it('is closed only once', async () => {
  let count = 0;
  const closed = () => {
    count += 1;
  };
  const source = createSource(Buffer.alloc(9), { closed });
  source.abandon();
  await source.close();
  await source.close();
  expect(count).toBe(1);
});

it('has the given properties, and allocates nothing before reading', () => {
  const source = createSource(Buffer.alloc(9));
  expect(source).toMatchObject({
    ...{ path: 'standard input', size: 9, storedSize: 0, repeatable: false },
    identity: { size: 9, modified: '', inode: '' },
    content: { format: 'raw', virtualSize: 9 },
  });
});
