/**
 * How fast images are moved: the image daemon and our client beside curl, cp, nbdcopy and a plain
 * Node server, all in turn on one machine, with a half-sparse image. `--size 1GiB` takes a smaller
 * one than 4 GiB, `--only download,curl` the works with one of those words in their names, or `huge`,
 * or `API`.
 */
import { mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { MiB, makeImage } from '../test/transfer/support/images.ts';
import { ImageSite } from './support/image-site.ts';
import { percentile99 } from './support/latency.ts';
import { playPart, startPlain } from './support/plain-server.ts';
import { type Turn, takeTurns, type Work } from './support/rounds.ts';
import { peakOf, run } from './support/run.ts';
import { vmctl } from './support/site.ts';
import { fetchedInParts, type Stage, uploaded, worksOf } from './support/transfer-works.ts';

const words = process.argv.slice(2);
const quick = words.includes('--quick');
const rounds = quick ? 1 : Number(flagValue('--rounds') ?? 5);
const only = flagValue('--only')?.split(',');
const size = quick ? 64 * MiB : bytesOf(flagValue('--size') ?? '4GiB');

function flagValue(flag: string): string | undefined {
  const at = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  return at < 0 ? undefined : (words[at]?.split('=')[1] ?? words[at + 1]);
}

function bytesOf(text: string): number {
  const [, number = '', unit = ''] = /^(\d+)([MG]iB)$/.exec(text) ?? [];
  if (number === '') throw new Error(`--size ${text}: not a size such as 512MiB or 4GiB`);
  return Number(number) * (unit === 'GiB' ? 1024 * MiB : MiB);
}

/** What a figure may be beside its reach before it counts as missed: other work disturbs it. */
const noise = 1.15;

/** The time of one work over that of another, and what it should be at least. */
interface Row {
  readonly what: string;
  readonly ours: string;
  readonly beside: string;
  readonly reach: number;
  /** Compares CPU time instead: of the client, or of the server. */
  readonly by?: 'cpu' | 'served';
}

const both = (row: (way: 'TLS' | 'unix') => readonly Row[]) => [...row('TLS'), ...row('unix')];

const rows: readonly Row[] = both((way) => [
  ...(['served', undefined] as const).map((by) => ({
    what: `GET whole image, ${way}${by ? ', CPU of the server' : ''}`,
    ours: `curl GET, ${way}`,
    beside: `plain server, curl GET, ${way}`,
    reach: way === 'TLS' ? 2.2 : 4.5,
    ...(by ? { by } : {}),
  })),
  {
    what: `PUT whole image, ${way}`,
    ours: `curl PUT, ${way}`,
    beside: `plain server, curl PUT, ${way}`,
    reach: way === 'TLS' ? 1.3 : 1.6,
  },
  ...['', ' --no-verify'].flatMap((flag) => [
    {
      what: `vmctl disks download${flag}, ${way} / curl`,
      ours: `vmctl download${flag}, ${way}`,
      beside: `curl GET into a file, ${way}`,
      reach: way === 'TLS' ? 1.4 : 2,
    },
    {
      what: `vmctl disks upload${flag}, ${way} / curl`,
      ours: `vmctl upload${flag}, ${way}`,
      beside: `curl PUT, ${way}`,
      reach: way === 'TLS' ? 1.4 : 2,
    },
  ]),
  ...['GET', 'PUT'].map((method) => ({
    what: `16 transfers at once / 1, ${method}, ${way}`,
    ours: `16 x ${method}, ${way}`,
    beside: `curl ${method}, ${way}`,
    reach: 0.9,
  })),
]).concat(
  ['', ' --no-verify'].map((flag) => ({
    what: `vmctl disks download${flag}, unix / nbdcopy`,
    ours: `vmctl download${flag}, unix`,
    beside: 'nbdcopy from qemu-nbd',
    reach: 0.8,
  })),
  {
    what: 'checksum of a sparse image / b2sum of its data',
    ours: 'vmctl images checksum',
    beside: 'b2sum of the data',
    reach: 0.9,
  },
);

function tell(what: string, figure: number, unit: string, reach: number, atLeast = true): void {
  const missed = atLeast ? figure * noise < reach : figure > reach * noise;
  if (missed && !quick) process.exitCode = 1;
  const digits = unit === 'MiB' ? 0 : 2;
  const text = `${figure.toFixed(digits)} ${unit}  (reach ${reach})${missed && !quick ? '  MISSED' : ''}`;
  console.log(`${what.padEnd(54)} ${text}`);
}

/** A folder in memory if the image fits there some times over; else a temporary one. */
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

/** Bytes of memory that nobody needs. */
function available(): number {
  try {
    return (
      Number(/^MemAvailable:\s*(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1]) * 1024
    );
  } catch {
    return 0;
  }
}

/** Runs of data and as long holes, in turn. */
function halfOf(bytes: number): [number, number][] {
  const run = Math.min(64 * MiB, bytes / 8);
  return Array.from({ length: bytes / run / 2 }, (_, index) => [2 * index * run, run]);
}

async function measure(folder: string, site: ImageSite): Promise<void> {
  const [file, data] = [join(folder, 'source.raw'), join(folder, 'data.raw')];
  makeImage(file, size, halfOf(size));
  makeImage(data, size / 2);
  const parts = Array.from({ length: 16 }, (_, part) => join(folder, `part-${part}.raw`));
  const target = join(folder, 'plain.raw');
  const tls = join(folder, 'site/tls');
  const plain = {
    TLS: await startPlain(file, target, {
      key: join(tls, 'server.key'),
      cert: join(tls, 'server.pem'),
    }),
    unix: await startPlain(file, target, { path: join(folder, 'plain.sock') }),
  };
  try {
    const source = ['disks', 'upload', file, '--name', 'source', '--storagedomain', 'data1'];
    await run([process.execPath, vmctl, ...source], site.env);
    for (const part of parts) makeImage(part, size / parts.length, halfOf(size / parts.length));
    const stage: Stage = { site, folder, file, size, data, parts, plain };
    const { works, missing } = worksOf(stage);
    for (const line of missing) console.log(`left out: ${line}`);
    for (const name of [...works.keys()]) {
      if (only && !only.some((word) => name.includes(word))) works.delete(name);
    }
    const turns = await takeTurns(works, rounds);
    table(turns);
    for (const { what, ours, beside, reach, by = 'seconds' } of rows) {
      const [a, b] = [turns.get(ours), turns.get(beside)];
      if (a && b) tell(what, (b[by] ?? 0) / (a[by] ?? 0), 'x', reach);
    }
    if (!only || only.includes('API')) await patience(stage);
  } finally {
    await Promise.all(Object.values(plain).map((server) => server.stop()));
    for (const path of [file, data, ...parts]) rmSync(path);
    await site.removeDisk(await site.diskNamed('source'));
  }
}

/** Whether whoever uses the API meanwhile has to wait. */
async function patience(stage: Stage): Promise<void> {
  const { site } = stage;
  const path = `/disks/${await site.diskNamed('source')}`;
  const request = () => site.api('GET', path);
  const requests = quick ? 20 : 1000;
  await percentile99(request, requests);
  const idle = await percentile99(request, requests);
  const busy = await percentile99(request, requests, async () => {
    for (let round = 0; round < rounds; round += 1) await fetchedInParts(stage, 'TLS');
  });
  const told = `${busy.toFixed(1)} ms / ${idle.toFixed(1)} ms`;
  tell(`API p99, 16 transfers at once / idle (${told})`, busy / idle, 'x', 2, false);
}

function table(turns: ReadonlyMap<string, Turn>): void {
  console.log(`${''.padEnd(42)}    GiB/s  CPU s  CPU s of the server`);
  for (const [name, { seconds, cpu, served = 0 }] of turns) {
    const rate = (size / 2 ** 30 / seconds).toFixed(2).padStart(7);
    const spent = `${cpu.toFixed(2).padStart(6)}  ${served === 0 ? '' : served.toFixed(2).padStart(6)}`;
    console.log(`${name.padEnd(42)}  ${rate}  ${spent}`);
  }
}

/** A huge disk with little on it, beside one that is all data. */
async function hugeDisk(folder: string, site: ImageSite): Promise<void> {
  const bytes = quick ? 32 * MiB : Math.min(size, 1024 * MiB);
  const huge = quick ? 2 ** 34 : 2 ** 40;
  const parts = 64;
  const runs = Array.from({ length: parts }, (_, part): [number, number] => [
    (part * huge) / parts,
    bytes / parts,
  ]);
  const [dense, sparse, target] = ['dense.raw', 'huge.raw', 'target.raw'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  makeImage(dense, bytes);
  makeImage(sparse, huge, runs);
  const add = (name: string, file: string) =>
    run(
      [
        process.execPath,
        vmctl,
        'disks',
        'upload',
        file,
        '--name',
        name,
        '--storagedomain',
        'data1',
      ],
      site.env,
    );
  await add('dense', dense);
  await add('huge', sparse);
  site.takeWay('unix');
  const download = (name: string) => async () => {
    const turn = await run([process.execPath, vmctl, 'disks', 'download', name, target], site.env);
    rmSync(target);
    return turn;
  };
  const works = new Map<string, Work>([
    ['dense up', () => uploaded({ site, folder }, 'unix', dense, [])],
    ['huge up', () => uploaded({ site, folder }, 'unix', sparse, [])],
    ['dense down', download('dense')],
    ['huge down', download('huge')],
  ]);
  const turns = await takeTurns(works, rounds);
  const of = (name: string) => turns.get(name) ?? { seconds: 0, memory: 0 };
  const ratio = (way: string) => of(`huge ${way}`).seconds / of(`dense ${way}`).seconds;
  tell('1 TiB with 1 GiB of data / 1 GiB, upload', ratio('up'), 'x', 1.3, false);
  tell('1 TiB with 1 GiB of data / 1 GiB, download', ratio('down'), 'x', 1.3, false);
  const memory = Math.max(of('huge up').memory ?? 0, of('huge down').memory ?? 0);
  tell('memory of the client with 1 TiB', memory, 'MiB', 250, false);
}

if (!(await playPart(words))) {
  const folder = fastFolder();
  try {
    const load = `${cpus().length} cores, ${folder}, ${size / MiB} MiB half-sparse`;
    console.log(`transfers on Node ${process.version}; ${load}, ${rounds} rounds`);
    const site = await ImageSite.start(join(folder, 'site'));
    try {
      if (String(only) !== 'huge') await measure(folder, site);
      if (!only || only.includes('huge')) await hugeDisk(folder, site);
      tell('memory of the server at most', peakOf(site.pid), 'MiB', 250, false);
    } finally {
      await site.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
