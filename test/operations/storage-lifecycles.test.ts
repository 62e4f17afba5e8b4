/**
 * Storage and disks in the states between: on a server where every step takes hours, so that what is
 * begun never ends, and on one that crashes while bytes are copied.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawApi, send } from '../support/raw.ts';
import { type ServerProcess, startServerProcess } from '../support/server.ts';
import { Speaker } from './support/speaker.ts';
import { addDisk, addDomain, gibibyte, settled } from './support/storage.ts';

const mebibyte = 2 ** 20;

const on = (id: string) => ({ storage_domains: { storage_domain: [{ id }] } });

async function refused(answer: ReturnType<Speaker['post']>, status: number, words: string) {
  const { status: got, fault, text } = await answer;
  expect([got, fault?.detail], text).toEqual([status, expect.stringContaining(words)]);
}

describe('on a slow service', () => {
  let server: ServerProcess;
  let admin: Speaker;
  let attached: string;

  beforeAll(async () => {
    server = await startServerProcess(['--speed', '10000', '--inventory', 'small']);
    admin = new Speaker(await RawApi.signIn(server), 'JSON');
    const [dataCenter] = (await admin.get('/datacenters')).list;
    attached = `/datacenters/${String(dataCenter?.['id'])}/storagedomains`;
  });
  afterAll(async () => {
    await server.stop();
  });

  const status = async (path: string) => (await admin.get(path)).object['status'];

  it('a domain that is being attached is locked', async () => {
    const { id } = await addDomain(admin, 'host1', 'attaching');
    const answer = await admin.post(attached, { storage_domain: { id } });
    expect(answer.object['status']).toBe('locked');
    const path = `${attached}/${id}`;
    await refused(admin.post(`${path}/activate`), 409, 'in progress');
    await refused(admin.post(`${path}/deactivate`), 409, 'in progress');
    await refused(admin.delete(path), 409, 'locked');
    await refused(
      admin.put(`/storagedomains/${id}`, { storage_domain: { comment: 'x' } }),
      409,
      'locked',
    );
    await refused(admin.delete(`/storagedomains/${id}?destroy=true`), 409, 'locked');
  });

  it('a new disk is locked until it exists', async () => {
    const domain = await admin.find('/storagedomains', 'data1');
    const answer = await admin.post('/disks', {
      disk: { name: 'slow', provisioned_size: gibibyte, format: 'raw', ...on(domain.id) },
    });
    expect([answer.status, answer.object['status']]).toEqual([202, 'locked']);
    const path = `/disks/${String(answer.object['id'])}`;
    const target = { action: { storage_domain: { name: 'data2' } } };
    for (const action of ['copy', 'move', 'sparsify', 'reduce']) {
      await refused(admin.post(`${path}/${action}`, target), 409, 'locked');
    }
    await refused(admin.delete(path), 409, 'locked');
    const vm = await admin.find('/vms', 'vm-02');
    const disk_attachment = { interface: 'virtio', disk: { id: answer.object['id'] } };
    await refused(admin.post(`/vms/${vm.id}/diskattachments`, { disk_attachment }), 409, 'locked');
    const transfer = { image_transfer: { disk: { id: answer.object['id'] } } };
    await refused(admin.post('/imagetransfers', transfer), 409, 'locked');
  });

  it('a disk that is being copied is locked, and so is its copy', async () => {
    const vm = await admin.find('/vms', 'vm-02');
    const [attachment] = (await admin.get(`/vms/${vm.id}/diskattachments`)).list;
    const disk = String(attachment?.['id']);
    const answer = await admin.post(`/disks/${disk}/copy`, {
      action: { disk: { name: 'slow-copy' }, storage_domain: { name: 'data1' } },
    });
    expect(answer.status, answer.text).toBeLessThan(300);
    expect(await status(`/disks/${disk}`)).toBe('locked');
    expect((await admin.find('/disks', 'slow-copy'))['status']).toBe('locked');
    await refused(admin.post(`/vms/${vm.id}/start`), 409, 'locked');
    await refused(
      admin.put(`/vms/${vm.id}/diskattachments/${disk}`, { disk_attachment: { bootable: false } }),
      409,
      'locked',
    );
    await refused(admin.delete(`/vms/${vm.id}/diskattachments/${disk}`), 409, 'locked');
  });

  it('a domain with disks that are locked is not deactivated', async () => {
    const domain = await admin.find('/storagedomains', 'data2');
    await refused(admin.post(`${attached}/${domain.id}/deactivate`), 409, 'Work is going on');
  });
});

describe('a domain on the way to maintenance', () => {
  it('is locked, then preparing; the master domain does not change during that time', async () => {
    const server = await startServerProcess([
      '--speed',
      '10000',
      '--inventory',
      'storagedomains=2,hosts=1,vms=0,disks=0,clusters=1,datacenters=1,networks=1',
    ]);
    try {
      const admin = new Speaker(await RawApi.signIn(server), 'XML');
      const [dataCenter] = (await admin.get('/datacenters')).list;
      const list = `/datacenters/${String(dataCenter?.['id'])}/storagedomains`;
      const [master, other] = (await admin.get(list)).list;
      await admin.must(`${list}/${String(master?.['id'])}/deactivate`);
      const states = async () =>
        (await admin.get(list)).list.map((one) => [one['status'], one['master']]);
      expect(await states()).toEqual([
        ['locked', 'false'],
        ['locked', 'true'],
      ]);
      expect((await admin.get(list.replace('/storagedomains', ''))).object['status']).toBe('up');
      await refused(admin.post(`${list}/${String(master?.['id'])}/activate`), 409, 'in progress');
      await refused(admin.post(`${list}/${String(other?.['id'])}/deactivate`), 409, 'in progress');
    } finally {
      await server.stop();
    }
  });
});

describe('domains that come and go', () => {
  it('are activating and unchanged until the end; detached ones disappear immediately', async () => {
    const data = mkdtempSync(join(tmpdir(), 'vmctl-slow-'));
    const options = ['--inventory', 'small', '--data', data];
    try {
      const fast = await startServerProcess(['--speed', '0', ...options]);
      const before = new Speaker(await RawApi.signIn(fast), 'JSON');
      const [dataCenter] = (await before.get('/datacenters')).list;
      const list = `/datacenters/${String(dataCenter?.['id'])}/storagedomains`;
      for (const name of ['comes', 'goes']) {
        const { id } = await addDomain(before, 'host1', name);
        await before.add(list, { storage_domain: { id } });
        await before.must(`${list}/${id}/deactivate`);
      }
      await fast.stop();

      const slow = await startServerProcess(['--speed', '10000', ...options]);
      try {
        const admin = new Speaker(await RawApi.signIn(slow), 'JSON');
        const [comes, goes] = [await admin.find(list, 'comes'), await admin.find(list, 'goes')];
        await admin.must(`${list}/${comes.id}/activate`);
        expect((await admin.get(list)).list.map((one) => one['status'])).toContain('activating');
        expect((await admin.delete(`${list}/${goes.id}`)).status).toBe(200);
        expect((await admin.get(list)).list.map((one) => one['id'])).not.toContain(goes.id);
        await refused(admin.post(`${list}/${comes.id}/activate`), 409, 'in progress');
        await refused(admin.post(`${list}/${comes.id}/deactivate`), 409, 'in progress');
        await refused(admin.delete(`${list}/${comes.id}`), 409, 'activating');
      } finally {
        await slow.stop();
      }
    } finally {
      rmSync(data, { recursive: true, force: true });
    }
  });
});

describe('a crash while bytes are copied', () => {
  it('does not lose the copy', async () => {
    const data = mkdtempSync(join(tmpdir(), 'vmctl-crash-'));
    const options = ['--speed', '0', '--inventory', 'small', '--data', data];
    try {
      const first = await startServerProcess(options);
      const admin = new Speaker(await RawApi.signIn(first), 'JSON');
      const domain = await admin.find('/storagedomains', 'data1');
      const size = 64 * mebibyte;
      const disk = await addDisk(admin, domain.id, { name: 'source', provisioned_size: size });
      const bytes = randomBytes(size);
      const { id } = await admin.add('/imagetransfers', {
        image_transfer: { disk: { id: disk.id } },
      });
      const url = String((await admin.get(`/imagetransfers/${id}`)).object['transfer_url']);
      await send(url, { method: 'PUT', ca: first.ca, body: bytes });
      await admin.must(`/imagetransfers/${id}/finalize`);
      await settled(admin, `/disks/${disk.id}`);
      await admin.must(`/disks/${disk.id}/copy`, {
        disk: { name: 'copy' },
        storage_domain: { name: 'data2' },
      });
      await first.kill();

      const second = await startServerProcess(options);
      try {
        const again = new Speaker(await RawApi.signIn(second), 'JSON');
        const copy = await again.find('/disks', 'copy');
        expect((await settled(again, `/disks/${copy.id}`))['status']).toBe('ok');
        expect((await settled(again, `/disks/${disk.id}`))['status']).toBe('ok');
        const download = await again.add('/imagetransfers', {
          image_transfer: { disk: { id: copy.id }, direction: 'download' },
        });
        const transfer = (await again.get(`/imagetransfers/${download.id}`)).object;
        const answer = await send(String(transfer['transfer_url']), { ca: second.ca });
        const hash = (buffer: Buffer) => createHash('sha256').update(buffer).digest('hex');
        expect(hash(answer.bytes)).toBe(hash(bytes));
      } finally {
        await second.stop();
      }
    } finally {
      rmSync(data, { recursive: true, force: true });
    }
  });
});
