/** `vmctl disks download DISK -` as a process: images through pipes. */
import { execFileSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect, it } from 'vitest';
import { peakMemory, type User } from '../transfer/support/commands.ts';
import { difference, MiB, makeImage } from '../transfer/support/images.ts';
import { useTransferSetup } from '../transfer/support/workshop.ts';

let user: User;
let file: string;
let copy: string;

useTransferSetup((workshop) => {
  ({ user, file, copy } = workshop);
});

async function uploaded(name: string): Promise<void> {
  await user.must('disks', 'upload', file, '--name', name, '--storagedomain', 'data1');
}

interface Transfer {
  readonly phase: string;
  readonly direction: string;
  readonly disk: { readonly id: string };
}

/** Phases of the downloads of a disk. */
async function listDownloadPhases(name: string): Promise<string[]> {
  const [disk] = JSON.parse(
    await user.must('disks', 'list', '--search', `name=${name}`, '-o', 'json'),
  ) as { id: string; status: string }[];
  expect(disk?.status).toBe('ok');
  const all = JSON.parse(await user.must('imagetransfers', 'list', '-o', 'json')) as Transfer[];
  return all
    .filter((one) => one.disk.id === disk?.id && one.direction === 'download')
    .map(({ phase }) => phase);
}

it('writes the image sequentially, with zeros for holes, in little memory', async () => {
  makeImage(file, 512 * MiB + 512, [
    [0, 5 * MiB + 77],
    [100 * MiB, 100 * MiB],
    [512 * MiB, 512],
  ]);
  await uploaded('poured');
  const running = user.start('disks', 'download', 'poured', '-');
  let peak = 0;
  const timer = setInterval(() => {
    try {
      peak = Math.max(peak, peakMemory(running.process.pid));
    } catch {
      // The process has exited.
    }
  }, 20);
  const out = running.process.stdout as Readable;
  out.removeAllListeners('data');
  await pipeline(out, createWriteStream(copy));
  const { code, stderr } = await running.outcome;
  clearInterval(timer);
  expect([code, stderr]).toEqual([0, expect.stringContaining('was written')]);
  expect(difference(file, copy)).toBeUndefined();
  execFileSync('cmp', [file, copy]);
  expect(peak).toBeLessThan(250);
  expect(await listDownloadPhases('poured')).toEqual(['finished_success']);
});

it('exits cleanly when the reader closes the pipe', async () => {
  makeImage(file, 40 * MiB);
  await uploaded('head');
  const running = user.start('disks', 'download', 'head', '-');
  const out = running.process.stdout as Readable;
  out.removeAllListeners('data');
  out.once('data', () => out.destroy());
  const { code, stderr } = await running.outcome;
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('vmctl:')]);
  expect(await listDownloadPhases('head')).toEqual(['finished_cleanup']);
});

it('can be interrupted with Ctrl-C while the reader is idle', async () => {
  makeImage(file, 40 * MiB);
  await uploaded('stalled');
  const running = user.start('disks', 'download', 'stalled', '-', '-o', 'jsonl');
  const out = running.process.stdout as Readable;
  out.removeAllListeners('data');
  out.pause();
  await new Promise<void>((resolve) => {
    running.process.stderr?.on('data', (piece: Buffer) => {
      if (piece.toString().includes('"phase":"copying"')) resolve();
    });
  });
  running.process.kill('SIGINT');
  const ended = new Promise((resolve) => running.process.once('exit', resolve));
  expect(await ended).toBe(130);
  out.destroy();
  expect(await listDownloadPhases('stalled')).toEqual(['finished_cleanup']);
});

it('refuses to be resumed', async () => {
  const { code, stderr } = await user.run('disks', 'download', 'any', '-', '--resume');
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('cannot resume a download to standard output'),
  ]);
});
