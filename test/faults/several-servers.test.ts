/**
 * Three servers on one site behind HAProxy, while servers and PostgreSQL are killed: no
 * acknowledged change is lost, nothing is done twice, and events are complete and in order. The
 * number of kills is `VMCTL_CHAOS_KILLS`. A control runs servers without locks and detects their
 * errors.
 */
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import {
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/command.ts';
import { postgresPrograms } from '../support/postgres.ts';
import { type RawAnswer, send } from '../support/raw.ts';
import { vmctl } from '../support/server.ts';
import { isInstalled, SeveralServers } from '../support/several-servers.ts';

const kills = Number(process.env['VMCTL_CHAOS_KILLS'] ?? 6);
const races = kills * 17;
const api = '/virt-app/api';

interface Tag {
  readonly id: string;
  readonly name: string;
}

interface Found {
  readonly lost: readonly string[];
  readonly twice: readonly string[];
  readonly gaps: readonly string[];
  readonly doubles: number;
  readonly races: number;
  readonly written: number;
  /** Number of successful uploads with the right bytes, and the errors of the others. */
  readonly uploads: number;
  readonly failedUploads: readonly string[];
}

/** Duration of the chaos, and its participants. */
interface Plan {
  readonly kills: number;
  readonly races: number;
  readonly isUploading: boolean;
  /** Whether every response must be right. Servers without locks fail in many ways. */
  readonly isStrict: boolean;
  /** Prefix of names, so that one site can be reused. */
  readonly prefix: string;
}

/** Runs the clients while servers are killed; returns the findings. */
async function chaos(
  several: SeveralServers,
  { kills, races, isUploading, isStrict, prefix }: Plan,
): Promise<Found> {
  const expectStatus = (answer: RawAnswer, status: number) => {
    if (isStrict) expect(answer.status, answer.text).toBe(status);
  };

  let ended = false;
  const acknowledged = new Map<string, string>();
  const removed = new Set<string>();

  /** Sends a change until it is acknowledged, with one idempotency key. */
  const change = async (method: string, path: string, body?: unknown): Promise<RawAnswer> => {
    const headers = { 'Idempotency-Key': randomUUID() };
    for (;;) {
      try {
        const answer = await several.send(method, `${api}${path}`, { body, headers });
        if (isStrict) expect(answer.status, answer.text).not.toBe(500);
        // A permanent failure would be retried forever.
        if (answer.status < 500 || (ended && !isStrict)) return answer;
      } catch (error) {
        if (error instanceof Error && error.name === 'AssertionError') throw error;
      }
      await wait(50);
    }
  };

  const writer = async (number: number) => {
    for (let count = 0; !ended; count++) {
      const name = `${prefix}w${number}-${count}`;
      const made = await change('POST', '/tags', { name });
      expectStatus(made, 201);
      if (made.status !== 201) continue;
      acknowledged.set(name, made.json<Tag>().id);
      if (count % 4 !== 3) continue;
      const old = `${prefix}w${number}-${count - 2}`;
      const gone = await change('DELETE', `/tags/${acknowledged.get(old)}`);
      expectStatus(gone, 200);
      removed.add(old);
    }
  };

  const seen: { id: number; description: string }[] = [];
  const gaps: string[] = [];
  const read = async () => {
    const from = (seen.at(-1)?.id ?? 0) + 1;
    const answer = await several.send('GET', `${api}/events?from=${from}&max=10000`);
    if (answer.status !== 200) return;
    const events = answer
      .json<{ event?: { id: string; description: string }[] }>()
      .event?.map(({ id, description }) => ({ id: Number(id), description }))
      .sort((one, other) => one.id - other.id);
    for (const event of events ?? []) {
      const last = seen.at(-1)?.id;
      if (last !== undefined && event.id !== last + 1) gaps.push(`${event.id} after ${last}`);
      seen.push(event);
    }
  };
  const reader = async () => {
    while (!ended) {
      await read().catch(() => undefined);
      await wait(20);
    }
  };

  let [doubles, raced] = [0, 0];
  const racer = async () => {
    const { vm = [] } = (await change('GET', '/vms')).json<{ vm?: Tag[] }>();
    const id = vm[0]?.id;
    for (let count = 0; !ended || raced < races; count++) {
      const [one, other] = several.addresses.sort(() => randomInt(2) - 0.5);
      if (one === undefined || other === undefined) {
        await wait(50);
        continue;
      }
      const [path, body] =
        count % 2 ? ['/tags', { name: `${prefix}race-${count}` }] : [`/vms/${id}/start`, {}];
      if (count % 2 === 0) await change('POST', `/vms/${id}/stop`, {});
      const both = await Promise.allSettled(
        [one, other].map((to) => several.send('POST', path, { body, to })),
      );
      const statuses = both.map((result) =>
        result.status === 'fulfilled' ? result.value.status : undefined,
      );
      if (statuses.some((status) => status === undefined || status >= 500)) continue;
      raced += 1;
      if (statuses.filter((status) => status === 200 || status === 201).length > 1) doubles += 1;
    }
  };

  let uploads = 0;
  const failedUploads: string[] = [];
  const uploader = async () => {
    const [server] = several.servers;
    if (!isUploading || !server) return;
    const home = makeHome(server);
    while (!ended) {
      const failed = await uploadOne(several, home, `upload-${uploads}`, 4);
      if (failed === undefined) uploads += 1;
      else if (failed !== notBegun) failedUploads.push(failed);
    }
    home.remove();
  };

  const killer = async () => {
    for (let count = 0; count < kills; count++) {
      await wait(randomInt(300, 1_200));
      if (count % 5 === 4) await several.restartPostgres();
      // Longer than the silence limit: other servers take over, and the server returns.
      else if (count % 5 === 1) await several.suspend(randomInt(several.servers.length), 6_000);
      else await several.restart(randomInt(several.servers.length));
    }
    ended = true;
  };

  await Promise.all([
    killer(),
    reader(),
    racer(),
    uploader(),
    ...Array.from({ length: 8 }, (_, n) => writer(n)),
  ]);
  const list = await change('GET', '/tags');
  const { tag: tags = [] } = list.json<{ tag?: Tag[] }>();
  await read();
  const told = new Map<string, number>();
  for (const { description } of seen) {
    const name = /^New tag (\S+) was created/.exec(description)?.[1];
    if (name !== undefined) told.set(name, (told.get(name) ?? 0) + 1);
  }
  const names = tags.map(({ name }) => name);
  return {
    lost: [...acknowledged.keys()].filter(
      (name) => !told.has(name) || names.includes(name) === removed.has(name),
    ),
    twice: [
      ...names.filter((name, index) => names.indexOf(name) !== index),
      ...[...told].filter(([, times]) => times > 1).map(([name]) => name),
    ],
    gaps,
    doubles,
    races: raced,
    written: acknowledged.size,
    uploads,
    failedUploads,
  };
}

/** Error of an upload whose disk or transfer may not exist. */
const notBegun = 'not begun';

/** Uploads `MiB` within some seconds through the balancer; returns the error, if any. */
async function uploadOne(
  several: SeveralServers,
  home: Home,
  name: string,
  size: number,
): Promise<string | undefined> {
  const source = join(home.folder, `${name}.raw`);
  const bytes = randomBytes(size * 2 ** 20);
  writeFileSync(source, bytes);
  const words = ['disks', 'upload', source, '--name', name, '--storagedomain', 'data1'];
  const { code, stderr } = await home.run([...words, '--limit-rate', '1M'], {
    VMCTL_URL: `${several.url}/virt-app`,
  });
  if (code !== 0) return / %/.test(stderr) ? stderr : notBegun;
  const images = join(several.folder, 'images');
  // The file name is the id of the disk.
  const found = readdirSync(images).some((file) => {
    const path = join(images, file);
    return statSync(path).size === bytes.length && readFileSync(path).equals(bytes);
  });
  return found ? undefined : `no image has the bytes of ${name}`;
}

describe.skipIf(postgresPrograms() === undefined || !isInstalled('haproxy'))(
  'three servers on one site',
  { timeout: 180_000 + kills * 30_000 },
  () => {
    let several: SeveralServers | undefined;
    afterEach(async () => {
      await several?.stop();
      several = undefined;
    }, 60_000);

    it('lose no change and do nothing twice while servers are killed', async () => {
      several = await SeveralServers.start(3);
      const found = await chaos(several, {
        ...{ kills, races, isUploading: true, isStrict: true, prefix: '' },
      });
      const nothing = { lost: [], twice: [], gaps: [], doubles: 0, failedUploads: [] };
      expect(found).toMatchObject(nothing);
      expect(found.uploads).toBeGreaterThan(0);
      expect(found.races).toBeGreaterThanOrEqual(races);
      expect(found.written).toBeGreaterThan(kills);
      for (const server of several.servers) expect(server?.stderr()).not.toMatch(/^ +at /m);
    });

    it('work behind nginx as well when one of them is down', async () => {
      several = await SeveralServers.start(3);
      if (!isInstalled('nginx')) return;
      await several.balance('nginx');
      await several.servers[0]?.kill();
      several.servers[0] = undefined;
      for (let count = 0; count < 10; count++) {
        const headers = { Connection: 'close' };
        expect((await several.send('GET', `${api}/tags`, { headers })).status).toBe(200);
      }
    });

    it('take over transfers of a killed server', async () => {
      several = await SeveralServers.start(3);
      const [first, second] = several.servers;
      if (!first || !second) throw new Error('no servers exist');
      const to = second.ready.api_url;
      const json = async <T>(method: string, path: string, body?: unknown, at = to) =>
        (await (several as SeveralServers).send(method, path, { body, to: at })).json<T>();
      const { storage_domain: domains } = await json<{ storage_domain: Tag[] }>(
        'GET',
        '/storagedomains?search=name%3Ddata1',
      );
      const bytes = randomBytes(2 ** 20);
      const { id: disk } = await json<Tag>('POST', '/disks', {
        ...{ name: 'moved', format: 'raw', provisioned_size: bytes.length },
        storage_domains: { storage_domain: [{ id: domains[0]?.id }] },
      });
      const body = { disk: { id: disk }, direction: 'upload', format: 'raw' };
      const begun = await json<Tag>('POST', '/imagetransfers', body, first.ready.api_url);
      const path = `/imagetransfers/${begun.id}`;
      const url = async () => (await json<{ transfer_url?: string }>('GET', path)).transfer_url;
      const before = await url();
      expect(before?.startsWith(new URL(first.ready.upload_url).origin)).toBe(true);
      const put = async (where: string, part: Buffer, from: number) => {
        const range = `bytes ${from}-${from + part.length - 1}/*`;
        const headers = { 'Content-Range': range };
        const answer = await send(where, { method: 'PUT', headers, body: part, ca: first.ca });
        expect(answer.status, answer.text).toBe(200);
      };
      await put(String(before), bytes.subarray(0, 2 ** 19), 0);
      await first.kill();
      several.servers[0] = undefined;
      const origins = several.servers.flatMap((one) => one?.ready.upload_url ?? []);
      const isTakenOver = async () => {
        const shown = await url();
        return origins.some((origin) => shown?.startsWith(origin));
      };
      await expect.poll(isTakenOver, { timeout: 30_000 }).toBe(true);
      await put(String(await url()), bytes.subarray(2 ** 19), 2 ** 19);
      await json('POST', `${path}/finalize`, {});
      const phase = async () => (await json<{ phase: string }>('GET', path)).phase;
      await expect.poll(phase, { timeout: 30_000 }).toBe('finished_success');
      expect(readFileSync(join(several.folder, 'images', disk)).equals(bytes)).toBe(true);
    });

    it('continue an upload after its server was killed', async () => {
      several = await SeveralServers.start(3);
      const [first] = several.servers;
      if (!first) throw new Error('there is no server');
      const home = makeHome(first);
      try {
        const upload = uploadOne(several, home, 'moved', 8);
        const owner = await findOwner(several);
        await several.servers[owner]?.kill();
        several.servers[owner] = undefined;
        expect(await upload).toBeUndefined();
      } finally {
        home.remove();
      }
    });

    it('control: without lock and counter they do things twice and miss events', async () => {
      const program = withoutLockAndCounter();
      try {
        several = await SeveralServers.start(3, program);
        const noticed = { doubles: 0, gaps: 0 };
        // A race may need several attempts.
        for (let tries = 0; tries < 12 && !(noticed.doubles && noticed.gaps); tries += 1) {
          const found = await chaos(several, {
            ...{ kills: 1, races: 100, isUploading: false, isStrict: false },
            prefix: `${tries}-`,
          });
          noticed.doubles += found.doubles + found.twice.length;
          noticed.gaps += found.gaps.length;
        }
        expect(noticed.doubles).toBeGreaterThan(0);
        expect(noticed.gaps).toBeGreaterThan(0);
      } finally {
        rmSync(dirname(dirname(program)), { recursive: true, force: true });
      }
    });
  },
);

/** Index of the server with the one active transfer, once it has moved data. */
async function findOwner(site: SeveralServers): Promise<number> {
  for (;;) {
    const answer = await site.send('GET', `${api}/imagetransfers`);
    const { image_transfer: [transfer] = [] } = answer.json<{
      image_transfer?: { transfer_url?: string; transferred?: number }[];
    }>();
    const index = site.servers.findIndex(
      (server) =>
        server && transfer?.transfer_url?.startsWith(new URL(server.ready.upload_url).origin),
    );
    if (index >= 0 && Number(transfer?.transferred) > 0) return index;
    await wait(50);
  }
}

/** Replacements in the build that remove the lock and the counter. */
const without: readonly (readonly [RegExp, string])[] = [
  [/SELECT pg_advisory_xact_lock\([^)]*\)/g, 'SELECT 1'],
  [
    /INSERT INTO counter \(name, value\) VALUES \(\?, 1\)[^`'"]*RETURNING value/g,
    `SELECT nextval(pg_get_serial_sequence('task', 'seq')) AS value WHERE CAST(? AS text) <> ''`,
  ],
];

/** A build of vmctl without the write lock and with event numbers from a sequence. */
function withoutLockAndCounter(): string {
  const tree = join(dirname(dirname(vmctl)), `.without-lock-${process.pid}`);
  for (const name of ['bin', 'dist', 'package.json']) {
    cpSync(join(dirname(dirname(vmctl)), name), join(tree, name), { recursive: true });
  }
  symlinkSync(join(dirname(dirname(vmctl)), 'node_modules'), join(tree, 'node_modules'));
  let changed = 0;
  const chunks = join(tree, 'dist/chunks');
  for (const name of readdirSync(chunks)) {
    if (!name.endsWith('.cjs')) continue;
    const text = readFileSync(join(chunks, name), 'utf8');
    const found = without.filter(([part]) => text.search(part) >= 0);
    const other = without.reduce((one, [part, instead]) => one.replace(part, instead), text);
    if (found.length > 0) writeFileSync(join(chunks, name), other);
    changed += found.length;
  }
  expect(changed).toBe(without.length);
  return join(tree, 'bin/vmctl.js');
}
