/** Lifecycle of Gluster volumes (specification 3). */
import { lifecycle } from './notation.ts';

export const glusterVolume = lifecycle({
  type: 'gluster_volume',
  attribute: 'status',
  initial: 'down',
  settled: ['up', 'down', 'unknown'],
  failed: ['unknown'],
  moves: {
    start: {
      from: ['down'],
      to: 'up',
      refusedBy: { otherwise: 'VOLUME_IS_STARTED' },
    },
    stop: {
      from: ['up'],
      to: 'down',
      refusedBy: { otherwise: 'VOLUME_IS_STOPPED' },
    },
    remove: {
      from: ['down'],
      refusedBy: { otherwise: 'VOLUME_IS_UP' },
    },
  },
});

/** How long a simulated volume takes to move its data, in milliseconds. */
export const volumeTaskDuration = 20_000;
