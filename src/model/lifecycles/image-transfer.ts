/** Phases of image transfers (specification 4.6). */
import { lifecycle } from './notation.ts';

export const imageTransfer = lifecycle({
  type: 'image_transfer',
  attribute: 'phase',
  initial: 'initializing',
  settled: [
    'transferring',
    'paused_user',
    'paused_system',
    'finished_success',
    'finished_failure',
    'finished_cleanup',
  ],
  failed: ['paused_system', 'finished_failure'],
  moves: {
    add: {
      from: [],
      via: [['initializing', 500]],
      to: 'transferring',
      refusedBy: { otherwise: 'DISK_IS_LOCKED' },
      events: { begin: 1031 },
    },
    pause: {
      from: ['initializing', 'transferring', 'resuming'],
      to: 'paused_user',
      refusedBy: { otherwise: 'TRANSFER_IS_OVER' },
      events: { end: 1073 },
    },
    resume: {
      from: ['paused_user', 'paused_system'],
      via: [['resuming', 200]],
      to: 'transferring',
      refusedBy: { otherwise: 'TRANSFER_CANNOT_BE_RESUMED' },
      events: { begin: 1074 },
    },
    finalize: {
      from: ['transferring', 'paused_user', 'paused_system', 'resuming'],
      via: [['finalizing_success', 500]],
      to: 'finished_success',
      refusedBy: { otherwise: 'TRANSFER_IS_OVER' },
      events: { end: 1032 },
    },
    cancel: {
      from: ['initializing', 'transferring', 'paused_user', 'paused_system', 'resuming'],
      via: [
        ['cancelled_user', 200],
        ['finalizing_cleanup', 200],
      ],
      to: 'finished_cleanup',
      refusedBy: { otherwise: 'TRANSFER_IS_OVER' },
      events: { end: 1033 },
    },
    fail: {
      from: ['initializing', 'transferring', 'paused_user', 'paused_system', 'resuming'],
      via: [
        ['cancelled_system', 200],
        ['finalizing_failure', 200],
      ],
      to: 'finished_failure',
      refusedBy: { otherwise: 'TRANSFER_IS_OVER' },
      events: { end: 1034 },
    },
  },
});
