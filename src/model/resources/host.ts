/** Hypervisor hosts: attributes, states, operations, search. */
import { asyncIgnored, idOrName, ignored, members, owned } from '../notation/collections.ts';
import { column, shortcut } from '../notation/commands.ts';
import { lifecycle } from '../notation/lifecycle.ts';
import { owner, self, sent, system } from '../notation/permits.ts';
import { resource, structure } from '../notation/resource.ts';
import { field, related, relations, step } from '../notation/search-terms.ts';

/** States in which a host accepts network changes and reports its capabilities. */
const reachable = ['up', 'maintenance', 'non_operational'] as const;

/** States in which a host can be installed or reinstalled. */
const installable = ['maintenance', 'non_operational', 'install_failed', 'installing_os'] as const;

/** States in which an upgrade or an upgrade check can start. */
const upgradable = ['up', 'maintenance', 'non_operational', 'install_failed'] as const;

/** From power-on until the host responds. */
const boot = [
  ['reboot', 4_000],
  ['initializing', 2_000],
] as const;

export const hostLifecycle = lifecycle({
  type: 'host',
  attribute: 'status',
  initial: 'installing',
  settled: [
    'up',
    'down',
    'maintenance',
    'non_operational',
    'non_responsive',
    'install_failed',
    'error',
    'pending_approval',
    'installing_os',
  ],
  failed: ['error', 'install_failed', 'non_operational', 'non_responsive'],
  moves: {
    add: {
      from: [],
      via: [['installing', 8_000], ...boot],
      to: 'up',
      or: ['maintenance', 'installing_os'],
      refusedBy: { otherwise: 'HOST_STATUS_ILLEGAL' },
      events: { begin: 'HOST_ADDED', end: 'HOST_STATUS_SET' },
    },
    approve: {
      from: ['pending_approval', 'install_failed', 'installing_os'],
      via: [['installing', 8_000], ...boot],
      to: 'up',
      or: ['maintenance'],
      refusedBy: { otherwise: 'HOST_CANNOT_BE_APPROVED' },
      events: { begin: 'HOST_APPROVED', end: 'HOST_STATUS_SET' },
    },
    install: {
      from: installable,
      via: [['installing', 8_000], ...boot],
      to: 'maintenance',
      or: ['up'],
      refusedBy: { otherwise: 'HOST_CANNOT_BE_INSTALLED' },
      events: { begin: 'HOST_INSTALLING', end: 'HOST_STATUS_SET' },
    },
    activate: {
      from: [
        'maintenance',
        'non_operational',
        'down',
        'install_failed',
        'error',
        'preparing_for_maintenance',
        'unassigned',
        'initializing',
        'installing',
        'installing_os',
        'pending_approval',
        'reboot',
        'connecting',
        'kdumping',
      ],
      via: [
        ['unassigned', 1_000],
        ['initializing', 2_000],
      ],
      to: 'up',
      refusedBy: {
        up: 'HOST_ALREADY_UP',
        non_responsive: 'HOST_NON_RESPONSIVE',
        otherwise: 'HOST_STATUS_ILLEGAL',
      },
      events: { begin: 'HOST_ACTIVATION_STARTED', end: 'HOST_STATUS_SET' },
    },
    deactivate: {
      from: [
        'up',
        'non_responsive',
        'error',
        'preparing_for_maintenance',
        'down',
        'non_operational',
        'install_failed',
      ],
      via: [['preparing_for_maintenance', 3_000]],
      to: 'maintenance',
      refusedBy: {
        maintenance: 'HOST_ALREADY_IN_MAINTENANCE',
        otherwise: 'HOST_CANNOT_BE_MAINTAINED',
      },
      events: { end: 'HOST_IN_MAINTENANCE' },
    },
    upgrade: {
      from: upgradable,
      via: [['installing', 8_000], ...boot],
      to: 'up',
      or: ['maintenance'],
      refusedBy: { otherwise: 'HOST_CANNOT_BE_UPGRADED' },
      events: { end: 'HOST_UPGRADED' },
    },
    upgrade_check: {
      from: upgradable,
      stays: true,
      refusedBy: { otherwise: 'HOST_CANNOT_CHECK_UPGRADE' },
    },
    enroll_certificate: {
      from: ['maintenance', 'install_failed', 'non_responsive'],
      via: [['installing', 2_000]],
      stays: true,
      refusedBy: { otherwise: 'HOST_CANNOT_ENROLL_CERTIFICATE' },
      events: { begin: 'HOST_CERTIFICATE_STARTED', end: 'HOST_CERTIFICATE_ENROLLED' },
    },
    refresh: { from: reachable, stays: true, refusedBy: { otherwise: 'HOST_STATUS_MUST_BE' } },
    setup_networks: {
      from: reachable,
      stays: true,
      refusedBy: { otherwise: 'HOST_STATUS_MUST_BE' },
    },
    force_select_spm: {
      from: ['up'],
      stays: true,
      refusedBy: { otherwise: 'SPM_HOST_NOT_UP' },
    },
    /** Storage discovery and login. */
    discover: { from: ['up'], stays: true, refusedBy: { otherwise: 'HOST_STATUS_MUST_BE' } },
    fence_start: {
      from: ['down', 'non_responsive', 'reboot', 'maintenance'],
      via: boot,
      to: 'up',
      refusedBy: {
        connecting: 'HOST_CONNECTION_INTERMITTENT',
        otherwise: 'HOST_CANNOT_BE_FENCED_ON',
      },
      events: { end: 'HOST_STATUS_SET' },
    },
    fence_stop: {
      from: ['maintenance'],
      to: 'down',
      refusedBy: { otherwise: 'HOST_CANNOT_BE_FENCED_OFF' },
      events: { end: 'HOST_STATUS_SET' },
    },
    fence_restart: {
      from: [
        'up',
        'down',
        'error',
        'maintenance',
        'non_operational',
        'non_responsive',
        'preparing_for_maintenance',
        'connecting',
        'unassigned',
        'initializing',
        'reboot',
        'install_failed',
        'kdumping',
      ],
      via: boot,
      to: 'up',
      refusedBy: { otherwise: 'HOST_STATUS_ILLEGAL' },
      events: { end: 'HOST_STATUS_SET' },
    },
    fence_manual: {
      from: ['non_operational', 'maintenance', 'connecting', 'non_responsive'],
      stays: true,
      refusedBy: { otherwise: 'HOST_STATUS_MUST_BE' },
    },
    /** Internal: the host no longer responds. */
    lose: {
      from: ['up', 'non_operational', 'preparing_for_maintenance', 'unassigned', 'initializing'],
      via: [['connecting', 6_000]],
      to: 'non_responsive',
      refusedBy: { otherwise: 'HOST_STATUS_ILLEGAL' },
      events: { begin: 'HOST_CONNECTING', end: 'HOST_NON_RESPONSIVE' },
    },
    remove: {
      from: [
        'non_responsive',
        'maintenance',
        'down',
        'unassigned',
        'install_failed',
        'pending_approval',
        'non_operational',
        'installing_os',
      ],
      refusedBy: { otherwise: 'HOST_CANNOT_BE_REMOVED' },
      events: { end: 'HOST_REMOVED' },
    },
  },
});

/** States in which the address and credentials of a host can change. */
export const reconfigurable: readonly string[] = [
  'non_responsive',
  'maintenance',
  'down',
  'unassigned',
  'install_failed',
  'pending_approval',
  'installing_os',
];

/** Duration of an upgrade check in the simulation, in milliseconds. */
export const upgradeCheckDuration = 2_000;

export const host = resource('host', {
  doc: 'A hypervisor.',
  identified: true,
  unwritten: [
    'vgpu_placement',
    'os',
    'affinity_labels',
    'external_network_provider_configurations',
    'display',
  ],
  attributes: {
    name: {
      kind: 'string',
      mut: 'CU',
      doc: 'Unique: 1 to 255 letters, digits, `_`, `-` or `.`.',
    },
    address: {
      kind: 'string',
      mut: 'CU',
      doc: 'Host name or IP address, unique; can be changed after a failed installation only.',
    },
    status: {
      kind: 'enum host_status',
      mut: 'R',
      doc: 'Status; installing after creation, unless approval is pending.',
    },
    status_detail: {
      kind: 'string',
      mut: 'R',
      doc: 'Reason for the status non-operational or maintenance.',
    },
    port: {
      kind: 'int',
      mut: 'CU',
      default: 54321,
      doc: 'Port of the host agent; changed by reinstallation only.',
    },
    type: {
      kind: 'enum host_type',
      mut: 'R',
      doc: 'Type of the system: rhel or ovirt_node.',
    },
    spm: {
      kind: 'struct spm',
      mut: 'CU',
      doc: 'Priority as storage pool manager (-1 to 10), and whether the host has that role.',
    },
    power_management: {
      kind: 'struct power_management',
      mut: 'CU',
      doc: 'Power management settings; the agents are a separate collection.',
    },
    root_password: {
      kind: 'string',
      mut: 'CU',
      secret: true,
      writeOnly: true,
      doc: 'Root password; required unless SSH uses a public key.',
    },
    ssh: {
      kind: 'struct ssh',
      mut: 'CU',
      doc: 'SSH settings for the installation (default port 22, user root, password).',
    },
    memory: {
      kind: 'long',
      unit: 'bytes',
      mut: 'R',
      doc: 'Memory in bytes; 0 until the first connection.',
    },
    summary: {
      kind: 'struct vm_summary',
      mut: 'R',
      doc: 'Number of VMs: active, migrating and total.',
    },
    override_iptables: { kind: 'bool', mut: 'CU', writeOnly: true, default: true },
    protocol: { kind: 'enum host_protocol', mut: 'CU', doc: 'Deprecated: always stomp.' },
    os: {
      kind: 'struct operating_system',
      mut: 'CU',
      doc: 'Operating system; only the custom kernel command line can be set.',
    },
    hosted_engine: {
      kind: 'struct hosted_engine',
      mut: 'R',
      doc: 'Self-hosted engine, with all_content only.',
    },
    update_available: { kind: 'bool', mut: 'R', default: false },
    network_operation_in_progress: { kind: 'bool', mut: 'R', default: false },
    reinstallation_required: { kind: 'bool', mut: 'R', default: false },
    device_passthrough: {
      kind: 'struct host_device_passthrough',
      mut: 'R',
      doc: 'Whether device passthrough is enabled.',
    },
    vgpu_placement: { kind: 'enum vgpu_placement', mut: 'CU', default: 'consolidated' },
    cluster: {
      kind: 'ref cluster',
      mut: 'CU',
      doc: 'Cluster by name or id (default Default); a change moves the host.',
    },
    affinity_labels: {
      kind: 'links affinity_label',
      mut: 'CU',
      doc: 'Affinity labels by name or id; replaces the list.',
    },
    external_network_provider_configurations: {
      kind: 'links external_network_provider_configuration',
      mut: 'C',
    },
    description: { kind: 'string', mut: 'R' },
    certificate: { kind: 'struct certificate', mut: 'R' },
    external_status: { kind: 'enum external_status', mut: 'R' },
    version: { kind: 'struct version', mut: 'R' },
    libvirt_version: { kind: 'struct version', mut: 'R' },
    hardware_information: { kind: 'struct hardware_information', mut: 'R' },
    ksm: { kind: 'struct ksm', mut: 'R' },
    transparent_hugepages: { kind: 'struct transparent_huge_pages', mut: 'R' },
    iscsi: { kind: 'struct iscsi_details', mut: 'R' },
    cpu: { kind: 'struct cpu', mut: 'R' },
    cpu_units: { kind: 'links host_cpu_unit', mut: 'R' },
    hooks: { kind: 'links hook', mut: 'R' },
    storage_connection_extensions: { kind: 'links storage_connection_extension', mut: 'R' },
    devices: { kind: 'links host_device', mut: 'R' },
    agents: { kind: 'links agent', mut: 'R' },
    katello_errata: { kind: 'links katello_erratum', mut: 'R' },
    network_attachments: { kind: 'links network_attachment', mut: 'R' },
    nics: { kind: 'links host_nic', mut: 'R' },
    numa_nodes: { kind: 'links numa_node', mut: 'R' },
    permissions: { kind: 'links permission', mut: 'R' },
    statistics: { kind: 'links statistic', mut: 'R' },
    storages: { kind: 'links host_storage', mut: 'R' },
    tags: { kind: 'links tag', mut: 'R' },
    unmanaged_networks: { kind: 'links unmanaged_network', mut: 'R' },
    max_scheduling_memory: { kind: 'long', unit: 'bytes', mut: 'R' },
    kdump_status: { kind: 'enum kdump_status', mut: 'R' },
    se_linux: { kind: 'struct se_linux', mut: 'R' },
    auto_numa_status: { kind: 'enum auto_numa_status', mut: 'R' },
    numa_supported: { kind: 'bool', mut: 'R' },
    ovn_configured: { kind: 'bool', mut: 'R' },
    comment: { kind: 'string', mut: 'CU', default: '' },
    display: { kind: 'struct display', mut: 'CU' },
    external_host_provider: { kind: 'ref external_host_provider', mut: 'CU' },
  },
  naming: { pattern: 'dotted', max: 255, unique: 'service' },
  required: [
    'name',
    'address',
    ['root_password', 'ssh.authentication_method', 'ssh.user.password'],
  ],
  containedIn: ['cluster'],
  operations: {
    add: { permit: sent('create_host', 'cluster'), job: 'Adding host {name}' },
    update: { permit: self('edit_host_configuration'), job: 'Editing properties of host {name}' },
    remove: { permit: self('delete_host') },
    activate: {
      permit: self('manipulate_host'),
      job: 'Activating host {name}',
      harmless: true,
      opposite: 'deactivate',
    },
    approve: { permit: self('create_host'), job: 'Approving host {name}', harmless: true },
    commit_net_config: {
      permit: self('manipulate_host'),
      job: 'Saving the network configuration of host {name}',
      harmless: true,
    },
    copy_host_networks: {
      permit: self('configure_host_network'),
      job: 'Copying networks to host {name}',
    },
    deactivate: {
      permit: self('manipulate_host'),
      opposite: 'activate',
    },
    discover_iscsi: { permit: system('create_storage_domain'), harmless: true },
    enroll_certificate: {
      permit: self('edit_host_configuration'),
      job: 'Enrolling the certificate of host {name}',
      harmless: true,
    },
    fence: {
      permit: self('manipulate_host'),
      job: 'Fencing host {name}',
      required: ['fence_type'],
    },
    force_select_spm: {
      permit: self('manipulate_host'),
      job: 'Making host {name} the storage pool manager',
      harmless: true,
    },
    install: { permit: self('edit_host_configuration'), job: 'Installing host {name}' },
    iscsi_discover: {
      permit: system('create_storage_domain'),
      harmless: true,
      required: ['iscsi.address'],
    },
    iscsi_login: {
      permit: system('create_storage_domain'),
      job: 'Logging in host {name} to an iSCSI target',
      harmless: true,
      required: ['iscsi.address', 'iscsi.target'],
    },
    refresh: {
      permit: self('manipulate_host'),
      harmless: true,
    },
    setup_networks: {
      permit: self('configure_host_network'),
      job: 'Configuring networks on host {name}',
    },
    sync_all_networks: {
      permit: self('configure_host_network'),
      job: 'Synchronizing the networks of host {name}',
    },
    unregistered_storage_domains_discover: {
      permit: system('create_storage_domain'),
      harmless: true,
    },
    upgrade: { permit: self('edit_host_configuration'), job: 'Upgrading host {name}' },
    upgrade_check: {
      permit: self('edit_host_configuration'),
      harmless: true,
    },
  },
  paths: {
    '/clusters/{cluster}/affinitygroups/{group}/hosts/{host}': members(
      { listedBy: 'owner', attribute: 'hosts', answers: 'action' },
      {
        memberVerbs: { one: 'host', many: 'hosts' },
        list: ['follow', 'max'],
        add: [],
        remove: ['async'],
        required: [idOrName],
        permits: { add: [owner('manipulate_affinity_groups')] },
      },
    ),
    '/affinitylabels/{label}/hosts/{host}': members(
      { listedBy: 'owner', attribute: 'hosts', answers: 'link' },
      {
        memberVerbs: { one: 'host', many: 'hosts' },
        list: ['follow'],
        add: [],
        get: ['follow'],
        remove: [],
        required: ['id'],
        permits: { add: [system('tag_management')] },
      },
    ),
    '/hosts/{host}': owned({
      list: [
        'all_content',
        'case_sensitive',
        'check_vms_in_affinity_closure',
        'filter',
        'follow',
        'max',
        'migration_target_of',
        'search',
      ],
      add: ['activate', 'deploy_hosted_engine', 'reboot', 'undeploy_hosted_engine'],
      get: ['all_content', 'filter', 'follow'],
      update: [asyncIgnored],
      remove: ['async', 'force'],
      actions: {
        activate: ['async'],
        approve: [
          'activate',
          'async',
          'cluster',
          ignored('host', 'simulated hosts need no credentials'),
          'reboot',
        ],
        commit_net_config: ['async'],
        copy_host_networks: ['async', 'source_host'],
        deactivate: ['async', 'reason', 'stop_gluster_service'],
        discover_iscsi: ['async', 'discovered_targets', 'iscsi'],
        enroll_certificate: ['async'],
        fence: ['async', 'fence_type', 'maintenance_after_restart', 'power_management'],
        force_select_spm: ['async'],
        install: [
          'activate',
          'async',
          'deploy_hosted_engine',
          ignored('host', 'simulated hosts need no credentials'),
          ignored('image', 'for oVirt Node only; simulated hosts are of type rhel'),
          'reboot',
          'root_password',
          'ssh',
          'undeploy_hosted_engine',
        ],
        iscsi_discover: ['async', 'iscsi', 'iscsi_targets'],
        iscsi_login: ['async', 'iscsi'],
        refresh: ['async'],
        setup_networks: [
          'async',
          'check_connectivity',
          'commit_on_success',
          'connectivity_timeout',
          'modified_bonds',
          'modified_labels',
          'modified_network_attachments',
          'removed_bonds',
          'removed_labels',
          'removed_network_attachments',
          'synchronized_network_attachments',
        ],
        sync_all_networks: ['async'],
        unregistered_storage_domains_discover: ['async', 'iscsi', 'storage_domains'],
        upgrade: [
          'async',
          ignored('image', 'for oVirt Node only; simulated hosts are of type rhel'),
          'reboot',
          ignored(
            'timeout',
            'the upgrade of a simulated host always ends; --speed sets the duration',
          ),
        ],
        upgrade_check: [],
      },
    }),
  },
  statistics: [
    ['memory.total', 'gauge', 'bytes', 'integer', 'Total memory'],
    ['memory.used', 'gauge', 'bytes', 'integer', 'Used memory'],
    ['memory.free', 'gauge', 'bytes', 'integer', 'Free memory'],
    ['memory.shared', 'gauge', 'bytes', 'integer', 'Shared memory'],
    ['memory.buffers', 'gauge', 'bytes', 'integer', 'Memory in buffers'],
    ['memory.cached', 'gauge', 'bytes', 'integer', 'Memory in caches'],
    ['swap.total', 'gauge', 'bytes', 'integer', 'Total swap'],
    ['swap.free', 'gauge', 'bytes', 'integer', 'Free swap'],
    ['swap.used', 'gauge', 'bytes', 'integer', 'Used swap'],
    ['swap.cached', 'gauge', 'bytes', 'integer', 'Swap that is in memory as well'],
    ['ksm.cpu.current', 'gauge', 'percent', 'decimal', 'CPU used by kernel same-page merging'],
    ['cpu.current.user', 'gauge', 'percent', 'decimal', 'CPU used by users'],
    ['cpu.current.system', 'gauge', 'percent', 'decimal', 'CPU used by the system'],
    ['cpu.current.idle', 'gauge', 'percent', 'decimal', 'CPU idle'],
    ['cpu.load.avg.5m', 'gauge', 'percent', 'decimal', 'CPU load over 5 minutes'],
    ['boot.time', 'gauge', 'none', 'integer', 'Boot time, seconds since the epoch'],
    ['hugepages.2048.free', 'gauge', 'none', 'integer', 'Free huge pages of 2048 KiB'],
    ['hugepages.1048576.free', 'gauge', 'none', 'integer', 'Free huge pages of 1048576 KiB'],
    ['hugepages.2048.total', 'gauge', 'none', 'integer', 'Huge pages of 2048 KiB'],
    ['hugepages.1048576.total', 'gauge', 'none', 'integer', 'Huge pages of 1048576 KiB'],
  ],
  search: {
    fields: {
      name: field.name,
      comment: field.comment,
      status: { kind: 'enum', path: 'status', enum: 'host_status' },
      external_status: { kind: 'enum', path: 'external_status', enum: 'external_status' },
      cluster: field.clusterName,
      address: { kind: 'text', path: 'address' },
      cpu_usage: { kind: 'number', source: 'statistics cpu.current.user and cpu.current.system' },
      mem_usage: { kind: 'number', source: 'statistic memory.used, in percent of memory' },
      network_usage: {
        kind: 'number',
        source: 'share of the network bandwidth in use, in percent',
      },
      load: { kind: 'number', isDecimal: true, source: 'statistic cpu.load.avg.5m' },
      version: { kind: 'text', path: 'version.full_version' },
      cpus: { kind: 'number', source: 'product of the numbers in cpu.topology' },
      memory: { kind: 'number', path: 'memory', unit: 'MiB' },
      cpu_speed: { kind: 'number', isDecimal: true, path: 'cpu.speed' },
      cpu_model: { kind: 'text', path: 'cpu.name' },
      active_vms: { kind: 'number', source: 'number of VMs that run on the host' },
      migrating_vms: {
        kind: 'number',
        source: 'number of VMs that migrate',
        relations: relations.equality,
      },
      committed_mem: {
        kind: 'number',
        source: 'memory of all VMs that run on the host',
        unit: 'MiB',
      },
      tag: field.tag,
      type: { kind: 'enum', path: 'type', enum: 'host_type' },
      datacenter: field.dataCenterOfCluster,
      architecture: field.architecture,
      update_available: { kind: 'bool', path: 'update_available' },
      ha_score: { kind: 'number', path: 'hosted_engine.score', relations: relations.equality },
      spm_id: {
        kind: 'number',
        source: 'number of the host in its data center',
        relations: relations.equality,
      },
      hw_id: { kind: 'text', path: 'hardware_information.uuid' },
      id: field.id,
    },
    related: [
      { ...related.vms, steps: [{ back: 'vm.host' }] },
      { ...related.templates, steps: [{ back: 'vm.host' }, { follow: 'template' }] },
      { ...related.events, steps: [{ back: 'event.host' }] },
      { ...related.users, steps: [{ back: 'permission.host' }, { follow: 'user' }] },
      { ...related.storage, steps: [step.toCluster, step.toDataCenter, step.toStorage] },
      {
        names: ['nic', 'nics'],
        fields: 'host_nic',
        type: 'host_nic',
        steps: [{ back: 'host_nic.host' }],
      },
    ],
  },
  lifecycle: hostLifecycle,
  definition: {
    writtenAt: ['/hosts'],
    namedAt: ['/clusters/{cluster}/affinitygroups/{group}/hosts', '/affinitylabels/{label}/hosts'],
  },
  commands: {
    noun: 'hosts',
    group: 'compute',
    position: 20,
    doc: 'Hypervisor hosts',
    columns: [
      'name',
      'status',
      'address',
      'cluster.name',
      column('spm', 'spm.status'),
      'memory',
      column('vms', 'summary.total'),
    ],
    searchedByName: true,
    shortcuts: [
      shortcut('ssh-user', 'ssh.user.user_name', 'User name for the installation.'),
      shortcut(
        'ssh-method',
        'ssh.authentication_method',
        'Authentication method: password or publickey.',
      ),
    ],
    verbs: {
      'commit-net-config': { aliases: ['commit'] },
      'copy-host-networks': { sample: { flags: '--source-host node2' } },
      deactivate: {
        aliases: ['maintenance'],
        purpose: 'Migrate all VMs and put {} into maintenance',
      },
      'discover-iscsi': { sample: { flags: '--iscsi-address filer.example.com' } },
      fence: {
        shortcuts: [
          shortcut('type', 'fence_type', 'Fencing action: restart, start, stop, status or manual.'),
        ],
      },
      'force-select-spm': { aliases: ['spm'], sample: { object: 'node2' } },
      install: { sample: { flags: '--root-password-file password.txt' } },
      'iscsi-discover': { sample: { flags: '--iscsi-address filer.example.com' } },
      'iscsi-login': {
        sample: {
          flags:
            '--iscsi-address filer.example.com --iscsi-target iqn.2026-01.example.vmctl:filer.example.com.target1',
        },
      },
      'setup-networks': {
        shortcuts: [
          shortcut(
            'commit',
            'commit_on_success',
            'Save the configuration after a successful check.',
          ),
        ],
        sample: { flags: '--attach frontend=eth1,dhcp' },
      },
      'unregistered-storage-domains-discover': { aliases: ['discover-storage-domains'] },
    },
    samples: { object: 'node1', newName: 'node4', state: 'up', search: 'status=up' },
  },
});

export const hardwareInformation = structure('hardware_information', {
  attributes: {
    manufacturer: { kind: 'string', mut: 'CU' },
    version: { kind: 'string', mut: 'CU' },
    serial_number: { kind: 'string', mut: 'CU' },
    product_name: { kind: 'string', mut: 'CU' },
    uuid: { kind: 'string', mut: 'CU' },
    family: { kind: 'string', mut: 'CU' },
    supported_rng_sources: { kind: 'list enum rng_source', mut: 'CU' },
  },
});

export const hostDevicePassthrough = structure('host_device_passthrough', {
  attributes: {
    enabled: { kind: 'bool', mut: 'CU' },
  },
});

export const hostedEngine = structure('hosted_engine', {
  attributes: {
    configured: { kind: 'bool', mut: 'CU' },
    active: { kind: 'bool', mut: 'CU' },
    score: { kind: 'int', mut: 'CU' },
    global_maintenance: { kind: 'bool', mut: 'CU' },
    local_maintenance: { kind: 'bool', mut: 'CU' },
  },
});

export const seLinux = structure('se_linux', {
  attributes: {
    mode: { kind: 'enum se_linux_mode', mut: 'CU' },
  },
});

export const spm = structure('spm', {
  unwritten: ['status'],
  attributes: {
    priority: { kind: 'int', mut: 'CU' },
    status: { kind: 'enum spm_status', mut: 'CU' },
  },
});

export const ssh = structure('ssh', {
  identified: true,
  unwritten: ['fingerprint', 'public_key'],
  attributes: {
    port: { kind: 'int', mut: 'CU' },
    fingerprint: { kind: 'string', mut: 'CU' },
    public_key: { kind: 'string', mut: 'CU' },
    authentication_method: { kind: 'enum ssh_authentication_method', mut: 'CU' },
    user: { kind: 'struct user', mut: 'CU' },
  },
});

export const vmSummary = structure('vm_summary', {
  attributes: {
    active: { kind: 'int', mut: 'CU' },
    migrating: { kind: 'int', mut: 'CU' },
    total: { kind: 'int', mut: 'CU' },
  },
});
