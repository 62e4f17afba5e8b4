/**
 * Damaged images and archives, sent to a server in every way: refused with the cause, without an
 * effect on others.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FolderSite, MiB } from '../faults/support/site.ts';
import { type Home, makeHome } from '../support/command.ts';
import { createArchive, hostileArchives } from '../support/hostile-archives.ts';
import { hostileImages } from '../support/hostile-images.ts';
import { type RawAnswer, RawApi, requestToken, send } from '../support/raw.ts';

/** CPU time of the longest turn of the server's event loop, in milliseconds. */
const longestTurn = 200;
/** Growth of the memory of the server, in KiB. */
const mostGrowth = 128 * 1024;
/** Maximum disk size, so that the virtual size of an image may exceed its disk. */
const largestDisk = 2n ** 41n;

const images = Object.entries(hostileImages);
/** Every image in an archive, and damaged archives. */
const archives = [
  ...Object.entries(hostileArchives),
  ...images.map(([name, image]) => [name, createArchive(image, readVirtualSize(image))] as const),
];
const isValid = (name: string) => name.startsWith('ok-');

let site: FolderSite;
let home: Home;
let hostFolder: string;
let turnFile: string;
let memoryBefore: number;
let prober: Prober;

/** Virtual size in the image header, in whole MiB and at most `largestDisk`. */
function readVirtualSize(image: Buffer): bigint {
  const claimed = image.length < 32 ? 0n : image.readBigUInt64BE(24);
  if (claimed === 0n || claimed > largestDisk) return BigInt(MiB);
  return ((claimed + BigInt(MiB) - 1n) / BigInt(MiB)) * BigInt(MiB);
}

/** Sequential requests of another user until it is stopped. */
class Prober {
  readonly statuses = new Map<number, number>();
  slowest = 0;
  #stopped = false;
  readonly #done: Promise<void>;

  constructor(api: RawApi) {
    this.#done = this.#run(api);
  }

  async #run(api: RawApi): Promise<void> {
    while (!this.#stopped) {
      const begun = performance.now();
      const { status } = await api.json('GET', '/vms?max=5');
      this.slowest = Math.max(this.slowest, performance.now() - begun);
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#done;
  }
}

/** Peak memory of the server in KiB. */
function memory(): number {
  const status = readFileSync(`/proc/${site.server.process.pid}/status`, 'latin1');
  return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]);
}

beforeAll(async () => {
  site = new FolderSite();
  turnFile = join(site.parent, 'longest-turn');
  const watch = new URL('../support/turn-watch.mjs', import.meta.url);
  site.env = { NODE_OPTIONS: `--import=${fileURLToPath(watch)}`, TURN_WATCH_FILE: turnFile };
  hostFolder = join(site.parent, 'files-of-hosts');
  await site.start('--host-files', hostFolder);
  home = makeHome(site.server);
  const [host] = (await site.api.json('GET', '/hosts')).json<{ host: { name: string }[] }>().host;
  hostFolder = join(hostFolder, String(host?.name));
  mkdirSync(hostFolder, { recursive: true });
  // Valid images first, which load all code and define the base of the memory usage.
  for (const [name, image] of images) {
    if (isValid(name)) await upload(`warm-${name}`, image, 'raw');
    await site.write(await site.add(`warm-${name}`, MiB), Buffer.alloc(MiB, 'x'));
  }
  await importByServer('warm', hostileArchives['ok-archive'] ?? Buffer.alloc(0));
  site.server.process.kill('SIGUSR2');
  memoryBefore = memory();
  prober = new Prober(
    new RawApi(site.server, String((await requestToken(site.server)).json()['access_token'])),
  );
});
afterAll(async () => {
  home.remove();
  await site.remove();
});

interface Uploaded {
  readonly disk: string;
  readonly phase: string;
}

/** Uploads an image as qcow2 to a new disk of this format; resolves when the transfer has ended. */
async function upload(name: string, image: Buffer, format: 'raw' | 'cow'): Promise<Uploaded> {
  const disk = await site.add(name, Number(readVirtualSize(image)), format);
  const { path, url } = await site.transfer(disk, 'upload', 'cow');
  const sent = await send(url, { method: 'PUT', body: image, ca: site.server.ca });
  expect(sent.status, `${name}: ${sent.text}`).toBe(200);
  await site.api.json('POST', `${path}/finalize`, {});
  const isOver = (answer: RawAnswer) => String(answer.json()['phase']).startsWith('finished');
  const ended = await site.api.until(path, isOver);
  return { disk, phase: String(ended.json()['phase']) };
}

/** Imports an archive on the server, from a file of a host. */
async function importByServer(name: string, archive: Buffer): Promise<RawAnswer> {
  writeFileSync(join(hostFolder, `${name}.ova`), archive);
  const vm = `by-server-${name}`.slice(0, 60).replace(/[^\w.-]/g, '_');
  const answer = await site.api.json('POST', '/externalvmimports', {
    ...{ provider: 'kvm', url: `ova:///${name}.ova`, name: vm, vm: { name: vm } },
    ...{ cluster: { name: 'Default' }, storage_domain: { name: 'data1' }, sparse: true },
  });
  if (answer.status >= 300) return answer;
  const { id } = answer.json<{ vm: { id: string } }>().vm;
  return await site.api.until(`/vms/${id}`, (one) => one.json()['status'] === 'down');
}

const failure = /Image Upload with disk .* failed: cannot use the image: .{10,}\./;

describe.each(['raw', 'cow'] as const)('an upload into a %s disk', (format) => {
  it.each(images)('%s', async (name, image) => {
    const alias = `${format}-${name}`;
    const { disk, phase } = await upload(alias, image, format);
    expect(phase).toBe(isValid(name) ? 'finished_success' : 'finished_failure');
    expect(await site.status(disk)).toBe(isValid(name) ? 'ok' : 'illegal');
    const events = (await site.events(1034)).filter((text) => text.includes(` ${alias} `));
    expect(events).toEqual(isValid(name) ? [] : [expect.stringMatching(failure)]);
    rmSync(site.image({ id: disk }), { force: !isValid(name) });
  });
});

describe('raw bytes that start like a qcow2 image', () => {
  it.each(images)('remain unchanged: %s', async (name, image) => {
    const bytes = Buffer.alloc(2 * MiB);
    image.copy(bytes);
    const inside = await site.add(`inside-${name}`, bytes.length, 'cow');
    await site.write(inside, bytes, 'raw');
    expect((await site.read(inside, 'raw')).equals(bytes)).toBe(true);
    const disk = await site.add(`plain-${name}`, bytes.length, 'raw');
    await site.write(disk, bytes);
    expect(await site.status(disk)).toBe('ok');
    for (const format of ['cow', 'raw']) {
      const converted = await site.api.json('POST', `/disks/${disk}/convert`, { disk: { format } });
      expect(converted.status, converted.text).toBeLessThan(300);
      const ended = await site.api.until(`/disks/${disk}`, (one) => one.json()['status'] === 'ok');
      expect(ended.json()['format']).toBe(format);
      expect((await site.read(disk, 'raw')).equals(bytes), `as ${format}`).toBe(true);
    }
  });
});

/** The command must fail with a message, and not with a crash or an internal error. */
function expectError({ code, stderr }: { code: number | null; stderr: string }): void {
  expect([1, 2, 3, 4, 5, 6], stderr).toContain(code);
  expect(stderr).toMatch(/^vmctl: .{10,}/m);
  expect(stderr).not.toMatch(/bug in vmctl|internal error|\n\s+at |RangeError|TypeError/);
}

describe('vmctl disks upload', () => {
  it.each(images)('%s', async (name, image) => {
    const file = join(site.parent, `${name}.qcow2`);
    writeFileSync(file, image);
    const words = ['disks', 'upload', file, '--name', `tool-${name}`, '--storagedomain', 'data1'];
    const outcome = await home.runHere(words);
    if (isValid(name)) expect(outcome).toMatchObject({ code: 0 });
    else expectError(outcome);
    if (outcome.stderr.includes('did not accept')) expect(outcome.stderr).toMatch(failure);
  });
});

describe('vmctl vms import-ova', () => {
  it.each(archives)('%s', async (name, archive) => {
    const file = join(site.parent, `${name}.ova`);
    writeFileSync(file, archive);
    const vm = `by-tool-${name}`.slice(0, 60).replace(/[^\w.-]/g, '_');
    const words = ['vms', 'import-ova', file, '--name', vm, '--cleanup'];
    const outcome = await home.runHere([
      ...words,
      ...['--cluster', 'Default', '--storagedomain', 'data1'],
    ]);
    if (isValid(name)) expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
    else expectError(outcome);
  });
});

describe('externalvmimports', () => {
  it.each(archives)('%s', async (name, archive) => {
    const answer = await importByServer(name, archive);
    if (answer.status === 400) {
      expect(isValid(name), answer.text).toBe(false);
      expect(answer.text).toMatch(
        /"detail":"(?:\[Cannot import\. |The configuration is not an OVF document: ).{20,}"/,
      );
      return;
    }
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json()['has_illegal_images'] ?? false).toBe(!isValid(name));
  });
});

describe('afterwards', () => {
  it('other users had no errors or delays', async () => {
    await prober.stop();
    expect([...prober.statuses.keys()]).toEqual([200]);
    expect(prober.statuses.get(200)).toBeGreaterThan(100);
    const turn = Number(readFileSync(turnFile, 'utf8'));
    expect(turn, `longest turn; slowest request ${prober.slowest} ms`).toBeLessThan(longestTurn);
    expect(memory() - memoryBefore).toBeLessThan(mostGrowth);
    expect(site.server.stderr()).not.toMatch(/^\s+at /m);
  });

  it('the server starts again, and no disk is locked', async () => {
    expect(await site.stop()).toBe(0);
    await site.start();
    const { disk: disks } = (await site.api.json('GET', '/disks?max=1000')).json<{
      disk: { alias: string; status: string }[];
    }>();
    expect(disks.filter(({ status }) => status === 'locked')).toEqual([]);
    const names = disks.map(({ alias }) => alias);
    for (const [name] of images) {
      expect(names).toEqual(expect.arrayContaining([`raw-${name}`, `cow-${name}`]));
    }
    expect(existsSync(site.database)).toBe(true);
  });
});
