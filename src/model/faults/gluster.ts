/** Faults of Gluster volumes, bricks and hooks. */
import type { FaultTexts } from '../notation/faults.ts';

export const glusterFaults = {
  CLUSTER_WITHOUT_GLUSTER: {
    status: 409,
    text: 'Cannot {action} {type}. Cluster {cluster} does not support Gluster (gluster_service).',
  },
  NO_GLUSTER_SERVER_UP: {
    status: 409,
    text: 'Cannot {action} {type}. No up server found in cluster {cluster}.',
  },
  VOLUME_DISPERSE: {
    status: 400,
    text: 'Cannot {action} {type}. Volumes of type {volumeType} are not supported.',
  },
  BRICKS_REQUIRED: { status: 400, text: 'Cannot {action} {type}. It needs bricks.' },
  BRICK_SERVER_INVALID: {
    status: 400,
    text: 'Cannot {action} {type}. {server} is not the id of a host of the cluster.',
  },
  BRICK_DIRECTORY_INVALID: {
    status: 400,
    text: 'Cannot {action} {type}. "{directory}" is not an absolute path.',
  },
  BRICKS_DUPLICATE: { status: 409, text: 'Cannot {action} {type}. Brick {brick} was sent twice.' },
  BRICK_IN_VOLUME: {
    status: 409,
    text: 'Cannot {action} {type}. Brick {brick} belongs to volume {volume} already.',
  },
  BRICKS_OF_SET_ON_ONE_HOST: {
    status: 409,
    text: 'Cannot {action} {type}. Copies of the same files would lie on one host: {bricks}.',
  },
  REPLICA_COUNT_TOO_SMALL: {
    status: 409,
    text: 'Cannot {action} {type}. The replica count must be 2 or more.',
  },
  STRIPE_COUNT_TOO_SMALL: {
    status: 400,
    text: 'Cannot {action} {type}. The stripe count must be 4 or more.',
  },
  BRICK_COUNT_INVALID: {
    status: 400,
    text: 'Cannot {action} {type}. {count} bricks do not make a volume of type {volumeType} with {needed}.',
  },
  VOLUME_IS_STARTED: {
    status: 409,
    text: 'Cannot {action} {type}. The volume is already started.',
  },
  VOLUME_IS_STOPPED: {
    status: 409,
    text: 'Cannot {action} {type}. The volume is already stopped.',
  },
  VOLUME_IS_UP: { status: 409, text: 'Cannot {action} {type}. The volume is up; stop it first.' },
  VOLUME_MUST_BE_STARTED: {
    status: 409,
    text: 'Cannot {action} {type}. The volume should be started first.',
  },
  VOLUME_HOLDS_DOMAIN: {
    status: 409,
    text: 'Cannot {action} {type}. It is the storage of storage domain {names}.',
  },
  VOLUME_REBALANCES: {
    status: 409,
    text: 'Cannot {action} {type}. A rebalance is in progress; stop it first.',
  },
  VOLUME_REMOVES_BRICKS: {
    status: 409,
    text: 'Cannot {action} {type}. Bricks are being removed from it; stop or commit that first.',
  },
  VOLUME_IS_BUSY: {
    status: 409,
    text: 'Cannot {action} {type}. Another operation on the volume is in progress.',
  },
  VOLUME_NOT_DISTRIBUTED: {
    status: 400,
    text: 'Cannot {action} {type}. A volume of type {volumeType} is not distributed.',
  },
  VOLUME_HAS_ONE_BRICK: {
    status: 400,
    text: 'Cannot {action} {type}. The volume has a single brick.',
  },
  VOLUME_BRICKS_DOWN: {
    status: 409,
    text: 'Cannot {action} {type}. One or more bricks are down, and no copy of them is up.',
  },
  REBALANCE_NOT_STARTED: {
    status: 409,
    text: 'Cannot {action} {type}. No rebalance is in progress.',
  },
  VOLUME_NOT_PROFILED: {
    status: 409,
    text: 'Cannot {action} {type}. Profiling is not started on the volume.',
  },

  REPLICA_COUNT_REDUCED: {
    status: 409,
    text: 'Cannot {action} {type}. The replica count is {present} and cannot be reduced to {count}; send replica_count.',
  },
  REPLICA_COUNT_RAISED: {
    status: 409,
    text: 'Cannot {action} {type}. The replica count is {present} and cannot be raised to {count}.',
  },
  STRIPE_COUNT_REDUCED: {
    status: 409,
    text: 'Cannot {action} {type}. The stripe count is {present} and cannot be reduced to {count}; send stripe_count.',
  },
  STRIPE_COUNT_RAISED: {
    status: 409,
    text: 'Cannot {action} {type}. The stripe count is {present} and cannot be raised to {count}.',
  },
  BRICKS_ALL_REMOVED: {
    status: 409,
    text: 'Cannot {action} {type}. All bricks of a volume cannot be removed; remove the volume.',
  },
  BRICK_UNKNOWN: { status: 400, text: 'Cannot {action} {type}. The volume has no brick {brick}.' },
  BRICKS_NOT_OF_SETS: {
    status: 400,
    text: 'Cannot {action} {type}. Of a volume with copies whole sets are removed: {size} bricks that follow each other.',
  },
  VOLUME_TASK_OTHER: {
    status: 400,
    text: 'Cannot {action} {type}. The operation in progress on the volume is not a removal of bricks.',
  },
  BRICKS_DIFFER: {
    status: 400,
    text: 'Cannot {action} {type}. The bricks are not those whose removal was started: [{bricks}].',
  },
  BRICK_REMOVAL_NOT_STARTED: {
    status: 409,
    text: 'Cannot {action} {type}. No removal of bricks is in progress.',
  },
  BRICK_REMOVAL_NOT_FINISHED: {
    status: 409,
    text: 'Cannot {action} {type}. The data of the bricks is still being migrated.',
  },

  GLUSTER_SERVERS_NOT_UP: {
    status: 409,
    text: 'Cannot {action} {type}. These servers of the cluster are not up: {names}.',
  },
  HOOK_WITHOUT_CONFLICT: {
    status: 409,
    text: 'Cannot {action} {type}. No server has this conflict.',
  },
  HOOK_NOT_ON_HOST: {
    status: 409,
    text: 'Cannot {action} {type}. Host {name} does not have it.',
  },
} as const satisfies FaultTexts;
