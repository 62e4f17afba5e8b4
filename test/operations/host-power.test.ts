/** Power management: fence agents and their use. */
import { describe, expect } from 'vitest';
import { addHost, addRunningVm, forbidden } from './support/hosts.ts';
import { row } from './support/rows.ts';
import { type People, useSite } from './support/site.ts';
import { at } from './support/speaker.ts';

const site = useSite();

const agent = {
  type: 'ipmilan',
  address: 'ipmi.example.com',
  username: 'root',
  password: 'secret',
  order: 1,
};

const enabled = { host: { power_management: { enabled: true } } };

/** Two hosts in a cluster; the first has an agent and power management. */
async function powered(people: People) {
  const { admin } = people;
  const host = await addHost(people);
  const other = await addHost(people, { cluster: host.cluster });
  const added = await admin.add(`${host.path}/fenceagents`, { agent });
  const { status, text } = await admin.put(host.path, enabled);
  expect(status, text).toBe(200);
  return { host, other, agent: added };
}

describe(row(138), () => {
  site.both('needs power management and an agent', async (people) => {
    const { admin } = people;
    const host = await addHost(people);
    for (const fence_type of ['start', 'stop', 'restart', 'status']) {
      const { status, fault } = await admin.post(`${host.path}/fence`, { action: { fence_type } });
      expect(status).toBe(409);
      expect(fault?.detail).toContain('Power management is not enabled');
    }
  });
  site.both('tells whether the power is on', async (people) => {
    const { admin } = people;
    const { host } = await powered(people);
    const fence = (fence_type: string) => admin.must(`${host.path}/fence`, { fence_type });
    expect(at((await fence('status')).object, 'power_management.status')).toBe('on');
    await admin.must(`${host.path}/deactivate`);
    await fence('stop');
    expect((await admin.get(host.path)).object['status']).toBe('down');
    expect(at((await fence('status')).object, 'power_management.status')).toBe('off');
    await fence('start');
    expect((await admin.get(host.path)).object['status']).toBe('up');
  });
  site.both('restarts a host: its machines are down, or elsewhere', async (people) => {
    const { admin } = people;
    const { host, other } = await powered(people);
    const pinned = { placement_policy: { affinity: 'pinned', hosts: { host: [{ id: host.id }] } } };
    const vm = await addRunningVm(people, host.cluster, pinned);
    const precious = await addRunningVm(people, host.cluster, {
      high_availability: { enabled: true, priority: 1 },
    });
    if (precious.host === other.id) {
      await admin.must(`${other.path}/deactivate`);
      await admin.must(`${other.path}/activate`);
    }
    await admin.must(`${host.path}/fence`, { fence_type: 'restart' });
    expect((await admin.get(host.path)).object['status']).toBe('up');
    expect((await admin.get(vm.path)).object['status']).toBe('down');
    const now = (await admin.get(precious.path)).object;
    expect(now['status']).toBe('up');
    expect(at(now, 'host.id')).toBe(other.id);
    const action = { fence_type: 'restart', maintenance_after_restart: true };
    await admin.must(`${host.path}/fence`, action);
    expect((await admin.get(host.path)).object['status']).toBe('maintenance');
  });
  site.both('refuses what the state does not allow', async (people) => {
    const { admin } = people;
    const { host } = await powered(people);
    const status = async (fence_type: string) =>
      (await admin.post(`${host.path}/fence`, { action: { fence_type } })).status;
    expect(await status('start')).toBe(409);
    expect(await status('stop')).toBe(409);
    expect(await status('manual')).toBe(409);
    expect(await status('explode')).toBe(400);
    await admin.must(`${host.path}/deactivate`);
    expect(await status('manual')).toBe(200);
  });
  site.both('needs another host that reaches the agent', async (people) => {
    const { admin } = people;
    const { host } = await powered(people);
    const proxies = { pm_proxies: { pm_proxy: [{ type: 'cluster' }] } };
    await admin.put(host.path, { host: { power_management: proxies } });
    const { list } = await admin.get('/hosts');
    for (const one of list) {
      if (at(one, 'cluster.id') !== host.cluster || one['id'] === host.id) continue;
      await admin.must(`/hosts/${String(one['id'])}/deactivate`);
    }
    const action = { fence_type: 'status' };
    const { status, fault } = await admin.post(`${host.path}/fence`, { action });
    expect(status).toBe(409);
    expect(fault?.detail).toContain('No other host');
  });
  site.incomplete('POST', '/hosts/{host}/fence', { action: {} }, 'fenceType');
  site.unknown('POST', '/hosts/{unknown}/fence', { action: { fence_type: 'status' } });
  forbidden(site, 'POST', '/hosts/{host}/fence', { action: { fence_type: 'status' } });
});

for (const number of ['G8', 'G31'] as const) {
  describe(row(number), () => {
    site.both('keeps fence agents, without telling their passwords', async (people) => {
      const { admin } = people;
      const host = await addHost(people);
      const path = `${host.path}/fenceagents`;
      const { status, object, text } = await admin.post(path, { agent: { ...agent, port: 623 } });
      expect(status, text).toBe(201);
      expect(object).toMatchObject({
        type: 'ipmilan',
        order: '1',
        port: '623',
        encrypt_options: 'false',
        host: { id: host.id },
      });
      expect(object).not.toHaveProperty('password');
      const own = `${path}/${String(object['id'])}`;
      expect((await admin.get(path)).list).toMatchObject([{ id: object['id'] }]);
      expect((await admin.get(`${path}?max=0`)).status).toBe(200);
      const options = { option: [{ name: 'lanplus', value: '1' }] };
      const changed = await admin.put(own, { agent: { username: 'admin', options } });
      expect(changed.status, changed.text).toBe(200);
      expect((await admin.get(own)).object).toMatchObject({ username: 'admin', port: '623' });
      expect((await admin.delete(own)).status).toBe(200);
      expect((await admin.get(own)).status).toBe(404);
    });
    site.both('refuses what no agent can be, and to lose the last one', async (people) => {
      const { admin } = people;
      const { host, agent: only } = await powered(people);
      const path = `${host.path}/fenceagents`;
      const post = async (more: object) =>
        (await admin.post(path, { agent: { ...agent, ...more } })).status;
      expect(await post({ type: 'hammer' })).toBe(409);
      expect(await post({ port: 70000 })).toBe(400);
      const { status, fault } = await admin.delete(`${path}/${only.id}`);
      expect(status).toBe(400);
      expect(fault?.detail).toContain('last one');
    });
    const { password: _none, ...incomplete } = agent;
    site.incomplete('POST', '/hosts/{host}/fenceagents', { agent: incomplete }, 'password');
    site.unknown('GET', '/hosts/{host}/fenceagents/{unknown}');
    site.unknown('PUT', '/hosts/{host}/fenceagents/{unknown}', { agent: { order: 2 } });
    site.unknown('DELETE', '/hosts/{host}/fenceagents/{unknown}');
    forbidden(site, 'POST', '/hosts/{host}/fenceagents', { agent });
  });
}
