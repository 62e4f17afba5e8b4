/** Uploads with failures of the daemon and the service. */
import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InterruptedError } from '../../src/client/errors.ts';
import { BLOCK, blockRange } from '../../src/transfer/blocks.ts';
import { BlockHashes } from '../../src/transfer/checksum.ts';
import { type Journal, upload } from '../../src/transfer/index.ts';
import { away } from './support/fake-service.ts';
import { blocks, size, UploadBench } from './support/upload-bench.ts';

let bench: UploadBench;

beforeEach(async () => {
  bench = await UploadBench.make();
});

afterEach(() => bench.remove());

describe('a daemon that crashes', () => {
  it.each([3, 9, 15, 18])('at request %i loses no required data', async (moment) => {
    let crashed = false;
    bench.daemon.fault = ({ method }) => {
      if (crashed || method !== 'PUT' || bench.daemon.count('PUT') < moment) return undefined;
      crashed = true;
      setImmediate(() => bench.daemon.crash());
      return {};
    };
    await upload(bench.options());
    bench.expectStored();
    expect(bench.events.at(-1)?.transferred).toBe(size);
  });

  it('during a flush receives the data of the flush again', async () => {
    let crashed = false;
    bench.daemon.fault = ({ method }) => {
      if (crashed || method !== 'PATCH') return undefined;
      crashed = true;
      bench.daemon.crash();
      return {};
    };
    await upload(bench.options());
    bench.expectStored();
  });

  it('repeatedly is tolerated', async () => {
    let seed = 7;
    bench.daemon.fault = () => {
      seed = (seed * 1103515245 + 12345) % 2 ** 31;
      const dice = (seed >> 8) % 12;
      if (dice === 0) setImmediate(() => bench.daemon.crash());
      return dice === 0
        ? {}
        : dice === 1
          ? { status: 500 }
          : dice === 2
            ? { afterwards: true }
            : undefined;
    };
    await upload(bench.options({ retries: 15 }));
    bench.expectStored();
  });
});

describe('a transfer', () => {
  it('that the service paused continues automatically', async () => {
    let paused = false;
    bench.daemon.fault = ({ method }) => {
      if (paused || method !== 'PUT' || bench.daemon.count('PUT') < 10) return undefined;
      paused = true;
      bench.service.pauseBySystem();
      return undefined;
    };
    await upload(bench.options());
    bench.expectStored();
    expect(bench.service.calls).toContain('resume /imagetransfers/{imagetransfer}/resume');
    expect(bench.service.transfers.size).toBe(1);
  });

  it('that a user paused remains paused, and can be resumed', async () => {
    let paused = false;
    bench.daemon.fault = ({ method }) => {
      if (paused || method !== 'PUT' || bench.daemon.count('PUT') < 10) return undefined;
      paused = true;
      bench.service.pauseBySystem();
      bench.service.transfer['phase'] = 'paused_user';
      return undefined;
    };
    const { cause, remainder } = await bench.failure();
    expect(cause).toMatchObject({
      message: 'the transfer was paused by another client',
      code: 'transfer_paused',
    });
    expect(remainder).toMatchObject({ resumable: true, paused: true });
    await bench.resume();
    bench.expectStored();
  });

  it('that the service ended is over', async () => {
    bench.daemon.fault = ({ method }) => {
      if (method === 'PUT' && bench.daemon.count('PUT') >= 5) {
        bench.service.pauseBySystem();
        bench.service.transfer['phase'] = 'cancelled_system';
        for (const disk of bench.service.disks.values()) disk['status'] = 'illegal';
      }
      return undefined;
    };
    const { cause, remainder } = await bench.failure();
    expect(cause).toMatchObject({ code: 'transfer_failed' });
    expect(remainder).toMatchObject({ resumable: false, diskRemoved: true });
    expect(bench.service.disks.size).toBe(0);
    expect(bench.journals()).toEqual([]);
  });
});

describe('a permanent failure', () => {
  it.each([
    ['a refusal', () => ({ status: 400 }), 'daemon_refused'],
    ['a broken image daemon', () => ({ status: 416 }), 'daemon_refused'],
  ])('leaves no disk: %s', async (_, fault, code) => {
    bench.daemon.fault = ({ method }) => (method === 'PUT' ? fault() : undefined);
    const { cause, remainder } = await bench.failure();
    expect(cause).toMatchObject({ code });
    expect(remainder).toMatchObject({ resumable: false, diskRemoved: true });
    expect(bench.service.disks.size).toBe(0);
    expect(bench.service.transfer['phase']).toBe('finished_cleanup');
    expect(bench.journals()).toEqual([]);
  });

  it('leaves an existing disk, and reports that it is corrupted', async () => {
    const disk = bench.service.addDisk({ name: 'old', format: 'raw', provisioned_size: size });
    bench.daemon.fault = ({ method }) => (method === 'PUT' ? { status: 400 } : undefined);
    const { remainder } = await bench.failure({ into: { disk } });
    expect(remainder).toMatchObject({ resumable: false, diskCorrupted: true });
    expect(bench.service.disks.size).toBe(1);
  });

  it('includes content that the daemon did not store', async () => {
    let spoilt = false;
    bench.daemon.fault = ({ what }) => {
      if (what === 'checksum' && !spoilt) {
        spoilt = true;
        bench.daemon.current.writeUInt8(bench.daemon.current.readUInt8(1000) ^ 1, 1000);
      }
      return undefined;
    };
    const { cause, remainder } = await bench.failure();
    expect(cause).toMatchObject({ code: 'checksum_mismatch' });
    expect(remainder.diskRemoved).toBe(true);
    expect(bench.service.calls).not.toContain('finalize /imagetransfers/{imagetransfer}/finalize');
    spoilt = false;
    await upload(bench.options({ verify: false }));
  });

  it('includes a file that changes during the upload', async () => {
    bench.daemon.fault = ({ method }) => {
      if (method === 'PUT' && bench.daemon.count('PUT') >= 5)
        writeFileSync(bench.file, 'x', { flag: 'r+' });
      return undefined;
    };
    expect((await bench.failure()).cause).toMatchObject({ code: 'source_changed' });
    truncateSync(bench.file, size);
  });

  it('includes a file that becomes shorter', async () => {
    bench.daemon.fault = ({ method }) => {
      if (method === 'PUT' && bench.daemon.count('PUT') >= 5) truncateSync(bench.file, 100);
      return undefined;
    };
    expect((await bench.failure()).cause).toMatchObject({ code: 'source_changed' });
  });

  it('includes an image that the service does not accept', async () => {
    bench.service.verdict = 'finished_failure';
    const { cause, remainder } = await bench.failure();
    expect(cause).toMatchObject({ code: 'transfer_failed' });
    expect(remainder.diskRemoved).toBe(true);
  });
});

describe('a temporary failure', () => {
  it('keeps the upload if the daemon remains unavailable', async () => {
    bench.daemon.fault = () => (bench.daemon.count('PUT') > 16 ? {} : undefined);
    const { cause, remainder } = await bench.failure({ retries: 0 });
    expect(cause).toMatchObject({ code: 'connection_lost' });
    expect(remainder).toMatchObject({ resumable: true, paused: true });
    expect(bench.service.transfer['phase']).toBe('paused_user');
    const before = bench.journal();
    expect(before.done.count).toBeGreaterThan(0);
    before.close();
    bench.daemon.fault = () => undefined;
    bench.daemon.asked.length = 0;
    await upload(bench.options({ into: { resume: bench.journal() } }));
    bench.expectStored();
    const done = before.done.total;
    expect(bench.daemon.count('PUT')).toBe(blocks - done);
    expect(bench.journals()).toEqual([]);
  });

  describe('continues with the algorithm of its hashes, with any processor,', () => {
    beforeEach(async () => {
      bench.daemon.fault = () => (bench.daemon.count('PUT') > 16 ? {} : undefined);
      await bench.failure({ retries: 0 });
      bench.daemon.fault = () => undefined;
      await hashAnew(bench.journal());
    });

    it('and is verified with it', async () => {
      await bench.resume();
      bench.expectStored();
      expect(bench.notes).toEqual([]);
    });

    it('and detects different stored content', async () => {
      const journal = bench.journal();
      const [first] = [...journal.done];
      journal.close();
      const at = (first?.start ?? 0) * BLOCK;
      bench.daemon.current.writeUInt8(bench.daemon.current.readUInt8(at) ^ 1, at);
      const { cause } = await bench.failure({ into: { resume: bench.journal() } });
      expect(cause).toMatchObject({
        code: 'checksum_mismatch',
        message: expect.stringContaining('checksum (xxh128) '),
      });
    });
  });

  it('keeps the upload if the user interrupts it', async () => {
    bench.daemon.fault = () => {
      if (bench.daemon.count('PUT') > 16) bench.stop.abort(new InterruptedError('SIGINT'));
      return undefined;
    };
    const { cause, remainder } = await bench.failure();
    bench.daemon.fault = () => undefined;
    expect(cause).toBe(bench.stop.signal.reason);
    expect(remainder).toMatchObject({ resumable: true, paused: true });
    bench.stop = new AbortController();
    await upload(bench.options({ into: { resume: bench.journal() } }));
    bench.expectStored();
  });

  it('removes the upload if no data were sent', async () => {
    bench.service.before = (call) => {
      if (call === 'add /imagetransfers') bench.stop.abort(new InterruptedError('SIGTERM'));
    };
    const { remainder } = await bench.failure();
    expect(remainder).toMatchObject({ resumable: false, diskRemoved: true });
    expect(bench.service.disks.size).toBe(0);
  });

  it('of an unavailable service is distinguished from an absent disk', async () => {
    bench.service.before = () => {
      throw away();
    };
    await expect(upload(bench.options())).rejects.toMatchObject({ code: 'unreachable' });
  });

  it('includes a lost response to finalize', async () => {
    let lost = 0;
    bench.service.before = (call) => {
      if (!call.startsWith('finalize') || lost > 0) return;
      lost += 1;
      throw away();
    };
    await upload(bench.options());
    bench.expectStored();
    expect(bench.service.calls.filter((call) => call.startsWith('finalize'))).toHaveLength(2);
  });

  it('continues if the end of the transfer was not observed', async () => {
    bench.service.before = (call) => {
      if (
        call === 'get /imagetransfers/{imagetransfer}' &&
        bench.service.transfer['phase'] === 'finished_success'
      ) {
        bench.stop.abort(new InterruptedError('SIGINT'));
        throw bench.stop.signal.reason;
      }
    };
    expect((await bench.failure()).remainder.resumable).toBe(true);
    bench.service.before = () => {};
    bench.stop = new AbortController();
    const disk = await upload(bench.options({ into: { resume: bench.journal() } }));
    expect(disk['status']).toBe('ok');
    expect(bench.service.transfers.size).toBe(1);
    expect(bench.journals()).toEqual([]);
  });

  it('cannot continue with a deleted disk', async () => {
    bench.daemon.fault = () => (bench.daemon.count('PUT') > 16 ? {} : undefined);
    await bench.failure({ retries: 0 });
    bench.service.disks.clear();
    await expect(
      upload(bench.options({ into: { resume: bench.journal() } })),
    ).rejects.toMatchObject({
      code: 'disk_gone',
    });
    expect(bench.journals()).toEqual([]);
  });
});

it('keeps journals small', async () => {
  bench.daemon.fault = () => (bench.daemon.count('PUT') > 17 ? {} : undefined);
  await bench.failure({ retries: 0 });
  const { path } = bench.journal();
  expect(statSync(path).size).toBeLessThan(4000);
  expect(readFileSync(path, 'utf8')).not.toContain('/images/');
});

/** Replaces the hashes of a journal by those for processors without SHA-256 instructions. */
async function hashAnew(journal: Journal): Promise<void> {
  const hashes = new BlockHashes('xxh128');
  const image = readFileSync(journal.header.file);
  const entries: object[] = [journal.header, { transfer: journal.transfer }];
  entries.push({ algorithm: hashes.algorithm });
  for (const { start, end } of journal.done) {
    for (let block = start; block < end; block += 1) {
      const range = blockRange(block, journal.header.size);
      const bytes = Buffer.alloc(range.end - range.start);
      image.copy(bytes, 0, range.start);
      const digest = Buffer.from(await hashes.hash(bytes)).toString('base64');
      entries.push({ blocks: [[block, block]], hashes: digest });
    }
  }
  expect(entries.length).toBeGreaterThan(3);
  journal.close();
  writeFileSync(journal.path, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
}
