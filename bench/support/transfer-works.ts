/** Programs that transfer the image, as repeatable works. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ImageSite, Way } from './image-site.ts';
import type { PlainServer } from './plain-server.ts';
import type { Reference } from './reference.ts';
import type { Turn, Work } from './rounds.ts';
import { isThere, readCpuTime, run } from './run.ts';
import { vmctl } from './site.ts';

export interface Stage {
  readonly site: ImageSite;
  /** Folder in memory, if it has space. */
  readonly folder: string;
  /** Image, equal to the disk `source`. */
  readonly file: string;
  readonly size: number;
  /** Data of the image without holes. */
  readonly data: string;
  /** Additional data of the same size, in parts for concurrent transfers. */
  readonly parts: readonly string[];
  readonly plain: Readonly<Record<Way, PlainServer>>;
  /** Reference daemon, if installed. */
  readonly reference: Reference | undefined;
}

/** All works by name, and reasons of missing ones. */
export function createWorks(stage: Stage): {
  readonly works: Map<string, Work>;
  readonly missing: ReadonlyMap<string, string>;
} {
  const works = new Map<string, Work>();
  const missing = new Map<string, string>();
  const add = (name: string, needs: string, work: Work) => {
    if (needs === '' || isThere(needs)) works.set(name, work);
    else missing.set(name, `${needs} is not installed`);
  };
  const addReference = (name: string, work: Work | undefined) => {
    if (work && isThere('curl')) works.set(name, work);
    else missing.set(name, 'not installed');
  };
  for (const way of ['TLS', 'unix'] as const) {
    add(`curl GET, ${way}`, 'curl', () => fetched(stage, way, '/dev/null'));
    add(`curl GET into a file, ${way}`, 'curl', () => fetched(stage, way, target(stage)));
    add(`curl PUT, ${way}`, 'curl', () => put(stage, way));
    add(`vmctl download, ${way}`, '', () => downloaded(stage, way, []));
    add(`vmctl download --no-verify, ${way}`, '', () => downloaded(stage, way, ['--no-verify']));
    add(`vmctl upload, ${way}`, '', () => uploaded(stage, way, stage.file, []));
    add(`vmctl upload --no-verify, ${way}`, '', () =>
      uploaded(stage, way, stage.file, ['--no-verify']),
    );
    add(`plain server, curl GET, ${way}`, 'curl', () => {
      const { url, pid } = stage.plain[way];
      return measured(stage, pid, ['curl', ...curlTo(stage, way, url, true), '-o', '/dev/null']);
    });
    add(`plain server, curl PUT, ${way}`, 'curl', () => {
      const { url, pid } = stage.plain[way];
      return measured(stage, pid, ['curl', ...curlTo(stage, way, url, true), '-T', stage.file]);
    });
    add(`16 x GET, ${way}`, 'curl', () => fetchedInParts(stage, way));
    add(`16 x PUT, ${way}`, 'curl', () => putInParts(stage, way));
    const beside = (command: (reference: Reference) => readonly string[]) => {
      const { reference } = stage;
      return reference ? () => measured(stage, reference.pid(way), command(reference)) : undefined;
    };
    for (const method of ['GET', 'PUT'] as const) {
      const work = beside((reference) => reference.curl(way, method));
      addReference(`reference daemon, curl ${method}, ${way}`, work);
    }
    for (const [what, file] of [
      ['download', target(stage)],
      ['upload', stage.file],
    ] as const) {
      const work = beside((reference) => reference.client(way, what, file));
      addReference(`reference daemon and client, ${what}, ${way}`, work);
    }
  }
  add('nbdcopy from qemu-nbd', isThere('qemu-nbd') ? 'nbdcopy' : 'qemu-nbd', () => nbd(stage));
  add('vmctl images checksum', '', () => summed(stage));
  add('b2sum of the data', 'b2sum', () => measured(stage, 0, ['b2sum', stage.data]));
  return { works, missing };
}

/** Runs a command and removes its result. */
async function measured(stage: Stage, server: number, command: readonly string[]): Promise<Turn> {
  const before = server === 0 ? 0 : readCpuTime(server);
  const { seconds, cpu, memory } = await run(command, stage.site.env);
  const served = server === 0 ? 0 : readCpuTime(server) - before;
  rmSync(target(stage), { force: true });
  rmSync(plainTarget(stage), { force: true });
  return { seconds, cpu, memory, served };
}

const target = ({ folder }: Stage) => join(folder, 'target.raw');

/** Target file of other servers. */
export const plainTarget = ({ folder }: Pick<Stage, 'folder'>) => join(folder, 'plain.raw');

/** Arguments of curl for a URL. */
function curlTo(stage: Stage, way: Way, url: string, plain = false): string[] {
  const path = plain ? join(stage.folder, 'plain.sock') : stage.site.socket;
  const local = ['--unix-socket', path, `http://localhost${new URL(url).pathname}`];
  return ['-sSf', ...(way === 'TLS' ? ['--cacert', stage.site.caFile, url] : local)];
}

async function fetched(stage: Stage, way: Way, to: string): Promise<Turn> {
  const { site } = stage;
  site.takeWay(way);
  const open = await site.begin(await site.diskNamed('source'), 'download');
  const turn = await measured(stage, site.pid, [
    ...['curl', ...curlTo(stage, way, open.url), '-o', to],
  ]);
  await site.finalize(open);
  return turn;
}

async function put(stage: Stage, way: Way): Promise<Turn> {
  const { site, size, file } = stage;
  site.takeWay(way);
  const open = await site.begin(await site.addDisk(size), 'upload');
  const turn = await measured(stage, site.pid, [
    ...['curl', ...curlTo(stage, way, open.url), '-T', file],
  ]);
  await site.finalize(open);
  await site.removeDisk(open.disk);
  return turn;
}

/** Runs one program for each part concurrently, with its part of the image. */
async function inParts(
  { site, size, parts }: Stage,
  command: (part: string, range: string) => string[],
): Promise<Turn> {
  const step = size / parts.length;
  const before = readCpuTime(site.pid);
  const began = performance.now();
  const all = await Promise.all(
    parts.map((part, index) =>
      run(command(part, `${index * step}-${(index + 1) * step - 1}`), site.env),
    ),
  );
  const seconds = (performance.now() - began) / 1_000;
  const cpu = all.reduce((sum, one) => sum + one.cpu, 0);
  return { seconds, cpu, served: readCpuTime(site.pid) - before };
}

/** Downloads the image with 16 concurrent programs. */
export async function fetchedInParts(stage: Stage, way: Way): Promise<Turn> {
  const { site } = stage;
  site.takeWay(way);
  const open = await site.begin(await site.diskNamed('source'), 'download');
  const turn = await inParts(stage, (_, range) => [
    ...['curl', ...curlTo(stage, way, open.url)],
    ...['-o', '/dev/null', '-H', `Range: bytes=${range}`],
  ]);
  await site.finalize(open);
  return turn;
}

async function putInParts(stage: Stage, way: Way): Promise<Turn> {
  const { site, size } = stage;
  site.takeWay(way);
  const open = await site.begin(await site.addDisk(size), 'upload');
  const turn = await inParts(stage, (part, range) => [
    ...['curl', ...curlTo(stage, way, open.url)],
    ...['-T', part, '-H', `Content-Range: bytes ${range}/*`],
  ]);
  await site.finalize(open);
  await site.removeDisk(open.disk);
  return turn;
}

async function downloaded(stage: Stage, way: Way, more: readonly string[]): Promise<Turn> {
  const { site } = stage;
  site.takeWay(way);
  const words = ['disks', 'download', 'source', target(stage), '-q', ...more];
  return await measured(stage, site.pid, [process.execPath, vmctl, ...words]);
}

/** Uploads a file with vmctl, and removes the disk. */
export async function uploaded(
  { site, folder }: Pick<Stage, 'site' | 'folder'>,
  way: Way,
  file: string,
  more: readonly string[],
): Promise<Turn> {
  site.takeWay(way);
  const words = ['disks', 'upload', file, '--name', 'uploaded', '--storage-domain', 'data1', '-q'];
  const before = readCpuTime(site.pid);
  const { seconds, cpu, memory } = await run([process.execPath, vmctl, ...words, ...more], {
    ...site.env,
    TMPDIR: folder,
  });
  const served = readCpuTime(site.pid) - before;
  await site.removeDisk(await site.diskNamed('uploaded'));
  return { seconds, cpu, memory, served };
}

async function nbd(stage: Stage): Promise<Turn> {
  const socket = join(stage.folder, 'nbd.sock');
  const words = ['-f', 'raw', '-r', '-t', '--shared=8', '-k', socket, stage.file];
  const server = spawn('qemu-nbd', words, { stdio: 'ignore' });
  while (!existsSync(socket)) await new Promise((resolve) => setTimeout(resolve, 5));
  try {
    const url = `nbd+unix:///?socket=${socket}`;
    return await measured(stage, server.pid ?? 0, ['nbdcopy', url, target(stage)]);
  } finally {
    const ended = once(server, 'exit');
    server.kill();
    await ended;
    rmSync(socket, { force: true });
  }
}

async function summed(stage: Stage): Promise<Turn> {
  const { site } = stage;
  const open = await site.begin(await site.diskNamed('source'), 'download');
  const words = ['images', 'checksum', open.url, '-o', 'json'];
  const turn = await measured(stage, site.pid, [process.execPath, vmctl, ...words]);
  await site.finalize(open);
  return turn;
}
