/** Uploads to various daemons and services. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BLOCK, WINDOW } from '../../src/transfer/blocks.ts';
import { upload } from '../../src/transfer/index.ts';
import { MiB } from './support/images.ts';
import { blocks, newDisk, size, UploadBench } from './support/upload-bench.ts';

let bench: UploadBench;

beforeEach(async () => {
  bench = await UploadBench.make();
});

afterEach(() => bench.remove());

describe('an upload', () => {
  it('ends with a disk, and leaves no other object', async () => {
    const disk = await upload(bench.options());
    expect(disk).toMatchObject({ name: 'new', status: 'ok', format: 'raw', sparse: true });
    bench.expectStored();
    expect(bench.journals()).toEqual([]);
    expect(bench.notes).toEqual([]);
    expect([...new Set(bench.events.map(({ phase }) => phase))]).toEqual([
      'preparing',
      'copying',
      'verifying',
      'finalizing',
      'done',
    ]);
    expect(bench.events.at(-1)).toEqual({
      phase: 'done',
      transferred: size,
      resumed: 0,
      skipped: 0,
      total: size,
    });
    expect(bench.daemon.mostUnflushed).toBeLessThanOrEqual(WINDOW);
  });

  it('sends only data, without zeros', async () => {
    await bench.image(size, [[3 * BLOCK + 1000, 5000]]);
    await upload(bench.options());
    bench.expectStored();
    expect(bench.daemon.count('PUT')).toBe(1);
    const { transferred = 0, skipped = 0 } = bench.events.at(-1) ?? {};
    expect(transferred + skipped).toBe(size);
    expect(transferred).toBeLessThan(MiB);
  });

  it('sends the algorithm of the later checksum with every complete block', async () => {
    await bench.image(size, [
      [0, 2 * BLOCK],
      [3 * BLOCK, 5000],
    ]);
    await upload(bench.options());
    const sent = bench.daemon.asked.filter(({ method }) => method === 'PUT');
    const algorithmsByRange = new Map(sent.map(({ range, algorithm }) => [range, algorithm]));
    expect(algorithmsByRange.size).toBe(3);
    expect(algorithmsByRange.get(`bytes 0-${BLOCK - 1}/*`)).toBe('sha256');
    expect(algorithmsByRange.get(`bytes ${BLOCK}-${2 * BLOCK - 1}/*`)).toBe('sha256');
    const named = sent.filter(({ algorithm }) => algorithm !== undefined);
    expect(named).toHaveLength(2);
  });

  it('sends no algorithm without verification', async () => {
    await upload(bench.options({ verify: false }));
    const sent = bench.daemon.asked.filter(({ method }) => method === 'PUT');
    expect(sent).toHaveLength(blocks);
    expect(sent.every(({ algorithm }) => algorithm === undefined)).toBe(true);
  });

  it('zeroes earlier content of an existing disk', async () => {
    bench.fillWithOldData();
    await bench.image(size - 3 * BLOCK, [[3 * BLOCK + 1000, 5000]]);
    const disk = bench.service.addDisk({ name: 'old', format: 'raw', provisioned_size: size });
    await upload(bench.options({ into: { disk } }));
    bench.expectStored();
  });

  it('writes zeros on block storage, which has unknown content', async () => {
    bench.fillWithOldData();
    await bench.image(size, [[BLOCK, 100]]);
    const disk = await upload(
      bench.options({ into: { add: { ...newDisk.add, onBlockStorage: true } } }),
    );
    expect(disk['sparse']).toBe(false);
    bench.expectStored();
  });

  it.each([
    ['no features', []],
    ['no flush', ['zero', 'extents', 'checksum']],
    ['no zero', ['flush', 'extents', 'checksum']],
  ])('works with a daemon that supports %s', async (_, features) => {
    bench.daemon.features = features;
    bench.fillWithOldData();
    const disk = bench.service.addDisk({ name: 'old', format: 'raw', provisioned_size: size });
    await bench.image(size, [[BLOCK, 6 * BLOCK + 10]]);
    await upload(bench.options({ into: { disk } }));
    bench.expectStored();
    if (features.length === 0)
      expect(bench.notes).toEqual([expect.stringContaining('not verified')]);
  });

  it('uses the proxy without a direct connection', async () => {
    bench.service.directUrl = 'http://127.0.0.1:9/images/x';
    await upload(bench.options());
    bench.expectStored();
  });

  it('uses the local socket of a daemon on this computer', async () => {
    await bench.daemon.listenOn(join(bench.folder, 'socket'));
    await upload(bench.options());
    bench.expectStored();
    expect(bench.daemon.locally).toBeGreaterThan(blocks);
  });

  it.each(['before it is used', 'while it is used'])(
    'works without the local socket if it goes %s',
    async (when) => {
      await bench.daemon.listenOn(join(bench.folder, 'socket'));
      if (when === 'before it is used') bench.daemon.leaveSocket();
      bench.daemon.fault = () => {
        if (bench.daemon.count('PUT') >= 6) setImmediate(() => bench.daemon.leaveSocket());
        return undefined;
      };
      await upload(bench.options());
      bench.expectStored();
      expect(bench.daemon.asked.length).toBeGreaterThan(bench.daemon.locally + 2);
    },
  );

  it('respects the maximum writers of the daemon', async () => {
    bench.daemon.maxWriters = 1;
    let busy = 0;
    let most = 0;
    bench.daemon.fault = ({ method }) => {
      if (method !== 'PUT') return undefined;
      busy += 1;
      most = Math.max(most, busy);
      setImmediate(() => {
        busy -= 1;
      });
      return undefined;
    };
    await upload(bench.options());
    expect(most).toBe(1);
  });
});
