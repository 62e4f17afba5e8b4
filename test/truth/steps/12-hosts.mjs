// Hosts: adding two, everything below a host, updates, networks of the host, fencing, actions that keep it usable.
import { first } from '../lib/session.mjs';

const unknown = '99999999-2222-3333-4444-555555555555';

export default function define(s) {
  const host = {
    name: 'dx_host',
    address: '{{hostAddress}}',
    root_password: '{{rootPassword}}',
    cluster: { id: '{{cluster}}' },
  };
  for (const [name, body] of Object.entries({
    nothing: {},
    'no-name': { address: host.address, root_password: 'x' },
    'no-address': { name: 'dx_host_x', root_password: 'x', cluster: host.cluster },
    'no-password': { name: 'dx_host_x', address: 'dx-x.example.com', cluster: host.cluster },
    'empty-password': {
      name: 'dx_host_x',
      address: 'dx-x.example.com',
      cluster: host.cluster,
      root_password: '',
    },
    'unknown-cluster': { ...host, cluster: { id: unknown } },
    'unknown-cluster-name': { ...host, cluster: { name: 'dx_no_cluster' } },
    'name-blank': { ...host, name: 'dx host' },
    'name-umlaut': { ...host, name: 'dx_höst' },
    'name-long': { ...host, name: `dx_${'h'.repeat(300)}` },
    'address-nonsense': { ...host, name: 'dx_host_x', address: 'not a host!' },
    'port-nonsense': { ...host, port: 'abc' },
    'power-management-without-agent': {
      ...host,
      name: 'dx_host_x',
      address: 'dx-y.example.com',
      power_management: { enabled: true },
    },
    'spm-priority': { ...host, name: 'dx_host_x', spm: { priority: 50 } },
    'unknown-provider': { ...host, name: 'dx_host_x', external_host_provider: { id: unknown } },
  }))
    s.post(`bad/${name}`, '/hosts', { host: body });
  s.post(
    'add',
    '/hosts?activate=true&reboot=false',
    {
      host: {
        ...host,
        description: 'described',
        comment: 'commented',
        port: 54321,
        ssh: { port: 22, user: { user_name: 'root' } },
        spm: { priority: 5 },
        override_iptables: false,
        vgpu_placement: 'consolidated',
      },
    },
    { capture: { host: 'id' } },
  );
  s.get('added', '/hosts/{{host}}', { volatile: true });
  s.wait('up', '/hosts/{{host}}', 'up', {
    fail: ['install_failed', 'non_responsive', 'error', 'pending_approval'],
    timeout: 150,
  });
  s.post('duplicate-name', '/hosts', { host: { ...host, address: 'dx-z.example.com' } });
  s.post('duplicate-address', '/hosts', { host: { ...host, name: 'dx_host_z' } });
  s.post(
    'add-second',
    '/hosts',
    { host: { ...host, name: 'dx_host2', address: '{{hostAddress2}}' } },
    { as: 'json', capture: { host2: 'id' } },
  );
  s.wait('up-second', '/hosts/{{host2}}', 'up', {
    fail: ['install_failed', 'error', 'pending_approval'],
    timeout: 90,
  });
  s.both('get', '/hosts/{{host}}');
  s.get('all-content', '/hosts/{{host}}?all_content=true');
  s.both('list', '/hosts');
  for (const part of [
    'permissions',
    'tags',
    'fenceagents',
    'devices',
    'hooks',
    'nics',
    'numanodes',
    'storage',
    'katelloerrata',
    'networkattachments',
    'storageconnectionextensions',
    'unmanagednetworks',
    'affinitylabels',
    'externalnetworkproviderconfigurations',
    'cpuunits',
    'statistics',
  ]) {
    s.both(`parts/${part}`, `/hosts/{{host}}/${part}`, { capture: { [`host:${part}`]: first } });
    s.get(`parts/${part}/one`, `/hosts/{{host}}/${part}/{{host:${part}}}`);
  }
  s.get('storage/without-status', '/hosts/{{host}}/storage?report_status=false');
  s.get('numanodes/statistics', '/hosts/{{host}}/numanodes/{{host:numanodes}}/statistics');
  for (const follow of [
    'nics',
    'statistics',
    'cluster',
    'network_attachments',
    'fence_agents',
    'permissions,tags',
    'nics.statistics',
    'cluster.data_center',
    'devices',
    'storage',
    'hooks',
    'numa_nodes',
    'affinity_labels',
    'external_host_provider',
  ])
    s.get(`follow/${follow}`, `/hosts/{{host}}?follow=${follow}`);
  s.get('nics', '/hosts/{{host}}/nics', { capture: { hostNicAny: first } });
  s.get('nics/all-content', '/hosts/{{host}}/nics?all_content=true');
  for (const part of [
    'networklabels',
    'networkattachments',
    'virtualfunctionallowedlabels',
    'virtualfunctionallowednetworks',
    'linklayerdiscoveryprotocolelements',
    'statistics',
  ])
    s.get(`nics/parts/${part}`, `/hosts/{{host}}/nics/{{hostNicAny}}/${part}`);
  for (const search of [
    'name=dx_host',
    'name=dx*',
    'status=up',
    'status=Up',
    'status=non_responsive',
    'status=nonsense',
    'cluster=dx_cluster',
    'datacenter=dx_dc',
    'address={{hostAddress}}',
    'type=rhel',
    'cpus>0',
    'memory>1',
    'mem_usage<100',
    'active_vms=0',
    'tag=dx_tag_renamed',
    'update_available=false',
    'spm_id=1',
    'vms.status=up',
    'Storage.name=x',
    'sortby name desc',
    'sortby cpu_usage',
    'comment=commented',
    'name=dx_host and status=up',
    'name=dx_host or name=dx_host2 sortby name desc',
    'id={{host}}',
    'description=described',
  ])
    s.get(
      `search/${search}`,
      `/hosts?search=${encodeURIComponent(search).replaceAll('%7B%7B', '{{').replaceAll('%7D%7D', '}}')}`,
      { volatile: /usage/.test(search), topic: 'search of hosts' },
    );
  s.get('max', '/hosts?max=1&search=sortby%20name');
  s.get('migration-target', '/hosts?migration_target_of=00000000-0000-0000-0000-000000000000');

  // Updates of a host that is up.
  for (const [name, body] of Object.entries({
    description: { description: 'changed' },
    comment: { comment: 'changed' },
    name: { name: 'dx_host_renamed' },
    'name-back': { name: 'dx_host' },
    'name-duplicate': { name: 'dx_host2' },
    address: { address: 'dx-other.example.com' },
    port: { port: 54322 },
    'spm-priority': { spm: { priority: 7 } },
    'spm-high': { spm: { priority: 50 } },
    display: { display: { address: 'display.example.com' } },
    'display-off': { display: { address: '' } },
    'kernel-cmdline': { os: { custom_kernel_cmdline: 'a=b' } },
    cluster: { cluster: { id: '{{clusterFull}}' } },
    'power-management': {
      power_management: {
        enabled: true,
        kdump_detection: true,
        automatic_pm_enabled: false,
        pm_proxies: { pm_proxy: [{ type: 'cluster' }, { type: 'dc' }] },
      },
    },
    'ssh-port': { ssh: { port: 2222 } },
    'ssh-back': { ssh: { port: 22 } },
    'vgpu-placement': { vgpu_placement: 'separated' },
    'external-status': { external_status: 'warning' },
    'external-status-ok': { external_status: 'ok' },
    status: { status: 'maintenance' },
    memory: { memory: 1 },
    'root-password': { root_password: 'changed' },
  }))
    s.put(
      `update/${name}`,
      '/hosts/{{host}}',
      { host: body },
      { as: name === 'comment' ? 'json' : 'xml' },
    );

  // Fence agents.
  const agent = {
    address: '192.0.2.10',
    type: 'ipmilan',
    username: 'fencer',
    password: 'secret',
    order: 1,
  };
  s.post('agents/add', '/hosts/{{host}}/fenceagents', { agent }, { capture: { agent: 'id' } });
  s.post(
    'agents/add-full',
    '/hosts/{{host}}/fenceagents',
    {
      agent: {
        ...agent,
        address: '192.0.2.11',
        order: 2,
        port: 623,
        concurrent: false,
        encrypt_options: false,
        options: {
          option: [
            { name: 'lanplus', value: '1' },
            { name: 'slot', value: '3' },
          ],
        },
      },
    },
    { as: 'json', capture: { agent2: 'id' } },
  );
  for (const key of Object.keys(agent))
    s.post(`agents/without-${key}`, '/hosts/{{host2}}/fenceagents', {
      agent: Object.fromEntries(Object.entries(agent).filter(([name]) => name !== key)),
    });
  s.post('agents/nothing', '/hosts/{{host}}/fenceagents', { agent: null });
  s.post('agents/unknown-type', '/hosts/{{host2}}/fenceagents', {
    agent: { ...agent, type: 'nonsense' },
  });
  s.post('agents/duplicate', '/hosts/{{host}}/fenceagents', { agent });
  s.both('agents', '/hosts/{{host}}/fenceagents');
  s.both('agents/get', '/hosts/{{host}}/fenceagents/{{agent2}}');
  s.put('agents/update', '/hosts/{{host}}/fenceagents/{{agent}}', {
    agent: { username: 'other', order: 3 },
  });
  s.put('agents/update-options', '/hosts/{{host}}/fenceagents/{{agent}}', {
    agent: { options: { option: [{ name: 'x', value: 'y' }] } },
  });
  s.act('fence/status', '/hosts/{{host}}/fence', { fence_type: 'status' });
  s.act('fence/nothing', '/hosts/{{host}}/fence');
  s.act('fence/nonsense', '/hosts/{{host}}/fence', { fence_type: 'nonsense' });
  s.act('fence/manual-up', '/hosts/{{host}}/fence', { fence_type: 'manual' });
  s.act('fence/start-up', '/hosts/{{host}}/fence', { fence_type: 'start' });
  s.del('agents/remove', '/hosts/{{host}}/fenceagents/{{agent}}');
  s.del('agents/remove-second', '/hosts/{{host}}/fenceagents/{{agent2}}');
  s.del('agents/remove-again', '/hosts/{{host}}/fenceagents/{{agent}}');

  // Tags, permissions, affinity labels of the host.
  s.post('tags/add', '/hosts/{{host}}/tags', { tag: { name: 'dx_tag_renamed' } });
  s.post('tags/add-again', '/hosts/{{host}}/tags', { tag: { id: '{{tag}}' } });
  s.post('tags/add-unknown', '/hosts/{{host}}/tags', { tag: { name: 'dx_no_tag' } });
  s.post('tags/add-nothing', '/hosts/{{host}}/tags', { tag: null });
  s.both('tags', '/hosts/{{host}}/tags');
  s.both('tags/get', '/hosts/{{host}}/tags/{{tag}}');
  s.get('tags/search', '/hosts?search=tag%3Ddx_tag_renamed');
  s.del('tags/remove', '/hosts/{{host}}/tags/{{tag}}');
  s.post(
    'permissions/add',
    '/hosts/{{host}}/permissions',
    { permission: { role: { name: 'HostAdmin' }, user: { id: '{{admin}}' } } },
    { capture: { hostPermission: 'id' } },
  );
  s.both('permissions', '/hosts/{{host}}/permissions');
  s.del('permissions/remove', '/hosts/{{host}}/permissions/{{hostPermission}}');

  // Networks of the host.
  s.get('attachments', '/hosts/{{host}}/networkattachments', {
    capture: { mgmtAttachment: first },
  });
  s.both('attachments/get', '/hosts/{{host}}/networkattachments/{{mgmtAttachment}}');
  s.act('setupnetworks/attach', '/hosts/{{host}}/setupnetworks', {
    modified_network_attachments: {
      network_attachment: [
        {
          network: { name: 'dx_net_full' },
          host_nic: { name: '{{hostNic1}}' },
          ip_address_assignments: {
            ip_address_assignment: [
              {
                assignment_method: 'static',
                ip: { address: '192.0.2.20', netmask: '255.255.255.0', version: 'v4' },
              },
            ],
          },
        },
      ],
    },
    check_connectivity: false,
  });
  s.act('setupnetworks/bond', '/hosts/{{host}}/setupnetworks', {
    modified_bonds: {
      host_nic: [
        {
          name: 'bond0',
          bonding: {
            options: {
              option: [
                { name: 'mode', value: '4' },
                { name: 'miimon', value: '100' },
              ],
            },
            slaves: { host_nic: [{ name: '{{hostNic2}}' }, { name: '{{hostNic3}}' }] },
          },
        },
      ],
    },
    check_connectivity: true,
    connectivity_timeout: 60,
    commit_on_success: true,
  });
  s.act('setupnetworks/nothing', '/hosts/{{host}}/setupnetworks');
  s.act('setupnetworks/unknown-nic', '/hosts/{{host}}/setupnetworks', {
    modified_network_attachments: {
      network_attachment: [{ network: { name: 'dx_net' }, host_nic: { name: 'nonsense9' } }],
    },
  });
  s.act('setupnetworks/unknown-network', '/hosts/{{host}}/setupnetworks', {
    modified_network_attachments: {
      network_attachment: [{ network: { name: 'dx_no_net' }, host_nic: { name: '{{hostNic1}}' } }],
    },
  });
  s.act('setupnetworks/labels', '/hosts/{{host}}/setupnetworks', {
    modified_labels: { network_label: [{ id: 'dx_label2', host_nic: { name: '{{hostNic1}}' } }] },
  });
  s.act('setupnetworks/removed', '/hosts/{{host}}/setupnetworks', {
    removed_network_attachments: { network_attachment: [{ id: unknown }] },
  });
  s.both('setupnetworks/attachments', '/hosts/{{host}}/networkattachments', {
    capture: {
      secondAttachment: (root) =>
        root.children.find(
          (node) =>
            node.id &&
            node.child('network') &&
            node.at('ip_address_assignments.ip_address_assignment.ip.address') === '192.0.2.20',
        )?.id,
    },
  });
  s.both('setupnetworks/nics', '/hosts/{{host}}/nics');
  s.put('attachments/update', '/hosts/{{host}}/networkattachments/{{secondAttachment}}', {
    network_attachment: {
      ip_address_assignments: {
        ip_address_assignment: [{ assignment_method: 'dhcp', ip: { version: 'v4' } }],
      },
    },
  });
  s.del('attachments/remove', '/hosts/{{host}}/networkattachments/{{secondAttachment}}');
  s.post(
    'attachments/add',
    '/hosts/{{host}}/networkattachments',
    { network_attachment: { network: { id: '{{net}}' }, host_nic: { name: '{{hostNic1}}' } } },
    { capture: { attachment: 'id' } },
  );
  s.post('attachments/add-to-nic', '/hosts/{{host}}/nics/{{hostNicAny}}/networkattachments', {
    network_attachment: { network: { id: '{{netNoProfile}}' } },
  });
  s.post('attachments/add-nothing', '/hosts/{{host}}/networkattachments', {
    network_attachment: null,
  });
  s.del('attachments/remove-management', '/hosts/{{host}}/networkattachments/{{mgmtAttachment}}');
  s.act('commitnetconfig', '/hosts/{{host}}/commitnetconfig');
  s.act('syncallnetworks', '/hosts/{{host}}/syncallnetworks');
  s.act('copyhostnetworks', '/hosts/{{host2}}/copyhostnetworks', {
    source_host: { id: '{{host}}' },
  });
  s.act('copyhostnetworks/nothing', '/hosts/{{host2}}/copyhostnetworks');
  s.act(
    'virtual-functions',
    '/hosts/{{host}}/nics/{{hostNicAny}}/updatevirtualfunctionsconfiguration',
    { virtual_functions_configuration: { number_of_virtual_functions: 2 } },
  );
  s.post('nic-labels/add', '/hosts/{{host}}/nics/{{hostNicAny}}/networklabels', {
    network_label: { id: 'dx_nic_label' },
  });
  s.get('nic-labels', '/hosts/{{host}}/nics/{{hostNicAny}}/networklabels');
  s.del('nic-labels/remove', '/hosts/{{host}}/nics/{{hostNicAny}}/networklabels/dx_nic_label');

  // iSCSI and storage seen by the host.
  const iscsi = { address: '192.0.2.30', port: 3260 };
  s.act('iscsidiscover', '/hosts/{{host}}/iscsidiscover', { iscsi });
  s.act('iscsidiscover/json', '/hosts/{{host}}/iscsidiscover', { iscsi }, { as: 'json' });
  s.act('discoveriscsi', '/hosts/{{host}}/discoveriscsi', { iscsi });
  s.act('iscsidiscover/nothing', '/hosts/{{host}}/iscsidiscover');
  s.act('iscsidiscover/no-address', '/hosts/{{host}}/iscsidiscover', { iscsi: { port: 3260 } });
  s.act('iscsilogin', '/hosts/{{host}}/iscsilogin', {
    iscsi: { ...iscsi, target: 'iqn.2020-01.com.example:dx' },
  });
  s.act('iscsilogin/nothing', '/hosts/{{host}}/iscsilogin');
  s.act('unregistered-domains', '/hosts/{{host}}/unregisteredstoragedomainsdiscover', {
    iscsi: { ...iscsi, target: 'iqn.2020-01.com.example:dx' },
  });
  s.get('storage', '/hosts/{{host}}/storage', { volatile: true });
  s.post(
    'connectionextensions/add',
    '/hosts/{{host}}/storageconnectionextensions',
    {
      storage_connection_extension: {
        target: 'iqn.2020-01.com.example:dx',
        username: 'user',
        password: 'secret',
      },
    },
    { capture: { connectionExtension: 'id' } },
  );
  s.post('connectionextensions/nothing', '/hosts/{{host}}/storageconnectionextensions', {
    storage_connection_extension: null,
  });
  s.both(
    'connectionextensions/get',
    '/hosts/{{host}}/storageconnectionextensions/{{connectionExtension}}',
  );
  s.put(
    'connectionextensions/update',
    '/hosts/{{host}}/storageconnectionextensions/{{connectionExtension}}',
    {
      storage_connection_extension: {
        username: 'other',
        password: 'x',
        target: 'iqn.2020-01.com.example:dx',
      },
    },
  );
  s.del(
    'connectionextensions/remove',
    '/hosts/{{host}}/storageconnectionextensions/{{connectionExtension}}',
  );

  // Actions.
  s.act('activate/up', '/hosts/{{host}}/activate');
  s.act('approve/up', '/hosts/{{host}}/approve');
  s.act('install/up', '/hosts/{{host}}/install', { root_password: '{{rootPassword}}' });
  s.act('enrollcertificate/up', '/hosts/{{host}}/enrollcertificate');
  s.act('forceselectspm', '/hosts/{{host}}/forceselectspm');
  s.act('refresh', '/hosts/{{host}}/refresh');
  s.act('refresh/json', '/hosts/{{host}}/refresh', {}, { as: 'json' });
  s.act('upgradecheck', '/hosts/{{host2}}/upgradecheck');
  s.del('remove/up', '/hosts/{{host2}}', { requires: 'up-second' });
  s.act('deactivate', '/hosts/{{host2}}/deactivate', {
    reason: 'dx reason',
    stop_gluster_service: false,
  });
  s.wait('maintenance', '/hosts/{{host2}}', 'maintenance', { timeout: 60 });
  s.act('deactivate/again', '/hosts/{{host2}}/deactivate');
  s.put('update-in-maintenance/address', '/hosts/{{host2}}', {
    host: { address: 'dx-moved.example.com' },
  });
  s.put('update-in-maintenance/address-back', '/hosts/{{host2}}', {
    host: { address: '{{hostAddress2}}' },
  });
  s.put('update-in-maintenance/cluster', '/hosts/{{host2}}', {
    host: { cluster: { id: '{{clusterFull}}' } },
  });
  s.put('update-in-maintenance/cluster-back', '/hosts/{{host2}}', {
    host: { cluster: { id: '{{cluster}}' } },
  });
  s.act('activate', '/hosts/{{host2}}/activate');
  s.wait('active-again', '/hosts/{{host2}}', 'up', { timeout: 90 });
  s.get('events', '/events?search=event_host%3Ddx_host2&max=5', { volatile: true });
}
