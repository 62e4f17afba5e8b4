/** What a server tells of a brick: its process, its file system, who uses it; and how full it is. */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import { digestOf, namedId } from '../../core/digest.ts';
import type { StoredObject } from '../../store/document.ts';
import { bricksIn } from './servers.ts';

type Brick = Resource<'gluster_brick'>;
type Volume = Resource<'gluster_volume'>;

const gibibyte = 2 ** 30;
/** Size of the file system of a simulated brick, in bytes. */
const brickSize = 100 * gibibyte;

/** Status as the server tells it, and details of the process while it runs. */
export function brickDetails(ctx: RuleContext, brick: Brick): StoredObject {
  const host = ctx.tx.get('host', brick.server_id ?? '');
  const status = host?.status === 'up' ? (brick.status ?? 'down') : 'unknown';
  const device = {
    device: `/dev/mapper/gluster-${digestOf(brick.brick_dir ?? '')
      .toString('hex')
      .slice(0, 6)}`,
    fs_name: 'xfs',
    mnt_options: 'rw,noatime,inode64',
  };
  if (status !== 'up') return { status, ...device };
  const generation = String((brick as StoredObject)['generation'] ?? 0);
  const digest = digestOf(brick.id ?? '', generation);
  return {
    status,
    ...device,
    port: 49_152 + (digest[0] ?? 0),
    pid: 1_000 + digest.readUInt16LE(1),
    gluster_clients: clientsOf(ctx, brick),
    memory_pools: poolNames.map((name) => poolOf(brick, name)),
  };
}

/** The servers of the cluster that are up use the volume. */
function clientsOf(ctx: RuleContext, brick: Brick): StoredObject[] {
  const volume = ctx.tx.get('gluster_volume', brick.gluster_volume?.id ?? '');
  const where = { cluster_id: volume?.cluster?.id ?? '', status: 'up' };
  return ctx.tx.list('host', { where }).map(({ id = '', address }) => {
    const digest = digestOf(brick.id ?? '', id);
    return {
      host_name: address,
      client_port: 49_000 + (digest[0] ?? 0),
      bytes_read: digest.readUInt32LE(1),
      bytes_written: digest.readUInt32LE(5),
    };
  });
}

const poolNames = ['fd_t', 'dentry_t', 'inode_t', 'rpcsvc_request_t', 'struct saved_frame'];

function poolOf(brick: Brick, name: string): StoredObject {
  const digest = digestOf(brick.id ?? '', name);
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

/** Room of a brick or volume, in bytes. Copies take room without giving any. */
export function capacityOf(
  ctx: RuleContext,
  kind: 'gluster_volume' | 'gluster_brick',
  object: StoredObject,
): { readonly total: number; readonly used: number } {
  const volume = (
    kind === 'gluster_volume'
      ? object
      : ctx.tx.get('gluster_volume', (object as Brick).gluster_volume?.id ?? '')
  ) as Volume | undefined;
  const share = 0.1 + (0.6 * (digestOf(volume?.id ?? '', 'used')[0] ?? 0)) / 256;
  const sets =
    kind === 'gluster_brick' || !volume
      ? 1
      : bricksIn(ctx, volume).length / Math.max(1, volume.replica_count ?? 1);
  const total = Math.floor(brickSize * sets);
  return { total, used: Math.floor(total * share) };
}
