/**
 * `vmctl serve --backup`, `--restore` and `--check`: backup of a running site, and its restoration.
 */
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BackupWriter } from '../../src/server/backup/format.ts';
import { restoreBackup } from '../../src/server/backup/restore.ts';
import { FolderSite, type KnownDisk, MiB } from '../faults/support/site.ts';
import { type Home, makeHome, type Outcome } from '../support/command.ts';
import { send } from '../support/raw.ts';
import { vmctl } from '../support/server.ts';

let site: FolderSite;
let copy: FolderSite;
let home: Home;
let disk: KnownDisk;
let file: string;

beforeAll(async () => {
  site = new FolderSite();
  copy = new FolderSite();
  file = join(site.parent, 'site.backup');
  await site.start();
  home = makeHome(site.server);
  disk = await site.disk('kept', 24 * MiB);
});
afterAll(async () => {
  home.remove();
  await copy.remove();
  await site.remove();
});

async function run(...words: string[]): Promise<Outcome> {
  return home.run(['serve', ...words]);
}

/** Restores the backup to the folder of the copy, and starts a server there. */
async function again(...options: string[]): Promise<void> {
  await copy.kill();
  rmSync(copy.data, { recursive: true, force: true });
  const restored = await run('--restore', file, '--data', copy.data);
  expect(restored).toMatchObject({ code: 0, stderr: expect.stringContaining('with ') });
  await copy.start(...options);
}

describe('a backup', () => {
  it('of a running server restores objects, events, users and bytes', async () => {
    const cow = await site.add('sparse', 64 * 2 ** 30, 'raw');
    const piece = randomBytes(64 * 1024);
    const up = await site.transfer(cow, 'upload');
    const range = { 'Content-Range': `bytes ${40 * 2 ** 30}-${40 * 2 ** 30 + piece.length - 1}/*` };
    const sent = await send(up.url, {
      method: 'PUT',
      body: piece,
      headers: range,
      ca: site.server.ca,
    });
    expect(sent.status, sent.text).toBe(200);
    await site.finish(up.path);
    await site.api.json('POST', '/bookmarks', { name: 'before', value: 'x' });

    const made = await run('--backup', file);
    expect(made).toEqual({ code: 0, stdout: '', stderr: '' });
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
    // Holes use no space.
    expect(statSync(file).size).toBeLessThan(40 * MiB);
    await site.api.json('POST', '/bookmarks', { name: 'after', value: 'x' });

    await again();
    expect(await copy.holds(disk)).toBe(true);
    const down = await copy.transfer(cow, 'download');
    const got = await send(down.url, {
      headers: { Range: `bytes=${40 * 2 ** 30}-${40 * 2 ** 30 + piece.length - 1}` },
      ca: copy.server.ca,
    });
    expect(got.bytes.equals(piece)).toBe(true);
    await copy.finish(down.path);
    const list = (await copy.api.json('GET', '/bookmarks')).json<{
      bookmark: { name: string }[];
    }>();
    expect(list.bookmark.map(({ name }) => name)).toEqual(['before']);
    // No temporary files remain in the data folder.
    expect(readdirSync(site.data).filter((name) => name.startsWith('backup'))).toEqual([]);
    await copy.stop();
    const checked = await run('--check', '--data', copy.data);
    expect(checked, checked.stdout).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('no problems found'),
    });
  });

  it('of a folder without a running server is the same', async () => {
    const other = join(site.parent, 'offline.backup');
    await again();
    await copy.stop();
    expect(await run('--backup', other, '--data', copy.data)).toMatchObject({
      code: 0,
      stdout: '',
    });
    rmSync(copy.data, { recursive: true });
    expect((await run('--restore', other, '--data', copy.data)).code).toBe(0);
    await copy.start();
    expect(await copy.holds(disk)).toBe(true);
    await copy.stop();
    // If a server runs on the named folder, it creates the backup.
    expect(await run('--backup', other, '--data', site.data)).toMatchObject({ code: 0 });
  });

  it('needs no file of completed transfers, and neither does a start', async () => {
    const { path } = await site.transfer(disk.id, 'download', 'cow');
    await site.finish(path);
    expect(await run('--backup', file)).toEqual({ code: 0, stdout: '', stderr: '' });
    await site.kill();
    await site.start();
    expect(await site.events(10920)).toEqual([]);
    // The address of the server has changed.
    home.remove();
    home = makeHome(site.server);
  });

  it('of an in-memory server is restored to a folder', async () => {
    const folder = join(site.parent, 'from-memory');
    const backup = join(site.parent, 'memory.backup');
    const serve = ['--memory', '--inventory', 'small', '--', process.execPath, vmctl];
    expect(await run(...serve, 'serve', '--backup', backup)).toMatchObject({ code: 0 });
    expect(await run('--restore', backup, '--data', folder)).toMatchObject({ code: 0 });
    const listed = await run('--data', folder, '--', process.execPath, vmctl, 'vms', 'list');
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining('vm-01') });
  });

  it('is consistent: it excludes uploads and changes that start later', async () => {
    const half = await site.add('half', 2 * MiB);
    const under = await site.transfer(half, 'upload');
    await send(under.url, {
      ...{ method: 'PUT', body: randomBytes(MiB), ca: site.server.ca },
      headers: { 'Content-Range': `bytes 0-${MiB - 1}/*` },
    });
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${site.api.token}` };
      const url = new URL('/_vmctl/backup', site.server.ready.api_url);
      request(url, { ca: site.server.ca, headers }, resolve).on('error', reject).end();
    });
    expect(answer.statusCode).toBe(200);
    // The content is fixed before the client reads it.
    const second = await send(new URL('/_vmctl/backup', site.server.ready.api_url).href, {
      headers: { Authorization: `Bearer ${site.api.token}` },
      ca: site.server.ca,
    });
    expect([second.status, second.text]).toEqual([409, expect.stringContaining('Another backup')]);
    // Another server that tries to start on the folder does not disturb the backup.
    expect((await site.refused()).stderr).toContain('another vmctl serve uses it');
    const before = disk.bytes;
    const changed = randomBytes(before.length);
    await site.write(disk.id, changed);
    const late = await site.disk('late');
    await site.api.json('DELETE', `/disks/${late.id}`);
    const pieces: Buffer[] = [];
    for await (const piece of answer) pieces.push(piece as Buffer);
    writeFileSync(file, Buffer.concat(pieces));
    expect((await site.read(disk.id)).equals(changed)).toBe(true);

    await again();
    expect(await copy.holds(disk)).toBe(true);
    expect((await copy.api.json('GET', `/disks/${late.id}`)).status).toBe(404);
    // Data acknowledged after the backup may be missing: the client must restart the transfer.
    const { phase } = (await copy.api.json('GET', under.path)).json();
    expect(phase).toBe('finished_failure');
    expect(await copy.status(half)).toBe('illegal');
    await copy.write(half, randomBytes(2 * MiB));
    expect(await copy.status(half)).toBe('ok');
    await copy.stop();
    await site.write(disk.id, before);
    await site.finish(under.path);
  });

  it('leaves no files if the client disconnects', async () => {
    await new Promise<void>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${site.api.token}` };
      const url = new URL('/_vmctl/backup', site.server.ready.api_url);
      const asked = request(url, { ca: site.server.ca, headers }, (answer) => {
        answer.once('data', () => {
          asked.destroy();
          resolve();
        });
      });
      asked.on('error', reject).end();
    });
    while (readdirSync(site.data).some((name) => name.startsWith('backup'))) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect((await run('--backup', file)).code).toBe(0);
  });

  it('requires the administrator', async () => {
    const url = new URL('/_vmctl/backup', site.server.ready.api_url).href;
    const jane = Buffer.from('jane@internal:not-a-secret').toString('base64');
    const refused = await send(url, {
      headers: { Authorization: `Basic ${jane}` },
      ca: site.server.ca,
    });
    expect(refused.status).toBe(403);
    expect((await send(url, { ca: site.server.ca })).status).toBe(401);
  });
});

describe('restoring', () => {
  const into = () => join(copy.parent, 'into');
  const refused = async (bytes: Buffer, words: RegExp) => {
    const bad = join(site.parent, 'bad.backup');
    writeFileSync(bad, bytes);
    const error = await restoreBackup(bad, into()).catch((reason: unknown) => reason);
    expect(String(error)).toMatch(words);
    expect(readdirSync(into())).toEqual([]);
  };

  it('refuses a folder with files of a site', async () => {
    const taken = await run('--restore', file, '--data', site.data);
    expect(taken).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/is not empty.*--data/s),
    });
    mkdirSync(join(copy.parent, 'odd', 'images'), { recursive: true, mode: 0o700 });
    writeFileSync(join(copy.parent, 'odd', 'images', 'x'), 'x');
    const odd = await run('--restore', file, '--data', join(copy.parent, 'odd'));
    expect(odd).toMatchObject({ code: 2, stderr: expect.stringContaining('is not empty') });
    expect(readFileSync(join(copy.parent, 'odd', 'images', 'x'), 'utf8')).toBe('x');
  });

  it('refuses a truncated or modified backup, and leaves no files', async () => {
    expect((await run('--backup', file)).code).toBe(0);
    const whole = readFileSync(file);
    const parts = [0, 5, 20, 60, 5000, whole.length / 3, whole.length - 90, whole.length - 1];
    for (const part of parts)
      await refused(whole.subarray(0, part), /not a backup|truncated|damaged/);
    for (let step = 0; step < 6; step++) {
      const changed = Buffer.from(whole);
      const at = 20 + Math.floor((step / 6) * (whole.length - 40));
      changed[at] = (changed[at] ?? 0) ^ 1;
      await refused(
        changed,
        /checksum|damaged|out of range|not a part of a site|truncated|size|after its end/,
      );
    }
    await refused(Buffer.concat([whole, Buffer.from('more')]), /it has data after its end/);
  });

  it.each([
    ['../vmctl.db', 1, /is not a part of a site/],
    ['/etc/cron.d/x', 1, /is not a part of a site/],
    ['images/../../x', 1, /is not a part of a site/],
    [`images/${'a'.repeat(36)}`, 1, /is not a part of a site/],
    ['images/.site', 1, /is not a part of a site/],
    ['vmctl.db', 2 ** 60, /has the invalid size/],
    ['vmctl.db', -1, /has the invalid size/],
    ['vmctl.db', 1.5, /has the invalid size/],
  ] as const)('refuses an entry %s with the size %d', async (path, size, words) => {
    const writer = new BackupWriter();
    const parts = [writer.begin(), writer.entry({ path, size }), writer.endOfEntry(), writer.end()];
    await refused(Buffer.concat(parts), words);
  });

  it('refuses pieces outside of a file, duplicate files, a missing database, a database with triggers', async () => {
    const made = (fill: (writer: BackupWriter) => Buffer[]) => {
      const writer = new BackupWriter();
      return Buffer.concat([writer.begin(), ...fill(writer), writer.end()]);
    };
    const image = 'images/11111111-2222-3333-4444-555555555555';
    const bytes = Buffer.alloc(10, 'x');
    const entry = { path: image, size: 10 };
    await refused(
      made((w) => [w.entry(entry), w.piece({ offset: 1, bytes }), w.endOfEntry()]),
      /is out of range/,
    );
    await refused(
      made((w) => [w.entry(entry), w.endOfEntry(), w.entry(entry), w.endOfEntry()]),
      /twice/,
    );
    await refused(
      made((w) => [w.entry(entry), w.endOfEntry()]),
      /no database/,
    );
    const { openDatabase } = await import('../../src/server/store/driver.ts');
    const path = join(site.parent, 'acts.db');
    const db = await openDatabase(path);
    db.exec('CREATE TABLE t (a); CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM t; END');
    db.close();
    const database = readFileSync(path);
    await refused(
      made((w) => [
        w.entry({ path: 'vmctl.db', size: database.length }),
        w.piece({ offset: 0, bytes: database }),
        w.endOfEntry(),
      ]),
      /its database was not written by a server/,
    );
    await refused(Buffer.from('vmctl-backup 2\n'), /a newer vmctl/);
  });

  it('can be repeated after a kill, and no server starts on the partial result', async () => {
    await copy.kill();
    rmSync(copy.data, { recursive: true, force: true });
    mkdirSync(join(copy.data, 'restore.partial', 'images'), { recursive: true, mode: 0o700 });
    const outcome = await copy.refused();
    expect(outcome.stderr).toMatch(/was interrupted.*--restore again/s);
    expect((await run('--restore', file, '--data', copy.data)).code).toBe(0);
    await copy.start();
    expect(await copy.holds(disk)).toBe(true);
    await copy.stop();
  });
});

describe('a check', () => {
  it('finds missing, truncated and unknown images, and damage of the database', async () => {
    await again();
    await copy.stop();
    const image = copy.image(disk);
    const bytes = readFileSync(image);
    const check = () => run('--check', '--data', copy.data);
    truncateSync(image, 5);
    expect(await check()).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`image ${disk.id} has 5 bytes instead of ${bytes.length}`),
    });
    rmSync(image);
    expect(await check()).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`image ${disk.id} is missing`),
    });
    writeFileSync(image, bytes, { mode: 0o600 });
    const stranger = join(copy.images, '11111111-2222-3333-4444-555555555555');
    writeFileSync(stranger, 'bytes');
    expect(await check()).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('unknown to the database'),
    });
    rmSync(stranger);
    expect(await check()).toMatchObject({ code: 0 });
    const database = readFileSync(copy.database);
    writeFileSync(copy.database, database.fill(0, 8192, 12288));
    expect(await check()).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('was changed after it was closed'),
    });
    expect(existsSync(image)).toBe(true);
  });

  it('refuses a folder in use, and an empty folder', async () => {
    const running = await run('--check', '--data', site.data);
    expect(running).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('another vmctl serve uses it'),
    });
    const nothing = await run('--check', '--data', join(copy.parent, 'nothing'));
    expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining('is missing') });
    expect(existsSync(join(copy.parent, 'nothing'))).toBe(false);
    const both = await run('--check', '--restore', file, '--data', copy.data);
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('exclude each other') });
  });
});
