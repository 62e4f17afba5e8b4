/**
 * Every n-th call to the disk fails, one after the other, while objects and images are changed: each
 * failure is a clear fault, and nothing that was acknowledged is lost.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RawAnswer, RawApi, send } from '../support/raw.ts';
import { count, figure, whole } from './support/catalogue.ts';
import { cannotInject, type Fault, Injection, mostOfOneThread } from './support/inject.ts';
import { FolderSite, type KnownDisk } from './support/site.ts';

const size = 256 * 1024;
const cannot = cannotInject();

/** What was acknowledged, to be held against what is there. */
interface Acknowledged {
  readonly bookmarks: string[];
  readonly disks: KnownDisk[];
  readonly deleted: string[];
}

let site: FolderSite;
let acknowledged: Acknowledged;
let faults = 0;
let turn = 0;

/** A request that may be refused, but only in a way that says why. */
async function attempt(work: () => Promise<RawAnswer>): Promise<RawAnswer | undefined> {
  const answer = await work();
  if (answer.status < 300) return answer;
  faults += 1;
  // What follows from an earlier failure is refused for what it is.
  expect([404, 409, 403, 503, 500, 507], answer.text).toContain(answer.status);
  expect(answer.text).toMatch(/detail|disk|image|space|error|no free files/i);
  expect(answer.text).not.toContain('its log says why');
  return undefined;
}

/** One round of changes of all kinds. */
async function changes(old: KnownDisk): Promise<void> {
  const { api } = site;
  turn += 1;
  for (let number = 0; number < 3; number++) {
    const name = `t${turn}n${number}`;
    const made = await attempt(() => api.json('POST', '/bookmarks', { name, value: 'x' }));
    if (made) acknowledged.bookmarks.push(name);
  }
  const storage = { storage_domains: { storage_domain: [{ name: 'data1' }] } };
  const added = await attempt(() =>
    api.json('POST', '/disks', {
      ...{ name: `d${turn}`, format: 'raw', provisioned_size: size, sparse: true, ...storage },
    }),
  );
  if (added) await fill(String(added.json()['id']), storage);
  const gone = await attempt(() => api.json('DELETE', `/disks/${old.id}`));
  if (gone) acknowledged.deleted.push(old.id);
  const body = new URLSearchParams({
    ...{ grant_type: 'password', scope: 'vmctl-api', username: site.server.ready.username },
    password: site.server.password,
  }).toString();
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const { ca, ready } = site.server;
  const signed = await send(`${ready.auth_url}/oauth/token`, { method: 'POST', headers, body, ca });
  expect([200, 400, 503], signed.text).toContain(signed.status);
}

async function phaseOf(path: string): Promise<string> {
  for (;;) {
    const found = (await site.api.json('GET', path)).json();
    const phase = String(found['phase']);
    if (/^(transferring|paused|finished)/.test(phase)) return phase;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Uploads bytes into a disk, and copies it. */
async function fill(id: string, storage: object): Promise<void> {
  const { api } = site;
  const bytes = randomBytes(size);
  const made = await attempt(() =>
    api.json('POST', '/imagetransfers', { disk: { id }, direction: 'upload' }),
  );
  if (!made) return;
  const path = `/imagetransfers/${String(made.json()['id'])}`;
  if ((await phaseOf(path)) !== 'transferring') return;
  const url = String((await api.json('GET', path)).json()['transfer_url']);
  const { ca } = site.server;
  const sent = await attempt(() => send(url, { method: 'PUT', body: bytes, ca }));
  if (!sent) return;
  const ended = await attempt(() => api.json('POST', `${path}/finalize`, {}));
  if (!ended || (await phaseOf(path)) !== 'finished_success') return;
  acknowledged.disks.push({ id, name: id, bytes });
  const copied = await attempt(() =>
    api.json('POST', `/disks/${id}/copy`, {
      ...{ disk: { name: `c${turn}` }, async: false, storage_domain: { name: 'data1' } },
    }),
  );
  if (!copied) return;
  const list = (await api.json('GET', `/disks?search=name%3Dc${turn}`)).json<{
    disk?: { id: string; status: string }[];
  }>();
  for (const disk of list.disk ?? []) {
    if (disk.status === 'ok') acknowledged.disks.push({ id: disk.id, name: disk.id, bytes });
  }
  void storage;
}

/** What is not there of what was acknowledged. */
async function lost({ disks, deleted } = acknowledged): Promise<string[]> {
  const list = (await site.api.json('GET', '/bookmarks')).json<{ bookmark?: { name: string }[] }>();
  const names = new Set((list.bookmark ?? []).map(({ name }) => name));
  const missing = acknowledged.bookmarks.filter((name) => !names.has(name));
  for (const disk of disks) {
    // What was refused may have happened all the same, and then goes on: a copy locks its source.
    await site.api.until(`/disks/${disk.id}`, (answer) => answer.json()['status'] !== 'locked');
    if (!(await site.holds(disk))) missing.push(disk.id);
  }
  for (const id of deleted) {
    if ((await site.api.json('GET', `/disks/${id}`)).status !== 404) missing.push(`deleted ${id}`);
    if (existsSync(site.image({ id }))) missing.push(`file of ${id}`);
  }
  return missing;
}

/** Faults since the last crash, and what was acknowledged before it. */
let recent: Fault[] = [];
let before = { disks: 0, deleted: 0 };

/**
 * One failure: the changes are tried with it. Everything since the last crash is looked at after the
 * next one, which comes after a few failures, or when nothing can be changed any more.
 */
async function round(fault: Fault): Promise<number> {
  recent.push(fault);
  const old = await site.disk(`old${turn}`, size);
  const injection = await Injection.into(site.server.ready.pid, fault);
  let failed: number;
  try {
    await changes(old);
  } finally {
    failed = await injection.end();
  }
  expect(site.server.process.exitCode).toBeNull();
  const probe = await site.api.json('POST', '/bookmarks', { name: `probe${turn}`, value: 'x' });
  if (probe.status !== 201 || recent.length === 8) await crash();
  return failed;
}

/** Kills the server, and looks at what is left. */
async function crash(): Promise<void> {
  await site.kill();
  await site.start();
  const disks = acknowledged.disks.slice(before.disks);
  const deleted = acknowledged.deleted.slice(before.deleted);
  expect(await lost({ ...acknowledged, disks, deleted }), JSON.stringify(recent)).toEqual([]);
  recent = [];
  before = { disks: acknowledged.disks.length, deleted: acknowledged.deleted.length };
}

/** Calls that are tried of a scenario that has more: these are spread over all of it. */
const mostTries = 350;

/** Calls and what happens to them, and how many of them CI tries. */
const kinds: readonly (readonly [call: string, effect: string, words: string, few: number])[] = [
  ['pwrite64', 'error=ENOSPC', 'fails with ENOSPC', 1],
  // A call may write less than it was given; this is the least.
  ['pwrite64', 'retval=0', 'writes nothing', 1],
  ['pwrite64', 'error=EIO', 'fails with EIO', 0],
  ['fsync,fdatasync', 'error=EIO', 'fails with EIO', 1],
  ['ftruncate', 'error=ENOSPC', 'fails with ENOSPC', 0],
  ['openat', 'error=EIO', 'fails with EIO', 0],
  ['openat', 'error=EMFILE', 'fails with EMFILE', 0],
  ['rename', 'error=ENOSPC', 'fails with ENOSPC', 0],
  ['unlink', 'error=EIO', 'fails with EIO', 0],
];

describe.skipIf(cannot)(`A5 every n-th call fails${cannot ? ` (${cannot})` : ''}`, () => {
  beforeEach(async () => {
    site = new FolderSite();
    acknowledged = { bookmarks: [], disks: [], deleted: [] };
    recent = [];
    before = { disks: 0, deleted: 0 };
    await site.start();
  });
  afterEach(async () => {
    await site.remove();
  });

  it.each(kinds.filter(([, , , few]) => count(1, few) > 0))(
    'A5 %s, each in turn: %s',
    async (call, effect, words, few) => {
      faults = 0;
      const watch = await Injection.into(site.server.ready.pid, { call });
      await changes(await site.disk('watched', size));
      const total = mostOfOneThread(watch.calls());
      await watch.end();
      expect(total).toBeGreaterThan(0);
      const tries = Math.min(total, count(mostTries, few));
      let struck = 0;
      let last = 0;
      for (let turn = 0; turn < tries; turn++) {
        last = 1 + Math.floor((turn * total) / tries);
        struck += await round({ call, effect, when: String(last) });
      }
      // A round may be longer than the one that was counted.
      for (let more = whole ? 1 : 0; more > 0; struck += more) {
        last += 1;
        more = await round({ call, effect, when: String(last) });
      }
      expect(struck).toBeGreaterThan(0);
      await crash();
      expect(await lost()).toEqual([]);
      const { bookmarks, disks, deleted } = acknowledged;
      const all = bookmarks.length + disks.length + deleted.length;
      figure(
        'A5',
        `${call} ${words}: ${tries} of ${total} in turn, to the end; ${faults} faults, 0 of ${all} acknowledged lost`,
      );
    },
    3_600_000,
  );

  it('A5 a sync of the store that fails is not tried again: nothing is acknowledged after it', async () => {
    const injection = await Injection.into(site.server.ready.pid, {
      ...{ call: 'fsync,fdatasync', effect: 'error=EIO', when: '1' },
    });
    const add = (name: string) => site.api.json('POST', '/bookmarks', { name, value: 'x' });
    const first = await add('first');
    expect([first.status, first.text]).toEqual([
      503,
      expect.stringContaining('could not be written'),
    ]);
    expect(first.text).toContain('until the server was started again');
    for (const name of ['second', 'third']) expect((await add(name)).status).toBe(503);
    expect((await site.api.json('GET', '/vms')).status).toBe(200);
    const syncs = injection.calls().filter(({ text }) => text.includes('vmctl.db'));
    expect(syncs).toHaveLength(1);
    await injection.end();
    await site.kill();
    await site.start();
    expect((await add('fourth')).status).toBe(201);
  });

  it('A5 control: a writer that does not look at errors is found out', async () => {
    const target = join(site.parent, 'careless');
    writeFileSync(target, '');
    const program = `const fs = require('fs'); const file = fs.openSync(${JSON.stringify(target)}, 'r+');
      process.on('message', (number) => {
        try { fs.writeSync(file, Buffer.from([number]), 0, 1, number); } catch {}
        process.send(number);
      });`;
    const child = spawn(process.execPath, ['-e', program], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const told = (number: number) =>
      new Promise<number>((resolve) => {
        child.once('message', (message) => resolve(Number(message)));
        child.send(number);
      });
    await told(0);
    const injection = await Injection.into(child.pid ?? 0, {
      ...{ call: 'pwrite64', effect: 'error=ENOSPC', when: '3' },
    });
    const said: number[] = [];
    for (let number = 1; number <= 5; number++) said.push(await told(number));
    expect(await injection.end()).toBe(1);
    child.kill();
    const bytes = readFileSync(target);
    expect(said.filter((number) => bytes[number] !== number)).toEqual([3]);
  });
});

describe.skipIf(cannot)('A5 control of the comparison', () => {
  it('A5 control: what was never written is found to be lost', async () => {
    site = new FolderSite();
    acknowledged = { bookmarks: ['never'], disks: [], deleted: [] };
    try {
      await site.start();
      expect(await lost()).toEqual(['never']);
      site.api = await RawApi.signIn(site.server);
    } finally {
      await site.remove();
    }
  });
});
