/** Special image transfers: format conversion, snapshots, and disks of a backup. */
import { describe, expect } from 'vitest';
import { send } from '../support/raw.ts';
import { type People, useSite } from './support/site.ts';
import { at, type Speaker } from './support/speaker.ts';
import { addDisk, settled } from './support/storage.ts';
import { until } from './support/vms.ts';

const site = useSite();
const mebibyte = 2 ** 20;
const size = 2 * mebibyte;

/** Begins a transfer; resolves with its address when bytes can be moved. */
async function begin(
  admin: Speaker,
  image_transfer: object,
): Promise<{ path: string; url: string }> {
  const { id } = await admin.add('/imagetransfers', { image_transfer });
  const path = `/imagetransfers/${id}`;
  for (let turn = 0; turn < 500; turn++) {
    const { object } = await admin.get(path);
    if (object['phase'] !== 'initializing') {
      expect(object['phase']).toBe('transferring');
      return { path, url: String(object['transfer_url']) };
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`${path} does not begin.`);
}

async function end(admin: Speaker, path: string): Promise<string> {
  await admin.must(`${path}/finalize`);
  for (let turn = 0; turn < 500; turn++) {
    const phase = String((await admin.get(path)).object['phase']);
    if (phase.startsWith('finished')) return phase;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`${path} does not end.`);
}

async function download(admin: Speaker, image_transfer: object): Promise<Buffer> {
  const { path, url } = await begin(admin, { direction: 'download', ...image_transfer });
  const answer = await send(url, { ca: site.server().ca });
  expect([200, 206], answer.text.slice(0, 200)).toContain(answer.status);
  expect(await end(admin, path)).toBe('finished_success');
  return answer.bytes;
}

async function upload(admin: Speaker, image_transfer: object, body: Buffer): Promise<string> {
  const { path, url } = await begin(admin, image_transfer);
  const answer = await send(url, { method: 'PUT', ca: site.server().ca, body });
  expect(answer.status, answer.text).toBe(200);
  const phase = await end(admin, path);
  // Counts all transferred bytes, even of a short transfer.
  expect(Number((await admin.get(path)).object['transferred'])).toBe(body.length);
  return phase;
}

async function newDisk(people: People, format: 'raw' | 'cow') {
  const { admin } = people;
  const { id } = await admin.find('/storagedomains', 'data1');
  return addDisk(admin, id, { format, provisioned_size: size });
}

const sample = () => Buffer.concat([Buffer.alloc(mebibyte, 'bytes '), Buffer.alloc(mebibyte)]);

describe('a transfer that names its disk as an image', () => {
  site.both('is one of the disk with this id', async (people) => {
    const { admin } = people;
    const disk = await newDisk(people, 'raw');
    const image = { image: { id: disk.id } };
    expect(await upload(admin, image, sample())).toBe('finished_success');
    await settled(admin, `/disks/${disk.id}`);
    const { path } = await begin(admin, { direction: 'download', ...image });
    const { object } = await admin.get(path);
    expect([at(object, 'image.id'), at(object, 'disk.id')]).toEqual([disk.id, disk.id]);
    await end(admin, path);
  });
});

describe('a transfer in another format than that of the disk', () => {
  site.both('brings raw bytes into a qcow2 disk, and out again', async (people) => {
    const { admin } = people;
    const disk = await newDisk(people, 'cow');
    const raw = { disk: { id: disk.id }, format: 'raw' };
    expect(await upload(admin, raw, sample())).toBe('finished_success');
    await settled(admin, `/disks/${disk.id}`);
    const image = await download(admin, { disk: { id: disk.id } });
    expect(image.subarray(0, 4).toString('latin1')).toBe('QFI\xfb');
    expect(image.length).toBeLessThan(size);
    expect((await download(admin, raw)).equals(sample())).toBe(true);
    expect((await settled(admin, `/disks/${disk.id}`))['status']).toBe('ok');
  });

  site.both('brings a qcow2 image into a raw disk', async (people) => {
    const { admin } = people;
    const disk = await newDisk(people, 'raw');
    expect(await upload(admin, { disk: { id: disk.id } }, sample())).toBe('finished_success');
    const image = await download(admin, { disk: { id: disk.id }, format: 'cow' });
    const other = await newDisk(people, 'raw');
    const cow = { disk: { id: other.id }, format: 'cow' };
    expect(await upload(admin, cow, image)).toBe('finished_success');
    expect((await download(admin, { disk: { id: other.id } })).equals(sample())).toBe(true);
    const wrong = await newDisk(people, 'raw');
    const broken = { disk: { id: wrong.id }, format: 'cow' };
    expect(await upload(admin, broken, Buffer.alloc(4_096, 'no image'))).toBe('finished_failure');
    expect((await settled(admin, `/disks/${wrong.id}`))['status']).toBe('illegal');
  });

  site.both('returns a complete qcow2 image, including unwritten ranges', async (people) => {
    const { admin } = people;
    const disk = await newDisk(people, 'cow');
    const image = await download(admin, { disk: { id: disk.id } });
    expect(image.subarray(0, 4).toString('latin1')).toBe('QFI\xfb');
    expect(image.readBigUInt64BE(24)).toBe(BigInt(size));
    const zeros = await download(admin, { disk: { id: disk.id }, format: 'raw' });
    expect(zeros.equals(Buffer.alloc(size))).toBe(true);
  });
});

/** A machine with a written disk. */
async function machine(people: People) {
  const { admin, name, path } = people;
  const disk = await newDisk(people, 'raw');
  await upload(admin, { disk: { id: disk.id } }, sample());
  await settled(admin, `/disks/${disk.id}`);
  const vm = await admin.add('/vms', {
    vm: { name: name('vm'), cluster: { id: path('{cluster}') }, template: { name: 'Blank' } },
  });
  await admin.add(`/vms/${vm.id}/diskattachments`, {
    disk_attachment: { interface: 'virtio', bootable: true, active: true, disk: { id: disk.id } },
  });
  return { vm: vm.id, disk: disk.id };
}

describe('a transfer of a snapshot', () => {
  site.both('reads the old bytes, also while the machine runs', async (people) => {
    const { admin } = people;
    const { vm, disk } = await machine(people);
    const snapshot = await admin.add(`/vms/${vm}/snapshots`, { snapshot: { description: 's' } });
    for (let turn = 0; turn < 500; turn++) {
      const { object } = await admin.get(`/vms/${vm}/snapshots/${snapshot.id}`);
      if (object['snapshot_status'] === 'ok') break;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await upload(admin, { disk: { id: disk } }, Buffer.alloc(size, 'newer'));
    await settled(admin, `/disks/${disk}`);
    await admin.must(`/vms/${vm}/start`);
    const [image] = (await admin.get(`/disks/${disk}/disksnapshots`)).list;
    expect(at(image, 'snapshot.id')).toBe(snapshot.id);
    const of = { snapshot: { id: image?.['id'] } };
    expect((await download(admin, of)).equals(sample())).toBe(true);
    expect((await admin.get(`/disks/${disk}`)).object['status']).toBe('ok');
    const answer = await admin.post('/imagetransfers', { image_transfer: of });
    expect([answer.status, answer.fault?.detail]).toEqual([
      409,
      '[Cannot add image transfer. The content of a snapshot can only be downloaded.]',
    ]);
    const both = await admin.post('/imagetransfers', {
      image_transfer: { ...of, disk: { id: disk }, direction: 'download' },
    });
    expect(both.status).toBe(400);
    await admin.must(`/vms/${vm}/stop`);
    const list = `/disks/${disk}/disksnapshots`;
    expect((await admin.delete(`${list}/${String(image?.['id'])}`)).status).toBe(200);
    expect((await admin.get(list)).list).toEqual([]);
  });
});

describe('a transfer of a disk in a backup', () => {
  site.both('reads it while the machine runs', async (people) => {
    const { admin } = people;
    const { vm, disk } = await machine(people);
    await admin.must(`/vms/${vm}/start`);
    const used = await admin.post('/imagetransfers', {
      image_transfer: { disk: { id: disk }, direction: 'download' },
    });
    expect(used.status).toBe(409);
    const backup = await admin.add(`/vms/${vm}/backups`, {
      backup: { disks: { disk: [{ id: disk }] } },
    });
    await until(people, `/vms/${vm}/backups/${backup.id}`, ({ phase }) => phase === 'ready');
    const of = { disk: { id: disk }, backup: { id: backup.id } };
    expect((await download(admin, of)).equals(sample())).toBe(true);
    await admin.must(`/vms/${vm}/backups/${backup.id}/finalize`);
    const late = await admin.post('/imagetransfers', {
      image_transfer: { ...of, direction: 'download' },
    });
    expect([late.status, late.fault?.detail]).toEqual([409, expect.stringContaining('ready')]);
    await admin.must(`/vms/${vm}/stop`);
  });

  site.both('reads what the disk was when the backup began', async (people) => {
    const { admin } = people;
    const { vm, disk } = await machine(people);
    const backup = await admin.add(`/vms/${vm}/backups`, {
      backup: { disks: { disk: [{ id: disk }] } },
    });
    const path = `/vms/${vm}/backups/${backup.id}`;
    await until(people, path, ({ phase }) => phase === 'ready');
    const of = { disk: { id: disk }, backup: { id: backup.id } };
    for (const [status, words, transfer] of [
      [409, 'locked', { disk: { id: disk } }],
      [409, 'locked', { disk: { id: disk }, direction: 'download' }],
      [409, 'The content of a backup can only be downloaded.', of],
      [400, 'not applicable', { ...of, direction: 'download', format: 'cow' }],
    ] as const) {
      const refused = await admin.post('/imagetransfers', { image_transfer: transfer });
      expect([refused.status, refused.fault?.detail]).toEqual([
        status,
        expect.stringContaining(words),
      ]);
    }
    expect((await download(admin, of)).equals(sample())).toBe(true);
    await admin.must(`${path}/finalize`);
    await until(people, path, ({ phase }) => phase === 'succeeded');
    expect((await admin.delete(`/vms/${vm}`)).status).toBe(200);
  });
});
