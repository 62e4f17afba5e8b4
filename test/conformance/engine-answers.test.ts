/** Responses in the dialect of deployed engines: lists, members, addresses, links, refusals. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Engine, type Json, unusedId } from '../support/engine.ts';

let engine: Engine;
let vm: string;

beforeAll(async () => {
  engine = await Engine.start();
  const added = await must('POST', '/vms', {
    ...{ name: 'member', cluster: { id: engine.cluster }, template: { name: 'Blank' } },
  });
  vm = String(added['id']);
});

afterAll(async () => {
  await engine.server.stop();
});

const must: Engine['must'] = (...request) => engine.must(...request);
const refusal: Engine['refusal'] = (...request) => engine.refusal(...request);
const list: Engine['list'] = (...request) => engine.list(...request);
const findId: Engine['findFirstId'] = (...request) => engine.findFirstId(...request);

const listNames = (items: readonly Json[]) => items.map(({ name }) => String(name));
const listIds = (items: readonly Json[]) => items.map(({ id }) => id);
const listRels = (links: unknown) => ((links ?? []) as Json[]).map(({ rel }) => String(rel));

describe('lists', () => {
  const names = ['order-c', 'order-a', 'order-b'];
  const type = { administrative: false, permits: { permit: [{ id: '1' }] } };

  it.each<[string, string, (name: string) => Json]>([
    ['/bookmarks', 'bookmark', (name) => ({ name, value: 'vms:' })],
    ['/macpools', 'mac_pool', (name) => ({ name, ranges: { range: [formatRange(name)] } })],
    ['/roles', 'role', (name) => ({ name, ...type })],
    ['/affinitylabels', 'affinity_label', (name) => ({ name })],
    ['/cpuprofiles', 'cpu_profile', (name) => ({ name, cluster: { id: engine.cluster } })],
    ['/datacenters/DC/quotas', 'quota', (name) => ({ name })],
    ['/datacenters/DC/qoss', 'qos', (name) => ({ name, type: 'cpu', cpu_limit: 10 })],
    ['/clusters/CLUSTER/affinitygroups', 'affinity_group', (name) => ({ name })],
    ['/vms/VM/nics', 'nic', (name) => ({ name })],
  ])('without a search have the order of creation: %s', async (path, element, body) => {
    const at = engine.fillIds(path).replace('VM', vm);
    for (const name of names) await must('POST', at, body(name));
    const listed = listNames(await list(at, element));
    expect(listed.filter((name) => names.includes(name))).toEqual(names);
  });

  it('are sorted by name if engines sort them, also below a followed link', async () => {
    for (const name of ['net-c', 'net-a', 'net-b']) {
      const network = await must('POST', '/networks', {
        ...{ name, data_center: { id: engine.dataCenter } },
      });
      await must('POST', `/clusters/${engine.cluster}/networks`, { id: network['id'] });
    }
    const listed = listNames(await list(`/clusters/${engine.cluster}/networks`, 'network'));
    expect(listed).toEqual([...listed].sort());
    const { networks } = await must('GET', `/clusters/${engine.cluster}?follow=networks`);
    expect(listNames((networks as { network: Json[] }).network)).toEqual(listed);
    const nics = listNames(await list(`/hosts/${engine.host}/nics`, 'host_nic'));
    expect(nics).toEqual([...nics].sort());
    const found = listNames(await list('/networks?search=name=net-*', 'network'));
    expect(found).toEqual(['net-a', 'net-b', 'net-c']);
  });

  it('of tags end with the root, which max does not count', async () => {
    for (const name of ['tag-c', 'tag-a']) await must('POST', '/tags', { name });
    const all = listNames(await list('/tags', 'tag'));
    expect(all.slice(-3)).toEqual(['tag-c', 'tag-a', 'root']);
    expect(listNames(await list('/tags?max=0', 'tag'))).toEqual(['root']);
    expect(await refusal('POST', '/tags', { name: 'lost', parent: {} })).toEqual([
      400,
      'Incomplete parameters',
    ]);
  });

  it.each([
    ['/hosts/HOST/affinitylabels', '{"affinity_label":[]}'],
    ['/hosts/HOST/hooks?max=0', '{"hook":[]}'],
    ['/vms/VM/numanodes', '{"vm_numa_node":[]}'],
    ['/vms/VM/affinitylabels', '{"affinity_label":[]}'],
    ['/vms/VM/tags', '{}'],
    ['/hosts/HOST/tags', '{}'],
  ])('without items have the form of engines in JSON: %s', async (path, text) => {
    const answer = await engine.api.json('GET', engine.fillIds(path).replace('VM', vm));
    expect(answer.text).toBe(text);
  });

  it('inside of objects are bare only if engines omit the array', async () => {
    const network = { name: 'without-usages', data_center: { id: engine.dataCenter } };
    const added = await must('POST', '/networks', { ...network, usages: { usage: [] } });
    expect(added['usages']).toEqual({});
    const group = await must('POST', `/clusters/${engine.cluster}/affinitygroups`, {
      name: 'empty',
    });
    expect(group['hosts']).toEqual({ host: [] });
  });
});

function formatRange(name: string): Json {
  const last = name.slice(-1);
  return { from: `02:00:00:0${last}:00:00`, to: `02:00:00:0${last}:00:ff` };
}

describe('affinity', () => {
  it('groups show names of their members, also if they are followed', async () => {
    const path = `/clusters/${engine.cluster}/affinitygroups`;
    const { id } = await must('POST', path, { name: 'brief' });
    await must('POST', `${path}/${id}/vms`, { id: vm });
    expect(await must('POST', `${path}/${id}/hosts`, { id: engine.host })).toEqual({
      status: 'complete',
    });
    for (const labels of ['vmlabels', 'hostlabels']) {
      const label = await must('POST', '/affinitylabels', { name: labels });
      await must('POST', `${path}/${id}/${labels}`, { id: label['id'] });
    }
    const parts = [
      ['vms', 'vm', 'vms'],
      ['hosts', 'host', 'hosts'],
      ['vmlabels', 'affinity_label', 'vm_labels'],
      ['hostlabels', 'affinity_label', 'host_labels'],
    ] as const;
    const followed = await must('GET', `${path}/${id}?follow=${parts.map((one) => one[2])}`);
    for (const [word, element, attribute] of parts) {
      const listed = await list(`${path}/${id}/${word}`, element);
      expect(listed.map((one) => Object.keys(one).sort())).toEqual([['href', 'id', 'name']]);
      expect((followed[attribute] as Json)[element]).toEqual(listed);
    }
  });

  it('groups without a rule for VMs have no direction', async () => {
    const path = `/clusters/${engine.cluster}/affinitygroups`;
    const { id } = await must('POST', path, { name: 'off', positive: true });
    const after = await must('PUT', `${path}/${id}`, { vms_rule: { enabled: false } });
    expect(after['vms_rule']).toMatchObject({ enabled: 'false', positive: 'false' });
    expect(after['positive']).toBeUndefined();
  });

  it('labels require ids of members, keep them on update, and cannot be removed while they are used', async () => {
    const { id } = await must('POST', '/affinitylabels', { name: 'used' });
    const path = `/affinitylabels/${id}`;
    const incomplete = [400, 'Incomplete parameters'];
    expect(await refusal('POST', `${path}/vms`, { name: 'member' })).toEqual(incomplete);
    expect(await refusal('POST', `${path}/hosts`, { name: 'host1' })).toEqual(incomplete);
    await must('POST', `${path}/vms`, { id: vm });
    await must('PUT', path, { vms: { vm: [] }, description: 'changed' });
    expect(listIds(await list(`${path}/vms`, 'vm'))).toEqual([vm]);
    expect(await refusal('DELETE', path)).toEqual([409, 'Operation Failed']);
    // The removal of a member opens no job.
    expect(await must('DELETE', `${path}/vms/${vm}`)).toEqual({ status: 'complete' });
    await must('DELETE', path);
  });
});

describe('permissions', () => {
  const rolesIn = async (path: string, holder: 'user' | 'group') => {
    const { permission } = await must('GET', `${path}?follow=role`);
    return (permission as Json[]).flatMap((one) =>
      one[holder] ? [(one['role'] as Json)['name']] : [],
    );
  };

  it('of a new network and its vNIC profile belong to its creator', async () => {
    const { id } = await must('POST', '/networks', {
      ...{ name: 'granted', data_center: { id: engine.dataCenter } },
    });
    const profile = await findId(`/networks/${id}/vnicprofiles`, 'vnic_profile');
    for (const path of [`/networks/${id}`, `/vnicprofiles/${profile}`]) {
      expect(await rolesIn(`${path}/permissions`, 'user')).toContain('NetworkAdmin');
      expect(await rolesIn(`${path}/permissions`, 'group')).not.toContain('VnicProfileUser');
    }
  });

  it('of a new CPU profile permit its use to everyone', async () => {
    const { id } = await must('POST', '/clusters', {
      ...{ name: 'with-profile', data_center: { id: engine.dataCenter } },
    });
    const profile = await findId(`/clusters/${id}/cpuprofiles`, 'cpu_profile');
    const roles = await rolesIn(`/cpuprofiles/${profile}/permissions`, 'group');
    expect(roles.filter((role) => role === 'CpuProfileOperator')).toHaveLength(1);
  });

  it.each([
    ['hosts', 'host'],
    ['vms', 'vm'],
    ['disks', 'disk'],
    ['storagedomains', 'storage_domain'],
    ['templates', 'template'],
    ['vmpools', 'vm_pool'],
  ])('below unknown objects refer to these: %s', async (collection, attribute) => {
    const found = await list(`/${collection}/${unusedId}/permissions`, 'permission');
    const ofUser = found.find(({ user }) => user);
    expect(ofUser?.[attribute]).toMatchObject({ id: unusedId });
    expect(ofUser?.['href']).toContain(`/${collection}/${unusedId}/permissions/`);
  });

  it.each(['vnicprofiles', 'cpuprofiles', 'diskprofiles'])(
    'below unknown objects have no address: %s',
    async (collection) => {
      const found = await list(`/${collection}/${unusedId}/permissions`, 'permission');
      expect(found.find(({ user }) => user)?.['href']).toBeUndefined();
    },
  );

  it('that are inherited do not refer to the object if they are read alone', async () => {
    const path = `/hosts/${engine.host}/permissions`;
    const inherited = (await list(path, 'permission')).find(({ user }) => user);
    expect(inherited?.['host']).toMatchObject({ id: engine.host });
    const alone = await must('GET', `${path}/${inherited?.['id']}`);
    expect([alone['host'], alone['href']]).toEqual([undefined, undefined]);
  });
});

describe('addresses and links', () => {
  it('of an attachment are below its interface, except in the list of the host', async () => {
    const [attachment] = await list(
      `/hosts/${engine.host}/networkattachments`,
      'network_attachment',
    );
    const { id, href, host_nic: nic } = attachment as { id: string; href: string; host_nic: Json };
    const below = `/hosts/${engine.host}/nics/${nic['id']}/networkattachments/${id}`;
    expect(href).toMatch(new RegExp(`/hosts/${engine.host}/networkattachments/${id}$`));
    const alone = await must('GET', `/hosts/${engine.host}/networkattachments/${id}`);
    expect(alone['href']).toContain(below);
    const [listed] = await list(below.replace(`/${id}`, ''), 'network_attachment');
    expect([listed?.['href'], listed?.['host']]).toEqual([
      expect.stringContaining(below),
      undefined,
    ]);
    const { network_attachments: followed } = await must(
      'GET',
      `/hosts/${engine.host}?follow=network_attachments`,
    );
    expect((followed as { network_attachment: Json[] }).network_attachment[0]?.['href']).toBe(href);
  });

  it('of a vNIC profile are below its network if the request is', async () => {
    const network = await findId('/networks?search=name=net-a', 'network');
    const profile = await findId(`/networks/${network}/vnicprofiles`, 'vnic_profile');
    const path = `/networks/${network}/vnicprofiles/${profile}`;
    expect((await must('GET', path))['href']).toContain(path);
    expect((await must('GET', `/vnicprofiles/${profile}`))['href']).not.toContain('/networks/');
  });

  it('of an interface depend on its type', async () => {
    await must('POST', `/hosts/${engine.host}/setupnetworks`, {
      modified_bonds: {
        host_nic: [
          {
            name: 'bond0',
            bonding: {
              options: { option: [{ name: 'mode', value: '4' }] },
              slaves: { host_nic: [{ name: 'eth1' }, { name: 'eth2' }] },
            },
          },
        ],
      },
    });
    const nics = await list(`/hosts/${engine.host}/nics`, 'host_nic');
    const nic = (name: string) => nics.find((one) => one['name'] === name) ?? {};
    const bond = nic('bond0');
    expect(bond['ad_aggregator_id']).toBe('1');
    expect(bond['bonding']).toHaveProperty('ad_partner_mac');
    expect(listRels(bond['link'])).not.toContain('linklayerdiscoveryprotocolelements');
    const master = (nic('eth1')['link'] as Json[]).find(({ rel }) => rel === 'master');
    expect(master?.['href']).toBe(bond['href']);
    for (const one of nics) {
      const divisible = one['virtual_functions_configuration'] !== undefined;
      expect(listRels(one['link']).includes('virtualfunctionallowednetworks')).toBe(divisible);
      expect(listRels((one['actions'] as Json)['link']).length > 0).toBe(divisible);
      expect([one['override_configuration'], one['custom_configuration']]).toEqual([
        undefined,
        one['network'] ? 'false' : undefined,
      ]);
    }
  });

  it.each([
    ['0', undefined],
    ['1', 'Active-Backup'],
    ['2', 'Load balance (balance-xor)'],
    ['3', undefined],
    ['4', 'Dynamic link aggregation (802.3ad)'],
    ['5', 'Adaptive transmit load balancing (balance-tlb)'],
    ['6', undefined],
  ])('of a bond name the mode %s', async (mode, type) => {
    const bonding = {
      options: { option: [{ name: 'mode', value: mode }] },
      slaves: { host_nic: [{ name: 'eth1' }, { name: 'eth2' }] },
    };
    const path = `/hosts/${engine.host}`;
    const bonds = { host_nic: [{ name: 'bond0', bonding }] };
    await must('POST', `${path}/setupnetworks`, { modified_bonds: bonds });
    const bond = (await list(`${path}/nics`, 'host_nic')).find(({ name }) => name === 'bond0');
    const shown = { name: 'mode', value: mode, ...(type === undefined ? {} : { type }) };
    expect(bond?.['bonding']).toMatchObject({ options: { option: [shown] } });
  });

  it('of an activated domain contain its data center', async () => {
    const path = `/datacenters/${engine.dataCenter}/storagedomains`;
    const domain = (await list(path, 'storage_domain')).find(({ name }) => name === 'data2');
    for (const action of ['deactivate', 'activate']) {
      const shown = (await must('POST', `${path}/${domain?.['id']}/${action}`, {}))[
        'storage_domain'
      ];
      expect(shown).toMatchObject({ data_center: { id: engine.dataCenter } });
      expect(Object.keys(shown as Json)).toContain('data_centers');
    }
  });

  it('of ISO domains in a data center omit the disks, in lists', async () => {
    const path = `/datacenters/${engine.dataCenter}/storagedomains`;
    const [iso] = (await list(path, 'storage_domain')).filter(({ type }) => type === 'iso');
    expect(listRels(iso?.['link'])).toEqual([]);
    expect(listRels((await must('GET', `${path}/${iso?.['id']}`))['link'])).toEqual(['disks']);
  });
});
