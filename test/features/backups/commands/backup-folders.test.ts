/** `vmctl backups run` and `restore`: backup folders, and VMs restored from them. */

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { FolderSite, MiB } from '../../../faults/support/site.ts';
import { hasQemuNbd } from '../../../images/support/nbd-server.ts';
import { Machine } from '../../../support/backed-up.ts';
import { type Home, makeHome } from '../../../support/command.ts';
import { vmctl } from '../../../support/server.ts';

const size = 9 * MiB + 4096;

interface Disk {
  readonly id: string;
  readonly name: string;
  readonly file: string;
  readonly mode: string;
  readonly transferred: number;
  readonly verified: boolean;
}

interface Backup {
  readonly folder: string;
  readonly base?: string;
  readonly checkpoint: string;
  readonly deleted: readonly string[];
  readonly disks: readonly [Disk, ...Disk[]];
}

let site: FolderSite;
let home: Home;
/** A service with realistic durations of transitions. */
let slowSite: FolderSite;
let slowHome: Home;
let machine: Machine;
let name: string;
let folder: string;
let disk: string;
let image: Buffer;
let count = 0;
let reads = 0;

beforeAll(async () => {
  site = new FolderSite();
  await site.start();
  home = makeHome(site.server);
  slowSite = new FolderSite();
  await slowSite.start('--speed', '1');
  slowHome = makeHome(slowSite.server);
});
afterAll(async () => {
  home.remove();
  slowHome.remove();
  await Promise.all([site.remove(), slowSite.remove()]);
});
beforeEach(async () => {
  count += 1;
  name = `kept-${count}`;
  folder = join(site.parent, `backups of ${name}`);
  machine = await Machine.create(site, name);
  disk = await machine.addDisk(size);
  image = Buffer.alloc(size);
  await machine.scribble(disk, image, 10);
});

async function run(...words: string[]) {
  const outcome = await home.runHere(words);
  expect(outcome, `${words.join(' ')}\n${outcome.stderr}`).toMatchObject({ code: 0 });
  return outcome;
}

async function json<T>(...words: string[]): Promise<T> {
  return JSON.parse((await run(...words, '-o', 'json')).stdout) as T;
}

const backUp = (...flags: string[]) => json<Backup>('backups', 'run', name, folder, ...flags);

const readContent = ({ folder: path, disks: [first] }: Backup) =>
  readFileSync(join(path, first.file));

/** Ids of the objects of a VM on the service. */
async function listed(noun: string, vm: string): Promise<string[]> {
  const all = await json<{ id: string; phase?: string }[]>(noun, 'list', '--vm', vm);
  return all.filter(({ phase }) => phase !== 'succeeded' && phase !== 'failed').map(({ id }) => id);
}

/** Content of the disk of a VM as its guest sees it. */
async function contentNow(vm: string): Promise<Buffer> {
  reads += 1;
  return readContent(
    await json('backups', 'run', vm, join(site.parent, `read-${reads}`), '--full'),
  );
}

/** A run that is slow while it reads. */
async function slowRun(by = home) {
  const file = join(folder, '.unfinished/run.json');
  const end = by.run(['backups', 'run', name, folder, '--limit-rate', '16KiB/s']);
  await vi.waitFor(() => expect(existsSync(file)).toBe(true), { timeout: 20_000 });
  const run = JSON.parse(readFileSync(file, 'utf8')) as { pid: number; backup: string };
  return { file, run, end };
}

describe('backups run', () => {
  it.skipIf(!hasQemuNbd)(
    'reads everything first, then only changes: each folder has the complete disk',
    async () => {
      const first = await backUp();
      expect(first.disks[0]).toMatchObject({ id: disk, mode: 'full', verified: true });
      expect(readContent(first).equals(image)).toBe(true);
      const before = Buffer.from(image);
      await machine.scribble(disk, image, 3);
      const second = await backUp();
      expect(second.disks[0]).toMatchObject({ mode: 'incremental', verified: true });
      expect(second.disks[0].transferred).toBeLessThan(size / 2);
      expect(readContent(second).equals(image)).toBe(true);
      expect(readContent(first).equals(before)).toBe(true);
      const third = await backUp('--full');
      expect(third.disks[0].mode).toBe('full');
      expect(readContent(third).equals(image)).toBe(true);
      expect(await listed('backups', name)).toEqual([]);
      // Only the newest checkpoint is needed again.
      expect(await listed('checkpoints', name)).toEqual([third.checkpoint]);
    },
  );

  it.skipIf(!hasQemuNbd)('retains the requested number; none needs another one', async () => {
    await backUp();
    await machine.scribble(disk, image, 2);
    const second = await backUp();
    await machine.scribble(disk, image, 2);
    const third = await backUp('--keep', '1');
    expect(third.deleted).toHaveLength(2);
    expect(existsSync(second.folder)).toBe(false);
    expect(readContent(third).equals(image)).toBe(true);
  });

  it('runs a full backup, and reports why, if the checkpoint or a file is missing', async () => {
    const first = await backUp();
    await run('checkpoints', 'delete', first.checkpoint, '--vm', name, '--yes');
    const second = await run('backups', 'run', name, folder);
    expect(second.stderr).toContain('was deleted: running a full backup');
    const newest =
      readdirSync(folder)
        .filter((one) => one.startsWith('2'))
        .sort()
        .at(-1) ?? '';
    const [file = ''] = readdirSync(join(folder, newest)).filter((one) => one.endsWith('.raw'));
    rmSync(join(folder, newest, file));
    const third = await run('backups', 'run', name, folder);
    expect(third.stderr).toMatch(/is missing or has the wrong size: running a full backup/);
  });

  it('refuses the folder of another VM, and a folder with other files', async () => {
    await backUp();
    const other = await Machine.create(site, `other-${count}`);
    await other.addDisk(size);
    const taken = await home.runHere(['backups', 'run', `other-${count}`, folder]);
    expect(taken).toMatchObject({ code: 6 });
    expect(taken.stderr).toContain(`vms/${name}`);
    const full = join(site.parent, `full-${count}`);
    mkdirSync(full);
    writeFileSync(join(full, 'letter.txt'), 'hello');
    const refused = await home.runHere(['backups', 'run', name, full]);
    expect(refused).toMatchObject({ code: 2 });
    expect(readdirSync(full)).toEqual(['letter.txt']);
  });

  it('detects damage of the previous backup', async () => {
    const first = await backUp();
    const file = join(first.folder, first.disks[0].file);
    const bytes = readFileSync(file);
    bytes.writeUInt8(bytes.readUInt8(size - 1) ^ 1, size - 1);
    writeFileSync(file, bytes);
    const refused = await home.runHere(['backups', 'run', name, folder]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('--full');
    expect(readdirSync(folder).sort()).toEqual([first.folder.split('/').at(-1), 'backups.json']);
    const second = await backUp('--full');
    expect(readContent(second).equals(image)).toBe(true);
  });

  it('frees the VM and leaves no backup after a failure', async () => {
    await backUp();
    const before = readdirSync(folder).sort();
    const broken = await home.runHere(['backups', 'run', name, folder, '--limit-rate', '1KiB/s']);
    expect(broken.code).toBe(2);
    expect(readdirSync(folder).sort()).toEqual(before);
    expect(await listed('backups', name)).toEqual([]);
    await run('vms', 'start', name);
    await run('vms', 'stop', name, '--yes');
  });

  it.skipIf(!hasQemuNbd)(
    'ends the backup of a killed run, but not from another computer',
    async () => {
      const first = await backUp();
      await machine.scribble(disk, image, 3);
      const { file, run: left, end } = await slowRun();
      process.kill(left.pid, 'SIGKILL');
      await end;
      writeFileSync(file, JSON.stringify({ ...left, host: 'elsewhere' }));
      const elsewhere = await home.runHere(['backups', 'run', name, folder]);
      expect(elsewhere).toMatchObject({ code: 6 });
      expect(elsewhere.stderr).toContain('on elsewhere');
      expect(await listed('backups', name)).toEqual([left.backup]);
      writeFileSync(file, JSON.stringify(left));
      const second = await run('backups', 'run', name, folder, '-o', 'json');
      expect(second.stderr).toContain('its backup is discarded');
      const made = JSON.parse(second.stdout) as Backup;
      expect(made).toMatchObject({
        base: basename(first.folder),
        disks: [{ mode: 'incremental' }],
      });
      expect(readContent(made).equals(image)).toBe(true);
      expect(existsSync(join(folder, '.unfinished'))).toBe(false);
      // The checkpoint of the killed run is removed as well.
      expect(await listed('checkpoints', name)).toEqual([made.checkpoint]);
    },
  );

  it('waits until the backup of a killed run has ended', async () => {
    const vm = await Machine.create(slowSite, name);
    await vm.addDisk(size);
    const { run: left, end } = await slowRun(slowHome);
    process.kill(left.pid, 'SIGKILL');
    await end;
    const hurried = ['backups', 'run', name, folder, '--wait-timeout', '1ms'];
    const impatient = await slowHome.run(hurried);
    expect(impatient.code).toBe(7);
    expect(impatient.stderr).toContain(`the backup ${left.backup} of that run has not ended yet`);
    const next = await slowHome.run(['backups', 'run', name, folder]);
    expect(next, next.stderr).toMatchObject({ code: 0 });
    expect(next.stderr).toContain('its backup is discarded');
  });

  it('recognizes a dead run by the start time of its process, even if its process id is reused', async () => {
    await backUp();
    const pause = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const write = (record: object) => {
      mkdirSync(join(folder, '.unfinished'), { recursive: true });
      const run = { host: hostname(), backup: randomUUID(), ...record };
      writeFileSync(join(folder, '.unfinished/run.json'), JSON.stringify(run));
    };
    try {
      write({ pid: pause.pid });
      expect(await home.runHere(['backups', 'run', name, folder])).toMatchObject({ code: 6 });
      write({ pid: process.pid });
      expect((await run('backups', 'run', name, folder)).stderr).toContain(
        'its backup is discarded',
      );
      const { file, run: slow, end } = await slowRun();
      const record = JSON.parse(readFileSync(file, 'utf8')) as { started?: string };
      process.kill(slow.pid, 'SIGKILL');
      await end;
      expect(record.started === undefined).toBe(process.platform !== 'linux');
      if (record.started === undefined) return;
      writeFileSync(file, JSON.stringify({ ...record, pid: pause.pid }));
      expect((await run('backups', 'run', name, folder)).stderr).toContain(
        'its backup is discarded',
      );
    } finally {
      pause.kill();
    }
  });

  it('refuses a second run; the first frees the VM when it is interrupted', async () => {
    const { file, run: slow, end } = await slowRun();
    const second = await home.runHere(['backups', 'run', name, folder]);
    expect(second).toMatchObject({ code: 6 });
    expect(second.stderr).toContain(': another run is active (process');
    expect(existsSync(file)).toBe(true);
    process.kill(slow.pid, 'SIGTERM');
    expect(await end).toMatchObject({ code: 143 });
    expect(readdirSync(folder)).toEqual(['backups.json']);
    expect(await listed('backups', name)).toEqual([]);
    expect(readContent(await backUp()).equals(image)).toBe(true);
  });

  it.skipIf(!hasQemuNbd)(
    'ignores a damaged backup, as restore does, unless it is named',
    async () => {
      const first = await backUp();
      await machine.scribble(disk, image, 2);
      const second = await backUp();
      writeFileSync(join(first.folder, 'backup.json'), '{');
      const third = await run('backups', 'run', name, folder, '--keep', '1', '-o', 'json');
      expect(third.stderr).toContain(`${join(first.folder, 'backup.json')}:1:2: `);
      expect(third.stderr).toContain('this backup is skipped');
      const made = JSON.parse(third.stdout) as Backup;
      expect(made.deleted).toEqual([basename(second.folder)]);
      expect(readContent(made).equals(image)).toBe(true);
      const again = await run('backups', 'restore', folder, '--name', `${name}-again`);
      expect(again.stderr).toContain('this backup is skipped');
      for (const content of ['{', 'null', '{"format":"vmctl-backup","version":1}']) {
        writeFileSync(join(first.folder, 'backup.json'), content);
        const named = await home.runHere(['backups', 'restore', first.folder, '--name', 'none']);
        expect(named).toMatchObject({ code: 2 });
        expect(named.stderr).toMatch(/backup\.json:1:\d+: /);
      }
    },
  );

  it('takes no older backup, and ends no run, if a file is not readable', async () => {
    await backUp();
    const { folder: newest } = await backUp();
    const manifest = join(newest, 'backup.json');
    const run = join(folder, '.unfinished/run.json');
    const commands = [
      ['backups', 'run', name, folder],
      ['backups', 'restore', folder, '--name', `${name}-none`],
      ['backups', 'restore', newest, '--name', `${name}-none`],
    ];
    rmSync(manifest);
    mkdirSync(manifest);
    for (const words of commands) {
      const refused = await home.runHere(words);
      expect(refused, words.join(' ')).toMatchObject({ code: 2 });
      expect(refused.stderr).toContain(`cannot read "${manifest}"`);
    }
    rmSync(newest, { recursive: true });
    mkdirSync(run, { recursive: true });
    const refused = await home.runHere(['backups', 'run', name, folder]);
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain(`cannot read "${run}"`);
    expect(existsSync(run)).toBe(true);
    expect(await listed('backups', name)).toEqual([]);
  });

  it('accepts the root of a new file system', async () => {
    mkdirSync(join(folder, 'lost+found/backup.json'), { recursive: true });
    const made = await backUp();
    await backUp();
    expect(readdirSync(folder)).toContain('lost+found');
    expect(readContent(made).equals(image)).toBe(true);
    await run('backups', 'restore', folder, '--name', `${name}-again`);
  });

  it.each(['before', 'after'])(
    'continues in a folder whose first run was killed %s its first file was in place',
    async (when) => {
      const fault = join(site.parent, 'kill.cjs');
      writeFileSync(
        fault,
        `const fs = require('node:fs');
       const { rename } = fs.promises;
       fs.promises.rename = async (from, to) => {
         const ends = /(?:backups|run)\\.json$/.test(to);
         if (ends && process.env.KILL === 'before') process.kill(process.pid, 'SIGKILL');
         await rename(from, to);
         if (ends) process.kill(process.pid, 'SIGKILL');
       };
       require('node:module').syncBuiltinESMExports();`,
      );
      const killed = await home.run(['backups', 'run', name, folder], {
        NODE_OPTIONS: `--require=${JSON.stringify(fault)}`,
        KILL: when,
      });
      expect(killed.code).toBeNull();
      expect(readdirSync(folder)).toHaveLength(1);
      const [left = ''] = await listed('backups', name);
      await run('backups', 'finalize', left, '--vm', name);
      expect(readContent(await backUp()).equals(image)).toBe(true);
    },
  );

  it('shows the request of a dry run, and creates no folder', async () => {
    const { stdout, stderr } = await run('backups', 'run', name, folder, '--dry-run');
    expect(stdout + stderr).toContain(`/backups`);
    expect(existsSync(folder)).toBe(false);
    expect(await listed('backups', name)).toEqual([]);
  });
});

describe('backups restore', () => {
  it.skipIf(!hasQemuNbd)('creates the VM again, next to the existing one', async () => {
    await backUp();
    const then = Buffer.from(image);
    await machine.scribble(disk, image, 4);
    const again = `${name}-again`;
    const made = await json<{ name: string; id: string }>(
      ...['backups', 'restore', folder, '--name', again],
    );
    expect(made.name).toBe(again);
    expect(made.id).not.toBe(machine.id);
    expect((await contentNow(again)).equals(then)).toBe(true);
    expect((await contentNow(name)).equals(image)).toBe(true);
    const [attached] = await json<[Record<string, unknown>]>(
      'diskattachments',
      'list',
      '--vm',
      again,
    );
    expect(attached).toMatchObject({ active: true });
    const [own] = await json<[{ id: string }]>('diskattachments', 'list', '--vm', again);
    const restored = await json<Record<string, unknown>>('disks', 'get', own.id);
    const former = await json<Record<string, unknown>>('disks', 'get', disk);
    for (const member of ['format', 'backup', 'provisioned_size', 'alias']) {
      expect(restored[member]).toEqual(former[member]);
    }
  });

  it('restores a deleted VM, with its id, from an earlier backup', async () => {
    const first = await backUp();
    const then = Buffer.from(image);
    await machine.scribble(disk, image, 4);
    await backUp();
    await run('vms', 'delete', name, '--yes');
    const made = await json<{ id: string }>('backups', 'restore', first.folder);
    expect(made.id).toBe(machine.id);
    expect((await contentNow(name)).equals(then)).toBe(true);
    // The next backup uses the same folder: its checkpoints were deleted with the VM.
    const { stderr } = await run('backups', 'run', name, folder);
    expect(stderr).toContain(': running a full backup');
  });

  it('does not use the old disk ids, although they are free', async () => {
    await backUp();
    await run('vms', 'delete', name, '--detach-only', '--yes');
    await json('backups', 'restore', folder);
    const [attached] = await json<[{ id: string }]>('diskattachments', 'list', '--vm', name);
    expect(attached.id).not.toBe(disk);
    expect(await json<unknown[]>('diskattachments', 'list', '--vm', name)).toHaveLength(1);
  });

  it('refuses a modified file and a used name before any change', async () => {
    const made = await backUp();
    const taken = await home.runHere(['backups', 'restore', folder]);
    expect(taken).toMatchObject({ code: 6 });
    expect(taken.stderr).toContain(`--name ${name}-new`);
    const copy = join(site.parent, `copy-${count}`);
    cpSync(made.folder, copy, { recursive: true });
    const file = join(copy, made.disks[0].file);
    const bytes = readFileSync(file);
    bytes.writeUInt8(bytes.readUInt8(size - 1) ^ 1, size - 1);
    writeFileSync(file, bytes);
    const before = await json<unknown[]>('disks', 'list');
    const damaged = await home.runHere(['backups', 'restore', copy, '--name', `${name}-bad`]);
    expect(damaged).toMatchObject({ code: 6 });
    expect(damaged.stderr).toContain('has changed since the backup: checksum');
    expect(await json<unknown[]>('disks', 'list')).toHaveLength(before.length);
    const none = await home.runHere(['backups', 'restore', join(site.parent, 'nothing')]);
    expect(none.code).toBe(3);
  });

  it('attaches no disks other than its own, and names skipped and shared ones', async () => {
    const other = await machine.addDisk(MiB);
    const { id: shared } = await json<{ id: string }>(
      ...['disks', 'create', `shared-${count}`, '--format', 'raw', '--provisioned-size', '1MiB'],
      ...['--storagedomain', 'data1', '--set', 'shareable=true', '--set', 'sparse=false'],
    );
    const how = ['--interface', 'virtio', '--active'];
    await run('diskattachments', 'attach', '--disk', shared, '--vm', name, ...how);
    await backUp('--skip-disk', other);
    await run('vms', 'delete', name, '--detach-only', '--yes');
    const restored = await run('backups', 'restore', folder);
    expect(restored.stderr).toMatch(/not in this backup and not attached: .*disks\/shared-/);
    const attached = await json<{ id: string }[]>('diskattachments', 'list', '--vm', name);
    expect(attached).toHaveLength(1);
    for (const id of [disk, other, shared]) {
      expect(attached.map((one) => one.id)).not.toContain(id);
      expect(await site.status(id)).toBe('ok');
    }
  });

  it('does not delete disks that the service attached', async () => {
    const { folder: path } = await backUp();
    await run('vms', 'delete', name, '--detach-only', '--yes');
    const file = join(path, 'machine.ovf');
    const document = readFileSync(file, 'utf8');
    // Another spelling of the id, which a text search does not find.
    const entity = `&#x${disk.charCodeAt(0).toString(16)};${disk.slice(1)}`;
    writeFileSync(file, document.replaceAll(disk, entity));
    const failing = ['backups', 'restore', folder, '--limit-rate', '1KiB/s'];
    const left = await home.runHere(failing);
    expect(left).toMatchObject({ code: 2 });
    expect(left.stderr).toContain(`uses existing disks: disks/${disk}`);
    expect(left.stderr).toMatch(new RegExp(`vms delete ${name} --detach-only`));
    await run('vms', 'delete', name, '--detach-only', '--yes');
    const cleaned = await home.runHere([...failing, '--cleanup']);
    expect(cleaned.stderr).toContain(`vms/${name}: removed`);
    expect(await site.status(disk)).toBe('ok');
    expect((await home.runHere(['vms', 'get', name])).code).toBe(3);
  });

  it('deletes a locked disk once it is unlocked', async () => {
    await backUp();
    const disks = async () =>
      JSON.parse((await slowHome.runHere(['disks', 'list', '-o', 'json'])).stdout) as unknown[];
    const before = await disks();
    const words = [
      'backups',
      'restore',
      folder,
      '--disks-only',
      '--cleanup',
      '--storagedomain',
      'data1',
    ];
    const child = spawn(process.execPath, [vmctl, ...words], {
      env: slowHome.env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (piece: Buffer) => {
      const isFirst = !stderr.includes(': locked');
      stderr += piece.toString();
      if (isFirst && stderr.includes(': locked')) child.kill('SIGINT');
    });
    const [code] = (await once(child, 'close')) as [number];
    expect([code, stderr]).toEqual([
      130,
      expect.stringContaining('created objects were removed; nothing remains'),
    ]);
    expect(stderr).not.toContain('cannot remove all created objects:');
    expect(await disks()).toHaveLength(before.length);
  });

  it('creates only the disks', async () => {
    await backUp();
    const [made] = await json<[{ id: string; status: string }]>(
      ...['backups', 'restore', folder, '--disks-only'],
    );
    expect(made).toMatchObject({ status: 'ok' });
    expect(await json<unknown[]>('diskattachments', 'list', '--vm', name)).toHaveLength(1);
    const other = await Machine.create(site, `holder-${count}`);
    const how = ['--interface', 'virtio', '--active', '--bootable'];
    await run('diskattachments', 'attach', '--disk', made.id, '--vm', other.id, ...how);
    expect((await contentNow(`holder-${count}`)).equals(image)).toBe(true);
  });
});
