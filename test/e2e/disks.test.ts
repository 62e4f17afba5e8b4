/** `vmctl disks upload` and `download` against a server, including failures. */
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RawApi } from '../support/raw.ts';
import { type ServerProcess, startServerProcess } from '../support/server.ts';
import { parseProgress, peakMemory, User } from '../transfer/support/commands.ts';
import { allocated, difference, MiB, makeImage, qcow2 } from '../transfer/support/images.ts';
import { cannotMount } from '../transfer/support/mount.ts';
import { serverOptions, useTransferSetup } from '../transfer/support/workshop.ts';

let folder: string;
let server: ServerProcess;
let user: User;
let file: string;
let copy: string;

useTransferSetup((workshop) => {
  ({ server, folder, user, file, copy } = workshop);
});

interface Disk {
  readonly id: string;
  readonly status: string;
  readonly format: string;
  readonly provisioned_size: number;
  readonly actual_size: number;
}

async function disk(name: string): Promise<Disk | undefined> {
  const list = JSON.parse(
    await user.must('disks', 'list', '--search', `name=${name}`, '-o', 'json'),
  ) as Disk[];
  return list[0];
}

/** All transfers of a disk so far. */
async function listTransfers(name: string): Promise<{ id: string; phase: string }[]> {
  const id = (await disk(name))?.id;
  const api = await RawApi.signIn(server);
  const all = (await api.json('GET', '/imagetransfers')).json<{
    image_transfer: { id: string; phase: string; disk: { id: string } }[];
  }>();
  return all.image_transfer.filter((transfer) => transfer.disk.id === id);
}

function upload(name: string, ...more: string[]): string[] {
  return ['disks', 'upload', file, '--name', name, '--storagedomain', 'data1', ...more];
}

describe('regular transfers', () => {
  it('upload and download a raw image', async () => {
    makeImage(file, 9 * MiB + 333);
    const up = await user.runProcess(...upload('raw', '-o', 'json', '--description', 'of all'));
    expect([up.code, up.stderr]).toEqual([0, '']);
    const printed = JSON.parse(up.stdout) as Disk;
    expect(printed).toMatchObject({
      name: 'raw',
      status: 'ok',
      format: 'raw',
      description: 'of all',
      provisioned_size: Math.ceil((9 * MiB + 333) / 512) * 512,
    });
    const down = await user.runProcess('disks', 'download', 'raw', copy, '-o', 'json');
    expect(down.code, down.stderr).toBe(0);
    expect(JSON.parse(down.stdout)).toMatchObject({ id: printed.id, file: copy, verified: true });
    expect(down.stderr).toBe('');
    expect(difference(file, copy)).toBeUndefined();
    expect(existsSync(`${copy}.partial`)).toBe(false);
    expect(user.journals()).toEqual([]);
    expect((await disk('raw'))?.status).toBe('ok');
  });

  it('print only the id with --quiet', async () => {
    makeImage(file, MiB);
    const { stdout, stderr } = await user.run(...upload('quiet', '-q'));
    expect(stderr).toBe('');
    expect(stdout).toBe(`${(await disk('quiet'))?.id}\n`);
  });

  it('send no zeros, and write holes for them', async () => {
    makeImage(file, 256 * MiB, [
      [0, 100_000],
      [100 * MiB + 5000, 3 * MiB],
      [256 * MiB - 512, 512],
    ]);
    const { stderr, code } = await user.run(...upload('sparse', '-o', 'jsonl'));
    expect(code, stderr).toBe(0);
    const last = parseProgress(stderr).at(-1);
    expect(last).toMatchObject({ phase: 'done', total: 256 * MiB });
    expect(last?.transferred).toBeLessThan(12 * MiB);
    expect((last?.transferred ?? 0) + (last?.skipped ?? 0)).toBe(256 * MiB);
    expect((await disk('sparse'))?.actual_size).toBeLessThan(12 * MiB);
    await user.must('disks', 'download', 'sparse', copy);
    expect(difference(file, copy)).toBeUndefined();
    expect(statSync(copy).size).toBe(256 * MiB);
    expect(allocated(copy)).toBeLessThan(12 * MiB);
  });

  it('detect qcow2 by its content', async () => {
    const image = qcow2(3 * 2 ** 30);
    writeFileSync(file, image);
    await user.must(...upload('cow'));
    expect(await disk('cow')).toMatchObject({ format: 'cow', provisioned_size: 3 * 2 ** 30 });
    await user.must('disks', 'download', 'cow', copy);
    expect(readFileSync(copy).subarray(0, image.length).equals(image)).toBe(true);
    await user.must(...upload('bytes', '--format', 'raw'));
    expect(await disk('bytes')).toMatchObject({ format: 'raw', provisioned_size: 400_384 });
  });

  const missing = programMissing('qemu-img');
  it.skipIf(missing)(
    `accept images of qemu-img${missing ? ' (it is not installed)' : ''}`,
    async () => {
      const raw = join(folder, 'source.raw');
      makeImage(raw, 64 * MiB, [[8 * MiB, 20 * MiB]]);
      execFileSync('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', raw, file]);
      await user.must(...upload('qemu'));
      expect(await disk('qemu')).toMatchObject({ format: 'cow', provisioned_size: 64 * MiB });
      await user.must('disks', 'download', 'qemu', copy);
      truncateSync(copy, statSync(file).size);
      execFileSync('qemu-img', ['check', '-f', 'qcow2', copy]);
      execFileSync('qemu-img', ['compare', '-f', 'raw', '-F', 'qcow2', raw, copy]);
    },
  );

  it('overwrite an existing disk completely', async () => {
    makeImage(file, 40 * MiB);
    await user.must(...upload('old'));
    makeImage(file, 30 * MiB + 100, [[5 * MiB, 2 * MiB + 77]]);
    await user.must('disks', 'upload', file, '--disk', 'old');
    await user.must('disks', 'download', 'old', copy);
    expect(statSync(copy).size).toBe(40 * MiB);
    expect(difference(file, copy)).toBeUndefined();
  });
});

describe('comparison of a file with a disk', () => {
  it('finds them equal, even if the file omits zeros', async () => {
    makeImage(file, 70 * MiB + 100, [
      [0, 5 * MiB + 17],
      [60 * MiB, 10 * MiB + 100],
    ]);
    await user.must(...upload('same'));
    const { code, stdout, stderr } = await user.run('disks', 'verify', 'same', file);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain('are equal:');
    expect(stderr).toContain('the last 412 of them zeros');
    const machine = JSON.parse(await user.must('disks', 'verify', 'same', file, '-o', 'json'));
    expect(machine).toMatchObject({
      name: 'same',
      equal: true,
      size: 70 * MiB + 512,
      algorithm: 'sha256',
      checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect((await disk('same'))?.status).toBe('ok');
    const directions = (await listTransfers('same')).map(({ phase }) => phase);
    expect(directions).toEqual(Array(3).fill('finished_success'));
  });

  it('reports the differences', async () => {
    makeImage(file, 9 * MiB);
    await user.must(...upload('differs'));
    const other = openSync(file, 'r+');
    writeSync(other, 'x', 8 * MiB + 5);
    closeSync(other);
    const bytes = await user.run('disks', 'verify', 'differs', file, '-o', 'json');
    expect(bytes.code).toBe(6);
    expect(JSON.parse(bytes.stderr)).toMatchObject({
      code: 'different',
      message: expect.stringMatching(
        /the checksum \(sha256\) of the file is .*, that of the image/,
      ),
    });
    makeImage(file, 9 * MiB + 1);
    const longer = await user.run('disks', 'verify', 'differs', file);
    expect([longer.code, longer.stderr]).toEqual([6, expect.stringContaining(', 1 more than')]);
    writeFileSync(file, qcow2(9 * MiB));
    const format = await user.run('disks', 'verify', 'differs', file);
    expect([format.code, format.stderr]).toEqual([
      6,
      expect.stringContaining('only the stored bytes are compared'),
    ]);
    const phases = (await listTransfers('differs')).map(({ phase }) => phase);
    expect(phases).toEqual(Array(4).fill('finished_success'));
    const none = await user.run('disks', 'verify', 'differs', join(folder, 'nowhere'));
    expect(none.code).toBe(2);
  });
});

describe('refuses before any change', () => {
  it.each<[string, (path: string) => void, string[], string]>([
    ['no file', () => {}, [], 'unreadable_file'],
    ['a folder', (path) => mkdirSync(path), [], 'unreadable_file'],
    ['an empty file', (path) => writeFileSync(path, ''), [], 'empty_file'],
    ['raw as cow', (path) => writeFileSync(path, 'x'), ['--format', 'cow'], 'wrong_format'],
    [
      'a difference to another image',
      (path) => writeFileSync(path, qcow2(MiB, 400_000, true)),
      [],
      'has_backing_file',
    ],
    ['more qcow2 than fits', (path) => writeFileSync(path, qcow2(MiB, 4 * MiB)), [], 'too_large'],
  ])('%s', async (_, make, more, code) => {
    make(file);
    const {
      code: exit,
      stderr,
      stdout,
    } = await user.run(...upload('never', '-o', 'json', ...more));
    expect(JSON.parse(stderr)).toMatchObject({ code, exit_code: 2 });
    expect([exit, stdout]).toEqual([2, '']);
    expect(await disk('never')).toBeUndefined();
  });

  it('an image larger than the disk', async () => {
    makeImage(file, MiB);
    await user.must(...upload('small'));
    makeImage(file, MiB + 1);
    const { code, stderr } = await user.run('disks', 'upload', file, '--disk', 'small');
    expect([code, stderr]).toEqual([2, expect.stringContaining('1 more than disk small')]);
    expect((await disk('small'))?.status).toBe('ok');
  });

  it('to replace a file, or to write through a link', async () => {
    makeImage(file, MiB);
    await user.must(...upload('disk'));
    writeFileSync(copy, 'precious');
    const taken = await user.run('disks', 'download', 'disk', copy, '-o', 'json');
    expect(JSON.parse(taken.stderr)).toMatchObject({ code: 'file_exists', exit_code: 2 });
    expect(readFileSync(copy, 'utf8')).toBe('precious');
    for (const target of [copy, join(folder, 'nowhere')]) {
      const link = join(folder, 'link');
      rmSync(link, { force: true });
      symlinkSync(target, link);
      const refused = await user.run('disks', 'download', 'disk', link, '--force', '-o', 'json');
      expect(JSON.parse(refused.stderr)).toMatchObject({ code: 'unsafe_file', exit_code: 2 });
    }
    expect(readFileSync(copy, 'utf8')).toBe('precious');
    await user.must('disks', 'download', 'disk', copy, '--force');
    expect(difference(file, copy)).toBeUndefined();
  });
});

/** Large enough for several flushes, small enough to be fast. */
const large = 128 * MiB;

describe('resumes', () => {
  let parent: string;
  let image: string;

  beforeAll(() => {
    parent = mkdtempSync(join(tmpdir(), 'vmctl-large-'));
    image = join(parent, 'image.raw');
    makeImage(image, large);
  });
  afterAll(() => rmSync(parent, { recursive: true, force: true }));
  beforeEach(() => linkSync(image, file));

  it('after the command was killed during an upload', async () => {
    const first = user.start(...upload('killed-up'));
    await user.until(8, first);
    first.process.kill('SIGKILL');
    await first.outcome;
    const kept = user.journaled();
    const { code, stderr } = await user.run(...upload('killed-up', '--resume', '-o', 'jsonl'));
    expect(code, stderr).toBe(0);
    const last = parseProgress(stderr).at(-1);
    expect(last?.resumed).toBeGreaterThanOrEqual(kept * 4 * MiB);
    expect(last?.transferred).toBe(large);
    await user.must('disks', 'download', 'killed-up', copy);
    expect(difference(file, copy)).toBeUndefined();
    expect(user.journals()).toEqual([]);
  });

  it('after the command was killed, with the same command: one disk with that name exists', async () => {
    const first = user.start(...upload('killed-again'));
    await user.until(8, first);
    first.process.kill('SIGKILL');
    await first.outcome;
    const kept = user.journaled();
    const { code, stderr } = await user.run(...upload('killed-again', '-o', 'jsonl'));
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('resuming the interrupted upload of this file to disks/');
    expect(parseProgress(stderr).at(-1)?.resumed).toBeGreaterThanOrEqual(kept * 4 * MiB);
    const all = await user.must('disks', 'list', '--search', 'name=killed-again', '-o', 'id');
    expect(all.trim().split('\n')).toHaveLength(1);
    expect((await disk('killed-again'))?.status).toBe('ok');
    const needless = await user.run(...upload('killed-again', '--if-needed', '-o', 'json'));
    expect([needless.code, JSON.parse(needless.stdout)]).toEqual([
      0,
      expect.objectContaining({ name: 'killed-again', status: 'ok' }),
    ]);
    expect(await listTransfers('killed-again')).toHaveLength(1);
  });

  it('after the file has changed, with the command from the refusal', async () => {
    const first = user.start(...upload('changed'));
    await user.until(8, first);
    first.process.kill('SIGKILL');
    await first.outcome;
    rmSync(file);
    makeImage(file, large, [[5 * MiB, 3 * MiB]]);
    const refused = await user.run(...upload('changed', '--resume', '-o', 'json'));
    expect(refused.code, refused.stderr).toBe(6);
    const { next } = JSON.parse(refused.stderr) as { next: string[] };
    const [command = ''] = next;
    expect(command).toMatch(/^vmctl disks upload /);
    const again = await user.run(...command.replace(/^vmctl /, '').split(' '));
    expect(again.code, again.stderr).toBe(0);
    await user.must('disks', 'download', 'changed', copy);
    expect(difference(file, copy)).toBeUndefined();
    expect(user.journals()).toEqual([]);
  });

  it('after the command was killed during a download', async () => {
    await user.must(...upload('killed-down'));
    const first = user.start('disks', 'download', 'killed-down', copy);
    await user.until(8, first);
    first.process.kill('SIGKILL');
    await first.outcome;
    const again = await user.run('disks', 'download', 'killed-down', copy);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('--resume')]);
    await user.must('disks', 'download', 'killed-down', copy, '--resume');
    expect(difference(file, copy)).toBeUndefined();
    expect((await disk('killed-down'))?.status).toBe('ok');
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'after %s, with the command from the message',
    async (signal) => {
      const name = `stopped-by-${signal}`;
      const first = user.start(...upload(name, '-o', 'json'));
      await user.until(8, first);
      first.process.kill(signal);
      const { code, stderr, stdout } = await first.outcome;
      expect([code, stdout]).toEqual([signal === 'SIGINT' ? 130 : 143, '']);
      const error = JSON.parse(stderr) as { code: string; hint: string; next: string[] };
      expect(error.code).toBe('interrupted');
      expect(error.hint).toContain('is paused');
      expect((await listTransfers(name)).map(({ phase }) => phase)).toEqual(['paused_user']);
      const [program, ...words] = error.next[0]?.split(' ') ?? [];
      expect(program).toBe('vmctl');
      await user.must(...words);
      await user.must('disks', 'download', name, copy);
      expect(difference(file, copy)).toBeUndefined();
    },
  );

  it('after an interrupted download', async () => {
    await user.must(...upload('stopped'));
    const first = user.start('disks', 'download', 'stopped', copy);
    await user.until(8, first);
    first.process.kill('SIGINT');
    const { code, stderr } = await first.outcome;
    expect([code, stderr]).toEqual([130, expect.stringContaining('--resume')]);
    expect(existsSync(copy)).toBe(false);
    await user.must('disks', 'download', 'stopped', copy, '--resume');
    expect(difference(file, copy)).toBeUndefined();
  });

  it('in another transfer if the first has ended', async () => {
    const first = user.start(...upload('cancelled'));
    await user.until(8, first);
    first.process.kill('SIGKILL');
    await first.outcome;
    const api = await RawApi.signIn(server);
    const path = `/imagetransfers/${(await listTransfers('cancelled'))[0]?.id}`;
    expect((await api.json('POST', `${path}/cancel`, {})).status).toBe(200);
    await user.must('disks', 'upload', file, '--resume');
    await user.must('disks', 'download', 'cancelled', copy);
    expect(difference(file, copy)).toBeUndefined();
  });

  it('but not with a modified file, or without an earlier transfer', async () => {
    const first = user.start(...upload('changed'));
    await user.until(8, first);
    first.process.kill('SIGKILL');
    await first.outcome;
    utimesSync(file, new Date(), new Date(0));
    const changed = await user.run('disks', 'upload', file, '--resume', '-o', 'json');
    expect(JSON.parse(changed.stderr)).toMatchObject({ code: 'source_changed', exit_code: 6 });
    const other = join(folder, 'other.raw');
    makeImage(other, MiB);
    const none = await user.run('disks', 'upload', other, '--resume', '-o', 'json');
    expect(JSON.parse(none.stderr)).toMatchObject({ code: 'nothing_to_resume', exit_code: 3 });
  });
});

describe('when the server crashes', () => {
  const getPort = (url: string) => new URL(url).port;

  /** The same server again: same data and addresses. */
  function again({ ready: { api_url, upload_url } }: ServerProcess, data: string) {
    return startServerProcess([
      ...['--data', data],
      ...['--listen', `127.0.0.1:${getPort(api_url)}`],
      ...['--images-listen', `127.0.0.1:${getPort(upload_url)}`],
      ...['--speed', '0'],
    ]);
  }

  it.each([
    ['it waits for the server to come back', []],
    ['it stops, and --resume goes on', ['--retries', '0']],
  ])('%s', async (_, flags) => {
    makeImage(file, large);
    const data = join(folder, 'data');
    const first = await startServerProcess([...serverOptions, '--data', data]);
    const owner = new User(first, folder);
    const running = owner.start(...upload('survivor', ...flags));
    await owner.until(8, running);
    await first.kill();
    if (flags.length > 0) {
      const { code, stderr } = await running.outcome;
      expect([code, stderr]).toEqual([8, expect.stringContaining('--resume')]);
    }
    const second = await again(first, data);
    try {
      if (flags.length > 0) await owner.must('disks', 'upload', file, '--resume');
      else expect((await running.outcome).code).toBe(0);
      await owner.must('disks', 'download', 'survivor', copy);
      expect(difference(file, copy)).toBeUndefined();
    } finally {
      await second.stop();
    }
  });
});

describe('a full disk', () => {
  const small = join(tmpdir(), `vmctl-full-${process.pid}`);
  const cannot = cannotMount(small);

  it.skipIf(cannot)(
    `on the client ends the download, which can be resumed${cannot ?? ''}`,
    async () => {
      mkdirSync(small, { recursive: true });
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'tmpfs', small]);
      try {
        makeImage(file, 160 * MiB);
        await user.must(...upload('big'));
        const target = join(small, 'copy.raw');
        const gone = await user.run('disks', 'download', 'big', target, '--no-keep-partial');
        expect(gone.code).toBe(1);
        expect(existsSync(`${target}.partial`)).toBe(false);
        const full = await user.run('disks', 'download', 'big', target, '-o', 'json');
        expect(full.code).toBe(1);
        const error = full.stderr.trim().split('\n').at(-1) ?? '';
        expect(JSON.parse(error)).toMatchObject({ code: 'no_space' });
        expect(error).toMatch(/\d+ more bytes needed/);
        expect(existsSync(`${target}.partial`)).toBe(true);
        expect((await disk('big'))?.status).toBe('ok');
        execFileSync('mount', ['-o', 'remount,size=256m', small]);
        await user.must('disks', 'download', 'big', target, '--resume');
        expect(difference(file, target)).toBeUndefined();
      } finally {
        execFileSync('umount', [small]);
        rmSync(small, { recursive: true });
      }
    },
  );
});

it.skipIf(process.platform !== 'linux')('needs little memory for a large image', async () => {
  const runs = Array.from({ length: 8 }, (_, index) => [index * 128 * MiB, 40 * MiB] as const);
  makeImage(file, 1024 * MiB, runs);
  for (const words of [upload('large'), ['disks', 'download', 'large', copy]]) {
    const running = user.start(...words, '-q');
    let peak = 0;
    const timer = setInterval(() => {
      try {
        peak = Math.max(peak, peakMemory(running.process.pid));
      } catch {
        // The process has exited.
      }
    }, 20);
    const { code, stderr } = await running.outcome;
    clearInterval(timer);
    expect(code, stderr).toBe(0);
    expect(peak).toBeGreaterThan(20);
    expect(peak, words[1]).toBeLessThan(250);
  }
  // The peak of the server includes the earlier tests.
  expect(peakMemory(server.process.pid)).toBeLessThan(400);
  expect(difference(file, copy)).toBeUndefined();
});

function programMissing(name: string): boolean {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' });
    return false;
  } catch {
    return true;
  }
}
