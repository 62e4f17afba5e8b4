/** VM backups, and checkpoints for incremental backups. */
import { crud, owned } from '../notation/collections.ts';
import { lifecycle } from '../notation/lifecycle.ts';
import { owner } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';

export const backupLifecycle = lifecycle({
  type: 'backup',
  attribute: 'phase',
  initial: 'initializing',
  settled: ['ready', 'succeeded', 'failed'],
  failed: ['failed'],
  moves: {
    add: {
      from: [],
      via: [
        ['initializing', 500],
        ['starting', 1_000],
      ],
      to: 'ready',
      refusedBy: { otherwise: 'BACKUP_NOT_READY' },
      events: { begin: 'VM_BACKUP_STARTED' },
    },
    finalize: {
      from: ['ready'],
      via: [['finalizing', 1_000]],
      to: 'succeeded',
      refusedBy: { otherwise: 'BACKUP_NOT_READY' },
      events: { begin: 'VM_BACKUP_FINALIZED', end: 'VM_BACKUP_SUCCEEDED' },
    },
  },
});

export const backup = resource('backup', {
  identified: true,
  attributes: {
    host: { kind: 'ref host', mut: 'R' },
    from_checkpoint_id: {
      kind: 'string',
      mut: 'C',
      doc: 'Base checkpoint of an incremental backup (default: full backup).',
    },
    to_checkpoint_id: {
      kind: 'string',
      mut: 'R',
      doc: 'Checkpoint that this backup creates.',
    },
    phase: { kind: 'enum backup_phase', mut: 'R' },
    creation_date: { kind: 'date', mut: 'R' },
    modification_date: { kind: 'date', mut: 'R' },
    vm: { kind: 'ref vm', mut: 'R' },
    disks: { kind: 'links disk', mut: 'C' },
    snapshot: { kind: 'ref snapshot', mut: 'R' },
  },
  required: ['disks'],
  operations: {
    /** The job ends when the backup ends. */
    add: { permit: owner('backup_disk'), job: 'Backing up VM {owner}' },
    finalize: {
      permit: owner('backup_disk'),
      job: 'Finalizing a backup of VM {owner}',
      harmless: true,
    },
  },
  paths: {
    '/vms/{vm}/backups/{backup}': owned({
      ...crud('list', 'get'),
      add: ['require_consistency', 'use_active'],
      actions: { finalize: [] },
    }),
  },
  lifecycle: backupLifecycle,
  definition: { leftOut: 'a running operation whose result is outside of the site' },
  commands: {
    noun: 'backups',
    group: 'compute',
    position: 30,
    more: true,
    doc: 'Backups of VMs',
    verbs: {
      create: {
        flagAliases: { 'from-checkpoint-id': ['incremental-from'] },
        sample: { flags: '--disks web01_Disk1' },
      },
      finalize: { purpose: 'End {}' },
    },
  },
});

export const checkpoint = resource('checkpoint', {
  identified: true,
  attributes: {
    parent_id: { kind: 'string', mut: 'R' },
    creation_date: { kind: 'date', mut: 'R' },
    state: { kind: 'enum checkpoint_state', mut: 'R' },
    vm: { kind: 'ref vm', mut: 'R' },
    disks: { kind: 'links disk', mut: 'R' },
  },
  operations: {
    remove: { permit: owner('backup_disk'), job: 'Removing a checkpoint of VM {owner}' },
  },
  paths: {
    '/vms/{vm}/checkpoints/{checkpoint}': owned(crud('list', 'get', 'remove')),
  },
  commands: {
    noun: 'checkpoints',
    group: 'compute',
    position: 40,
    more: true,
    doc: 'Checkpoints for incremental backups',
  },
});
