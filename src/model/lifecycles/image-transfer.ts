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
      events: { begin: 'TRANSFER_STARTED' },
    },
    pause: {
      from: ['initializing', 'transferring', 'resuming'],
      to: 'paused_user',
      refusedBy: { otherwise: 'TRANSFER_IS_OVER' },
      events: { end: 'TRANSFER_PAUSED_BY_USER' },
    },
    resume: {
      from: ['paused_user', 'paused_system'],
      via: [['resuming', 200]],
      to: 'transferring',
      refusedBy: { otherwise: 'TRANSFER_CANNOT_BE_RESUMED' },
      events: { begin: 'TRANSFER_RESUMED_BY_USER' },
    },
    finalize: {
      from: ['transferring', 'paused_user', 'paused_system', 'resuming'],
      via: [['finalizing_success', 500]],
      to: 'finished_success',
      refusedBy: { otherwise: 'TRANSFER_IS_OVER' },
      events: { end: 'TRANSFER_SUCCEEDED' },
    },
    cancel: {
      from: ['initializing', 'transferring', 'paused_user', 'paused_system', 'resuming'],
      via: [
        ['cancelled_user', 200],
        ['finalizing_cleanup', 200],
      ],
      to: 'finished_cleanup',
      refusedBy: { otherwise: 'TRANSFER_IS_OVER' },
      events: { end: 'TRANSFER_CANCELLED' },
    },
    fail: {
      from: ['initializing', 'transferring', 'paused_user', 'paused_system', 'resuming'],
      via: [
        ['cancelled_system', 200],
        ['finalizing_failure', 200],
      ],
      to: 'finished_failure',
      refusedBy: { otherwise: 'TRANSFER_IS_OVER' },
      events: { end: 'TRANSFER_FAILED' },
    },
  },
});
