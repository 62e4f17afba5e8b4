/**
 * Speed of image transfers: the image daemon and vmctl compared with curl, nbdcopy, a plain Node
 * server, and the reference daemon with its client, in turn on one computer, with a half-sparse
 * image. `--size 1GiB` selects a smaller size than 4 GiB. `--only download,curl` selects works with
 * one of these words in their names, or `huge`, or `API`.
 */
import { mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MiB, makeImage } from '../test/transfer/support/images.ts';
import { createRow, missingRow, type Row } from './report/row.ts';
import { hugeDisk } from './support/huge-disk.ts';
import { ImageSite } from './support/image-site.ts';
import { percentile99 } from './support/latency.ts';
import { playPart, startPlain } from './support/plain-server.ts';
import { Reference } from './support/reference.ts';
import { takeTurns } from './support/rounds.ts';
import { isThere, readPeakMemory, run } from './support/run.ts';
import { answer, size as asked, only, quick, roundsOr } from './support/settings.ts';
import { vmctl } from './support/site.ts';
import { createTransferRows } from './support/transfer-rows.ts';
import { createWorks, fetchedInParts, plainTarget, type Stage } from './support/transfer-works.ts';

const words = process.argv.slice(2);
const rounds = roundsOr(5);
const size = quick ? 64 * MiB : (asked ?? 4096 * MiB);

/** Folder in memory if the image fits several times, otherwise a temporary folder. */
function fastFolder(): string {
  const free = (path: string) => {
    try {
      const { bavail, bsize } = statfsSync(path);
      return bavail * bsize;
    } catch {
      return 0;
    }
  };
  const inMemory = free('/dev/shm') > 4 * size && available() > 4 * size;
  return mkdtempSync(join(inMemory ? '/dev/shm' : tmpdir(), 'vmctl-bench-'));
}

/** Free memory in bytes. */
function available(): number {
  try {
    return (
      Number(/^MemAvailable:\s*(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1]) * 1024
    );
  } catch {
    return 0;
  }
}

/** Alternating data and holes of equal length. */
function selectHalf(bytes: number): [number, number][] {
  const run = Math.min(64 * MiB, bytes / 8);
  return Array.from({ length: bytes / run / 2 }, (_, index) => [2 * index * run, run]);
}

async function measure(folder: string, site: ImageSite): Promise<Row[]> {
  const [file, data] = [join(folder, 'source.raw'), join(folder, 'data.raw')];
  makeImage(file, size, selectHalf(size));
  makeImage(data, size / 2);
  const parts = Array.from({ length: 16 }, (_, part) => join(folder, `part-${part}.raw`));
  for (const part of parts) makeImage(part, size / parts.length, selectHalf(size / parts.length));
  const target = plainTarget({ folder });
  const tls = join(folder, 'site/tls');
  const keys = { key: join(tls, 'server.key'), cert: join(tls, 'server.pem') };
  const plain = {
    TLS: await startPlain(file, target, keys),
    unix: await startPlain(file, target, { path: join(folder, 'plain.sock') }),
  };
  const files = { source: file, target, size };
  const reference = await Reference.start(folder, { ...keys, ca: site.caFile }, files);
  try {
    const source = ['disks', 'upload', file, '--name', 'source', '--storage-domain', 'data1'];
    await run([process.execPath, vmctl, ...source], site.env);
    const stage: Stage = { site, folder, file, size, data, parts, plain, reference };
    const { works, missing } = createWorks(stage);
    const isChosen = (name: string) => !only || only.some((word) => name.includes(word));
    for (const name of [...works.keys()]) if (!isChosen(name)) works.delete(name);
    const turns = await takeTurns(works, rounds);
    const rows = createTransferRows(turns, missing, size, isChosen);
    return isChosen('API') ? [...rows, await patience(stage)] : rows;
  } finally {
    await reference?.stop();
    await Promise.all(Object.values(plain).map((server) => server.stop()));
    for (const path of [file, data, ...parts]) rmSync(path);
    await site.removeDisk(await site.diskNamed('source'));
  }
}

/** Latency of the API during transfers. */
async function patience(stage: Stage): Promise<Row> {
  const { site } = stage;
  const common = { name: 'API p99, 16 transfers at once', beside: 'idle', unit: 'ms', reach: 2 };
  const direction = 'at most';
  if (!isThere('curl')) return missingRow({ ...common, direction }, 'curl is not installed');
  const path = `/disks/${await site.diskNamed('source')}`;
  const request = () => site.api('GET', path);
  const requests = quick ? 20 : 1000;
  await percentile99(request, requests);
  const [idle, busy]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    idle.push(await percentile99(request, requests));
    busy.push(await percentile99(request, requests, () => fetchedInParts(stage, 'TLS')));
  }
  return createRow({ ...common, ours: busy, peer: idle, direction });
}

if (!(await playPart(words))) {
  const folder = fastFolder();
  try {
    const site = await ImageSite.start(join(folder, 'site'));
    try {
      const rows = String(only) === 'huge' ? [] : await measure(folder, site);
      if (!only || only.includes('huge')) rows.push(...(await hugeDisk(folder, site, size)));
      rows.push(
        createRow({
          ...{ name: 'memory of the daemon at most', unit: 'MiB', reach: 250 },
          ...{ ours: [readPeakMemory(site.pid)], direction: 'at most' },
        }),
      );
      answer(rows);
    } finally {
      await site.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
