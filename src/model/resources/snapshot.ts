/** Snapshots of virtual machines. */
import { crud, ignored, owned } from '../notation/collections.ts';
import { column } from '../notation/commands.ts';
import { lifecycle } from '../notation/lifecycle.ts';
import { owner } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';

const busy = { otherwise: 'SNAPSHOT_IS_BUSY' } as const;

export const snapshotLifecycle = lifecycle({
  type: 'snapshot',
  attribute: 'snapshot_status',
  initial: 'locked',
  settled: ['ok', 'in_preview'],
  moves: {
    add: {
      from: [],
      via: [['locked', 3_000]],
      to: 'ok',
      refusedBy: busy,
      events: { begin: 'SNAPSHOT_STARTED', end: 'SNAPSHOT_FINISHED' },
    },
    /** Follows its VM, which is locked during the operation. */
    restore: { from: ['ok'], via: [['in_preview', 2_000]], to: 'ok', refusedBy: busy },
    remove: {
      from: ['ok'],
      via: [['locked', 3_000]],
      refusedBy: busy,
      events: { begin: 'SNAPSHOT_REMOVE_STARTED', end: 'SNAPSHOT_REMOVED' },
    },
  },
});

export const snapshot = resource('snapshot', {
  doc: 'The state of a VM at a point in time.',
  base: 'vm',
  // Responses show the saved configuration in the VM.
  answers: [
    'name',
    'description',
    'snapshot_status',
    'snapshot_type',
    'persist_memorystate',
    'date',
    'vm',
    'disks',
    'nics',
    'cdroms',
    'initialization',
  ],
  attributes: {
    description: {
      kind: 'string',
      mut: 'C',
      length: [0, 4000],
      default: '',
      doc: 'Description (at most 4,000 characters).',
    },
    snapshot_status: {
      kind: 'enum snapshot_status',
      mut: 'R',
      doc: 'Status: locked, then ok.',
    },
    persist_memorystate: {
      kind: 'bool',
      mut: 'C',
      doc: 'Whether to save the memory (default: true for a running VM).',
    },
    snapshot_type: {
      kind: 'enum snapshot_type',
      mut: 'R',
      doc: 'Type: regular for snapshots of users, active for the present state.',
    },
    date: { kind: 'date', mut: 'R' },
    vm: { kind: 'ref vm', mut: 'R', withoutAddress: true },
    disks: { kind: 'links disk', mut: 'R' },
  },
  required: ['description'],
  operations: {
    add: {
      permit: owner('manipulate_vm_snapshots'),
      job: 'Creating snapshot {name} of VM {owner}',
    },
    remove: {
      permit: owner('manipulate_vm_snapshots'),
      job: 'Removing snapshot {name} of VM {owner}',
    },
    restore: {
      permit: owner('manipulate_vm_snapshots'),
      job: 'Restoring VM {owner} to snapshot {name}',
      alsoDeletes: 'deletes the current state of the VM and all later snapshots',
    },
  },
  paths: {
    '/vms/{vm}/snapshots/{snapshot}': owned({
      ...crud('add', 'get'),
      list: ['all_content', 'follow', 'max'],
      remove: [ignored('all_content', 'the response to a removal contains no object'), 'async'],
      actions: { restore: ['async', 'disks', 'restore_memory'] },
    }),
  },
  lifecycle: snapshotLifecycle,
  missingCollections: {
    by: 'snapshot_type',
    // The active snapshot is no copy: its parts are those of the VM.
    collections: { active: ['cdroms', 'disks', 'nics'] },
    alone: [],
  },
  enums: {
    snapshot_status: ['ok', 'locked', 'in_preview'],
    snapshot_type: ['regular', 'active', 'stateless', 'preview'],
  },
  events: {
    SNAPSHOT_STARTED: {
      code: 45,
      severity: 'normal',
      text: "Snapshot '{SnapshotName}' creation for VM '{VmName}' was initiated by {UserName}.",
    },
    SNAPSHOT_PREVIEW_STARTED: {
      code: 46,
      severity: 'normal',
      text: "Snapshot '{SnapshotName}' preview for VM '{VmName}' was initiated by {UserName}.",
    },
    SNAPSHOT_RESTORED: {
      code: 47,
      severity: 'normal',
      text: "VM '{VmName}' is restored from snapshot '{SnapshotName}' by {UserName}.",
    },
    SNAPSHOT_FINISHED: {
      code: 68,
      severity: 'normal',
      text: "Snapshot '{SnapshotName}' creation for VM '{VmName}' has been completed.",
    },
    SNAPSHOT_FAILED: {
      code: 69,
      severity: 'error',
      text: "Failed to complete snapshot '{SnapshotName}' creation for VM '{VmName}'.",
    },
    SNAPSHOT_PREVIEW_FINISHED: {
      code: 71,
      severity: 'normal',
      text: "Snapshot '{SnapshotName}' preview for VM '{VmName}' has been completed.",
    },
    SNAPSHOT_PREVIEW_FAILED: {
      code: 99,
      severity: 'error',
      text: 'Failed to preview snapshot {SnapshotName} of VM {VmName}.',
    },
    SNAPSHOT_COMMIT_STARTED: {
      code: 94,
      severity: 'normal',
      text: "Committing the snapshot preview of VM '{VmName}' was initiated by {UserName}.",
    },
    SNAPSHOT_COMMIT_FINISHED: {
      code: 95,
      severity: 'normal',
      text: "Committing the snapshot preview of VM '{VmName}' has been completed.",
    },
    SNAPSHOT_RESTORE_FINISHED: {
      code: 100,
      severity: 'normal',
      text: "VM '{VmName}' restoring from snapshot '{SnapshotName}' has been completed.",
    },
    SNAPSHOT_RESTORE_FAILED: {
      code: 652,
      severity: 'error',
      text: 'Failed to restore VM {VmName} from a snapshot.',
    },
    SNAPSHOT_REMOVE_STARTED: {
      code: 342,
      severity: 'normal',
      text: "Snapshot '{SnapshotName}' deletion for VM '{VmName}' was initiated by {UserName}.",
    },
    SNAPSHOT_REMOVED: {
      code: 356,
      severity: 'normal',
      text: "Snapshot '{SnapshotName}' deletion for VM '{VmName}' has been completed.",
    },
  },
  definition: {
    leftOut: 'past states with disk contents, which a definition does not include',
  },
  commands: {
    noun: 'snapshots',
    aliases: ['vmsnapshots'],
    group: 'compute',
    doc: 'Snapshots of VMs',
    columns: [
      'description',
      column('status', 'snapshot_status'),
      column('type', 'snapshot_type'),
      'date',
      'id',
    ],
    knownBy: ['description'],
    // All other attributes are those of the VM.
    verbs: { create: { onlyAttributes: ['description', 'persist_memorystate'] } },
    samples: { object: 'before-upgrade', state: 'ok' },
  },
});
