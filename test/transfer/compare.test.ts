/** Comparison of files with disks: equality, and reasons of differences. */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConflictError } from '../../src/client/errors.ts';
import { BLOCK } from '../../src/transfer/blocks.ts';
import { compare } from '../../src/transfer/compare.ts';
import { FileSource } from '../../src/transfer/file-source.ts';
import type { TransferEvent } from '../../src/transfer/progress.ts';
import { TransferAborted } from '../../src/transfer/transfer-error.ts';
import { catchFailure } from './support/collect.ts';
import { computeChecksum, FakeDaemon } from './support/fake-daemon.ts';
import { FakeService } from './support/fake-service.ts';
import { qcow2 } from './support/images.ts';

const size = BLOCK + 70_000;

let folder: string;
let file: string;
let daemon: FakeDaemon;
let service: FakeService;
let events: TransferEvent[];
let stop: AbortController;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-compare-'));
  file = join(folder, 'image');
  daemon = await FakeDaemon.start(size);
  // The end is zeros.
  daemon.current.fill('some data', 5_000, BLOCK + 5);
  service = await FakeService.start(daemon);
  events = [];
  stop = new AbortController();
});

afterEach(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

async function compared(content: Buffer, format = 'raw') {
  writeFileSync(file, content);
  const disk = service.addDisk({ name: 'one', format, provisioned_size: size });
  const source = await FileSource.open(file);
  const onEvent = (event: TransferEvent) => events.push(event);
  const { signal } = stop;
  try {
    return await compare({ client: service.client, disk, source, retries: 0, signal, onEvent });
  } finally {
    await source.close();
  }
}

const checksum = () =>
  computeChecksum(
    daemon.current,
    new URLSearchParams({ algorithm: 'sha256', block_size: String(BLOCK) }),
  );

describe('a file', () => {
  it.each([
    ['with the complete image', size],
    ['that ends before trailing zeros of the image', BLOCK + 5],
  ])('%s is equal', async (_, length) => {
    daemon.algorithms = '[]';
    const sizes = { size, fileSize: length };
    expect(await compared(daemon.current.subarray(0, length))).toEqual({
      ...sizes,
      ...{ algorithm: 'sha256', checksum: checksum() },
    });
    expect(service.transfer).toMatchObject({ direction: 'download', phase: 'finished_success' });
    expect(
      events.map(({ phase }) => phase).filter((phase, at, all) => phase !== all[at - 1]),
    ).toEqual(['preparing', 'verifying', 'finalizing', 'done']);
    const { transferred, skipped, total } = events.at(-1) ?? {};
    expect({ total, done: (transferred ?? 0) + (skipped ?? 0) }).toEqual({
      total: size,
      done: size,
    });
    expect(daemon.count('GET')).toBe(0);
  });

  it.each([
    ['that is longer', size + 3, 'the file has 4264307 bytes, 3 more than the image'],
    [
      'that ends too early',
      6_000,
      'the checksum \\((sha256|xxh128)\\) of the file is \\w+, that of the image \\w+',
    ],
  ])('%s differs', async (_, length, reason) => {
    const whole = Buffer.concat([daemon.current, Buffer.from('end')]);
    const error = await catchFailure(compared(whole.subarray(0, length)));
    expect(error).toBeInstanceOf(ConflictError);
    expect(error).toMatchObject({ code: 'different', hint: undefined });
    expect(error.message).toMatch(new RegExp(`^${file} differs from the disk one: ${reason}$`));
    // The transfer succeeded.
    expect(service.transfer['phase']).toBe('finished_success');
  });

  it('in another format than the disk is reported', async () => {
    expect(await catchFailure(compared(qcow2(size)))).toMatchObject({
      code: 'different',
      hint: 'the file is cow, the disk raw; only the stored bytes are compared',
    });
  });

  it('that changes during the comparison is detected', async () => {
    daemon.fault = ({ what }) => {
      if (what === 'checksum') appendFileSync(file, 'a');
      return undefined;
    };
    const error = await catchFailure(compared(Buffer.from(daemon.current)));
    expect(error).toBeInstanceOf(TransferAborted);
    expect(error.cause).toMatchObject({ code: 'source_changed' });
    expect(service.transfer['phase']).toBe('finished_cleanup');
  });
});

describe('without a checksum', () => {
  const none = {
    message: 'the image daemon does not support checksums',
    code: 'no_checksum',
    hint: 'download the image with vmctl disks download to compare the files',
  };

  it('an old daemon permits no comparison', async () => {
    daemon.features = ['extents'];
    const error = await catchFailure(compared(Buffer.from(daemon.current)));
    expect(error.cause).toMatchObject(none);
    expect(daemon.asked.some(({ what }) => what === 'checksum')).toBe(false);
  });

  it('a daemon that refuses permits no comparison', async () => {
    daemon.fault = ({ what }) => (what === 'checksum' ? { status: 404 } : undefined);
    const error = await catchFailure(compared(Buffer.from(daemon.current)));
    expect(error.cause).toMatchObject(none);
  });

  it('a failed request is reported', async () => {
    daemon.fault = ({ what }) => (what === 'checksum' ? { status: 416 } : undefined);
    const error = await catchFailure(compared(Buffer.from(daemon.current)));
    expect(error.cause).toMatchObject({ code: 'daemon_refused', status: 416 });
  });
});

it('an aborted signal ends with its reason', async () => {
  const reason = new Error('enough');
  daemon.fault = ({ what }) => {
    if (what === 'extents') stop.abort(reason);
    return undefined;
  };
  const error = await catchFailure(compared(Buffer.from(daemon.current)));
  expect(error.cause).toBe(reason);
});
