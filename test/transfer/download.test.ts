/** Downloads with failures of the daemon and the service. */
import {
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApiObject } from '../../src/client/client.ts';
import { InterruptedError } from '../../src/client/errors.ts';
import { BLOCK } from '../../src/transfer/blocks.ts';
import {
  type DownloadOptions,
  download,
  Journal,
  TransferAborted,
  type TransferEvent,
} from '../../src/transfer/index.ts';
import { FakeDaemon } from './support/fake-daemon.ts';
import { away, FakeService } from './support/fake-service.ts';
import { allocated, makeImage } from './support/images.ts';

const blocks = 18;
const size = blocks * BLOCK - 5 * 512;

let folder: string;
let file: string;
let daemon: FakeDaemon;
let service: FakeService;
let disk: ApiObject;
let stop: AbortController;
let events: TransferEvent[];
let notes: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-download-'));
  file = join(folder, 'copy');
  daemon = await FakeDaemon.start(size);
  service = await FakeService.start(daemon);
  fill();
  disk = service.addDisk({ name: 'one', format: 'raw', provisioned_size: size });
  stop = new AbortController();
  events = [];
  notes = [];
});

afterEach(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

function fill(runs?: readonly (readonly [number, number])[]): void {
  const image = join(folder, 'image');
  makeImage(image, size, runs);
  daemon.current = readFileSync(image);
  rmSync(image);
}

const journals = () => join(folder, 'journals');

function options(more: Partial<DownloadOptions> = {}): DownloadOptions {
  return {
    client: service.client,
    server: 'https://service',
    journals: journals(),
    parallel: 4,
    verify: true,
    retries: 5,
    signal: stop.signal,
    onEvent: (event) => events.push(event),
    onNote: (note) => notes.push(note),
    disk,
    file,
    force: false,
    keepPartial: true,
    ...more,
  };
}

async function failure(more: Partial<DownloadOptions> = {}): Promise<TransferAborted> {
  const error = await download(options(more)).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof TransferAborted) return error;
  throw error ?? new Error('The download did not fail.');
}

function journal(): Journal {
  const [found] = Journal.find(journals(), () => true);
  if (!found) throw new Error('There is no journal.');
  return found;
}

function expectFetched(): void {
  expect(readFileSync(file).equals(daemon.current)).toBe(true);
  expect(existsSync(`${file}.partial`)).toBe(false);
  expect(Journal.find(journals(), () => true)).toEqual([]);
  expect(service.disks.get(String(disk['id']))?.['status']).toBe('ok');
}

describe('a download', () => {
  it('ends with the file, and leaves no other file', async () => {
    expect(await download(options())).toEqual({
      file,
      format: 'raw',
      size,
      transferred: size,
      skipped: 0,
      verified: true,
    });
    expectFetched();
    expect(events.at(-1)).toEqual({
      phase: 'done',
      transferred: size,
      resumed: 0,
      skipped: 0,
      total: size,
    });
    expect(service.transfer['phase']).toBe('finished_success');
  });

  it('fetches only data, and leaves holes', async () => {
    fill([
      [BLOCK + 10, 1000],
      [15 * BLOCK, 100_000],
    ]);
    const { transferred, skipped } = await download(options());
    expectFetched();
    expect(transferred).toBeLessThan(BLOCK);
    expect(transferred + skipped).toBe(size);
    expect(allocated(file)).toBeLessThan(BLOCK);
  });

  it('leaves holes even if the daemon does not report zeros', async () => {
    fill([[BLOCK, 100]]);
    daemon.features = [];
    const { verified } = await download(options());
    expectFetched();
    expect(verified).toBe(false);
    expect(notes).toEqual([expect.stringContaining('not verified')]);
    expect(allocated(file)).toBeLessThan(2 * BLOCK);
  });

  it('without verification requests no checksum, and prints no note', async () => {
    await download(options({ verify: false }));
    expect(readFileSync(file).equals(daemon.current)).toBe(true);
    expect(daemon.asked.filter(({ what }) => what.startsWith('checksum'))).toEqual([]);
    expect(events.map(({ phase }) => phase)).not.toContain('verifying');
    expect(notes).toEqual([]);
  });

  it('of an empty image is an empty file', async () => {
    daemon.current = Buffer.alloc(0);
    await download(options());
    expect(statSync(file).size).toBe(0);
  });

  it('survives repeated failures of a daemon', async () => {
    let seed = 3;
    daemon.fault = () => {
      seed = (seed * 1103515245 + 12345) % 2 ** 31;
      const dice = (seed >> 8) % 8;
      return dice === 0 ? {} : dice === 1 ? { status: 502 } : undefined;
    };
    await download(options({ retries: 15 }));
    expectFetched();
  });

  it('begins another transfer if the service ended the first', async () => {
    let ended = false;
    daemon.fault = () => {
      if (!ended && daemon.count('GET') >= 10) {
        ended = true;
        service.pauseBySystem();
        service.transfer['phase'] = 'cancelled_system';
        for (const one of service.disks.values()) one['status'] = 'ok';
      }
      return undefined;
    };
    await download(options());
    expectFetched();
    expect(service.transfers.size).toBe(2);
  });
});

describe('an interrupted download', () => {
  it('remains, and can be resumed', async () => {
    daemon.fault = () => (daemon.count('GET') > 16 ? {} : undefined);
    const { cause, remainder } = await failure({ retries: 0 });
    expect(cause).toMatchObject({ code: 'connection_lost' });
    expect(remainder).toMatchObject({ resumable: true, partial: `${file}.partial` });
    expect(service.transfer['phase']).toBe('finished_cleanup');
    daemon.fault = () => undefined;
    daemon.asked.length = 0;
    const before = journal();
    const done = before.done.total;
    expect(done).toBeGreaterThan(0);
    await download(options({ resume: before }));
    expectFetched();
    expect(daemon.asked.filter(({ what, method }) => method === 'GET' && what === '')).toHaveLength(
      blocks - done,
    );
  });

  it('remains if the user interrupts it', async () => {
    daemon.fault = () => {
      if (daemon.count('GET') > 16) stop.abort(new InterruptedError('SIGINT'));
      return undefined;
    };
    const { cause, remainder } = await failure();
    expect(cause).toBe(stop.signal.reason);
    expect(remainder.resumable).toBe(true);
    expect(existsSync(file)).toBe(false);
    daemon.fault = () => undefined;
    stop = new AbortController();
    await download(options({ resume: journal() }));
    expectFetched();
  });

  it('is removed on request, or if no data were fetched', async () => {
    daemon.fault = () => (daemon.count('GET') > 16 ? {} : undefined);
    expect((await failure({ retries: 0, keepPartial: false })).remainder.resumable).toBe(false);
    expect(readdirSync(folder)).toEqual(['journals']);
    daemon.asked.length = 0;
    daemon.fault = () => (daemon.count('GET') > 0 ? {} : undefined);
    expect((await failure({ retries: 0 })).remainder.resumable).toBe(false);
    expect(readdirSync(folder)).toEqual(['journals']);
    expect(readdirSync(journals())).toEqual([]);
  });

  it('is not resumed for another image', async () => {
    daemon.fault = () => (daemon.count('GET') > 16 ? {} : undefined);
    await failure({ retries: 0 });
    daemon.fault = () => undefined;
    daemon.current.writeUInt8(daemon.current.readUInt8(5) ^ 1, 5);
    expect((await failure({ resume: journal() })).cause).toMatchObject({
      code: 'checksum_mismatch',
    });
    expect(existsSync(file)).toBe(false);
  });

  it('refuses a disk of another size', async () => {
    daemon.fault = () => (daemon.count('GET') > 16 ? {} : undefined);
    await failure({ retries: 0 });
    daemon.fault = () => undefined;
    daemon.current = daemon.current.subarray(0, 10 * BLOCK);
    expect((await failure({ resume: journal() })).cause).toMatchObject({ code: 'disk_changed' });
  });

  it('remains if the partial file was changed', async () => {
    daemon.fault = () => (daemon.count('GET') > 16 ? {} : undefined);
    await failure({ retries: 0 });
    rmSync(`${file}.partial`);
    writeFileSync(`${file}.partial`, 'mine');
    await expect(download(options({ resume: journal() }))).rejects.toMatchObject({
      code: 'partial_changed',
    });
    expect(readFileSync(`${file}.partial`, 'utf8')).toBe('mine');
  });

  it('records all received blocks', async () => {
    daemon.fault = () => (daemon.count('GET') > 5 ? {} : undefined);
    const { remainder } = await failure({ retries: 0 });
    expect(remainder.resumable).toBe(true);
    const { transferred = 0 } = events.at(-1) ?? {};
    const found = journal();
    const done = found.done.total;
    expect(done).toBe(transferred / BLOCK);
    daemon.fault = () => undefined;
    await download(options({ resume: found }));
    expectFetched();
  });

  it.each([false, true])(
    'after its unreported end is complete (two names: %s)',
    async (twoNames) => {
      daemon.fault = () => (daemon.count('GET') > 16 ? {} : undefined);
      await failure({ retries: 0 });
      daemon.fault = () => undefined;
      const before = journal();
      writeFileSync(`${file}.partial`, daemon.current, { flag: 'r+' });
      linkSync(`${file}.partial`, file);
      if (!twoNames) rmSync(`${file}.partial`);
      daemon.asked.length = 0;
      const done = await download(options({ resume: before }));
      expect(done).toMatchObject({ file, size, transferred: size, verified: true });
      expectFetched();
      expect(daemon.asked).toEqual([]);
    },
  );

  it('can be ended by a later run if it was killed before its end', async () => {
    const found: string[] = [];
    service.before = (call) => {
      if (!call.startsWith('finalize')) return;
      found.push(journal().header.file);
      expect(readFileSync(file).equals(daemon.current)).toBe(true);
    };
    await download(options());
    expect(found).toEqual([file]);
    expectFetched();
  });

  it('reports that the service could not be notified of its end', async () => {
    daemon.fault = () => {
      service.before = () => {
        throw away();
      };
      return { status: 400 };
    };
    const { remainder } = await failure();
    expect(remainder).toMatchObject({
      resumable: false,
      notNotified: true,
      transfer: expect.any(String),
    });
  });

  it.each(['not received', 'heard'])(
    'is complete although it was interrupted at its end: %s',
    async (how) => {
      service.before = (call) => {
        if (!call.startsWith('finalize') || stop.signal.aborted) return;
        if (how === 'heard') {
          service.transfer['phase'] = 'finished_success';
          Object.assign(service.disks.get(String(disk['id'])) ?? {}, { status: 'ok' });
        }
        stop.abort(new InterruptedError('SIGINT'));
        throw stop.signal.reason;
      };
      expect(await download(options())).toMatchObject({ size, verified: true });
      expectFetched();
      expect(notes).toEqual([]);
      expect(service.transfer['phase']).toBe('finished_success');
      const told = service.calls.filter((call) => call.startsWith('finalize'));
      expect(told).toHaveLength(how === 'heard' ? 1 : 2);
    },
  );

  it('is complete although its transfer fails, with a warning', async () => {
    service.verdict = 'finished_failure';
    expect(await download(options())).toMatchObject({ size, verified: true });
    expect(readFileSync(file).equals(daemon.current)).toBe(true);
    expect(notes).toEqual([
      'the file is complete, but the transfer failed at its end: the service refused the image: the transfer is finished_failure',
    ]);
  });

  it('remains paused if a user paused it', async () => {
    daemon.fault = ({ method, what }) => {
      if (method !== 'GET' || what !== '' || daemon.count('GET') < 5) return undefined;
      service.pauseBySystem();
      service.transfer['phase'] = 'paused_user';
      return undefined;
    };
    const { cause } = await failure({ retries: 0 });
    expect(cause).toMatchObject({ code: 'transfer_paused' });
    expect(service.transfers.size).toBe(1);
  });

  it('is complete although its name was in use', async () => {
    daemon.fault = ({ what }) => {
      if (what === 'checksum') writeFileSync(file, 'somebody else');
      return undefined;
    };
    await expect(download(options())).rejects.toMatchObject({ code: 'file_exists' });
    expect(readFileSync(file, 'utf8')).toBe('somebody else');
    expect(readFileSync(`${file}.partial`).equals(daemon.current)).toBe(true);
  });
});
