/** Snapshots: their complete contents, previews, and restores. */
import { describe, expect } from 'vitest';
import { type People, useSite } from './support/site.ts';
import { at, type Thing } from './support/speaker.ts';
import { addDisk, mebibyte, newVm, readDisk, settled, until, writeDisk } from './support/vms.ts';

const site = useSite();
const bootsFromDisc = { os: { boot: { devices: { device: ['cdrom'] } } } };

/** Returns a snapshot after its creation. */
async function take(people: People, vm: string, more: object = {}) {
  const description = people.name('snapshot');
  const snapshot = { description, ...more };
  const { id } = await people.admin.add(`/vms/${vm}/snapshots`, { snapshot });
  const path = `/vms/${vm}/snapshots/${id}`;
  return { id, path, description, snapshot: await ready(people, path) };
}

function ready(people: People, path: string): Promise<Thing> {
  return until(people, path, (one) => one['snapshot_status'] === 'ok');
}

describe('POST /vms/{vm}/snapshots', () => {
  site.both('keeps disks, interfaces, the drive and the configuration', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people, { memory: 512 * mebibyte });
    await admin.add(`/vms/${id}/nics`, { nic: { name: 'nic1' } });
    const disk = await addDisk(people, id);
    await writeDisk(site, disk, 'before');
    const { path, snapshot } = await take(people, id);
    expect(snapshot).toMatchObject({
      snapshot_type: 'regular',
      persist_memorystate: 'false',
      vm: { id },
    });
    expect(snapshot['memory']).toBeUndefined();
    const all = (await admin.get(`${path}?all_content=true`)).object;
    expect((await admin.get(`/vms/${id}/snapshots?all_content=true`)).status).toBe(200);
    expect(at(all, 'vm.memory')).toBe(String(512 * mebibyte));
    const disks = (await admin.get(`${path}/disks`)).list;
    expect(disks).toMatchObject([{ id: disk, status: 'ok' }]);
    expect((await admin.get(`${path}/disks/${disk}`)).status).toBe(200);
    const [nic] = (await admin.get(`${path}/nics`)).list;
    expect(nic).toMatchObject({ name: 'nic1' });
    expect((await admin.get(`${path}/nics/${String(nic?.['id'])}`)).status).toBe(200);
    const [cdrom] = (await admin.get(`${path}/cdroms`)).list;
    expect((await admin.get(`${path}/cdroms/${String(cdrom?.['id'])}`)).status).toBe(200);
    const list = (await admin.get(`/vms/${id}/snapshots`)).list;
    expect(list.map((one) => one['snapshot_type'])).toEqual(['active', 'regular']);
    expect(await readDisk(site, disk, 6)).toBe('before');
  });
  site.both('keeps the memory of a machine that runs, unless told otherwise', async (people) => {
    const { id } = await newVm(people, bootsFromDisc);
    await people.admin.must(`/vms/${id}/start`);
    const memory = { persist_memorystate: 'true' };
    expect((await take(people, id)).snapshot).toMatchObject(memory);
    const none = await take(people, id, { persist_memorystate: false });
    expect(none.snapshot).toMatchObject({ persist_memorystate: 'false' });
  });
  site.both('keeps only the disks that are named', async (people) => {
    const { id } = await newVm(people);
    const [first] = [await addDisk(people, id), await addDisk(people, id, { bootable: false })];
    const disk_attachments = { disk_attachment: [{ disk: { id: first } }] };
    const { path } = await take(people, id, { disk_attachments });
    expect((await people.admin.get(`${path}/disks`)).list).toMatchObject([{ id: first }]);
    const foreign = { disk_attachment: [{ disk: { id: people.path('{disk}') } }] };
    const snapshot = { description: 'no', disk_attachments: foreign };
    const answer = await people.admin.post(`/vms/${id}/snapshots`, { snapshot });
    expect(answer.status).toBe(400);
  });
  site.incomplete('POST', '/vms/{vm}/snapshots', { snapshot: {} }, 'description');
  site.unknown('POST', '/vms/{nothing}/snapshots', { snapshot: { description: 'x' } });
  site.unknown('GET', '/vms/{vm}/snapshots/{nothing}');
});

describe('a snapshot with memory', () => {
  /** A machine that is down, with a snapshot of it while it ran. */
  async function slept(people: People) {
    const { admin } = people;
    const { id, name } = await newVm(people, bootsFromDisc);
    await addDisk(people, id);
    await admin.must(`/vms/${id}/start`);
    const { id: snapshot } = await take(people, id);
    await admin.must(`/vms/${id}/stop`);
    const active = async () =>
      (await admin.get(`/vms/${id}/snapshots`)).list.find(
        (one) => one['snapshot_type'] === 'active',
      );
    const begin = async () => {
      await admin.must(`/vms/${id}/start`);
      const { list } = await admin.get('/events?max=3');
      return list.find((one) => at(one, 'vm.id') === id)?.['description'];
    };
    const resumed = `VM ${name} was resumed by admin@internal (Host: `;
    return { vm: `/vms/${id}`, id, snapshot, active, begin, resumed };
  }

  site.both('resumes the VM from its memory, once', async (people) => {
    const { admin } = people;
    const { vm, id, snapshot, active, begin, resumed } = await slept(people);
    await admin.must(`${vm}/previewsnapshot`, { snapshot: { id: snapshot }, restore_memory: true });
    expect((await settled(people, id))['status']).toBe('down');
    expect(await active()).toMatchObject({ persist_memorystate: 'true' });
    await admin.must(`${vm}/commitsnapshot`);
    await settled(people, id);
    expect(await begin()).toContain(resumed);
    expect(await active()).toMatchObject({ persist_memorystate: 'false' });
    await admin.must(`${vm}/stop`);
    expect(await begin()).toContain('started');
  });
  site.both(
    'does not resume after an undone preview, or without memory on request',
    async (people) => {
      const { admin } = people;
      const { vm, id, snapshot, active, begin } = await slept(people);
      await admin.must(`${vm}/previewsnapshot`, {
        snapshot: { id: snapshot },
        restore_memory: true,
      });
      await settled(people, id);
      await admin.must(`${vm}/undosnapshot`);
      await settled(people, id);
      expect(await active()).toMatchObject({ persist_memorystate: 'false' });
      await admin.must(`${vm}/snapshots/${snapshot}/restore`);
      await settled(people, id);
      expect(await begin()).toContain('started');
    },
  );
  site.both('is restored for good with it', async (people) => {
    const { admin } = people;
    const { vm, id, snapshot, begin, resumed } = await slept(people);
    await admin.must(`${vm}/snapshots/${snapshot}/restore`, { restore_memory: true });
    await settled(people, id);
    expect(await begin()).toContain(resumed);
  });
});

describe('previewing a snapshot', () => {
  site.both('shows its bytes and configuration, and goes back to the present', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people, { memory: 512 * mebibyte });
    const disk = await addDisk(people, id);
    await writeDisk(site, disk, 'old bytes');
    const { id: snapshot, path } = await take(people, id);
    await writeDisk(site, disk, 'new bytes');
    await admin.put(`/vms/${id}`, { vm: { memory: 1024 * mebibyte } });
    const later = await addDisk(people, id, { bootable: false });
    await admin.must(`/vms/${id}/previewsnapshot`, { snapshot: { id: snapshot } });
    expect(await settled(people, id)).toMatchObject({
      status: 'down',
      memory: String(512 * mebibyte),
    });
    expect((await admin.get(path)).object).toMatchObject({ snapshot_status: 'in_preview' });
    const types = (await admin.get(`/vms/${id}/snapshots`)).list.map((one) => one['snapshot_type']);
    expect(types).toContain('preview');
    expect(await readDisk(site, disk, 9)).toBe('old bytes');
    const attached = async () =>
      (await admin.get(`/vms/${id}/diskattachments`)).list.map((one) => one['id']);
    expect(await attached()).not.toContain(later);
    const twice = await admin.post(`/vms/${id}/previewsnapshot`, {
      action: { snapshot: { id: snapshot } },
    });
    expect(twice.status).toBe(409);
    expect(twice.fault?.detail).toContain('previews');
    expect((await admin.delete(path)).status).toBe(409);
    expect((await admin.delete(`/vms/${id}`)).status).toBe(409);
    await admin.must(`/vms/${id}/undosnapshot`);
    expect(await settled(people, id)).toMatchObject({ memory: String(1024 * mebibyte) });
    expect(await readDisk(site, disk, 9)).toBe('new bytes');
    expect(await attached()).toContain(later);
    expect((await admin.get(path)).object).toMatchObject({ snapshot_status: 'ok' });
    const left = (await admin.get(`/vms/${id}/snapshots`)).list;
    expect(left.map((one) => one['snapshot_type'])).toEqual(['active', 'regular']);
  });
  site.both('commits it on request; later snapshots are deleted', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people);
    const disk = await addDisk(people, id);
    await writeDisk(site, disk, 'one');
    const first = await take(people, id);
    await writeDisk(site, disk, 'two');
    await take(people, id);
    await admin.must(`/vms/${id}/previewsnapshot`, { snapshot: { id: first.id } });
    await settled(people, id);
    await admin.must(`/vms/${id}/commitsnapshot`);
    await settled(people, id);
    expect(await readDisk(site, disk, 3)).toBe('one');
    const left = (await admin.get(`/vms/${id}/snapshots`)).list;
    expect(left.map((one) => one['id'])).toContain(first.id);
    expect(left.map((one) => one['snapshot_type'])).toEqual(['active', 'regular']);
    expect((await admin.post(`/vms/${id}/commitsnapshot`)).status).toBe(400);
  });
  site.both('is refused in invalid states', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people, bootsFromDisc);
    const { id: snapshot } = await take(people, id);
    const [active] = (await admin.get(`/vms/${id}/snapshots`)).list;
    const ask = (body: object) => admin.post(`/vms/${id}/previewsnapshot`, { action: body });
    expect((await ask({})).status).toBe(400);
    expect((await ask({ snapshot: { id: 'ffffffff-0000-0000-0000-000000000000' } })).status).toBe(
      400,
    );
    expect((await ask({ snapshot: { id: active?.['id'] } })).status).toBe(400);
    await admin.must(`/vms/${id}/start`);
    const up = await ask({ snapshot: { id: snapshot } });
    expect(up.status).toBe(409);
    expect(up.fault?.detail).toContain('must be down');
  });
});

describe('POST /vms/{vm}/snapshots/{snapshot}/restore', () => {
  site.both('goes back for good', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people);
    const disk = await addDisk(people, id);
    await writeDisk(site, disk, 'good');
    const { path } = await take(people, id);
    await writeDisk(site, disk, 'evil');
    await take(people, id);
    await admin.must(`${path}/restore`);
    await settled(people, id);
    expect(await readDisk(site, disk, 4)).toBe('good');
    expect((await admin.get(path)).object).toMatchObject({ snapshot_status: 'ok' });
    expect((await admin.get(`/vms/${id}/snapshots`)).list).toHaveLength(2);
  });
  site.unknown('POST', '/vms/{vm}/snapshots/{nothing}/restore', { action: {} });
});

describe('DELETE /vms/{vm}/snapshots/{snapshot}', () => {
  site.both('removes a snapshot; the present stays', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people);
    const disk = await addDisk(people, id);
    await writeDisk(site, disk, 'present');
    const { path } = await take(people, id);
    const { status, object } = await admin.delete(path);
    expect(status).toBe(200);
    expect(object).toMatchObject({ status: 'complete' });
    expect((await admin.get(path)).status).toBe(404);
    expect(await readDisk(site, disk, 7)).toBe('present');
    expect((await admin.get(`/disks/${disk}`)).object['status']).toBe('ok');
    const [active] = (await admin.get(`/vms/${id}/snapshots`)).list;
    const kept = await admin.delete(`/vms/${id}/snapshots/${String(active?.['id'])}`);
    expect(kept.status).toBe(409);
  });
  site.unknown('DELETE', '/vms/{vm}/snapshots/{nothing}');
});

describe('machines of snapshots and other machines', () => {
  site.both('have the bytes of the snapshot', async (people) => {
    const { admin, path, name } = people;
    const { id } = await newVm(people, { memory: 512 * mebibyte });
    await admin.add(`/vms/${id}/nics`, { nic: { name: 'nic1' } });
    const disk = await addDisk(people, id);
    await writeDisk(site, disk, 'then');
    const taken = await take(people, id);
    await writeDisk(site, disk, 'now!');
    const vm = {
      name: name('of'),
      cluster: { id: path('{cluster}') },
      snapshots: { snapshot: [{ id: taken.id }] },
    };
    const added = await admin.add('/vms', { vm });
    expect(added).toMatchObject({ memory: String(512 * mebibyte) });
    await settled(people, added.id);
    const [copy] = (await admin.get(`/vms/${added.id}/diskattachments`)).list;
    expect(copy?.['id']).not.toBe(disk);
    expect(await readDisk(site, String(copy?.['id']), 4)).toBe('then');
    const mac = async (one: string) =>
      at((await admin.get(`/vms/${one}/nics`)).list[0], 'mac.address');
    expect(await mac(added.id)).not.toBe(await mac(id));
  });
  site.both('are clones with separate disks', async (people) => {
    const { admin, name } = people;
    const { id } = await newVm(people, { description: 'the first' });
    const disk = await addDisk(people, id);
    await writeDisk(site, disk, 'twin');
    const twin = name('twin');
    expect((await admin.post(`/vms/${id}/clone`, { action: {} })).status).toBe(400);
    await admin.must(`/vms/${id}/clone`, { vm: { name: twin } });
    const found = await admin.find('/vms', twin);
    await settled(people, found.id);
    const [copy] = (await admin.get(`/vms/${found.id}/diskattachments`)).list;
    await writeDisk(site, disk, 'gone');
    expect(await readDisk(site, String(copy?.['id']), 4)).toBe('twin');
    expect((await admin.post(`/vms/${id}/clone`, { action: { vm: { name: twin } } })).status).toBe(
      409,
    );
  });
});

describe('a stateless run', () => {
  site.both('leaves nothing behind', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people, { stateless: true });
    const disk = await addDisk(people, id);
    await writeDisk(site, disk, 'clean');
    await admin.must(`/vms/${id}/start`);
    await until(people, `/vms/${id}`, (vm) => vm['status'] === 'up');
    const types = (await admin.get(`/vms/${id}/snapshots`)).list.map((one) => one['snapshot_type']);
    expect(types).toContain('stateless');
    expect((await admin.post(`/vms/${id}/suspend`)).status).toBe(409);
    await admin.must(`/vms/${id}/stop`);
    await settled(people, id);
    expect(await readDisk(site, disk, 5)).toBe('clean');
    expect((await admin.get(`/vms/${id}/snapshots`)).list).toHaveLength(1);
  });
});

describe('backups', () => {
  site.both('are begun and ended, and leave a checkpoint', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people, bootsFromDisc);
    const disk = await addDisk(people, id, { disk: { format: 'cow', backup: 'incremental' } });
    await admin.must(`/vms/${id}/start`);
    const disks = { disk: [{ id: disk }] };
    const backup = await admin.add(`/vms/${id}/backups`, { backup: { disks } });
    const here = `/vms/${id}/backups/${backup.id}`;
    await until(people, here, (one) => one['phase'] === 'ready');
    expect((await admin.get(`${here}/disks`)).list).toMatchObject([
      { id: disk, backup_mode: 'full' },
    ]);
    const twice = await admin.post(`/vms/${id}/backups`, { backup: { disks } });
    expect(twice.status).toBe(409);
    const snapshot = { description: 'not now' };
    expect((await admin.post(`/vms/${id}/snapshots`, { snapshot })).status).toBe(409);
    expect((await admin.post(`/vms/${id}/stop`)).status).toBe(409);
    await admin.must(`${here}/finalize`);
    await until(people, here, (one) => one['phase'] === 'succeeded');
    expect((await admin.post(`${here}/finalize`)).status).toBe(409);
    const [checkpoint] = (await admin.get(`/vms/${id}/checkpoints`)).list;
    const point = `/vms/${id}/checkpoints/${String(checkpoint?.['id'])}`;
    expect((await admin.get(`${point}/disks`)).list).toMatchObject([{ id: disk }]);
    const next = { disks, from_checkpoint_id: checkpoint?.['id'] };
    const second = await admin.add(`/vms/${id}/backups`, { backup: next });
    const there = `/vms/${id}/backups/${second.id}`;
    expect((await admin.get(`${there}/disks`)).list).toMatchObject([
      { backup_mode: 'incremental' },
    ]);
    await until(people, there, (one) => one['phase'] === 'ready');
    await admin.must(`${there}/finalize`);
    await until(people, there, (one) => one['phase'] === 'succeeded');
    expect((await admin.delete(point)).status).toBe(200);
    expect((await admin.get(point)).status).toBe(404);
  });
});
