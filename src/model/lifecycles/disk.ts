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
      events: { begin: 2020, end: 2021 },
    },
    /** A disk that is made for a machine, with its attachment. */
    add_to_vm: {
      from: [],
      via: [['locked', 2_000]],
      to: 'ok',
      refusedBy: { otherwise: 'DISK_IS_LOCKED' },
      events: { begin: 78, end: 97 },
    },
    update: {
      from: ['ok'],
      via: [['locked', 1_000]],
      to: 'ok',
      refusedBy: { illegal: 'DISK_IS_ILLEGAL', otherwise: 'DISK_IS_LOCKED' },
      events: { end: 88 },
    },
    copy: {
      from: ['ok'],
      via: [['locked', 2_000]],
      to: 'ok',
      refusedBy: { illegal: 'DISK_IS_ILLEGAL', otherwise: 'DISK_IS_LOCKED' },
      events: { begin: 2004, end: 2006 },
    },
    move: {
      from: ['ok'],
      via: [['locked', 2_000]],
      to: 'ok',
      refusedBy: { illegal: 'DISK_IS_ILLEGAL', otherwise: 'DISK_IS_LOCKED' },
      events: { begin: 2008, end: 2010 },
    },
    export: {
      from: ['ok'],
      via: [['locked', 2_000]],
      to: 'ok',
      refusedBy: { illegal: 'DISK_IS_ILLEGAL', otherwise: 'DISK_IS_LOCKED' },
      events: { begin: 2030, end: 2031 },
    },
    sparsify: {
      from: ['ok'],
      via: [['locked', 1_000]],
      to: 'ok',
      refusedBy: { illegal: 'DISK_IS_ILLEGAL', otherwise: 'DISK_IS_LOCKED' },
      events: { begin: 1325, end: 1326 },
    },
    reduce: {
      from: ['ok'],
      via: [['locked', 1_000]],
      to: 'ok',
      refusedBy: { illegal: 'DISK_IS_ILLEGAL', otherwise: 'DISK_IS_LOCKED' },
      events: { end: 382 },
    },
    convert: {
      from: ['ok'],
      via: [['locked', 2_000]],
      to: 'ok',
      refusedBy: { illegal: 'DISK_IS_ILLEGAL', otherwise: 'DISK_IS_LOCKED' },
      events: { end: 88 },
    },
    extend: {
      from: ['ok'],
      via: [['locked', 1_000]],
      to: 'ok',
      refusedBy: { illegal: 'DISK_IS_ILLEGAL', otherwise: 'DISK_IS_LOCKED' },
      events: { begin: 377, end: 371 },
    },
    import: {
      from: [],
      via: [['locked', 2_000]],
      to: 'ok',
      refusedBy: { otherwise: 'DISK_IS_LOCKED' },
      events: { begin: 2020, end: 2021 },
    },
    remove: {
      from: ['ok', 'illegal'],
      via: [['locked', 1_000]],
      refusedBy: { otherwise: 'DISK_IS_LOCKED' },
      events: { begin: 2038, end: 2014 },
    },
  },
});
