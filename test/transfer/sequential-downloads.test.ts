/** Sequential downloads, which cannot be resumed: to streams, and of backups to files. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApiObject } from '../../src/client/client.ts';
import { downloadBackup } from '../../src/transfer/backup-download.ts';
import { BLOCK } from '../../src/transfer/blocks.ts';
import { checksumQuery } from '../../src/transfer/checksum.ts';
import { BACKUP_ALGORITHM } from '../../src/transfer/checksum-algorithm.ts';
import {
  downloadToStream,
  ReaderClosedError,
  type StreamDownloadOptions,
} from '../../src/transfer/download-to-stream.ts';
import { TransferAborted, type TransferEvent } from '../../src/transfer/index.ts';
import { catchFailure } from './support/collect.ts';
import { computeChecksum, FakeDaemon } from './support/fake-daemon.ts';
import { FakeService } from './support/fake-service.ts';

const grain = 65_536;
const size = 3 * BLOCK - 512;

let folder: string;
let daemon: FakeDaemon;
let service: FakeService;
let disk: ApiObject;
let stop: AbortController;
let events: TransferEvent[];
let notes: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-sequential-'));
  daemon = await FakeDaemon.start(size);
  // A block with a gap, one of zeros, and a short one.
  daemon.current
    .fill(1, 0, grain)
    .fill(2, 8 * grain, 9 * grain)
    .fill(3, 2 * BLOCK);
  service = await FakeService.start(daemon);
  disk = service.addDisk({ name: 'one', format: 'raw', provisioned_size: size });
  stop = new AbortController();
  events = [];
  notes = [];
});

afterEach(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

const shared = () => ({
  client: service.client,
  server: 'https://service',
  journals: join(folder, 'journals'),
  parallel: 2,
  verify: true,
  retries: 0,
  signal: stop.signal,
  onEvent: (event: TransferEvent) => events.push(event),
  onNote: (note: string) => notes.push(note),
  disk,
});

describe('a download to a stream', () => {
  function sink(fail?: (at: number) => Error | undefined) {
    const chunks: Buffer[] = [];
    const out = new Writable({
      write(chunk: Buffer, _encoding, done) {
        const error = fail?.(chunks.length);
        if (!error) chunks.push(Buffer.from(chunk));
        done(error);
      },
    });
    out.on('error', () => {});
    return { out, written: () => Buffer.concat(chunks) };
  }

  const streamed = (more: Partial<StreamDownloadOptions> & Pick<StreamDownloadOptions, 'out'>) =>
    downloadToStream({ ...shared(), ...more });

  it.each([1, 2, 99])(
    'writes every byte in order, with %i blocks of read-ahead',
    async (parallel) => {
      const { out, written } = sink();
      expect(await streamed({ out, parallel })).toEqual({
        format: 'raw',
        size,
        transferred: 2 * grain + BLOCK - 512,
        skipped: 2 * BLOCK - 2 * grain,
        verified: true,
      });
      expect(written().equals(daemon.current)).toBe(true);
      expect(service.transfer['phase']).toBe('finished_success');
      expect(notes).toEqual([]);
    },
  );

  it.each([
    ['in its format', {}, 'cow'],
    ['in the guest view', { guestData: true }, 'raw'],
    ['as of the start of a backup', { backup: 'b' }, 'raw'],
  ])('reads a qcow2 disk %s', async (_, more, format) => {
    const { out } = sink();
    disk = service.addDisk({ name: 'two', format: 'cow', provisioned_size: size });
    expect(await streamed({ out, ...more })).toMatchObject({ format });
    expect(service.transfer).toMatchObject({ format });
  });

  it('requests no checksum without verification', async () => {
    const { out } = sink();
    expect(await streamed({ out, verify: false })).toMatchObject({ verified: false });
    expect(daemon.asked.filter(({ what }) => what === 'checksum')).toEqual([]);
  });

  it.each([
    [size, undefined],
    [size - 1, `the image has ${size} bytes, 1 more than the device`],
  ])('fits into %i bytes, or writes nothing', async (capacity, message) => {
    const { out, written } = sink();
    const device = '/dev/x';
    if (message === undefined) {
      expect(await streamed({ out, capacity, device })).toMatchObject({ size });
      return;
    }
    const error = (await catchFailure(streamed({ out, capacity, device }))) as TransferAborted;
    expect(error.cause).toMatchObject({ message, code: 'no_room' });
    expect(error.remainder).not.toHaveProperty('deviceCorrupted');
    expect(written().length).toBe(0);
    expect(service.transfer['phase']).toBe('finished_cleanup');
  });

  it.each([undefined, '/dev/x'])('that fails reports the device: %s', async (device) => {
    const { out } = sink((at) => (at === 1 ? new Error('ENXIO') : undefined));
    const error = await catchFailure(streamed({ out, ...(device ? { device } : {}) }));
    expect(error).toBeInstanceOf(TransferAborted);
    const { cause, remainder } = error as TransferAborted;
    expect(cause).toMatchObject({
      message: 'cannot write the image: ENXIO',
      code: 'unwritable_file',
    });
    expect(remainder).toEqual({
      resumable: false,
      disk: disk['id'],
      ...(device ? { deviceCorrupted: device } : {}),
    });
  });

  it('ends when the reader closes the stream', async () => {
    const closed = Object.assign(new Error('closed'), { code: 'EPIPE' });
    const { out } = sink(() => closed);
    const error = (await catchFailure(streamed({ out }))) as TransferAborted;
    expect(error.cause).toBeInstanceOf(ReaderClosedError);
  });

  it('ends with the reason of its signal, also while it waits for the reader', async () => {
    const reason = new Error('enough');
    const out = new Writable({ write: () => stop.abort(reason) });
    const error = (await catchFailure(streamed({ out }))) as TransferAborted;
    expect(error.cause).toBe(reason);
  });

  it('reports a transfer that could not be ended', async () => {
    const { out } = sink(() => new Error('EIO'));
    service.before = (call) => {
      if (call.startsWith('cancel')) throw new Error('no');
    };
    const error = (await catchFailure(streamed({ out }))) as TransferAborted;
    expect(error.remainder).toMatchObject({
      transfer: service.transfer['id'],
      notNotified: true,
    });
  });
});

describe('a download of a backup', () => {
  const file = () => join(folder, 'copy');
  const download = (more: object = {}) =>
    downloadBackup({ ...shared(), backup: 'b', file: file(), force: false, ...more });
  const hash = () =>
    computeChecksum(daemon.current, new URLSearchParams(checksumQuery(BACKUP_ALGORITHM)));

  it('that is full is the complete disk, and verified', async () => {
    expect(await download()).toEqual({
      ...{ file: file(), format: 'raw', backup_mode: 'full', content: 'disk', size },
      transferred: 2 * grain + BLOCK - 512,
      verified: true,
      checksum: hash(),
    });
    expect(readFileSync(file()).equals(daemon.current)).toBe(true);
  });

  it('without verification has no checksum', async () => {
    expect(await download({ verify: false })).not.toHaveProperty('checksum');
  });

  it('without its base has the changes, and zeros elsewhere', async () => {
    daemon.dirty = new Set([8, 9]);
    expect(await download()).toEqual({
      ...{ file: file(), format: 'raw', backup_mode: 'incremental', content: 'changes', size },
      transferred: grain,
      verified: false,
    });
    const expected = Buffer.alloc(size).fill(2, 8 * grain, 9 * grain);
    expect(readFileSync(file()).equals(expected)).toBe(true);
  });

  it('with its base is the disk, including new zeros', async () => {
    const base = join(folder, 'base');
    const before = Buffer.from(daemon.current);
    before.fill(7, 8 * grain, 10 * grain).fill(8, BLOCK, BLOCK + 10);
    writeFileSync(base, before);
    daemon.dirty = new Set([8, 9, BLOCK / grain]);
    expect(await download({ base })).toMatchObject({
      ...{ backup_mode: 'incremental', content: 'disk', size, verified: true },
      checksum: hash(),
    });
    expect(readFileSync(file()).equals(daemon.current)).toBe(true);
    expect(readFileSync(base).equals(before)).toBe(true);
  });

  it('over a base of another state is detected, and leaves no file', async () => {
    const base = join(folder, 'base');
    writeFileSync(base, Buffer.alloc(size, 9));
    daemon.dirty = new Set([8]);
    expect(await catchFailure(download({ base }))).toBeInstanceOf(TransferAborted);
    expect(readdirSync(folder)).toEqual(['base']);
  });

  it('over a missing base is reported, and leaves no file', async () => {
    daemon.dirty = new Set([8]);
    const error = (await catchFailure(download({ base: join(folder, 'none') }))) as TransferAborted;
    expect(error.cause).toMatchObject({
      message: expect.stringMatching(/^cannot copy .*none: .*no such file or folder$/),
      hint: 'use the file of the previous backup',
    });
    expect(existsSync(file())).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('replaces a file on request, and not if it fails', async () => {
    writeFileSync(file(), 'mine');
    await catchFailure(download());
    daemon.fault = ({ method, what }) =>
      method === 'GET' && what === '' ? { status: 500 } : undefined;
    await catchFailure(download({ force: true }));
    expect(readFileSync(file(), 'utf8')).toBe('mine');
    daemon.fault = () => undefined;
    await download({ force: true });
    expect(readFileSync(file()).equals(daemon.current)).toBe(true);
  });
});
