/** Gluster volumes: create, start, stop, rebalance, options, profiling. */

import type { ActionBody, Resource } from '../../../model/resource.ts';
import { glusterVolumeLifecycle as lifecycle } from '../../../model/resources/gluster-volume.ts';
import { type Action, defineBehavior } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { invalidInput } from '../../core/fault.ts';
import { requireAll } from '../../core/input.ts';
import { digestParts } from '../../core/random.ts';
import { erase } from '../../core/removal.ts';
import type { TransitionOf } from '../../core/transition-handlers.ts';
import { requireState } from '../../core/transitions.ts';
import {
  checkBrickCount,
  checkCounts,
  distributed,
  formatBricksPath,
  listBricks,
  listReplicaSets,
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

type Volume = ObjectOf<'gluster_volume'>;
type Option = NonNullable<Volume['options']>[number];

/** Options of a new volume, with defaults. */
function defaultOptions(sent: Volume['options']): Option[] {
  const given = sent ?? [];
  const open = given.some(({ name }) => name === 'auth.allow');
  return open ? given : [...given, { name: 'auth.allow', value: '*' }];
}

function storeOptions(ctx: RuleContext, volume: Volume, options: Option[]): void {
  ctx.tx.update('gluster_volume', { ...volume, options }, formatVolumesPath(volume));
}

function sentOption(body: ActionBody): { name: string; value: string } {
  const { name, value } = body['option'] ?? {};
  return { name: name ?? '', value: value ?? '' };
}

const optionActions = {
  set_option(ctx, { object }, body) {
    const { name, value } = sentOption(body);
    const present = object.options ?? [];
    const known = present.some((option) => option.name === name);
    const changed = present.map((option) => (option.name === name ? { ...option, value } : option));
    storeOptions(ctx, object, known ? changed : [...changed, { name, value }]);
    writeVolumeEvent(ctx, 'VOLUME_OPTION_SET', object, { Key: name, Value: value });
    return undefined;
  },

  reset_option(ctx, { object }, body) {
    const { name } = sentOption(body);
    storeOptions(
      ctx,
      object,
      (object.options ?? []).filter((option) => option.name !== name),
    );
    writeVolumeEvent(ctx, 'VOLUME_OPTION_RESET', object, { Key: name });
    return undefined;
  },

  reset_all_options(ctx, { object }) {
    storeOptions(ctx, object, []);
    writeVolumeEvent(ctx, 'VOLUME_OPTIONS_RESET', object);
    return undefined;
  },
} satisfies Readonly<Record<string, Action<'gluster_volume'>>>;

type Statistic = Resource<'statistic'>;

const volumeLabel = 'Gluster Volume';
const profileActions = {
  start_profile(ctx, { object }) {
    requireServers(ctx, object.cluster?.id ?? '', 'profile', volumeLabel);
    const began = object.profiled_since ?? ctx.now.getTime();
    ctx.tx.update(
      'gluster_volume',
      { ...object, profiled_since: began },
      formatVolumesPath(object),
    );
    writeVolumeEvent(ctx, 'VOLUME_PROFILE_STARTED', object);
    return undefined;
  },

  stop_profile(ctx, { object }) {
    requireServers(ctx, object.cluster?.id ?? '', 'stop profiling', volumeLabel);
    const { profiled_since: _gone, ...rest } = object;
    ctx.tx.update('gluster_volume', rest, formatVolumesPath(object));
    writeVolumeEvent(ctx, 'VOLUME_PROFILE_STOPPED', object);
    return undefined;
  },

  get_profile_statistics(ctx, { object }) {
    const since = object.profiled_since;
    if (since === undefined) {
      return ctx.refuse('VOLUME_NOT_PROFILED', { action: 'get the profile of', type: volumeLabel });
    }
    const seconds = Math.floor((ctx.now.getTime() - since) / 1000);
    const bricks = listBricks(ctx, object);
    if (ctx.parameters.flag('nfsStatistics')) {
      const servers = new Set(bricks.map(({ server_id }) => server_id ?? ''));
      return {
        details: {
          id: object.id,
          nfs_profile_details: [...servers].map((server) => ({
            nfs_server_ip: ctx.tx.get('host', server)?.address,
            profile_details: createProfile(server, seconds),
          })),
        },
      };
    }
    return {
      details: {
        id: object.id,
        brick_profile_details: bricks.map(({ id = '', name }) => ({
          brick: { id, name },
          profile_details: createProfile(id, seconds),
        })),
      },
    };
  },
} satisfies Readonly<Record<string, Action<'gluster_volume'>>>;

const operations = ['LOOKUP', 'OPEN', 'READ', 'WRITE', 'FSYNC'];
const blockSizes = [4096, 65_536, 131_072];

/** File operations since profiling started, and in the last interval. */
function createProfile(id: string, seconds: number): StoredObject[] {
  const interval = seconds % 60;
  return [
    { profile_type: 'cumulative', duration: seconds, ...measureOperations(id, seconds) },
    { profile_type: 'interval', duration: interval, ...measureOperations(id, interval) },
  ];
}

function measureOperations(id: string, seconds: number): StoredObject {
  const rate = (word: string) => 1 + ((digestParts(id, word)[0] ?? 0) % 50);
  return {
    statistics: [
      datum('read_bytes', 'bytes', rate('read') * 65_536 * seconds),
      datum('written_bytes', 'bytes', rate('write') * 65_536 * seconds),
    ],
    block_statistics: blockSizes.map((size) => ({
      statistics: [
        datum('Block Size', 'bytes', size),
        datum('Reads', 'none', rate(`read ${size}`) * seconds),
        datum('Writes', 'none', rate(`write ${size}`) * seconds),
      ],
    })),
    fop_statistics: operations.map((name) => ({
      name,
      statistics: [
        datum('Minimum Latency', 'none', rate(name)),
        datum('Average Latency', 'none', 4 * rate(name)),
        datum('Maximum Latency', 'none', 20 * rate(name)),
        datum('Number of Hits', 'none', rate(`${name} hits`) * seconds),
      ],
    })),
  };
}

function datum(name: string, unit: NonNullable<Statistic['unit']>, value: number): StoredObject {
  return { name, kind: 'counter', type: 'integer', unit, values: [{ datum: value }] };
}

const type = 'Gluster Volume';

function sentBricks(sent: StoredObject): StoredObject[] {
  return Array.isArray(sent['bricks']) ? sent['bricks'] : [];
}

/** Refuses an operation in a state that does not permit it. */
function requireVolumeState(
  ctx: RuleContext,
  volume: Volume,
  operation: TransitionOf<'gluster_volume'>,
): void {
  requireState(ctx, 'gluster_volume', volume, operation, { type });
}

export const glusterVolumeBehavior = defineBehavior('gluster_volume', {
  lifecycle,

  beforeCreate(ctx, volume, ref, sent) {
    const clusterId = ref.owner?.id ?? '';
    const action = 'create';
    for (const brick of sentBricks(sent)) {
      const absent = (['server_id', 'brick_dir'] as const).filter((name) => !brick[name]);
      if (ctx.site.dialect.engineRefusals && absent.length > 0) {
        throw invalidInput('GlusterBrick', absent, 'add');
      }
      requireAll('GlusterBrick', ['server_id', 'brick_dir'], brick, 'add');
    }
    const cluster = requireServers(ctx, clusterId, action, type);
    volume.cluster = { id: clusterId };
    volume.status = 'down';
    checkCounts(ctx, volume, action);
    volume.replica_count = replicated(volume.volume_type) ? (volume.replica_count ?? 1) : 1;
    volume.stripe_count = striped(volume.volume_type) ? (volume.stripe_count ?? 1) : 1;
    volume.options = defaultOptions(volume.options);
    const bricks = prepareBricks(ctx, volume, sentBricks(sent), action, type);
    checkBrickCount(ctx, volume, bricks.length, action);
    refuseSharedHosts(ctx, cluster, volume, bricks, action);
    // Bricks are separate objects.
    delete volume.bricks;
  },

  afterCreate(ctx, { object }, sent) {
    storeBricks(ctx, object, prepareBricks(ctx, object, sentBricks(sent), 'create', type));
    writeVolumeEvent(ctx, 'VOLUME_CREATED', object);
  },

  beforeDelete(ctx, { object }) {
    requireVolumeState(ctx, object, 'remove');
    const addresses = new Set(
      listBricks(ctx, object).map(({ name }) => (name ?? '').split(':')[0] ?? ''),
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

  remove(ctx, { ref, object }) {
    dropTask(ctx, object);
    writeVolumeEvent(ctx, 'VOLUME_DELETED', object);
    erase(ctx, { ref, object: { ...object } });
  },

  present(ctx, volume) {
    return {
      bricks: listBricks(ctx, volume).map(({ id, name, server_id, brick_dir }) => ({
        ...{ id, name, server_id, brick_dir },
      })),
    };
  },

  actions: {
    start(ctx, { object }, body) {
      if (body['force'] !== true) requireVolumeState(ctx, object, 'start');
      requireServers(ctx, object.cluster?.id ?? '', 'start', type);
      switchVolume(ctx, object, 'up');
      writeVolumeEvent(ctx, 'VOLUME_STARTED', object);
      return undefined;
    },

    stop(ctx, { object }) {
      requireVolumeState(ctx, object, 'stop');
      const task = getVolumeTask(object);
      if (task?.type === 'rebalance') ctx.refuse('VOLUME_REBALANCES', { action: 'stop', type });
      if (task) ctx.refuse('VOLUME_REMOVES_BRICKS', { action: 'stop', type });
      switchVolume(ctx, object, 'down');
      writeVolumeEvent(ctx, 'VOLUME_STOPPED', object);
      return undefined;
    },

    rebalance(ctx, { object }, body) {
      const action = 'rebalance';
      requireStarted(ctx, object, action);
      if (!distributed(object.volume_type)) {
        ctx.refuse('VOLUME_NOT_DISTRIBUTED', { action, type, volumeType: object.volume_type });
      }
      if (listBricks(ctx, object).length < 2) ctx.refuse('VOLUME_HAS_ONE_BRICK', { action, type });
      requireBricksUp(ctx, object, action, type);
      refuseBusy(ctx, object, action, type);
      beginTask(ctx, object, 'rebalance', { layoutOnly: body['fix_layout'] === true });
      writeVolumeEvent(ctx, 'VOLUME_REBALANCE_STARTED', object);
      return undefined;
    },

    stop_rebalance(ctx, { object }) {
      const action = 'stop rebalancing';
      requireStarted(ctx, object, action);
      if (getVolumeTask(object)?.type !== 'rebalance')
        ctx.refuse('REBALANCE_NOT_STARTED', { action, type });
      writeVolumeEvent(ctx, 'VOLUME_REBALANCE_STOPPED', dropTask(ctx, object));
      return undefined;
    },

    ...optionActions,
    ...profileActions,
  } satisfies Readonly<Record<string, Action<'gluster_volume'>>>,
});

/** Refuses an operation on a volume that is not started. */
export function requireStarted(
  ctx: RuleContext,
  volume: Volume,
  action: string,
  what = type,
): void {
  if (volume.status !== 'up') ctx.refuse('VOLUME_MUST_BE_STARTED', { action, type: what });
}

/** Refuses if all copies of some files are unavailable. */
export function requireBricksUp(
  ctx: RuleContext,
  volume: Volume,
  action: string,
  what: string,
): void {
  const up = (id: string | undefined) => ctx.tx.get('host', id ?? '')?.status === 'up';
  const dark = listReplicaSets(ctx, volume).some((set) =>
    set.every(({ status, server_id }) => status !== 'up' || !up(server_id)),
  );
  if (dark) ctx.refuse('VOLUME_BRICKS_DOWN', { action, type: what });
}

/** Sets the status of the volume and of its bricks on running hosts. */
function switchVolume(ctx: RuleContext, volume: Volume, status: 'up' | 'down'): void {
  ctx.tx.update('gluster_volume', { ...volume, status }, formatVolumesPath(volume));
  for (const brick of listBricks(ctx, volume)) {
    const host = ctx.tx.get('host', brick.server_id ?? '');
    const now = status === 'up' && host?.status === 'up' ? 'up' : 'down';
    ctx.tx.update('gluster_brick', { ...brick, status: now }, formatBricksPath(volume));
  }
}
