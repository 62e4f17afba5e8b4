/** Lifecycle of snapshots (specification 3). */
import { lifecycle } from './notation.ts';

const busy = { otherwise: 'SNAPSHOT_IS_BUSY' } as const;

export const snapshot = lifecycle({
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
    /** Goes along with its machine, which is locked meanwhile. */
    restore: { from: ['ok'], via: [['in_preview', 2_000]], to: 'ok', refusedBy: busy },
    remove: {
      from: ['ok'],
      via: [['locked', 3_000]],
      refusedBy: busy,
      events: { begin: 'SNAPSHOT_REMOVE_STARTED', end: 'SNAPSHOT_REMOVED' },
    },
  },
});
