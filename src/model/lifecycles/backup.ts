/** Lifecycle of backups of machines (specification 3). */
import { lifecycle } from './notation.ts';

export const backup = lifecycle({
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
