/** A site with an object of every sort that can be changed: what the small inventory lacks is made. */
import { expect } from 'vitest';
import type { RawApi } from '../../support/raw.ts';

type Thing = Record<string, unknown>;

/** What is made, in this order; `{name}` is the id of what was made or found before. */
const additions: readonly (readonly [name: string, path: string, body: Thing])[] = [
  [
    'macpool',
    '/macpools',
    { name: 'pool-b', ranges: { range: [{ from: '02:00:00:00:00:00', to: '02:00:00:00:00:ff' }] } },
  ],
  ['tag', '/tags', { name: 'evening', description: 'runs at night' }],
  ['bookmark', '/bookmarks', { name: 'up', value: 'Vms: status=up' }],
  ['label', '/affinitylabels', { name: 'rack-1', vms: { vm: [{ id: '{vm}' }] } }],
  ['policy', '/schedulingpolicies', { name: 'own-policy', description: 'ours' }],
  [
    'role',
    '/roles',
    { name: 'own-role', administrative: false, permits: { permit: [{ id: '1' }] } },
  ],
  ['quota', '/datacenters/{datacenter}/quotas', { name: 'small', cluster_soft_limit_pct: 70 }],
  ['storage', '/datacenters/{datacenter}/qoss', { name: 'qos-1', type: 'storage', max_iops: 100 }],
  ['cpu', '/datacenters/{datacenter}/qoss', { name: 'qos-2', type: 'cpu', cpu_limit: 50 }],
  [
    '',
    '/datacenters/{datacenter}/qoss',
    { name: 'qos-3', type: 'network', inbound_average: 5, inbound_peak: 6, inbound_burst: 7 },
  ],
  [
    '',
    '/datacenters/{datacenter}/qoss',
    { name: 'qos-4', type: 'hostnetwork', outbound_average_linkshare: 5 },
  ],
  [
    'net',
    '/networks',
    { name: 'blue', data_center: { id: '{datacenter}' }, vlan: { id: 7 }, mtu: 1500 },
  ],
  ['', '/clusters/{cluster}/networks', { id: '{net}', required: false }],
  [
    '',
    '/hosts/{host}/networkattachments',
    { network: { id: '{net}' }, host_nic: { name: 'eth1' } },
  ],
  ['vnic', '/vnicprofiles', { name: 'blue-2', network: { id: '{net}' } }],
  ['', '/cpuprofiles', { name: 'fast', cluster: { id: '{cluster}' }, qos: { id: '{cpu}' } }],
  [
    '',
    '/diskprofiles',
    { name: 'fast', storage_domain: { id: '{storagedomain}' }, qos: { id: '{storage}' } },
  ],
  [
    '',
    '/clusters/{cluster}/affinitygroups',
    { name: 'apart', positive: false, vms: { vm: [{ id: '{vm}' }] } },
  ],
  [
    'type',
    '/instancetypes',
    { name: 'own-type', memory: 2 ** 31, cpu: { topology: { cores: 2 } } },
  ],
  ['', '/instancetypes/{type}/watchdogs', { model: 'i6300esb', action: 'reset' }],
  ['', '/instancetypes/{type}/nics', { name: 'nic1' }],
  [
    'agent',
    '/hosts/{host}/fenceagents',
    { type: 'ipmilan', address: 'ipmi', username: 'u', password: 'p', order: 1 },
  ],
  [
    '',
    '/hosts/{host}/storageconnectionextensions',
    { target: 'iqn.2024-01.com.example:t', username: 'u', password: 'p' },
  ],
  ['', '/storageconnections', { type: 'nfs', address: 'nfs.example.com', path: '/spare' }],
  [
    '',
    '/externalhostproviders',
    { name: 'foreman', url: 'https://foreman.example.com', requires_authentication: false },
  ],
  [
    '',
    '/openstackimageproviders',
    { name: 'glance-b', url: 'https://glance.example.com', requires_authentication: false },
  ],
  [
    '',
    '/openstacknetworkproviders',
    { name: 'neutron', url: 'https://neutron.example.com', requires_authentication: false },
  ],
  [
    'volumes',
    '/openstackvolumeproviders',
    {
      name: 'cinder',
      url: 'https://cinder.example.com',
      requires_authentication: false,
      data_center: { id: '{datacenter}' },
    },
  ],
  [
    '',
    '/openstackvolumeproviders/{volumes}/authenticationkeys',
    {
      uuid: '6d7c1e0a-0000-4000-8000-000000000001',
      value: 'c2VjcmV0',
      usage_type: 'ceph',
      description: 'k',
    },
  ],
  ['', '/users/{user}/sshpublickeys', { content: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ a@b' }],
  [
    'idle',
    '/vms',
    {
      name: 'write-back',
      cluster: { id: '{cluster}' },
      template: { name: 'Blank' },
      memory: 2 ** 30,
      custom_properties: { custom_property: [{ name: 'sap_agent', value: 'true' }] },
      initialization: {
        host_name: 'a.example.com',
        user_name: 'root',
        root_password: 'secret',
        nic_configurations: {},
      },
      placement_policy: { affinity: 'migratable', hosts: { host: [{ id: '{host}' }] } },
      high_availability: { enabled: true, priority: 50 },
      payloads: {
        payload: [
          { type: 'cdrom', volume_id: 'x', files: { file: [{ name: 'a', content: 'b' }] } },
        ],
      },
      display: { type: 'vnc', monitors: 1 },
      bios: { boot_menu: { enabled: true } },
    },
  ],
  [
    '',
    '/vms/{idle}/numanodes',
    { index: 0, memory: 1024, cpu: { cores: { core: [{ index: 0 }] } } },
  ],
  ['', '/vms/{idle}/watchdogs', { model: 'i6300esb', action: 'poweroff' }],
  ['nic', '/vms/{idle}/nics', { name: 'nic1', interface: 'virtio' }],
  ['', '/vms/{idle}/nics/{nic}/networkfilterparameters', { name: 'IP', value: '10.0.0.1' }],
  [
    '',
    '/vms/{idle}/mediateddevices',
    { spec_params: { property: [{ name: 'mdevType', value: 'nvidia-11' }] } },
  ],
  [
    '',
    '/vms/{idle}/diskattachments',
    {
      interface: 'virtio',
      bootable: true,
      disk: {
        name: 'root',
        format: 'cow',
        provisioned_size: 2 ** 30,
        storage_domains: { storage_domain: [{ id: '{storagedomain}' }] },
      },
    },
  ],
  ['template', '/templates', { name: 'write-back', vm: { id: '{idle}' } }],
  [
    '',
    '/vmpools',
    { name: 'pool-??', cluster: { id: '{cluster}' }, template: { id: '{template}' }, size: 2 },
  ],
  [
    'bond',
    '/datacenters/{datacenter}/iscsibonds',
    { name: 'bond', networks: { network: [{ id: '{net}' }] } },
  ],
  [
    'target',
    '/storageconnections',
    { type: 'iscsi', address: 'san', port: 3260, target: 'iqn.2024-01.com.example:b' },
  ],
  ['', '/datacenters/{datacenter}/iscsibonds/{bond}/storageserverconnections', { id: '{target}' }],
];

/** Adds it all; fails where something is refused. */
export async function enrich(api: RawApi, known: Readonly<Record<string, string>>): Promise<void> {
  const ids: Record<string, string> = { ...known };
  const filled = (text: string) => text.replace(/\{(\w+)\}/g, (whole, name) => ids[name] ?? whole);
  for (const [name, path, body] of additions) {
    const answer = await api.call('POST', `${filled(path)}?async=false`, {
      headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
      body: filled(JSON.stringify(body)),
    });
    expect([200, 201, 202], `${path}: ${answer.text}`).toContain(answer.status);
    if (name !== '') ids[name] = String(answer.json()['id']);
  }
}
