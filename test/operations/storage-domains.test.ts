/** Storage domains: supported storage, use by data centers, attachment and removal. */
import { describe, expect } from 'vitest';
import { listPaths, row } from './support/rows.ts';
import { useSite } from './support/site.ts';
import { at, listItems } from './support/speaker.ts';
import {
  addDisk,
  addDomain,
  attach,
  events,
  fetchStatus,
  nfs,
  ownDomain,
  ownSite,
} from './support/storage.ts';

const site = useSite();

describe(row(87), () => {
  site.both('adds a domain, which is attached nowhere', async ({ admin, name }) => {
    const storage_domain = {
      name: name('data'),
      description: 'new',
      type: 'data',
      storage: nfs(name('path')),
      wipe_after_delete: true,
      host: { name: 'host1' },
    };
    const { status, object, headers, text } = await admin.post('/storagedomains', {
      storage_domain,
    });
    expect(status, text).toBe(201);
    expect(headers['location']).toBe(object['href']);
    expect(object).toMatchObject({
      name: storage_domain.name,
      type: 'data',
      status: 'unattached',
      master: 'false',
      storage_format: 'v5',
      wipe_after_delete: 'true',
      warning_low_space_indicator: '10',
      critical_space_action_blocker: '5',
      committed: '0',
      used: '0',
      storage: storage_domain.storage,
    });
    expect(object).not.toHaveProperty('host');
    expect(await events(admin)).toContainEqual(expect.stringContaining(storage_domain.name));
  });

  site.both('on every storage, with its requirements', async ({ admin, name }) => {
    const host = { name: 'host2' };
    const lun = (stem: string) => ({ logical_unit: [{ id: name(stem) }] });
    const iscsi = { id: name('lun'), address: 'san.example.com', target: 'iqn.a', port: 3260 };
    const storages = [
      ['data', { type: 'posixfs', path: `/${name('dev')}`, vfs_type: 'xfs' }],
      ['data', { type: 'glusterfs', address: 'g1', path: name('vol'), vfs_type: 'glusterfs' }],
      ['data', { type: 'fcp', logical_units: lun('fc') }],
      ['data', { type: 'iscsi', volume_group: { logical_units: { logical_unit: [iscsi] } } }],
      ['iso', nfs(name('iso'))],
      ['export', nfs(name('export'))],
      ['managed_block_storage', { type: 'managed_block_storage', driver_options: {} }],
    ] as const;
    for (const [type, storage] of storages) {
      const storage_domain = { name: name('any'), type, storage, host };
      const answer = await admin.post('/storagedomains', { storage_domain });
      expect(answer.status, answer.text).toBe(201);
      expect(at(answer.object, 'storage.type')).toBe(storage.type);
      if (type === 'iso' || type === 'export') expect(answer.object['storage_format']).toBe('v1');
    }
  });

  site.both('says what is missing', async ({ admin, name }) => {
    const host = { name: 'host1' };
    const cases = [
      [{ type: 'nfs', path: '/x' }, 'storage.address'],
      [{ type: 'nfs', address: 'a' }, 'storage.path'],
      [{ type: 'localfs' }, 'storage.path'],
      [{ type: 'posixfs', path: '/x' }, 'storage.vfsType'],
      [{ type: 'glusterfs', path: '/x' }, 'storage.vfsType'],
      [{ address: 'a', path: '/x' }, 'storage.type'],
    ] as const;
    for (const [storage, missing] of cases) {
      const answer = await admin.post('/storagedomains', {
        storage_domain: { name: name('less'), type: 'data', storage, host },
      });
      expect([answer.status, answer.fault?.reason]).toEqual([400, 'Incomplete parameters']);
      expect(answer.fault?.detail).toContain(missing);
    }
    const none = await admin.post('/storagedomains', {
      storage_domain: { name: name('less'), type: 'data', storage: { type: 'iscsi' }, host },
    });
    expect([none.status, none.fault?.detail]).toEqual([
      400,
      expect.stringContaining('logical unit'),
    ]);
  });

  site.both('refuses what cannot be', async ({ admin, name }) => {
    const host = { name: 'host1' };
    const first = await addDomain(admin, 'host1', name('first'));
    const add = (more: object) =>
      admin.post('/storagedomains', {
        storage_domain: { name: name('x'), type: 'data', storage: nfs(name('x')), host, ...more },
      });
    const units = { logical_units: { logical_unit: [{ id: name('lun') }] } };
    await addDomain(admin, 'host1', name('fc'), { storage: { type: 'fcp', ...units } });
    const cases = [
      [409, 'already used', { name: first['name'] }],
      [400, 'characters', { name: 'x'.repeat(51) }],
      [400, 'not valid', { name: 'a b' }],
      [409, 'knows it already', { storage: first['storage'] }],
      [400, 'iscsi storage', { type: 'iso', storage: { type: 'iscsi', ...units } }],
      [409, 'in use already', { storage: { type: 'fcp', ...units } }],
      [409, 'v5', { type: 'iso', storage_format: 'v5' }],
      [400, 'warning_low_space_indicator', { warning_low_space_indicator: 101 }],
      [400, 'critical_space_action_blocker', { critical_space_action_blocker: -1 }],
      [400, 'block storage', { discard_after_delete: true }],
      [400, 'backup', { type: 'iso', backup: true }],
      [400, 'absolute path', { storage: { ...nfs('x'), path: 'relative' } }],
      [400, 'nfs_retrans', { storage: { ...nfs(name('x')), nfs_retrans: 40_000 } }],
      [
        400,
        'sets these mount options automatically: timeo',
        { storage: { ...nfs(name('x')), mount_options: 'ro,timeo=5' } },
      ],
    ] as const;
    for (const [status, words, more] of cases) {
      const answer = await add(more);
      expect([answer.status, answer.fault?.detail], answer.text).toEqual([
        status,
        expect.stringContaining(words),
      ]);
    }
    expect((await add({ host: { name: 'nobody' } })).status).toBe(404);
  });

  site.both('takes a stored connection by its id', async ({ admin, name }) => {
    const path = `/${name('stored')}`;
    const connection = await admin.add('/storageconnections', {
      storage_connection: { type: 'nfs', address: 'stored.example.com', path },
    });
    const { storage } = await addDomain(admin, 'host1', name('by-id'), {
      storage: { id: connection.id },
    });
    expect(storage).toMatchObject({ type: 'nfs', address: 'stored.example.com', path });
  });

  const whole = { name: 'd', type: 'data', storage: nfs('d'), host: { name: 'host1' } };
  const { host: _host, ...noHost } = whole;
  site.incomplete('POST', '/storagedomains', { storage_domain: noHost }, 'host');
  const { storage: _storage, ...noStorage } = whole;
  site.incomplete('POST', '/storagedomains', { storage_domain: noStorage }, 'storage');
  site.forbidden('POST', '/storagedomains', { storage_domain: whole });
});

describe(row(80), () => {
  site.both('attaches a domain, by id or name, and activates it', async ({ admin, name, path }) => {
    const dataCenter = path('/datacenters/{datacenter}');
    for (const by of ['id', 'name'] as const) {
      const domain = await addDomain(admin, 'host1', name('attached'));
      const { status, object, text } = await admin.post(`${dataCenter}/storagedomains`, {
        storage_domain: { [by]: domain[by] },
      });
      expect([201, 202], text).toContain(status);
      expect(object['id']).toBe(domain.id);
      expect(await fetchStatus(admin, `${dataCenter}/storagedomains/${domain.id}`)).toBe('active');
      const top = (await admin.get(`/storagedomains/${domain.id}`)).object;
      expect(top).not.toHaveProperty('status');
    }
  });
  site.both('refuses what does not fit', async (people) => {
    const { admin, name, path } = people;
    const dataCenter = path('/datacenters/{datacenter}');
    const other = await ownSite(people);
    const iso = await addDomain(admin, 'host1', name('iso'), { type: 'iso' });
    const refused = async (dc: string, id: string, words: string) => {
      const answer = await admin.post(`${dc}/storagedomains`, { storage_domain: { id } });
      expect([answer.status, answer.fault?.detail], answer.text).toEqual([
        409,
        expect.stringContaining(words),
      ]);
    };
    await refused(other.path, iso.id, 'must be a data domain');
    const taken = await ownDomain(people);
    await refused(other.path, taken, 'status active');
    await refused(dataCenter, taken, 'status active');
    const exports: string[] = [];
    for (const one of ['one', 'two']) {
      exports.push((await addDomain(admin, 'host1', name(one), { type: 'export' })).id);
    }
    const { path: own } = await ownSite(people);
    const data = await addDomain(admin, 'host1', name('data'));
    await attach(admin, own, data.id);
    await attach(admin, own, exports[0] ?? '');
    await refused(own, exports[1] ?? '', 'of type export already');
  });
  site.both('refuses a data center without a host, and an old one', async (people) => {
    const { admin, name } = people;
    const empty = await admin.add('/datacenters', {
      data_center: { name: name('empty'), local: false },
    });
    const domain = await addDomain(admin, 'host1', name('data'));
    const body = { storage_domain: { id: domain.id } };
    const lonely = await admin.post(`/datacenters/${empty.id}/storagedomains`, body);
    expect([lonely.status, lonely.fault?.detail]).toEqual([
      409,
      expect.stringContaining('no host'),
    ]);
  });
  site.both('shares an ISO domain between data centers', async (people) => {
    const { admin, name } = people;
    const iso = await addDomain(admin, 'host1', name('iso'), { type: 'iso' });
    for (const one of [await ownSite(people), await ownSite(people)]) {
      const data = await addDomain(admin, 'host1', name('data'));
      await attach(admin, one.path, data.id);
      await attach(admin, one.path, iso.id);
    }
    const { object } = await admin.get(`/storagedomains/${iso.id}`);
    expect(listItems(object, 'data_centers', 'data_center')).toHaveLength(2);
  });
  site.incomplete('POST', '/datacenters/{datacenter}/storagedomains', { storage_domain: {} }, 'id');
  site.unknown('POST', '/datacenters/{unknown}/storagedomains', {
    storage_domain: { id: '{storagedomain}' },
  });
  site.both('refuses an unknown storage domain as a bad value', async ({ admin, path }) => {
    const answer = await admin.post(path('/datacenters/{datacenter}/storagedomains'), {
      storage_domain: { id: '11111111-2222-3333-4444-555555555555' },
    });
    expect(answer.status).toBe(400);
  });
  site.forbidden('POST', '/datacenters/{datacenter}/storagedomains', {
    storage_domain: { id: '{storagedomain}' },
  });
});

for (const number of [81, 83] as const) {
  describe(row(number), () => {
    site.both('detaches a domain in maintenance', async (people) => {
      const { admin, path } = people;
      const id = await ownDomain(people);
      const attached = path(`/datacenters/{datacenter}/storagedomains/${id}`);
      const active = await admin.delete(attached);
      expect([active.status, active.fault?.detail]).toEqual([
        409,
        expect.stringContaining('active'),
      ]);
      await admin.must(`${attached}/deactivate`);
      const answer = await admin.delete(attached);
      expect([answer.status, answer.object['status']]).toEqual([200, 'complete']);
      expect((await admin.get(attached)).status).toBe(404);
      expect(await fetchStatus(admin, `/storagedomains/${id}`)).toBe('unattached');
    });
    site.unknown('DELETE', '/datacenters/{datacenter}/storagedomains/{unknown}');
    site.forbidden('DELETE', '/datacenters/{datacenter}/storagedomains/{storagedomain}');
  });
}

describe(row(82), () => {
  site.both('gets a domain as its data center sees it', async ({ admin, path }) => {
    const { status, object } = await admin.get(
      path('/datacenters/{datacenter}/storagedomains/{storagedomain}'),
    );
    expect(status).toBe(200);
    expect(object).toMatchObject({ status: 'active', master: 'true', type: 'data' });
    expect(at(object, 'data_center.id')).toBe(path('{datacenter}'));
    expect(Number(object['available'])).toBeGreaterThan(0);
  });
  site.unknown('GET', '/datacenters/{datacenter}/storagedomains/{unknown}');
});

describe(row(84), () => {
  site.both('activates a domain in maintenance', async (people) => {
    const { admin, path } = people;
    const id = await ownDomain(people);
    const attached = path(`/datacenters/{datacenter}/storagedomains/${id}`);
    const active = await admin.post(`${attached}/activate`);
    expect([active.status, active.fault?.detail]).toEqual([409, expect.stringContaining('active')]);
    await admin.must(`${attached}/deactivate`);
    const { object } = await admin.must(`${attached}/activate`);
    expect(object['status']).toBe('complete');
    expect(await fetchStatus(admin, attached)).toBe('active');
  });
  site.unknown('POST', '/datacenters/{datacenter}/storagedomains/{unknown}/activate');
  site.forbidden('POST', '/datacenters/{datacenter}/storagedomains/{storagedomain}/activate');
});

describe(row(85), () => {
  site.both('deactivates a domain; its space is unknown then', async (people) => {
    const { admin, path } = people;
    const id = await ownDomain(people);
    const attached = path(`/datacenters/{datacenter}/storagedomains/${id}`);
    await admin.must(`${attached}/deactivate`);
    const { object } = await admin.get(attached);
    expect(object['status']).toBe('maintenance');
    expect(object).not.toHaveProperty('available');
    expect(object).not.toHaveProperty('used');
    const again = await admin.post(`${attached}/deactivate`);
    expect([again.status, again.fault?.detail]).toEqual([
      409,
      expect.stringContaining('maintenance'),
    ]);
  });
  site.both('not while VMs on it run', async ({ admin, path }) => {
    const answer = await admin.post(
      path('/datacenters/{datacenter}/storagedomains/{storagedomain}/deactivate'),
    );
    expect([answer.status, answer.fault?.detail]).toEqual([409, expect.stringContaining('vm-01')]);
  });
  site.both('not while a disk on it is transferred', async (people) => {
    const { admin, path } = people;
    const id = await ownDomain(people);
    const disk = await addDisk(admin, id);
    const transfer = await admin.add('/imagetransfers', {
      image_transfer: { disk: { id: disk.id }, direction: 'download' },
    });
    const attached = path(`/datacenters/{datacenter}/storagedomains/${id}`);
    const answer = await admin.post(`${attached}/deactivate`);
    expect([answer.status, answer.fault?.detail]).toEqual([
      409,
      expect.stringContaining('downloaded'),
    ]);
    await admin.must(`/imagetransfers/${transfer.id}/cancel`);
    await admin.must(`${attached}/deactivate`);
  });
  site.unknown('POST', '/datacenters/{datacenter}/storagedomains/{unknown}/deactivate');
  site.forbidden('POST', '/datacenters/{datacenter}/storagedomains/{storagedomain}/deactivate');
});

describe(row(86), () => {
  site.both('lists the domains of a data center, at most the requested number', async (people) => {
    const { admin, path } = people;
    const id = await ownDomain(people);
    const list = path('/datacenters/{datacenter}/storagedomains');
    const found = (await admin.get(list)).list;
    expect(found.map((one) => one['id'])).toContain(id);
    expect(found.filter((one) => one['master'] === 'true')).toHaveLength(1);
    expect((await admin.get(`${list}?max=1`)).list).toHaveLength(1);
  });
  site.unknown('GET', '/datacenters/{unknown}/storagedomains');
});

describe(row(88), () => {
  site.both('lists the files of an ISO domain', async ({ admin, name }) => {
    const { id } = await addDomain(admin, 'host1', name('iso'), { type: 'iso' });
    for (const path of listPaths(88)) {
      const list = path.replace('{storagedomain}', id);
      const files = (await admin.get(list)).list;
      expect(files.length).toBeGreaterThan(2);
      for (const file of files) {
        expect(file).toMatchObject({ id: file['name'], storage_domain: { id } });
        expect(['iso', 'floppy']).toContain(file['type']);
      }
      expect((await admin.get(`${list}?max=2`)).list).toHaveLength(2);
      expect((await admin.get(`${list}?refresh=true`)).list).toEqual(files);
      const found = await admin.get(`${list}?search=name%3Dvirtio*`);
      expect(found.list.map((one) => one['name'])).toEqual([
        expect.stringMatching(/^virtio.*\.iso$/),
      ]);
      const one = await admin.get(`${list}/${files[0]?.['id']}`);
      expect(one.object).toEqual(files[0]);
    }
  });
  site.both('of ISO domains only', async ({ admin, path }) => {
    expect((await admin.get(path('/storagedomains/{storagedomain}/files'))).status).toBe(404);
  });
  site.unknown('GET', '/storagedomains/{unknown}/files');
});
