/**
 * Full or broken storage during image transfers, on either side: a clear error, no false claims,
 * and a way to resume.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ServerProcess, startServerProcess } from '../support/server.ts';
import { type Outcome, User } from '../transfer/support/commands.ts';
import { difference, MiB, makeImage } from '../transfer/support/images.ts';
import { cannotMount } from '../transfer/support/mount.ts';
import { chooseCount } from './support/catalogue.ts';
import { hasPower, PoweredDisk } from './support/power.ts';

/** Several flush windows long. */
const size = chooseCount(112, 88) * MiB;

let folder: string;
let data: string;
let file: string;
let copy: string;
let server: ServerProcess;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-storage-'));
  data = join(folder, 'data');
  file = join(folder, 'image.raw');
  copy = join(folder, 'copy.raw');
  mkdirSync(join(data, 'images'), { recursive: true, mode: 0o700 });
  makeImage(file, size);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function start(): Promise<User> {
  const getPort = (url: string | undefined) => (url === undefined ? 0 : new URL(url).port);
  server = await startServerProcess([
    ...['--data', data, '--speed', '0', '--inventory', 'small'],
    ...['--listen', `127.0.0.1:${getPort(server?.ready.api_url)}`],
    ...['--images-listen', `127.0.0.1:${getPort(server?.ready.upload_url)}`],
  ]);
  return new User(server, folder);
}

const upload = (...more: string[]) => [
  ...['disks', 'upload', file, '--name', 'moved', '--storagedomain', 'data1', ...more],
];

/** Error object of a command with `-o json`; warnings may precede it. */
function parseError({ stderr }: Outcome): Record<string, unknown> {
  const line = stderr.split('\n').find((one) => one.startsWith('{"code"')) ?? '{}';
  return JSON.parse(line) as Record<string, unknown>;
}

async function readStatus(user: User): Promise<unknown> {
  const words = ['disks', 'list', '--search', 'name=moved', '-o', 'json'];
  return (JSON.parse(await user.must(...words)) as { status: string }[])[0]?.status;
}

/** Resumes the upload with the command from the error, and checks the result. */
async function run(user: User, error: Record<string, unknown>): Promise<void> {
  const [command = ''] = error['next'] as string[];
  expect(error['hint']).toContain(`resume with ${command}`);
  await user.must(...command.split(' ').slice(1));
  expect(await readStatus(user)).toBe('ok');
  await user.must('disks', 'download', 'moved', copy);
  expect(difference(file, copy)).toBeUndefined();
}

const probe = join(tmpdir(), `vmctl-probe-${process.pid}`);
const cannot = cannotMount(probe);

describe.skipIf(cannot)(`D1 a full file system${cannot ?? ''}`, () => {
  it('on the server stops an upload, which resumes with free space', async () => {
    const images = join(data, 'images');
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=80m,mode=700', 'tmpfs', images]);
    try {
      const user = await start();
      const full = await user.run(...upload('-o', 'json'));
      const error = parseError(full);
      expect([full.code, full.stdout]).toEqual([10, '']);
      expect(error).toMatchObject({ code: 'no_space_on_server', status: 507 });
      expect(error['hint']).toContain('is paused');
      expect(await readStatus(user)).not.toBe('ok');
      execFileSync('mount', ['-o', 'remount,size=256m', images]);
      await run(user, error);
      expect(await server.stop()).toBe(0);
    } finally {
      execFileSync('umount', ['-l', images]);
    }
  });

  it('on the client, in the journal folder, is reported', async () => {
    const state = join(folder, '.local/state/vmctl/transfers');
    mkdirSync(state, { recursive: true, mode: 0o700 });
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4k,mode=700', 'tmpfs', state]);
    await start();
    try {
      execFileSync('cp', ['/dev/zero', join(state, 'filler')], { stdio: 'ignore' });
    } catch {
      // The file system is full now.
    }
    try {
      const user = new User(server, folder);
      const full = await user.run(...upload('-o', 'json'));
      expect(full.code).toBe(1);
      expect(parseError(full)).toMatchObject({
        code: 'unwritable_journal',
        message: expect.stringContaining(state),
        hint: expect.stringContaining('it is the journal of the transfer; free some space'),
      });
      expect(await readStatus(user)).toBeUndefined();
      expect(await server.stop()).toBe(0);
    } finally {
      execFileSync('umount', ['-l', state]);
    }
  });
});

const broken = hasPower ? '' : ' (root, nbdkit and nbdfuse are needed)';

describe.skipIf(!hasPower)(`D2 a disk that cannot be written any more${broken}`, () => {
  let disk: PoweredDisk;
  beforeEach(async () => {
    disk = new PoweredDisk();
    await disk.on();
  });
  afterEach(async () => {
    await disk.off();
    disk.remove();
  });

  it('stops an upload, which resumes after the repair', async () => {
    data = join(disk.path, 'data');
    const user = await start();
    const running = user.start(...upload('-o', 'json', '--retries', '1'));
    await user.until(8, running);
    disk.break();
    const ended = await running.outcome;
    const error = parseError(ended);
    expect([ended.code, ended.stdout]).toEqual([10, '']);
    expect(error['message']).toMatch(/: the image daemon reports:/);
    expect(user.journaled()).toBeLessThan(size / (4 * MiB));
    await server.kill();
    await disk.off();
    await disk.on();
    const again = await start();
    expect(await readStatus(again)).not.toBe('ok');
    await run(again, error);
    await server.stop();
  });

  it('stops a download, and leaves no file under the final name', async () => {
    const user = await start();
    await user.must(...upload());
    copy = join(disk.path, 'copy.raw');
    const running = user.start('disks', 'download', 'moved', copy, '-o', 'json');
    await user.until(8, running);
    disk.break();
    const ended = await running.outcome;
    const error = parseError(ended);
    expect([ended.code, ended.stdout]).toEqual([1, '']);
    expect(error).toMatchObject({
      code: 'unwritable_file',
      message: `cannot write "${copy}.partial": input/output error`,
      hint: expect.stringContaining(`downloaded data remains in ${copy}.partial`),
    });
    expect(existsSync(copy)).toBe(false);
    expect(await readStatus(user)).toBe('ok');
    expect(await server.stop()).toBe(0);
  });
});
