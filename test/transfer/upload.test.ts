/** Uploads against a daemon and a service that fail in every way they can. */
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InterruptedError } from '../../src/client/errors.ts';
import { BLOCK, WINDOW } from '../../src/transfer/blocks.ts';
import {
  Journal,
  SourceFile,
  Stopped,
  type TransferEvent,
  type UploadOptions,
  upload,
} from '../../src/transfer/index.ts';
import { FakeDaemon } from './support/fake-daemon.ts';
import { away, FakeService } from './support/fake-service.ts';
import { MiB, makeImage } from './support/images.ts';

const blocks = 18;
const size = blocks * BLOCK - 5 * 512;

let folder: string;
let file: string;
let daemon: FakeDaemon;
let service: FakeService;
let source: SourceFile;
let stop: AbortController;
let events: TransferEvent[];
let notes: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-upload-'));
  file = join(folder, 'image');
  makeImage(file, size);
  daemon = await FakeDaemon.start(size);
  service = await FakeService.start(daemon);
  source = await SourceFile.open(file);
  stop = new AbortController();
  events = [];
  notes = [];
});

afterEach(async () => {
  await source.close();
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

const journals = () => join(folder, 'journals');
const newDisk = { add: { name: 'new', storageDomain: 'domain', onBlocks: false } };

function options(more: Partial<UploadOptions> = {}): UploadOptions {
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
    source,
    into: newDisk,
    ...more,
  };
}

/** The error of an upload that must fail. */
async function failure(more: Partial<UploadOptions> = {}): Promise<Stopped> {
  const error = await upload(options(more)).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof Stopped) return error;
  throw error ?? new Error('The upload did not fail.');
}

function journal(): Journal {
  const [found] = Journal.find(journals(), () => true);
  if (!found) throw new Error('There is no journal.');
  return found;
}

/** What is durable at the daemon is the image, with zeros behind it. */
function expectStored(): void {
  const image = readFileSync(file);
  expect(daemon.stable.subarray(0, image.length).equals(image)).toBe(true);
  const rest = daemon.stable.subarray(image.length);
  expect(rest.equals(Buffer.alloc(rest.length))).toBe(true);
}

const leftJournals = () => Journal.find(journals(), () => true).map((one) => one.path);

describe('an upload', () => {
  it('ends with a disk, and leaves nothing else', async () => {
    const disk = await upload(options());
    expect(disk).toMatchObject({ name: 'new', status: 'ok', format: 'raw', sparse: true });
    expectStored();
    expect(leftJournals()).toEqual([]);
    expect(notes).toEqual([]);
    expect([...new Set(events.map(({ phase }) => phase))]).toEqual([
      'preparing',
      'copying',
      'verifying',
      'finalizing',
      'done',
    ]);
    expect(events.at(-1)).toEqual({ phase: 'done', transferred: size, skipped: 0, total: size });
    expect(daemon.mostUnflushed).toBeLessThanOrEqual(WINDOW);
  });

  it('sends only what is not zero', async () => {
    makeImage(file, size, [[3 * BLOCK + 1000, 5000]]);
    await source.close();
    source = await SourceFile.open(file);
    await upload(options());
    expectStored();
    expect(daemon.count('PUT')).toBe(1);
    const { transferred = 0, skipped = 0 } = events.at(-1) ?? {};
    expect(transferred + skipped).toBe(size);
    expect(transferred).toBeLessThan(MiB);
  });

  it('zeroes what an existing disk held', async () => {
    daemon.current.fill(7);
    daemon.stable.fill(7);
    makeImage(file, size - 3 * BLOCK, [[3 * BLOCK + 1000, 5000]]);
    await source.close();
    source = await SourceFile.open(file);
    const disk = service.addDisk({ name: 'old', format: 'raw', provisioned_size: size });
    await upload(options({ into: { disk } }));
    expectStored();
  });

  it('tells block storage apart, which may hold anything', async () => {
    daemon.current.fill(7);
    daemon.stable.fill(7);
    makeImage(file, size, [[BLOCK, 100]]);
    await source.close();
    source = await SourceFile.open(file);
    const disk = await upload(options({ into: { add: { ...newDisk.add, onBlocks: true } } }));
    expect(disk['sparse']).toBe(false);
    expectStored();
  });

  it.each([
    ['nothing at all', []],
    ['no flush', ['zero', 'extents', 'checksum']],
    ['no zero', ['flush', 'extents', 'checksum']],
  ])('works with a daemon that knows %s', async (_, features) => {
    daemon.features = features;
    daemon.current.fill(7);
    daemon.stable.fill(7);
    const disk = service.addDisk({ name: 'old', format: 'raw', provisioned_size: size });
    makeImage(file, size, [[BLOCK, 6 * BLOCK + 10]]);
    await source.close();
    source = await SourceFile.open(file);
    await upload(options({ into: { disk } }));
    expectStored();
    if (features.length === 0) expect(notes).toEqual([expect.stringContaining('not verified')]);
  });

  it('goes through the proxy where there is no direct way', async () => {
    service.directUrl = 'http://127.0.0.1:9/images/x';
    await upload(options());
    expectStored();
  });

  it('keeps to the number of writers that the daemon wants', async () => {
    daemon.maxWriters = 1;
    let busy = 0;
    let most = 0;
    daemon.fault = ({ method }) => {
      if (method !== 'PUT') return undefined;
      busy += 1;
      most = Math.max(most, busy);
      setImmediate(() => {
        busy -= 1;
      });
      return undefined;
    };
    await upload(options());
    expect(most).toBe(1);
  });
});

describe('a daemon that crashes', () => {
  it.each([3, 9, 15, 18])('at request %i loses nothing that matters', async (moment) => {
    let crashed = false;
    daemon.fault = ({ method }) => {
      if (crashed || method !== 'PUT' || daemon.count('PUT') < moment) return undefined;
      crashed = true;
      setImmediate(() => daemon.crash());
      return {};
    };
    await upload(options());
    expectStored();
    expect(events.at(-1)?.transferred).toBe(size);
  });

  it('while it flushes is sent again what the flush was for', async () => {
    let crashed = false;
    daemon.fault = ({ method }) => {
      if (crashed || method !== 'PATCH') return undefined;
      crashed = true;
      daemon.crash();
      return {};
    };
    await upload(options());
    expectStored();
  });

  it('again and again is survived', async () => {
    let seed = 7;
    daemon.fault = () => {
      seed = (seed * 1103515245 + 12345) % 2 ** 31;
      const dice = (seed >> 8) % 12;
      if (dice === 0) setImmediate(() => daemon.crash());
      return dice === 0
        ? {}
        : dice === 1
          ? { status: 500 }
          : dice === 2
            ? { afterwards: true }
            : undefined;
    };
    await upload(options({ retries: 15 }));
    expectStored();
  }, 60_000);
});

describe('a transfer', () => {
  it('that the service paused goes on by itself', async () => {
    let paused = false;
    daemon.fault = ({ method }) => {
      if (paused || method !== 'PUT' || daemon.count('PUT') < 10) return undefined;
      paused = true;
      service.pauseBySystem();
      return undefined;
    };
    await upload(options());
    expectStored();
    expect(service.calls).toContain('resume /imagetransfers/{imagetransfer}/resume');
    expect(service.transfers.size).toBe(1);
  });

  it('that somebody paused stays paused, and can be resumed', async () => {
    let paused = false;
    daemon.fault = ({ method }) => {
      if (paused || method !== 'PUT' || daemon.count('PUT') < 10) return undefined;
      paused = true;
      service.pauseBySystem();
      service.transfer['phase'] = 'paused_user';
      return undefined;
    };
    const { cause, left } = await failure();
    expect(cause).toMatchObject({ code: 'transfer_paused' });
    expect(left).toMatchObject({ resumable: true, paused: true });
    daemon.fault = () => undefined;
    await upload(options({ into: { resume: journal() } }));
    expectStored();
  });

  it('that the service ended is over', async () => {
    daemon.fault = ({ method }) => {
      if (method === 'PUT' && daemon.count('PUT') >= 5) {
        service.pauseBySystem();
        service.transfer['phase'] = 'cancelled_system';
        for (const disk of service.disks.values()) disk['status'] = 'illegal';
      }
      return undefined;
    };
    const { cause, left } = await failure();
    expect(cause).toMatchObject({ code: 'transfer_failed' });
    expect(left).toMatchObject({ resumable: false, diskRemoved: true });
    expect(service.disks.size).toBe(0);
    expect(leftJournals()).toEqual([]);
  });
});

describe('what fails for good', () => {
  it.each([
    ['a refusal', () => ({ status: 400 }), 'daemon_refused'],
    ['a broken image daemon', () => ({ status: 416 }), 'daemon_refused'],
  ])('leaves no disk: %s', async (_, fault, code) => {
    daemon.fault = ({ method }) => (method === 'PUT' ? fault() : undefined);
    const { cause, left } = await failure();
    expect(cause).toMatchObject({ code });
    expect(left).toMatchObject({ resumable: false, diskRemoved: true });
    expect(service.disks.size).toBe(0);
    expect(service.transfer['phase']).toBe('finished_cleanup');
    expect(leftJournals()).toEqual([]);
  });

  it('leaves an existing disk, and says that it is spoilt', async () => {
    const disk = service.addDisk({ name: 'old', format: 'raw', provisioned_size: size });
    daemon.fault = ({ method }) => (method === 'PUT' ? { status: 400 } : undefined);
    const { left } = await failure({ into: { disk } });
    expect(left).toMatchObject({ resumable: false, diskSpoilt: true });
    expect(service.disks.size).toBe(1);
  });

  it('includes content that the daemon did not store', async () => {
    let spoilt = false;
    daemon.fault = ({ what }) => {
      if (what === 'checksum' && !spoilt) {
        spoilt = true;
        daemon.current.writeUInt8(daemon.current.readUInt8(1000) ^ 1, 1000);
      }
      return undefined;
    };
    const { cause, left } = await failure();
    expect(cause).toMatchObject({ code: 'checksum_mismatch' });
    expect(left.diskRemoved).toBe(true);
    expect(service.calls).not.toContain('finalize /imagetransfers/{imagetransfer}/finalize');
    spoilt = false;
    await upload(options({ verify: false }));
  });

  it('includes a file that changes meanwhile', async () => {
    daemon.fault = ({ method }) => {
      if (method === 'PUT' && daemon.count('PUT') >= 5) writeFileSync(file, 'x', { flag: 'r+' });
      return undefined;
    };
    expect((await failure()).cause).toMatchObject({ code: 'source_changed' });
    truncateSync(file, size);
  });

  it('includes a file that becomes shorter', async () => {
    daemon.fault = ({ method }) => {
      if (method === 'PUT' && daemon.count('PUT') >= 5) truncateSync(file, 100);
      return undefined;
    };
    expect((await failure()).cause).toMatchObject({ code: 'source_changed' });
  });

  it('includes an image that the service does not accept', async () => {
    service.verdict = 'finished_failure';
    const { cause, left } = await failure();
    expect(cause).toMatchObject({ code: 'transfer_failed' });
    expect(left.diskRemoved).toBe(true);
  });
});

describe('what may pass', () => {
  it('is kept when the daemon stays away', async () => {
    daemon.fault = () => (daemon.count('PUT') > 16 ? {} : undefined);
    const { cause, left } = await failure({ retries: 0 });
    expect(cause).toMatchObject({ code: 'connection_lost' });
    expect(left).toMatchObject({ resumable: true, paused: true });
    expect(service.transfer['phase']).toBe('paused_user');
    const before = journal();
    expect(before.done.ranges.length).toBeGreaterThan(0);
    before.close();
    daemon.fault = () => undefined;
    daemon.asked.length = 0;
    await upload(options({ into: { resume: journal() } }));
    expectStored();
    const done = before.done.ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
    expect(daemon.count('PUT')).toBe(blocks - done);
    expect(leftJournals()).toEqual([]);
  });

  it('is kept when the user interrupts it', async () => {
    daemon.fault = () => {
      if (daemon.count('PUT') >= 15) stop.abort(new InterruptedError('SIGINT'));
      return undefined;
    };
    const { cause, left } = await failure();
    daemon.fault = () => undefined;
    expect(cause).toBe(stop.signal.reason);
    expect(left).toMatchObject({ resumable: true, paused: true });
    stop = new AbortController();
    await upload(options({ into: { resume: journal() } }));
    expectStored();
  });

  it('is not kept when nothing was sent yet', async () => {
    service.before = (call) => {
      if (call === 'add /imagetransfers') stop.abort(new InterruptedError('SIGTERM'));
    };
    const { left } = await failure();
    expect(left).toMatchObject({ resumable: false, diskRemoved: true });
    expect(service.disks.size).toBe(0);
  });

  it('is told apart from nothing at all', async () => {
    service.before = () => {
      throw away();
    };
    await expect(upload(options())).rejects.toMatchObject({ code: 'unreachable' });
  });

  it('includes an answer to finalize that was lost', async () => {
    let lost = 0;
    service.before = (call) => {
      if (!call.startsWith('finalize') || lost > 0) return;
      lost += 1;
      throw away();
    };
    await upload(options());
    expectStored();
    expect(service.calls.filter((call) => call.startsWith('finalize'))).toHaveLength(2);
  });

  it('goes on where the end of the transfer was not seen', async () => {
    service.before = (call) => {
      if (
        call === 'get /imagetransfers/{imagetransfer}' &&
        service.transfer['phase'] === 'finished_success'
      ) {
        stop.abort(new InterruptedError('SIGINT'));
        throw stop.signal.reason;
      }
    };
    expect((await failure()).left.resumable).toBe(true);
    service.before = () => {};
    stop = new AbortController();
    const disk = await upload(options({ into: { resume: journal() } }));
    expect(disk['status']).toBe('ok');
    expect(service.transfers.size).toBe(1);
    expect(leftJournals()).toEqual([]);
  });

  it('cannot go on with a disk that is gone', async () => {
    daemon.fault = () => (daemon.count('PUT') > 16 ? {} : undefined);
    await failure({ retries: 0 });
    service.disks.clear();
    await expect(upload(options({ into: { resume: journal() } }))).rejects.toMatchObject({
      code: 'disk_gone',
    });
    expect(leftJournals()).toEqual([]);
  });
});

it('keeps journals small', async () => {
  daemon.fault = () => (daemon.count('PUT') > 17 ? {} : undefined);
  await failure({ retries: 0 });
  const { path } = journal();
  expect(statSync(path).size).toBeLessThan(4000);
  expect(readFileSync(path, 'utf8')).not.toContain('/images/');
});
