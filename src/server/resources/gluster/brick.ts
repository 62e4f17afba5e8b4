/** Gluster bricks: add, remove with or without migration of data, replace; their details. */

import { idOrName } from '../../../model/notation/collections.ts';
import type { ActionBody } from '../../../model/resource.ts';
import { defineBehavior } from '../../core/behavior.ts';
import type { CollectionRef } from '../../core/collection-ref.ts';
import type { RuleContext } from '../../core/context.ts';
import { Refusal } from '../../core/fault.ts';
import { requireAll } from '../../core/input.ts';
import type { Parameters } from '../../core/parameters.ts';
import { digestParts, namedId } from '../../core/random.ts';
import {
  checkBrickCount,
  dispersed,
  formatBricksPath,
  listBricks,
  prepareBricks,
  refuseSharedHosts,
  replicated,
  requireServers,
  storeBricks,
  striped,
} from '../../inventory/gluster-layout.ts';
import type { StoredObject } from '../../store/kinds.ts';
import type { ObjectOf } from '../../store/transaction.ts';
import {
  beginTask,
  dropTask,
  formatVolumesPath,
  getVolumeTask,
  refuseBusy,
  writeVolumeEvent,
} from './tasks.ts';
import { requireBricksUp, requireStarted } from './volume.ts';

type Brick = ObjectOf<'gluster_brick'>;
type Volume = ObjectOf<'gluster_volume'>;

const gibibyte = 2 ** 30;
/** Size of the file system of a simulated brick, in bytes. */
const brickSize = 100 * gibibyte;

/** Status of the brick process, and its details while it runs. */
function brickDetails(ctx: RuleContext, brick: Brick): StoredObject {
  const host = ctx.tx.get('host', brick.server_id ?? '');
  const status = host?.status === 'up' ? (brick.status ?? 'down') : 'unknown';
  const device = {
    device: `/dev/mapper/gluster-${digestParts(brick.brick_dir ?? '')
      .toString('hex')
      .slice(0, 6)}`,
    fs_name: 'xfs',
    mnt_options: 'rw,noatime,inode64',
  };
  if (status !== 'up') return { status, ...device };
  const generation = String(brick.generation ?? 0);
  const digest = digestParts(brick.id ?? '', generation);
  return {
    status,
    ...device,
    port: 49_152 + (digest[0] ?? 0),
    pid: 1_000 + digest.readUInt16LE(1),
    gluster_clients: listClients(ctx, brick),
    memory_pools: poolNames.map((name) => describePool(brick, name)),
  };
}

/** Clients of the volume: the servers of the cluster that are up. */
function listClients(ctx: RuleContext, brick: Brick): StoredObject[] {
  const volume = ctx.tx.get('gluster_volume', brick.gluster_volume?.id ?? '');
  const where = { cluster_id: volume?.cluster?.id ?? '', status: 'up' };
  return ctx.tx.list('host', { where }).map(({ id = '', address }) => {
    const digest = digestParts(brick.id ?? '', id);
    return {
      host_name: address,
      client_port: 49_000 + (digest[0] ?? 0),
      bytes_read: digest.readUInt32LE(1),
      bytes_written: digest.readUInt32LE(5),
    };
  });
}

const poolNames = ['fd_t', 'dentry_t', 'inode_t', 'rpcsvc_request_t', 'struct saved_frame'];

function describePool(brick: Brick, name: string): StoredObject {
  const digest = digestParts(brick.id ?? '', name);
  const hot = (digest[0] ?? 0) % 32;
  return {
    id: namedId(brick.id ?? '', 'pool', name),
    name: `${brick.brick_dir}:${name}`,
    hot_count: hot,
    cold_count: 1024 - hot,
    padded_size: 100 + (digest[1] ?? 0),
    alloc_count: digest.readUInt16LE(2),
    max_alloc: hot + 2,
    pool_misses: 0,
    max_stdalloc: 0,
  };
}

/** Capacity of a brick or volume, in bytes. Copies do not add to it. */
export function measureCapacity(
  ctx: RuleContext,
  kind: 'gluster_volume' | 'gluster_brick',
  object: StoredObject,
): { readonly total: number; readonly used: number } {
  const brick: Brick = object;
  const volume: Volume | undefined =
    kind === 'gluster_volume'
      ? object
      : ctx.tx.get('gluster_volume', brick.gluster_volume?.id ?? '');
  const share = 0.1 + (0.6 * (digestParts(volume?.id ?? '', 'used')[0] ?? 0)) / 256;
  const sets =
    kind === 'gluster_brick' || !volume
      ? 1
      : listBricks(ctx, volume).length / Math.max(1, volume.replica_count ?? 1);
  const total = Math.floor(brickSize * sets);
  return { total, used: Math.floor(total * share) };
}

const type = 'Gluster Brick';

function requireVolume(ctx: RuleContext, ref: CollectionRef): Volume {
  const volume = ctx.tx.get('gluster_volume', ref.owner?.id ?? '');
  if (!volume) throw new Error('Bricks belong to a volume.');
  return volume;
}

function countParameter(parameters: Parameters, name: string): number | undefined {
  const text = parameters.text(name);
  const count = Number(text);
  return text === undefined || !Number.isInteger(count) ? undefined : count;
}

/** Bricks of the volume that the body names, by id or as `address:/directory`. */
function namedBricks(ctx: RuleContext, volume: Volume, body: ActionBody, action: string): Brick[] {
  const sent = Array.isArray(body['bricks']) ? body['bricks'] : [];
  const own = listBricks(ctx, volume);
  const named = sent.map((one) => {
    requireAll('GlusterBrick', [idOrName], one, action);
    const found = own.find((brick) => (one.id ? brick.id === one.id : brick.name === one.name));
    return found ?? ctx.refuse('BRICK_UNKNOWN', { action, type, brick: one.name ?? one.id });
  });
  if (named.length === 0) ctx.refuse('BRICKS_REQUIRED', { action, type });
  return named;
}

export const glusterBrickBehavior = defineBehavior('gluster_brick', {
  addMany(ctx, ref, sent) {
    const action = 'add';
    const volume = requireVolume(ctx, ref);
    for (const one of sent) requireAll('GlusterBrick', ['server_id', 'brick_dir'], one, action);
    const cluster = requireServers(ctx, volume.cluster?.id ?? '', action, type);
    if (dispersed(volume.volume_type)) {
      ctx.refuse('VOLUME_DISPERSE', { action, type, volumeType: volume.volume_type });
    }
    refuseBusy(ctx, volume, action, type);
    const grown = grow(ctx, volume, ctx.parameters);
    const added = prepareBricks(ctx, volume, sent, action, type);
    const bricks = arrange(volume, grown, listBricks(ctx, volume), added);
    const now = widened(grown, bricks.length);
    checkBrickCount(ctx, now, bricks.length, action, type);
    refuseSharedHosts(ctx, cluster, now, bricks, action);
    ctx.tx.update('gluster_volume', now, formatVolumesPath(volume));
    storeBricks(ctx, now, bricks);
    writeVolumeEvent(ctx, 'BRICKS_ADDED', now, { Count: added.length });
    return added;
  },

  removeMany(ctx, ref, body, parameters) {
    const action = 'remove';
    const volume = requireVolume(ctx, ref);
    const task = getVolumeTask(volume);
    const bricks = namedBricks(ctx, volume, body, action);
    if (task?.type === 'remove_bricks') {
      requireStarted(ctx, volume, action, type);
      requireSame(ctx, volume, bricks, action);
      if (task.status !== 'finished') ctx.refuse('BRICK_REMOVAL_NOT_FINISHED', { action, type });
      const free = dropTask(ctx, volume);
      takeOut(ctx, free, bricks, free.replica_count ?? 1);
      writeVolumeEvent(ctx, 'BRICK_REMOVAL_COMMITTED', free);
      return undefined;
    }
    removeBricks(ctx, volume, bricks, countParameter(parameters, 'replica_count'));
    return undefined;
  },

  remove(ctx, { object, ref }) {
    removeBricks(ctx, requireVolume(ctx, ref), [object], undefined);
  },

  present: brickDetails,

  collectionActions: {
    migrate(ctx, ref, body) {
      const action = 'start removing';
      const volume = requireVolume(ctx, ref);
      const bricks = namedBricks(ctx, volume, body, 'migrate');
      requireStarted(ctx, volume, action, type);
      refuseBusy(ctx, volume, action, type);
      checkRemoval(ctx, volume, bricks, volume.replica_count ?? 1, action);
      requireBricksUp(ctx, volume, action, type);
      writeVolumeEvent(ctx, 'BRICK_REMOVAL_STARTED', volume);
      beginTask(ctx, volume, 'remove_bricks', { bricks: bricks.map(({ id = '' }) => id) });
      return undefined;
    },

    stop_migrate(ctx, ref, body) {
      const action = 'stop removing';
      const volume = requireVolume(ctx, ref);
      const bricks = namedBricks(ctx, volume, body, 'stopMigrate');
      requireStarted(ctx, volume, action, type);
      if (!getVolumeTask(volume)) ctx.refuse('BRICK_REMOVAL_NOT_STARTED', { action, type });
      requireSame(ctx, volume, bricks, action);
      writeVolumeEvent(ctx, 'BRICK_REMOVAL_STOPPED', dropTask(ctx, volume));
      return undefined;
    },

    activate(ctx, ref, body) {
      const volume = requireVolume(ctx, ref);
      const bricks = namedBricks(ctx, volume, body, 'activate');
      const task = getVolumeTask(volume);
      if (task?.type !== 'remove_bricks' || task.status !== 'finished') {
        throw new Refusal(
          409,
          'The bricks cannot be activated: the migration of their data is not complete.',
        );
      }
      requireSame(ctx, volume, bricks, 'activate');
      writeVolumeEvent(ctx, 'BRICK_REMOVAL_STOPPED', dropTask(ctx, volume));
      return undefined;
    },
  },

  actions: {
    replace(ctx, { object, ref }, body) {
      if (ctx.site.dialect.engineRefusals) {
        throw new Refusal(
          503,
          'Operation Failed',
          'Replacing a brick is not supported. Migrate it and add another one instead.',
        );
      }
      const action = 'replace';
      const volume = requireVolume(ctx, ref);
      refuseBusy(ctx, volume, action, type);
      requireServers(ctx, volume.cluster?.id ?? '', action, type);
      const sent = Array.isArray(body['bricks']) ? body['bricks'] : [];
      const [other] = sent.length > 0 ? prepareBricks(ctx, volume, sent, action, type) : [];
      // Without a new directory, the brick is recreated in the old one.
      const fresh: Brick = { ...object, ...other, id: object.id ?? '' };
      const generation = Number(object.generation ?? 0) + 1;
      const stored: Brick = { ...fresh, generation };
      ctx.tx.update('gluster_brick', stored, formatBricksPath(volume));
      writeVolumeEvent(ctx, 'BRICK_REPLACED', volume, { Brick: object.name, NewBrick: fresh.name });
      return undefined;
    },
  },
});

/** The volume with the counts sent with new bricks: at most one more copy. */
function grow(ctx: RuleContext, volume: Volume, parameters: Parameters): Volume {
  const grown = { ...volume };
  const messageParams = { action: 'add', type };
  if (replicated(volume.volume_type)) {
    const count = countParameter(parameters, 'replica_count') ?? 0;
    const present = volume.replica_count ?? 1;
    if (count < present) ctx.refuse('REPLICA_COUNT_REDUCED', { ...messageParams, present, count });
    if (count > present + 1)
      ctx.refuse('REPLICA_COUNT_RAISED', { ...messageParams, present, count });
    grown.replica_count = count;
  }
  if (striped(volume.volume_type)) {
    const count = countParameter(parameters, 'stripe_count') ?? 0;
    const present = volume.stripe_count ?? 1;
    if (count < present) ctx.refuse('STRIPE_COUNT_REDUCED', { ...messageParams, present, count });
    if (count > present + 1)
      ctx.refuse('STRIPE_COUNT_RAISED', { ...messageParams, present, count });
    grown.stripe_count = count;
  }
  return grown;
}

/** The order of bricks: an additional copy joins each set; other bricks form new sets. */
function arrange(before: Volume, after: Volume, old: Brick[], added: readonly Brick[]): Brick[] {
  const size = before.replica_count ?? 1;
  if ((after.replica_count ?? 1) === size) return [...old, ...added];
  const rest = [...added];
  const bricks: Brick[] = [];
  for (let first = 0; first < old.length; first += size) {
    bricks.push(...old.slice(first, first + size), ...rest.splice(0, 1));
  }
  return [...bricks, ...rest];
}

/** A volume with one set becomes distributed when a second set is added. */
function widened(volume: Volume, bricks: number): Volume {
  const set = (volume.replica_count ?? 1) * (volume.stripe_count ?? 1);
  if (bricks <= set) return volume;
  if (volume.volume_type === 'replicate')
    return { ...volume, volume_type: 'distributed_replicate' };
  if (volume.volume_type === 'stripe') return { ...volume, volume_type: 'distributed_stripe' };
  return volume;
}

/** Refuses a list of bricks that differs from the list in the started removal. */
function requireSame(
  ctx: RuleContext,
  volume: Volume,
  bricks: readonly Brick[],
  action: string,
): void {
  const task = getVolumeTask(volume);
  if (task?.type !== 'remove_bricks') ctx.refuse('VOLUME_TASK_OTHER', { action, type });
  const sent = new Set(bricks.map(({ id }) => id));
  const same = sent.size === task.bricks.length && task.bricks.every((id) => sent.has(id));
  if (same) return;
  const own = listBricks(ctx, volume).filter(({ id = '' }) => task.bricks.includes(id));
  ctx.refuse('BRICKS_DIFFER', { action, type, bricks: own.map(({ name }) => name).join(', ') });
}

/** Removes bricks immediately. Their data is lost unless copies remain. */
function removeBricks(
  ctx: RuleContext,
  volume: Volume,
  bricks: readonly Brick[],
  requested: number | undefined,
): void {
  const action = 'remove';
  const messageParams = { action, type };
  if (dispersed(volume.volume_type)) {
    ctx.refuse('VOLUME_DISPERSE', { ...messageParams, volumeType: volume.volume_type });
  }
  refuseBusy(ctx, volume, action, type);
  const present = volume.replica_count ?? 1;
  const count = requested ?? present;
  if (count > present) ctx.refuse('REPLICA_COUNT_RAISED', { ...messageParams, present, count });
  if (count < present - 1)
    ctx.refuse('REPLICA_COUNT_REDUCED', { ...messageParams, present, count });
  checkRemoval(ctx, volume, bricks, count, action);
  takeOut(ctx, volume, bricks, count);
  writeVolumeEvent(ctx, 'BRICKS_REMOVED', volume);
}

/** Refuses a removal that leaves incomplete replica sets or no bricks. */
function checkRemoval(
  ctx: RuleContext,
  volume: Volume,
  bricks: readonly Brick[],
  count: number,
  action: string,
): void {
  const own = listBricks(ctx, volume);
  const gone = new Set(bricks.map(({ id }) => id));
  if (gone.size >= own.length) ctx.refuse('BRICKS_ALL_REMOVED', { action, type });
  const size = volume.replica_count ?? 1;
  for (let first = 0; first < own.length; first += size) {
    const lost = own.slice(first, first + size).filter(({ id }) => gone.has(id)).length;
    const fits = count < size ? lost === size - count : lost === 0 || lost === size;
    if (!fits) ctx.refuse('BRICKS_NOT_OF_SETS', { action, type, size });
  }
}

function takeOut(
  ctx: RuleContext,
  volume: Volume,
  bricks: readonly Brick[],
  replicaCount: number,
): void {
  const gone = new Set(bricks.map(({ id }) => id));
  const left = listBricks(ctx, volume).filter(({ id }) => !gone.has(id));
  const plain = replicated(volume.volume_type) && replicaCount < 2;
  const changed: Volume = {
    ...volume,
    replica_count: replicaCount,
    ...(plain ? { volume_type: 'distribute' as const } : {}),
  };
  ctx.tx.update('gluster_volume', changed, formatVolumesPath(volume));
  storeBricks(ctx, changed, left);
}
