/**
 * A missing, empty, old, torn or modified database, or missing images: the server refuses to start,
 * and no byte of a disk is deleted.
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FolderError } from '../../src/server/files/access.ts';
import { checkFolder } from '../../src/server/folder/check.ts';
import { openDataFolder } from '../../src/server/folder/data-folder.ts';
import { openDatabase } from '../../src/server/store/driver.ts';
import type { Outcome } from '../support/command.ts';
import { isFullRun, recordResult } from './support/catalogue.ts';
import { FolderSite, type KnownDisk, MiB } from './support/site.ts';

let site: FolderSite;
let disk: KnownDisk;
/** Data folder after a clean stop, and after a kill. */
let closed: string;
let killed: string;
let refusals = 0;
/** First page of a table that no start reads. */
let icons: number;
/** Cases that CI skips: each starts several servers. */
const long = it.skipIf(!isFullRun);

beforeAll(async () => {
  site = new FolderSite();
  closed = join(site.parent, 'closed');
  killed = join(site.parent, 'killed');
  await site.start();
  disk = await site.disk('kept');
  await site.stop();
  cpSync(site.data, closed, { recursive: true, preserveTimestamps: true });
  const copied = join(site.parent, 'copied.db');
  copyFileSync(site.database, copied);
  const db = await openDatabase(copied);
  const first = db
    .prepare("SELECT rootpage AS page FROM sqlite_master WHERE name = 'o_icon'")
    .get();
  icons = Number(first?.['page']);
  db.close();
  await site.start();
  await site.api.json('POST', '/bookmarks', { name: 'one', value: 'x' });
  await site.api.json('POST', '/bookmarks', { name: 'two', value: 'x' });
  await site.kill();
  rmSync(join(site.data, 'images.sock'), { force: true });
  cpSync(site.data, killed, { recursive: true, preserveTimestamps: true });
});
afterAll(async () => {
  await site.remove();
  recordResult(
    'A7',
    `${refusals} damaged or foreign folders refused, 0 servers started, 0 images deleted`,
  );
});

function use(folder: string): void {
  rmSync(site.data, { recursive: true, force: true });
  cpSync(folder, site.data, { recursive: true, preserveTimestamps: true });
}

/** Requires a refused start with a reason, and unchanged files. */
async function expectRefused(words: RegExp, way: RegExp, byCommand = false): Promise<Outcome> {
  const before = readFileSync(site.image(disk));
  const outcome = await (isFullRun || byCommand ? site.refused() : refusedHere(site.data));
  expect(outcome.stderr).toMatch(words);
  expect(outcome.stderr).toMatch(way);
  expect([outcome.code, outcome.stdout]).toEqual([2, '']);
  expect(before.equals(disk.bytes)).toBe(true);
  expect(readFileSync(site.image(disk)).equals(before)).toBe(true);
  refusals += 1;
  return outcome;
}

/** Output of the command, without a separate process. */
async function refusedHere(data: string): Promise<Outcome> {
  const settings = { inMemory: false, newSite: false, adoptImages: false, log: () => {} };
  const error = await openDataFolder(data, settings).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(FolderError);
  const { message, hint } = error as FolderError;
  return { code: 2, stdout: '', stderr: `${message}\n${hint ?? ''}` };
}

/** Content of the files directly in a folder. */
function readFiles(folder: string): Record<string, string> {
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ name }) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex'),
    ]),
  );
}

function flip(file: string, at: number, length = 1): void {
  const bytes = readFileSync(file).subarray(at, at + length);
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.from(bytes.map((byte) => byte ^ 0xff)), 0, bytes.length, at);
  closeSync(handle);
}

function zero(file: string, at: number, length: number): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.alloc(length), 0, length, at);
  closeSync(handle);
}

describe('A7 a database after a clean stop', () => {
  beforeEach(() => use(closed));

  it('A7 control: starts with its disk', async () => {
    await site.start();
    expect(await site.holds(disk)).toBe(true);
    await site.stop();
  });

  it('A7 missing: refused, also on the second attempt', async () => {
    rmSync(site.database);
    await expectRefused(
      /vmctl\.db is missing, .* with 1 image \(1 MiB\)/,
      /--new-site .*nothing is deleted/,
      true,
    );
    await expectRefused(/vmctl\.db is missing/, /--restore/);
    expect(existsSync(site.database)).toBe(false);
  });

  it('A7 empty: refused', async () => {
    truncateSync(site.database, 0);
    await expectRefused(/vmctl\.db is empty/, /--new-site/);
  });

  it('A7 empty site: --new-site moves the images aside, and deletes nothing', async () => {
    truncateSync(site.database, 0);
    await site.start('--new-site');
    const [aside = ''] = readdirSync(site.data).filter((name) =>
      name.startsWith('before-new-site'),
    );
    expect(readFileSync(join(site.data, aside, 'images', disk.id)).equals(disk.bytes)).toBe(true);
    expect(existsSync(site.image(disk))).toBe(false);
    // Cookies of the previous site are invalid on the new one.
    const keyIn = (folder: string) => readFileSync(join(site.data, folder, 'session.key'), 'utf8');
    expect(keyIn('')).not.toBe(keyIn(aside));
    expect(site.server.stderr()).toContain(aside);
    await site.stop();
    await site.start();
    await site.stop();
  });

  long(
    'A7 older: one of an earlier start is refused, and goes on where that is asked for',
    async () => {
      await site.start();
      const newer = await site.disk('newer');
      await site.stop();
      copyFileSync(join(closed, 'vmctl.db'), site.database);
      rmSync(`${site.database}.closed`);
      await expectRefused(
        /older than the images .*: database from start 1, images from start 2/,
        /--adopt-images/,
        true,
      );
      expect(readFileSync(site.image(newer)).equals(newer.bytes)).toBe(true);
      await site.start('--adopt-images');
      expect(await site.holds(disk)).toBe(true);
      const [aside = ''] = readdirSync(site.data).filter((name) => name.startsWith('images.aside'));
      expect(readFileSync(join(site.data, aside, newer.id)).equals(newer.bytes)).toBe(true);
      await site.stop();
    },
  );

  it('A7 older by an image: refuses a database that lacks an image', async () => {
    const stranger = '11111111-2222-3333-4444-555555555555';
    writeFileSync(join(site.images, stranger), 'bytes of somebody');
    await expectRefused(/1 image .* unknown to the database .* \(1{8}-/, /--adopt-images/);
    expect(readFileSync(join(site.images, stranger), 'utf8')).toBe('bytes of somebody');
  });

  it('A7 another site: refuses a database next to images of another site', async () => {
    writeFileSync(join(site.images, '.site'), JSON.stringify({ site: 'other', starts: 1 }));
    await expectRefused(/belong to site other, the database to /, /--adopt-images/);
  });

  it('A7 torn: refused', async () => {
    truncateSync(site.database, Math.floor(statSync(site.database).size / 2));
    await expectRefused(/vmctl\.db (was changed|is damaged)/, /--restore/);
  });

  it('A7 zeroed pages: refused', async () => {
    const { size } = statSync(site.database);
    zero(site.database, Math.floor(size / 8192) * 4096, 4096 * 3);
    await expectRefused(/vmctl\.db (was changed|is damaged)/, /--restore/);
  });

  it.each([0.1, 0.37, 0.62, 0.9])('A7 flipped byte at %d of the file: refused', async (part) => {
    flip(site.database, Math.floor(statSync(site.database).size * part));
    await expectRefused(/vmctl\.db (was changed|is damaged)/, /--restore/);
  });

  it('A7 the log of another time next to a closed database: refused', async () => {
    copyFileSync(join(killed, 'vmctl.db-wal'), `${site.database}-wal`);
    await expectRefused(/vmctl\.db was changed/, /--restore/);
  });

  long('A7 control: a copy with other times is no damage', async () => {
    use(closed);
    cpSync(join(closed, 'vmctl.db'), site.database, { preserveTimestamps: false });
    await site.start();
    expect(await site.holds(disk)).toBe(true);
    await site.stop();
  });

  long('A7 images missing: a folder that is absent or not mounted is refused', async () => {
    const away = join(site.parent, 'away');
    renameSync(site.images, away);
    try {
      const outcome = await site.refused();
      expect(outcome.stderr).toMatch(/expects 1 disk image in .*mount it/s);
      expect(outcome.code).toBe(2);
      refusals += 1;
      rmSync(site.images, { recursive: true, force: true });
    } finally {
      renameSync(away, site.images);
    }
    await site.start();
    expect(await site.holds(disk)).toBe(true);
    await site.stop();
  });

  it.each(isFullRun ? ['missing', 'shorter'] : ['missing'])(
    'A7 an image %s: its disk is illegal, and not read',
    async (how) => {
      if (how === 'missing') renameSync(site.image(disk), join(site.parent, 'image'));
      else truncateSync(site.image(disk), MiB / 2);
      await site.start();
      expect(await site.status(disk.id)).toBe('illegal');
      expect(await site.events(10920)).toEqual([
        expect.stringContaining('The image of disk kept is'),
      ]);
      const begun = await site.api.json('POST', '/imagetransfers', {
        ...{ disk: { id: disk.id }, direction: 'download' },
      });
      expect([begun.status, begun.text]).toEqual([409, expect.stringContaining('is illegal')]);
      const copied = await site.api.json('POST', `/disks/${disk.id}/copy`, {
        storage_domain: { name: 'data1' },
      });
      expect(copied.status).toBe(409);
      await site.stop();
      if (how !== 'missing' || !isFullRun) return;
      renameSync(join(site.parent, 'image'), site.image(disk));
      await site.start();
      expect(await site.holds(disk)).toBe(true);
      expect(await site.events(10921)).toHaveLength(1);
      // Checks once: nothing changes between the starts.
      await site.stop();
      await site.start();
      expect(await site.events(10920)).toHaveLength(1);
      await site.stop();
    },
  );

  long(
    'A7 an image that goes away under a running server: a transfer of it does not begin',
    async () => {
      await site.start();
      rmSync(site.image(disk));
      const made = await site.api.json('POST', '/imagetransfers', {
        ...{ disk: { id: disk.id }, direction: 'download' },
      });
      const path = `/imagetransfers/${String(made.json()['id'])}`;
      await site.api.until(path, ({ text }) => text.includes('finished_failure'));
      expect(site.server.stderr()).toContain(`${disk.id} is missing`);
      await site.stop();
    },
  );

  long('A7 an upload over a lost image makes the disk usable again', async () => {
    rmSync(site.image(disk));
    await site.start();
    expect(await site.status(disk.id)).toBe('illegal');
    await site.write(disk.id, disk.bytes);
    expect(await site.holds(disk)).toBe(true);
    await site.stop();
    await site.start();
    expect(await site.holds(disk)).toBe(true);
    await site.stop();
  });

  it('A7 a newer version: refused, with both versions', async () => {
    const db = await openDatabase(site.database);
    db.exec(
      "UPDATE meta SET value = '99' WHERE key = 'schema_version'; PRAGMA journal_mode = DELETE",
    );
    db.close();
    rmSync(`${site.database}.closed`);
    await expectRefused(
      /newer vmctl wrote the data \(schema 99, this version supports 2\)/,
      /Use that version/,
    );
  });

  long('A7 an older version without a list of images: takes its images over', async () => {
    const db = await openDatabase(site.database);
    db.exec(
      "UPDATE meta SET value = '1' WHERE key = 'schema_version'; DELETE FROM meta WHERE key IN ('site', 'service_time'); DROP TABLE image_file; PRAGMA journal_mode = DELETE",
    );
    db.close();
    rmSync(`${site.database}.closed`);
    rmSync(join(site.images, '.site'));
    await site.start();
    expect(await site.holds(disk)).toBe(true);
    await site.stop();
    rmSync(site.image(disk));
    await site.start();
    expect(await site.status(disk.id)).toBe('illegal');
    await site.stop();
  });

  long('A7 what is removed goes away, and what a crash left of it too', async () => {
    await site.start();
    const other = await site.disk('other');
    const again = await site.disk('again');
    const aside = join(site.parent, 'aside');
    copyFileSync(site.image(again), aside);
    await site.api.json('DELETE', `/disks/${other.id}`);
    expect(existsSync(site.image(other))).toBe(false);
    await site.api.json('DELETE', `/disks/${again.id}`);
    await site.kill();
    // Simulates a kill before this step.
    renameSync(aside, site.image(again));
    await site.start();
    expect(existsSync(site.image(again))).toBe(false);
    expect(await site.holds(disk)).toBe(true);
    await site.stop();
  });
});

describe('A7 a database after a kill', () => {
  beforeEach(() => use(killed));

  const bookmarks = async () =>
    (await site.api.json('GET', '/bookmarks')).json<{ bookmark: unknown[] }>().bookmark.length;

  it('A7 control: starts with all acknowledged changes', async () => {
    await site.start();
    expect(await bookmarks()).toBe(2);
    expect(await site.holds(disk)).toBe(true);
    await site.stop();
  });

  it('A7 missing with its log present: refused, and the log remains', async () => {
    rmSync(site.database);
    await expectRefused(/vmctl\.db-wal has changes for it/, /--new-site/);
    writeFileSync(site.database, '');
    await expectRefused(/vmctl\.db-wal has changes for it/, /--new-site/);
    expect(statSync(`${site.database}-wal`).size).toBeGreaterThan(0);
  });

  it('A7 a zeroed page that no start reads: refused', async () => {
    zero(site.database, (icons - 1) * 4096, 4096);
    await expectRefused(/vmctl\.db is damaged: /, /--restore/);
  });

  it('A7 a damaged log: refused; a log torn at its end by a crash: accepted', async () => {
    const log = `${site.database}-wal`;
    const { size } = statSync(log);
    flip(log, 32 + 24 + 100);
    await expectRefused(/vmctl\.db-wal is damaged: frame 1 of \d+ is incomplete/, /--restore/);
    use(killed);
    zero(log, 0, 32);
    await expectRefused(/vmctl\.db-wal is damaged: its first page/, /--restore/);
    use(killed);
    // Start of a commit that was never acknowledged.
    writeFileSync(log, Buffer.concat([readFileSync(log), readFileSync(log).subarray(32, 3_000)]));
    expect(statSync(log).size).toBeGreaterThan(size);
    await site.start();
    expect(await bookmarks()).toBe(2);
    expect(await site.holds(disk)).toBe(true);
    await site.stop();
  });

  const log = () => `${site.database}-wal`;
  const cuts: Readonly<Record<string, () => void>> = {
    removed: () => rmSync(log()),
    'cut to nothing': () => truncateSync(log(), 0),
    'cut to its header': () => truncateSync(log(), 32),
    'cut in half': () => truncateSync(log(), Math.floor(statSync(log()).size / 2)),
    'cut by a byte': () => truncateSync(log(), statSync(log()).size - 1),
    'removed with its index': () => {
      rmSync(log());
      rmSync(`${site.database}-shm`, { force: true });
    },
    'replaced by one that is emptied': () =>
      writeFileSync(log(), Buffer.from('vmctl: emptied into the database'.padEnd(8_192))),
  };

  it.each(Object.keys(cuts))('A7 a log that is %s: refused, and nothing changes', async (how) => {
    cuts[how]?.();
    const before = readFiles(site.data);
    await expectRefused(
      /vmctl\.db lacks \d+ acknowledged commits? .*-wal was removed, cut/,
      /--accept-loss/,
    );
    expect(readFiles(site.data)).toEqual(before);
  });

  it('A7 a log truncated at any length: refused, or nothing is missing', async () => {
    const { size } = statSync(join(killed, 'vmctl.db-wal'));
    const frame = 4_096 + 24;
    for (let length = 32; length < size; length += frame * 5 + 1) {
      use(killed);
      truncateSync(log(), length);
      expect((await refusedHere(site.data)).stderr).toMatch(/lacks \d+ acknowledged commits?/);
      refusals += 1;
    }
  });

  it('A7 a removed log: --accept-loss starts once, and lists the losses', async () => {
    const { size } = statSync(log());
    truncateSync(log(), Math.floor(size / 2));
    await expectRefused(/vmctl\.db lacks/, /put .*-wal back/, true);
    await site.start('--accept-loss');
    expect(site.server.stderr()).toMatch(/lacks \d+ acknowledged commits? \(it ends at \d+,/);
    const [copy = ''] = readdirSync(site.data).filter((name) => name.includes('-wal.incomplete'));
    expect(statSync(join(site.data, copy)).size).toBe(Math.floor(size / 2));
    await site.api.json('POST', '/bookmarks', { name: 'three', value: 'x' });
    await site.kill();
    await site.start();
    expect(await bookmarks()).toBeGreaterThanOrEqual(1);
    await site.kill();
    rmSync(log());
    await expectRefused(/vmctl\.db lacks/, /--accept-loss/);
  });

  it('A7 a removed log: --check detects it', async () => {
    rmSync(log());
    const { problems } = await checkFolder(site.data);
    expect(problems.join()).toMatch(/lacks \d+ acknowledged commits?/);
  });

  it('A7 control: starts without a log after a clean stop', async () => {
    await site.start();
    await site.stop();
    expect(existsSync(log())).toBe(false);
    expect(existsSync(`${site.database}.position`)).toBe(false);
    await site.start();
    expect(await bookmarks()).toBe(2);
    await site.stop();
  });
});

describe('the data folder', () => {
  let fresh: FolderSite;
  beforeEach(async () => {
    await fresh?.remove();
    fresh = new FolderSite();
  });
  afterAll(() => fresh.remove());

  const refusal = () => (isFullRun ? fresh.refused() : refusedHere(fresh.data));
  const getMode = (path: string) => (statSync(path).mode & 0o777).toString(8);

  it('is accessible only for its owner, regardless of the umask and of its previous mode', async () => {
    const before = process.umask(0);
    try {
      mkdirSync(fresh.data, { mode: 0o755 });
      mkdirSync(fresh.images, { mode: 0o755 });
      writeFileSync(fresh.database, '', { mode: 0o644 });
      writeFileSync(join(fresh.data, 'admin-password'), 'not-a-secret\n', { mode: 0o644 });
      await fresh.start();
    } finally {
      process.umask(before);
    }
    expect([fresh.data, fresh.images].map(getMode)).toEqual(['700', '700']);
    const secret = ['vmctl.db', 'vmctl.db-wal', 'tls/ca.key', 'tls/server.key', 'images/.site'];
    expect(secret.map((name) => getMode(join(fresh.data, name)))).toEqual(secret.map(() => '600'));
    await fresh.kill();
    chmodSync(`${fresh.database}-wal`, 0o666);
    chmodSync(fresh.database, 0o666);
    await fresh.start();
    expect([fresh.database, `${fresh.database}-wal`].map(getMode)).toEqual(['600', '600']);
  });

  it.each([0o777, 0o775, 0o1777])('is refused if others can write to it (%o)', async (mode) => {
    mkdirSync(fresh.data);
    chmodSync(fresh.data, mode);
    const { code, stderr } = await refusal();
    expect(stderr).toMatch(/Other users can write to .*chmod go-w/s);
    expect(code).toBe(2);
    expect(readdirSync(fresh.data)).toEqual([]);
  });

  it('is refused if it or the database has the wrong type', async () => {
    writeFileSync(fresh.data, 'a file');
    expect((await refusal()).stderr).toMatch(/cannot be the data folder: it, .* is a file/);
    rmSync(fresh.data);
    mkdirSync(fresh.database, { recursive: true, mode: 0o700 });
    expect((await refusal()).stderr).toMatch(/vmctl\.db is a folder; expected a file/);
  });

  it.skipIf(process.getuid?.() !== 0)(
    'is refused if another user owns it (needs root)',
    async () => {
      const { chownSync } = await import('node:fs');
      mkdirSync(fresh.data, { mode: 0o700 });
      chownSync(fresh.data, 12_345, 12_345);
      expect((await refusal()).stderr).toMatch(/belongs to another user \(12345; this is 0\)/);
      chownSync(fresh.data, 0, 0);
      writeFileSync(fresh.database, '');
      chownSync(fresh.database, 12_345, 12_345);
      expect((await refusal()).stderr).toMatch(/vmctl\.db belongs to another user/);
    },
  );
});

describe('A8 two servers on one folder', () => {
  it('A8 the second one exits with a reason within a second of being ready', async () => {
    use(closed);
    await site.start();
    try {
      const idle = Date.now();
      const before = Date.now() - idle;
      const outcomes = await Promise.all([site.refused(), site.refused()]);
      for (const { code, stderr } of outcomes) {
        expect(stderr).toContain('another vmctl serve uses it');
        expect(code).toBe(2);
      }
      recordResult(
        'A8',
        `two more servers exited after ${Date.now() - idle - before} ms in total, exit code 2`,
      );
      // The refused server does not move anything either.
      expect((await site.refused('--new-site')).stderr).toContain('another vmctl serve uses it');
      expect(await site.holds(disk)).toBe(true);
    } finally {
      expect(await site.stop()).toBe(0);
    }
    // The first one has closed the store cleanly.
    expect(existsSync(`${site.database}.closed`)).toBe(true);
  });
});
