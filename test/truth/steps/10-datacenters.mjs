// Data centers, their QoS and quotas, clusters and their subcollections without hosts.
import { first, named } from '../lib/session.mjs';

const unknown = '99999999-2222-3333-4444-555555555555';

export default function define(s) {
  const version = { major: '{{major}}', minor: '{{minor}}' };
  s.post(
    'add',
    '/datacenters',
    { data_center: { name: 'dx_dc', local: false, version } },
    { capture: { dc: 'id' } },
  );
  s.post(
    'add-full',
    '/datacenters',
    {
      data_center: {
        name: 'dx_dc_full',
        description: 'described',
        comment: 'commented',
        local: false,
        quota_mode: 'audit',
        storage_format: 'v5',
        version,
        mac_pool: { id: '{{macPool}}' },
      },
    },
    { as: 'json', capture: { dcFull: 'id' } },
  );
  s.post(
    'add-local',
    '/datacenters',
    { data_center: { name: 'dx_dc_local', local: true, version } },
    { capture: { dcLocal: 'id' } },
  );
  s.post(
    'add-old',
    '/datacenters',
    { data_center: { name: 'dx_dc_old', local: false, version: { major: 4, minor: 4 } } },
    { capture: { dcOld: 'id' } },
  );
  s.post(
    'add-without-version',
    '/datacenters',
    { data_center: { name: 'dx_dc_noversion', local: false } },
    { capture: { dcNoVersion: 'id' } },
  );
  for (const [name, body] of Object.entries({
    'without-local': { name: 'dx_dc_x' },
    'without-name': { local: false },
    'old-version': { name: 'dx_dc_x', local: false, version: { major: 3, minor: 6 } },
    'future-version': { name: 'dx_dc_x', local: false, version: { major: 9, minor: 9 } },
    'version-without-minor': { name: 'dx_dc_x', local: false, version: { major: 4 } },
    'storage-type': { name: 'dx_dc_x', storage_type: 'nfs' },
    blank: { name: 'dx dc', local: false },
    umlaut: { name: 'dx_däta', local: false },
    long: { name: `dx_${'d'.repeat(50)}`, local: false },
    empty: { name: '', local: false },
    duplicate: { name: 'dx_dc', local: false },
    'quota-mode': { name: 'dx_dc_x', local: false, quota_mode: 'nonsense' },
  }))
    s.postAndRemove(`bad/${name}`, '/datacenters', { data_center: body });
  s.both('get', '/datacenters/{{dcFull}}');
  for (const part of [
    'storagedomains',
    'clusters',
    'networks',
    'permissions',
    'quotas',
    'qoss',
    'iscsibonds',
  ])
    s.both(`parts/${part}`, `/datacenters/{{dc}}/${part}`);
  s.get('follow', '/datacenters/{{dc}}?follow=networks.vnic_profiles,quotas,clusters,mac_pool');
  s.put('update', '/datacenters/{{dc}}', {
    data_center: { description: 'changed', comment: 'changed' },
  });
  s.put(
    'update/json',
    '/datacenters/{{dcFull}}',
    { data_center: { quota_mode: 'enabled', name: 'dx_dc_renamed' } },
    { as: 'json' },
  );
  s.put('update/back', '/datacenters/{{dcFull}}', {
    data_center: { quota_mode: 'disabled', name: 'dx_dc_full' },
  });
  s.put('update/local', '/datacenters/{{dcFull}}', { data_center: { local: true } });
  s.put('update/version-down', '/datacenters/{{dc}}', {
    data_center: { version: { major: 4, minor: 3 } },
  });
  s.put('update/version-up', '/datacenters/{{dcOld}}', {
    data_center: { version: { major: 4, minor: 6 } },
  });
  s.put('update/duplicate', '/datacenters/{{dcFull}}', { data_center: { name: 'dx_dc' } });
  s.put('update/status', '/datacenters/{{dc}}', { data_center: { status: 'up' } });
  s.act('setmaster/nothing', '/datacenters/{{dc}}/setmaster');
  s.act('setmaster/unknown', '/datacenters/{{dc}}/setmaster', { storage_domain: { id: unknown } });
  s.act('cleanfinishedtasks', '/datacenters/{{dc}}/cleanfinishedtasks');
  for (const search of [
    'name=dx_dc',
    'name=dx*',
    'status=uninitialized',
    'local=true',
    'local=perhaps',
    'compatibility_version=4.4',
    'Clusters.name=Default',
    'sortby name desc',
    'sortby nonsense',
    'name=dx_dc or name=Default',
    'name!=Default',
    '',
  ])
    s.get(`search/${search}`, `/datacenters?search=${encodeURIComponent(search)}`, {
      topic: 'search of datacenters',
    });

  // Quality of service, each kind.
  const qos = {
    storage: { max_throughput: 10, max_iops: 100 },
    storageParts: {
      max_read_throughput: 5,
      max_write_throughput: 6,
      max_read_iops: 7,
      max_write_iops: 8,
    },
    cpu: { cpu_limit: 50 },
    network: {
      inbound_average: 10,
      inbound_peak: 20,
      inbound_burst: 100,
      outbound_average: 10,
      outbound_peak: 20,
      outbound_burst: 100,
    },
    hostnetwork: {
      outbound_average_linkshare: 10,
      outbound_average_upperlimit: 100,
      outbound_average_realtime: 5,
    },
  };
  for (const [name, members] of Object.entries(qos))
    s.post(
      `qos/add-${name}`,
      '/datacenters/{{dc}}/qoss',
      {
        qos: {
          name: `dx_qos_${name.toLowerCase()}`,
          description: 'described',
          type: name.replace('Parts', ''),
          ...members,
        },
      },
      { capture: { [`qos:${name}`]: 'id' }, as: name === 'cpu' ? 'json' : 'xml' },
    );
  for (const [name, body] of Object.entries({
    nothing: {},
    'no-type': { name: 'dx_qos_x' },
    'no-values': { name: 'dx_qos_x', type: 'storage' },
    mixed: { name: 'dx_qos_x', type: 'storage', max_throughput: 10, max_read_throughput: 5 },
    'wrong-kind': { name: 'dx_qos_x', type: 'cpu', max_iops: 10 },
    'too-much-cpu': { name: 'dx_qos_x', type: 'cpu', cpu_limit: 101 },
    'part-of-network': { name: 'dx_qos_x', type: 'network', inbound_average: 10 },
    negative: { name: 'dx_qos_x', type: 'storage', max_iops: -1 },
    duplicate: { name: 'dx_qos_cpu', type: 'cpu', cpu_limit: 10 },
    nonsense: { name: 'dx_qos_x', type: 'nonsense' },
  }))
    s.postAndRemove(`qos/bad-${name}`, '/datacenters/{{dc}}/qoss', { qos: body });
  s.both('qos', '/datacenters/{{dc}}/qoss');
  for (const name of Object.keys(qos))
    s.get(`qos/get-${name}`, `/datacenters/{{dc}}/qoss/{{qos:${name}}}`);
  s.put('qos/update', '/datacenters/{{dc}}/qoss/{{qos:storage}}', {
    qos: { max_iops: 200, description: 'changed' },
  });
  s.put('qos/update-type', '/datacenters/{{dc}}/qoss/{{qos:storage}}', {
    qos: { type: 'cpu', cpu_limit: 10 },
  });
  s.del('qos/remove', '/datacenters/{{dc}}/qoss/{{qos:storageParts}}');
  s.del('qos/remove-again', '/datacenters/{{dc}}/qoss/{{qos:storageParts}}');

  // Clusters.
  s.post(
    'clusters/add',
    '/clusters',
    {
      cluster: {
        name: 'dx_cluster',
        cpu: { type: '{{cpuType}}' },
        data_center: { id: '{{dc}}' },
        version,
      },
    },
    { capture: { cluster: 'id' } },
  );
  s.post(
    'clusters/add-full',
    '/clusters',
    {
      cluster: {
        name: 'dx_cluster_full',
        description: 'described',
        comment: 'commented',
        cpu: { type: '{{cpuType}}', architecture: 'x86_64' },
        data_center: { name: 'dx_dc' },
        version,
        ballooning_enabled: true,
        bios_type: 'q35_sea_bios',
        custom_scheduling_policy_properties: {
          property: [{ name: 'HighUtilization', value: '75' }],
        },
        display: { proxy: 'http://proxy.example.com:3128' },
        error_handling: { on_error: 'migrate_highly_available' },
        fencing_policy: {
          enabled: true,
          skip_if_connectivity_broken: { enabled: true, threshold: 40 },
          skip_if_sd_active: { enabled: true },
          skip_if_gluster_bricks_up: true,
          skip_if_gluster_quorum_not_met: true,
        },
        firewall_type: 'firewalld',
        gluster_service: false,
        ha_reservation: true,
        ksm: { enabled: true, merge_across_nodes: false },
        log_max_memory_used_threshold: 90,
        log_max_memory_used_threshold_type: 'percentage',
        maintenance_reason_required: true,
        optional_reason: true,
        memory_policy: { over_commit: { percent: 150 }, transparent_hugepages: { enabled: true } },
        migration: {
          auto_converge: 'true',
          compressed: 'true',
          encrypted: 'false',
          bandwidth: { assignment_method: 'custom', custom_value: 100 },
          policy: { id: '80554327-0569-496b-bdeb-fcbbf52b827b' },
          parallel_migrations_policy: 'disabled',
        },
        required_rng_sources: { required_rng_source: ['hwrng'] },
        scheduling_policy: { id: '{{policyEven}}' },
        serial_number: { policy: 'vm' },
        switch_type: 'legacy',
        threads_as_cores: true,
        trusted_service: false,
        tunnel_migration: true,
        virt_service: true,
        vnc_encryption: false,
        fips_mode: 'disabled',
        mac_pool: { id: '{{macPool}}' },
      },
    },
    { capture: { clusterFull: 'id' } },
  );
  s.post(
    'clusters/add-json',
    '/clusters',
    {
      cluster: {
        name: 'dx_cluster_json',
        data_center: { id: '{{dc}}' },
        cpu: { type: '{{cpuType}}' },
        version,
        scheduling_policy: { name: 'evenly_distributed' },
        memory_policy: { over_commit: { percent: 200 } },
      },
    },
    { as: 'json', capture: { clusterJson: 'id' } },
  );
  s.post(
    'clusters/add-below-dc',
    '/datacenters/{{dc}}/clusters',
    { cluster: { name: 'dx_cluster_below', cpu: { type: '{{cpuType}}' } } },
    { capture: { clusterBelow: 'id' } },
  );
  s.post(
    'clusters/add-without-cpu',
    '/clusters',
    { cluster: { name: 'dx_cluster_nocpu', data_center: { id: '{{dc}}' } } },
    { capture: { clusterNoCpu: 'id' } },
  );
  s.post(
    'clusters/add-gluster',
    '/clusters',
    {
      cluster: {
        name: 'dx_cluster_gluster',
        data_center: { id: '{{dc}}' },
        cpu: { type: '{{cpuType}}' },
        version,
        virt_service: true,
        gluster_service: true,
      },
    },
    { capture: { clusterGluster: 'id' } },
  );
  s.post(
    'clusters/add-ppc',
    '/clusters',
    {
      cluster: {
        name: 'dx_cluster_ppc',
        data_center: { id: '{{dc}}' },
        cpu: { architecture: 'ppc64', type: 'IBM POWER8' },
        version,
      },
    },
    { capture: { clusterPpc: 'id' } },
  );
  for (const [name, body] of Object.entries({
    nothing: {},
    'no-name': { data_center: { id: '{{dc}}' } },
    'no-dc': { name: 'dx_cluster_x' },
    'unknown-dc': { name: 'dx_cluster_x', data_center: { id: unknown } },
    'unknown-dc-name': { name: 'dx_cluster_x', data_center: { name: 'dx_no_dc' } },
    'dc-not-a-uuid': { name: 'dx_cluster_x', data_center: { id: 'nonsense' } },
    'unknown-cpu': {
      name: 'dx_cluster_x',
      data_center: { id: '{{dc}}' },
      cpu: { type: 'Intel Nonsense Family' },
    },
    'cpu-and-architecture': {
      name: 'dx_cluster_x',
      data_center: { id: '{{dc}}' },
      cpu: { type: '{{cpuType}}', architecture: 's390x' },
    },
    'no-service': {
      name: 'dx_cluster_x',
      data_center: { id: '{{dc}}' },
      virt_service: false,
      gluster_service: false,
    },
    'version-below-dc': {
      name: 'dx_cluster_x',
      data_center: { id: '{{dc}}' },
      version: { major: 4, minor: 3 },
    },
    'version-unknown': {
      name: 'dx_cluster_x',
      data_center: { id: '{{dc}}' },
      version: { major: 9, minor: 9 },
    },
    'overcommit-negative': {
      name: 'dx_cluster_x',
      data_center: { id: '{{dc}}' },
      cpu: { type: '{{cpuType}}' },
      memory_policy: { over_commit: { percent: -5 } },
    },
    'unknown-policy': {
      name: 'dx_cluster_x',
      data_center: { id: '{{dc}}' },
      scheduling_policy: { id: unknown },
    },
    'unknown-macpool': {
      name: 'dx_cluster_x',
      data_center: { id: '{{dc}}' },
      mac_pool: { id: unknown },
    },
    'unknown-migration-policy': {
      name: 'dx_cluster_x',
      data_center: { id: '{{dc}}' },
      migration: { policy: { id: unknown } },
    },
    'serial-custom-without-value': {
      name: 'dx_cluster_x',
      data_center: { id: '{{dc}}' },
      serial_number: { policy: 'custom' },
    },
    'bandwidth-custom-without-value': {
      name: 'dx_cluster_x',
      data_center: { id: '{{dc}}' },
      migration: { bandwidth: { assignment_method: 'custom' } },
    },
    'switch-ovs': {
      name: 'dx_cluster_x',
      data_center: { id: '{{dc}}' },
      cpu: { type: '{{cpuType}}' },
      switch_type: 'ovs',
    },
    'proxy-nonsense': {
      name: 'dx_cluster_x',
      data_center: { id: '{{dc}}' },
      display: { proxy: 'not a url' },
    },
    duplicate: { name: 'dx_cluster', data_center: { id: '{{dc}}' } },
    blank: { name: 'dx cluster', data_center: { id: '{{dc}}' } },
    long: { name: `dx_${'c'.repeat(50)}`, data_center: { id: '{{dc}}' } },
    'unknown-management-network': {
      name: 'dx_cluster_x',
      data_center: { id: '{{dc}}' },
      management_network: { name: 'dx_no_net' },
    },
    'unknown-external-provider': {
      name: 'dx_cluster_x',
      data_center: { id: '{{dc}}' },
      external_network_providers: { external_provider: [{ name: 'dx_no_provider' }] },
    },
  }))
    s.postAndRemove(`clusters/bad-${name}`, '/clusters', { cluster: body });
  s.both('clusters/get', '/clusters/{{cluster}}');
  s.both('clusters/get-full', '/clusters/{{clusterFull}}');
  for (const part of [
    'affinitygroups',
    'cpuprofiles',
    'networks',
    'permissions',
    'glusterhooks',
    'glustervolumes',
    'networkfilters',
    'enabledfeatures',
    'externalnetworkproviders',
  ])
    s.get(`clusters/parts/${part}`, `/clusters/{{cluster}}/${part}`);
  s.get(
    'clusters/follow',
    '/clusters/{{cluster}}?follow=data_center,cpu_profiles,networks,mac_pool,scheduling_policy,permissions.role',
  );
  s.get('clusters/networkfilters/get', '/clusters/{{cluster}}/networkfilters/{{filterSpoof}}');
  const updates = {
    description: { description: 'changed' },
    comment: { comment: 'changed' },
    ballooning: { ballooning_enabled: false },
    'on-error': { error_handling: { on_error: 'do_not_migrate' } },
    ksm: { ksm: { enabled: false } },
    overcommit: { memory_policy: { over_commit: { percent: 120 } } },
    hugepages: { memory_policy: { transparent_hugepages: { enabled: false } } },
    'migration-bandwidth': {
      migration: { bandwidth: { assignment_method: 'hypervisor_default' } },
    },
    'migration-legacy': { migration: { auto_converge: 'inherit', compressed: 'inherit' } },
    'parallel-migrations': {
      migration: { parallel_migrations_policy: 'custom', custom_parallel_migrations: 4 },
    },
    policy: { scheduling_policy: { id: '{{policyNone}}' } },
    threads: { threads_as_cores: true },
    'vnc-encryption': { vnc_encryption: true },
    fips: { fips_mode: 'enabled' },
    serial: { serial_number: { policy: 'custom', value: 'dx-serial' } },
    'serial-none': { serial_number: { policy: 'none' } },
    'bios-type': { bios_type: 'i440fx_sea_bios' },
    rng: { required_rng_sources: { required_rng_source: ['hwrng', 'urandom'] } },
    'rng-none': { required_rng_sources: null },
    threshold: {
      log_max_memory_used_threshold: 50,
      log_max_memory_used_threshold_type: 'absolute_value_in_mb',
    },
    firewall: { firewall_type: 'iptables' },
    'fencing-off': { fencing_policy: { enabled: false } },
    'ha-reservation': { ha_reservation: true },
    'tunnel-migration': { tunnel_migration: true },
    macpool: { mac_pool: { id: '{{macPool}}' } },
    'policy-properties': {
      custom_scheduling_policy_properties: { property: [{ name: 'HighUtilization', value: '60' }] },
    },
    'unknown-policy-property': {
      custom_scheduling_policy_properties: { property: [{ name: 'Nonsense', value: '60' }] },
    },
    'display-proxy': { display: { proxy: 'http://proxy2.example.com:3128' } },
    'version-down': { version: { major: 4, minor: 4 } },
    'cpu-type': { cpu: { type: 'Intel Westmere Family' } },
    'cpu-back': { cpu: { type: '{{cpuType}}' } },
    'other-dc': { data_center: { id: '{{dcFull}}' } },
    'switch-type': { switch_type: 'ovs' },
    rename: { name: 'dx_cluster_renamed' },
    'rename-duplicate': { name: 'dx_cluster' },
    'upgrade-percent': { upgrade_percent_complete: 50 },
    'gluster-tuned-profile': { gluster_tuned_profile: 'virtual-host' },
  };
  for (const [name, body] of Object.entries(updates))
    s.put(`clusters/update-${name}`, '/clusters/{{clusterJson}}', { cluster: body });
  s.put(
    'clusters/update-json',
    '/clusters/{{clusterBelow}}',
    {
      cluster: {
        ksm: { enabled: 'true', merge_across_nodes: 'false' },
        memory_policy: { over_commit: { percent: '130' } },
      },
    },
    { as: 'json' },
  );
  s.act('clusters/resetemulatedmachine', '/clusters/{{cluster}}/resetemulatedmachine');
  s.act('clusters/syncallnetworks', '/clusters/{{cluster}}/syncallnetworks');
  s.act('clusters/refreshglusterhealstatus', '/clusters/{{cluster}}/refreshglusterhealstatus');
  for (const action of ['start', 'update_progress', 'finish', 'nonsense'])
    s.act(`clusters/upgrade-${action}`, '/clusters/{{cluster}}/upgrade', {
      upgrade_action: action,
      correlation_id: 'dx-upgrade',
      upgrade_percent_complete: 50,
    });
  s.act('clusters/upgrade-nothing', '/clusters/{{cluster}}/upgrade');
  s.get('clusters/after-upgrade', '/clusters/{{cluster}}');
  s.post(
    'clusters/features/add',
    '/clusters/{{cluster}}/enabledfeatures',
    { cluster_feature: { id: '{{feature:4.7}}' } },
    { capture: { enabledFeature: 'id' } },
  );
  s.post('clusters/features/add-nothing', '/clusters/{{cluster}}/enabledfeatures', {
    cluster_feature: null,
  });
  s.get('clusters/features', '/clusters/{{cluster}}/enabledfeatures');
  s.get('clusters/features/get', '/clusters/{{cluster}}/enabledfeatures/{{feature:4.7}}');
  s.del('clusters/features/remove', '/clusters/{{cluster}}/enabledfeatures/{{feature:4.7}}');
  for (const search of [
    'name=dx_cluster',
    'name=dx*',
    'architecture=x86_64',
    'cpu_type=*Nehalem*',
    'compatibility_level=4.7',
    'datacenter.name=dx_dc',
    'datacenter=dx_dc',
    'cluster_network.network_name=ovirtmgmt',
    'sortby name',
    'sortby cpu_type desc',
    'description=changed',
  ])
    s.get(`clusters/search/${search}`, `/clusters?search=${encodeURIComponent(search)}`, {
      topic: 'search of clusters',
    });

  // CPU profiles.
  s.get('cpuprofiles/of-cluster', '/clusters/{{cluster}}/cpuprofiles', {
    capture: { clusterCpuProfile: first },
  });
  s.post(
    'cpuprofiles/add',
    '/cpuprofiles',
    {
      cpu_profile: {
        name: 'dx_cpu_profile',
        description: 'described',
        cluster: { id: '{{cluster}}' },
        qos: { id: '{{qos:cpu}}' },
      },
    },
    { capture: { cpuProfile: 'id' } },
  );
  s.post(
    'cpuprofiles/add-below',
    '/clusters/{{cluster}}/cpuprofiles',
    { cpu_profile: { name: 'dx_cpu_profile_below' } },
    { as: 'json', capture: { cpuProfileBelow: 'id' } },
  );
  for (const [name, body] of Object.entries({
    nothing: {},
    'no-cluster': { name: 'dx_cp_x' },
    'no-name': { cluster: { id: '{{cluster}}' } },
    'cluster-by-name': { name: 'dx_cp_byname', cluster: { name: 'dx_cluster' } },
    'unknown-cluster': { name: 'dx_cp_x', cluster: { id: unknown } },
    'unknown-qos': { name: 'dx_cp_x', cluster: { id: '{{cluster}}' }, qos: { id: unknown } },
    duplicate: { name: 'dx_cpu_profile', cluster: { id: '{{cluster}}' } },
  }))
    s.postAndRemove(`cpuprofiles/bad-${name}`, '/cpuprofiles', { cpu_profile: body });
  s.both('cpuprofiles/get', '/cpuprofiles/{{cpuProfile}}');
  s.get('cpuprofiles/get-below', '/clusters/{{cluster}}/cpuprofiles/{{cpuProfile}}');
  s.get('cpuprofiles/permissions', '/cpuprofiles/{{cpuProfile}}/permissions');
  s.get('cpuprofiles/follow', '/cpuprofiles/{{cpuProfile}}?follow=cluster,qos,permissions');
  s.put('cpuprofiles/update', '/cpuprofiles/{{cpuProfileBelow}}', {
    cpu_profile: { description: 'changed', qos: { id: '{{qos:cpu}}' } },
  });
  s.put('cpuprofiles/update-qos-none', '/cpuprofiles/{{cpuProfileBelow}}', {
    cpu_profile: { qos: null },
  });
  s.put('cpuprofiles/update-cluster', '/cpuprofiles/{{cpuProfileBelow}}', {
    cpu_profile: { cluster: { id: '{{clusterFull}}' } },
  });
  s.del('cpuprofiles/remove', '/cpuprofiles/{{cpuProfileBelow}}');
  s.del('cpuprofiles/remove-last', '/cpuprofiles/{{clusterCpuProfile}}');
  s.both('cpuprofiles/list', '/clusters/{{cluster}}/cpuprofiles');
  s.del('qos/remove-in-use', '/datacenters/{{dc}}/qoss/{{qos:cpu}}');

  // Quotas.
  s.post(
    'quotas/add',
    '/datacenters/{{dc}}/quotas',
    { quota: { name: 'dx_quota', description: 'described' } },
    { capture: { quota: 'id' } },
  );
  s.post(
    'quotas/add-full',
    '/datacenters/{{dc}}/quotas',
    {
      quota: {
        name: 'dx_quota_full',
        description: 'described',
        cluster_hard_limit_pct: 15,
        cluster_soft_limit_pct: 70,
        storage_hard_limit_pct: 25,
        storage_soft_limit_pct: 60,
      },
    },
    { as: 'json', capture: { quotaFull: 'id' } },
  );
  s.post('quotas/duplicate', '/datacenters/{{dc}}/quotas', { quota: { name: 'dx_quota' } });
  s.post('quotas/nothing', '/datacenters/{{dc}}/quotas', { quota: null });
  s.post('quotas/pct', '/datacenters/{{dc}}/quotas', {
    quota: { name: 'dx_quota_x', cluster_soft_limit_pct: 200 },
  });
  s.both('quotas/get', '/datacenters/{{dc}}/quotas/{{quotaFull}}');
  s.put('quotas/update', '/datacenters/{{dc}}/quotas/{{quota}}', {
    quota: { cluster_soft_limit_pct: 55, description: 'changed' },
  });
  s.post(
    'quotas/clusterlimits/add',
    '/datacenters/{{dc}}/quotas/{{quota}}/quotaclusterlimits',
    { quota_cluster_limit: { cluster: { id: '{{cluster}}' }, memory_limit: 10, vcpu_limit: 20 } },
    { capture: { quotaClusterLimit: 'id' } },
  );
  s.post(
    'quotas/clusterlimits/add-whole',
    '/datacenters/{{dc}}/quotas/{{quotaFull}}/quotaclusterlimits',
    { quota_cluster_limit: { memory_limit: '-1', vcpu_limit: '-1' } },
    { as: 'json', capture: { quotaClusterLimit2: 'id' } },
  );
  s.post(
    'quotas/clusterlimits/add-nothing',
    '/datacenters/{{dc}}/quotas/{{quota}}/quotaclusterlimits',
    { quota_cluster_limit: null },
  );
  s.both('quotas/clusterlimits', '/datacenters/{{dc}}/quotas/{{quota}}/quotaclusterlimits');
  s.both(
    'quotas/clusterlimits/get',
    '/datacenters/{{dc}}/quotas/{{quota}}/quotaclusterlimits/{{quotaClusterLimit}}',
  );
  s.del(
    'quotas/clusterlimits/remove',
    '/datacenters/{{dc}}/quotas/{{quota}}/quotaclusterlimits/{{quotaClusterLimit}}',
  );
  s.get('quotas/storagelimits', '/datacenters/{{dc}}/quotas/{{quota}}/quotastoragelimits');
  s.both('quotas/permissions', '/datacenters/{{dc}}/quotas/{{quota}}/permissions');
  s.both('quotas', '/datacenters/{{dc}}/quotas', { capture: { quotaDefault: named('Default') } });
  s.put('quotas/update-default', '/datacenters/{{dc}}/quotas/{{quotaDefault}}', {
    quota: { name: 'dx_changed' },
  });
  s.del('quotas/remove-default', '/datacenters/{{dc}}/quotas/{{quotaDefault}}');
  s.del('quotas/remove', '/datacenters/{{dc}}/quotas/{{quotaFull}}');

  // Removal.
  s.del('clusters/remove', '/clusters/{{clusterPpc}}');
  s.del('clusters/remove-again', '/clusters/{{clusterPpc}}');
  s.del('clusters/remove-below', '/datacenters/{{dc}}/clusters/{{clusterBelow}}');
  s.del('clusters/remove-nocpu', '/clusters/{{clusterNoCpu}}?async=true');
  s.post(
    'remove-with-cluster/cluster',
    '/clusters',
    {
      cluster: {
        name: 'dx_cluster_orphan',
        data_center: { id: '{{dcLocal}}' },
        cpu: { type: '{{cpuType}}' },
        version,
      },
    },
    { capture: { clusterOrphan: 'id' } },
  );
  s.del('remove-with-cluster', '/datacenters/{{dcLocal}}');
  s.get('remove-with-cluster/left', '/clusters/{{clusterOrphan}}');
  s.put('remove-with-cluster/adopt', '/clusters/{{clusterOrphan}}', {
    cluster: { data_center: { id: '{{dcFull}}' } },
  });
  s.del('remove-with-cluster/removal', '/clusters/{{clusterOrphan}}');
  s.del('remove', '/datacenters/{{dcOld}}');
  s.del('remove-again', '/datacenters/{{dcOld}}');
  s.del('remove-force', '/datacenters/{{dcNoVersion}}?force=true');
  s.del('macpool-in-use', '/macpools/{{macPool}}');
  s.both('list', '/datacenters');
  s.both('clusters', '/clusters');
}
