/** Sources for a file, an address, or a pipe. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../src/client/errors.ts';
import { BLOCK } from '../../src/transfer/blocks.ts';
import { openSource, type SourceOptions } from '../../src/transfer/open-source.ts';
import type { Source } from '../../src/transfer/source.ts';
import { qcow2Image } from '../support/hostile-images.ts';
import { catchFailure, collect } from './support/collect.ts';
import { serveFile } from './support/web.ts';

const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, at) => (at * 7) % 251));
const qcow2 = qcow2Image({ size: 1_048_576n });

let folder: string;
let notes: string[];
let warnings: string[];
let stop: AbortController;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-sources-'));
  notes = [];
  warnings = [];
  stop = new AbortController();
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function createOptions(some: Partial<SourceOptions> = {}): SourceOptions {
  return {
    stdin: Readable.from([]),
    keepCompressed: false,
    env: {},
    retries: 0,
    signal: stop.signal,
    onNote: (note) => notes.push(note),
    onWarning: (warning) => warnings.push(warning),
    ...some,
  };
}

function writeFile(content: Buffer, name = 'image'): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const piped = (content: Buffer, some: Partial<SourceOptions> = {}) =>
  openSource('-', createOptions({ stdin: Readable.from([content]), ...some }));

/** Bytes of a source that fits into a block, and its properties. Closes the source. */
async function drain(source: Source): Promise<Buffer> {
  expect(source.size).toBeLessThanOrEqual(BLOCK);
  await collect(await source.extents());
  const buffer = Buffer.alloc(source.size);
  await source.read({ start: 0, end: source.size }, buffer);
  await source.requireUnchanged();
  await source.close();
  return buffer;
}

describe('a file', () => {
  it('is read verbatim, without notes', async () => {
    const path = writeFile(bytes);
    const source = await openSource(path, createOptions());
    expect(source).toMatchObject({ path, size: 70_000, repeatable: true });
    expect((await drain(source)).equals(bytes)).toBe(true);
    expect([notes, warnings]).toEqual([[], []]);
  });

  it('that is compressed is decompressed, and has another identity', async () => {
    const path = writeFile(gzipSync(bytes), 'image.gz');
    const source = await openSource(path, createOptions());
    const plain = await openSource(path, createOptions({ keepCompressed: true }));
    expect(source).toMatchObject({ path, size: 70_000, repeatable: true });
    expect(source.identity).toEqual({ ...plain.identity, size: 70_000 });
    expect((await drain(source)).equals(bytes)).toBe(true);
    expect((await drain(plain)).equals(gzipSync(bytes))).toBe(true);
    expect(notes).toEqual([`${path} is compressed with gzip; reading it once for its size`]);
  });

  it('that is compressed is monitored for changes', async () => {
    const path = writeFile(gzipSync(bytes), 'image.gz');
    const source = await openSource(path, createOptions());
    writeFileSync(path, gzipSync(qcow2));
    await expect(source.requireUnchanged()).rejects.toThrow(/image\.gz/);
    await source.close();
  });

  it('whose reading is interrupted fails with the interruption', async () => {
    const reason = new Error('enough');
    stop.abort(reason);
    const path = writeFile(gzipSync(bytes));
    expect(await catchFailure(openSource(path, createOptions()))).toBe(reason);
  });

  it('with a compressed qcow2 image has the format qcow2', async () => {
    const source = await openSource(writeFile(gzipSync(qcow2), 'disk.QCOW2.GZ'), createOptions());
    expect(source.content).toMatchObject({ format: 'cow', virtualSize: 1_048_576 });
    await source.close();
  });
});

describe('unsupported files are refused', () => {
  it.each<[string, string, Buffer, Partial<SourceOptions>, RegExp, string]>([
    ['an empty file', 'a', Buffer.alloc(0), {}, /a is empty$/, 'empty_file'],
    ['an empty file, raw', 'a', Buffer.alloc(0), { format: 'raw' }, /a is empty$/, 'empty_file'],
    ['nothing, packed', 'a.gz', gzipSync(''), {}, /a\.gz is empty$/, 'empty_file'],
    [
      'a misleading name',
      'a.gz',
      bytes,
      {},
      /is not compressed with gzip, despite its name$/,
      'wrong_format',
    ],
    ['an archive', 'a', Buffer.from('PK\x03\x04'), {}, /a is a ZIP archive$/, 'wrong_format'],
    [
      'a compressed archive',
      'a.gz',
      gzipSync('PK\x03\x04'),
      {},
      /a is a ZIP archive$/,
      'wrong_format',
    ],
    [
      'a misleading compressed name',
      'a.qcow2.gz',
      gzipSync(bytes),
      {},
      /a\.qcow2 is not a qcow2 image, despite its name$/,
      'wrong_format',
    ],
  ])('%s', async (_, name, content, some, message, code) => {
    const error = await catchFailure(openSource(writeFile(content, name), createOptions(some)));
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({ message: expect.stringMatching(message), code });
  });

  it.each<[string, string, Buffer, Partial<SourceOptions>]>([
    ['a raw file with a compressed name', 'a.gz', bytes, { format: 'raw' }],
    ['an archive as raw', 'a', Buffer.from('PK\x03\x04 and so on'), { format: 'raw' }],
    ['an archive without decompression', 'a', Buffer.from('PK\x03\x04'), { keepCompressed: true }],
    ['a compressed name without decompression', 'a.gz', bytes, { keepCompressed: true }],
  ])('but not %s', async (_, name, content, some) => {
    const source = await openSource(writeFile(content, name), createOptions(some));
    expect((await drain(source)).equals(content)).toBe(true);
  });
});

describe('standard input', () => {
  it('is streamed if its size is known', async () => {
    const source = await piped(bytes, { size: 70_000 });
    expect(source).toMatchObject({ path: 'standard input', storedSize: 0, repeatable: false });
    expect(source.identity).toEqual({ size: 70_000, modified: '', inode: '' });
    expect((await drain(source)).equals(bytes)).toBe(true);
    expect(notes).toEqual(['cannot resume an upload from standard input']);
  });

  it.each<[string, Buffer, Buffer, Partial<SourceOptions>]>([
    ['a raw image', bytes, bytes, {}],
    ['a compressed image', gzipSync(bytes), bytes, {}],
    // The given size is that of the disk.
    ['a qcow2 image', qcow2, qcow2, { size: 1_048_576 }],
  ])('is copied to a temporary file if its size is unknown: %s', async (_, sent, held, some) => {
    const source = await piped(sent, some);
    expect(source).toMatchObject({ size: held.length, repeatable: false });
    expect((await drain(source)).equals(held)).toBe(true);
    expect(notes.at(-1)).toBe(
      'the size of standard input is unknown; copying it to a temporary file',
    );
    expect(notes).toHaveLength(2);
  });

  it('needs no copy of a qcow2 image with the format raw', async () => {
    const source = await piped(qcow2, { size: qcow2.length, format: 'raw' });
    expect((await drain(source)).equals(qcow2)).toBe(true);
    expect(notes).toHaveLength(1);
  });

  it('that is a terminal is refused', async () => {
    const stdin = Object.assign(Readable.from([bytes]), { isTTY: true });
    const error = await catchFailure(openSource('-', createOptions({ stdin })));
    expect(error).toMatchObject({
      message: 'standard input is a terminal',
      hint: expect.stringMatching(/^use a pipe: zcat /),
    });
    expect(notes).toEqual([]);
  });

  it('ends when the command is stopped, or the source closed', async () => {
    const stdins = [Readable.from([bytes]), Readable.from([bytes])];
    const [stopped, closed] = await Promise.all(
      stdins.map((stdin) => openSource('-', createOptions({ stdin, size: 70_000 }))),
    );
    await closed?.close();
    expect(stdins.map(({ destroyed }) => destroyed)).toEqual([false, true]);
    stop.abort(new Error('enough'));
    expect(stdins.map(({ destroyed }) => destroyed)).toEqual([true, true]);
    await stopped?.close();
  });
});

describe('an address', () => {
  it.each<[string, Buffer, boolean, RegExp | undefined, boolean]>([
    ['with ranges is read in ranges', bytes, true, undefined, true],
    [
      'without ranges is read once',
      bytes,
      false,
      /comes from a server without range support/,
      false,
    ],
    ['of a compressed image is read once', gzipSync(bytes), true, /is compressed with gzip/, false],
  ])('%s', async (_, content, ranges, note, repeatable) => {
    const web = await serveFile(writeFile(content), 'image', { ranges, etag: () => '"one"' });
    try {
      const source = await openSource(web.url, createOptions({ ca: web.ca }));
      expect(source.repeatable).toBe(repeatable);
      expect((await drain(source)).equals(bytes)).toBe(true);
      if (note) expect(notes[0]).toMatch(note);
      else expect(notes).toEqual([]);
      if (note) expect(notes[0]).toMatch(/: its upload cannot be resumed$/);
      expect(warnings).toEqual([]);
    } finally {
      await web.close();
    }
  });

  it('over http causes a warning', async () => {
    await catchFailure(openSource('HTTP://127.0.0.1:1/image', createOptions()));
    expect(warnings).toEqual(['http does not protect the image against changes']);
  });
});
