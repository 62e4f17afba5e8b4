/**
 * kill -9 of the server and power cuts at random moments while a disk is written and backed up. The
 * previous backup plus the next incremental one must reproduce the disk.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Delivered, Machine, rebuild } from '../support/backed-up.ts';
import { chooseCount, recordResult } from './support/catalogue.ts';
import { hasPower, PoweredDisk } from './support/power.ts';
import { FolderSite, MiB } from './support/site.ts';

const kills = chooseCount(20, 2);
const cuts = chooseCount(20, 1);
const size = 12 * MiB + 4096;

/** Ends all operations that a kill has interrupted. */
async function tidy(machine: Machine): Promise<void> {
  const { site } = machine;
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

/** Writes to the disk until the server exits. */
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
    // The server has exited.
  }
}

/** Abrupt end of a site, and its restart. */
interface Ends {
  readonly site: FolderSite;
  readonly end: () => Promise<void>;
  readonly again: () => Promise<void>;
}

/**
 * Ends a site abruptly `times` times at random moments; returns the share of the disk that was
 * transferred.
 */
async function endure({ site, end, again }: Ends, times: number): Promise<number> {
  const machine = await Machine.create(site, 'endures');
  const disk = await machine.addDisk(size);
  // Overwritten clusters change immediately; new clusters appear only after a flush.
  const { path, url } = await machine.transfer(disk, 'upload');
  await machine.put(url, randomBytes(size));
  await site.finish(path);
  await machine.free(disk);
  let { checkpoint: from, disks } = await machine.backUp([disk]);
  let known = rebuild(disks.get(disk) ?? raise());
  let fetched = 0;
  let controls = 0;
  for (let time = 0; time < times; time += 1) {
    // Even a slow computer changes something here; the control requires a change.
    await machine.scribble(disk, Buffer.from(known), 20);
    const working = work(machine, disk, from);
    await new Promise((resolve) => setTimeout(resolve, randomInt(20, 1_500)));
    await end();
    await working;
    await again();
    await tidy(machine);
    await machine.free(disk);
    const backup = await machine.backUp([disk], from);
    const delivered = backup.disks.get(disk) ?? raise();
    expect(delivered.mode).toBe('incremental');
    const rebuilt = rebuild(delivered, known);
    expect(rebuilt.equals(delivered.whole), `time ${time}`).toBe(true);
    fetched += delivered.pieces.reduce((sum, { length }) => sum + length, 0);
    if (isFoundWithout(delivered, known, rebuilt)) controls += 1;
    known = rebuilt;
    from = backup.checkpoint;
  }
  expect(controls).toBeGreaterThan(0);
  return Math.round((100 * fetched) / (times * size));
}

/** Control: without one changed block the rebuilt disk differs. */
function isFoundWithout(delivered: Delivered, known: Buffer, rebuilt: Buffer): boolean {
  const block = 64 * 1024;
  const blocks = delivered.pieces.flatMap(({ start, length, bytes }) =>
    Array.from({ length: Math.ceil(length / block) }, (_, index) => {
      const at = index * block;
      const end = Math.min(at + block, length);
      return {
        start: start + at,
        length: end - at,
        ...(bytes && { bytes: bytes.subarray(at, end) }),
      };
    }),
  );
  const dropped = blocks.findIndex(
    ({ start, length }) =>
      !rebuilt.subarray(start, start + length).equals(known.subarray(start, start + length)),
  );
  if (dropped < 0) return false;
  expect(rebuild({ ...delivered, pieces: blocks }, known).equals(rebuilt)).toBe(true);
  const pieces = blocks.filter((_, index) => index !== dropped);
  expect(rebuild({ ...delivered, pieces }, known).equals(rebuilt)).toBe(false);
  return true;
}

describe('after abrupt ends', () => {
  let site: FolderSite | undefined;
  let disk: PoweredDisk | undefined;
  afterEach(async () => {
    await site?.remove();
    await disk?.off();
    disk?.remove();
    disk = undefined;
  });

  it(`B5 an incremental backup contains every changed block after ${kills} kills`, async () => {
    const own = new FolderSite();
    site = own;
    await own.start();
    const share = await endure(
      { site: own, end: () => own.kill(), again: () => own.start() },
      kills,
    );
    recordResult('B5', `${kills} kills, 0 blocks missing; ${share} % of the disk read per backup`);
  }, 600_000);

  it.skipIf(!hasPower)(
    `B6 an incremental backup contains every changed block after ${cuts} power cuts`,
    async () => {
      const powered = new PoweredDisk();
      disk = powered;
      await powered.on();
      const own = new FolderSite(join(powered.path, 'data'));
      site = own;
      await own.start();
      const end = async () => {
        powered.cut();
        await own.kill();
        await powered.off();
      };
      const again = async () => {
        await powered.on();
        await own.start();
      };
      const share = await endure({ site: own, end, again }, cuts);
      recordResult('B6', `${cuts} cuts, 0 blocks missing; ${share} % of the disk read per backup`);
    },
    900_000,
  );
});

function raise(): never {
  throw new Error('The backup does not have the disk.');
}
