/** Streams of unknown length in temporary files: content, and cleanup. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../src/client/errors.ts';
import { spoolToTempFile } from '../../src/transfer/spool-to-temp-file.ts';
import { catchFailure } from './support/collect.ts';
import { MiB, makeImage } from './support/images.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-spool-'));
  file = join(folder, 'image');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const some = Buffer.from('some bytes');

async function* empty(): AsyncGenerator<Uint8Array> {}

describe('a temporary file', () => {
  const { signal } = new AbortController();

  /** Existing folders for temporary files. */
  const folders = () => readdirSync(tmpdir()).filter((name) => /^vmctl-[A-Za-z0-9]{6}$/.test(name));

  async function* chunks(bytes: Buffer, length: number): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
  }

  it.each([1_000, 300_000, 2 ** 20, 3 * MiB])(
    'has every byte of a stream in chunks of %i, and holes for zeros',
    async (length) => {
      makeImage(file, 3 * MiB + 70_001, [
        [0, 100_000],
        [2 * MiB - 5, 10],
      ]);
      const bytes = readFileSync(file);
      const before = folders();
      const source = await spoolToTempFile('a stream', chunks(bytes, length), signal);
      expect(folders()).toEqual(before);
      expect(source).toMatchObject({ path: 'a stream', size: bytes.length, repeatable: false });
      const read = Buffer.alloc(bytes.length, 1);
      await source.read({ start: 0, end: bytes.length }, read);
      expect(read.equals(bytes)).toBe(true);
      expect(source.storedSize).toBeLessThan(MiB);
      await source.close();
    },
  );

  it('is removed when the stream fails, with the error', async () => {
    const before = folders();
    const failing = async function* () {
      yield some;
      throw new Error('broken');
    };
    expect(await catchFailure(spoolToTempFile('a stream', failing(), signal))).toMatchObject({
      message: `cannot copy a stream to ${tmpdir()}: broken`,
      code: 'unreadable_file',
    });
    const told = new UsageError('unchanged');
    const telling = async function* (): AsyncGenerator<Uint8Array> {
      yield some;
      throw told;
    };
    expect(await catchFailure(spoolToTempFile('a stream', telling(), signal))).toBe(told);
    expect(await catchFailure(spoolToTempFile('a stream', empty(), signal))).toMatchObject({
      message: 'a stream is empty',
    });
    expect(folders()).toEqual(before);
  });

  it('that does not fit is reported with a hint', async () => {
    const full = async function* (): AsyncGenerator<Uint8Array> {
      yield some;
      throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    };
    expect(await catchFailure(spoolToTempFile('a stream', full(), signal))).toMatchObject({
      message: `no space for a copy of a stream in ${tmpdir()}`,
      code: 'no_space',
      hint: 'set TMPDIR to a folder with more space; with --size, a raw image needs no copy',
    });
  });

  it('ends with the reason of its signal', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    const stopping = async function* () {
      yield some;
      stop.abort(reason);
      yield some;
    };
    expect(await catchFailure(spoolToTempFile('a stream', stopping(), stop.signal))).toBe(reason);
  });
});
