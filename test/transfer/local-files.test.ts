/** Local files, and parts of them, as sources: reading, detection of changes, refusals. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConflictError, UsageError, VmctlError } from '../../src/client/errors.ts';
import { FileSource, isSameIdentity } from '../../src/transfer/file-source.ts';
import { RegionSource } from '../../src/transfer/region-source.ts';
import type { Source } from '../../src/transfer/source.ts';
import { runs } from '../support/mutants.ts';
import { catchFailure, collect } from './support/collect.ts';
import { allocated, MiB, makeImage, qcow2 } from './support/images.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-files-'));
  file = join(folder, 'image');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const some = Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 7) % 251));

async function readBytes(source: Source, start: number, end: number): Promise<Buffer> {
  // Fill the buffer, to detect unread bytes.
  const buffer = Buffer.alloc(end - start, 1);
  await source.read({ start, end }, buffer);
  return buffer;
}

/** Data of a source as bytes, with zeros elsewhere. */
async function readData(source: Source): Promise<Buffer> {
  const whole = Buffer.alloc(source.size);
  let at = 0;
  for await (const { start, end, zero } of await source.extents()) {
    expect(start).toBeGreaterThanOrEqual(at);
    expect(end).toBeGreaterThan(start);
    at = end;
    if (!zero) (await readBytes(source, start, end)).copy(whole, start);
  }
  expect(at).toBeLessThanOrEqual(source.size);
  return whole;
}

describe('a file', () => {
  it('is read at any offset, with zeros after its end', async () => {
    writeFileSync(file, some);
    const source = await FileSource.open(file);
    const padded = Buffer.concat([some, Buffer.alloc(1_000)]);
    for (const [start, end] of [
      [0, 5_000],
      [10, 20],
      [4_999, 5_001],
      [5_000, 5_500],
      [5_900, 6_000],
    ] as const) {
      expect((await readBytes(source, start, end)).equals(padded.subarray(start, end))).toBe(true);
    }
    expect(Buffer.concat(await collect(source.bytes())).equals(some)).toBe(true);
    expect((await readData(source)).equals(some)).toBe(true);
    await source.close();
  });

  it('is read in chunks of a MiB', async () => {
    makeImage(file, 2 * MiB + 5);
    const source = await FileSource.open(file);
    const pieces = await collect(source.bytes());
    expect(pieces.map(({ length }) => length)).toEqual([MiB, MiB, 5]);
    expect(Buffer.concat(pieces).equals(readFileSync(file))).toBe(true);
    await source.close();
  });

  it('has its identity and format', async () => {
    writeFileSync(file, qcow2(5 * MiB));
    const source = await FileSource.open(file);
    expect(source).toMatchObject({ path: file, size: 400_000, repeatable: true });
    expect(source.content).toMatchObject({ format: 'cow', virtualSize: 5 * MiB });
    expect(source.head.equals(readFileSync(file).subarray(0, 512))).toBe(true);
    expect(source.storedSize).toBe(400_000);
    await source.close();
    const raw = await FileSource.open(file, 'raw');
    expect(raw.content).toMatchObject({ format: 'raw', virtualSize: 400_000 });
    await raw.close();
  });

  it('that is mostly a hole takes less than its size', async () => {
    makeImage(file, 8 * MiB, [[MiB, MiB]]);
    const source = await FileSource.open(file);
    expect(source.storedSize).toBe(Math.min(allocated(file), 8 * MiB));
    expect((await readData(source)).equals(readFileSync(file))).toBe(true);
    await source.close();
  });

  it.each<[string, () => void, RegExp, string]>([
    [
      'that is absent',
      () => undefined,
      /^cannot read ".*": no such file or folder$/,
      'unreadable_file',
    ],
    ['that is a folder', () => mkdirSync(file), /is neither a regular file nor/, 'unreadable_file'],
    [
      'that is a pipe',
      () => execFileSync('mkfifo', [file]),
      / is neither a regular file nor a block device$/,
      'unreadable_file',
    ],
    ['that is empty', () => writeFileSync(file, ''), / is empty$/, 'empty_file'],
    [
      'below a file',
      () => {
        writeFileSync(file, 'a');
        file = join(file, 'b');
      },
      /^cannot read ".*": a part of the path is not a folder/,
      'unreadable_file',
    ],
  ])('%s is refused', async (_, make, message, code) => {
    make();
    const error = await catchFailure(FileSource.open(file));
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({ message: expect.stringMatching(message), code });
    expect(error.message.replace(/^cannot read "/, '').startsWith(file)).toBe(true);
  });

  it.each<[string, () => void]>([
    ['longer', () => appendFileSync(file, 'a')],
    ['shorter', () => truncateSync(file, 4_999)],
    ['modified with the same length', () => utimesSync(file, new Date(1e12), new Date(1e12))],
  ])('that has become %s is detected', async (_, change) => {
    writeFileSync(file, some);
    const source = await FileSource.open(file);
    await source.requireUnchanged();
    change();
    const error = await catchFailure(source.requireUnchanged());
    expect(error).toBeInstanceOf(ConflictError);
    expect(error).toMatchObject({
      message: `${file} changed during the upload: another program writes to it`,
      code: 'source_changed',
      hint: 'upload it again when no program writes to it',
    });
    await source.close();
  });

  it('that has become shorter cannot be read after its end', async () => {
    writeFileSync(file, some);
    const source = await FileSource.open(file);
    truncateSync(file, 4_000);
    expect((await readBytes(source, 3_000, 4_000)).equals(some.subarray(3_000, 4_000))).toBe(true);
    expect(await catchFailure(readBytes(source, 3_000, 4_001))).toMatchObject({
      message: `${file} changed during the upload: it is shorter than before`,
    });
    await source.close();
  });

  it('that was closed cannot be read', async () => {
    writeFileSync(file, some);
    const source = await FileSource.open(file);
    await source.close();
    const error = await catchFailure(readBytes(source, 0, 1));
    expect(error).toBeInstanceOf(VmctlError);
    expect(error).toMatchObject({
      message: expect.stringMatching(/^cannot read the file: /),
      code: 'unreadable_file',
    });
  });

  it('that was open is closed with its resources', async () => {
    writeFileSync(file, some);
    let closed = 0;
    const source = await FileSource.take('a name', await open(file), async () => {
      closed += 1;
    });
    expect(source).toMatchObject({ path: 'a name', repeatable: false, size: 5_000 });
    expect(closed).toBe(0);
    await source.close();
    expect(closed).toBe(1);
  });

  it('is a different one if any part of its identity differs', () => {
    const one = { size: 1, modified: '2', inode: '3' };
    expect(isSameIdentity(one, { ...one })).toBe(true);
    for (const other of [{ size: 2 }, { modified: '' }, { inode: '4' }]) {
      expect(isSameIdentity(one, { ...one, ...other })).toBe(false);
    }
  });
});

describe('a part of a file', () => {
  it('has its bytes only, and zeros after them', async () => {
    makeImage(file, 300_077, [[0, 100_000]]);
    const whole = readFileSync(file);
    const anyPart = fc.record({ offset: fc.nat(300_000), size: fc.integer({ min: 1, max: MiB }) });
    await fc.assert(
      fc.asyncProperty(anyPart, fc.nat(300_000), fc.nat(9_000), async (part, start, length) => {
        const { offset } = part;
        const size = Math.min(part.size, whole.length - offset);
        const source = await RegionSource.open({ path: file, offset, size }, 'a disk');
        const its = whole.subarray(offset, offset + size);
        const wanted = Buffer.alloc(length);
        its.subarray(start).copy(wanted);
        expect((await readBytes(source, start, start + length)).equals(wanted)).toBe(true);
        expect((await readData(source)).equals(its)).toBe(true);
        await source.close();
      }),
      { numRuns: runs(50) },
    );
  });

  it('has the format of its content', async () => {
    const length = 300_000;
    writeFileSync(file, Buffer.concat([some, qcow2(7 * MiB, length), some]));
    const region = { path: file, offset: 5_000, size: length };
    const source = await RegionSource.open(region, 'disk one');
    expect(source).toMatchObject({ path: `${file} (disk one)`, size: length, repeatable: false });
    expect(source.content).toMatchObject({ format: 'cow', virtualSize: 7 * MiB });
    expect(source.storedSize).toBe(length);
    const whole = await FileSource.open(file);
    expect(source.identity).toEqual({ ...whole.identity, size: length });
    await whole.close();
    appendFileSync(file, 'a');
    await expect(source.requireUnchanged()).rejects.toThrow('another program writes to it');
    await source.close();
    const short = await RegionSource.open({ ...region, size: 20 }, 'too little');
    expect(short.content).toEqual({ format: 'raw', virtualSize: 20, hasBackingFile: false });
    await short.close();
  });

  it('of a sparse file has its allocated size at most', async () => {
    makeImage(file, 8 * MiB, [[0, 4096]]);
    const source = await RegionSource.open({ path: file, offset: MiB, size: 4 * MiB }, 'a hole');
    expect(source.storedSize).toBe(Math.min(allocated(file), 4 * MiB));
    await source.close();
    await expect(RegionSource.open({ path: `${file}x`, offset: 0, size: 1 }, 'a')).rejects.toThrow(
      'no such file or folder',
    );
  });
});
