/** Block devices as sources and targets of transfers: loop devices, which need root. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { User } from '../transfer/support/commands.ts';
import { MiB, makeImage } from '../transfer/support/images.ts';
import { useTransferSetup } from '../transfer/support/workshop.ts';

const hasLoops =
  process.getuid?.() === 0 &&
  existsSync('/dev/loop-control') &&
  spawnSync('losetup', ['-f']).status === 0;

describe.skipIf(!hasLoops)('a block device', () => {
  const size = 8 * MiB;
  let user: User;
  let file: string;
  let backing: string;
  let device: string;

  useTransferSetup((workshop) => {
    ({ user, file } = workshop);
    backing = join(workshop.folder, 'backing');
  });

  beforeEach(() => {
    makeImage(file, size);
    device = attach(readFileSync(file));
  });
  afterEach(() => void execFileSync('losetup', ['-d', device]));

  function attach(bytes: Buffer): string {
    writeFileSync(backing, bytes);
    return execFileSync('losetup', ['-f', '--show', backing], { encoding: 'utf8' }).trim();
  }

  /** Bytes of the device. */
  function onDisk(): Buffer {
    execFileSync('blockdev', ['--flushbufs', device]);
    return readFileSync(backing);
  }

  const refused = async (code: string, status: number, ...words: string[]) => {
    const ended = await user.run('disks', 'download', ...words, '-o', 'json');
    const error = JSON.parse(ended.stderr.trim().split('\n').at(-1) ?? '') as { code: string };
    expect([ended.code, error.code]).toEqual([status, code]);
  };

  it('is uploaded like a file, and overwritten if requested', async () => {
    const from = ['disks', 'upload', device, '--format', 'raw', '--storagedomain', 'data1'];
    await user.must(...from, '--name', 'device');
    const disk = JSON.parse(await user.must('disks', 'get', 'device', '-o', 'json')) as object;
    expect(disk).toMatchObject({ provisioned_size: size, status: 'ok' });
    const before = readFileSync(file);
    execFileSync('losetup', ['-d', device]);
    const old = Buffer.alloc(size + MiB, 'old bytes ');
    device = attach(old);
    await refused('file_exists', 2, 'device', device);
    expect(onDisk().includes('old bytes')).toBe(true);
    await user.must('disks', 'download', 'device', device, '--force');
    expect(onDisk().subarray(0, size).equals(before)).toBe(true);
    // Bytes after the image remain unchanged.
    expect(onDisk().subarray(size).equals(old.subarray(size))).toBe(true);
    await refused('usage', 2, 'device', device, '--force', '--resume');
  });

  it('that is too small remains unchanged', async () => {
    await user.must('disks', 'upload', file, '--name', 'large', '--storagedomain', 'data1');
    execFileSync('losetup', ['-d', device]);
    const small = Buffer.alloc(size - MiB, 'old bytes ');
    device = attach(small);
    await refused('no_room', 6, 'large', device, '--force');
    expect(onDisk().equals(small)).toBe(true);
  });

  it('with an interrupted download is reported as partial', async () => {
    await user.must('disks', 'upload', file, '--name', 'broken', '--storagedomain', 'data1');
    writeFileSync(device, Buffer.alloc(size, 'old bytes '));
    const words = ['disks', 'download', 'broken', device, '--force', '--limit-rate', '512KiB/s'];
    const running = user.start(...words);
    while (readFileSync(device).subarray(0, 512).includes('old bytes')) {
      expect(running.process.exitCode).toBeNull();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    running.process.kill('SIGINT');
    const { code, stderr } = await running.outcome;
    expect([code, stderr]).toEqual([
      130,
      expect.stringContaining(`${device} has a part of the image`),
    ]);
  });

  it('that is in use remains unchanged', async () => {
    await user.must('disks', 'upload', file, '--name', 'other', '--storagedomain', 'data1');
    truncateSync(backing, 64 * MiB);
    execFileSync('losetup', ['-c', device]);
    execFileSync('mkfs.ext4', ['-q', '-F', device]);
    const mounted = execFileSync('mktemp', ['-d'], { encoding: 'utf8' }).trim();
    execFileSync('mount', [device, mounted]);
    try {
      await refused('unwritable_file', 2, 'other', device, '--force');
    } finally {
      execFileSync('umount', [mounted]);
    }
  });
});
