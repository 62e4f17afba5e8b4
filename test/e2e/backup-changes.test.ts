/** Tracking of changed blocks of a disk: cases in which it is preserved or reset. */

import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FolderSite, MiB } from '../faults/support/site.ts';
import { hasQemuNbd } from '../images/support/nbd-server.ts';
import { Machine, rebuild } from '../support/backed-up.ts';
import { makeHome } from '../support/command.ts';
import { send } from '../support/raw.ts';
import { password } from '../support/server.ts';

const size = 6 * MiB;
const hasQemu = spawnSync('qemu-img', ['--version']).status === 0;

let site: FolderSite;
let machine: Machine;
let disk: string;
let image: Buffer;

beforeEach(async () => {
  site = new FolderSite();
  await site.start();
  machine = await Machine.create(site, 'known');
  disk = await machine.addDisk(size);
  image = Buffer.alloc(size);
  await machine.scribble(disk, image, 8);
});
afterEach(() => site.remove());

/** A first backup and its content. */
async function begun() {
  const { checkpoint, disks } = await machine.backUp([disk]);
  const delivered = disks.get(disk);
  if (!delivered || checkpoint === undefined) throw new Error('Nothing was delivered.');
  return { checkpoint, known: rebuild(delivered) };
}

/** Backs up since a checkpoint and compares the disk. Returns the mode. */
async function modeSince({ checkpoint, known }: { checkpoint: string; known: Buffer }) {
  const delivered = (await machine.backUp([disk], checkpoint)).disks.get(disk);
  if (!delivered) throw new Error('Nothing was delivered.');
  expect(rebuild(delivered, known).equals(delivered.whole)).toBe(true);
  expect(delivered.whole.equals(image)).toBe(true);
  return delivered.mode;
}

describe('changes of a disk', () => {
  it.skipIf(!hasQemuNbd)(
    'are preserved while the disk is sparsified, snapshotted and read by others',
    async () => {
      const first = await begun();
      await machine.scribble(disk, image, 5);
      const sparsified = await site.api.json('POST', `/disks/${disk}/sparsify`, {});
      expect(sparsified.status, sparsified.text).toBe(200);
      await machine.free(disk);
      const snapshot = await machine.snapshot('there for a while');
      await machine.scribble(disk, image, 2);
      const path = `${machine.path}/snapshots/${snapshot}`;
      expect((await site.api.json('DELETE', path)).status).toBe(200);
      await machine.free(disk);
      expect(await modeSince(first)).toBe('incremental');
    },
  );

  it.skipIf(!hasQemuNbd)('belong to the previous checkpoint after a failed backup', async () => {
    const first = await begun();
    await machine.scribble(disk, image, 3);
    const act = (what: string, body = {}) => site.api.json('POST', `${machine.path}/${what}`, body);
    await act('start');
    await site.api.until(machine.path, (one) => one.json()['status'] === 'up');
    const { id } = await machine.begin([disk], first.checkpoint);
    expect((await act('stop', { force: true })).status).toBe(200);
    const failed = await site.api.json('GET', `${machine.path}/backups/${id}`);
    expect(failed.json()['phase']).toBe('failed');
    await site.api.until(machine.path, (one) => one.json()['status'] === 'down');
    await machine.scribble(disk, image, 3);
    expect(await modeSince(first)).toBe('incremental');
    // The chain continues from the first checkpoint, and without it from the second.
    const list = (await site.api.json('GET', `${machine.path}/checkpoints`)).json<{
      checkpoint: { id: string; parent_id?: string }[];
    }>().checkpoint;
    expect(list.map((one) => one.parent_id)).toEqual([undefined, first.checkpoint]);
    const gone = await site.api.json('DELETE', `${machine.path}/checkpoints/${first.checkpoint}`);
    expect(gone.status).toBe(200);
    const known = Buffer.from(image);
    await machine.scribble(disk, image, 3);
    expect(await modeSince({ checkpoint: list[1]?.id ?? '', known })).toBe('incremental');
  });

  it.skipIf(!hasQemu)('cover the complete disk after an upload of a qcow2 file', async () => {
    const first = await begun();
    image = randomBytes(size);
    const raw = join(site.parent, 'image.raw');
    const cow = join(site.parent, 'image.qcow2');
    writeFileSync(raw, image);
    execFileSync('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', raw, cow]);
    const { path, url } = await site.transfer(disk, 'upload');
    const body = readFileSync(cow);
    const sent = await send(url, { method: 'PUT', body, agent: site.api.agent });
    expect(sent.status, sent.text).toBe(200);
    await site.finish(path);
    expect(await modeSince(first)).toBe('full');
  });

  it('are reset when the disk leaves the VM, and when the last checkpoint is removed', async () => {
    const first = await begun();
    const here = `${machine.path}/diskattachments`;
    const away = await site.api.json('DELETE', `${here}/${disk}`);
    expect(away.status, away.text).toBe(200);
    const how = { interface: 'virtio', active: true, disk: { id: disk } };
    expect((await site.api.json('POST', here, how)).status).toBe(201);
    expect(await modeSince(first)).toBe('full');
    const second = await begun();
    for (const backup of ['none', 'incremental']) {
      const changed = await site.api.json('PUT', `${here}/${disk}`, { disk: { backup } });
      expect(changed.status, changed.text).toBe(200);
    }
    expect(await modeSince(second)).toBe('full');
    // No file of them remains.
    await site.stop();
    await site.start();
    await site.stop();
    const known = readdirSync(site.images).filter((name) => /^[0-9a-f-]{36}$/.test(name));
    expect(known.length).toBeLessThanOrEqual(2);
  });

  it.skipIf(!hasQemuNbd)('are not assumed if their file is missing or damaged', async () => {
    for (const spoil of [
      (path: string) => rmSync(path),
      (path: string) => writeFileSync(path, readFileSync(path).fill(0, 0, 4096)),
    ]) {
      const before = new Set(readdirSync(site.images));
      const first = await begun();
      await machine.scribble(disk, image, 3);
      const added = readdirSync(site.images).filter((name) => !before.has(name));
      await site.stop();
      const bitmaps = added.filter((name) => {
        const head = readFileSync(join(site.images, name)).subarray(0, 18).toString('latin1');
        return head === 'vmctl dirty bitmap';
      });
      expect(bitmaps).toHaveLength(1);
      spoil(join(site.images, bitmaps[0] ?? ''));
      await site.start();
      expect(await site.status(disk)).toBe('ok');
      expect(await modeSince(first)).toBe('full');
    }
  });

  it('are not copied with a disk', async () => {
    const first = await begun();
    const body = { disk: { name: 'copied' }, storage_domain: { name: 'data1' } };
    const made = await site.api.json('POST', `/disks/${disk}/copy`, body);
    expect(made.status, made.text).toBe(200);
    const found = await site.api.until('/disks?search=name%3Dcopied', (one) =>
      (one.json<{ disk?: { status: string }[] }>().disk ?? []).some(
        ({ status }) => status === 'ok',
      ),
    );
    const [copy] = found.json<{ disk: { id: string }[] }>().disk;
    const how = { interface: 'virtio', active: true, disk: { id: copy?.id } };
    const attached = await site.api.json('POST', `${machine.path}/diskattachments`, how);
    expect(attached.status, attached.text).toBe(201);
    const original = disk;
    disk = copy?.id ?? '';
    expect(await modeSince(first)).toBe('full');
    disk = original;
    expect(await modeSince(first)).toBe('incremental');
  });

  it('are reset when a state without image bytes is loaded', async () => {
    const first = await begun();
    const url = new URL('/_vmctl/state', site.server.ready.api_url).href;
    const authorization = `Basic ${Buffer.from(`admin@internal:${password}`).toString('base64')}`;
    const ask = (method: string, body?: Buffer) =>
      send(url, {
        ...{ method, ca: site.server.ca, headers: { authorization } },
        ...(body === undefined ? {} : { body }),
      });
    const saved = await ask('GET');
    expect(saved.status, saved.text).toBe(200);
    const loaded = await ask('PUT', saved.bytes);
    expect(loaded.status, loaded.text).toBeLessThan(300);
    expect(await modeSince(first)).toBe('full');
  });

  it.skipIf(!hasQemuNbd)('are part of a backup of the site', async () => {
    const first = await begun();
    await machine.scribble(disk, image, 3);
    const home = makeHome(site.server);
    const file = join(site.parent, 'site.backup');
    const copy = new FolderSite();
    try {
      expect((await home.run(['serve', '--backup', file])).code).toBe(0);
      await site.stop();
      const restored = await home.run(['serve', '--restore', file, '--data', copy.data]);
      expect(restored.code, restored.stderr).toBe(0);
      await copy.start();
      machine = new Machine(copy, machine.id);
      await machine.scribble(disk, image, 3);
      expect(await modeSince(first)).toBe('incremental');
      await copy.stop();
      const checked = await home.run(['serve', '--check', '--data', copy.data]);
      expect(checked.stdout).toContain('no problems found');
    } finally {
      home.remove();
      await copy.remove();
    }
  });
});
