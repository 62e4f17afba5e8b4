/**
 * A disk of 1 TiB with little data: only the data are read, sent, fetched and written. Memory is
 * measured, in a separate process.
 */
import { closeSync, mkdtempSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BLOCK } from '../../src/transfer/blocks.ts';
import { download, FileSource, type Source, upload } from '../../src/transfer/index.ts';
import { FakeService } from './support/fake-service.ts';
import { allocated, MiB, makeImage } from './support/images.ts';
import { SparseDaemon } from './support/sparse-daemon.ts';

const size = 2 ** 40;
const count = 64;
const length = 256 * 2 ** 10;
const grain = 65_536;
/** From the first to the last bytes, aligned to pages but not to blocks. */
const runs = Array.from({ length: count }, (_, index): [number, number] => [
  Math.floor((index * (size - length)) / (count - 1) / grain) * grain,
  length,
]);

let folder: string;
let file: string;
let daemon: SparseDaemon;
let service: FakeService;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-huge-'));
  file = join(folder, 'image');
  daemon = await SparseDaemon.start(size);
  service = await FakeService.start(daemon);
});

afterEach(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Reason why this computer cannot use such a file. `undefined` if it can. */
async function cannot(): Promise<string | undefined> {
  try {
    makeImage(file, size, runs);
  } catch {
    return 'cannot create a file of 1 TiB';
  }
  const source = await FileSource.open(file);
  try {
    let holes = 0;
    for await (const { zero } of await source.extents()) holes += zero ? 1 : 0;
    return holes === 0 ? 'holes are not supported' : undefined;
  } finally {
    await source.close();
  }
}

/** Counts the bytes that are read from a source. */
function counting(source: FileSource): { source: Source; read: () => number } {
  let bytes = 0;
  const counted = new Proxy<Source>(source, {
    get: (target, name) => {
      if (name === 'read') {
        return async (...[range, buffer]: Parameters<Source['read']>) => {
          bytes += range.end - range.start;
          await target.read(range, buffer);
        };
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { source: counted, read: () => bytes };
}

const common = () => ({
  client: service.client,
  server: 'https://service',
  journals: join(folder, 'journals'),
  parallel: 4,
  verify: true,
  retries: 0,
  signal: new AbortController().signal,
});

const data = count * length;

function bytesAt(path: string, [offset, bytes]: readonly [number, number]): Buffer {
  const descriptor = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(bytes);
    readSync(descriptor, buffer, 0, bytes, offset);
    return buffer;
  } finally {
    closeSync(descriptor);
  }
}

it('uploads and downloads only the data', async (context) => {
  const why = await cannot();
  if (why !== undefined) context.skip(why);
  const before = process.memoryUsage().rss;
  let most = before;
  const onEvent = () => {
    most = Math.max(most, process.memoryUsage.rss());
  };
  const { source, read } = counting(await FileSource.open(file));
  const into = { add: { name: 'huge', storageDomain: 'domain', onBlockStorage: false } };
  const disk = await upload({ ...common(), source, into, onEvent });
  await source.close();
  // A run that crosses a block boundary needs two requests.
  const crossing = runs.filter(([start]) => (start % BLOCK) + length > BLOCK).length;
  expect(read()).toBe(data);
  expect(daemon.received).toBe(data);
  expect(daemon.counts.get('PUT')).toBe(count + crossing);
  const flushes = daemon.counts.get('PATCH') ?? 0;
  expect(flushes).toBeLessThanOrEqual(1 + Math.ceil(((count + crossing) * BLOCK) / (32 * MiB)));

  const copy = join(folder, 'copy');
  const options = { ...common(), disk, file: copy, force: false, keepPartial: true, onEvent };
  const done = await download(options);
  expect(done).toMatchObject({ size, transferred: data, skipped: size - data, verified: true });
  expect(daemon.sent).toBe(data);
  expect(daemon.counts.get('GET')).toBe(count + crossing);
  expect(statSync(copy).size).toBe(size);
  expect(allocated(copy)).toBeLessThanOrEqual(2 * data);
  for (const run of runs) expect(bytesAt(copy, run).equals(bytesAt(file, run))).toBe(true);
  // At most 64 MiB are pending. Holes would add terabytes.
  expect((most - before) / MiB).toBeLessThan(250);
});

it('zeroes the remainder in a few requests if it had other content', async (context) => {
  const why = await cannot();
  if (why !== undefined) context.skip(why);
  const disk = service.addDisk({ name: 'old', format: 'raw', provisioned_size: size });
  const source = await FileSource.open(file);
  await upload({ ...common(), source, into: { disk }, verify: false });
  await source.close();
  const blocks = new Set(
    runs.flatMap(([start]) => [start, start + length - 1].map((at) => Math.floor(at / BLOCK))),
  );
  // A block with data is sent completely, because its other content is unknown.
  expect(daemon.received).toBeLessThanOrEqual(blocks.size * BLOCK);
  expect(daemon.counts.get('PUT')).toBe(blocks.size);
  const steps = size / 2 ** 30 + blocks.size;
  expect(daemon.counts.get('PATCH')).toBeLessThanOrEqual(steps + 64);
});
