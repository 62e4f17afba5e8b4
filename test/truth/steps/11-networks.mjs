// Networks, vNIC profiles, labels, networks of clusters, iSCSI bonds.
import { named } from '../lib/session.mjs';

const unknown = '99999999-2222-3333-4444-555555555555';

export default function define(s) {
  s.post(
    'add',
    '/networks',
    { network: { name: 'dx_net', data_center: { id: '{{dc}}' } } },
    { capture: { net: 'id' } },
  );
  s.post(
    'add-full',
    '/networks',
    {
      network: {
        name: 'dx_net_full',
        description: 'described',
        comment: 'commented',
        data_center: { name: 'dx_dc' },
        vlan: { id: 100 },
        mtu: 9000,
        stp: true,
        usages: { usage: ['vm'] },
        profile_required: true,
        port_isolation: true,
        dns_resolver_configuration: { name_servers: { name_server: ['192.0.2.1', '192.0.2.2'] } },
      },
    },
    { capture: { netFull: 'id' } },
  );
  s.post(
    'add-json',
    '/networks',
    {
      network: {
        name: 'dx_net_json',
        data_center: { id: '{{dc}}' },
        vlan: { id: '101' },
        mtu: '1500',
        usages: { usage: [] },
      },
    },
    { as: 'json', capture: { netJson: 'id' } },
  );
  s.post(
    'add-below',
    '/datacenters/{{dc}}/networks',
    { network: { name: 'dx_net_below', vlan: { id: 102 } } },
    { capture: { netBelow: 'id' } },
  );
  s.post(
    'add-no-profile',
    '/networks',
    {
      network: {
        name: 'dx_net_noprofile',
        data_center: { id: '{{dc}}' },
        profile_required: false,
        vlan: { id: 103 },
      },
    },
    { capture: { netNoProfile: 'id' } },
  );
  s.post(
    'add-not-vm',
    '/networks',
    {
      network: {
        name: 'dx_net_notvm',
        data_center: { id: '{{dc}}' },
        usages: null,
        vlan: { id: 104 },
      },
    },
    { capture: { netNotVm: 'id' } },
  );
  s.post(
    'add-long-name',
    '/networks',
    {
      network: {
        name: 'dx_net with a rather long name',
        data_center: { id: '{{dc}}' },
        vlan: { id: 105 },
      },
    },
    { capture: { netLong: 'id' } },
  );
  for (const [name, body] of Object.entries({
    nothing: {},
    'no-dc': { name: 'dx_net_x' },
    'no-name': { data_center: { id: '{{dc}}' } },
    duplicate: { name: 'dx_net', data_center: { id: '{{dc}}' } },
    'vlan-high': { name: 'dx_net_x', data_center: { id: '{{dc}}' }, vlan: { id: 4095 } },
    'vlan-negative': { name: 'dx_net_x', data_center: { id: '{{dc}}' }, vlan: { id: -1 } },
    'vlan-empty': { name: 'dx_net_x', data_center: { id: '{{dc}}' }, vlan: null },
    'vlan-text': { name: 'dx_net_x', data_center: { id: '{{dc}}' }, vlan: { id: 'abc' } },
    'vlan-taken': { name: 'dx_net_x', data_center: { id: '{{dc}}' }, vlan: { id: 100 } },
    'mtu-low': { name: 'dx_net_x', data_center: { id: '{{dc}}' }, mtu: 10, vlan: { id: 120 } },
    'mtu-negative': { name: 'dx_net_x', data_center: { id: '{{dc}}' }, mtu: -1, vlan: { id: 120 } },
    'name-bond': { name: 'bond0', data_center: { id: '{{dc}}' } },
    'name-empty': { name: '', data_center: { id: '{{dc}}' } },
    'name-very-long': { name: `dx_${'n'.repeat(300)}`, data_center: { id: '{{dc}}' } },
    'unknown-dc': { name: 'dx_net_x', data_center: { id: unknown } },
    usage: { name: 'dx_net_x', data_center: { id: '{{dc}}' }, usages: { usage: ['nonsense'] } },
    'usage-other': {
      name: 'dx_net_usage',
      data_center: { id: '{{dc}}' },
      usages: { usage: ['vm', 'migration'] },
      vlan: { id: 121 },
    },
    'stp-not-vm': {
      name: 'dx_net_x',
      data_center: { id: '{{dc}}' },
      stp: true,
      usages: null,
      vlan: { id: 122 },
    },
    'name-server': {
      name: 'dx_net_x',
      data_center: { id: '{{dc}}' },
      vlan: { id: 123 },
      dns_resolver_configuration: { name_servers: { name_server: ['nonsense'] } },
    },
    qos: {
      name: 'dx_net_qos',
      data_center: { id: '{{dc}}' },
      vlan: { id: 124 },
      qos: { id: '{{qos:hostnetwork}}' },
    },
    'unknown-provider': {
      name: 'dx_net_x',
      data_center: { id: '{{dc}}' },
      external_provider: { id: unknown },
    },
  }))
    s.postAndRemove(`bad/${name}`, '/networks', { network: body });
  for (const name of ['net', 'netFull', 'netJson', 'netBelow', 'netNotVm', 'netLong'])
    s.get(`get/${name}`, `/networks/{{${name}}}`);
  s.get('get/json', '/networks/{{netFull}}', { as: 'json' });
  s.get('get/below', '/datacenters/{{dc}}/networks/{{net}}');
  for (const part of ['permissions', 'vnicprofiles', 'networklabels'])
    s.both(`parts/${part}`, `/networks/{{net}}/${part}`);
  s.get('follow', '/networks/{{net}}?follow=vnic_profiles,permissions,network_labels,data_center');
  for (const [name, body] of Object.entries({
    description: { description: 'changed' },
    mtu: { mtu: 2000 },
    vlan: { vlan: { id: 110 } },
    'vlan-off': { vlan: null },
    'usages-off': { usages: null },
    'usages-on': { usages: { usage: ['vm'] } },
    rename: { name: 'dx_net_json2' },
    'rename-duplicate': { name: 'dx_net' },
    stp: { stp: true },
    'port-isolation': { port_isolation: true },
    'other-dc': { data_center: { id: '{{dcFull}}' } },
    dns: { dns_resolver_configuration: { name_servers: { name_server: ['192.0.2.9'] } } },
    'dns-off': { dns_resolver_configuration: null },
    'vlan-taken': { vlan: { id: 100 } },
  }))
    s.put(
      `update/${name}`,
      '/networks/{{netJson}}',
      { network: body },
      { as: name === 'mtu' ? 'json' : 'xml' },
    );

  // Labels.
  s.post(
    'labels/add',
    '/networks/{{netFull}}/networklabels',
    { network_label: { id: 'dx_label' } },
    { capture: { netLabel: 'id' } },
  );
  s.post('labels/add-second', '/networks/{{netFull}}/networklabels', {
    network_label: { id: 'dx_label2' },
  });
  s.post('labels/add-nothing', '/networks/{{netNoProfile}}/networklabels', { network_label: null });
  s.post('labels/add-characters', '/networks/{{netNoProfile}}/networklabels', {
    network_label: { id: 'dx label !' },
  });
  s.both('labels', '/networks/{{netFull}}/networklabels');
  s.both('labels/get', '/networks/{{netFull}}/networklabels/{{netLabel}}');
  s.del('labels/remove', '/networks/{{netFull}}/networklabels/{{netLabel}}');
  s.del('labels/remove-again', '/networks/{{netFull}}/networklabels/{{netLabel}}');

  // vNIC profiles.
  s.get('profiles/of-network', '/networks/{{net}}/vnicprofiles', {
    capture: { profile: named('dx_net') },
  });
  s.post(
    'profiles/add',
    '/vnicprofiles',
    { vnic_profile: { name: 'dx_profile', network: { id: '{{net}}' } } },
    { capture: { profile2: 'id' } },
  );
  s.post(
    'profiles/add-full',
    '/vnicprofiles',
    {
      vnic_profile: {
        name: 'dx_profile_full',
        description: 'described',
        comment: 'commented',
        network: { id: '{{net}}' },
        port_mirroring: true,
        qos: { id: '{{qos:network}}' },
        network_filter: { id: '{{filterClean}}' },
        custom_properties: { custom_property: [{ name: 'queues', value: '2' }] },
      },
    },
    { as: 'json', capture: { profileFull: 'id' } },
  );
  s.post(
    'profiles/add-passthrough',
    '/networks/{{net}}/vnicprofiles',
    {
      vnic_profile: {
        name: 'dx_profile_pass',
        pass_through: { mode: 'enabled' },
        migratable: true,
        failover: { id: '{{profile}}' },
      },
    },
    { capture: { profilePass: 'id' } },
  );
  s.post(
    'profiles/add-no-filter',
    '/networks/{{net}}/vnicprofiles',
    { vnic_profile: { name: 'dx_profile_nofilter', network_filter: null } },
    { capture: { profileNoFilter: 'id' } },
  );
  for (const [name, body] of Object.entries({
    nothing: {},
    'no-network': { name: 'dx_p_x' },
    'no-name': { network: { id: '{{net}}' } },
    duplicate: { name: 'dx_profile', network: { id: '{{net}}' } },
    'unknown-network': { name: 'dx_p_x', network: { id: unknown } },
    'network-by-name': { name: 'dx_p_byname', network: { name: 'dx_net' } },
    'not-vm': { name: 'dx_p_x', network: { id: '{{netNotVm}}' } },
    'unknown-filter': {
      name: 'dx_p_x',
      network: { id: '{{net}}' },
      network_filter: { id: unknown },
    },
    'pass-and-mirroring': {
      name: 'dx_p_x',
      network: { id: '{{net}}' },
      pass_through: { mode: 'enabled' },
      port_mirroring: true,
    },
    'unknown-property': {
      name: 'dx_p_x',
      network: { id: '{{net}}' },
      custom_properties: { custom_property: [{ name: 'nonsense', value: '1' }] },
    },
    'bad-property-value': {
      name: 'dx_p_x',
      network: { id: '{{net}}' },
      custom_properties: { custom_property: [{ name: 'queues', value: 'abc' }] },
    },
  }))
    s.postAndRemove(`profiles/bad-${name}`, '/vnicprofiles', { vnic_profile: body });
  for (const name of ['profile', 'profile2', 'profileFull', 'profilePass', 'profileNoFilter'])
    s.get(`profiles/get-${name}`, `/vnicprofiles/{{${name}}}`);
  s.get('profiles/get-json', '/vnicprofiles/{{profileFull}}', { as: 'json' });
  s.get('profiles/get-below', '/networks/{{net}}/vnicprofiles/{{profile}}');
  s.both('profiles/permissions', '/vnicprofiles/{{profile}}/permissions');
  s.get('profiles/follow', '/vnicprofiles/{{profile}}?follow=network,permissions,network_filter');
  for (const [name, body] of Object.entries({
    name: { name: 'dx_profile_renamed' },
    mirroring: { port_mirroring: true },
    'mirroring-off': { port_mirroring: false },
    filter: { network_filter: { id: '{{filterClean}}' } },
    'filter-off': { network_filter: null },
    qos: { qos: { id: '{{qos:network}}' } },
    'qos-off': { qos: null },
    network: { network: { id: '{{netFull}}' } },
    'pass-through': { pass_through: { mode: 'enabled' } },
    migratable: { migratable: false },
    properties: { custom_properties: { custom_property: [{ name: 'queues', value: '4' }] } },
    'properties-off': { custom_properties: null },
  }))
    s.put(`profiles/update-${name}`, '/vnicprofiles/{{profile2}}', { vnic_profile: body });
  s.del('profiles/remove', '/vnicprofiles/{{profilePass}}');
  s.del('profiles/remove-below', '/networks/{{net}}/vnicprofiles/{{profileNoFilter}}');
  s.both('profiles', '/vnicprofiles');

  // Networks of a cluster.
  s.post(
    'cluster/attach',
    '/clusters/{{cluster}}/networks',
    { network: { id: '{{net}}', required: false } },
    { capture: { clusterNet: 'id' } },
  );
  s.post(
    'cluster/attach-by-name',
    '/clusters/{{cluster}}/networks',
    {
      network: {
        name: 'dx_net_full',
        required: true,
        usages: { usage: ['vm', 'display', 'migration'] },
      },
    },
    { as: 'json' },
  );
  s.post('cluster/attach-again', '/clusters/{{cluster}}/networks', { network: { id: '{{net}}' } });
  s.post('cluster/attach-nothing', '/clusters/{{cluster}}/networks', { network: null });
  s.post('cluster/attach-unknown', '/clusters/{{cluster}}/networks', { network: { id: unknown } });
  s.post('cluster/attach-unknown-name', '/clusters/{{cluster}}/networks', {
    network: { name: 'dx_no_net' },
  });
  s.post('cluster/attach-other-dc', '/clusters/{{defaultCluster}}/networks', {
    network: { id: '{{net}}' },
  });
  s.both('cluster/list', '/clusters/{{cluster}}/networks');
  s.both('cluster/get', '/clusters/{{cluster}}/networks/{{net}}');
  for (const [name, body] of Object.entries({
    required: { required: true },
    'not-required': { required: false },
    usages: { usages: { usage: ['vm', 'migration'] } },
    display: { display: true },
    gluster: { usages: { usage: ['vm', 'gluster'] } },
    'default-route': { usages: { usage: ['vm', 'default_route'] } },
    management: { usages: { usage: ['management', 'vm'] } },
    description: { description: 'x' },
  }))
    s.put(`cluster/update-${name}`, '/clusters/{{cluster}}/networks/{{net}}', { network: body });
  s.get('cluster/management', '/clusters/{{cluster}}/networks', {
    capture: { clusterMgmt: named('ovirtmgmt') },
  });
  s.del('cluster/detach-management', '/clusters/{{cluster}}/networks/{{clusterMgmt}}');
  s.del('cluster/detach', '/clusters/{{cluster}}/networks/{{netFull}}');
  s.del('cluster/detach-again', '/clusters/{{cluster}}/networks/{{netFull}}');
  s.post('cluster/attach-below-dc', '/datacenters/{{dc}}/clusters/{{cluster}}/networks', {
    network: { id: '{{netFull}}', required: false },
  });
  s.get('cluster/list-after', '/clusters/{{cluster}}/networks');

  // iSCSI bonds.
  s.post(
    'iscsibonds/add',
    '/datacenters/{{dc}}/iscsibonds',
    {
      iscsi_bond: {
        name: 'dx_bond',
        description: 'described',
        networks: { network: [{ id: '{{netNotVm}}' }] },
      },
    },
    { capture: { iscsiBond: 'id' } },
  );
  s.post('iscsibonds/add-nothing', '/datacenters/{{dc}}/iscsibonds', { iscsi_bond: null });
  s.post('iscsibonds/duplicate', '/datacenters/{{dc}}/iscsibonds', {
    iscsi_bond: { name: 'dx_bond' },
  });
  s.both('iscsibonds/get', '/datacenters/{{dc}}/iscsibonds/{{iscsiBond}}');
  s.put('iscsibonds/update', '/datacenters/{{dc}}/iscsibonds/{{iscsiBond}}', {
    iscsi_bond: { description: 'changed' },
  });
  s.post('iscsibonds/networks/add', '/datacenters/{{dc}}/iscsibonds/{{iscsiBond}}/networks', {
    network: { id: '{{netNoProfile}}' },
  });
  s.both('iscsibonds/networks', '/datacenters/{{dc}}/iscsibonds/{{iscsiBond}}/networks');
  s.get(
    'iscsibonds/networks/get',
    '/datacenters/{{dc}}/iscsibonds/{{iscsiBond}}/networks/{{netNotVm}}',
  );
  s.del(
    'iscsibonds/networks/remove',
    '/datacenters/{{dc}}/iscsibonds/{{iscsiBond}}/networks/{{netNoProfile}}',
  );
  s.get(
    'iscsibonds/connections',
    '/datacenters/{{dc}}/iscsibonds/{{iscsiBond}}/storageserverconnections',
  );
  s.both('iscsibonds', '/datacenters/{{dc}}/iscsibonds');
  s.del('iscsibonds/remove', '/datacenters/{{dc}}/iscsibonds/{{iscsiBond}}');

  for (const search of [
    'name=dx_net',
    'name=dx*',
    'vlanid=100',
    'mtu=9000',
    'mtu>1000',
    'stp=true',
    'vmnetwork=false',
    'datacenter=dx_dc',
    'label=dx_label2',
    'provider_name=x',
    'qos_name=x',
    'Cluster_network.cluster_name=dx_cluster',
    'sortby vlanid desc',
    'description=described',
  ])
    s.get(`search/${search}`, `/networks?search=${encodeURIComponent(search)}`, {
      topic: 'search of networks',
    });
  s.del('remove', '/networks/{{netBelow}}');
  s.del('remove-below', '/datacenters/{{dc}}/networks/{{netLong}}');
  s.del('remove-again', '/networks/{{netBelow}}');
  s.get('management/of-dc', '/datacenters/{{dc}}/networks', {
    capture: { dcMgmt: named('ovirtmgmt') },
  });
  s.del('remove-management', '/networks/{{dcMgmt}}');
  s.put('management/update', '/networks/{{dcMgmt}}', {
    network: { description: 'changed', mtu: 1500 },
  });
  s.both('list', '/networks');
}
