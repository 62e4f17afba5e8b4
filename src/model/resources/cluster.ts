/** Clusters of hosts, and their policies. */
import { asyncIgnored, byIdOrName, crud, owned, view } from '../notation/collections.ts';
import { column, shortcut } from '../notation/commands.ts';
import { self, sent } from '../notation/permits.ts';
import { resource, structure } from '../notation/resource.ts';
import { field, related, step } from '../notation/search-terms.ts';

export const cluster = resource('cluster', {
  doc: 'Hosts with the same CPU type, networks and policy, between which VMs migrate.',
  identified: true,
  attributes: {
    name: { kind: 'string', mut: 'CU', doc: 'Name, unique in the system (at most 40 characters).' },
    description: { kind: 'string', mut: 'CU', length: [0, 4000], default: '' },
    comment: { kind: 'string', mut: 'CU', default: '' },
    cpu: {
      kind: 'struct cpu',
      mut: 'CU',
      doc: 'CPU type and architecture that all hosts support; the type is required to create a cluster.',
    },
    memory_policy: {
      kind: 'struct memory_policy',
      mut: 'CU',
      doc: 'Memory overcommitment and transparent huge pages (default 100 percent, enabled).',
    },
    version: {
      kind: 'struct version',
      mut: 'CU',
      doc: 'Compatibility version, at least that of the data center (the default).',
    },
    error_handling: {
      kind: 'struct error_handling',
      mut: 'CU',
      doc: 'Action for VMs on a failed host (default migrate).',
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
      doc: 'Firmware type (default depends on the architecture).',
    },
    optional_reason: {
      kind: 'bool',
      mut: 'CU',
      doc: 'Deprecated since 4.4: no effect.',
    },
    maintenance_reason_required: {
      kind: 'bool',
      mut: 'CU',
      doc: 'Deprecated since 4.4: no effect.',
    },
    display: { kind: 'struct display', mut: 'CU' },
    ksm: {
      kind: 'struct ksm',
      mut: 'CU',
      doc: 'Kernel same-page merging (default enabled, across NUMA nodes).',
    },
    serial_number: { kind: 'struct serial_number', mut: 'CU' },
    required_rng_sources: {
      kind: 'list enum rng_source',
      mut: 'CU',
      doc: 'Random number sources that every host must have; only hwrng can be added to the default one.',
    },
    fencing_policy: {
      kind: 'struct fencing_policy',
      mut: 'CU',
      doc: 'Fencing of unresponsive hosts (default enabled), and its exceptions.',
    },
    migration: {
      kind: 'struct migration_options',
      mut: 'CU',
      doc: 'Migration policy; `inherit` takes a value from the system.',
    },
    custom_scheduling_policy_properties: {
      kind: 'list struct property',
      mut: 'CU',
    },
    switch_type: {
      kind: 'enum switch_type',
      mut: 'CU',
      default: 'legacy',
      doc: 'Switch type (default legacy).',
    },
    firewall_type: {
      kind: 'enum firewall_type',
      mut: 'CU',
      doc: 'Firewall type (default firewalld).',
    },
    log_max_memory_used_threshold: { kind: 'int', mut: 'CU', default: 95 },
    log_max_memory_used_threshold_type: {
      kind: 'enum log_max_memory_used_threshold_type',
      mut: 'CU',
      default: 'percentage',
    },
    scheduling_policy: {
      kind: 'ref scheduling_policy',
      mut: 'CU',
      doc: 'Scheduling policy (default none).',
    },
    data_center: {
      kind: 'ref data_center',
      mut: 'C',
      doc: 'Data center by name or id; cannot be changed later.',
    },
    management_network: {
      kind: 'ref network',
      mut: 'C',
      doc: 'Management network by name or id (default ovirtmgmt of the data center).',
    },
    external_network_providers: {
      kind: 'links external_provider',
      mut: 'CU',
      doc: 'Network providers; only the first is used.',
    },
    mac_pool: { kind: 'ref mac_pool', mut: 'CU', doc: 'MAC pool (default: the default pool).' },
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
    remove: { permit: self('delete_cluster') },
    refresh_gluster_heal_status: {
      permit: self('manipulate_gluster_volume'),
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
    upgrade: {
      permit: self('edit_cluster_configuration'),
      required: ['upgrade_action'],
    },
  },
  paths: {
    '/clusters/{cluster}': owned({
      ...crud('add', 'update', 'remove'),
      list: ['case_sensitive', 'filter', 'follow', 'max', 'search'],
      get: ['filter', 'follow'],
      actions: {
        refresh_gluster_heal_status: [],
        reset_emulated_machine: ['async'],
        sync_all_networks: ['async'],
        upgrade: ['async', 'correlation_id', 'upgrade_action', 'upgrade_percent_complete'],
      },
      withoutEffect: {
        refresh_gluster_heal_status:
          'no attribute shows pending self-heal entries; refused without Gluster',
        reset_emulated_machine:
          'no attribute shows the emulated machine of a cluster; refused while hosts are up',
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
    doc: 'Groups of hosts',
    columns: ['name', 'data_center.name', column('cpu', 'cpu.type'), 'version', 'description'],
    searchedByName: true,
    shortcuts: [
      shortcut('cpu-type', 'cpu.type', 'CPU type of the hosts.'),
      shortcut('compatibility-version', 'version', 'Compatibility level, for example 4.7.'),
      shortcut(
        'over-commit',
        'memory_policy.over_commit.percent',
        'Memory overcommitment in percent.',
      ),
    ],
    verbs: {
      delete: { sample: { object: 'lab' } },
      'reset-emulated-machine': { sample: { object: 'lab' } },
      upgrade: {
        purpose: 'Start or finish the upgrade of {}',
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
