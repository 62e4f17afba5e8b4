/** Uploads killed before the first byte was sent: the same command completes the upload. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { RawApi, send } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type Running, User } from './support/commands.ts';
import { difference, MiB, makeImage } from './support/images.ts';

let server: TestServer;
let api: RawApi;
let folder: string;
let file: string;
let user: User;
beforeAll(async () => {
  server = await startTestServer(['--inventory', 'small', '--speed', '0']);
  api = await RawApi.signIn(server);
}, 60_000);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-killed-uploads-'));
  file = join(folder, 'image.raw');
  makeImage(file, 8 * MiB);
  user = new User(server, folder);
});
afterEach(async () => {
  await faults('DELETE');
  rmSync(folder, { recursive: true, force: true });
});

function faults(method: string, rule?: object): Promise<unknown> {
  return send(new URL('/_vmctl/faults', server.ready.base_url).href, {
    ...{ method, agent: api.agent, headers: { Authorization: `Bearer ${api.token}` } },
    ...(rule === undefined ? {} : { body: JSON.stringify(rule) }),
  });
}

const words = (name: string) => [
  ...['disks', 'upload', file, '--name', name, '--storagedomain', 'data1', '--if-needed'],
];

async function disks(name: string): Promise<readonly Record<string, unknown>[]> {
  const answer = await api.json('GET', `/disks?search=name%3D${name}`);
  return answer.json<{ disk?: Record<string, unknown>[] }>().disk ?? [];
}

/** Kills a command when a disk with this name exists. */
async function killWithDisk(name: string, running: Running): Promise<void> {
  while ((await disks(name)).length === 0) {
    if (running.process.exitCode !== null) throw new Error((await running.outcome).stderr);
  }
  running.process.kill('SIGKILL');
  await running.outcome;
}

/** Content of the disk with this name. */
async function downloaded(name: string): Promise<string> {
  const copy = join(folder, `${name}.raw`);
  await user.must('disks', 'download', name, copy);
  return copy;
}

it.each([
  ['while it waits for the new disk', { operation: 'get', type: 'disk' }],
  ['before the transfer begins', { operation: 'add', type: 'image_transfer' }],
])('killed %s, the same command finishes the upload', async (_when, rule) => {
  const name = `killed-${rule.operation}-${rule.type}`;
  await faults('POST', { ...rule, delay: 600_000, times: 100 });
  await killWithDisk(name, user.start(...words(name)));
  await faults('DELETE');
  const [left] = await disks(name);
  expect(left).toMatchObject({ status: 'ok' });

  const { code, stderr } = await user.run(...words(name));
  expect(code, stderr).toBe(0);
  const [disk, ...others] = await disks(name);
  expect(others).toEqual([]);
  expect(disk?.['id']).toBe(left?.['id']);
  expect(difference(file, await downloaded(name))).toBeUndefined();
  // The disk exists now.
  expect((await user.run(...words(name))).stderr).toContain('already exists; nothing to do');
});

it('killed before its disk is created, the same command creates it, and leaves no journal', async () => {
  await faults('POST', { operation: 'add', type: 'disk', delay: 600_000, times: 100 });
  const running = user.start(...words('absent'));
  const journals = () => (existsSync(state) ? readdirSync(state).filter(isJournal) : []);
  const state = join(folder, '.local/state/vmctl/transfers');
  const isJournal = (name: string) => name.endsWith('.jsonl');
  while (journals().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  running.process.kill('SIGKILL');
  await running.outcome;
  await faults('DELETE');
  expect(await disks('absent')).toEqual([]);
  const { code, stderr } = await user.run(...words('absent'));
  expect(code, stderr).toBe(0);
  expect(await disks('absent')).toHaveLength(1);
  expect(difference(file, await downloaded('absent'))).toBeUndefined();
  expect(journals()).toEqual([]);
});

it('refuses a disk with the name of another incomplete upload', async () => {
  await faults('POST', { operation: 'add', type: 'image_transfer', delay: 600_000, times: 100 });
  await killWithDisk('other', user.start(...words('other')));
  await faults('DELETE');
  const before = file;
  file = join(folder, 'another.raw');
  makeImage(file, 8 * MiB);
  const { code, stderr } = await user.run(...words('other'));
  expect(code).toBe(6);
  expect(stderr).toContain(`disks/other is incomplete: the upload of ${before} was interrupted`);
  expect(stderr).toContain('--resume');
});

it('refuses a disk that another process is filling', async () => {
  await faults('POST', { operation: 'add', type: 'image_transfer', delay: 600_000, times: 100 });
  const running = user.start(...words('busy'));
  while ((await disks('busy'))[0]?.['status'] !== 'ok');
  const { code, stderr } = await user.run(...words('busy'));
  expect(code).toBe(6);
  expect(stderr).toContain(
    `another vmctl (process ${running.process.pid}) is transferring ${file}`,
  );
  running.process.kill('SIGKILL');
  await running.outcome;
});
