/**
 * Damaged qcow2 images: refused with the problem, within limits of time and memory, in agreement
 * with QEMU.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkImage, readParts } from '../../src/formats/qcow2.ts';
import { Qcow2Error } from '../../src/formats/qcow2-header.ts';
import { convertImage } from '../../src/server/images/convert-image.ts';
import { hostileImages } from '../support/hostile-images.ts';

const size = 64 * 2 ** 20;
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-hostile-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function stored(image: Buffer): string {
  const path = join(folder, 'image.qcow2');
  writeFileSync(path, image);
  return path;
}

/** Bytes of data in an image. Rejects like its reader. */
async function amount(path: string, maxSize?: number): Promise<number> {
  const file = await open(path);
  let bytes = 0;
  try {
    await checkImage(file);
    for await (const part of readParts(file, maxSize)) bytes += part.bytes.length;
  } finally {
    await file.close();
  }
  return bytes;
}

describe.each(Object.entries(hostileImages))('%s', (name, image) => {
  it('is read, or refused with the problem', async () => {
    const path = stored(image);
    if (name.startsWith('ok-')) {
      expect(await amount(path, size)).toBeLessThan(size);
      return;
    }
    await expect(amount(path, size)).rejects.toThrow(Qcow2Error);
    // An unreadable image writes nothing, and never more than the size of the disk.
    const target = join(folder, 'target');
    await expect(
      convertImage(path, target, { from: 'cow', to: 'raw', size, whole: true }),
    ).rejects.toThrow(Qcow2Error);
    expect(statSync(target).size).toBeLessThanOrEqual(size);
  });
});

it('refuses an image that is larger than the disk', async () => {
  const path = stored(hostileImages['ok-empty'] ?? Buffer.alloc(0));
  await expect(amount(path, 2 ** 19)).rejects.toThrow('the virtual size is 1048576 bytes');
});

function hasQemu(): boolean {
  try {
    execFileSync('qemu-img', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Disk of an image as QEMU reads it. `undefined` if QEMU refuses the image. */
function qemuContent(path: string): Buffer | undefined {
  const raw = join(folder, 'qemu.raw');
  try {
    const words = ['convert', '-f', 'qcow2', '-O', 'raw', path, raw];
    execFileSync('qemu-img', words, { stdio: 'ignore', timeout: 20_000 });
  } catch {
    return undefined;
  }
  return readFileSync(raw);
}

async function ownContent(path: string): Promise<Buffer | undefined> {
  const raw = join(folder, 'own.raw');
  try {
    const file = await open(path);
    const { virtualSize } = await checkImage(file).finally(() => file.close());
    if (virtualSize > size) return undefined;
    await convertImage(path, raw, { from: 'cow', to: 'raw', size, whole: true });
    truncateSync(raw, virtualSize);
    return readFileSync(raw);
  } catch (error) {
    expect(error).toBeInstanceOf(Qcow2Error);
    return undefined;
  }
}

describe.skipIf(!hasQemu())('compared with qemu-img', () => {
  const valid = Object.entries(hostileImages).filter(([name]) => name.startsWith('ok-'));
  // Headers, L1 tables and L2 tables. Refcounts are not needed to read an image.
  const places = [4, 8, 20, 24, 32, 36, 40, 48, 56, 72, 96, 100, 65_536, 196_608, 196_616];

  it('reads the same data as QEMU after any change in the tables', async () => {
    const change = fc.record({
      place: fc.constantFrom(...places),
      byte: fc.nat(7),
      value: fc.oneof(fc.constantFrom(0, 1, 0x80, 0xc0, 0xff), fc.nat(255)),
    });
    let read = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...valid),
        fc.array(change, { minLength: 1, maxLength: 2 }),
        async ([, image], changes) => {
          const bytes = Buffer.from(image);
          for (const { place, byte, value } of changes) bytes[place + byte] = value;
          const path = stored(bytes);
          const own = await ownContent(path);
          if (own === undefined) return;
          read += 1;
          const others = qemuContent(path);
          if (others === undefined) return;
          // QEMU counts disks in sectors of 512 bytes.
          expect(Math.abs(others.length - own.length)).toBeLessThan(512);
          const common = Math.min(others.length, own.length);
          expect(own.subarray(0, common).equals(others.subarray(0, common))).toBe(true);
        },
      ),
      { numRuns: 150, seed: 7 },
    );
    expect(read).toBeGreaterThan(10);
  }, 120_000);
});
