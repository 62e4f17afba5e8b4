/** Clusters of hosts, and their policies. */
import { asyncIgnored, byIdOrName, owned, view } from '../notation/collections.ts';
import { column, shortcut } from '../notation/commands.ts';
import { self, sent } from '../notation/permits.ts';
import { resource, structure } from '../notation/resource.ts';
import { field, related, step } from '../notation/search-terms.ts';

export const cluster = resource('cluster', {
  doc: 'Hosts that share CPU type, networks and policy, and between which virtual machines migrate.',
  identified: true,
  attributes: {
    name: { kind: 'string', mut: 'CU', doc: 'Unique in the system, at most 40 characters.' },
    description: { kind: 'string', mut: 'CU', default: '' },
    comment: { kind: 'string', mut: 'CU', default: '' },
    cpu: {
      kind: 'struct cpu',
      mut: 'CU',
      doc: 'The CPU that all its hosts offer, by type and architecture. The type is required on add.',
    },
    memory_policy: {
      kind: 'struct memory_policy',
      mut: 'CU',
      doc: 'No overcommitment (100 percent) and transparent huge pages, unless told otherwise.',
    },
    version: {
      kind: 'struct version',
      mut: 'CU',
      doc: 'At least the version of the data center, which is the default.',
    },
    error_handling: {
      kind: 'struct error_handling',
      mut: 'CU',
      doc: 'What becomes of virtual machines when a host fails; they migrate by default.',
    },
    virt_service: { kind: 'bool', mut: 'CU', default: true },
    vnc_encryption: { kind: 'bool', mut: 'CU', default: true },
    ballooning_enabled: { kind: 'bool', mut: 'CU', default: true },
    gluster_service: { kind: 'bool', mut: 'CU', default: false },
    threads_as_cores: { kind: 'bool', mut: 'CU', default: false },
    tunnel_migration: { kind: 'bool', mut: 'CU', default: false },
    trusted_service: { kind: 'bool', mut: 'CU', default: false },
    ha_reservation: { kind: 'bool', mut: 'CU', default: false },
    bios_type: {
      kind: 'enum bios_type',
      mut: 'CU',
      doc: 'Follows from the architecture when not given.',
    },
    optional_reason: {
      kind: 'bool',
      mut: 'CU',
      doc: 'Without effect since 4.4.',
    },
    maintenance_reason_required: {
      kind: 'bool',
      mut: 'CU',
      doc: 'Without effect since 4.4.',
    },
    display: { kind: 'struct display', mut: 'CU' },
    ksm: {
      kind: 'struct ksm',
      mut: 'CU',
      doc: 'Sharing of equal memory pages; on, across NUMA nodes, by default.',
    },
    serial_number: { kind: 'struct serial_number', mut: 'CU' },
    required_rng_sources: {
      kind: 'list enum rng_source',
      mut: 'CU',
      doc: 'Sources of randomness that every host must have. hwrng can be added to the one that is always there.',
    },
    fencing_policy: {
      kind: 'struct fencing_policy',
      mut: 'CU',
      doc: 'Whether silent hosts are fenced (on by default), and the conditions under which they are spared.',
    },
    migration: {
      kind: 'struct migration_options',
      mut: 'CU',
      doc: 'How virtual machines migrate. What is `inherit` is taken from the system.',
    },
    custom_scheduling_policy_properties: {
      kind: 'list struct property',
      mut: 'CU',
    },
    switch_type: {
      kind: 'enum switch_type',
      mut: 'C',
      default: 'legacy',
      doc: 'Cannot be changed once there are hosts.',
    },
    firewall_type: { kind: 'enum firewall_type', mut: 'CU', doc: 'firewalld by default.' },
    log_max_memory_used_threshold: { kind: 'int', mut: 'CU', default: 95 },
    log_max_memory_used_threshold_type: {
      kind: 'enum log_max_memory_used_threshold_type',
      mut: 'CU',
      default: 'percentage',
    },
    scheduling_policy: {
      kind: 'ref scheduling_policy',
      mut: 'CU',
      doc: 'The policy named none by default.',
    },
    data_center: {
      kind: 'ref data_center',
      mut: 'C',
      doc: 'By id or name. Once set, it stays.',
    },
    management_network: {
      kind: 'ref network',
      mut: 'C',
      doc: "By id or name; by default the data center's network named ovirtmgmt.",
    },
    external_network_providers: {
      kind: 'links external_provider',
      mut: 'CU',
      doc: 'Only the first counts.',
    },
    mac_pool: { kind: 'ref mac_pool', mut: 'CU', doc: 'The default pool when not given.' },
    gluster_tuned_profile: { kind: 'string', mut: 'CU' },
    fips_mode: { kind: 'enum fips_mode', mut: 'CU', default: 'undefined' },
    upgrade_in_progress: { kind: 'bool', mut: 'R', default: false },
    upgrade_percent_complete: { kind: 'int', mut: 'R', default: 0 },
    supported_versions: { kind: 'list struct version', mut: 'R' },
    enabled_features: { kind: 'links cluster_feature', mut: 'R' },
    affinity_groups: { kind: 'links affinity_group', mut: 'R' },
    cpu_profiles: { kind: 'links cpu_profile', mut: 'R' },
    gluster_hooks: { kind: 'links gluster_hook', mut: 'R' },
    gluster_volumes: { kind: 'links gluster_volume', mut: 'R' },
    network_filters: { kind: 'links network_filter', mut: 'R' },
    networks: { kind: 'links network', mut: 'R' },
    permissions: { kind: 'links permission', mut: 'R' },
    upgrade_correlation_id: { kind: 'string', mut: 'R' },
  },
  naming: { pattern: 'letters', max: 40, unique: 'service' },
  required: ['name', 'cpu.type', byIdOrName('data_center')],
  containedIn: ['data_center'],
  reachedFrom: ['vm', 'host', 'template', 'vm_pool'],
  operations: {
    add: { permit: sent('create_cluster', 'data_center'), job: 'Adding cluster {name}' },
    update: { permit: self('edit_cluster_configuration'), job: 'Editing cluster {name}' },
    remove: { permit: self('delete_cluster'), job: 'Removing cluster {name}' },
    refresh_gluster_heal_status: {
      permit: self('manipulate_gluster_volume'),
      job: 'none',
      harmless: true,
    },
    reset_emulated_machine: {
      permit: self('edit_cluster_configuration'),
      job: 'Resetting the emulated machine of cluster {name}',
    },
    sync_all_networks: {
      permit: self('configure_cluster_network'),
      job: 'Synchronizing the networks of cluster {name}',
    },
    upgrade: { permit: self('edit_cluster_configuration'), job: 'Upgrading cluster {name}' },
  },
  paths: {
    '/clusters/{cluster}': owned({
      list: ['case_sensitive', 'filter', 'follow', 'max', 'search'],
      add: [],
      get: ['filter', 'follow'],
      update: [asyncIgnored],
      remove: ['async'],
      actions: {
        refresh_gluster_heal_status: [],
        reset_emulated_machine: ['async'],
        sync_all_networks: ['async'],
        upgrade: ['async', 'correlation_id', 'upgrade_action', 'upgrade_percent_complete'],
      },
      withoutEffect: {
        refresh_gluster_heal_status:
          'no attribute shows what waits to be healed; it is refused where there is no Gluster',
        reset_emulated_machine:
          'no attribute shows the emulated machine of a cluster; it is refused while hosts are up',
      },
    }),
    '/datacenters/{datacenter}/clusters/{cluster}': view(
      { refersBy: 'data_center' },
      {
        list: ['case_sensitive', 'filter', 'follow', 'max', 'search'],
        add: [],
        get: ['filter', 'follow'],
        update: [asyncIgnored],
        remove: ['async'],
        actions: {
          refresh_gluster_heal_status: [],
          reset_emulated_machine: ['async'],
          sync_all_networks: ['async'],
          upgrade: ['async', 'correlation_id', 'upgrade_action', 'upgrade_percent_complete'],
        },
      },
    ),
  },
  search: {
    fields: {
      name: field.name,
      description: field.description,
      comment: field.comment,
      architecture: field.architecture,
      compatibility_level: { kind: 'text', path: 'version', as: 'version' },
      cpu_type: { kind: 'text', path: 'cpu.type' },
    },
    related: [
      { ...related.dataCenters, steps: [step.toDataCenter] },
      { ...related.storage, steps: [step.toDataCenter, step.toStorage] },
      { ...related.clusterNetworks, steps: [{ paired: 'cluster_network' }] },
    ],
  },
  definition: { writtenAt: ['/clusters'] },
  commands: {
    noun: 'clusters',
    aliases: ['cl'],
    group: 'compute',
    position: 30,
    doc: 'Clusters of hosts',
    columns: ['name', 'data_center.name', column('cpu', 'cpu.type'), 'version', 'description'],
    searchedByName: true,
    shortcuts: [
      shortcut('cpu-type', 'cpu.type', 'CPU family of the hosts.'),
      shortcut('compatibility-version', 'version', 'Compatibility level: 4.7.'),
      shortcut('over-commit', 'memory_policy.over_commit.percent', 'Memory in percent.'),
    ],
    verbs: {
      delete: { sample: { object: 'lab' } },
      'reset-emulated-machine': { sample: { object: 'lab' } },
      upgrade: {
        purpose: 'Begin or end the upgrade of {}',
        sample: { flags: '--upgrade-action start' },
      },
    },
    samples: { object: 'Default', newName: 'test' },
  },
});

export const fencingPolicy = structure('fencing_policy', {
  attributes: {
    enabled: { kind: 'bool', mut: 'CU' },
    skip_if_sd_active: { kind: 'struct skip_if_sd_active', mut: 'CU' },
    skip_if_connectivity_broken: { kind: 'struct skip_if_connectivity_broken', mut: 'CU' },
    skip_if_gluster_bricks_up: { kind: 'bool', mut: 'CU' },
    skip_if_gluster_quorum_not_met: { kind: 'bool', mut: 'CU' },
  },
});

export const skipIfConnectivityBroken = structure('skip_if_connectivity_broken', {
  attributes: {
    enabled: { kind: 'bool', mut: 'CU' },
    threshold: { kind: 'int', mut: 'CU' },
  },
});

export const skipIfSdActive = structure('skip_if_sd_active', {
  attributes: {
    enabled: { kind: 'bool', mut: 'CU' },
  },
});

export const ksm = structure('ksm', {
  attributes: {
    enabled: { kind: 'bool', mut: 'CU' },
    merge_across_nodes: { kind: 'bool', mut: 'CU' },
  },
});
