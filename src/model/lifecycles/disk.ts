/** Lifecycle of disks (specification 3). */
import { lifecycle } from './notation.ts';

export const disk = lifecycle({
  type: 'disk',
  attribute: 'status',
  initial: 'locked',
  settled: ['ok', 'illegal'],
  failed: ['illegal'],
  moves: {
    add: {
      from: [],
      via: [['locked', 2_000]],
      to: 'ok',
      refusedBy: { otherwise: 'DISK_IS_LOCKED' },
      events: { begin: 'DISK_ADD_STARTED', end: 'DISK_ADDED' },
    },
    /** A disk that is made for a machine, with its attachment. */
    add_to_vm: {
      from: [],
      via: [['locked', 2_000]],
      to: 'ok',
      refusedBy: { otherwise: 'DISK_IS_LOCKED' },
      events: { begin: 'DISK_ADD_TO_VM_STARTED', end: 'DISK_ADDED_TO_VM' },
    },
    update: {
      from: ['ok'],
      via: [['locked', 1_000]],
      to: 'ok',
      refusedBy: { illegal: 'DISK_IS_ILLEGAL', otherwise: 'DISK_IS_LOCKED' },
      events: { end: 'DISK_UPDATED' },
    },
    copy: {
      from: ['ok'],
      via: [['locked', 2_000]],
      to: 'ok',
      refusedBy: { illegal: 'DISK_IS_ILLEGAL', otherwise: 'DISK_IS_LOCKED' },
      events: { begin: 'DISK_COPY_STARTED', end: 'DISK_COPY_FINISHED' },
    },
    move: {
      from: ['ok'],
      via: [['locked', 2_000]],
      to: 'ok',
      refusedBy: { illegal: 'DISK_IS_ILLEGAL', otherwise: 'DISK_IS_LOCKED' },
      events: { begin: 'DISK_MOVE_STARTED', end: 'DISK_MOVE_FINISHED' },
    },
    export: {
      from: ['ok'],
      via: [['locked', 2_000]],
      to: 'ok',
      refusedBy: { illegal: 'DISK_IS_ILLEGAL', otherwise: 'DISK_IS_LOCKED' },
      events: { begin: 'DISK_EXPORT_STARTED', end: 'DISK_EXPORTED' },
    },
    sparsify: {
      from: ['ok'],
      via: [['locked', 1_000]],
      to: 'ok',
      refusedBy: { illegal: 'DISK_IS_ILLEGAL', otherwise: 'DISK_IS_LOCKED' },
      events: { begin: 'DISK_SPARSIFY_STARTED', end: 'DISK_SPARSIFY_FINISHED' },
    },
    reduce: {
      from: ['ok'],
      via: [['locked', 1_000]],
      to: 'ok',
      refusedBy: { illegal: 'DISK_IS_ILLEGAL', otherwise: 'DISK_IS_LOCKED' },
      events: { end: 'DISK_REDUCED' },
    },
    convert: {
      from: ['ok'],
      via: [['locked', 2_000]],
      to: 'ok',
      refusedBy: { illegal: 'DISK_IS_ILLEGAL', otherwise: 'DISK_IS_LOCKED' },
      events: { end: 'DISK_UPDATED' },
    },
    extend: {
      from: ['ok'],
      via: [['locked', 1_000]],
      to: 'ok',
      refusedBy: { illegal: 'DISK_IS_ILLEGAL', otherwise: 'DISK_IS_LOCKED' },
      events: { begin: 'DISK_EXTEND_STARTED', end: 'DISK_EXTENDED' },
    },
    import: {
      from: [],
      via: [['locked', 2_000]],
      to: 'ok',
      refusedBy: { otherwise: 'DISK_IS_LOCKED' },
      events: { begin: 'DISK_ADD_STARTED', end: 'DISK_ADDED' },
    },
    remove: {
      from: ['ok', 'illegal'],
      via: [['locked', 1_000]],
      refusedBy: { otherwise: 'DISK_IS_LOCKED' },
      events: { begin: 'DISK_REMOVE_STARTED', end: 'DISK_REMOVED' },
    },
  },
});
