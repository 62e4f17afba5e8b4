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
        doc: 'Unique in the system: 1 to 40 letters, digits, `_` or `-`.',
      },
      description: { kind: 'string', mut: 'CU' },
      comment: { kind: 'string', mut: 'CU' },
      local: {
        kind: 'bool',
        mut: 'CU',
        doc: 'Whether storage is local to one host. Must be given on add.',
      },
      storage_format: {
        kind: 'enum storage_format',
        mut: 'CU',
        doc: 'The format of the master domain, once there is one: v5 from level 4.3 on, v4 at 4.2.',
      },
      version: {
        kind: 'struct version',
        mut: 'CU',
        doc: 'The compatibility level; the newest when not given.',
      },
      supported_versions: {
        kind: 'list struct version',
        mut: 'R',
        doc: 'The levels it could be raised to, its own among them.',
      },
      status: {
        kind: 'enum data_center_status',
        mut: 'R',
        doc: 'uninitialized until its first data domain is attached.',
      },
      quota_mode: { kind: 'enum quota_mode_type', mut: 'CU', default: 'disabled' },
      mac_pool: {
        kind: 'ref mac_pool',
        mut: 'CU',
        doc: 'Kept for old clients: the pool is a property of clusters. Setting it sets that of all clusters; it is shown when they all have the same one.',
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
  },
  cluster_level: {
    doc: 'A compatibility level; its id is major.minor.',
    identified: true,
    attributes: {
      cpu_types: { kind: 'list struct cpu_type', mut: 'R', doc: 'Shown to administrators only.' },
      permits: { kind: 'list struct permit', mut: 'R', doc: 'Every permit there is.' },
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
      name: { kind: 'string', mut: 'CU', doc: '1 to 50 characters.' },
      cluster: { kind: 'ref cluster', mut: 'C', doc: 'By id, when added through /cpuprofiles.' },
      permissions: { kind: 'links permission', mut: 'R' },
      description: { kind: 'string', mut: 'CU' },
      qos: { kind: 'ref qos', mut: 'CU' },
    },
  },
  affinity_group: {
    doc: 'A rule that keeps virtual machines together or apart.',
    identified: true,
    attributes: {
      name: {
        kind: 'string',
        mut: 'CU',
        doc: 'Unique in the system: 1 to 255 letters, digits, `.`, `_`, `-` or `+`.',
      },
      description: { kind: 'string', mut: 'CU' },
      comment: { kind: 'string', mut: 'CU' },
      positive: {
        kind: 'bool',
        mut: 'CU',
        doc: 'Older way of writing the rule between virtual machines: together (true) or apart.',
      },
      enforcing: {
        kind: 'bool',
        mut: 'CU',
        doc: 'Whether the rule must hold, rather than should; false by default.',
      },
      vms_rule: {
        kind: 'struct affinity_rule',
        mut: 'CU',
        doc: 'The rule between the virtual machines: enabled, positive (together), enforcing.',
      },
      hosts_rule: {
        kind: 'struct affinity_rule',
        mut: 'CU',
        doc: 'The rule between virtual machines and hosts: enabled, positive, enforcing. Off unless given.',
      },
      priority: { kind: 'decimal', mut: 'CU', default: 1.0 },
      broken: {
        kind: 'bool',
        mut: 'R',
        doc: 'Whether virtual machines run where an enforcing rule forbids it.',
      },
      cluster: { kind: 'ref cluster', mut: 'R' },
      vms: { kind: 'links vm', mut: 'CU', doc: 'By id or name; replaces the list.' },
      hosts: {
        kind: 'links host',
        mut: 'CU',
        doc: 'By id or name; replaces the list.',
      },
      vm_labels: {
        kind: 'links affinity_label',
        mut: 'CU',
        doc: 'By id or name; replaces the list.',
      },
      host_labels: {
        kind: 'links affinity_label',
        mut: 'CU',
        doc: 'By id or name; replaces the list.',
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
      name: { kind: 'string', mut: 'CU', doc: 'Unique, 1 to 50 characters.' },
      description: { kind: 'string', mut: 'CU' },
      comment: { kind: 'string', mut: 'CU' },
      hosts: { kind: 'links host', mut: 'CU', doc: 'By id or name; replaces the list.' },
      vms: { kind: 'links vm', mut: 'CU', doc: 'By id or name; replaces the list.' },
      read_only: { kind: 'bool', mut: 'R', default: false },
      has_implicit_affinity_group: {
        kind: 'bool',
        mut: 'CU',
        doc: 'Whether it acts as an affinity group by itself; not from level 4.4 on.',
      },
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
      name: { kind: 'string', mut: 'CU', doc: 'Unique in the system.' },
      description: { kind: 'string', mut: 'CU' },
      allow_duplicates: { kind: 'bool', mut: 'CU', default: false },
      default_pool: {
        kind: 'bool',
        mut: 'R',
        doc: 'True for the built-in pool only; cannot be set.',
      },
      ranges: {
        kind: 'list struct range',
        mut: 'CU',
        doc: 'From and to, at least one pair; replaces the list.',
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
