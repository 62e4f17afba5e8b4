/** Files that downloads grow in: nothing is overwritten, no link is followed. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PartialFile } from '../../src/transfer/partial-file.ts';

let folder: string;
let target: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-partial-'));
  target = join(folder, 'image');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function filled(force = false): Promise<PartialFile> {
  const file = await PartialFile.create(target, force);
  await file.resize(10);
  await file.write(2, Buffer.from('new'));
  return file;
}

const content = '\0\0new\0\0\0\0\0';

describe('PartialFile', () => {
  it('appears under its name only when it is whole', async () => {
    const file = await filled();
    expect(readdirSync(folder)).toEqual(['image.partial']);
    await file.finish();
    expect(readdirSync(folder)).toEqual(['image']);
    expect(readFileSync(target, 'utf8')).toBe(content);
  });

  it('is gone without a trace when it is removed', async () => {
    const file = await filled();
    await file.remove();
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each<[string, () => void, string]>([
    ['a file', () => writeFileSync(target, 'old'), 'file_exists'],
    ['a link', () => symlinkSync('elsewhere', target), 'unsafe_file'],
    ['a folder', () => mkdirSync(target), 'unsafe_file'],
    ['a pipe', () => execFileSync('mkfifo', [target]), 'unsafe_file'],
    ['an unfinished download', () => writeFileSync(`${target}.partial`, 'old'), 'file_exists'],
    ['a link for the partial file', () => symlinkSync('x', `${target}.partial`), 'file_exists'],
  ])('refuses %s in its place', async (_, make, code) => {
    make();
    const before = readdirSync(folder);
    await expect(PartialFile.create(target, false)).rejects.toMatchObject({ code });
    expect(readdirSync(folder)).toEqual(before);
  });

  it('replaces files by force, but never what is no file', async () => {
    writeFileSync(target, 'old');
    symlinkSync('victim', `${target}.partial`);
    writeFileSync(join(folder, 'victim'), 'precious');
    const file = await filled(true);
    expect(readFileSync(target, 'utf8')).toBe('old');
    await file.finish();
    expect(readFileSync(target, 'utf8')).toBe(content);
    expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('precious');
    rmSync(target);
    symlinkSync('victim', target);
    await expect(PartialFile.create(target, true)).rejects.toMatchObject({ code: 'unsafe_file' });
  });

  it('does not replace what came into being meanwhile', async () => {
    const file = await filled();
    writeFileSync(target, 'somebody else');
    await expect(file.finish()).rejects.toMatchObject({ code: 'file_exists' });
    expect(readFileSync(target, 'utf8')).toBe('somebody else');
    expect(readFileSync(`${target}.partial`, 'utf8')).toBe(content);
    await file.close();
  });

  it('does not write through a link that came into being meanwhile', async () => {
    for (const force of [true, false]) {
      const file = await filled(force);
      symlinkSync('victim', target);
      await expect(file.finish()).rejects.toMatchObject({ code: /unsafe_file|file_exists/ });
      expect(readlinkSync(target)).toBe('victim');
      expect(existsSync(join(folder, 'victim'))).toBe(false);
      await file.remove();
      rmSync(target);
    }
  });

  it('is taken up again only when it is the same file', async () => {
    const file = await filled();
    const identity = await file.identity();
    await file.close();
    const again = await PartialFile.reopen(target, identity, false);
    await again.write(0, Buffer.from('ab'));
    await again.close();
    expect(readFileSync(`${target}.partial`, 'utf8')).toBe('abnew\0\0\0\0\0');
    writeFileSync(join(folder, 'other'), content);
    rmSync(`${target}.partial`);
    await expect(PartialFile.reopen(target, identity, false)).rejects.toMatchObject({
      code: 'partial_changed',
    });
    symlinkSync('other', `${target}.partial`);
    await expect(PartialFile.reopen(target, identity, false)).rejects.toMatchObject({
      code: 'partial_changed',
    });
  });
});
