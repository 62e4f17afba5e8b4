/** Lifecycle of hosts (specification 3). */
import { lifecycle } from './notation.ts';

/** States in which a host takes changes of its networks, and tells what it can do. */
const reachable = ['up', 'maintenance', 'non_operational'] as const;

/** States from which a host is installed, again or for the first time. */
const installable = ['maintenance', 'non_operational', 'install_failed', 'installing_os'] as const;

/** States that let an upgrade begin, and a look for one. */
const upgradable = ['up', 'maintenance', 'non_operational', 'install_failed'] as const;

/** From power on until the host answers. */
const boot = [
  ['reboot', 4_000],
  ['initializing', 2_000],
] as const;

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
    'installing_os',
  ],
  failed: ['error', 'install_failed', 'non_operational', 'non_responsive'],
  moves: {
    add: {
      from: [],
      via: [['installing', 8_000], ...boot],
      to: 'up',
      or: ['maintenance', 'installing_os'],
      refusedBy: { otherwise: 'HOST_STATUS_ILLEGAL' },
      events: { begin: 'HOST_ADDED', end: 'HOST_STATUS_SET' },
    },
    approve: {
      from: ['pending_approval', 'install_failed', 'installing_os'],
      via: [['installing', 8_000], ...boot],
      to: 'up',
      or: ['maintenance'],
      refusedBy: { otherwise: 'HOST_CANNOT_BE_APPROVED' },
      events: { begin: 'HOST_APPROVED', end: 'HOST_STATUS_SET' },
    },
    install: {
      from: installable,
      via: [['installing', 8_000], ...boot],
      to: 'maintenance',
      or: ['up'],
      refusedBy: { otherwise: 'HOST_CANNOT_BE_INSTALLED' },
      events: { begin: 'HOST_INSTALLING', end: 'HOST_STATUS_SET' },
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
        'initializing',
        'installing',
        'installing_os',
        'pending_approval',
        'reboot',
        'connecting',
        'kdumping',
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
      events: { begin: 'HOST_ACTIVATION_STARTED', end: 'HOST_STATUS_SET' },
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
      events: { end: 'HOST_IN_MAINTENANCE' },
    },
    upgrade: {
      from: upgradable,
      via: [['installing', 8_000], ...boot],
      to: 'up',
      or: ['maintenance'],
      refusedBy: { otherwise: 'HOST_CANNOT_BE_UPGRADED' },
      events: { end: 'HOST_UPGRADED' },
    },
    upgrade_check: {
      from: upgradable,
      stays: true,
      refusedBy: { otherwise: 'HOST_CANNOT_CHECK_UPGRADE' },
    },
    enroll_certificate: {
      from: ['maintenance', 'install_failed', 'non_responsive'],
      via: [['installing', 2_000]],
      stays: true,
      refusedBy: { otherwise: 'HOST_CANNOT_ENROLL_CERTIFICATE' },
      events: { begin: 'HOST_CERTIFICATE_STARTED', end: 'HOST_CERTIFICATE_ENROLLED' },
    },
    refresh: { from: reachable, stays: true, refusedBy: { otherwise: 'HOST_STATUS_MUST_BE' } },
    setup_networks: {
      from: reachable,
      stays: true,
      refusedBy: { otherwise: 'HOST_STATUS_MUST_BE' },
    },
    force_select_spm: {
      from: ['up'],
      stays: true,
      refusedBy: { otherwise: 'SPM_HOST_NOT_UP' },
    },
    /** Looking for storage, and signing in to it. */
    discover: { from: ['up'], stays: true, refusedBy: { otherwise: 'HOST_STATUS_MUST_BE' } },
    fence_start: {
      from: ['down', 'non_responsive', 'reboot', 'maintenance'],
      via: boot,
      to: 'up',
      refusedBy: {
        connecting: 'HOST_CONNECTION_INTERMITTENT',
        otherwise: 'HOST_CANNOT_BE_FENCED_ON',
      },
      events: { end: 'HOST_STATUS_SET' },
    },
    fence_stop: {
      from: ['maintenance'],
      to: 'down',
      refusedBy: { otherwise: 'HOST_CANNOT_BE_FENCED_OFF' },
      events: { end: 'HOST_STATUS_SET' },
    },
    fence_restart: {
      from: [
        'up',
        'down',
        'error',
        'maintenance',
        'non_operational',
        'non_responsive',
        'preparing_for_maintenance',
        'connecting',
        'unassigned',
        'initializing',
        'reboot',
        'install_failed',
        'kdumping',
      ],
      via: boot,
      to: 'up',
      refusedBy: { otherwise: 'HOST_STATUS_ILLEGAL' },
      events: { end: 'HOST_STATUS_SET' },
    },
    fence_manual: {
      from: ['non_operational', 'maintenance', 'connecting', 'non_responsive'],
      stays: true,
      refusedBy: { otherwise: 'HOST_STATUS_MUST_BE' },
    },
    /** Nobody asks for this: the host does not answer any more. */
    lose: {
      from: ['up', 'non_operational', 'preparing_for_maintenance', 'unassigned', 'initializing'],
      via: [['connecting', 6_000]],
      to: 'non_responsive',
      refusedBy: { otherwise: 'HOST_STATUS_ILLEGAL' },
      events: { begin: 'HOST_CONNECTING', end: 'HOST_NON_RESPONSIVE' },
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
      events: { end: 'HOST_REMOVED' },
    },
  },
});

/** States in which attributes change that say how a host is reached. */
export const reconfigurable: readonly string[] = [
  'non_responsive',
  'maintenance',
  'down',
  'unassigned',
  'install_failed',
  'pending_approval',
  'installing_os',
];

/** How long a simulated host takes to look for updates, in milliseconds. */
export const upgradeCheckDuration = 2_000;
