/** Downloads to invalid or redirected target paths. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { User } from '../transfer/support/commands.ts';
import { difference, MiB, makeImage } from '../transfer/support/images.ts';
import { cannotMount } from '../transfer/support/mount.ts';
import { useTransferSetup } from '../transfer/support/workshop.ts';

let folder: string;
let user: User;
let file: string;
let copy: string;
let number = 0;
let name: string;

useTransferSetup((workshop) => {
  ({ folder, user, file, copy } = workshop);
});

beforeEach(async () => {
  number += 1;
  name = `target-${number}`;
  makeImage(file, 6 * MiB);
  await user.must('disks', 'upload', file, '--name', name, '--storagedomain', 'data1');
});

/** Transfers and events of the disk, except for the upload. */
async function downloads(): Promise<unknown[]> {
  const list = JSON.parse(await user.must('imagetransfers', 'list', '-o', 'json')) as {
    direction: string;
    disk: { id: string };
  }[];
  const { id } = JSON.parse(await user.must('disks', 'get', name, '-o', 'json')) as { id: string };
  return list.filter(({ direction, disk }) => direction === 'download' && disk.id === id);
}

async function refused(target: string, code: string, ...more: string[]): Promise<string> {
  const ended = await user.run('disks', 'download', name, target, '-o', 'json', ...more);
  const error = JSON.parse(ended.stderr) as { code: string; message: string; hint: string };
  expect([ended.code, ended.stdout, error.code]).toEqual([2, '', code]);
  expect(error.message).toContain(target);
  expect(await downloads()).toEqual([]);
  expect(user.journals()).toEqual([]);
  return `${error.message}: ${error.hint}`;
}

const links: readonly (readonly [string, () => string])[] = [
  ['a link to a file', () => file],
  ['a link to nothing', () => join(folder, 'nothing')],
];

describe.each([[[]], [['--force']]])('F10 a download %s', (flags) => {
  it.each(links)('refuses to write through %s', async (_, goal) => {
    symlinkSync(goal(), copy);
    const before = readFileSync(file);
    expect(await refused(copy, 'unsafe_file', ...flags)).toContain(
      'use the path of the file itself',
    );
    expect(lstatSync(copy).isSymbolicLink()).toBe(true);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(existsSync(join(folder, 'nothing'))).toBe(false);
  });

  it('does not wait for a reader of a pipe', async () => {
    execFileSync('mkfifo', [copy]);
    expect(await refused(copy, 'unsafe_file', ...flags)).toContain('use another file');
  });

  it('refuses the partial file of another user', async () => {
    const victim = join(folder, 'victim');
    writeFileSync(victim, 'precious');
    symlinkSync(victim, `${copy}.partial`);
    if (flags.length === 0) await refused(copy, 'file_exists');
    else await user.must('disks', 'download', name, copy, ...flags);
    expect(readFileSync(victim, 'utf8')).toBe('precious');
  });

  it('follows a link to a folder', async () => {
    const real = join(folder, 'real');
    mkdirSync(real);
    symlinkSync(real, join(folder, 'linked'));
    await user.must('disks', 'download', name, join(folder, 'linked', 'image'), ...flags);
    expect(readdirSync(real)).toEqual(['image']);
    expect(difference(file, join(real, 'image'))).toBeUndefined();
  });

  it('reports a missing folder, or a path that is not a folder', async () => {
    await refused(join(folder, 'nowhere', 'image'), 'unwritable_file', ...flags);
    await refused(join(file, 'image'), 'unwritable_file', ...flags);
  });
});

const cannot = cannotMount(join(tmpdir(), `vmctl-targets-${process.pid}`));

it.skipIf(cannot)(
  `F10 a read-only file system is reported before the transfer${cannot ?? ''}`,
  async () => {
    const place = join(folder, 'read-only');
    mkdirSync(place);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro,size=1m', 'tmpfs', place]);
    try {
      const target = join(place, 'image');
      expect(await refused(target, 'unwritable_file')).toMatch(
        /cannot create .*: read-only file system/,
      );
      expect(await refused(target, 'unwritable_file', '--force')).toMatch(
        /cannot create .*: read-only file system/,
      );
    } finally {
      execFileSync('umount', [place]);
      rmSync(place, { recursive: true });
    }
  },
);
