/** Lifecycle of virtual machines (specification 3). */
import { lifecycle } from './notation.ts';

/** States from which a virtual machine can be switched off. */
const on = [
  'up',
  'powering_down',
  'powering_up',
  'migrating',
  'wait_for_launch',
  'reboot_in_progress',
  'paused',
  'not_responding',
  'suspended',
] as const;

/** What refuses to switch it off from the other states. */
const notOn = {
  saving_state: 'VM_IS_SAVING_RESTORING',
  restoring_state: 'VM_IS_SAVING_RESTORING',
  otherwise: 'VM_IS_NOT_RUNNING',
} as const;

export const vm = lifecycle({
  type: 'vm',
  attribute: 'status',
  initial: 'down',
  settled: ['down', 'up', 'paused', 'suspended', 'unknown', 'not_responding', 'unassigned'],
  failed: ['unknown', 'not_responding'],
  moves: {
    add: {
      from: [],
      via: [['image_locked', 2_000]],
      to: 'down',
      refusedBy: { otherwise: 'VM_IS_LOCKED' },
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
        image_locked: 'VM_IS_LOCKED',
        otherwise: 'VM_STATUS_ILLEGAL',
      },
      events: { begin: 153, end: 32 },
    },
    resume: {
      from: ['suspended'],
      via: [['restoring_state', 3_000]],
      to: 'up',
      refusedBy: { otherwise: 'VM_STATUS_ILLEGAL' },
      events: { begin: 153, end: 40 },
    },
    stop: {
      from: [...on, 'down'],
      via: [['powering_down', 1_000]],
      to: 'down',
      refusedBy: notOn,
      events: { begin: 33, end: 61 },
    },
    shutdown: {
      from: on,
      via: [['powering_down', 5_000]],
      to: 'down',
      refusedBy: notOn,
      events: { begin: 73, end: 61 },
    },
    reboot: {
      from: ['up', 'powering_up'],
      via: [['reboot_in_progress', 5_000]],
      to: 'up',
      refusedBy: { otherwise: 'VM_STATUS_ILLEGAL' },
      events: { begin: 157 },
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
      events: { begin: 501, end: 503 },
    },
    remove: {
      from: ['down', 'unassigned', 'image_locked'],
      via: [['image_locked', 1_000]],
      refusedBy: { suspended: 'VM_IS_SUSPENDED', otherwise: 'VM_IS_RUNNING' },
      events: { end: 113 },
    },
  },
});
