/** A site in which everything occurs that definitions have, made by requests on top of the small one. */
import { expect } from 'vitest';
import type { Desk } from './signed-in-command.ts';

/** Method, path and body; `{name}` is the id of the object created or found under this name. */
type Request = readonly [path: string, body: object, name?: string];

const named = (name: string) => ({ name });
const blank = { template: named('Blank') };
const disk = (name: string, domain: string, more: object = {}) => ({
  name,
  provisioned_size: 1_073_741_824,
  format: 'cow',
  sparse: true,
  storage_domains: { storage_domain: [named(domain)] },
  ...more,
});
const olafAs = (role: string) => ({ role: named(role), user: { id: '{olaf}' } });

const parts: readonly Request[] = [
  [
    '/macpools',
    {
      name: 'special pool',
      ranges: { range: [{ from: '02:00:00:00:00:00', to: '02:00:00:00:ff:ff' }] },
    },
    'pool',
  ],
  ['/macpools/{pool}/permissions', olafAs('MacPoolUser')],
  ['/roles', { name: 'Helpdesk', permits: { permit: [{ id: '1' }, named('run_vm')] } }],
  ['/schedulingpolicies', { name: 'own', description: 'x' }, 'policy'],
  [
    '/schedulingpolicies/{policy}/weights',
    { factor: 3, scheduling_policy_unit: { id: '{weight}' } },
  ],
  [
    '/schedulingpolicies/{policy}/filters',
    { position: 1, scheduling_policy_unit: { id: '{filter}' } },
  ],
  ['/schedulingpolicies/{policy}/balances', { scheduling_policy_unit: { id: '{load_balancing}' } }],
  [
    '/openstacknetworkproviders',
    {
      name: 'neutron',
      url: 'https://neutron.example.com',
      requires_authentication: true,
      username: 'u',
      password: 'hush',
      type: 'neutron',
    },
  ],
  ['/externalhostproviders', { name: 'foreman', url: 'https://foreman.example.com' }],
  ['/openstackvolumeproviders', { name: 'cinder', url: 'https://cinder.example.com' }, 'cinder'],
  [
    '/openstackvolumeproviders/{cinder}/authenticationkeys',
    { uuid: '5f2a4ef4-0c2d-4a3a-8b80-1c1d1e6f0001', value: 'aHVzaA==', usage_type: 'ceph' },
  ],
  ['/datacenters', { name: 'south', local: false }, 'south'],
  ['/datacenters/{south}/permissions', olafAs('DataCenterAdmin')],
  [
    '/clusters',
    {
      name: 'ice',
      data_center: named('south'),
      cpu: { type: 'Intel Nehalem Family' },
      gluster_service: true,
      scheduling_policy: named('own'),
      mac_pool: named('special pool'),
    },
    'ice',
  ],
  // Another data center has a network of this name.
  ['/networks', { name: 'net1', data_center: named('south'), mtu: 9000, vlan: { id: 7 } }, 'net'],
  [
    '/clusters/{ice}/networks',
    { id: '{net}', required: false, usages: { usage: ['vm', 'migration'] } },
  ],
  ['/networks/{net}/networklabels', { id: 'lab-x' }],
  ['/networks/{net}/permissions', olafAs('VnicProfileUser')],
  [
    '/hosts',
    {
      name: 'pole',
      address: 'pole.example.com',
      cluster: named('ice'),
      root_password: 'hush',
      comment: 'cold',
    },
    'pole',
  ],
  [
    '/hosts',
    { name: 'pole2', address: 'pole2.example.com', cluster: named('ice'), root_password: 'hush' },
    'pole2',
  ],
  [
    '/hosts/{pole}/fenceagents',
    { address: '10.0.0.9', type: 'ipmilan', username: 'root', password: 'hush', order: 1 },
  ],
  [
    '/hosts/{pole}/storageconnectionextensions',
    { target: 'iqn.2020', username: 'u', password: 'hush' },
  ],
  ['/hosts/{pole}/permissions', olafAs('HostAdmin')],
  [
    '/storagedomains',
    {
      name: 'cold',
      type: 'data',
      host: named('pole'),
      storage: { type: 'nfs', address: 'filer', path: '/cold' },
    },
    'cold',
  ],
  ['/storagedomains/{cold}/permissions', olafAs('StorageAdmin')],
  [
    '/storagedomains',
    {
      name: 'lun',
      type: 'data',
      host: named('pole'),
      storage: {
        type: 'iscsi',
        logical_units: {
          logical_unit: [
            {
              id: '36001405aaaaaaaaaaaaaaaaaaaaaaaaa1',
              address: '10.1.1.1',
              port: 3260,
              target: 'iqn.2019:t1',
              username: 'chap',
              password: 'hush-hush-hush',
            },
          ],
        },
      },
    },
  ],
  ['/datacenters/{south}/storagedomains', named('cold')],
  ['/datacenters/{south}/storagedomains', named('lun')],
  ['/storageconnections', { type: 'nfs', address: 'spare', path: '/spare' }],
  ['/datacenters/{south}/qoss', { name: 'fast', type: 'storage', max_iops: 1000 }, 'fast'],
  ['/datacenters/{south}/quotas', { name: 'gold' }, 'gold'],
  ['/datacenters/{south}/quotas/{gold}/permissions', olafAs('QuotaConsumer')],
  [
    '/datacenters/{south}/quotas/{gold}/quotastoragelimits',
    { limit: 100, storage_domain: named('cold') },
  ],
  [
    '/datacenters/{south}/quotas/{gold}/quotaclusterlimits',
    { vcpu_limit: 10, memory_limit: 20, cluster: named('ice') },
  ],
  ['/datacenters/{south}/iscsibonds', { name: 'bond', networks: { network: [{ id: '{net}' }] } }],
  [
    '/diskprofiles',
    { name: 'fastprofile', storage_domain: { id: '{cold}' }, qos: { id: '{fast}' } },
    'profile',
  ],
  ['/diskprofiles/{profile}/permissions', olafAs('DiskProfileUser')],
  ['/cpuprofiles', { name: 'slow', cluster: { id: '{ice}' } }, 'slow'],
  ['/cpuprofiles/{slow}/permissions', olafAs('CpuProfileOperator')],
  ['/tags', named('top')],
  ['/tags', { name: 'sub', parent: named('top') }],
  ['/bookmarks', { name: 'up', value: 'vms:status=up' }],
  ['/permissions', { role: named('Helpdesk'), user: { id: '{jane}' } }],
  ['/users/{jane}/sshpublickeys', { content: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkV me@x' }],
  [
    '/users/{jane}/eventsubscriptions',
    { event: 'vm_console_disconnected', notification_method: 'smtp', address: 'j@example.com' },
  ],
  ['/users/{jane}/tags', named('top')],
  ['/instancetypes', { name: 'Huge', memory: 34_359_738_368 }, 'huge'],
  ['/instancetypes/{huge}/nics', named('nic1')],
  ['/instancetypes/{huge}/watchdogs', { model: 'i6300esb', action: 'none' }],
  ['/disks', disk('loose', 'data1'), 'loose'],
  ['/disks/{loose}/permissions', olafAs('DiskOperator')],
  ['/disks', disk('shared', 'data2', { format: 'raw', sparse: false, shareable: true }), 'shared'],
];

const machines: readonly Request[] = [
  [
    '/vms',
    {
      name: '007',
      cluster: named('Default'),
      memory: 2_147_483_648,
      description: 'żółw 🐢 "quoted": x',
      initialization: { user_name: 'root', root_password: 'hush' },
      placement_policy: { affinity: 'user_migratable', hosts: { host: [named('host1')] } },
      ...blank,
    },
    '007',
  ],
  [
    '/vms',
    {
      name: 'null',
      cluster: named('ice'),
      quota: { id: '{gold}' },
      lease: { storage_domain: named('cold') },
      high_availability: { enabled: true, priority: 1 },
      ...blank,
    },
    'null',
  ],
  ['/vms', { name: 'yes', cluster: named('Default'), ...blank }, 'yes'],
  // A name may be the id of something else.
  ['/vms', { name: '{yes}', cluster: named('Default'), ...blank }],
  ['/vms/{007}/nics', { name: 'nic1', vnic_profile: { id: '{net1 of Default}' } }, 'nic'],
  ['/vms/{007}/nics/{nic}/networkfilterparameters', { name: 'IP', value: '10.0.0.1' }],
  ['/vms/{null}/nics', { name: 'nic1', vnic_profile: { id: '{net1 of south}' } }],
  [
    '/vms/{007}/diskattachments',
    { interface: 'virtio', bootable: true, active: true, disk: disk('a disk', 'data1') },
  ],
  [
    '/vms/{007}/diskattachments',
    { interface: 'virtio_scsi', active: true, disk: { id: '{shared}' } },
  ],
  [
    '/vms/{yes}/diskattachments',
    { interface: 'virtio_scsi', active: true, disk: { id: '{shared}' } },
  ],
  ['/vms/{yes}/mediateddevices', { spec_params: { property: [{ name: 'mdevType', value: 'x' }] } }],
  ['/vms/{007}/tags', named('sub')],
  ['/vms/{007}/watchdogs', { model: 'i6300esb', action: 'reset' }],
  ['/vms/{007}/numanodes', { index: 0, memory: 1024, cpu: { cores: { core: [{ index: 0 }] } } }],
  ['/vms/{007}/graphicsconsoles', { protocol: 'spice' }],
  ['/vms/{007}/permissions', olafAs('UserRole')],
  ['/vms/{007}/snapshots', { description: 'before' }],
  [
    '/templates',
    { name: 'image', description: 't', vm: { id: '{vm-03}' }, delete_protected: true },
    'image',
  ],
  [
    '/templates',
    {
      name: 'image',
      vm: { id: '{vm-03}' },
      version: { base_template: { id: '{image}' }, version_name: 'second' },
    },
    'second',
  ],
  ['/templates/{image}/tags', named('top')],
  ['/templates/{image}/permissions', olafAs('UserTemplateBasedVm')],
  [
    '/vms',
    {
      name: 'copy',
      cluster: named('Default'),
      template: { id: '{image}' },
      delete_protected: false,
      disk_attachments: { disk_attachment: [{ disk: { id: '{disk of image}', name: 'renamed' } }] },
    },
    'copy',
  ],
  ['/vms', { name: 'newer', cluster: named('Default'), template: { id: '{second}' } }],
  ['/templates', { name: 'of-a-copy', vm: { id: '{copy}' } }],
  [
    '/vmpools',
    { name: 'pool-??', cluster: named('Default'), template: { id: '{image}' }, size: 2 },
    'vmpool',
  ],
  ['/vmpools/{vmpool}/permissions', olafAs('UserRole')],
  ['/affinitylabels', named('label'), 'label'],
  ['/affinitylabels/{label}/vms', { id: '{007}' }],
  ['/affinitylabels', named('old.hosts'), 'old'],
  ['/affinitylabels/{old}/hosts', { id: '{host2}' }],
  [
    '/clusters/{Default}/affinitygroups',
    { name: 'apart', vms_rule: { enabled: true, positive: false, enforcing: true } },
    'apart',
  ],
  ['/clusters/{Default}/affinitygroups/{apart}/vms', { id: '{007}' }],
  ['/clusters/{Default}/affinitygroups/{apart}/hosts', { id: '{host1}' }],
  ['/clusters/{Default}/affinitygroups/{apart}/vmlabels', { id: '{label}' }],
  ['/clusters/{Default}/affinitygroups/{apart}/hostlabels', { id: '{old}' }],
  [
    '/clusters/{ice}/glustervolumes',
    {
      name: 'vol1',
      volume_type: 'distribute',
      bricks: {
        brick: [
          { server_id: '{pole}', brick_dir: '/bricks/1' },
          { server_id: '{pole2}', brick_dir: '/bricks/2' },
        ],
      },
      options: { option: [{ name: 'auth.allow', value: '*' }] },
    },
  ],
  ['/hosts/{pole}/tags', named('sub')],
  ['/clusters/{Default}/enabledfeatures', { id: '{feature}' }],
  // Three disks with one name, one of them in a VM.
  ['/disks', disk('dup', 'data1')],
  ['/disks', disk('dup', 'data1', { provisioned_size: 2_147_483_648 })],
  [
    '/vms/{yes}/diskattachments',
    { disk: disk('dup', 'data1'), interface: 'virtio', bootable: false, active: false },
  ],
  ['/networks', { name: 'tagged', data_center: named('south'), vlan: { id: 7 } }, 'tagged'],
  ['/clusters/{ice}/networks', { id: '{tagged}', required: true }],
  [
    '/hosts/{pole2}/setupnetworks',
    {
      modified_bonds: {
        host_nic: [
          {
            name: 'bond0',
            bonding: {
              options: { option: [{ name: 'mode', value: '4' }] },
              slaves: { host_nic: [named('eth2'), named('eth3')] },
            },
          },
        ],
      },
      modified_network_attachments: {
        network_attachment: [{ network: { id: '{tagged}' }, host_nic: named('bond0') }],
      },
      commit_on_success: true,
    },
  ],
];

/** Makes it all. */
export async function makeRich(desk: Desk): Promise<void> {
  const ids = new Map<string, string>();
  const filled = (text: string) =>
    text.replace(/\{([^{}":,]+)\}/g, (all, name) => ids.get(name) ?? all);
  const note = async (noun: string, attribute: string, ...flags: string[]) => {
    for (const one of await desk.json<Record<string, unknown>[]>(noun, 'list', ...flags)) {
      ids.set(String(one[attribute]), String(one['id']));
    }
  };
  const send = async (requests: readonly Request[]) => {
    for (const [path, body, name] of requests) {
      const words = ['api', 'POST', filled(path), '--input', '-'];
      const { code, stdout, stderr } = await desk.run(words, filled(JSON.stringify(body)));
      expect(code, `${path} ${name}: ${stderr}`).toBe(0);
      if (name !== undefined) ids.set(name, JSON.parse(stdout).id);
      if (name === 'image') {
        const [first] = await desk.json(
          'diskattachments',
          'list',
          '--template',
          ids.get(name) ?? '',
        );
        ids.set('disk of image', String(first?.['id']));
      }
    }
  };
  await note('clusters', 'name');
  await note('hosts', 'name');
  await note('vms', 'name');
  await note('schedulingpolicyunits', 'type');
  for (const login of ['jane', 'olaf']) {
    const user = await desk.json<{ id: string }>('users', 'get', `${login}@internal`);
    ids.set(login, user.id);
  }
  const features = JSON.parse(await desk.must('api', 'GET', '/clusterlevels/4.8/clusterfeatures'));
  ids.set('feature', features.cluster_feature[0].id);
  await send(parts);
  for (const one of await desk.json<Record<string, unknown>[]>('vnicprofiles', 'list')) {
    const network = one['network'];
    const isSouth =
      typeof network === 'object' &&
      network !== null &&
      'id' in network &&
      network.id === ids.get('net');
    if (one['name'] === 'net1')
      ids.set(isSouth ? 'net1 of south' : 'net1 of Default', String(one['id']));
  }
  await desk.run(['vms', 'stop', 'vm-03']);
  await send(machines);
}
