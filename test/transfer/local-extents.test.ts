/** Holes of local files, and formats of images by content. */
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileSource } from '../../src/transfer/file-source.ts';
import { requireFormat } from '../../src/transfer/image-format.ts';
import { localExtents } from '../../src/transfer/local-extents.ts';
import { isThisComputer } from '../../src/transfer/local-socket.ts';
import { MiB, makeImage, qcow2 } from './support/images.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-holes-'));
  file = join(folder, 'image');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('extents of a file', () => {
  it.each<[string, number, [number, number][]]>([
    ['all data', 3 * MiB, [[0, 3 * MiB]]],
    [
      'a hole in the middle',
      8 * MiB,
      [
        [0, MiB],
        [6 * MiB, 2 * MiB],
      ],
    ],
    ['holes at both ends', 8 * MiB, [[3 * MiB, MiB]]],
    ['only a hole', 8 * MiB, []],
    ['unaligned ends', 5 * MiB + 77, [[4 * MiB + 5000, MiB - 4923]]],
  ])('cover it: %s', async (_, size, runs) => {
    makeImage(file, size, runs);
    const fd = openSync(file, 'r');
    try {
      const extents = await localExtents(fd, size);
      // Without support of holes, the file is read instead.
      if (!extents) return;
      let at = 0;
      const data: (readonly [number, number])[] = [];
      for await (const { start, end, zero } of extents) {
        expect(start).toBe(at);
        expect(end).toBeGreaterThan(start);
        at = end;
        if (!zero) data.push([start, end]);
      }
      expect(at).toBe(size);
      for (const [offset, length] of runs) {
        expect(data.some(([start, end]) => start <= offset && offset + length <= end)).toBe(true);
      }
    } finally {
      closeSync(fd);
    }
  });
});

describe('the format of a file', () => {
  async function detectFormat(content: Buffer | string, asked?: 'raw' | 'cow'): Promise<string> {
    writeFileSync(file, content);
    const source = await FileSource.open(file);
    try {
      return requireFormat(source.content, asked, file);
    } finally {
      await source.close();
    }
  }

  it.each<[string, Buffer, string]>([
    ['qcow2', qcow2(MiB), 'cow'],
    ['a short file', Buffer.from('QFI'), 'raw'],
    ['only a magic number', Buffer.from('QFI\xfb\0\0\0\x03', 'latin1'), 'raw'],
    [
      'the first version of qcow',
      Buffer.concat([Buffer.from('QFI\xfb\0\0\0\x01', 'latin1'), Buffer.alloc(64)]),
      'raw',
    ],
    [
      'an ISO image',
      Buffer.concat([Buffer.alloc(0x8001), Buffer.from('CD001'), Buffer.alloc(2048)]),
      'raw',
    ],
  ])('is detected by its content: %s', async (_, content, format) => {
    expect(await detectFormat(content)).toBe(format);
    expect(await detectFormat(content, 'raw')).toBe('raw');
    if (format === 'raw') {
      await expect(detectFormat(content, 'cow')).rejects.toMatchObject({ code: 'wrong_format' });
    }
  });

  it('includes the virtual size', async () => {
    writeFileSync(file, qcow2(5 * 2 ** 40));
    const source = await FileSource.open(file);
    expect(source.content.virtualSize).toBe(5 * 2 ** 40);
    await source.close();
  });
});

describe('this computer', () => {
  it.each([
    ['https://127.0.0.1:54322/images/x', true],
    ['https://127.9.9.9/images/x', true],
    ['https://[::1]:1/images/x', true],
    ['https://localhost/images/x', true],
    ['https://192.0.2.1/images/x', false],
    ['https://[2001:db8::1]/images/x', false],
    ['https://nowhere.invalid/images/x', false],
  ])('is detected by its addresses: %s %s', async (url, expected) => {
    expect(await isThisComputer(url)).toBe(expected);
  });
});
