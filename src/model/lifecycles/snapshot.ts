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
      events: { begin: 45, end: 68 },
    },
    /** Goes along with its machine, which is locked meanwhile. */
    restore: { from: ['ok'], via: [['in_preview', 2_000]], to: 'ok', refusedBy: busy },
    remove: {
      from: ['ok'],
      via: [['locked', 3_000]],
      refusedBy: busy,
      events: { begin: 342, end: 356 },
    },
  },
});
