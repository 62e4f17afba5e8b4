/** Disks: creation, copy, move and export; contents. */
import { describe, expect } from 'vitest';
import { send } from '../support/raw.ts';
import { listPaths, row } from './support/rows.ts';
import { type People, useSite } from './support/site.ts';
import { at, listItems, type Speaker } from './support/speaker.ts';
import {
  addDisk,
  addDomain,
  events,
  gibibyte,
  ownDomain,
  ownSite,
  settled,
} from './support/storage.ts';

const site = useSite();
const mebibyte = 2 ** 20;

const on = (id: string) => ({ storage_domains: { storage_domain: [{ id }] } });

/** Domain of the inventory that holds the first disk, and the other one. */
async function twoDomains({ admin }: People): Promise<[string, string]> {
  const [a, b] = await Promise.all(
    ['data1', 'data2'].map((name) => admin.find('/storagedomains', name)),
  );
  return [a?.id ?? '', b?.id ?? ''];
}

/** Sends bytes to a disk through the daemon, or reads them. */
async function transfer(admin: Speaker, disk: string, bytes?: Buffer): Promise<Buffer> {
  const direction = bytes ? 'upload' : 'download';
  const { id } = await admin.add('/imagetransfers', {
    image_transfer: { disk: { id: disk }, direction },
  });
  const { object } = await admin.get(`/imagetransfers/${id}`);
  const { ca } = site.server();
  const answer = await send(String(object['transfer_url']), {
    method: bytes ? 'PUT' : 'GET',
    ca,
    ...(bytes ? { body: bytes } : {}),
  });
  expect([200, 206], answer.text.slice(0, 200)).toContain(answer.status);
  await admin.must(`/imagetransfers/${id}/finalize`);
  await settled(admin, `/disks/${disk}`);
  return answer.bytes;
}

describe(row(100), () => {
  site.both('adds a disk, and reports its properties', async (people) => {
    const { admin, name } = people;
    const [domain] = await twoDomains(people);
    const alias = name('disk');
    const disk = { name: alias, description: 'd', provisioned_size: gibibyte, format: 'cow' };
    const answer = await admin.post('/disks', { disk: { ...disk, ...on(domain) } });
    expect([201, 202], answer.text).toContain(answer.status);
    expect(answer.headers['location']).toBe(answer.object['href']);
    const object = await settled(admin, `/disks/${String(answer.object['id'])}`);
    expect(object).toMatchObject({
      name: alias,
      alias,
      description: 'd',
      status: 'ok',
      format: 'cow',
      sparse: 'true',
      qcow_version: 'qcow2_v3',
      provisioned_size: String(gibibyte),
      actual_size: '4096',
      total_size: '4096',
      storage_type: 'image',
      content_type: 'data',
      shareable: 'false',
      wipe_after_delete: 'false',
      propagate_errors: 'false',
      backup: 'none',
    });
    expect(listItems(object, 'storage_domains', 'storage_domain')).toMatchObject([{ id: domain }]);
    expect(at(object, 'disk_profile.id')).toBeTruthy();
    expect(at(object, 'quota.id')).toBeTruthy();
    expect(await events(admin)).toEqual(
      expect.arrayContaining([expect.stringContaining(`The disk ${alias} was`)]),
    );
  });

  site.both('refuses what cannot be', async (people) => {
    const { admin, name, path } = people;
    const [domain] = await twoDomains(people);
    const iso = await addDomain(admin, 'host1', name('iso'), { type: 'iso' });
    const block = await ownDomain(people, {
      storage: { type: 'fcp', logical_units: { logical_unit: [{ id: name('lun') }] } },
    });
    const taken = await addDisk(admin, domain);
    const raw = { provisioned_size: gibibyte, format: 'raw' };
    const cases: [number, string, object][] = [
      [400, 'must not be zero', { ...raw, provisioned_size: 0, ...on(domain) }],
      [400, 'not specified', raw],
      [400, 'of type iso', { ...raw, ...on(iso.id) }],
      [409, 'raw sparse', { ...raw, ...on(block) }],
      [409, 'more than block storage', { ...raw, ...on(block), provisioned_size: 2 ** 44 }],
      [409, 'cow preallocated', { ...raw, format: 'cow', sparse: false, ...on(domain) }],
      [409, 'incompatible', { ...raw, backup: 'incremental', ...on(domain) }],
      [409, 'shareable', { ...raw, format: 'cow', shareable: true, ...on(domain) }],
      [409, 'plugged in', { ...raw, active: true, ...on(domain) }],
      [409, 'already', { ...raw, id: taken.id, ...on(domain) }],
      [400, 'Unfiltered', { ...raw, sgio: 'unfiltered', ...on(domain) }],
      [404, 'StorageDomain', { ...raw, ...on(path('{unknown}')) }],
    ];
    for (const [status, words, disk] of cases) {
      const answer = await admin.post('/disks', { disk });
      expect([answer.status, answer.fault?.detail], answer.text).toEqual([
        status,
        expect.stringContaining(words),
      ]);
    }
    const foreign = (await admin.get(`/storagedomains/${block}/diskprofiles`)).list[0];
    const profile = await admin.post('/disks', {
      disk: { ...raw, ...on(domain), disk_profile: { id: foreign?.['id'] } },
    });
    expect([profile.status, profile.fault?.detail]).toEqual([
      400,
      expect.stringContaining('disk profile'),
    ]);
  });

  site.both('refuses a domain that is not active', async (people) => {
    const { admin, path } = people;
    const domain = await ownDomain(people);
    await admin.must(path(`/datacenters/{datacenter}/storagedomains/${domain}/deactivate`));
    const answer = await admin.post('/disks', {
      disk: { provisioned_size: gibibyte, format: 'raw', ...on(domain) },
    });
    expect([answer.status, answer.fault?.detail]).toEqual([
      409,
      expect.stringContaining('maintenance'),
    ]);
  });

  site.both('makes a disk of a logical unit, which has no status', async (people) => {
    const { admin, name } = people;
    const unit = { id: name('lun'), address: 'san.example.com', target: 'iqn.b', port: 3260 };
    const lun_storage = { type: 'iscsi', logical_units: { logical_unit: [unit] } };
    const answer = await admin.post('/disks', { disk: { name: name('lun'), lun_storage } });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.object).toMatchObject({ storage_type: 'lun' });
    expect(answer.object).not.toHaveProperty('status');
    const { object } = await admin.get(`/disks/${String(answer.object['id'])}`);
    const [shown] = listItems(
      at(object, 'lun_storage') as object as never,
      'logical_units',
      'logical_unit',
    );
    expect(shown).toMatchObject({ id: unit.id, status: 'used', disk_id: object['id'] });
    expect(Number(shown?.['size'])).toBeGreaterThan(gibibyte);
    const again = await admin.post('/disks', { disk: { name: name('lun'), lun_storage } });
    expect([again.status, again.fault?.detail]).toEqual([409, expect.stringContaining(unit.id)]);
    const less = { type: 'iscsi', logical_units: { logical_unit: [{ id: 'x' }] } };
    const incomplete = await admin.post('/disks', { disk: { name: 'x', lun_storage: less } });
    expect([incomplete.status, incomplete.fault?.reason]).toEqual([400, 'Incomplete parameters']);
    await admin.must(`/disks/${String(object['id'])}/refreshlun`, { host: { name: 'host1' } });
    const moved = await admin.post(`/disks/${String(object['id'])}/move`, {
      action: { storage_domain: { name: 'data2' } },
    });
    expect([moved.status, moved.fault?.detail]).toEqual([
      400,
      expect.stringContaining('logical unit'),
    ]);
    expect((await admin.delete(`/disks/${String(object['id'])}`)).status).toBe(200);
    const freed = await admin.post('/disks', { disk: { name: name('lun'), lun_storage } });
    expect(freed.status, freed.text).toBe(201);
  });

  site.incomplete('POST', '/disks', { disk: { format: 'raw' } }, 'provisionedSize');
  site.incomplete('POST', '/disks', { disk: { provisioned_size: 1024 } }, 'format');
  site.forbidden('POST', '/disks', {
    disk: {
      provisioned_size: 1024,
      format: 'raw',
      storage_domains: { storage_domain: [{ id: '{storagedomain}' }] },
    },
  });
});

describe(row(101), () => {
  site.both('lists, searches and bounds the list', async (people) => {
    const { admin, name } = people;
    const [domain] = await twoDomains(people);
    const alias = name('listed');
    await addDisk(admin, domain, { name: alias });
    const { list } = await admin.get(`/disks?search=alias%3D${alias}`);
    expect(list.map((disk) => disk['name'])).toEqual([alias]);
    const sensitive = await admin.get(
      `/disks?search=alias%3D${alias.toUpperCase()}&case_sensitive=true`,
    );
    expect(sensitive.list).toEqual([]);
    expect((await admin.get('/disks?max=1')).list).toHaveLength(1);
    const here = await admin.get(`/storagedomains/${domain}/disks`);
    expect(here.list.map((disk) => disk['name'])).toContain(alias);
  });
});

describe(row(102), () => {
  site.both('gets a disk with its links', async ({ admin, path }) => {
    const { status, object } = await admin.get(path('/disks/{disk}'));
    expect(status).toBe(200);
    expect(object).toMatchObject({ id: path('{disk}'), status: 'ok', format: 'raw' });
    const rels = listItems({ all: { link: object['link'] } }, 'all', 'link').map(
      (one) => one['rel'],
    );
    expect(rels).toEqual(expect.arrayContaining(['permissions', 'statistics', 'disksnapshots']));
  });
  site.unknown('GET', '/disks/{unknown}');
});

describe(row(103), () => {
  site.both('changes the qcow version, and nothing else', async (people) => {
    const { admin } = people;
    const [domain] = await twoDomains(people);
    const cow = await addDisk(admin, domain, { format: 'cow' });
    const answer = await admin.put(`/disks/${cow.id}`, { disk: { qcow_version: 'qcow2_v2' } });
    expect(answer.status, answer.text).toBe(200);
    const changed = await settled(admin, `/disks/${cow.id}`);
    expect(changed['qcow_version']).toBe('qcow2_v2');
    const name = await admin.put(`/disks/${cow.id}`, { disk: { name: 'other' } });
    expect([name.status, name.fault?.detail]).toEqual([
      400,
      expect.stringContaining('qcow_version'),
    ]);
    const raw = await addDisk(admin, domain);
    const none = await admin.put(`/disks/${raw.id}`, { disk: { qcow_version: 'qcow2_v2' } });
    expect([none.status, none.fault?.detail]).toEqual([400, expect.stringContaining('raw')]);
  });
  site.unknown('PUT', '/disks/{unknown}', { disk: { qcow_version: 'qcow2_v2' } });
});

describe(row(104), () => {
  site.both('removes a disk', async (people) => {
    const { admin } = people;
    const [domain] = await twoDomains(people);
    const disk = await addDisk(admin, domain);
    const { status, object } = await admin.delete(`/disks/${disk.id}`);
    expect([status, object['status']]).toEqual([200, 'complete']);
    expect((await admin.get(`/disks/${disk.id}`)).status).toBe(404);
    const other = await addDisk(admin, domain);
    expect((await admin.delete(`/disks/${other.id}?async=true`)).status).toBe(202);
  });
  site.both('not while it is plugged into a running machine, or locked', async (people) => {
    const { admin } = people;
    const vm = await admin.find('/vms', 'vm-01');
    const [attachment] = (await admin.get(`/vms/${vm.id}/diskattachments`)).list;
    const used = await admin.delete(`/disks/${String(attachment?.['id'])}`);
    expect([used.status, used.fault?.detail]).toEqual([409, expect.stringContaining('vm-01')]);
    const [domain] = await twoDomains(people);
    const disk = await addDisk(admin, domain);
    const { id } = await admin.add('/imagetransfers', {
      image_transfer: { disk: { id: disk.id }, direction: 'download' },
    });
    for (const operation of ['copy', 'move', 'sparsify']) {
      const body = { action: { storage_domain: { name: 'data2' } } };
      const locked = await admin.post(`/disks/${disk.id}/${operation}`, body);
      expect([locked.status, locked.fault?.detail]).toEqual([
        409,
        expect.stringContaining('locked'),
      ]);
    }
    expect((await admin.delete(`/disks/${disk.id}`)).status).toBe(409);
    await admin.must(`/imagetransfers/${id}/cancel`);
    await settled(admin, `/disks/${disk.id}`);
    expect((await admin.delete(`/disks/${disk.id}`)).status).toBe(200);
  });
  site.unknown('DELETE', '/disks/{unknown}');
});

describe(row(105), () => {
  site.both('copies a disk with its bytes', async (people) => {
    const { admin, name } = people;
    const [from, to] = await twoDomains(people);
    const disk = await addDisk(admin, from, { provisioned_size: 4 * mebibyte });
    const bytes = Buffer.alloc(4 * mebibyte);
    bytes.fill('copied', 1_000, 900_000);
    await transfer(admin, disk.id, bytes);
    for (const path of listPaths(105)) {
      const alias = name('copy');
      const action = { disk: { name: alias }, storage_domain: { id: to }, async: false };
      const { object } = await admin.must(path.replace('{disk}', disk.id), action);
      expect(object['status']).toBe('complete');
      const copy = await admin.find('/disks', alias);
      expect(listItems(copy, 'storage_domains', 'storage_domain')).toMatchObject([{ id: to }]);
      expect((await settled(admin, `/disks/${copy.id}`))['status']).toBe('ok');
      expect((await transfer(admin, copy.id)).equals(bytes)).toBe(true);
      expect(Number((await admin.get(`/disks/${copy.id}`)).object['actual_size'])).toBeLessThan(
        4 * mebibyte,
      );
    }
    expect(await events(admin)).toEqual(
      expect.arrayContaining([expect.stringContaining('was copied to Storage Domain data2')]),
    );
  });
  site.both('refuses a domain that cannot take it', async (people) => {
    const { admin, path } = people;
    const iso = await addDomain(admin, 'host1', people.name('iso'), { type: 'iso' });
    const answer = await admin.post(path('/disks/{disk}/copy'), {
      action: { storage_domain: { id: iso.id } },
    });
    expect([answer.status, answer.fault?.detail]).toEqual([400, expect.stringContaining('iso')]);
  });
  site.incomplete('POST', '/disks/{disk}/copy', { action: {} }, 'storageDomain');
  site.unknown('POST', '/disks/{unknown}/copy', { action: { storage_domain: { name: 'data2' } } });
});

describe(row(106), () => {
  site.both('moves a disk with its bytes', async (people) => {
    const { admin } = people;
    const [from, to] = await twoDomains(people);
    const disk = await addDisk(admin, from, { provisioned_size: mebibyte });
    const bytes = Buffer.alloc(mebibyte, 'moved');
    await transfer(admin, disk.id, bytes);
    await admin.must(`/disks/${disk.id}/move`, { storage_domain: { id: to }, async: false });
    const moved = await settled(admin, `/disks/${disk.id}`);
    expect(listItems(moved, 'storage_domains', 'storage_domain')).toMatchObject([{ id: to }]);
    expect((await transfer(admin, disk.id)).equals(bytes)).toBe(true);
    const again = await admin.post(`/disks/${disk.id}/move`, {
      action: { storage_domain: { id: to } },
    });
    expect([again.status, again.fault?.detail]).toEqual([400, expect.stringContaining('already')]);
    expect(await events(admin)).toEqual(
      expect.arrayContaining([expect.stringContaining('was moved to Storage Domain data2')]),
    );
  });
  site.both('gives it all of its room on block storage', async (people) => {
    const { admin, name } = people;
    const [from] = await twoDomains(people);
    const block = await ownDomain(people, {
      storage: { type: 'fcp', logical_units: { logical_unit: [{ id: name('lun') }] } },
    });
    const disk = await addDisk(admin, from);
    await admin.must(`/disks/${disk.id}/move`, { storage_domain: { id: block }, async: false });
    const moved = await settled(admin, `/disks/${disk.id}`);
    expect(moved).toMatchObject({ sparse: 'false', actual_size: String(gibibyte) });
  });
  site.both('only inside a data center', async (people) => {
    const { admin, name } = people;
    const [from] = await twoDomains(people);
    const { path } = await ownSite(people);
    const far = await addDomain(admin, 'host1', name('far'));
    await admin.add(`${path}/storagedomains`, { storage_domain: { id: far.id } });
    const disk = await addDisk(admin, from);
    const answer = await admin.post(`/disks/${disk.id}/move`, {
      action: { storage_domain: { id: far.id } },
    });
    expect([answer.status, answer.fault?.detail]).toEqual([
      409,
      expect.stringContaining('another data center'),
    ]);
  });
  site.incomplete('POST', '/disks/{disk}/move', { action: {} }, 'storageDomain');
  site.unknown('POST', '/disks/{unknown}/move', { action: { storage_domain: { name: 'data2' } } });
});

describe(row(108), () => {
  site.both('releases zeroed blocks', async (people) => {
    const { admin } = people;
    const [domain] = await twoDomains(people);
    const disk = await addDisk(admin, domain, { provisioned_size: 8 * mebibyte });
    const bytes = Buffer.alloc(8 * mebibyte);
    bytes.fill('kept', 0, 10_000);
    await transfer(admin, disk.id, bytes);
    await admin.must(`/disks/${disk.id}/sparsify`, { async: false });
    const after = await settled(admin, `/disks/${disk.id}`);
    expect(Number(after['actual_size'])).toBeLessThanOrEqual(mebibyte);
    expect((await transfer(admin, disk.id)).equals(bytes)).toBe(true);
    expect(await events(admin)).toEqual(
      expect.arrayContaining([expect.stringContaining('was sparsified')]),
    );
  });
  site.both('of thin disks that no running machine uses', async (people) => {
    const { admin, path } = people;
    const [domain] = await twoDomains(people);
    const full = await addDisk(admin, domain, { sparse: false, provisioned_size: mebibyte });
    const answer = await admin.post(`/disks/${full.id}/sparsify`);
    expect([answer.status, answer.fault?.detail]).toEqual([
      400,
      expect.stringContaining('preallocated'),
    ]);
    const used = await admin.post(path('/disks/{disk}/sparsify'));
    expect([used.status, used.fault?.detail]).toEqual([409, expect.stringContaining('vm-01')]);
    const reduced = await admin.post(`/disks/${full.id}/reduce`);
    expect(reduced.status).toBe(400);
  });
  site.unknown('POST', '/disks/{unknown}/sparsify');
});

describe(row('G35'), () => {
  site.both('is an action of disks; asynchronous on request', async (people) => {
    const { admin, name, path } = people;
    const alias = name('copy');
    const answer = await admin.post(path('/disks/{disk}/copy'), {
      action: { disk: { alias }, storage_domain: { name: 'data2' }, async: true },
    });
    expect(answer.status, answer.text).toBe(202);
    const copy = await admin.find('/disks', alias);
    expect(copy['id']).not.toBe(path('{disk}'));
    expect((await settled(admin, `/disks/${copy.id}`))['status']).toBe('ok');
    await settled(admin, path('/disks/{disk}'));
  });
});

describe('the statistics of a disk', () => {
  site.both('are listed and got', async ({ admin, path }) => {
    const { list } = await admin.get(path('/disks/{disk}/statistics'));
    expect(list.map((one) => one['name'])).toContain('data.current.read');
    const one = await admin.get(path(`/disks/{disk}/statistics/${String(list[0]?.['id'])}`));
    expect(one.object['name']).toBe(list[0]?.['name']);
  });
});

describe('converting a disk', () => {
  site.both('keeps its bytes, in both directions', async (people) => {
    const { admin } = people;
    const [domain] = await twoDomains(people);
    const size = 4 * mebibyte;
    const disk = await addDisk(admin, domain, { provisioned_size: size });
    const bytes = Buffer.alloc(size);
    bytes.fill('converted', 70_000, 300_000);
    await transfer(admin, disk.id, bytes);
    const path = `/disks/${disk.id}`;
    await admin.must(`${path}/convert`, { disk: { format: 'raw' }, async: false });
    expect(await settled(admin, path)).toMatchObject({ format: 'raw', sparse: 'true' });
    await admin.must(`${path}/convert`, { disk: { format: 'cow' }, async: false });
    const cow = await settled(admin, path);
    expect(cow).toMatchObject({ format: 'cow', sparse: 'true', qcow_version: 'qcow2_v3' });
    const image = await transfer(admin, disk.id);
    expect(image.subarray(0, 4).toString('latin1')).toBe('QFI\xfb');
    await admin.put(path, { disk: { qcow_version: 'qcow2_v2' } });
    await settled(admin, path);
    expect((await transfer(admin, disk.id)).readUInt32BE(4)).toBe(2);
    await admin.must(`${path}/convert`, { disk: { format: 'raw', sparse: true }, async: false });
    expect(await settled(admin, path)).toMatchObject({ format: 'raw' });
    expect((await transfer(admin, disk.id)).equals(bytes)).toBe(true);
    await admin.must(`${path}/convert`, { disk: { sparse: false }, async: false });
    expect(await settled(admin, path)).toMatchObject({
      sparse: 'false',
      actual_size: String(size),
    });
    expect((await transfer(admin, disk.id)).equals(bytes)).toBe(true);
  });
  site.both('is refused if the disk or its storage does not support it', async (people) => {
    const { admin, path } = people;
    const used = await admin.post(path('/disks/{disk}/convert'), {
      action: { disk: { format: 'cow' } },
    });
    expect([used.status, used.fault?.detail]).toEqual([409, expect.stringContaining('vm-01')]);
    const [domain] = await twoDomains(people);
    const shared = await addDisk(admin, domain, { shareable: true });
    const answer = await admin.post(`/disks/${shared.id}/convert`, {
      action: { disk: { format: 'cow' } },
    });
    expect([answer.status, answer.fault?.detail]).toEqual([
      409,
      expect.stringContaining('shareable'),
    ]);
  });
  site.unknown('POST', '/disks/{unknown}/convert', { action: { disk: { format: 'cow' } } });
});

describe('a qcow2 disk that was written', () => {
  site.both('grows with its image', async (people) => {
    const { admin, name, path } = people;
    const [domain] = await twoDomains(people);
    const disk = await addDisk(admin, domain, { provisioned_size: 2 * mebibyte });
    const bytes = Buffer.alloc(2 * mebibyte, 'grown');
    await transfer(admin, disk.id, bytes);
    await admin.must(`/disks/${disk.id}/convert`, { disk: { format: 'cow' }, async: false });
    await settled(admin, `/disks/${disk.id}`);
    const vm = await admin.add('/vms', {
      vm: { name: name('vm'), cluster: { id: path('{cluster}') }, template: { name: 'Blank' } },
    });
    const attachments = `/vms/${vm.id}/diskattachments`;
    await admin.add(attachments, {
      disk_attachment: { interface: 'virtio', disk: { id: disk.id } },
    });
    await admin.put(`${attachments}/${disk.id}`, {
      disk_attachment: { disk: { provisioned_size: gibibyte } },
    });
    const grown = await settled(admin, `/disks/${disk.id}`);
    expect(grown['provisioned_size']).toBe(String(gibibyte));
    const image = await transfer(admin, disk.id);
    expect(image.readBigUInt64BE(24)).toBe(BigInt(gibibyte));
  });
});
