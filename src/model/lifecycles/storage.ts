/** Lifecycles of attached storage domains and of data centers (specification 3). */
import { lifecycle } from './notation.ts';

/** A storage domain as a data center sees it. */
export const attachedStorageDomain = lifecycle({
  type: 'storage_domain',
  attribute: 'status',
  initial: 'locked',
  settled: ['active', 'inactive', 'maintenance', 'unattached', 'unknown'],
  failed: ['inactive', 'unknown'],
  moves: {
    attach: {
      from: ['unattached'],
      via: [['locked', 2_000]],
      to: 'active',
      refusedBy: { otherwise: 'STORAGE_DOMAIN_STATUS_ILLEGAL' },
      events: { begin: 'STORAGE_DOMAIN_ATTACHED', end: 'STORAGE_DOMAIN_ACTIVATED' },
    },
    activate: {
      from: ['inactive', 'unknown', 'maintenance', 'preparing_for_maintenance'],
      via: [['activating', 2_000]],
      to: 'active',
      refusedBy: {
        locked: 'OBJECT_IS_LOCKED',
        detaching: 'OBJECT_IS_LOCKED',
        activating: 'OBJECT_IS_LOCKED',
        otherwise: 'STORAGE_DOMAIN_STATUS_ILLEGAL',
      },
      events: { end: 'STORAGE_DOMAIN_ACTIVATED' },
    },
    deactivate: {
      from: ['active', 'inactive'],
      via: [
        ['locked', 500],
        ['preparing_for_maintenance', 2_000],
      ],
      to: 'maintenance',
      refusedBy: {
        locked: 'OBJECT_IS_LOCKED',
        detaching: 'OBJECT_IS_LOCKED',
        activating: 'OBJECT_IS_LOCKED',
        otherwise: 'STORAGE_DOMAIN_STATUS_ILLEGAL',
      },
      events: {
        begin: 'STORAGE_DOMAIN_DEACTIVATION_STARTED',
        end: 'STORAGE_DOMAIN_IN_MAINTENANCE',
      },
    },
    become_master: {
      from: ['active', 'unknown'],
      via: [['locked', 500]],
      to: 'active',
      refusedBy: { otherwise: 'STORAGE_DOMAIN_STATUS_ILLEGAL' },
      events: { end: 'MASTER_MOVED' },
    },
    /** Within the call: the domain can be attached elsewhere as soon as it is answered. */
    detach: {
      from: ['maintenance'],
      refusedBy: { otherwise: 'STORAGE_DOMAIN_STATUS_ILLEGAL' },
      events: { end: 'STORAGE_DOMAIN_DETACHED' },
    },
  },
});

/** The status follows from the storage domains; no operation sets it. */
export const dataCenter = lifecycle({
  type: 'data_center',
  attribute: 'status',
  initial: 'uninitialized',
  settled: ['uninitialized', 'up', 'maintenance', 'problematic', 'not_operational'],
  failed: ['problematic', 'not_operational'],
  moves: {},
});
