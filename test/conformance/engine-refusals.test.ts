/** Refusals of the dialect of deployed engines: status and reason. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Engine, type Json, unusedId } from '../support/engine.ts';

let engine: Engine;

beforeAll(async () => {
  engine = await Engine.start();
  for (const name of ['net-b', 'net-c']) {
    const network = await engine.must('POST', '/networks', {
      ...{ name, data_center: { id: engine.dataCenter } },
    });
    await engine.must('POST', engine.fillIds('/clusters/CLUSTER/networks'), { id: network['id'] });
  }
});

afterAll(async () => {
  await engine.server.stop();
});

describe('refusals', () => {
  it.each<[string, string, string, Json, [number, unknown]]>([
    [
      'a host without a password',
      'POST',
      '/hosts',
      { name: 'x', address: 'x.example.com', cluster: { name: 'Default' } },
      [400, 'Operation Failed'],
    ],
    [
      'an unknown provider of a host',
      'POST',
      '/hosts',
      {
        ...{ name: 'x', address: 'x.example.com', root_password: 'x' },
        external_host_provider: { id: unusedId },
      },
      [409, 'Operation Failed'],
    ],
    [
      'an unknown network provider of a cluster',
      'POST',
      '/clusters',
      {
        ...{ name: 'x', data_center: { name: 'Default' } },
        external_network_providers: { external_provider: [{ name: 'none' }] },
      },
      [404, undefined],
    ],
    [
      'an unknown master',
      'POST',
      '/datacenters/DC/setmaster',
      { storage_domain: { id: unusedId } },
      [409, 'Operation Failed'],
    ],
    [
      'no master',
      'POST',
      `/datacenters/${unusedId}/setmaster`,
      {},
      [400, 'Input validation failed.'],
    ],
    [
      'no feature',
      'POST',
      '/clusters/CLUSTER/enabledfeatures',
      {},
      [400, 'Input validation failed.'],
    ],
    [
      'an empty name',
      'POST',
      '/clusters/CLUSTER/affinitygroups',
      { name: '' },
      [400, 'Operation Failed'],
    ],
    [
      'an unknown VM',
      'GET',
      `/hosts?migration_target_of=${unusedId}`,
      {},
      [404, 'Operation Failed'],
    ],
  ])('%s', async (_name, method, path, body, expected) => {
    expect(
      await engine.refusal(method, engine.fillIds(path), method === 'GET' ? undefined : body),
    ).toEqual(expected);
  });

  it('a change of port isolation', async () => {
    const id = await engine.findFirstId('/networks?search=name=net-b', 'network');
    const body = { port_isolation: true };
    expect(await engine.refusal('PUT', `/networks/${id}`, body)).toEqual([400, 'Operation Failed']);
    await engine.must('PUT', `/networks/${id}`, { port_isolation: false, description: 'same' });
  });

  it('an attachment without an address, of a network that the cluster uses', async () => {
    const id = await engine.findFirstId('/networks?search=name=net-c', 'network');
    const path = `/hosts/${engine.host}/networkattachments`;
    const attachment = { network: { id }, host_nic: { name: 'eth3' } };
    await engine.must('PUT', `/clusters/${engine.cluster}/networks/${id}`, {
      usages: { usage: ['vm', 'migration'] },
    });
    expect(await engine.refusal('POST', path, attachment)).toEqual([409, 'Operation Failed']);
    const dhcp = [{ assignment_method: 'dhcp' }];
    await engine.must('POST', path, {
      ...{ ...attachment, ip_address_assignments: { ip_address_assignment: dhcp } },
    });
  });

  it('accept an unknown scheduling policy: the cluster gets the default', async () => {
    const added = await engine.must('POST', '/clusters', {
      ...{ name: 'default-policy', data_center: { id: engine.dataCenter } },
      scheduling_policy: { id: unusedId },
    });
    const policy = await engine.findFirstId('/schedulingpolicies', 'scheduling_policy');
    expect(added['scheduling_policy']).toHaveProperty('id');
    expect((added['scheduling_policy'] as Json)['id']).not.toBe(unusedId);
    expect(policy).not.toBe(unusedId);
  });
});

describe('image providers', () => {
  it('pass their name and description to their domain', async () => {
    const { id } = await engine.must('POST', '/openstackimageproviders', {
      ...{ name: 'glance', url: 'https://glance.example.com:9292', description: 'first' },
      requires_authentication: false,
    });
    await engine.must('PUT', `/openstackimageproviders/${id}`, {
      name: 'glance2',
      description: 'second',
    });
    const [domain] = await engine.list('/storagedomains?search=name=glance2', 'storage_domain');
    expect(domain).toMatchObject({ description: 'second', warning_low_space_indicator: '0' });
  });
});
