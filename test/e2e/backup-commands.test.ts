/** Backups with commands: start, download, merge, finalize. */

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FolderSite, MiB } from '../faults/support/site.ts';
import { hasQemuNbd } from '../images/support/nbd-server.ts';
import { Machine } from '../support/backed-up.ts';
import { type Home, makeHome } from '../support/command.ts';

const size = 5 * MiB + 4096;

let site: FolderSite;
let home: Home;

beforeAll(async () => {
  site = new FolderSite();
  await site.start();
  home = makeHome(site.server);
});
afterAll(async () => {
  home.remove();
  await site.remove();
});

async function run(...words: string[]) {
  const outcome = await home.runHere(words);
  expect(outcome, words.join(' ')).toMatchObject({ code: 0 });
  return outcome;
}

async function created(...words: string[]) {
  const { stdout } = await run('backups', 'create', ...words, '-o', 'json');
  const made = JSON.parse(stdout) as { id: string } | { id: string }[];
  const { id } = Array.isArray(made) ? (made[0] ?? { id: '' }) : made;
  const shown = JSON.parse((await run('backups', 'get', id, '-o', 'json')).stdout) as {
    phase: string;
    to_checkpoint_id: string;
  };
  expect(shown.phase).toBe('ready');
  return { id, checkpoint: shown.to_checkpoint_id };
}

it.skipIf(!hasQemuNbd)('full and incremental backups reproduce the disk', async () => {
  const machine = await Machine.create(site, 'told');
  const disk = await machine.addDisk(size);
  const image = Buffer.alloc(size);
  await machine.scribble(disk, image, 12);
  const [full, next, changes] = ['full.raw', 'next.raw', 'changes.raw'].map((name) =>
    join(site.parent, name),
  ) as [string, string, string];

  const first = await created('--vm', 'told', '--disks', disk, '--description', 'first');
  const told = await run('disks', 'download', disk, full, '--backup', first.id);
  expect(told.stderr).toContain('has the complete disk');
  expect(readFileSync(full).equals(image)).toBe(true);
  const before = Buffer.from(image);
  await run('backups', 'finalize', first.id, '--wait');

  await machine.scribble(disk, image, 6);
  const flag = ['--incremental-from', first.checkpoint];
  const second = await created('--vm', 'told', '--disks', disk, ...flag);
  const modes = await run(
    ...['disks', 'list', '--vm', 'told', '--backup', second.id, '-o', 'json'],
  );
  expect(modes.stdout).toContain('"incremental"');
  const merged = await run('disks', 'download', disk, next, '--backup', second.id, '--base', full);
  expect(merged.stderr).toContain('of changes');
  expect(readFileSync(next).equals(image)).toBe(true);
  expect(readFileSync(full).equals(before)).toBe(true);

  // Without the file of the previous backup, only changed blocks are written.
  const alone = await run('disks', 'download', disk, changes, '--backup', second.id, '-o', 'json');
  expect(JSON.parse(alone.stdout)).toMatchObject({
    ...{ backup_mode: 'incremental', content: 'changes', size },
  });
  expect(statSync(changes).size).toBe(size);
  expect(readFileSync(changes).equals(image)).toBe(false);
  // Writes the complete disk to standard output as well.
  const poured = await home.run(['disks', 'download', disk, '-', '--backup', second.id]);
  expect(poured.code).toBe(0);

  const resumed = ['disks', 'download', disk, full, '--backup', second.id, '--resume'];
  expect((await home.run(resumed)).stderr).toContain('cannot resume');
  const based = await home.run(['disks', 'download', disk, full, '--base', next]);
  expect(based.stderr).toContain('--base requires --backup');
  await run('backups', 'finalize', second.id);

  const { stdout } = await run('checkpoints', 'list', '--vm', 'told', '-o', 'json');
  expect(stdout).toContain(first.checkpoint);
  const leaf = await home.run(['checkpoints', 'delete', second.checkpoint, '--yes']);
  expect(leaf.code).not.toBe(0);
  await run('checkpoints', 'delete', first.checkpoint, '--yes');
});
