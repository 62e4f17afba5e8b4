/** `vmctl disks upload` from pipes, URLs and compressed files, against a server. */
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  createReadStream,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { type ServerProcess, startServerProcess } from '../support/server.ts';
import { parseProgress, peakMemory, User } from '../transfer/support/commands.ts';
import { difference, MiB, makeImage, qcow2 } from '../transfer/support/images.ts';
import { cannotMount } from '../transfer/support/mount.ts';
import { serveFile, type Web, type WebFeatures } from '../transfer/support/web.ts';
import { serverOptions, useTransferSetup } from '../transfer/support/workshop.ts';

let folder: string;
let server: ServerProcess;
let user: User;
let file: string;
let copy: string;
let temporary: string;

useTransferSetup((workshop) => {
  ({ server, folder, user, file, copy, temporary } = workshop);
});

interface Disk {
  readonly id: string;
  readonly status: string;
  readonly format: string;
  readonly sparse: boolean;
  readonly provisioned_size: number;
  readonly actual_size: number;
}

async function disk(name: string): Promise<Disk | undefined> {
  const list = await user.must('disks', 'list', '--search', `name=${name}`, '-o', 'json');
  return (JSON.parse(list) as Disk[])[0];
}

function upload(source: string, name: string, ...more: string[]): string[] {
  return ['disks', 'upload', source, '--name', name, '--storagedomain', 'data1', ...more];
}

/** Throws unless the disk has the content of the file. */
async function mustHold(name: string): Promise<void> {
  await user.must('disks', 'download', name, copy, '--force');
  expect(difference(file, copy)).toBeUndefined();
}

/** Creates a sparse image, larger than the window of unconfirmed data. */
function makeSparse(size = 100 * MiB): void {
  makeImage(file, size, [
    [0, 20 * MiB],
    [30 * MiB + 100_000, 5_000],
    [size - 9 * MiB, 9 * MiB],
  ]);
}

describe('standard input', () => {
  it('is streamed if its size is known', async () => {
    makeSparse();
    const { code, stderr } = await user.fed(
      file,
      ...upload('-', 'piped', '--size', '100MiB', '-o', 'jsonl'),
    );
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('cannot resume an upload from standard input');
    expect(stderr).not.toContain('temporary');
    const last = parseProgress(stderr).at(-1);
    expect(last).toMatchObject({ phase: 'done', total: 100 * MiB });
    expect(last?.transferred).toBeLessThan(31 * MiB);
    await mustHold('piped');
    expect(user.journals()).toEqual([]);
  });

  it('is buffered in a temporary file otherwise, which is removed', async () => {
    makeSparse();
    const { code, stderr } = await user.fed(file, ...upload('-', 'spooled'));
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('copying it to a temporary file');
    expect(readdirSync(temporary)).toEqual([]);
    await mustHold('spooled');
  });

  it('may be compressed, or qcow2', async () => {
    makeImage(file, 3 * MiB);
    const packed = gzipSync(readFileSync(file), { level: 1 });
    const sized = await user.fed(packed, ...upload('-', 'packed-sized', '--size', '3MiB'));
    expect(sized.code, sized.stderr).toBe(0);
    await mustHold('packed-sized');
    const { code, stderr } = await user.fed(qcow2(MiB), ...upload('-', 'piped-cow'));
    expect(code, stderr).toBe(0);
    expect(await disk('piped-cow')).toMatchObject({ format: 'cow', provisioned_size: MiB });
  });

  it.each([
    ['ends early', 4 * MiB, '5MiB', 'ended after 4194304 of the 5242880 bytes'],
    ['is longer than was said', 4 * MiB, '3MiB', 'has more than the 3145728 bytes'],
  ])('that %s leaves no files', async (_, length, size, message) => {
    makeImage(file, length);
    const { code, stderr } = await user.fed(file, ...upload('-', 'wrong', '--size', size));
    expect([code, stderr]).toEqual([6, expect.stringContaining(message)]);
    expect(stderr).toContain('and the new disk deleted');
    expect(stderr).toContain('the source cannot be read again: run the command again');
    expect(await disk('wrong')).toBeUndefined();
  });

  it('survives a server crash, because unconfirmed data is buffered', async () => {
    makeImage(file, 128 * MiB);
    const data = join(folder, 'data');
    const first = await startServerProcess([...serverOptions, '--data', data]);
    const owner = new User(first, folder);
    const running = owner.startPiped(
      ...upload('-', 'survivor', '--size', '128MiB', '--limit-rate', '96MiB/s', '-o', 'jsonl'),
    );
    createReadStream(file).pipe(running.process.stdin as Writable);
    const half = new Promise<void>((resolve) => {
      running.process.stderr?.on('data', (piece: Buffer) => {
        if (/"phase":"copying","transferred":[1-9]/.test(piece.toString())) resolve();
      });
    });
    await Promise.race([half, running.outcome]);
    await first.kill();
    const getPort = (url: string) => new URL(url).port;
    const second = await startServerProcess([
      ...['--data', data, '--speed', '0'],
      ...['--listen', `127.0.0.1:${getPort(first.ready.api_url)}`],
      ...['--images-listen', `127.0.0.1:${getPort(first.ready.upload_url)}`],
    ]);
    try {
      const { code, stderr } = await running.outcome;
      expect(code, stderr).toBe(0);
      await owner.must('disks', 'verify', 'survivor', file);
    } finally {
      await second.stop();
    }
  });

  const small = join(tmpdir(), `vmctl-spool-${process.pid}`);
  const cannot = cannotMount(small);

  it.skipIf(cannot)(`is refused if the buffer has no space${cannot ?? ''}`, async () => {
    mkdirSync(small, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', small]);
    try {
      makeImage(file, 5 * MiB);
      const poor = new User(server, folder, { TMPDIR: small });
      const full = await poor.fed(file, ...upload('-', 'never'));
      expect([full.code, full.stderr]).toEqual([
        1,
        expect.stringContaining('no space for a copy of'),
      ]);
      expect(readdirSync(small)).toEqual([]);
      expect(await disk('never')).toBeUndefined();
    } finally {
      execFileSync('umount', [small]);
      rmSync(small, { recursive: true });
    }
  });

  it('that is empty, has no name, or is to be resumed is refused', async () => {
    const empty = await user.fed(Buffer.alloc(0), ...upload('-', 'never'));
    expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('is empty')]);
    const nameless = ['disks', 'upload', '-', '--storagedomain', 'data1'];
    expect((await user.fed(Buffer.alloc(9), ...nameless)).stderr).toContain('--name');
    const resumed = await user.fed(Buffer.alloc(9), 'disks', 'upload', '-', '--resume');
    expect([resumed.code, resumed.stderr]).toEqual([
      2,
      expect.stringContaining('cannot resume an upload'),
    ]);
    expect(await disk('never')).toBeUndefined();
  });

  it('can be interrupted with Ctrl-C while the writer is silent', async () => {
    const running = user.startPiped(...upload('-', 'stuck', '--size', '100MiB', '-o', 'jsonl'));
    const input = running.process.stdin as Writable;
    const copying = new Promise<void>((resolve) => {
      running.process.stderr?.on('data', (piece: Buffer) => {
        if (piece.toString().includes('"phase":"copying"')) resolve();
      });
    });
    input.write(Buffer.alloc(20 * MiB, 1));
    await Promise.race([copying, running.outcome]);
    running.process.kill('SIGINT');
    const { code, stderr } = await running.outcome;
    expect(code, stderr).toBe(130);
    expect(stderr).toContain('and the new disk deleted');
    expect(await disk('stuck')).toBeUndefined();
  });

  it('does not have to fit into memory', async () => {
    makeImage(file, 256 * MiB);
    const running = user.startPiped(...upload('-', 'long', '--size', '256MiB', '-q'));
    let peak = 0;
    running.process.stderr?.on('data', () => undefined);
    const timer = setInterval(() => {
      try {
        peak = Math.max(peak, peakMemory(running.process.pid));
      } catch {
        // The process has exited.
      }
    }, 20);
    const input = running.process.stdin as Writable;
    createReadStream(file).pipe(input);
    const { code, stderr } = await running.outcome;
    clearInterval(timer);
    expect(code, stderr).toBe(0);
    expect(peak).toBeLessThan(350);
    await user.must('disks', 'verify', 'long', file);
  });
});

describe('compressed files', () => {
  const programs: readonly (readonly [string, string, string[]])[] = [
    ['gzip', '.gz', ['-1', '-k']],
    ['xz', '.xz', ['-0', '-k', '-T2']],
    ['zstd', '.zst', ['-1', '-q']],
  ];

  it.each(programs)('%s', async (program, extension, flags) => {
    makeImage(file, 20 * MiB + 512, [
      [0, 2 * MiB],
      [18 * MiB, 2 * MiB + 512],
    ]);
    execFileSync(program, [...flags, file]);
    const { code, stderr } = await user.runProcess(...upload(`${file}${extension}`, program));
    expect(code, stderr).toBe(0);
    // The end of an xz file contains the uncompressed size.
    expect(stderr.includes(`is compressed with ${program}`)).toBe(program !== 'xz');
    expect(await disk(program)).toMatchObject({ provisioned_size: 20 * MiB + 512 });
    await mustHold(program);
    const whole = readFileSync(`${file}${extension}`);
    writeFileSync(`${file}${extension}`, whole.subarray(0, whole.length - 100_000));
    const short = await user.run(...upload(`${file}${extension}`, 'short'), '-o', 'json');
    expect(short.code).toBe(1);
    // Notes come first, one JSON object per line.
    const failure = short.stderr.trim().split('\n').at(-1) ?? '';
    expect(JSON.parse(failure)).toMatchObject({ code: 'damaged_file' });
    expect(await disk('short')).toBeUndefined();
  });

  it('with damage inside leave no disk', async () => {
    makeImage(file, 20 * MiB, [[0, 3 * MiB]]);
    execFileSync('xz', ['-0', '-k', file]);
    const bytes = readFileSync(`${file}.xz`);
    bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 0xff, bytes.length >> 1);
    writeFileSync(`${file}.xz`, bytes);
    const { code, stderr } = await user.run(...upload(`${file}.xz`, 'broken'), '-o', 'json');
    const error = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as object;
    expect([code, error]).toEqual([1, expect.objectContaining({ code: 'damaged_file' })]);
    expect(await disk('broken')).toBeUndefined();
    expect(user.journals()).toEqual([]);
  });

  it('are detected by content', async () => {
    const packed = `${join(folder, 'image.qcow2')}.gz`;
    writeFileSync(packed, gzipSync(qcow2(7 * MiB)));
    await user.must(...upload(packed, 'cow-in-gz'));
    expect(await disk('cow-in-gz')).toMatchObject({ format: 'cow', provisioned_size: 7 * MiB });
    await user.must(...upload(packed, 'as-it-is', '--no-unpack'));
    expect(await disk('as-it-is')).toMatchObject({ format: 'raw' });
  });

  it('can be resumed by unpacking them again', async () => {
    makeImage(file, 96 * MiB);
    execFileSync('gzip', ['-1', '-k', file]);
    const first = user.start(...upload(`${file}.gz`, 'resumed'));
    await user.until(8, first);
    first.process.kill('SIGKILL');
    await first.outcome;
    const packed = ['disks', 'upload', `${file}.gz`, '--resume'];
    const other = await user.run(...packed, '--no-unpack');
    expect([other.code, other.stderr]).toEqual([
      6,
      expect.stringContaining('has changed since its upload to disks/'),
    ]);
    const { code, stderr } = await user.run(...packed);
    expect(code, stderr).toBe(0);
    await user.must('disks', 'verify', 'resumed', file);
    expect(user.journals()).toEqual([]);
  });

  it.each([
    ['image.raw.gz', () => Buffer.from('not packed'), 'is not compressed with gzip'],
    ['image.qcow2', () => Buffer.from('<html>not found</html>'), 'is not a qcow2 image'],
    ['image.qcow2.gz', () => gzipSync('not an image'), 'is not a qcow2 image'],
    ['image.vmdk', () => Buffer.from('KDMV and more'), 'qemu-img convert'],
    ['image.bz2', () => Buffer.from('BZh91AY&SY'), 'bunzip2'],
  ])('refuses %s with other content', async (name, content, message) => {
    const path = join(folder, name);
    writeFileSync(path, content());
    const { code, stderr } = await user.run(...upload(path, 'never'));
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(await disk('never')).toBeUndefined();
    await user.must(...upload(path, `forced-${name.replaceAll('.', '-')}`, '--format', 'raw'));
  });
});

describe('a URL', () => {
  let web: Web;

  async function serve(manners: WebFeatures, name = 'image.raw'): Promise<string[]> {
    web = await serveFile(file, name, manners);
    const ca = join(folder, 'web-ca.pem');
    writeFileSync(ca, web.ca);
    return ['--source-ca-file', ca];
  }

  afterEach(() => web.close());

  it('is read in ranges', async () => {
    makeSparse(40 * MiB);
    const trust = await serve({ etag: () => '"1"' });
    const moved = web.url.replace(/\/image/, '/moved/image');
    const { code, stderr } = await user.runProcess(...upload(moved, 'ranges'), ...trust);
    expect(code, stderr).toBe(0);
    expect(web.asked.length).toBeGreaterThan(5);
    await mustHold('ranges');
  });

  it('survives lost connections', async () => {
    makeImage(file, 20 * MiB);
    const trust = await serve({
      etag: () => '"1"',
      cut: (request) => (request % 3 === 0 ? MiB : undefined),
    });
    const { code, stderr } = await user.run(...upload(web.url, 'cut'), ...trust);
    expect(code, stderr).toBe(0);
    await mustHold('cut');
  });

  it('can be resumed', async () => {
    makeImage(file, 128 * MiB);
    const trust = await serve({ etag: () => '"1"' });
    const first = user.start(...upload(web.url, 'web-resumed'), ...trust);
    await user.until(8, first);
    first.process.kill('SIGINT');
    const stopped = await first.outcome;
    expect([stopped.code, stopped.stderr]).toEqual([130, expect.stringContaining('--resume')]);
    const { code, stderr } = await user.run('disks', 'upload', web.url, '--resume', ...trust);
    expect(code, stderr).toBe(0);
    await user.must('disks', 'verify', 'web-resumed', file);
  });

  it.each([
    ['knows no ranges', { ranges: false }, 'cannot be resumed'],
    ['says nothing about its size', { ranges: false, length: false }, 'temporary file'],
  ] as const)('of a server that %s', async (_, manners, note) => {
    makeSparse(40 * MiB);
    const trust = await serve(manners);
    const { code, stderr } = await user.run(...upload(web.url, 'stream'), ...trust);
    expect([code, stderr]).toEqual([0, expect.stringContaining(note)]);
    await mustHold('stream');
    await user.must('disks', 'delete', 'stream');
  });

  it.each([
    ['gzip', '.gz', ['-1', '-k'], true],
    // The end of an xz file contains the uncompressed size.
    ['xz', '.xz', ['-0', '-k'], false],
  ] as const)('may refer to an image compressed with %s', async (program, ending, how, copied) => {
    makeImage(file, 5 * MiB);
    const plain = file;
    execFileSync(program, [...how, file]);
    file = `${plain}${ending}`;
    const trust = await serve({}, `image.raw${ending}`);
    file = plain;
    const { code, stderr } = await user.run(...upload(web.url, `web-${program}`), ...trust);
    expect(code, stderr).toBe(0);
    expect(stderr.includes('temporary file')).toBe(copied);
    await mustHold(`web-${program}`);
  });

  it('detects a changed version during the upload', async () => {
    makeImage(file, 40 * MiB);
    let requests = 0;
    const trust = await serve({ etag: () => `"${(requests++ / 5) | 0}"` });
    const { code, stderr } = await user.run(...upload(web.url, 'version'), ...trust);
    expect([code, stderr]).toEqual([6, expect.stringContaining('changed during the upload')]);
    expect(await disk('version')).toBeUndefined();
  });

  it('is refused if not found or with an untrusted certificate', async () => {
    makeImage(file, MiB);
    const trust = await serve({});
    const none = await user.run(...upload(`${web.url}x`, 'never'), ...trust);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('404')]);
    const foreign = await user.run(...upload(web.url, 'never'));
    expect(foreign.code).toBe(8);
    expect(await disk('never')).toBeUndefined();
  });
});

describe('size and rate', () => {
  it('allocates a disk of the requested size', async () => {
    makeImage(file, MiB);
    await user.must(...upload(file, 'roomy', '--size', '64MiB', '--preallocated'));
    expect(await disk('roomy')).toMatchObject({ provisioned_size: 64 * MiB, sparse: false });
    await mustHold('roomy');
  });

  it.each([
    ['a disk that is too small', ['--size', '512KiB'], 2, 'more than --size ('],
    [
      'more than the storage domain has',
      ['--size', '1000TiB', '--preallocated'],
      6,
      'bytes available',
    ],
    ['no rate', ['--limit-rate', '1KiB/s'], 2, '--limit-rate'],
  ])('refuses %s', async (_, flags, exit, message) => {
    makeImage(file, MiB);
    const { code, stderr } = await user.run(...upload(file, 'never', ...flags));
    expect([code, stderr]).toEqual([exit, expect.stringContaining(message)]);
    expect(await disk('never')).toBeUndefined();
  });

  it('limits the rate in both directions', async () => {
    makeImage(file, 12 * MiB);
    const limit = ['--limit-rate', '8MiB/s'];
    for (const words of [
      upload(file, 'slow', ...limit),
      ['disks', 'download', 'slow', copy, ...limit],
    ]) {
      const began = performance.now();
      await user.must(...words);
      // 12 MiB at 8 MiB per second, minus the allowed burst.
      expect(performance.now() - began).toBeGreaterThan(1_300);
    }
    expect(difference(file, copy)).toBeUndefined();
  });
});

it('detects a concurrent writer of the file', async () => {
  makeImage(file, 64 * MiB);
  const running = user.start(...upload(file, 'changing', '--limit-rate', '64MiB/s'));
  await user.until(8, running);
  const other = openSync(file, 'r+');
  writeSync(other, 'x', 63 * MiB);
  closeSync(other);
  const { code, stderr } = await running.outcome;
  expect([code, stderr]).toEqual([6, expect.stringContaining('changed during the upload')]);
  expect(await disk('changing')).toBeUndefined();
});
