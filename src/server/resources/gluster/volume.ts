/** Rules of Gluster volumes: made of bricks, started and stopped, spread anew, profiled. */

import type { Resource } from '../../../model/resource.ts';
import { glusterVolumeLifecycle as lifecycle } from '../../../model/resources/gluster-volume.ts';
import { erase } from '../../api/generic.ts';
import { type Action, define } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { requireAll } from '../../core/input.ts';
import { requireState } from '../../core/transitions.ts';
import type { StoredObject } from '../../store/document.ts';
import {
  checkBrickCount,
  checkCounts,
  distributed,
  newBricks,
  refuseSharedHosts,
  replicated,
  requireServers,
  storeBricks,
  striped,
} from './layout.ts';
import { optionActions, usualOptions } from './options.ts';
import { profileActions } from './profile.ts';
import { bricksIn, bricksOf, replicaSets } from './servers.ts';
import { beginTask, dropTask, refuseBusy, taskOf, tell, volumesOf } from './tasks.ts';

type Volume = Resource<'gluster_volume'>;

const type = 'Gluster Volume';

function sentBricks(sent: StoredObject): StoredObject[] {
  return Array.isArray(sent['bricks']) ? sent['bricks'] : [];
}

/** Refuses an operation in the wrong state. */
function requireVolumeState(ctx: RuleContext, volume: Volume, operation: string): void {
  requireState(ctx, 'gluster_volume', volume, operation, { type });
}

export const glusterVolumeRules = define('gluster_volume', {
  lifecycle,

  beforeCreate(ctx, volume, place, sent) {
    const clusterId = place.owner?.id ?? '';
    const action = 'create';
    for (const brick of sentBricks(sent)) {
      requireAll('GlusterBrick', ['server_id', 'brick_dir'], brick, 'add');
    }
    const cluster = requireServers(ctx, clusterId, action, type);
    volume.cluster = { id: clusterId };
    volume.status = 'down';
    checkCounts(ctx, volume, action);
    volume.replica_count = replicated(volume.volume_type) ? (volume.replica_count ?? 1) : 1;
    volume.stripe_count = striped(volume.volume_type) ? (volume.stripe_count ?? 1) : 1;
    volume.options = usualOptions(volume.options);
    const bricks = newBricks(ctx, volume, sentBricks(sent), action, type);
    checkBrickCount(ctx, volume, bricks.length, action);
    refuseSharedHosts(ctx, cluster, volume, bricks, action);
    // They are objects of their own.
    delete volume.bricks;
  },

  afterCreate(ctx, { object }, sent) {
    storeBricks(ctx, object, newBricks(ctx, object, sentBricks(sent), 'create', type));
    tell(ctx, 'VOLUME_CREATED', object);
  },

  beforeDelete(ctx, { object }) {
    requireVolumeState(ctx, object, 'remove');
    const addresses = new Set(
      bricksIn(ctx, object).map(({ name }) => (name ?? '').split(':')[0] ?? ''),
    );
    const domains = ctx.tx.list('storage_domain').filter(({ storage }) => {
      if (storage?.type !== 'glusterfs') return false;
      const [server = '', name = ''] = (storage.path ?? '').split(/:\/?/);
      return name === object.name && (addresses.has(server) || server === '');
    });
    if (domains.length > 0) {
      ctx.refuse('VOLUME_HOLDS_DOMAIN', {
        action: 'remove',
        type,
        names: domains.map(({ name }) => name).join(', '),
      });
    }
  },

  remove(ctx, { place, object }) {
    dropTask(ctx, object);
    tell(ctx, 'VOLUME_DELETED', object);
    erase(ctx, { place, object: { ...object } });
  },

  present(ctx, volume) {
    return {
      bricks: bricksIn(ctx, volume).map(({ id, name, server_id, brick_dir }) => ({
        ...{ id, name, server_id, brick_dir },
      })),
    };
  },

  actions: {
    start(ctx, { object }, body) {
      if (body['force'] !== true) requireVolumeState(ctx, object, 'start');
      requireServers(ctx, object.cluster?.id ?? '', 'start', type);
      switchVolume(ctx, object, 'up');
      tell(ctx, 'VOLUME_STARTED', object);
      return undefined;
    },

    stop(ctx, { object }) {
      requireVolumeState(ctx, object, 'stop');
      const task = taskOf(object);
      if (task?.type === 'rebalance') ctx.refuse('VOLUME_REBALANCES', { action: 'stop', type });
      if (task) ctx.refuse('VOLUME_REMOVES_BRICKS', { action: 'stop', type });
      switchVolume(ctx, object, 'down');
      tell(ctx, 'VOLUME_STOPPED', object);
      return undefined;
    },

    rebalance(ctx, { object }, body) {
      const action = 'rebalance';
      requireStarted(ctx, object, action);
      if (!distributed(object.volume_type)) {
        ctx.refuse('VOLUME_NOT_DISTRIBUTED', { action, type, volumeType: object.volume_type });
      }
      if (bricksIn(ctx, object).length < 2) ctx.refuse('VOLUME_HAS_ONE_BRICK', { action, type });
      requireBricksUp(ctx, object, action, type);
      refuseBusy(ctx, object, action, type);
      beginTask(ctx, object, 'rebalance', { layoutOnly: body['fix_layout'] === true });
      tell(ctx, 'VOLUME_REBALANCE_STARTED', object);
      return undefined;
    },

    stop_rebalance(ctx, { object }) {
      const action = 'stop rebalancing';
      requireStarted(ctx, object, action);
      if (taskOf(object)?.type !== 'rebalance')
        ctx.refuse('REBALANCE_NOT_STARTED', { action, type });
      tell(ctx, 'VOLUME_REBALANCE_STOPPED', dropTask(ctx, object));
      return undefined;
    },

    ...optionActions,
    ...profileActions,
  } satisfies Readonly<Record<string, Action<'gluster_volume'>>>,
});

/** Refuses what needs a volume that is started. */
export function requireStarted(
  ctx: RuleContext,
  volume: Volume,
  action: string,
  what = type,
): void {
  if (volume.status !== 'up') ctx.refuse('VOLUME_MUST_BE_STARTED', { action, type: what });
}

/** Refuses while of some files no copy can be read. */
export function requireBricksUp(
  ctx: RuleContext,
  volume: Volume,
  action: string,
  what: string,
): void {
  const up = (id: string | undefined) => ctx.tx.get('host', id ?? '')?.status === 'up';
  const dark = replicaSets(ctx, volume).some((set) =>
    set.every(({ status, server_id }) => status !== 'up' || !up(server_id)),
  );
  if (dark) ctx.refuse('VOLUME_BRICKS_DOWN', { action, type: what });
}

/** The bricks follow their volume, where their host is up. */
function switchVolume(ctx: RuleContext, volume: Volume, status: 'up' | 'down'): void {
  ctx.tx.update('gluster_volume', { ...volume, status }, volumesOf(volume));
  for (const brick of bricksIn(ctx, volume)) {
    const host = ctx.tx.get('host', brick.server_id ?? '');
    const now = status === 'up' && host?.status === 'up' ? 'up' : 'down';
    ctx.tx.update('gluster_brick', { ...brick, status: now }, bricksOf(volume));
  }
}
