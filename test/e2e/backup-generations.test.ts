/** Backups over several generations: each one rebuilds the disk byte by byte. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FolderSite, MiB } from '../faults/support/site.ts';
import { type BackedUp, type Delivered, Machine, rebuild } from '../support/backed-up.ts';
import { send } from '../support/raw.ts';

const block = 64 * 1024;
const size = 70 * MiB + 3 * 4096;

let site: FolderSite;

beforeAll(async () => {
  site = new FolderSite();
  await site.start();
});
afterAll(() => site.remove());

function of(backup: BackedUp, disk: string): Delivered {
  const found = backup.disks.get(disk);
  if (!found) throw new Error(`The backup has no disk ${disk}.`);
  return found;
}

/** Number of downloaded blocks. */
function countBlocks({ pieces }: Delivered): number {
  return pieces.reduce((sum, { length }) => sum + Math.ceil(length / block), 0);
}

describe('five generations', () => {
  it('are rebuilt byte by byte, across uploads, zeros, restores, an extension and a move', async () => {
    const machine = await Machine.create(site, 'generations');
    const disk = await machine.addDisk(size);
    let image = Buffer.alloc(size);
    await machine.scribble(disk, image, 30);

    const first = await machine.backUp([disk]);
    expect(of(first, disk).mode).toBe('full');
    let rebuilt = rebuild(of(first, disk));
    expect(rebuilt.equals(image)).toBe(true);
    let from = first.checkpoint;

    const next = async (mode: Delivered['mode'], since = from, before = rebuilt) => {
      const backup = await machine.backUp([disk], since);
      const delivered = of(backup, disk);
      expect(delivered.mode).toBe(mode);
      expect(delivered.whole.equals(image)).toBe(true);
      const made = rebuild(delivered, before);
      expect(made.equals(image)).toBe(true);
      rebuilt = made;
      from = backup.checkpoint;
      return delivered;
    };

    // No write, no download.
    expect(countBlocks(await next('incremental'))).toBe(0);
    // Uploads, and a snapshot, which changes no data.
    const old = { rebuilt, from };
    await machine.scribble(disk, image, 20);
    const kept = Buffer.from(image);
    const snapshot = await machine.snapshot('kept');
    const second = await next('incremental');
    expect(countBlocks(second)).toBeLessThan(20 * 6);
    // After the replacement of a disk, its next backup is full and reports that.
    await machine.scribble(disk, image, 10);
    await machine.restore(snapshot);
    image = Buffer.from(kept);
    await next('full');
    await machine.scribble(disk, image, 10);
    await next('incremental');
    // The disk grows, and the new part is partially written.
    image = Buffer.concat([image, Buffer.alloc(5 * MiB)]);
    await machine.extend(disk, image.length);
    await machine.scribble(disk, image, 10);
    const grown = await next('incremental');
    expect(grown.size).toBe(image.length);
    // A move does not change the content.
    const moved = await site.api.json('POST', `/disks/${disk}/move`, {
      storage_domain: { name: 'data2' },
    });
    expect([200, 202], moved.text).toContain(moved.status);
    await machine.free(disk);
    await machine.scribble(disk, image, 5);
    await next('incremental');
    // A backup since a checkpoint before the restore is full, too.
    await next('full', old.from, old.rebuilt);

    // Control: without one of the blocks the disk differs.
    await machine.scribble(disk, image, 5);
    const last = of(await machine.backUp([disk], from), disk);
    const changed = last.pieces.findIndex(
      ({ start, length, bytes }) =>
        !(bytes ?? Buffer.alloc(length)).equals(rebuilt.subarray(start, start + length)),
    );
    expect(changed).toBeGreaterThanOrEqual(0);
    const without = { ...last, pieces: last.pieces.filter((_, index) => index !== changed) };
    expect(rebuild(without, rebuilt).equals(image)).toBe(false);
    expect(rebuild(last, rebuilt).equals(image)).toBe(true);
  });

  it('report exactly the written blocks', async () => {
    const machine = await Machine.create(site, 'exact');
    const disk = await machine.addDisk(size);
    const { checkpoint } = await machine.backUp([disk]);
    const { path, url } = await machine.transfer(disk, 'upload');
    await machine.put(url, Buffer.from('x'), 3 * block - 1);
    await machine.put(url, randomBytes(2 * block), 5 * block);
    await machine.put(url, { op: 'zero', offset: 9 * block, size: 2 });
    await machine.put(url, randomBytes(1), size - 1);
    await site.finish(path);
    const { id } = await machine.begin([disk], checkpoint);
    const transfer = await machine.transfer(disk, 'download', id);
    const { ca } = site.server;
    const extents = (await send(`${transfer.url}/extents?context=dirty`, { ca })).json<
      { start: number; length: number; dirty: boolean; zero: boolean }[]
    >();
    const dirty = extents.filter((one) => one.dirty);
    const blocks = dirty.flatMap(({ start, length }) =>
      Array.from({ length: Math.ceil(length / block) }, (_, index) => start / block + index),
    );
    expect(blocks).toEqual([2, 5, 6, 9, Math.floor(size / block)]);
    expect(dirty.find(({ start }) => start === 9 * block)).toMatchObject({ zero: true });
    expect(extents.every((one) => Object.keys(one).join() === 'start,length,dirty,zero')).toBe(
      true,
    );
    // Requests for zeros include them, as always.
    const zeros = await send(`${transfer.url}/extents`, { ca });
    expect(zeros.text).toContain('"hole"');
    await site.finish(transfer.path);
    await machine.end(id);
  });

  it('are chosen per disk: new, raw and untracked disks are read completely', async () => {
    const machine = await Machine.create(site, 'modes');
    const [cow, raw] = [await machine.addDisk(MiB), await machine.addDisk(MiB, 'raw')];
    const { id: first, checkpoint } = await machine.begin([cow, raw]);
    expect(Object.fromEntries(await machine.modes(first))).toEqual({
      [cow]: 'full',
      [raw]: 'full',
    });
    await machine.end(first);
    const listed = await site.api.json('GET', `${machine.path}/checkpoints/${checkpoint}/disks`);
    expect(listed.json<{ disk: { id: string }[] }>().disk.map(({ id }) => id)).toEqual([cow]);
    const young = await machine.addDisk(MiB);
    const { id, checkpoint: second } = await machine.begin([cow, raw, young], checkpoint);
    expect(Object.fromEntries(await machine.modes(id))).toEqual({
      ...{ [cow]: 'incremental', [raw]: 'full', [young]: 'full' },
    });
    // A disk that is read completely has no changed blocks to list.
    const transfer = await machine.transfer(young, 'download', id);
    const asked = await send(`${transfer.url}/extents?context=dirty`, { ca: site.server.ca });
    expect(asked.status).toBe(404);
    await site.finish(transfer.path);
    await machine.end(id);
    // Only the root of the chain can be removed.
    const chain = async () =>
      (await site.api.json('GET', `${machine.path}/checkpoints`)).json<{
        checkpoint?: { id: string; parent_id?: string }[];
      }>().checkpoint ?? [];
    expect((await chain()).map((one) => one.parent_id)).toEqual([undefined, checkpoint]);
    const leaf = await site.api.json('DELETE', `${machine.path}/checkpoints/${second}`);
    expect([leaf.status, leaf.text]).toEqual([409, expect.stringContaining('oldest first')]);
    const root = await site.api.json('DELETE', `${machine.path}/checkpoints/${checkpoint}`);
    expect(root.status, root.text).toBe(200);
    expect((await chain()).map((one) => one.parent_id)).toEqual([undefined]);
    const gone = await site.api.json('POST', `${machine.path}/backups`, {
      disks: { disk: [{ id: cow }] },
      from_checkpoint_id: checkpoint,
    });
    expect([gone.status, gone.text]).toEqual([400, expect.stringContaining("doesn't exist")]);
    const third = await machine.begin([cow, young], second);
    expect(Object.fromEntries(await machine.modes(third.id))).toEqual({
      ...{ [cow]: 'incremental', [young]: 'incremental' },
    });
    await machine.end(third.id);
  });
});
