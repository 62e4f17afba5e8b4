/**
 * Crashes, restarts and second servers: acknowledged changes survive, and running operations
 * complete.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/server/store/driver.ts';
import { storeVariable } from '../support/postgres.ts';
import { RawApi } from '../support/raw.ts';
import { startServerProcess, vmctl } from '../support/server.ts';

const MiB = 2 ** 20;
let data: string;

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'vmctl-data-'));
});

afterEach(() => {
  rmSync(data, { recursive: true, force: true });
});

const start = (...options: string[]) => startServerProcess(['--data', data, ...options]);

it('completes the start of VMs after a kill and a restart', async () => {
  const before = await start('--inventory', 'small', '--speed', '1');
  const first = await RawApi.signIn(before);
  const found = await first.json('GET', '/vms?search=name%3Dvm-02');
  const vm = found.json<{ vm: { id: string; status: string }[] }>().vm[0];
  expect(vm?.status).toBe('down');
  expect((await first.json('POST', `/vms/${vm?.id}/start`, {})).status).toBe(200);
  await first.until(`/vms/${vm?.id}`, (answer) => answer.json()['status'] === 'powering_up');
  await before.kill();

  const after = await start('--speed', '0.1');
  const second = await RawApi.signIn(after);
  const up = await second.until(`/vms/${vm?.id}`, (answer) => answer.json()['status'] === 'up');
  expect(up.json()['host']).toBeDefined();
  const events = await second.json('GET', '/events?search=type%3D32&max=1');
  expect(events.json<{ event: { description: string }[] }>().event[0]?.description).toContain(
    'vm-02',
  );
  expect(await after.stop()).toBe(0);
});

/** Kills a server while it writes a large inventory, with a part of it in the database. */
async function killWhileFilling(): Promise<void> {
  const options = ['--data', data, '--listen', '127.0.0.1:0', '--images-listen', '127.0.0.1:0'];
  const words = [vmctl, 'serve', ...options, '--inventory', 'hosts=10,vms=15000'];
  const child = spawn(process.execPath, words, { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const database = join(data, 'vmctl.db');
  // The size without VMs is a tenth of that, with all of them more than ten times as much.
  while ((statSync(database, { throwIfNoEntry: false })?.size ?? 0) < 10 * MiB) {
    expect(child.exitCode, 'the server has ended before it filled anything').toBeNull();
    await setTimeout(5);
  }
  child.kill('SIGKILL');
  await ended;
  expect(existsSync(`${database}-journal`)).toBe(true);
}

// PostgreSQL rolls uncommitted data back, so nothing remains to be checked.
describe.skipIf(process.env[storeVariable] !== undefined)(
  'killed while it creates its inventory',
  () => {
    it('a server starts over on the next start', async () => {
      await killWhileFilling();
      const server = await start('--inventory', 'small');
      const api = await RawApi.signIn(server);
      const list = await api.json('GET', '/vms');
      expect(list.json<{ vm: { name: string }[] }>().vm.map(({ name }) => name)).toEqual([
        'vm-01',
        'vm-02',
        'vm-03',
      ]);
      expect(await server.stop()).toBe(0);
    });

    it('--new-site moves a complete database aside', async () => {
      await killWhileFilling();
      const server = await start('--new-site', '--inventory', 'empty');
      await server.stop();
      const [aside = ''] = readdirSync(data).filter((name) => name.startsWith('before-new-site'));
      expect(existsSync(join(data, aside, 'vmctl.db-journal'))).toBe(false);
      const db = await openDatabase(join(data, aside, 'vmctl.db'));
      expect(db.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
      expect(db.prepare('SELECT count(*) AS machines FROM o_vm').get()).toMatchObject({
        machines: 0,
      });
      db.close();
    });
  },
);

it('A8 refuses a second server on the same data with the reason', async () => {
  const server = await start();
  await expect(start()).rejects.toThrow(/another vmctl serve uses it/);
  expect(await server.stop()).toBe(0);
});

it('keeps the password, the tokens and the authority across a restart', async () => {
  const before = await start();
  const api = await RawApi.signIn(before);
  expect(await before.stop()).toBe(0);
  const after = await start();
  expect(after.ca).toBe(before.ca);
  const again = new RawApi(after, api.token);
  expect((await again.json('GET', '/')).status).toBe(200);
  await after.stop();
});

it('A9 completes running requests when it is stopped', async () => {
  const server = await start('--speed', '0');
  const api = await RawApi.signIn(server);
  const requests = Array.from({ length: 20 }, (_, number) =>
    api.json('POST', '/bookmarks', { name: `late${number}`, value: 'x' }),
  );
  const [first] = requests;
  await first;
  const stopped = server.stop();
  const answers = await Promise.allSettled(requests);
  expect(await stopped).toBe(0);
  const added = answers.filter(
    (answer) => answer.status === 'fulfilled' && answer.value.status === 201,
  ).length;
  const restarted = await start();
  const list = await (await RawApi.signIn(restarted)).json('GET', '/bookmarks');
  expect(list.json<{ bookmark: unknown[] }>().bookmark.length).toBeGreaterThanOrEqual(added);
  await restarted.stop();
});
