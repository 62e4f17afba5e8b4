/** Refusals of a VM and its disks during a backup, and disks of snapshots in other VMs. */
import { describe, expect } from 'vitest';
import { type People, useSite } from './support/site.ts';
import { addDisk, mebibyte, newVm, until, writeDisk } from './support/vms.ts';

const site = useSite();
const bootsFromDisc = { os: { boot: { devices: { device: ['cdrom'] } } } };
const during = 'The VM is during a backup operation';
const locked = 'locked';

/** A backup of a machine, when it can be read. */
async function backedUp(people: People, running: boolean, query = '') {
  const { admin } = people;
  const vm = await newVm(people, bootsFromDisc);
  const disk = await addDisk(people, vm.id, { disk: { format: 'cow', backup: 'incremental' } });
  if (running) {
    await admin.must(`/vms/${vm.id}/start`);
    await until(people, `/vms/${vm.id}`, (one) => one['status'] === 'up');
  }
  const disks = { disk: [{ id: disk }] };
  const backup = { disks, description: 'nightly' };
  const { id } = await admin.add(`/vms/${vm.id}/backups${query}`, { backup });
  const path = `/vms/${vm.id}/backups/${id}`;
  const ready = await until(people, path, ({ phase }) => phase === 'ready');
  return { vm: vm.id, disk, id, path, ready, disks };
}

/** Refused with each form of the path. */
async function refuses(
  people: People,
  [method, path, body, words]: readonly ['POST' | 'PUT' | 'DELETE', string, object, string],
): Promise<void> {
  const { admin } = people;
  const answer =
    method === 'DELETE'
      ? await admin.delete(path)
      : method === 'PUT'
        ? await admin.put(path, body as never)
        : await admin.post(path, body as never);
  expect([path, answer.status, answer.fault?.detail]).toEqual([
    path,
    409,
    expect.stringContaining(words),
  ]);
}

describe('a backup that is ready', () => {
  site.both('refuses what would change the machine or its disks', async (people) => {
    const { admin, name } = people;
    const { vm, disk, path, disks, id } = await backedUp(people, true);
    const here = `/vms/${vm}`;
    const attachment = `${here}/diskattachments/${disk}`;
    const elsewhere = { action: { storage_domain: { name: 'data1' } } };
    const other = { action: { storage_domain: { name: 'data1' }, disk: { name: name('copy') } } };
    for (const tried of [
      ['DELETE', here, {}, during],
      ['POST', `${here}/migrate`, { action: {} }, during],
      ['POST', `${here}/suspend`, { action: {} }, during],
      ['POST', `${here}/stop`, { action: {} }, during],
      ['POST', `${here}/shutdown`, { action: {} }, during],
      ['POST', `${here}/reboot`, { action: {} }, during],
      [
        'POST',
        `${here}/export`,
        { action: { host: { name: 'host1' }, directory: '/tmp', filename: 'x.ova' } },
        during,
      ],
      ['POST', `${here}/clone`, { action: { vm: { name: name('clone') } } }, locked],
      ['POST', `${here}/snapshots`, { snapshot: { description: 'no' } }, during],
      ['POST', `${here}/backups`, { backup: { disks } }, during],
      [
        'PUT',
        attachment,
        { disk_attachment: { disk: { provisioned_size: 2 * mebibyte } } },
        locked,
      ],
      ['DELETE', attachment, {}, locked],
      ['DELETE', `/disks/${disk}`, {}, locked],
      ['POST', `/disks/${disk}/move`, elsewhere, locked],
      ['POST', `/disks/${disk}/copy`, other, locked],
      ['POST', `/disks/${disk}/sparsify`, { action: {} }, locked],
      ['POST', '/imagetransfers', { image_transfer: { disk: { id: disk } } }, locked],
    ] as const) {
      await refuses(people, tried);
    }
    const transfer = { disk: { id: disk }, backup: { id }, direction: 'download' };
    const open = await admin.add('/imagetransfers', { image_transfer: transfer });
    await until(people, `/imagetransfers/${open.id}`, ({ phase }) => phase === 'transferring');
    await refuses(people, ['POST', `${path}/finalize`, { action: {} }, 'active image transfer']);
    await admin.must(`/imagetransfers/${open.id}/finalize`);
    const ended = ({ phase }: Record<string, unknown>) => phase === 'finished_success';
    await until(people, `/imagetransfers/${open.id}`, ended);
    await admin.must(`${path}/finalize`);
    await until(people, path, ({ phase }) => phase === 'succeeded');
    await until(people, `/disks/${disk}`, ({ status }) => status === 'ok');
    await admin.must(`${here}/stop`);
    expect((await admin.delete(here)).status).toBe(200);
  });

  site.both(
    'of a machine that is off names the host that works, and keeps it off',
    async (people) => {
      const { vm, path, ready, disk } = await backedUp(people, false);
      expect(ready).toMatchObject({ description: 'nightly', host: { id: expect.any(String) } });
      await refuses(people, ['POST', `/vms/${vm}/start`, { action: {} }, during]);
      await people.admin.must(`${path}/finalize`);
      await until(people, path, ({ phase }) => phase === 'succeeded');
      const [checkpoint] = (await people.admin.get(`/vms/${vm}/checkpoints`)).list;
      expect(checkpoint).toMatchObject({ description: 'nightly', state: 'created' });
      expect((await people.admin.get(`/disks/${disk}`)).object['status']).toBe('ok');
    },
  );

  site.both(
    'fails when its machine is stopped by force, and leaves no checkpoint',
    async (people) => {
      const { admin } = people;
      const { vm, id, path, disk } = await backedUp(people, true);
      const transfer = { disk: { id: disk }, backup: { id }, direction: 'download' };
      const open = await admin.add('/imagetransfers', { image_transfer: transfer });
      await until(people, `/imagetransfers/${open.id}`, ({ phase }) => phase === 'transferring');
      await admin.must(`/vms/${vm}/stop`, { force: true });
      expect((await admin.get(path)).object['phase']).toBe('failed');
      expect((await admin.get(`/vms/${vm}/checkpoints`)).list).toEqual([]);
      const over = ({ phase }: Record<string, unknown>) => phase === 'finished_failure';
      await until(people, `/imagetransfers/${open.id}`, over);
      expect((await admin.get(`/disks/${disk}`)).object['status']).toBe('ok');
      const events = (await admin.get(`/events?search=${id}`)).list;
      expect(events.map(({ code }) => String(code))).toEqual(['10792', '10790']);
    },
  );
});

describe('a backup is not begun', () => {
  site.both('without disks, with foreign disks, or with a name in use', async (people) => {
    const { admin } = people;
    const { vm, disk, id, path } = await backedUp(people, false);
    await admin.must(`${path}/finalize`);
    await until(people, path, ({ phase }) => phase === 'succeeded');
    const away = await addDisk(people, vm, { bootable: false, active: false });
    const foreign = await addDisk(people, (await newVm(people)).id);
    const disks = { disk: [{ id: disk }] };
    for (const [status, words, backup] of [
      [400, 'Backup [disks] required for add', {}],
      [400, 'not attached', { disks: { disk: [{ id: foreign }] } }],
      [409, 'not active', { disks: { disk: [{ id: away }] } }],
      [400, "doesn't exist", { disks, from_checkpoint_id: id }],
      [400, '1024 characters', { disks, description: 'x'.repeat(1025) }],
      [400, 'already exists', { disks, id }],
    ] as const) {
      const answer = await admin.post(`/vms/${vm}/backups`, { backup });
      expect([answer.status, answer.fault?.detail]).toEqual([
        status,
        expect.stringContaining(words),
      ]);
    }
  });
});

describe('a disk of a snapshot', () => {
  site.both('is attached to another machine, and goes with the detachment', async (people) => {
    const { admin } = people;
    const [vm, helper] = [await newVm(people), await newVm(people, bootsFromDisc)];
    const disk = await addDisk(people, vm.id);
    await writeDisk(site, disk, 'before');
    const snapshot = await admin.add(`/vms/${vm.id}/snapshots`, { snapshot: { description: 's' } });
    const taken = `/vms/${vm.id}/snapshots/${snapshot.id}`;
    await until(people, taken, (one) => one['snapshot_status'] === 'ok');
    await writeDisk(site, disk, 'after!');
    const of = { id: disk, snapshot: { id: snapshot.id } };
    const attach = (to: string, kept: object) =>
      admin.post(`/vms/${to}/diskattachments`, {
        disk_attachment: { interface: 'virtio', bootable: false, active: true, disk: kept },
      });
    const added = await attach(helper.id, of);
    expect(added.status, added.text).toBe(201);
    // The VM has the disk already, and a disk cannot be attached twice.
    expect((await attach(vm.id, of)).status).toBe(409);
    expect((await attach(helper.id, of)).status).toBe(409);
    expect((await attach(helper.id, { id: disk, snapshot: { id: disk } })).status).toBe(400);
    const list = (await admin.get(`/vms/${helper.id}/diskattachments`)).list;
    expect(list).toMatchObject([{ id: disk, disk: { id: disk } }]);
    for (const path of [taken, `/vms/${vm.id}`, `/disks/${disk}`]) {
      await refuses(people, ['DELETE', path, {}, 'attached to other VMs']);
    }
    const [image] = (await admin.get(`/disks/${disk}/disksnapshots`)).list;
    const kept = `/disks/${disk}/disksnapshots/${String(image?.['id'])}`;
    await refuses(people, ['DELETE', kept, {}, 'attached to other VMs']);
    await refuses(people, ['POST', `${taken}/restore`, { action: {} }, 'attached to other VMs']);
    const grow = { disk_attachment: { disk: { provisioned_size: 2 * mebibyte } } };
    const here = `/vms/${helper.id}/diskattachments/${disk}`;
    await refuses(people, ['PUT', here, grow, 'cannot be changed']);
    // The attachment does not block either VM.
    await admin.must(`/vms/${helper.id}/start`);
    await until(people, `/vms/${helper.id}`, (one) => one['status'] === 'up');
    await admin.must(`/vms/${helper.id}/stop`);
    await until(people, `/vms/${helper.id}`, (one) => one['status'] === 'down');
    expect((await admin.delete(here)).status).toBe(200);
    expect((await admin.get(`/disks/${disk}`)).status).toBe(200);
    expect((await admin.delete(taken)).status).toBe(200);
    await until(people, `/disks/${disk}`, (one) => one['status'] === 'ok');
    // A machine that goes takes nothing of it along.
    expect((await admin.delete(`/vms/${helper.id}`)).status).toBe(200);
    expect((await admin.get(`/disks/${disk}`)).status).toBe(200);
  });
});
