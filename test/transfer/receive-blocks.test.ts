/** Blocks of an image in a local file: writes, and errors without space. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VmctlError } from '../../src/client/errors.ts';
import { Http } from '../../src/client/http.ts';
import { BLOCK } from '../../src/transfer/blocks.ts';
import { Journal } from '../../src/transfer/journal.ts';
import { PartialFile } from '../../src/transfer/partial-file.ts';
import { ProgressReporter } from '../../src/transfer/progress.ts';
import { prepareReceiving, type ReceiveOptions } from '../../src/transfer/receive-blocks.ts';
import { RemoteImage } from '../../src/transfer/remote-image.ts';
import { catchFailure } from './support/collect.ts';
import { FakeDaemon } from './support/fake-daemon.ts';

const size = BLOCK + 100;

let folder: string;
let daemon: FakeDaemon;
let http: Http;
let file: PartialFile;
let progress: ProgressReporter;
let journal: Journal;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-receive-'));
  daemon = await FakeDaemon.start(size);
  daemon.current.fill('data', 10, 2_000).fill('end', BLOCK + 50);
  http = new Http({ trust: {} });
  file = await PartialFile.create(join(folder, 'copy'), false);
  await file.resize(size);
  progress = new ProgressReporter(undefined);
  journal = Journal.inMemory({
    ...{ version: 1, direction: 'download', server: 's', disk: 'd', name: 'n', file: 'f' },
    identity: { size, modified: '', inode: '' },
    ...{ format: 'raw', size, created: false, zeroed: true, hashed: true },
  });
});

afterEach(async () => {
  await file.remove().catch(() => undefined);
  await http.close();
  await daemon.close();
  rmSync(folder, { recursive: true, force: true });
});

async function receive(more: Partial<ReceiveOptions> = {}): Promise<void> {
  const { signal } = new AbortController();
  await prepareReceiving({
    image: new RemoteImage(daemon.getUrl(), { http, signal, retries: 0 }),
    capabilities: { features: new Set(), maxReaders: 2, maxWriters: 1 },
    data: [
      { start: 0, end: 4_096 },
      { start: BLOCK, end: size },
    ],
    fresh: true,
    parallel: 2,
    ...{ file, journal, progress },
    ...more,
  }).run();
}

const written = () => readFileSync(file.path);

describe('data', () => {
  it('are written at their offset, and hashed', async () => {
    await receive();
    expect(written().equals(daemon.current)).toBe(true);
    expect(progress).toMatchObject({ transferred: 4_196, skipped: BLOCK - 4_096 });
    expect([...journal.done]).toEqual([{ start: 0, end: 2 }]);
    expect(journal.hashes.get(1)).toHaveLength(32);
  });

  it('are not hashed without a request', async () => {
    const { header } = journal;
    journal = Journal.inMemory({ ...header, hashed: false });
    await receive();
    expect(written().equals(daemon.current)).toBe(true);
    expect(journal.hashes.isEmpty).toBe(true);
    expect([...journal.done]).toEqual([{ start: 0, end: 2 }]);
  });

  it('replace earlier content, zeros too', async () => {
    await file.write(0, Buffer.alloc(size, 'old'));
    await receive({ fresh: false });
    expect(written().equals(daemon.current)).toBe(true);
  });

  it('keep earlier content around changes', async () => {
    const old = Buffer.alloc(size, 'old');
    await file.write(0, old);
    await receive({ preserve: true });
    daemon.current.subarray(0, 4_096).copy(old);
    daemon.current.subarray(BLOCK).copy(old, BLOCK);
    expect(written().equals(old)).toBe(true);
  });

  it('of zeros replace earlier content', async () => {
    await file.write(0, Buffer.alloc(size, 'old'));
    daemon.current.fill(0);
    await receive({ preserve: true });
    expect(written().subarray(0, 4_096).equals(Buffer.alloc(4_096))).toBe(true);
    expect(written().subarray(4_096, 4_099).toString()).toBe('ldo');
  });

  it('of only zeros are neither written nor hashed', async () => {
    daemon.current.fill(0);
    await receive();
    expect(journal.hashes.isEmpty).toBe(true);
    expect([...journal.done]).toEqual([{ start: 0, end: 2 }]);
    expect(written().equals(daemon.current)).toBe(true);
  });

  it('of an earlier run are not fetched again', async () => {
    journal.recordBlocks([{ block: 1, digest: Buffer.alloc(32, 1) }]);
    await receive();
    expect(daemon.asked.map(({ range }) => range)).toEqual(['bytes=0-4095']);
    expect(progress.transferred).toBe(4_096 + 100);
  });
});

describe('a file that cannot be written', () => {
  function fail(code: string): void {
    file.write = async () => {
      throw Object.assign(new Error(`${code}: it failed`), { code });
    };
  }

  it.each([
    // The disk is full.
    ['ENOSPC', 0, 4_196],
    ['ENOSPC', 4_000, 196],
    ['ENOSPC', undefined, 4_196],
    ['ENOSPC', 1e9, 0],
    ['EDQUOT', 1e9, 4_196],
    ['EFBIG', 1e9, 4_196],
  ])(
    'because of %s, with %s bytes free, reports the missing bytes',
    async (code, free, missing) => {
      fail(code);
      file.space = async () => free;
      const error = await catchFailure(receive());
      expect(error).toBeInstanceOf(VmctlError);
      expect(error).toMatchObject({
        message: `no space for ${file.path}: ${missing} more bytes needed (image ${size}, remaining 4196)`,
        code: 'no_space',
      });
    },
  );

  it('for another reason reports it', async () => {
    fail('EIO');
    expect(await catchFailure(receive())).toMatchObject({
      message: `cannot write "${file.path}": input/output error`,
      code: 'unwritable_file',
    });
    file.write = async () => undefined;
    file.flush = async () => {
      throw new Error('lost');
    };
    expect(await catchFailure(receive())).toMatchObject({
      message: `cannot write "${file.path}": lost`,
    });
  });
});
