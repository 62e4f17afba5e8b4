/** vNIC profiles, network filters and MAC pools. */
import { describe, expect } from 'vitest';
import { addCluster } from './support/hosts.ts';
import { addNetwork, plugIn } from './support/networks.ts';
import { row } from './support/rows.ts';
import { type People, useSite } from './support/site.ts';
import { at, listItems, type Thing } from './support/speaker.ts';

const site = useSite();

for (const base of ['/networks/{network}/vnicprofiles', '/vnicprofiles']) {
  describe(base === '/vnicprofiles' ? 'vNIC profiles at the top' : row('G22'), () => {
    const body = ({ name }: People, network: string, more: Thing = {}) => ({
      vnic_profile: { name: name('profile'), network: { id: network }, ...more },
    });
    const at22 = (network: string) => base.replace('{network}', network);
    site.both('adds, lists, gets and removes a profile', async (people) => {
      const { admin } = people;
      const network = await addNetwork(people);
      const path = at22(network.id);
      const { status, object, text } = await admin.post(path, body(people, network.id));
      expect(status, text).toBe(201);
      expect(object).toMatchObject({
        port_mirroring: 'false',
        pass_through: { mode: 'disabled' },
        network: { id: network.id },
      });
      const filter = await admin.find('/networkfilters', 'vdsm-no-mac-spoofing');
      expect(at(object, 'network_filter.id')).toBe(filter.id);
      const own = `${path}/${String(object['id'])}`;
      expect((await admin.get(own)).object['name']).toBe(object['name']);
      expect((await admin.get(path)).list.map((one) => one['id'])).toContain(object['id']);
      const again = body(people, network.id, { name: object['name'] });
      expect((await admin.post(path, again)).status).toBe(409);
      expect((await admin.delete(own)).status).toBe(200);
      expect((await admin.get(own)).status).toBe(404);
    });
    site.both('passes through without what the service does for others', async (people) => {
      const { admin } = people;
      const network = await addNetwork(people);
      const path = at22(network.id);
      const pass_through = { mode: 'enabled' };
      const through = await admin.add(path, body(people, network.id, { pass_through }));
      expect(through).toMatchObject({ pass_through, migratable: 'true' });
      expect(through).not.toHaveProperty('network_filter');
      const filter = await admin.find('/networkfilters', 'clean-traffic');
      const refused = async (more: Thing) =>
        (await admin.post(path, body(people, network.id, { pass_through, ...more }))).status;
      expect(await refused({ port_mirroring: true })).toBe(400);
      expect(await refused({ network_filter: { id: filter.id } })).toBe(400);
      const none = await admin.add(path, body(people, network.id, { network_filter: {} }));
      expect(none).not.toHaveProperty('network_filter');
    });
    site.both('keeps a profile in use, and wants a network of VMs', async (people) => {
      const { admin, path } = people;
      const network = await addNetwork(people);
      const profile = await admin.add(at22(network.id), body(people, network.id));
      await plugIn(people, path('{cluster}'), profile.id);
      const own = `${at22(network.id)}/${profile.id}`;
      expect((await admin.delete(own)).status).toBe(409);
      const plain = await addNetwork(people, { usages: { usage: [] } });
      expect((await admin.get(`/networks/${plain.id}/vnicprofiles`)).list).toEqual([]);
      expect((await admin.post(at22(plain.id), body(people, plain.id))).status).toBe(400);
    });
    site.incomplete('POST', base, { vnic_profile: { network: { id: '{network}' } } }, 'name');
    site.unknown('GET', `${base}/{unknown}`);
    site.unknown('DELETE', `${base}/{unknown}`);
    if (base === '/vnicprofiles') {
      site.forbidden('POST', base, {
        vnic_profile: { name: 'notmine', network: { id: '{network}' } },
      });
    }
  });
}

describe('a vNIC profile', () => {
  site.both('changes, but not its network', async (people) => {
    const { admin, name } = people;
    const network = await addNetwork(people);
    const other = await addNetwork(people);
    const [profile] = (await admin.get(`/networks/${network.id}/vnicprofiles`)).list;
    const own = `/vnicprofiles/${String(profile?.['id'])}`;
    const filter = await admin.find('/networkfilters', 'clean-traffic');
    const changed = await admin.put(own, {
      vnic_profile: { name: name('new'), port_mirroring: true, network_filter: { id: filter.id } },
    });
    expect(changed.status, changed.text).toBe(200);
    expect(changed.object).toMatchObject({
      port_mirroring: 'true',
      network_filter: { id: filter.id },
    });
    const cleared = await admin.put(own, { vnic_profile: { network_filter: {} } });
    expect(cleared.object).not.toHaveProperty('network_filter');
    const moved = await admin.put(own, { vnic_profile: { network: { id: other.id } } });
    expect(moved.status).toBe(400);
    const mode = { pass_through: { mode: 'enabled' } };
    expect((await admin.put(own, { vnic_profile: mode })).status).toBe(400);
    const both = { ...mode, port_mirroring: false };
    expect((await admin.put(own, { vnic_profile: both })).object).toMatchObject(mode);
  });
  site.both('is for everyone when it came with its network', async (people) => {
    const { admin } = people;
    const network = await addNetwork(people);
    const [profile] = (await admin.get(`/networks/${network.id}/vnicprofiles`)).list;
    const { list } = await admin.get(`/vnicprofiles/${String(profile?.['id'])}/permissions`);
    const role = await admin.find('/roles', 'VnicProfileUser');
    expect(list.map((one) => at(one, 'role.id'))).toContain(role.id);
  });
  site.unknown('PUT', '/vnicprofiles/{unknown}', { vnic_profile: { port_mirroring: true } });
});

describe('network filters', () => {
  site.both('are listed for the service and for a cluster', async ({ admin, path }) => {
    const { list } = await admin.get('/networkfilters');
    expect(list.length).toBeGreaterThan(15);
    const [first] = list;
    expect((await admin.get(`/networkfilters/${String(first?.['id'])}`)).object).toMatchObject({
      name: first?.['name'],
    });
    expect((await admin.get(path('/clusters/{cluster}/networkfilters'))).list).toHaveLength(
      list.length,
    );
  });
  site.unknown('GET', '/networkfilters/{unknown}');
});

describe('MAC pools', () => {
  let next = 0;
  const range = () => {
    next += 1;
    const head = `02:00:00:${next.toString(16).padStart(2, '0')}`;
    return { from: `${head}:00:00`, to: `${head}:00:ff` };
  };
  site.both('are added, changed and removed', async ({ admin, name }) => {
    const ranges = { range: [range()] };
    const mac_pool = { name: name('pool'), description: 'mine', ranges };
    const { status, object, text } = await admin.post('/macpools', { mac_pool });
    expect(status, text).toBe(201);
    expect(object).toMatchObject({ default_pool: 'false', allow_duplicates: 'false' });
    const own = `/macpools/${String(object['id'])}`;
    expect((await admin.get('/macpools')).list.map((one) => one['id'])).toContain(object['id']);
    const wider = { range: [range(), range()] };
    const changed = await admin.put(own, { mac_pool: { ranges: wider, allow_duplicates: true } });
    expect(changed.status, changed.text).toBe(200);
    expect(listItems((await admin.get(own)).object, 'ranges', 'range')).toEqual(wider.range);
    expect((await admin.post('/macpools', { mac_pool })).status).toBe(409);
    expect((await admin.delete(own)).status).toBe(200);
    expect((await admin.get(own)).status).toBe(404);
  });
  site.both('refuse what no pool can be', async ({ admin, name }) => {
    const own = range();
    const refused = async (more: Thing, status: number) => {
      const mac_pool = { name: name('pool'), ranges: { range: [own] }, ...more };
      const answer = await admin.post('/macpools', { mac_pool });
      expect(answer.status, answer.text).toBe(status);
    };
    await refused({ ranges: { range: [] } }, 400);
    await refused({ ranges: { range: [{ from: 'a', to: 'b' }] } }, 400);
    const group = { from: '01:00:5e:00:00:00', to: '01:00:5e:00:00:ff' };
    await refused({ ranges: { range: [group] } }, 400);
    await refused({ ranges: { range: [own, own] } }, 409);
    await refused({ ranges: { range: [{ from: '56:6f:1a:16:00:00', to: own.to }] } }, 409);
    await refused({ default_pool: true }, 400);
  });
  site.both('stay while clusters use them, and the default one always', async (people) => {
    const { admin, name } = people;
    const pool = await admin.add('/macpools', {
      mac_pool: { name: name('pool'), ranges: { range: [range()] } },
    });
    const shared = await admin.post('/macpools', {
      mac_pool: { name: name('pool'), ranges: pool['ranges'] },
    });
    expect(shared.status).toBe(people.format === 'XML' ? 409 : shared.status);
    await addCluster(people, { mac_pool: { id: pool.id } });
    expect((await admin.delete(`/macpools/${pool.id}`)).status).toBe(409);
    const builtIn = await admin.find('/macpools', 'Default');
    expect((await admin.delete(`/macpools/${builtIn.id}`)).status).toBe(409);
    const flag = await admin.put(`/macpools/${builtIn.id}`, { mac_pool: { default_pool: false } });
    expect(flag.status).toBe(400);
  });
  site.unknown('GET', '/macpools/{unknown}');
  site.unknown('PUT', '/macpools/{unknown}', { mac_pool: { description: 'x' } });
  site.unknown('DELETE', '/macpools/{unknown}');
  site.incomplete('POST', '/macpools', { mac_pool: { name: 'empty' } }, 'ranges');
  site.forbidden('POST', '/macpools', { mac_pool: { name: 'mine', ranges: { range: [range()] } } });
});
