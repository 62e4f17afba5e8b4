/**
 * A task that crashes the server: it is retried once, fails with an event at the third start, and
 * does not affect other tasks.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FolderSite, type KnownDisk } from './support/site.ts';

/**
 * Preload that exits when a task opens an image listed in the file `deadly`, like an out-of-memory
 * crash. Images listed in `stuck` never open.
 */
const preload = `
  const fs = require('node:fs');
  const { join } = require('node:path');
  const named = (list) => {
    try { return fs.readFileSync(join(process.env.CRASH_LISTS, list), 'utf8').trim().split('\\n'); }
    catch { return []; }
  };
  const { open } = fs.promises;
  fs.promises.open = (path, ...rest) => {
    const isNamed = (id) => id !== '' && String(path).includes(id);
    if (named('deadly').some(isNamed)) process.kill(process.pid, 'SIGKILL');
    return named('stuck').some(isNamed) ? new Promise(() => {}) : open(path, ...rest);
  };
  require('node:module').syncBuiltinESMExports();`;

let site: FolderSite;
let deadly: KnownDisk;
let innocent: KnownDisk;

beforeAll(async () => {
  site = new FolderSite();
  const path = join(site.parent, 'crash.cjs');
  writeFileSync(path, preload);
  site.env = { NODE_OPTIONS: `--require=${JSON.stringify(path)}`, CRASH_LISTS: site.parent };
  await site.start();
  deadly = await site.disk('deadly');
  innocent = await site.disk('innocent');
}, 60_000);
afterAll(() => site?.remove());

const name = (list: string, ...disks: readonly KnownDisk[]) =>
  writeFileSync(join(site.parent, list), disks.map(({ id }) => id).join('\n'));
const convert = ({ id }: KnownDisk) =>
  site.api.json('POST', `/disks/${id}/convert`, { disk: { format: 'cow' } });

/** Resolves when the server has exited. */
const ended = () =>
  new Promise<void>((resolve) => {
    const { process } = site.server;
    if (process.exitCode !== null || process.signalCode !== null) resolve();
    else process.once('exit', () => resolve());
  });

it('fails after two crashes; the server serves everything else', async () => {
  name('stuck', innocent);
  expect((await convert(innocent)).status).toBe(200);
  name('deadly', deadly);
  await convert(deadly).catch(() => undefined);
  await ended();
  await site.kill();

  name('stuck');
  // The server may exit before its first request.
  await site.start().then(ended, () => undefined);
  await site.kill();

  await site.start();
  const converted = (id: string) =>
    site.api.until(`/disks/${id}`, (answer) => answer.json()['status'] !== 'locked');
  expect((await converted(deadly.id)).json()).toMatchObject({ status: 'ok', format: 'raw' });
  expect((await converted(innocent.id)).json()).toMatchObject({ status: 'ok', format: 'cow' });
  expect(await site.events(20_100)).toEqual([
    'Task convert of Virtual Disk deadly failed: the server stopped unexpectedly during 2 attempts.',
  ]);
  const jobs = (await site.api.json('GET', '/jobs')).json<{
    job: { description: string; status: string }[];
  }>();
  const status = Object.fromEntries(jobs.job.map((job) => [job.description, job.status]));
  expect(status).toMatchObject({
    'Converting disk deadly': 'failed',
    'Converting disk innocent': 'finished',
  });
  name('deadly');
  expect((await site.read(deadly.id)).equals(deadly.bytes)).toBe(true);

  // A failed task is not started again.
  await site.stop();
  name('deadly', deadly);
  await site.start();
  expect(await site.status(deadly.id)).toBe('ok');
}, 120_000);
