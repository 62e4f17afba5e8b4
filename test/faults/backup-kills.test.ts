/**
 * kill -9 of the server at random moments while a disk is written, backed up and restored: whatever
 * the next incremental backup delivers makes of the one before what the disk is.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Machine, rebuild } from '../support/backed-up.ts';
import { count, figure } from './support/catalogue.ts';
import { FolderSite, MiB } from './support/site.ts';

const kills = count(20, 3);
const size = 12 * MiB + 4096;

let site: FolderSite;

beforeAll(async () => {
  site = new FolderSite();
  await site.start();
});
afterAll(() => site.remove());

/** Ends whatever a kill has left under way. */
async function tidy(machine: Machine): Promise<void> {
  type Transfers = { image_transfer?: { id: string; phase: string }[] };
  const listed = await site.api.json('GET', '/imagetransfers');
  for (const { id, phase } of listed.json<Transfers>().image_transfer ?? []) {
    if (phase.startsWith('finished')) continue;
    const path = `/imagetransfers/${id}`;
    await site.api.until(path, (one) => one.json()['phase'] !== 'initializing');
    await site.finish(path);
  }
  type Backups = { backup?: { id: string; phase: string }[] };
  const backups = await site.api.json('GET', `${machine.path}/backups`);
  for (const { id } of backups.json<Backups>().backup ?? []) {
    const here = `${machine.path}/backups/${id}`;
    const settled = await site.api.until(here, (one) =>
      /^(ready|succeeded|failed)$/.test(String(one.json()['phase'])),
    );
    if (settled.json()['phase'] === 'ready') await machine.end(id);
  }
}

/** Works on the disk until the server is gone. */
async function work(machine: Machine, disk: string, from: string | undefined): Promise<void> {
  const scratch = Buffer.alloc(size);
  try {
    for (;;) {
      if (randomInt(5) > 0) await machine.scribble(disk, scratch, randomInt(1, 400));
      else {
        const { id } = await machine.begin([disk], from);
        await machine.end(id);
      }
    }
  } catch {
    // The server is gone.
  }
}

describe('after kills', () => {
  it(`B5 an incremental backup lacks no block in ${kills} kills`, async () => {
    const machine = await Machine.create(site, 'killed');
    const disk = await machine.addDisk(size);
    // What is written over is changed at once; new clusters are only found once they are flushed.
    const { path, url } = await machine.transfer(disk, 'upload');
    await machine.put(url, randomBytes(size));
    await site.finish(path);
    await machine.free(disk);
    let { checkpoint: from, disks } = await machine.backUp([disk]);
    let known = rebuild(disks.get(disk) ?? raise());
    let fetched = 0;
    let incremental = 0;
    let dropped = 0;
    for (let kill = 0; kill < kills; kill += 1) {
      const again = new Machine(site, machine.id);
      const working = work(again, disk, from);
      await new Promise((resolve) => setTimeout(resolve, randomInt(20, 1_500)));
      await site.kill();
      await working;
      await site.start();
      await tidy(machine);
      await machine.free(disk);
      const backup = await machine.backUp([disk], from);
      const delivered = backup.disks.get(disk) ?? raise();
      const rebuilt = rebuild(delivered, known);
      expect(rebuilt.equals(delivered.whole), `kill ${kill}`).toBe(true);
      if (delivered.mode === 'incremental') incremental += 1;
      for (const [index, { start, length, bytes = Buffer.alloc(length) }] of [
        ...delivered.pieces.entries(),
      ]) {
        fetched += length;
        if (bytes.equals(known.subarray(start, start + length))) continue;
        // Control: without a piece in which something has changed it would be found.
        const without = delivered.pieces.filter((_, place) => place !== index);
        expect(rebuild({ ...delivered, pieces: without }, known).equals(rebuilt)).toBe(false);
        dropped += 1;
        break;
      }
      known = rebuilt;
      from = backup.checkpoint;
    }
    expect(incremental).toBe(kills);
    expect(dropped).toBeGreaterThan(0);
    const share = Math.round((100 * fetched) / (kills * size));
    figure('B5', `${kills} kills, 0 blocks missing; ${share} % of the disk fetched each time`);
  }, 600_000);
});

function raise(): never {
  throw new Error('The backup does not have the disk.');
}
