/** Partial files of downloads: no existing file is overwritten, and no link followed. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
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
import { ConflictError, UsageError, VmctlError } from '../../src/client/errors.ts';
import { PartialFile } from '../../src/transfer/partial-file.ts';
import { catchFailure } from './support/collect.ts';

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
  it('appears under its name only when it is complete', async () => {
    const file = await filled();
    expect(readdirSync(folder)).toEqual(['image.partial']);
    await file.finish();
    expect(readdirSync(folder)).toEqual(['image']);
    expect(readFileSync(target, 'utf8')).toBe(content);
  });

  it('leaves no file after its removal', async () => {
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
  ])('refuses %s at its path', async (_, make, code) => {
    make();
    const before = readdirSync(folder);
    await expect(PartialFile.create(target, false)).rejects.toMatchObject({ code });
    expect(readdirSync(folder)).toEqual(before);
  });

  it('replaces files by force, but nothing else', async () => {
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

  it('does not replace a file created in the meantime', async () => {
    const file = await filled();
    writeFileSync(target, 'somebody else');
    await expect(file.finish()).rejects.toMatchObject({ code: 'file_exists' });
    expect(readFileSync(target, 'utf8')).toBe('somebody else');
    expect(readFileSync(`${target}.partial`, 'utf8')).toBe(content);
    await file.close();
  });

  it('does not write through a link created in the meantime', async () => {
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

  it('is resumed only if it is the same file', async () => {
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

  it.each<[string, () => void, string, string, string | undefined]>([
    [
      'a file',
      () => writeFileSync(target, ''),
      'TARGET exists',
      'file_exists',
      'use another file, or --force to replace it',
    ],
    [
      'a link',
      () => symlinkSync('elsewhere', target),
      'TARGET is a symbolic link',
      'unsafe_file',
      'use the path of the file itself',
    ],
    [
      'a folder',
      () => mkdirSync(target),
      'TARGET is not a regular file',
      'unsafe_file',
      'use a file in it',
    ],
    [
      'a pipe',
      () => execFileSync('mkfifo', [target]),
      'TARGET is not a regular file',
      'unsafe_file',
      'use another file',
    ],
    [
      'an unfinished download',
      () => writeFileSync(`${target}.partial`, ''),
      'TARGET.partial exists from an earlier download',
      'file_exists',
      'use --resume to continue it, or --force to start again',
    ],
    [
      'a file in place of its folder',
      () => {
        writeFileSync(target, '');
        target = join(target, 'image');
      },
      'cannot write "TARGET": a part of the path is not a folder',
      'unwritable_file',
      undefined,
    ],
    [
      'no folder',
      () => {
        target = join(folder, 'none', 'image');
      },
      'cannot create "TARGET.partial": no such file or folder',
      'unwritable_file',
      undefined,
    ],
  ])('refuses %s with a hint', async (_, make, message, code, hint) => {
    make();
    const error = await catchFailure(PartialFile.create(target, false));
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toBe(message.replace('TARGET', target));
    expect(error).toMatchObject({ code, hint });
  });

  it('uses the given hint', async () => {
    writeFileSync(`${target}.partial`, '');
    const error = await catchFailure(PartialFile.create(target, false, 'remove it'));
    expect(error).toMatchObject({ hint: 'remove it' });
  });

  it('is complete if it cannot be renamed, and reports its path', async () => {
    const file = await filled();
    writeFileSync(target, 'somebody else');
    const taken = await catchFailure(file.finish());
    expect(taken).toBeInstanceOf(ConflictError);
    expect(taken).toMatchObject({
      message: `another program created ${target} during the download`,
      hint: `the complete download is in ${target}.partial`,
    });
    rmSync(target);
    rmSync(`${target}.partial`);
    expect(await catchFailure(file.finish())).toMatchObject({
      message: expect.stringMatching(/^cannot create ".*image": no such file or folder$/),
      code: 'unwritable_file',
      hint: `the complete download is in ${target}.partial`,
    });
    await file.close();
  });

  it('reports its path if it cannot be written', async () => {
    const file = await filled();
    await file.writeNamed(5, Buffer.from('er'));
    expect(readFileSync(file.path, 'utf8')).toBe('\0\0newer\0\0\0');
    await file.flush();
    await file.close();
    for (const work of [file.writeNamed(0, Buffer.from('a')), file.resize(1)]) {
      const error = await catchFailure(work);
      expect(error).toBeInstanceOf(VmctlError);
      expect(error).toMatchObject({
        message: expect.stringMatching(/^cannot write ".*image\.partial": ./),
        code: 'unwritable_file',
      });
    }
  });

  it('reports free space if the system does', async () => {
    const file = await filled();
    expect(await file.space()).toBeGreaterThan(0);
    rmSync(folder, { recursive: true });
    expect(await file.space()).toBeUndefined();
    await file.close();
  });

  it('is complete if it exists under both names or one', async () => {
    const file = await filled();
    const known = await file.identity();
    expect(await PartialFile.isFinished(target, known)).toBe(false);
    linkSync(`${target}.partial`, target);
    expect(await PartialFile.isFinished(target, { ...known, size: 9 })).toBe(false);
    expect(await PartialFile.isFinished(target, { ...known, inode: '1:2' })).toBe(false);
    expect(readdirSync(folder)).toHaveLength(2);
    expect(await PartialFile.isFinished(target, known)).toBe(true);
    expect(readdirSync(folder)).toEqual(['image']);
    writeFileSync(`${target}.partial`, 'another file');
    expect(await PartialFile.isFinished(target, known)).toBe(true);
    expect(readdirSync(folder)).toHaveLength(2);
    await file.close();
    symlinkSync('image', join(folder, 'link'));
    expect(await PartialFile.isFinished(join(folder, 'link'), known)).toBe(false);
  });

  it('is resumed with its size, and does not replace an existing file', async () => {
    const file = await filled();
    const known = await file.identity();
    expect(known).toMatchObject({ size: 10, modified: '' });
    await file.close();
    const changed = await catchFailure(PartialFile.reopen(target, { ...known, size: 9 }, false));
    expect(changed).toMatchObject({
      message: `${target}.partial has changed since the earlier download: it was replaced, or has another size`,
      code: 'partial_changed',
      hint: 'start again with --force and without --resume',
    });
    writeFileSync(target, 'old');
    await expect(PartialFile.reopen(target, known, false)).rejects.toMatchObject({
      code: 'file_exists',
    });
    const again = await PartialFile.reopen(target, known, true);
    await again.finish();
    expect(readFileSync(target, 'utf8')).toBe(content);
  });

  it('becomes a clone of another file if the file system supports it, otherwise remains empty', async () => {
    const other = join(folder, 'other');
    writeFileSync(other, 'content');
    const file = await PartialFile.create(target, false);
    const cloned = await file.cloneFrom(other);
    expect(readFileSync(file.path, 'utf8')).toBe(cloned ? 'content' : '');
    expect(await file.cloneFrom(`${other}x`)).toBe(false);
    expect(readdirSync(folder).sort()).toEqual(['image.partial', 'other']);
    await file.remove();
  });
});
