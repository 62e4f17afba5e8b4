/** qcow2 images: reading of written images, and checks by other tools. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readParts } from '../../src/formats/qcow2.ts';
import { DiskFiles } from '../../src/server/images/disk-files.ts';
import { openStore } from '../../src/server/store/store.ts';

const mebibyte = 2 ** 20;
const raw = '11111111-1111-1111-1111-111111111111';
const cow = '22222222-2222-2222-2222-222222222222';
const back = '33333333-3333-3333-3333-333333333333';

let folder: string;
let files: DiskFiles;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-qcow2-'));
});
// Tests write and remove files directly, so the next test needs a new object.
beforeEach(async () => {
  files = new DiskFiles(folder, await openStore(':memory:'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Bytes at scattered offsets of a disk of this size, including its end. */
function sample(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  randomBytes(100_000).copy(bytes, 12_345);
  randomBytes(4_096).copy(bytes, Math.floor(size / 2));
  randomBytes(512).copy(bytes, size - 512);
  return bytes;
}

function installed(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('an image', () => {
  it.each([2, 3] as const)('is read as written (version %i)', async (version) => {
    const size = 5 * mebibyte + 512;
    const bytes = sample(size);
    writeFileSync(files.path(raw), bytes);
    await files.convert(raw, cow, { from: 'raw', to: 'cow', size, version });
    expect(statSync(files.path(cow)).size).toBeLessThan(mebibyte);
    expect(readFileSync(files.path(cow)).readUInt32BE(4)).toBe(version);
    await files.convert(cow, back, { from: 'cow', to: 'raw', size });
    expect(readFileSync(files.path(back)).equals(bytes)).toBe(true);
  });

  it('grows in place over the end of its first table', async () => {
    const bytes = sample(mebibyte);
    writeFileSync(files.path(raw), bytes);
    await files.convert(raw, cow, { from: 'raw', to: 'cow', size: mebibyte });
    await files.convert(cow, cow, { from: 'cow', to: 'cow', size: 2 ** 30 });
    expect(readFileSync(files.path(cow)).readBigUInt64BE(24)).toBe(2n ** 30n);
    await files.convert(cow, back, { from: 'cow', to: 'raw', size: 2 ** 30 });
    const file = await open(files.path(back), 'r');
    const { buffer } = await file.read(Buffer.alloc(mebibyte), 0, mebibyte, 0);
    await file.close();
    expect(buffer.equals(bytes)).toBe(true);
    expect(files.sizes(back)).toMatchObject({ length: 2 ** 30 });
    expect(files.sizes(back).allocated).toBeLessThan(2 * mebibyte);
  });

  it('without writes has no file, in any format', async () => {
    rmSync(files.path(raw), { force: true });
    await files.convert(raw, cow, { from: 'raw', to: 'cow', size: mebibyte });
    expect(files.sizes(cow)).toEqual({ allocated: 0, length: 0 });
  });

  it('that is not qcow2 is refused without a loss', async () => {
    writeFileSync(files.path(cow), Buffer.alloc(4_096, 'not qcow2'));
    const form = { from: 'cow', to: 'raw', size: mebibyte } as const;
    await expect(files.convert(cow, cow, form)).rejects.toThrow('not a qcow2 image');
    expect(readFileSync(files.path(cow)).subarray(0, 3).toString()).toBe('not');
  });
});

describe.skipIf(!installed('qemu-img'))('qemu-img', () => {
  const qemu = (...words: string[]) => execFileSync('qemu-img', words, { encoding: 'utf8' });

  it.each([2, 3] as const)('finds no errors in written images (version %i)', async (version) => {
    const size = 3 * mebibyte;
    writeFileSync(files.path(raw), sample(size));
    await files.convert(raw, cow, { from: 'raw', to: 'cow', size, version });
    qemu('check', '-f', 'qcow2', files.path(cow));
    qemu('compare', '-f', 'raw', '-F', 'qcow2', files.path(raw), files.path(cow));
  });

  it('writes readable images: compressed, with small clusters, sparse', async () => {
    const size = 700 * mebibyte;
    writeFileSync(files.path(raw), sample(3 * mebibyte));
    truncateSync(files.path(raw), size);
    for (const options of [['-c'], ['-o', 'cluster_size=4096'], ['-o', 'compat=0.10'], []]) {
      qemu('convert', '-f', 'raw', '-O', 'qcow2', ...options, files.path(raw), files.path(cow));
      // A conversion by another program must not truncate the previous data.
      files = new DiskFiles(folder, await openStore(':memory:'));
      await files.convert(cow, cow, { from: 'cow', to: 'cow', size });
      qemu('check', '-f', 'qcow2', files.path(cow));
      qemu('compare', '-f', 'raw', '-F', 'qcow2', files.path(raw), files.path(cow));
    }
  });

  it('creates overlays of other images, which are refused', async () => {
    qemu('create', '-q', '-f', 'qcow2', '-b', files.path(raw), '-F', 'raw', files.path(cow));
    const file = await open(files.path(cow), 'r');
    await expect(readParts(file).next()).rejects.toThrow('has a backing file');
    await file.close();
  });
});
