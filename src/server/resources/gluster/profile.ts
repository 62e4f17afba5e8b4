/** Profiling of Gluster volumes: what their bricks were asked to do, and how long it took. */
import type { Resource } from '../../../model/resource.ts';
import type { Action } from '../../core/behavior.ts';
import { digestOf } from '../../core/digest.ts';
import type { StoredObject } from '../../store/document.ts';
import { requireServers } from './layout.ts';
import { bricksIn } from './servers.ts';
import { tell, volumesOf } from './tasks.ts';

type Volume = Resource<'gluster_volume'>;
type Statistic = Resource<'statistic'>;

const type = 'Gluster Volume';
/** Volumes keep when their profiling began, in milliseconds since the epoch. */
const profiledSince = 'profiled_since';

function sinceOf(volume: Volume): number | undefined {
  return (volume as StoredObject)[profiledSince] as number | undefined;
}

export const profileActions = {
  start_profile(ctx, { object }) {
    requireServers(ctx, object.cluster?.id ?? '', 'profile', type);
    const began = sinceOf(object) ?? ctx.now.getTime();
    const changed = { ...object, ...{ [profiledSince]: began } };
    ctx.tx.update('gluster_volume', changed, volumesOf(object));
    tell(ctx, 'VOLUME_PROFILE_STARTED', object);
    return undefined;
  },

  stop_profile(ctx, { object }) {
    requireServers(ctx, object.cluster?.id ?? '', 'stop profiling', type);
    const { [profiledSince]: _gone, ...rest } = object as StoredObject;
    ctx.tx.update('gluster_volume', rest, volumesOf(object));
    tell(ctx, 'VOLUME_PROFILE_STOPPED', object);
    return undefined;
  },

  get_profile_statistics(ctx, { object }) {
    const since = sinceOf(object);
    if (since === undefined) {
      return ctx.refuse('VOLUME_NOT_PROFILED', { action: 'get the profile of', type });
    }
    const seconds = Math.floor((ctx.now.getTime() - since) / 1000);
    const bricks = bricksIn(ctx, object);
    if (ctx.parameters.flag('nfsStatistics')) {
      const servers = new Set(bricks.map(({ server_id }) => server_id ?? ''));
      return {
        details: {
          id: object.id,
          nfs_profile_details: [...servers].map((server) => ({
            nfs_server_ip: ctx.tx.get('host', server)?.address,
            profile_details: profileOf(server, seconds),
          })),
        },
      };
    }
    return {
      details: {
        id: object.id,
        brick_profile_details: bricks.map(({ id = '', name }) => ({
          brick: { id, name },
          profile_details: profileOf(id, seconds),
        })),
      },
    };
  },
} satisfies Readonly<Record<string, Action<'gluster_volume'>>>;

const operations = ['LOOKUP', 'OPEN', 'READ', 'WRITE', 'FSYNC'];
const blockSizes = [4096, 65_536, 131_072];

/** What was done since profiling began, and in the last interval. */
function profileOf(id: string, seconds: number): StoredObject[] {
  const interval = seconds % 60;
  return [
    { profile_type: 'cumulative', duration: seconds, ...measured(id, seconds) },
    { profile_type: 'interval', duration: interval, ...measured(id, interval) },
  ];
}

function measured(id: string, seconds: number): StoredObject {
  const rate = (word: string) => 1 + ((digestOf(id, word)[0] ?? 0) % 50);
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
