/** Lifecycle of virtual machines (specification 3). */
import { lifecycle } from './notation.ts';

/** States in which a virtual machine runs. */
const running = [
  'up',
  'powering_down',
  'powering_up',
  'migrating',
  'wait_for_launch',
  'reboot_in_progress',
] as const;

/** States from which a virtual machine can be switched off. */
const on = [...running, 'paused', 'not_responding', 'suspended'] as const;

/** What refuses to switch it off from the other states. */
const notOn = {
  saving_state: 'VM_IS_SAVING_RESTORING',
  restoring_state: 'VM_IS_SAVING_RESTORING',
  otherwise: 'VM_IS_NOT_RUNNING',
} as const;

const illegal = { otherwise: 'VM_STATUS_ILLEGAL' } as const;

/** States in which somebody may sit at the console. */
const consoleStates = [
  'up',
  'paused',
  'powering_up',
  'powering_down',
  'reboot_in_progress',
] as const;

export const vm = lifecycle({
  type: 'vm',
  attribute: 'status',
  initial: 'down',
  settled: ['down', 'up', 'paused', 'suspended', 'unknown', 'not_responding', 'unassigned'],
  failed: ['unknown', 'not_responding'],
  moves: {
    /** Only with disks to copy; without them it is down at once. */
    add: {
      from: [],
      via: [['image_locked', 2_000]],
      to: 'down',
      refusedBy: { otherwise: 'VM_IS_LOCKED' },
      events: { begin: 'VM_ADD_STARTED', end: 'VM_ADD_FINISHED' },
    },
    /** From another platform, or from a file on a host. */
    import: {
      from: [],
      via: [['image_locked', 4_000]],
      to: 'down',
      refusedBy: { otherwise: 'VM_IS_LOCKED' },
      events: { end: 'VM_IMPORTED' },
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
      events: { begin: 'VM_START_INITIATED', end: 'VM_STARTED' },
    },
    start_paused: {
      from: ['down'],
      via: [['wait_for_launch', 1_000]],
      to: 'paused',
      refusedBy: illegal,
      events: { begin: 'VM_START_INITIATED', end: 'VM_PAUSED' },
    },
    resume: {
      from: ['suspended'],
      via: [['restoring_state', 3_000]],
      to: 'up',
      refusedBy: illegal,
      events: { begin: 'VM_START_INITIATED', end: 'VM_RESUMED' },
    },
    /** From paused, where it has its host still. */
    unpause: { from: ['paused'], to: 'up', refusedBy: illegal, events: { end: 'VM_RESUMED' } },
    stop: {
      from: [...on, 'down'],
      via: [['powering_down', 1_000]],
      to: 'down',
      refusedBy: notOn,
      events: { begin: 'VM_STOPPED', end: 'VM_DOWN' },
    },
    shutdown: {
      from: on,
      via: [['powering_down', 5_000]],
      to: 'down',
      refusedBy: notOn,
      events: { begin: 'VM_SHUTDOWN_STARTED', end: 'VM_DOWN' },
    },
    /** From suspended nothing runs that had to be switched off. */
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
      events: { begin: 'VM_SUSPEND_STARTED', end: 'VM_SUSPENDED' },
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
      events: { begin: 'VM_MIGRATION_STARTED', end: 'VM_MIGRATED' },
    },
    /** Nobody asks for this: the host goes to maintenance. */
    leave_host: {
      from: [],
      via: [['migrating', 5_000]],
      to: 'up',
      refusedBy: { otherwise: 'VM_IS_NOT_RUNNING' },
      events: { begin: 'VM_MIGRATION_STARTED_BY_SYSTEM', end: 'VM_MIGRATED' },
    },
    cancel_migration: {
      from: ['migrating'],
      to: 'up',
      refusedBy: { otherwise: 'VM_IS_NOT_MIGRATING' },
      events: { end: 'VM_MIGRATION_CANCELLED' },
    },
    /** Before and after a run that leaves nothing behind. */
    keep_state: {
      from: ['down'],
      via: [['image_locked', 1_000]],
      to: 'down',
      refusedBy: illegal,
    },
    drop_state: {
      from: ['down'],
      via: [['image_locked', 1_000]],
      to: 'down',
      refusedBy: illegal,
    },
    export: {
      from: ['down'],
      via: [['image_locked', 2_000]],
      to: 'down',
      refusedBy: { image_locked: 'VM_IS_LOCKED', otherwise: 'VM_IS_NOT_DOWN' },
      events: { begin: 'VM_EXPORT_STARTED', end: 'VM_EXPORTED' },
    },
    /** Into a file on a host; while it runs it is only read, and keeps its state. */
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
      events: { begin: 'SNAPSHOT_PREVIEW_STARTED' },
    },
    /** The second half of a preview: the present is kept, now the snapshot takes its place. */
    show_snapshot: {
      from: [],
      via: [['image_locked', 1_000]],
      to: 'down',
      refusedBy: illegal,
      events: { end: 'SNAPSHOT_PREVIEW_FINISHED' },
    },
    restore_snapshot: {
      from: ['down'],
      via: [['image_locked', 2_000]],
      to: 'down',
      refusedBy: illegal,
      events: { begin: 'SNAPSHOT_RESTORED', end: 'SNAPSHOT_RESTORE_FINISHED' },
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
      events: { begin: 'SNAPSHOT_RESTORED', end: 'SNAPSHOT_RESTORE_FINISHED' },
    },
    detach: {
      from: ['down', 'suspended', 'image_locked'],
      stays: true,
      refusedBy: { otherwise: 'VM_IN_POOL_IS_RUNNING' },
    },
    /** Within the call: whoever removed it may use its name at once. */
    remove: {
      from: ['down', 'unassigned', 'image_locked'],
      refusedBy: { suspended: 'VM_IS_SUSPENDED', otherwise: 'VM_IS_RUNNING' },
      events: { end: 'VM_REMOVED' },
    },
  },
});
