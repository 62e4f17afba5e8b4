/**
 * CPU time of a download: the connections for ranges compared with undici, over TLS and over the
 * socket on this computer. Both receive the image into one buffer.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { Pool } from 'undici';
import { RangePool } from '../src/transfer/range-pool.ts';
import { MiB, makeImage } from '../test/transfer/support/images.ts';
import { ImageSite, type Way } from './support/image-site.ts';
import { pairRow, takeTurns, type Work } from './support/rounds.ts';
import { run } from './support/run.ts';
import { answer, quick, roundsOr } from './support/settings.ts';
import { vmctl } from './support/site.ts';

const size = quick ? 16 * MiB : 1024 * MiB;
/** Bytes of a range, as in downloads. */
const piece = 4 * MiB;
const buffer = Buffer.alloc(piece);
const { signal } = new AbortController();

/** Requests one range into the buffer. */
type Get = (first: number, last: number) => Promise<void>;

/** CPU seconds of this process for all ranges of the image. */
async function measure(get: Get): Promise<number> {
  const start = process.cpuUsage();
  for (let first = 0; first < size; first += piece) await get(first, first + piece - 1);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

function createWorks(site: ImageSite, url: URL, way: Way): [string, Work<number>][] {
  const { origin, pathname: path } = url;
  const ca = readFileSync(site.caFile, 'utf8');
  const socketPath = way === 'unix' ? { socketPath: site.socket } : {};
  const ranges = new RangePool();
  const pool = new Pool(way === 'unix' ? 'http://localhost' : origin, {
    ...(way === 'unix' ? socketPath : { connect: { ca } }),
    connections: 1,
  });
  const getRange: Get = async (first, last) => {
    const request = { path, first, last, buffer, signal };
    const { status } = await ranges.get({ origin, trust: { ca }, ...socketPath }, request);
    if (status !== 206) throw new Error(`status ${status}`);
  };
  const getPlainly: Get = async (first, last) => {
    const headers = { Range: `bytes=${first}-${last}` };
    let filled = 0;
    let status = 0;
    await pool.stream({ path, method: 'GET', headers }, ({ statusCode }) => {
      status = statusCode;
      return new Writable({
        write(chunk: Buffer, _encoding, done) {
          filled += chunk.copy(buffer, filled);
          done();
        },
      });
    });
    if (status !== 206 || filled !== piece) throw new Error(`status ${status}`);
  };
  return [
    [`ranges, ${way}`, () => measure(getRange)],
    [`undici, ${way}`, () => measure(getPlainly)],
  ];
}

const folder = mkdtempSync(join(tmpdir(), 'vmctl-bench-'));
try {
  const site = await ImageSite.start(join(folder, 'site'));
  try {
    const file = join(folder, 'source.raw');
    makeImage(file, size);
    const upload = ['disks', 'upload', file, '--name', 'source', '--storage-domain', 'data1'];
    await run([process.execPath, vmctl, ...upload], site.env);
    const open = await site.begin(await site.diskNamed('source'), 'download');
    const ways: readonly Way[] = ['TLS', 'unix'];
    const works = ways.flatMap((way) => createWorks(site, new URL(open.url), way));
    const turns = await takeTurns(new Map(works), roundsOr(5));
    const rows = ways.flatMap((way) => {
      const names = { name: `download of ranges, ${way}`, ours: `ranges, ${way}` };
      const pair = {
        ...names,
        peer: `undici, ${way}`,
        reach: null,
        direction: 'at least',
      } as const;
      return pairRow(turns, pair, 'GiB/CPU-s', (cpu) => size / 2 ** 30 / cpu) ?? [];
    });
    answer(rows);
    await site.finalize(open);
  } finally {
    await site.stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit();
