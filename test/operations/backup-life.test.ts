/** Job of a backup, attributes that only the service sets, and backups of a failed host. */
import { describe, expect } from 'vitest';
import { RawApi, send } from '../support/raw.ts';
import { addHost } from './support/hosts.ts';
import { type People, useSite } from './support/site.ts';
import type { Thing } from './support/speaker.ts';
import { addDisk, newVm, readDisk, settled, until, writeDisk } from './support/vms.ts';

const site = useSite();
const bootsFromDisc = { os: { boot: { devices: { device: ['cdrom'] } } } };
const during = 'The VM is during a backup operation';

async function machine(people: People, more: object = {}) {
  const vm = await newVm(people, { ...bootsFromDisc, ...more });
  const disk = await addDisk(people, vm.id, { disk: { format: 'cow', backup: 'incremental' } });
  return { id: vm.id, name: vm.name, here: `/vms/${vm.id}`, disk };
}

async function start({ admin, ...people }: People, here: string): Promise<void> {
  await admin.must(`${here}/start`);
  await until({ admin, ...people }, here, ({ status }) => status === 'up');
}

/** Begins a backup of a disk; resolves with its path when it can be read. */
async function backUp(people: People, vm: string, disk: string, more: object = {}) {
  const backup = { disks: { disk: [{ id: disk }] }, ...more };
  const { id } = await people.admin.add(`/vms/${vm}/backups`, { backup });
  const path = `/vms/${vm}/backups/${id}`;
  const ready = await until(people, path, ({ phase }) => phase === 'ready');
  return { id, path, ready };
}

/** Jobs whose description ends with the name of a VM: names and statuses. */
async function listJobs({ admin }: People, name: string): Promise<unknown[][]> {
  return (await admin.get('/jobs')).list
    .filter(
      ({ description }) =>
        String(description).endsWith(`ackup of VM ${name}`) ||
        description === `Backing up VM ${name}`,
    )
    .map(({ description, status }) => [description, status]);
}

async function ask(path: string): Promise<void> {
  const server = site.server();
  const api = await RawApi.signIn(server);
  const answer = await send(`${new URL(server.ready.base_url).origin}/_vmctl/${path}`, {
    method: 'POST',
    ca: server.ca,
    headers: { Authorization: `Bearer ${api.token}` },
  });
  expect(answer.status, answer.text).toBeLessThan(300);
}

describe('the job of a backup', () => {
  site.both('lasts until it has ended', async (people) => {
    const { admin } = people;
    const { id, name, disk, here } = await machine(people);
    const { path } = await backUp(people, id, disk);
    expect(await listJobs(people, name)).toEqual([[`Backing up VM ${name}`, 'started']]);
    await admin.must(`${path}/finalize`);
    await until(people, path, ({ phase }) => phase === 'succeeded');
    expect(await listJobs(people, name)).toEqual([
      [`Backing up VM ${name}`, 'finished'],
      [`Finalizing a backup of VM ${name}`, 'finished'],
    ]);
    const [job] = (await admin.get('/jobs')).list.filter(
      ({ description }) => description === `Backing up VM ${name}`,
    );
    const steps = (await admin.get(`/jobs/${String(job?.['id'])}/steps`)).list;
    expect(steps.map(({ type, status }) => [type, status])).toEqual([
      ['validating', 'finished'],
      ['executing', 'finished'],
      ['finalizing', 'finished'],
    ]);
    expect((await admin.get(here)).object['status']).toBe('down');
  });

  site.both('fails with it', async (people) => {
    const { id, name, disk, here } = await machine(people);
    await start(people, here);
    await backUp(people, id, disk);
    await people.admin.must(`${here}/stop`, { force: true });
    expect(await listJobs(people, name)).toEqual([[`Backing up VM ${name}`, 'failed']]);
  });
});

describe('a backup', () => {
  site.both('reports its progress, start and host', async (people) => {
    const { id, disk } = await machine(people);
    const stranger = '11111111-2222-3333-4444-555555555555';
    const { ready, path } = await backUp(people, id, disk, {
      ...{ phase: 'succeeded', creation_date: '2001-02-03T04:05:06Z', to_checkpoint_id: stranger },
      ...{
        modification_date: '2001-02-03T04:05:06Z',
        host: { id: stranger },
        vm: { id: stranger },
      },
    });
    expect(ready['phase']).toBe('ready');
    expect(String(ready['creation_date'])).not.toContain('2001');
    expect(String(ready['modification_date'])).not.toContain('2001');
    expect(ready['to_checkpoint_id']).not.toBe(stranger);
    expect((ready['host'] as Thing)['id']).not.toBe(stranger);
    expect((ready['vm'] as Thing)['id']).toBe(id);
    await people.admin.must(`${path}/finalize`);
    await until(people, path, ({ phase }) => phase === 'succeeded');
  });

  site.both('excludes previews, and previews exclude it', async (people) => {
    const { admin } = people;
    const { id, disk, here } = await machine(people);
    const snapshot = await admin.add(`${here}/snapshots`, { snapshot: { description: 'before' } });
    const kept = `${here}/snapshots/${snapshot.id}`;
    await until(people, kept, (one) => one['snapshot_status'] === 'ok');
    const { path } = await backUp(people, id, disk);
    const preview = { action: { snapshot: { id: snapshot.id } } };
    for (const [method, tried, body] of [
      ['POST', `${here}/previewsnapshot`, preview],
      ['POST', `${here}/commitsnapshot`, {}],
      ['POST', `${here}/undosnapshot`, {}],
      ['POST', `${kept}/restore`, {}],
      ['DELETE', kept, undefined],
    ] as const) {
      const { status, fault } = await admin.send(method, tried, body && { action: {}, ...body });
      // Without a preview nothing can be committed or undone, backup or not.
      const isUnpreviewed = /commit|undo/.test(tried);
      expect([tried, status]).toEqual([tried, isUnpreviewed ? 400 : 409]);
      if (!isUnpreviewed) {
        expect([tried, fault?.detail]).toEqual([tried, expect.stringContaining(during)]);
      }
    }
    await admin.must(`${path}/finalize`);
    await until(people, path, ({ phase }) => phase === 'succeeded');

    await admin.must(`${here}/previewsnapshot`, preview.action);
    await until(people, kept, (one) => one['snapshot_status'] === 'in_preview');
    await settled(people, id);
    const disks = { disk: [{ id: disk }] };
    const refused = await admin.post(`${here}/backups`, { backup: { disks } });
    expect([refused.status, refused.fault?.detail]).toEqual([
      409,
      expect.stringContaining('preview'),
    ]);
    await admin.must(`${here}/undosnapshot`);
    await settled(people, id);
    const next = await backUp(people, id, disk);
    await admin.must(`${next.path}/finalize`);
  });

  site.both('of a stateless run ends before the run, or fails with it', async (people) => {
    const { admin } = people;
    const { id, disk, here } = await machine(people, { stateless: true });
    const plain = await addDisk(people, id, { bootable: false });
    await writeDisk(site, plain, 'clean');
    await start(people, here);
    const { path, ready } = await backUp(people, id, disk);
    for (const action of ['stop', 'shutdown', 'reboot']) {
      const { status, fault } = await admin.post(`${here}/${action}`, { action: {} });
      expect([action, status, fault?.detail]).toEqual([
        action,
        409,
        expect.stringContaining(during),
      ]);
    }
    await admin.must(`${path}/finalize`);
    await until(people, path, ({ phase }) => phase === 'succeeded');
    const second = await backUp(people, id, disk);
    await admin.must(`${here}/stop`, { force: true });
    expect((await admin.get(second.path)).object['phase']).toBe('failed');
    expect((await settled(people, id))['status']).toBe('down');
    expect(await readDisk(site, plain, 5)).toBe('clean');
    // The complete disk was restored, so every extent has changed.
    const since = { from_checkpoint_id: ready['to_checkpoint_id'] };
    const third = await backUp(people, id, disk, since);
    expect((await admin.get(`${third.path}/disks`)).list).toMatchObject([{ backup_mode: 'full' }]);
    await admin.must(`${third.path}/finalize`);
  });

  site.both('fails when its host loses its power, and leaves nothing', async (people) => {
    const { admin } = people;
    const host = await addHost(people);
    const { id, name, disk, here } = await machine(people, { cluster: { id: host.cluster } });
    await start(people, here);
    expect(((await admin.get(here)).object['host'] as Thing)['id']).toBe(host.id);
    const { id: backup, path } = await backUp(people, id, disk);
    const transfer = { disk: { id: disk }, backup: { id: backup }, direction: 'download' };
    const open = await admin.add('/imagetransfers', { image_transfer: transfer });
    await until(people, `/imagetransfers/${open.id}`, ({ phase }) => phase === 'transferring');

    await ask(`lose/${host.id}`);
    await until(people, here, ({ status }) => status === 'unknown');
    // The state of the VM is unknown, so its disks stay locked.
    expect((await admin.get(path)).object['phase']).toBe('ready');
    expect((await admin.get(`/disks/${disk}`)).object['status']).toBe('locked');
    await admin.must(`${host.path}/fence`, { fence_type: 'manual' });

    expect((await admin.get(path)).object['phase']).toBe('failed');
    const over = ({ phase }: Thing) => phase === 'finished_failure';
    await until(people, `/imagetransfers/${open.id}`, over);
    expect((await admin.get(`${here}/checkpoints`)).list).toEqual([]);
    expect((await admin.get(`/disks/${disk}`)).object['status']).toBe('ok');
    expect(await listJobs(people, name)).toEqual([[`Backing up VM ${name}`, 'failed']]);
    const codes = (await admin.get(`/events?search=${backup}`)).list.map(({ code }) =>
      String(code),
    );
    expect(codes).toEqual(['10792', '10790']);
  });

  site.both('of a machine that is off fails with the host that does the work', async (people) => {
    const { admin } = people;
    const { id, disk } = await machine(people);
    const { path, ready } = await backUp(people, id, disk);
    const host = `/hosts/${String((ready['host'] as Thing)['id'])}`;
    await ask(`lose/${String((ready['host'] as Thing)['id'])}`);
    await until(people, host, ({ status }) => status === 'non_responsive');
    expect((await admin.get(path)).object['phase']).toBe('ready');
    await admin.must(`${host}/fence`, { fence_type: 'manual' });
    expect((await admin.get(path)).object['phase']).toBe('failed');
    expect((await admin.get(`/vms/${id}/checkpoints`)).list).toEqual([]);
    expect((await admin.get(`/disks/${disk}`)).object['status']).toBe('ok');
    await admin.must(`${host}/deactivate`);
    await until(people, host, ({ status }) => status === 'maintenance');
    await admin.must(`${host}/activate`);
    await until(people, host, ({ status }) => status === 'up');
  });
});
