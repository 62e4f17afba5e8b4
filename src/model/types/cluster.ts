/** Types of the cluster family (specification 2.4). */
import { types } from '../notation.ts';

export const clusterTypes = types({
  data_center: {
    doc: 'The largest unit: clusters, storage and networks that belong together.',
    identified: true,
    attributes: {
      name: {
        kind: 'string',
        mut: 'CU',
        doc: 'unique system-wide; 1..40 chars of letters digits _ -',
      },
      description: { kind: 'string', mut: 'CU' },
      comment: { kind: 'string', mut: 'CU' },
      local: { kind: 'bool', mut: 'CU', doc: 'no default: must be sent on add' },
      storage_format: {
        kind: 'enum storage_format',
        mut: 'CU',
        doc: 'absent until first data domain attached; then copied from master domain (v5 for levels ≥ 4.3, v4 for 4.2)',
      },
      version: { kind: 'struct version', mut: 'CU', doc: 'highest supported level' },
      supported_versions: {
        kind: 'list struct version',
        mut: 'R',
        doc: 'levels ≥ current that the data center could be raised to',
      },
      status: { kind: 'enum data_center_status', mut: 'R', doc: 'uninitialized after add' },
      quota_mode: { kind: 'enum quota_mode_type', mut: 'CU', default: 'disabled' },
      mac_pool: {
        kind: 'ref mac_pool',
        mut: 'CU',
        doc: 'Only historic: pool really belongs to the cluster; on update propagates to every cluster of the data center; output only when all clusters share one pool',
      },
      storage_domains: { kind: 'links storage_domain', mut: 'R' },
      clusters: { kind: 'links cluster', mut: 'R' },
      networks: { kind: 'links network', mut: 'R' },
      permissions: { kind: 'links permission', mut: 'R' },
      quotas: { kind: 'links quota', mut: 'R' },
      qoss: { kind: 'links qos', mut: 'R' },
      iscsi_bonds: { kind: 'links iscsi_bond', mut: 'R' },
    },
  },
  cluster: {
    doc: 'Hosts that share CPU type, networks and policy, and between which virtual machines migrate.',
    identified: true,
    attributes: {
      name: { kind: 'string', mut: 'CU', doc: 'unique system-wide; 1..40 chars' },
      description: { kind: 'string', mut: 'CU' },
      comment: { kind: 'string', mut: 'CU' },
      cpu: {
        kind: 'struct cpu',
        mut: 'CU',
        doc: '{type, architecture}; spec says cpu.type mandatory; reference only requires name + data_center, empty cpu = auto detect from first host',
      },
      memory_policy: {
        kind: 'struct memory_policy',
        mut: 'CU',
        doc: 'over_commit.percent 100; transparent_hugepages.enabled true. Values ≤0 for percent become 100',
      },
      version: { kind: 'struct version', mut: 'CU', doc: 'data center version (must be ≥ it)' },
      error_handling: { kind: 'struct error_handling', mut: 'CU', doc: 'on_error migrate' },
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
        doc: 'chosen from architecture (x86 → q35 variants at ≥4.4) when cpu known, else unset',
      },
      optional_reason: {
        kind: 'bool',
        mut: 'CU',
        doc: 'accepted, ignored since 4.4 (always false / absent)',
      },
      maintenance_reason_required: {
        kind: 'bool',
        mut: 'CU',
        doc: 'accepted, ignored since 4.4 (always false / absent)',
      },
      display: { kind: 'struct display', mut: 'CU', doc: 'unset' },
      ksm: { kind: 'struct ksm', mut: 'CU', doc: 'enabled true, merge_across_nodes true' },
      serial_number: { kind: 'struct serial_number', mut: 'CU', doc: 'unset' },
      required_rng_sources: {
        kind: 'list enum rng_source',
        mut: 'CU',
        doc: 'urandom always reported at ≥4.1 (random for older); only hwrng is really settable',
      },
      fencing_policy: {
        kind: 'struct fencing_policy',
        mut: 'CU',
        doc: 'enabled true; skip_if_sd_active.enabled false; skip_if_connectivity_broken {enabled false, threshold 50}; skip_if_gluster_bricks_up false; skip_if_gluster_quorum_not_met false',
      },
      migration: {
        kind: 'struct migration_options',
        mut: 'CU',
        doc: 'auto_converge inherit; compressed inherit; encrypted inherit; bandwidth.assignment_method auto; parallel_migrations_policy disabled; policy id all-zero = legacy',
      },
      custom_scheduling_policy_properties: {
        kind: 'list struct property',
        mut: 'CU',
        doc: 'unset',
      },
      switch_type: {
        kind: 'enum switch_type',
        mut: 'C',
        default: 'legacy',
        doc: 'immutable once hosts exist',
      },
      firewall_type: { kind: 'enum firewall_type', mut: 'CU', doc: 'firewalld for ≥4.2' },
      log_max_memory_used_threshold: { kind: 'int', mut: 'CU', default: 95 },
      log_max_memory_used_threshold_type: {
        kind: 'enum log_max_memory_used_threshold_type',
        mut: 'CU',
        default: 'percentage',
      },
      scheduling_policy: {
        kind: 'ref scheduling_policy',
        mut: 'CU',
        doc: 'none policy (fixed id, §5)',
      },
      data_center: {
        kind: 'ref data_center',
        mut: 'C',
        doc: 'id or name; may not be changed later (409) except from none',
      },
      management_network: {
        kind: 'ref network',
        mut: 'C',
        doc: 'by id or name; default = network named like the default management network of the data center',
      },
      external_network_providers: {
        kind: 'links external_provider',
        mut: 'CU',
        doc: 'only first entry honoured',
      },
      mac_pool: { kind: 'ref mac_pool', mut: 'CU', doc: 'default pool' },
      gluster_tuned_profile: { kind: 'string', mut: 'CU', doc: 'unset' },
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
  },
  cluster_level: {
    doc: 'A compatibility level; its id is major.minor.',
    identified: true,
    attributes: {
      cpu_types: { kind: 'list struct cpu_type', mut: 'R', doc: 'omitted for filtered users' },
      permits: { kind: 'list struct permit', mut: 'R', doc: 'same list for each level' },
      cluster_features: { kind: 'links cluster_feature', mut: 'R' },
    },
  },
  cluster_feature: {
    identified: true,
    attributes: {
      cluster_level: { kind: 'ref cluster_level', mut: 'CU' },
    },
  },
  cpu_profile: {
    doc: 'A CPU limit that virtual machines of a cluster may use.',
    identified: true,
    attributes: {
      name: { kind: 'string', mut: 'CU', doc: '1..50' },
      cluster: { kind: 'ref cluster', mut: 'C', doc: 'by id on /cpuprofiles' },
      permissions: { kind: 'links permission', mut: 'R' },
      description: { kind: 'string', mut: 'CU' },
      qos: { kind: 'ref qos', mut: 'CU' },
    },
  },
  affinity_group: {
    doc: 'A rule that keeps virtual machines together or apart.',
    identified: true,
    attributes: {
      name: { kind: 'string', mut: 'CU', doc: 'unique system-wide; 1..255 letters digits . _ - +' },
      description: { kind: 'string', mut: 'CU' },
      comment: { kind: 'string', mut: 'CU' },
      positive: {
        kind: 'bool',
        mut: 'CU',
        doc: 'when only positive given: vms_rule enabled with it; default false',
      },
      enforcing: { kind: 'bool', mut: 'CU', doc: 'default false' },
      vms_rule: {
        kind: 'struct affinity_rule',
        mut: 'CU',
        doc: '{enabled, positive, enforcing}; enabled true when omitted and no hosts; false allowed',
      },
      hosts_rule: {
        kind: 'struct affinity_rule',
        mut: 'CU',
        doc: '{enabled, positive, enforcing}; enabled iff sent',
      },
      priority: { kind: 'decimal', mut: 'CU', default: 1.0 },
      broken: {
        kind: 'bool',
        mut: 'R',
        doc: 'true when current VM placement violates an enforcing rule',
      },
      cluster: { kind: 'ref cluster', mut: 'R' },
      vms: { kind: 'links vm', mut: 'CU', doc: 'reference lists accepted inline on add/update' },
      hosts: {
        kind: 'links host',
        mut: 'CU',
        doc: 'reference lists accepted inline on add/update',
      },
      vm_labels: {
        kind: 'links affinity_label',
        mut: 'CU',
        doc: 'reference lists accepted inline on add/update',
      },
      host_labels: {
        kind: 'links affinity_label',
        mut: 'CU',
        doc: 'reference lists accepted inline on add/update',
      },
    },
  },
  affinity_rule: {
    attributes: {
      positive: { kind: 'bool', mut: 'CU' },
      enforcing: { kind: 'bool', mut: 'CU' },
      enabled: { kind: 'bool', mut: 'CU' },
    },
  },
  affinity_label: {
    doc: 'A label that ties virtual machines to hosts.',
    identified: true,
    attributes: {
      name: { kind: 'string', mut: 'CU', doc: 'unique; 1..50' },
      description: { kind: 'string', mut: 'CU' },
      comment: { kind: 'string', mut: 'CU' },
      hosts: { kind: 'links host', mut: 'CU', doc: 'input lists' },
      vms: { kind: 'links vm', mut: 'CU', doc: 'input lists' },
      read_only: { kind: 'bool', mut: 'R', default: false },
      has_implicit_affinity_group: { kind: 'bool', mut: 'CU', doc: 'false for level ≥4.4' },
    },
  },
  error_handling: {
    attributes: {
      on_error: { kind: 'enum migrate_on_error', mut: 'CU' },
    },
  },
  fencing_policy: {
    attributes: {
      enabled: { kind: 'bool', mut: 'CU' },
      skip_if_sd_active: { kind: 'struct skip_if_sd_active', mut: 'CU' },
      skip_if_connectivity_broken: { kind: 'struct skip_if_connectivity_broken', mut: 'CU' },
      skip_if_gluster_bricks_up: { kind: 'bool', mut: 'CU' },
      skip_if_gluster_quorum_not_met: { kind: 'bool', mut: 'CU' },
    },
  },
  skip_if_connectivity_broken: {
    attributes: {
      enabled: { kind: 'bool', mut: 'CU' },
      threshold: { kind: 'int', mut: 'CU' },
    },
  },
  skip_if_sd_active: {
    attributes: {
      enabled: { kind: 'bool', mut: 'CU' },
    },
  },
  ksm: {
    attributes: {
      enabled: { kind: 'bool', mut: 'CU' },
      merge_across_nodes: { kind: 'bool', mut: 'CU' },
    },
  },
  mac_pool: {
    doc: 'The MAC addresses from which new interfaces take theirs.',
    identified: true,
    attributes: {
      name: { kind: 'string', mut: 'CU', doc: 'unique' },
      description: { kind: 'string', mut: 'CU' },
      allow_duplicates: { kind: 'bool', mut: 'CU', default: false },
      default_pool: {
        kind: 'bool',
        mut: 'R',
        doc: 'true only for the built-in pool; sending true is 400',
      },
      ranges: {
        kind: 'list struct range',
        mut: 'CU',
        doc: 'non-empty list of {from,to}; replaces on update',
      },
      permissions: { kind: 'links permission', mut: 'R' },
    },
  },
  range: {
    attributes: {
      from: { kind: 'string', mut: 'CU' },
      to: { kind: 'string', mut: 'CU' },
    },
  },
});
