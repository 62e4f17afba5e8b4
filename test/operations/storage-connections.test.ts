/** Storage connections: how storage is reached, by which domains it is used. */
import { describe, expect } from 'vitest';
import { useSite } from './support/site.ts';
import { addDomain, nfs, ownDomain } from './support/storage.ts';

const site = useSite();

describe('storage connections', () => {
  site.both('are added, listed, got, changed and removed', async ({ admin, name }) => {
    const connection = { ...nfs(name('conn')), nfs_version: 'v4_1', nfs_timeo: 600 };
    const answer = await admin.post('/storageconnections', { storage_connection: connection });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.object).toMatchObject({ ...connection, nfs_timeo: '600' });
    const own = `/storageconnections/${String(answer.object['id'])}`;
    const { list } = await admin.get('/storageconnections');
    expect(list.map((one) => one['path'])).toContain(connection.path);
    expect((await admin.get(own)).object).toMatchObject({ path: connection.path });
    const path = `/${name('moved')}`;
    const changed = await admin.put(own, { storage_connection: { path } });
    expect(changed.object).toMatchObject({ path, address: connection.address });
    const type = await admin.put(own, { storage_connection: { type: 'localfs' } });
    expect(type.status).toBe(400);
    expect((await admin.delete(own)).status).toBe(200);
    expect((await admin.get(own)).status).toBe(404);
  });

  site.both('never show a password', async ({ admin, name }) => {
    const answer = await admin.post('/storageconnections', {
      storage_connection: {
        type: 'iscsi',
        address: `${name('san')}.example.com`,
        port: 3260,
        target: 'iqn.d',
        username: 'u',
        password: 'hidden',
      },
    });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.text).not.toContain('hidden');
  });

  site.both('must say what their type needs', async ({ admin, name }) => {
    const cases = [
      [{ type: 'nfs', path: '/a' }, 'address'],
      [{ type: 'localfs' }, 'path'],
      [{ type: 'posixfs', path: '/a' }, 'vfsType'],
      [{ type: 'iscsi', address: 'a', port: 1 }, 'target'],
      [{ type: 'glusterfs', address: 'a' }, 'path'],
      [{ address: 'a', path: '/a' }, 'type'],
    ] as const;
    for (const [storage_connection, missing] of cases) {
      const answer = await admin.post('/storageconnections', { storage_connection });
      expect([answer.status, answer.fault?.reason]).toEqual([400, 'Incomplete parameters']);
      expect(answer.fault?.detail).toContain(missing);
    }
    const connection = nfs(name('twice'));
    await admin.add('/storageconnections', { storage_connection: connection });
    for (const [status, more] of [
      [409, {}],
      [400, { id: '11111111-2222-3333-4444-555555555555' }],
      [400, { path: 'relative' }],
      [400, { path: `/${name('x')}`, nfs_timeo: 0 }],
      [400, { path: `/${name('x')}`, mount_options: 'retrans=4' }],
      [404, { path: `/${name('x')}`, host: { name: 'nobody' } }],
    ] as const) {
      const storage_connection = { ...connection, ...more };
      const answer = await admin.post('/storageconnections', { storage_connection });
      expect(answer.status, answer.text).toBe(status);
    }
  });

  site.both('stay while a storage domain uses them', async (people) => {
    const { admin, path } = people;
    const domain = await ownDomain(people);
    const list = `/storagedomains/${domain}/storageconnections`;
    const [connection] = (await admin.get(list)).list;
    const own = `/storageconnections/${String(connection?.['id'])}`;
    const busy = await admin.delete(own);
    expect([busy.status, busy.fault?.detail]).toEqual([409, expect.stringContaining('use it')]);
    const elsewhere = { storage_connection: { address: 'other.example.com' } };
    const active = await admin.put(own, elsewhere);
    expect([active.status, active.fault?.detail]).toEqual([
      400,
      expect.stringContaining('maintenance'),
    ]);
    await admin.must(path(`/datacenters/{datacenter}/storagedomains/${domain}/deactivate`));
    expect((await admin.put(own, elsewhere)).status).toBe(200);
    expect((await admin.get(`/storagedomains/${domain}`)).object).toMatchObject({
      storage: { address: 'other.example.com' },
    });
  });

  site.both('are attached to storage domains and detached', async ({ admin, name }) => {
    const domain = await addDomain(admin, 'host1', name('data'));
    const list = `/storagedomains/${domain.id}/storageconnections`;
    const second = await admin.add('/storageconnections', {
      storage_connection: nfs(name('second')),
    });
    await admin.add(list, { storage_connection: { id: second.id } });
    expect((await admin.get(list)).list.map((one) => one['id'])).toContain(second.id);
    expect((await admin.get(`${list}/${second.id}`)).status).toBe(200);
    const again = await admin.post(list, { storage_connection: { id: second.id } });
    expect([again.status, again.fault?.detail]).toEqual([409, expect.stringContaining('already')]);
    const other = await admin.add('/storageconnections', {
      storage_connection: { type: 'localfs', path: `/${name('local')}` },
    });
    const wrong = await admin.post(list, { storage_connection: { id: other.id } });
    expect([wrong.status, wrong.fault?.detail]).toEqual([400, expect.stringContaining('localfs')]);
    expect((await admin.delete(`${list}/${second.id}`)).status).toBe(200);
    expect((await admin.get(list)).list.map((one) => one['id'])).not.toContain(second.id);
  });

  site.incomplete(
    'POST',
    '/storagedomains/{storagedomain}/storageconnections',
    { storage_connection: { address: 'a' } },
    'id',
  );
  site.unknown('GET', '/storageconnections/{unknown}');
  site.unknown('DELETE', '/storageconnections/{unknown}');
  site.forbidden('POST', '/storageconnections', { storage_connection: nfs('forbidden') });
});
