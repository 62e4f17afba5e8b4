/** `vmctl backups run` and `restore`: folders of backups, and machines that come back from them. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { FolderSite, MiB } from '../faults/support/site.ts';
import { Machine } from '../support/backed-up.ts';
import { type Home, makeHome } from '../support/command.ts';

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
});
afterAll(async () => {
  home.remove();
  await site.remove();
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

const contentOf = ({ folder: path, disks: [first] }: Backup) =>
  readFileSync(join(path, first.file));

/** Ids of what the service still has of a machine. */
async function listed(noun: string, vm: string): Promise<string[]> {
  const all = await json<{ id: string; phase?: string }[]>(noun, 'list', '--vm', vm);
  return all.filter(({ phase }) => phase !== 'succeeded' && phase !== 'failed').map(({ id }) => id);
}

/** The disk of a machine as a guest of it sees it. */
async function contentNow(vm: string): Promise<Buffer> {
  reads += 1;
  return contentOf(await json('backups', 'run', vm, join(site.parent, `read-${reads}`), '--full'));
}

/** A run that takes long, once it reads. */
async function slowRun() {
  const file = join(folder, '.unfinished/run.json');
  const end = home.run(['backups', 'run', name, folder, '--limit-rate', '16KiB/s']);
  await vi.waitFor(() => expect(existsSync(file)).toBe(true), { timeout: 20_000 });
  const run = JSON.parse(readFileSync(file, 'utf8')) as { pid: number; backup: string };
  return { file, run, end };
}

describe('backups run', () => {
  it('reads everything at first, then what has changed: each folder is the whole disk', async () => {
    const first = await backUp();
    expect(first.disks[0]).toMatchObject({ id: disk, mode: 'full', verified: true });
    expect(contentOf(first).equals(image)).toBe(true);
    const before = Buffer.from(image);
    await machine.scribble(disk, image, 3);
    const second = await backUp();
    expect(second.disks[0]).toMatchObject({ mode: 'incremental', verified: true });
    expect(second.disks[0].transferred).toBeLessThan(size / 2);
    expect(contentOf(second).equals(image)).toBe(true);
    expect(contentOf(first).equals(before)).toBe(true);
    const third = await backUp('--full');
    expect(third.disks[0].mode).toBe('full');
    expect(contentOf(third).equals(image)).toBe(true);
    expect(await listed('backups', name)).toEqual([]);
    // Only the newest checkpoint is ever asked for again.
    expect(await listed('checkpoints', name)).toEqual([third.checkpoint]);
  });

  it('keeps as many as it is told; none needs another one', async () => {
    await backUp();
    await machine.scribble(disk, image, 2);
    const second = await backUp();
    await machine.scribble(disk, image, 2);
    const third = await backUp('--keep', '1');
    expect(third.deleted).toHaveLength(2);
    expect(existsSync(second.folder)).toBe(false);
    expect(contentOf(third).equals(image)).toBe(true);
  });

  it('is a full one, and says why, where the checkpoint or a file is gone', async () => {
    const first = await backUp();
    await run('checkpoints', 'delete', first.checkpoint, '--vm', name, '--yes');
    const second = await run('backups', 'run', name, folder);
    expect(second.stderr).toContain('is gone: this backup is a full one');
    const newest =
      readdirSync(folder)
        .filter((one) => one.startsWith('2'))
        .sort()
        .at(-1) ?? '';
    const [file = ''] = readdirSync(join(folder, newest)).filter((one) => one.endsWith('.raw'));
    rmSync(join(folder, newest, file));
    const third = await run('backups', 'run', name, folder);
    expect(third.stderr).toMatch(/is missing, or has another size: this backup is a full one/);
  });

  it('refuses the folder of another machine, and one that holds something else', async () => {
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

  it('finds out that the backup before was damaged', async () => {
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
    expect(contentOf(second).equals(image)).toBe(true);
  });

  it('that fails leaves the machine free, and no backup', async () => {
    await backUp();
    const before = readdirSync(folder).sort();
    const broken = await home.runHere(['backups', 'run', name, folder, '--limit-rate', '1KiB/s']);
    expect(broken.code).toBe(2);
    expect(readdirSync(folder).sort()).toEqual(before);
    expect(await listed('backups', name)).toEqual([]);
    await run('vms', 'start', name);
    await run('vms', 'stop', name, '--yes');
  });

  it('that was killed is ended by the next one, but not from another machine', async () => {
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
    expect(second.stderr).toContain('is given up');
    const made = JSON.parse(second.stdout) as Backup;
    expect(made).toMatchObject({ base: basename(first.folder), disks: [{ mode: 'incremental' }] });
    expect(contentOf(made).equals(image)).toBe(true);
    expect(existsSync(join(folder, '.unfinished'))).toBe(false);
    // Also that of the run that was killed.
    expect(await listed('checkpoints', name)).toEqual([made.checkpoint]);
  });

  it('gives way to one that is under way; that one frees the machine when it is interrupted', async () => {
    const { file, run: slow, end } = await slowRun();
    const second = await home.runHere(['backups', 'run', name, folder]);
    expect(second).toMatchObject({ code: 6 });
    expect(second.stderr).toContain('another run is under way');
    expect(existsSync(file)).toBe(true);
    process.kill(slow.pid, 'SIGTERM');
    expect(await end).toMatchObject({ code: 143 });
    expect(readdirSync(folder)).toEqual(['backups.json']);
    expect(await listed('backups', name)).toEqual([]);
    expect(contentOf(await backUp()).equals(image)).toBe(true);
  });

  it('shows the request of a dry run, and makes no folder', async () => {
    const { stdout, stderr } = await run('backups', 'run', name, folder, '--dry-run');
    expect(stdout + stderr).toContain(`/backups`);
    expect(existsSync(folder)).toBe(false);
    expect(await listed('backups', name)).toEqual([]);
  });
});

describe('backups restore', () => {
  it('makes the machine again, beside the one that is there', async () => {
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

  it('brings back one that is gone, with its id, from an earlier backup', async () => {
    const first = await backUp();
    const then = Buffer.from(image);
    await machine.scribble(disk, image, 4);
    await backUp();
    await run('vms', 'delete', name, '--yes');
    const made = await json<{ id: string }>('backups', 'restore', first.folder);
    expect(made.id).toBe(machine.id);
    expect((await contentNow(name)).equals(then)).toBe(true);
    // It goes on in the same folder: its checkpoints went with the machine.
    const { stderr } = await run('backups', 'run', name, folder);
    expect(stderr).toContain('this backup is a full one');
  });

  it('takes nothing that its disks were, though they are free', async () => {
    await backUp();
    await run('vms', 'delete', name, '--detach-only', '--yes');
    await json('backups', 'restore', folder);
    const [attached] = await json<[{ id: string }]>('diskattachments', 'list', '--vm', name);
    expect(attached.id).not.toBe(disk);
    expect(await json<unknown[]>('diskattachments', 'list', '--vm', name)).toHaveLength(1);
  });

  it('refuses a file that has changed, and a name that is taken, before anything is made', async () => {
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
    expect(damaged.stderr).toContain('is not what was backed up');
    expect(await json<unknown[]>('disks', 'list')).toHaveLength(before.length);
    const none = await home.runHere(['backups', 'restore', join(site.parent, 'nothing')]);
    expect(none.code).toBe(3);
  });

  it('makes the disks alone', async () => {
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
