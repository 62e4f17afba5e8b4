/** Lifecycle of hosts (specification 3). */
import { lifecycle } from './notation.ts';

export const host = lifecycle({
  type: 'host',
  attribute: 'status',
  initial: 'installing',
  settled: [
    'up',
    'down',
    'maintenance',
    'non_operational',
    'non_responsive',
    'install_failed',
    'error',
    'pending_approval',
  ],
  failed: ['error', 'install_failed', 'non_operational', 'non_responsive'],
  moves: {
    add: {
      from: [],
      via: [
        ['installing', 8_000],
        ['reboot', 4_000],
        ['initializing', 2_000],
      ],
      to: 'up',
      refusedBy: { otherwise: 'HOST_STATUS_ILLEGAL' },
      events: { begin: 42, end: 13 },
    },
    activate: {
      from: [
        'maintenance',
        'non_operational',
        'down',
        'install_failed',
        'error',
        'preparing_for_maintenance',
        'unassigned',
      ],
      via: [
        ['unassigned', 1_000],
        ['initializing', 2_000],
      ],
      to: 'up',
      refusedBy: {
        up: 'HOST_ALREADY_UP',
        non_responsive: 'HOST_NON_RESPONSIVE',
        otherwise: 'HOST_STATUS_ILLEGAL',
      },
      events: { begin: 16, end: 13 },
    },
    deactivate: {
      from: [
        'up',
        'non_responsive',
        'error',
        'preparing_for_maintenance',
        'down',
        'non_operational',
        'install_failed',
      ],
      via: [['preparing_for_maintenance', 3_000]],
      to: 'maintenance',
      refusedBy: {
        maintenance: 'HOST_ALREADY_IN_MAINTENANCE',
        otherwise: 'HOST_CANNOT_BE_MAINTAINED',
      },
      events: { begin: 620, end: 15 },
    },
    remove: {
      from: [
        'non_responsive',
        'maintenance',
        'down',
        'unassigned',
        'install_failed',
        'pending_approval',
        'non_operational',
        'installing_os',
      ],
      refusedBy: { otherwise: 'HOST_CANNOT_BE_REMOVED' },
      events: { end: 44 },
    },
  },
});
