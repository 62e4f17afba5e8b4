/** VMs: attributes, states, operations, search. */
import {
  asyncIgnored,
  byIdOrName,
  computed,
  crud,
  exportTarget,
  idOrName,
  ignored,
  members,
  owned,
  unless,
} from '../notation/collections.ts';
import { cpuShortcuts, cpusColumn, shortcut } from '../notation/commands.ts';
import { lifecycle } from '../notation/lifecycle.ts';
import { makesNothing } from '../notation/makes.ts';
import { owner, self, sent, system, whenSent } from '../notation/permits.ts';
import { resource, structure } from '../notation/resource.ts';
import { field, related } from '../notation/search-terms.ts';

/** States of a running VM. */
const running = [
  'up',
  'powering_down',
  'powering_up',
  'migrating',
  'wait_for_launch',
  'reboot_in_progress',
] as const;

/** States in which a VM can be powered off. */
const on = [...running, 'paused', 'not_responding', 'suspended'] as const;

/** Faults of powering off in other states. */
const notOn = {
  saving_state: 'VM_IS_SAVING_RESTORING',
  restoring_state: 'VM_IS_SAVING_RESTORING',
  otherwise: 'VM_IS_NOT_RUNNING',
} as const;

const illegal = { otherwise: 'VM_STATUS_ILLEGAL' } as const;

/** States in which the console is available. */
const consoleStates = [
  'up',
  'paused',
  'powering_up',
  'powering_down',
  'reboot_in_progress',
] as const;

/** Description of a statistic with recent values, in the wording of engines. */
function describeHistory(what: string): string {
  return `List of ${what} usage history, sorted by date from newest to oldest, at intervals of 30 seconds`;
}

export const vmLifecycle = lifecycle({
  type: 'vm',
  attribute: 'status',
  initial: 'down',
  settled: ['down', 'up', 'paused', 'suspended', 'unknown', 'not_responding', 'unassigned'],
  failed: ['unknown', 'not_responding'],
  moves: {
    /** Only with disks to copy. Otherwise the state is down from the start. */
    add: {
      from: [],
      via: [['image_locked', 2_000]],
      to: 'down',
      refusedBy: { otherwise: 'VM_IS_LOCKED' },
      events: { begin: 'VM_ADD_STARTED', end: 'VM_ADD_FINISHED', fail: 'VM_ADD_FAILED' },
    },
    /** Import from another platform, or from a file on a host. */
    import: {
      from: [],
      via: [['image_locked', 4_000]],
      to: 'down',
      refusedBy: { otherwise: 'VM_IS_LOCKED' },
      events: { end: 'VM_IMPORTED', fail: 'VM_ADD_FAILED' },
    },
    start: {
      from: ['down', 'suspended', 'paused'],
      via: [
        ['wait_for_launch', 1_000],
        ['powering_up', 4_000],
      ],
      to: 'up',
      refusedBy: {
        up: 'VM_IS_RUNNING',
        powering_up: 'VM_IS_RUNNING',
        wait_for_launch: 'VM_IS_RUNNING',
        reboot_in_progress: 'VM_IS_RUNNING',
        migrating: 'VM_IS_RUNNING',
        image_locked: 'VM_IS_LOCKED',
        otherwise: 'VM_STATUS_ILLEGAL',
      },
      events: { begin: 'VM_START_INITIATED', end: 'VM_STARTED', fail: 'VM_START_FAILED' },
    },
    start_paused: {
      from: ['down'],
      via: [['wait_for_launch', 1_000]],
      to: 'paused',
      refusedBy: illegal,
      events: { begin: 'VM_START_INITIATED', end: 'VM_PAUSED', fail: 'VM_START_FAILED' },
    },
    resume: {
      from: ['suspended'],
      via: [['restoring_state', 3_000]],
      to: 'up',
      refusedBy: illegal,
      events: { begin: 'VM_START_INITIATED', end: 'VM_RESUMED', fail: 'VM_RESUME_FAILED' },
    },
    /** A paused VM keeps its host. */
    unpause: { from: ['paused'], to: 'up', refusedBy: illegal, events: { end: 'VM_RESUMED' } },
    stop: {
      from: [...on, 'down'],
      via: [['powering_down', 1_000]],
      to: 'down',
      idempotent: true,
      refusedBy: notOn,
      events: { begin: 'VM_STOPPED', end: 'VM_DOWN' },
    },
    shutdown: {
      from: [...on, 'down'],
      via: [['powering_down', 5_000]],
      to: 'down',
      idempotent: true,
      refusedBy: notOn,
      events: { begin: 'VM_SHUTDOWN_STARTED', end: 'VM_DOWN', fail: 'VM_SHUTDOWN_FAILED' },
    },
    /** Internal: the process of the VM ended unexpectedly. */
    crash: { from: [], to: 'down', refusedBy: illegal, events: { end: 'VM_DOWN_ERROR' } },
    /** A suspended VM does not run, so no power-off is required. */
    discard: {
      from: ['suspended'],
      to: 'down',
      refusedBy: illegal,
      events: { end: 'SUSPENDED_VM_STOPPED' },
    },
    reboot: {
      from: ['up', 'powering_up'],
      via: [['reboot_in_progress', 5_000]],
      to: 'up',
      refusedBy: illegal,
      events: { begin: 'VM_REBOOTING' },
    },
    reset: {
      from: ['up', 'powering_down', 'powering_up', 'migrating', 'reboot_in_progress'],
      to: 'up',
      refusedBy: illegal,
      events: { end: 'VM_RESET' },
    },
    suspend: {
      from: ['up'],
      via: [['saving_state', 4_000]],
      to: 'suspended',
      refusedBy: {
        wait_for_launch: 'VM_STATUS_ILLEGAL',
        not_responding: 'VM_STATUS_ILLEGAL',
        otherwise: 'VM_IS_NOT_UP',
      },
      events: { begin: 'VM_SUSPEND_STARTED', end: 'VM_SUSPENDED', fail: 'VM_SUSPEND_FAILED' },
    },
    migrate: {
      from: ['up', 'powering_up', 'paused', 'reboot_in_progress'],
      via: [['migrating', 5_000]],
      to: 'up',
      refusedBy: {
        migrating: 'VM_IS_MIGRATING',
        not_responding: 'VM_STATUS_ILLEGAL',
        otherwise: 'VM_IS_NOT_RUNNING',
      },
      events: { begin: 'VM_MIGRATION_STARTED', end: 'VM_MIGRATED', fail: 'VM_MIGRATION_FAILED' },
    },
    /** Internal: the host enters maintenance. */
    leave_host: {
      from: [],
      via: [['migrating', 5_000]],
      to: 'up',
      refusedBy: { otherwise: 'VM_IS_NOT_RUNNING' },
      events: {
        begin: 'VM_MIGRATION_STARTED_BY_SYSTEM',
        end: 'VM_MIGRATED',
        fail: 'VM_MIGRATION_FAILED',
      },
    },
    cancel_migration: {
      from: ['migrating'],
      to: 'up',
      refusedBy: { otherwise: 'VM_IS_NOT_MIGRATING' },
      events: { end: 'VM_MIGRATION_CANCELLED' },
    },
    /** Before and after a stateless run. */
    keep_state: {
      from: ['down'],
      via: [['image_locked', 1_000]],
      to: 'down',
      refusedBy: illegal,
      events: { fail: 'VM_START_FAILED' },
    },
    drop_state: {
      from: ['down'],
      via: [['image_locked', 1_000]],
      to: 'down',
      refusedBy: illegal,
      events: { fail: 'STATELESS_SNAPSHOT_LEFT' },
    },
    export: {
      from: ['down'],
      via: [['image_locked', 2_000]],
      to: 'down',
      refusedBy: { image_locked: 'VM_IS_LOCKED', otherwise: 'VM_IS_NOT_DOWN' },
      events: { begin: 'VM_EXPORT_STARTED', end: 'VM_EXPORTED', fail: 'VM_EXPORT_FAILED' },
    },
    /** Export to a file on a host. A running VM keeps its state, because the export only reads. */
    export_to_file: {
      from: ['down', 'up', 'paused', 'powering_up', 'powering_down', 'reboot_in_progress'],
      via: [['image_locked', 2_000]],
      to: 'down',
      refusedBy: { image_locked: 'VM_IS_LOCKED', otherwise: 'VM_STATUS_ILLEGAL' },
      events: { begin: 'VM_EXPORT_TO_FILE_STARTED', end: 'VM_EXPORTED_TO_FILE' },
    },
    freeze_filesystems: { from: ['up'], stays: true, refusedBy: illegal },
    thaw_filesystems: { from: ['up'], stays: true, refusedBy: illegal },
    ticket: { from: consoleStates, stays: true, refusedBy: illegal },
    screenshot: {
      from: ['up', 'powering_down', 'powering_up', 'migrating', 'reboot_in_progress'],
      stays: true,
      refusedBy: illegal,
    },
    auto_pin_cpu_and_numa_nodes: {
      from: ['down'],
      stays: true,
      refusedBy: { otherwise: 'VM_IS_NOT_DOWN' },
    },
    reorder_mac_addresses: {
      from: ['down'],
      stays: true,
      refusedBy: { otherwise: 'VM_IS_NOT_DOWN' },
    },
    preview_snapshot: {
      from: ['down'],
      via: [['image_locked', 2_000]],
      to: 'down',
      refusedBy: { image_locked: 'VM_IS_LOCKED', otherwise: 'VM_IS_NOT_DOWN' },
      events: { begin: 'SNAPSHOT_PREVIEW_STARTED', fail: 'SNAPSHOT_PREVIEW_FAILED' },
    },
    /** Second half of a preview: activates the snapshot, and saves the current state. */
    show_snapshot: {
      from: [],
      via: [['image_locked', 1_000]],
      to: 'down',
      refusedBy: illegal,
      events: { end: 'SNAPSHOT_PREVIEW_FINISHED', fail: 'SNAPSHOT_PREVIEW_FAILED' },
    },
    restore_snapshot: {
      from: ['down'],
      via: [['image_locked', 2_000]],
      to: 'down',
      refusedBy: illegal,
      events: {
        begin: 'SNAPSHOT_RESTORED',
        end: 'SNAPSHOT_RESTORE_FINISHED',
        fail: 'SNAPSHOT_RESTORE_FAILED',
      },
    },
    commit_snapshot: {
      from: ['down'],
      via: [['image_locked', 1_000]],
      to: 'down',
      refusedBy: illegal,
      events: { begin: 'SNAPSHOT_COMMIT_STARTED', end: 'SNAPSHOT_COMMIT_FINISHED' },
    },
    undo_snapshot: {
      from: ['down'],
      via: [['image_locked', 1_000]],
      to: 'down',
      refusedBy: illegal,
      events: {
        begin: 'SNAPSHOT_RESTORED',
        end: 'SNAPSHOT_RESTORE_FINISHED',
        fail: 'SNAPSHOT_RESTORE_FAILED',
      },
    },
    detach: {
      from: ['down', 'suspended', 'image_locked'],
      stays: true,
      refusedBy: { otherwise: 'VM_IN_POOL_IS_RUNNING' },
    },
    /** Completes within the request, so that the name can be reused. */
    remove: {
      from: ['down', 'unassigned', 'image_locked'],
      refusedBy: { suspended: 'VM_IS_SUSPENDED', otherwise: 'VM_IS_RUNNING' },
      events: { end: 'VM_REMOVED' },
    },
  },
});

export const vm = resource('vm', {
  doc: 'A virtual machine (VM).',
  base: 'vm_base',
  unwritten: ['snapshots', 'disk_attachments'],
  attributes: {
    status: {
      kind: 'enum vm_status',
      mut: 'R',
      doc: 'Status: image_locked during the creation of disks, then down.',
    },
    status_detail: {
      kind: 'string',
      mut: 'R',
      doc: 'Reason for a pause, or the current operation of a VM that is down.',
    },
    stop_reason: { kind: 'string', mut: 'R', doc: 'Reason of the last stop.' },
    start_time: {
      kind: 'date',
      mut: 'R',
      doc: 'Start time, for a running VM.',
    },
    stop_time: {
      kind: 'date',
      mut: 'R',
      doc: 'Time of the last stop.',
    },
    run_once: {
      kind: 'bool',
      mut: 'R',
      doc: 'Whether the VM was started with other settings than its configuration.',
    },
    payloads: { kind: 'list struct payload', mut: 'CU', doc: 'Payloads, with all_content only.' },
    fqdn: { kind: 'string', mut: 'R', doc: 'Reported by the guest agent of a running VM.' },
    use_latest_template_version: {
      kind: 'bool',
      mut: 'CU',
      doc: 'Latest version of the template at each start of a stateless VM.',
    },
    next_run_configuration_exists: { kind: 'bool', mut: 'R', default: false },
    guest_time_zone: {
      kind: 'struct time_zone',
      mut: 'R',
      doc: 'Reported by the guest agent of a running VM.',
    },
    guest_operating_system: {
      kind: 'struct guest_operating_system',
      mut: 'R',
      doc: 'Reported by the guest agent of a running VM.',
    },
    has_illegal_images: { kind: 'bool', mut: 'R', doc: 'Shown only if true.' },
    host: { kind: 'ref host', mut: 'R', doc: 'Host that the VM runs on.' },
    template: {
      kind: 'ref template',
      mut: 'C',
      doc: 'Template by name or id; Blank has the all-zero id. Only pool VMs can change it.',
    },
    snapshots: {
      kind: 'links snapshot',
      mut: 'C',
      doc: 'Snapshot by id, as the source of the VM.',
    },
    vm_pool: { kind: 'ref vm_pool', mut: 'R', doc: 'Pool of the VM.' },
    disk_attachments: {
      kind: 'links disk_attachment',
      mut: 'C',
      doc: 'Formats and storage domains for template disks, for clones.',
    },
    numa_tune_mode: {
      kind: 'enum numa_tune_mode',
      mut: 'CU',
      doc: 'Memory mode of virtual NUMA nodes (default interleave).',
    },
    instance_type: { kind: 'ref instance_type', mut: 'CU' },
    external_host_provider: { kind: 'ref external_host_provider', mut: 'CU' },
    original_template: { kind: 'ref template', mut: 'R' },
    nics: { kind: 'links nic', mut: 'R' },
    cdroms: { kind: 'links cdrom', mut: 'R' },
    floppies: { kind: 'links floppy', mut: 'R' },
    reported_devices: { kind: 'links reported_device', mut: 'R' },
    watchdogs: { kind: 'links watchdog', mut: 'R' },
    permissions: { kind: 'links permission', mut: 'R' },
    affinity_labels: { kind: 'links affinity_label', mut: 'R' },
    applications: { kind: 'links application', mut: 'R' },
    graphics_consoles: { kind: 'links graphics_console', mut: 'R' },
    host_devices: { kind: 'links host_device', mut: 'R' },
    katello_errata: { kind: 'links katello_erratum', mut: 'R' },
    backups: { kind: 'links backup', mut: 'R' },
    checkpoints: { kind: 'links checkpoint', mut: 'R' },
    disks: {
      kind: 'links disk',
      mut: 'R',
      through: 'disk_attachments.disk',
      doc: 'The disks of a VM on a storage domain.',
    },
    numa_nodes: { kind: 'links virtual_numa_node', mut: 'R' },
    sessions: { kind: 'links session', mut: 'R' },
    statistics: { kind: 'links statistic', mut: 'R' },
    tags: { kind: 'links tag', mut: 'R' },
    mediated_devices: { kind: 'links vm_mediated_device', mut: 'R' },
    dynamic_cpu: { kind: 'ref dynamic_cpu', mut: 'R' },
  },
  naming: { pattern: 'letters', max: 64, unique: 'service' },
  required: [
    byIdOrName('cluster'),
    unless('name', 'initialization.configuration'),
    unless(byIdOrName('template'), 'snapshots', 'initialization.configuration'),
  ],
  containedIn: ['cluster', 'vm_pool'],
  operations: {
    add: {
      permit: [sent('create_vm', 'cluster'), sent('create_vm', 'template')],
      permitWhenSent: [
        whenSent('placement_policy.hosts', sent('edit_admin_vm_properties', 'cluster')),
        whenSent('custom_properties', sent('change_vm_custom_properties', 'cluster')),
        whenSent('cpu_profile', sent('assign_cpu_profile', 'cpu_profile')),
      ],
      job: 'Creating VM {name}',
    },
    update: {
      permit: self('edit_vm_properties'),
      permitWhenSent: [
        whenSent('cluster', sent('create_vm', 'cluster')),
        whenSent('placement_policy.hosts', self('edit_admin_vm_properties')),
        whenSent('custom_compatibility_version', self('edit_admin_vm_properties')),
        whenSent('custom_properties', self('change_vm_custom_properties')),
        whenSent('cpu_profile', sent('assign_cpu_profile', 'cpu_profile')),
      ],
      job: 'Editing properties of VM {name}',
    },
    remove: {
      permit: self('delete_vm'),
      job: 'Removing VM {name}',
      alsoDeletes: 'deletes its snapshots; without --detach-only, also its disks',
    },
    auto_pin_cpu_and_numa_nodes: {
      permit: self('edit_vm_properties'),
      harmless: true,
      required: ['optimize_cpu_settings'],
    },
    cancel_migration: { permit: self('migrate_vm'), job: 'Cancelling the migration of VM {name}' },
    clone: {
      permit: self('create_vm'),
      job: 'Cloning VM {name}',
      harmless: true,
      required: ['vm.name'],
      makes: [{ in: '/vms', namedBy: 'vm' }],
    },
    commit_snapshot: {
      permit: self('manipulate_vm_snapshots'),
      job: 'Committing the snapshot of VM {name}',
      alsoDeletes: 'deletes the state before the preview and all later snapshots',
    },
    detach: {
      permit: self('edit_vm_pool_configuration'),
    },
    export: {
      permit: self('import_export_vm'),
      job: 'Exporting VM {name}',
      harmless: true,
      required: [exportTarget],
      makes: [{ in: '/storagedomains/{storagedomain}/vms', when: 'storage_domain', keepsId: true }],
    },
    freeze_filesystems: {
      permit: self('configure_vm_storage'),
      job: 'Freezing the file systems of VM {name}',
      opposite: 'thaw_filesystems',
    },
    import: {
      permit: sent('create_vm', 'cluster'),
      job: 'Importing VM {name}',
      harmless: true,
      required: [byIdOrName('cluster'), byIdOrName('storage_domain')],
      makes: [{ in: '/vms', namedBy: 'vm', keepsId: true }],
    },
    logon: { permit: self('connect_to_vm'), harmless: true },
    maintenance: {
      permit: self('edit_vm_properties'),
      harmless: true,
      required: ['maintenance_enabled'],
    },
    migrate: {
      permit: self('migrate_vm'),
      permitWhenSent: [whenSent('cluster', sent('create_vm', 'cluster'))],
      job: 'Migrating VM {name}',
    },
    preview_snapshot: {
      permit: self('manipulate_vm_snapshots'),
      job: 'Previewing a snapshot of VM {name}',
      required: ['snapshot.id'],
    },
    reboot: { permit: self('reboot_vm'), job: 'Rebooting VM {name}' },
    register: {
      permit: sent('create_vm', 'cluster'),
      job: 'Registering VM {name}',
      harmless: true,
      makes: [{ in: '/vms', namedBy: 'vm', keepsId: true }],
    },
    reorder_mac_addresses: {
      permit: self('create_vm'),
      harmless: true,
      makes: makesNothing,
    },
    reset: { permit: self('reset_vm'), job: 'Resetting VM {name}' },
    screenshot: { permit: self('connect_to_vm'), harmless: true },
    shutdown: { permit: self('shut_down_vm'), job: 'Shutting down VM {name}' },
    start: {
      permit: self('run_vm'),
      permitWhenSent: [
        whenSent('vm.custom_properties', self('change_vm_custom_properties')),
        whenSent('vm.placement_policy.hosts', self('edit_admin_vm_properties')),
      ],
      job: 'Launching VM {name}',
      harmless: true,
    },
    stop: { permit: self('stop_vm'), job: 'Stopping VM {name}' },
    suspend: { permit: self('hibernate_vm'), job: 'Suspending VM {name}' },
    thaw_filesystems: {
      permit: self('configure_vm_storage'),
      job: 'Thawing the file systems of VM {name}',
      harmless: true,
      opposite: 'freeze_filesystems',
    },
    ticket: { permit: self('connect_to_vm'), harmless: true },
    undo_snapshot: {
      permit: self('manipulate_vm_snapshots'),
      job: 'Undoing the preview of a snapshot of VM {name}',
      alsoDeletes: 'deletes all changes since the start of the preview',
    },
  },
  paths: {
    '/vms/{vm}': owned({
      list: ['all_content', 'case_sensitive', 'filter', 'follow', 'max', 'ovf_as_ova', 'search'],
      add: ['auto_pinning_policy', 'clone', 'clone_permissions', 'filter', 'seal'],
      get: ['all_content', 'filter', 'follow', 'next_run', 'ovf_as_ova'],
      update: [asyncIgnored, 'next_run'],
      remove: ['async', 'detach_only', 'force'],
      actions: {
        auto_pin_cpu_and_numa_nodes: ['async', 'optimize_cpu_settings'],
        cancel_migration: ['async'],
        clone: ['async', 'discard_snapshots', 'storage_domain', 'vm'],
        commit_snapshot: ['async'],
        detach: ['async'],
        export: [
          'async',
          'directory',
          ignored('discard_snapshots', 'an export always includes the disks without snapshots'),
          'exclusive',
          'filename',
          'host',
          'storage_domain',
        ],
        freeze_filesystems: ['async'],
        logon: ['async'],
        maintenance: ['async', 'maintenance_enabled'],
        migrate: ['async', 'cluster', 'force', 'host', 'migrate_vms_in_affinity_closure'],
        preview_snapshot: [
          'async',
          'disks',
          ignored('lease', 'a preview keeps the lease on its storage domain'),
          'restore_memory',
          'snapshot',
          ignored('vm', 'the snapshot or template provides the configuration'),
        ],
        reboot: ['async', 'force'],
        reorder_mac_addresses: ['async'],
        reset: ['async'],
        screenshot: [],
        shutdown: ['async', 'force', 'reason'],
        start: [
          'async',
          'attach_wgt',
          ignored(
            'authorized_key',
            'engines do not read it; keys are in initialization.authorized_ssh_keys',
          ),
          ignored('filter', 'permits are checked for every object that an action names'),
          'pause',
          'use_cloud_init',
          'use_ignition',
          'use_initialization',
          'use_sysprep',
          'vm',
          'volatile',
        ],
        stop: ['async', 'force', 'reason'],
        suspend: ['async'],
        thaw_filesystems: ['async'],
        ticket: ['async', 'ticket'],
        undo_snapshot: ['async'],
      },
    }),
    '/storagedomains/{storagedomain}/vms/{vm}': computed('domain_vm', {
      ...crud('get', 'remove'),
      list: ['follow', 'max', 'unregistered'],
      actions: {
        import: [
          'async',
          'clone',
          'cluster',
          ignored('collapse_snapshots', 'an import always includes the disks without snapshots'),
          ignored('exclusive', 'an import never replaces an existing object'),
          'storage_domain',
          'vm',
        ],
        register: [
          'allow_partial_import',
          'async',
          'clone',
          'cluster',
          'reassign_bad_macs',
          'registration_configuration',
          'vm',
          'vnic_profile_mappings',
        ],
      },
    }),
    '/clusters/{cluster}/affinitygroups/{group}/vms/{vm}': members(
      { listedBy: 'owner', attribute: 'vms', answers: 'sent' },
      {
        memberVerbs: { one: 'vm', many: 'vms' },
        list: ['follow', 'max'],
        add: [],
        remove: ['async'],
        required: [idOrName],
        permits: { add: [owner('manipulate_affinity_groups')] },
      },
    ),
    '/affinitylabels/{label}/vms/{vm}': members(
      { listedBy: 'owner', attribute: 'vms', answers: 'link' },
      {
        memberVerbs: { one: 'vm', many: 'vms' },
        list: ['follow'],
        add: [],
        get: ['follow'],
        remove: [],
        required: ['id'],
        permits: { add: [system('tag_management')] },
      },
    ),
  },
  statistics: [
    ['memory.installed', 'gauge', 'bytes', 'integer', 'Total memory configured'],
    ['memory.used', 'gauge', 'bytes', 'integer', 'Memory used (agent)'],
    ['cpu.current.guest', 'gauge', 'percent', 'decimal', 'CPU used by guest'],
    ['cpu.current.hypervisor', 'gauge', 'percent', 'decimal', 'CPU overhead'],
    ['cpu.current.total', 'gauge', 'percent', 'decimal', 'Total CPU used'],
    ['migration.progress', 'gauge', 'percent', 'decimal', 'Migration Progress'],
    ['memory.buffered', 'gauge', 'bytes', 'integer', 'Memory buffered (agent)'],
    ['memory.cached', 'gauge', 'bytes', 'integer', 'Memory cached (agent)'],
    ['memory.free', 'gauge', 'bytes', 'integer', 'Memory free (agent)'],
    ['memory.unused', 'gauge', 'bytes', 'integer', 'Memory unused (agent)'],
    ['network.current.total', 'gauge', 'percent', 'decimal', 'Total network used'],
    [
      'disks.usage',
      'gauge',
      'none',
      'string',
      'Disk usage, in bytes, per filesystem as JSON (agent)',
    ],
    ['elapsed.time', 'counter', 'seconds', 'integer', 'Elapsed VM runtime'],
    ['cpu.usage.history', 'gauge', 'percent', 'decimal', describeHistory('CPU')],
    ['memory.usage.history', 'gauge', 'percent', 'decimal', describeHistory('memory')],
    ['network.usage.history', 'gauge', 'percent', 'decimal', describeHistory('network')],
  ],
  search: {
    fields: {
      name: field.name,
      comment: field.comment,
      status: {
        kind: 'enum',
        path: 'status',
        enum: 'vm_status',
        values: {
          migratingfrom: 'migrating',
          migratingto: 'migrating',
          imageillegal: 'image_illegal',
        },
      },
      ip: { kind: 'text', source: 'IP addresses that the guest reports' },
      on_host: { kind: 'text', path: 'host.name' },
      fqdn: { kind: 'text', path: 'fqdn' },
      uptime: { kind: 'span', source: 'time since start_time of a running VM' },
      os: { kind: 'text', path: 'os.type' },
      creationdate: { kind: 'date', path: 'creation_time' },
      address: { kind: 'text', path: 'display.address', doc: 'address of the graphical console' },
      cpu_usage: { kind: 'number', source: 'statistic cpu.current.total' },
      mem_usage: { kind: 'number', source: 'statistic memory.used, in percent of memory' },
      network_usage: { kind: 'number', source: 'statistic network.current.total' },
      memory: { kind: 'number', path: 'memory', unit: 'MiB' },
      guaranteed_memory: { kind: 'number', path: 'memory_policy.guaranteed', unit: 'MiB' },
      migration_progress_percent: { kind: 'number', source: 'statistic migration.progress' },
      vcpus: { kind: 'number', source: 'product of the numbers in cpu.topology' },
      apps: { kind: 'text', source: 'names of the applications that the guest reports' },
      cluster: field.clusterName,
      pool: { kind: 'text', path: 'vm_pool.name' },
      loggedinuser: {
        kind: 'text',
        through: [{ back: 'session.vm' }],
        path: 'user.user_name',
        doc: 'name of a user with a session in the guest',
      },
      tag: field.tag,
      datacenter: field.dataCenterOfCluster,
      type: { kind: 'enum', path: 'type', enum: 'vm_type' },
      quota: field.quotaName,
      id: field.id,
      description: field.description,
      architecture: field.architecture,
      custom_emulated_machine: { kind: 'text', path: 'custom_emulated_machine' },
      custom_cpu_type: { kind: 'text', path: 'custom_cpu_model' },
      compatibility_level: {
        kind: 'text',
        source: 'custom_compatibility_version, or the version of the cluster, as major.minor',
      },
      custom_compatibility_level: {
        kind: 'text',
        path: 'custom_compatibility_version',
        as: 'version',
      },
      created_by_user_id: {
        kind: 'text',
        source: 'id of the user who added the VM',
        isId: true,
      },
      next_run_config_exists: { kind: 'bool', path: 'next_run_configuration_exists' },
      has_illegal_images: { kind: 'bool', path: 'has_illegal_images' },
      bios_type: { kind: 'enum', path: 'bios.type', enum: 'bios_type' },
      k8s_namespace: { kind: 'text', source: 'namespace in a container cluster; always empty' },
      domain: { kind: 'text', path: 'initialization.domain' },
    },
    related: [
      { ...related.hosts, steps: [{ follow: 'host' }] },
      { ...related.templates, steps: [{ follow: 'template' }] },
      { ...related.events, steps: [{ back: 'event.vm' }] },
      { ...related.users, steps: [{ back: 'permission.vm' }, { follow: 'user' }] },
      {
        ...related.storage,
        steps: [{ back: 'disk_attachment.vm' }, { follow: 'disk' }, { follow: 'storage_domains' }],
      },
      { ...related.vmNics, steps: [{ back: 'nic.vm' }] },
    ],
  },
  lifecycle: vmLifecycle,
  definition: {
    writtenAt: ['/vms'],
    namedAt: ['/clusters/{cluster}/affinitygroups/{group}/vms', '/affinitylabels/{label}/vms'],
    except: { vm_pool: 'any' },
  },
  commands: {
    noun: 'vms',
    group: 'compute',
    position: 10,
    doc: 'Virtual machines (VMs)',
    one: 'VM',
    columns: ['name', 'status', 'host.name', 'cluster.name', 'memory', cpusColumn, 'fqdn'],
    wideColumns: [{ title: 'ip', paths: ['reported_devices.ips.address'] }],
    searchedByName: true,
    shortcuts: cpuShortcuts,
    verbs: {
      clone: {
        shortcuts: [shortcut('name', 'vm.name', 'Name of the copy.')],
        sample: { flags: '--name web01-copy' },
      },
      detach: { purpose: 'Detach {} from its pool', sample: { object: 'desktops-1' } },
      export: { sample: { flags: '--host node1 --directory /exports --filename web01.ova' } },
      import: {
        shortcuts: [shortcut('to', 'storage_domain', 'Storage domain for the disks.')],
        sample: { flags: '--cluster Default --to data2', parents: { storagedomains: 'export1' } },
      },
      migrate: { sample: { flags: '--host node2' } },
      'preview-snapshot': {
        shortcuts: [shortcut('snapshot', 'snapshot.id', 'Snapshot (description or id).')],
        sample: { flags: '--snapshot before-upgrade' },
      },
      register: { sample: { flags: '--cluster Default' } },
      start: {
        sample: { also: '--once --boot cdrom,disk --cdrom debian-12.7.0-amd64-netinst.iso' },
      },
      stop: { purpose: 'Power off {} without a guest shutdown' },
      ticket: {
        shortcuts: [shortcut('expiry', 'ticket.expiry', 'Lifetime of the ticket in seconds.')],
        sample: { flags: '--expiry 120' },
      },
    },
    samples: { object: 'web01', newName: 'web03', state: 'up' },
  },
});

export const dynamicCpu = structure('dynamic_cpu', {
  attributes: {
    topology: { kind: 'struct cpu_topology', mut: 'CU' },
    cpu_tune: { kind: 'struct cpu_tune', mut: 'CU' },
  },
});

export const guestOperatingSystem = structure('guest_operating_system', {
  attributes: {
    architecture: { kind: 'string', mut: 'CU' },
    codename: { kind: 'string', mut: 'CU' },
    distribution: { kind: 'string', mut: 'CU' },
    kernel: { kind: 'struct kernel', mut: 'CU' },
    family: { kind: 'string', mut: 'CU' },
    version: { kind: 'struct version', mut: 'CU' },
  },
});

export const kernel = structure('kernel', {
  attributes: {
    version: { kind: 'struct version', mut: 'CU' },
  },
});

export const payload = structure('payload', {
  attributes: {
    files: { kind: 'list struct file', mut: 'CU' },
    volume_id: { kind: 'string', mut: 'CU' },
    type: { kind: 'enum vm_device_type', mut: 'CU' },
  },
});
