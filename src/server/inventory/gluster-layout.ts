/** Layout of Gluster volumes: counts of bricks, replicas and stripes, and their servers. */
import type { Resource } from '../../model/resource.ts';
import type { RuleContext } from '../core/context.ts';
import type { StoredObject } from '../store/kinds.ts';
import type { ObjectOf } from '../store/transaction.ts';

type Brick = ObjectOf<'gluster_brick'>;
type Volume = ObjectOf<'gluster_volume'>;
type Host = ObjectOf<'host'>;

/** Bricks on a host. */
export function listHostBricks(ctx: RuleContext, host: Host): Brick[] {
  return ctx.tx.list('gluster_brick', { where: { server_id: host.id ?? '' } });
}

/** Path of the collection with the bricks of a volume. */
export function formatBricksPath(volume: Volume): string {
  return `/clusters/${volume.cluster?.id}/glustervolumes/${volume.id}/glusterbricks`;
}

/** Bricks of a volume, in the order that determines the replica sets. */
export function listBricks(ctx: RuleContext, volume: Volume): Brick[] {
  return ctx.tx.list('gluster_brick', { where: { collection: formatBricksPath(volume) } });
}

/** The replica sets of a volume: each contains copies of the same files. */
export function listReplicaSets(ctx: RuleContext, volume: Volume): Brick[][] {
  const bricks = listBricks(ctx, volume);
  const size = Math.max(1, volume.replica_count ?? 1);
  const sets: Brick[][] = [];
  for (let first = 0; first < bricks.length; first += size) {
    sets.push(bricks.slice(first, first + size));
  }
  return sets;
}

/** Volumes that would lose the quorum of a replica set without the host. */
export function listQuorumLosses(ctx: RuleContext, host: Host): Volume[] {
  const volumes = new Set(
    listHostBricks(ctx, host).map(({ gluster_volume }) => gluster_volume?.id),
  );
  return [...volumes].flatMap((id) => {
    const volume = id ? ctx.tx.get('gluster_volume', id) : undefined;
    if (volume?.status !== 'up') return [];
    const requested = volume.options?.find(({ name }) => name === 'cluster.quorum-type')?.value;
    const size = volume.replica_count ?? 1;
    if ((requested ?? (size >= 3 ? 'auto' : 'none')) !== 'auto') return [];
    const lost = listReplicaSets(ctx, volume).some((set) => {
      const left = set.filter(({ status, server_id }) => status === 'up' && server_id !== host.id);
      return left.length * 2 <= size;
    });
    return lost ? [volume] : [];
  });
}

/**
 * Sets the status of the bricks of started volumes, after the service on their host starts or
 * stops.
 */
export function switchBricks(ctx: RuleContext, host: Host, up: boolean): void {
  for (const brick of listHostBricks(ctx, host)) {
    const volume = ctx.tx.get('gluster_volume', brick.gluster_volume?.id ?? '');
    if (!volume) continue;
    const status = up && volume.status === 'up' ? 'up' : 'down';
    if (brick.status !== status) {
      ctx.tx.update('gluster_brick', { ...brick, status }, formatBricksPath(volume));
    }
  }
}

/** Hosts of a cluster that are up. */
function serversUp(ctx: RuleContext, cluster: string): Host[] {
  return ctx.tx.list('host', { where: { cluster_id: cluster, status: 'up' } });
}

type Cluster = Resource<'cluster'>;

export const replicated = (type: string | undefined) => type?.includes('replicate') ?? false;
export const striped = (type: string | undefined) => type?.includes('stripe') ?? false;
export const dispersed = (type: string | undefined) => type?.includes('disperse') ?? false;
export const distributed = (type: string | undefined) => type?.startsWith('distribute') ?? false;

/** Requires a Gluster cluster with a server that is up. */
export function requireServers(
  ctx: RuleContext,
  clusterId: string,
  action: string,
  type: string,
): Cluster {
  const cluster = ctx.tx.get('cluster', clusterId) ?? {};
  const messageParams = { action, type, cluster: cluster.name };
  if (!cluster.gluster_service) ctx.refuse('CLUSTER_WITHOUT_GLUSTER', messageParams);
  if (serversUp(ctx, clusterId).length === 0) ctx.refuse('NO_GLUSTER_SERVER_UP', messageParams);
  return cluster;
}

/** Refuses replica and stripe counts that the volume type does not support. */
export function checkCounts(ctx: RuleContext, volume: Volume, action: string): void {
  const type = volume.volume_type;
  const messageParams = { action, type: 'Gluster Volume', volumeType: type };
  if (dispersed(type)) ctx.refuse('VOLUME_DISPERSE', messageParams);
  if (replicated(type) && (volume.replica_count ?? 0) < 2) {
    ctx.refuse('REPLICA_COUNT_TOO_SMALL', messageParams);
  }
  if (striped(type) && (volume.stripe_count ?? 0) < 4)
    ctx.refuse('STRIPE_COUNT_TOO_SMALL', messageParams);
}

/** Refuses a number of bricks that does not match the type and its counts. */
export function checkBrickCount(
  ctx: RuleContext,
  volume: Volume,
  count: number,
  action: string,
  what = 'Gluster Volume',
): void {
  const type = volume.volume_type ?? '';
  const copies = replicated(type) ? (volume.replica_count ?? 1) : 1;
  const stripes = striped(type) ? (volume.stripe_count ?? 1) : 1;
  const set = copies * stripes;
  const alone = type === 'replicate' || type === 'stripe';
  // A distributed striped volume needs more than one set; a distributed replicated one may start
  // with one.
  const several = distributed(type) && striped(type);
  const fits = alone ? count === set : count % set === 0 && count >= (several ? set + 1 : 1);
  if (fits) return;
  const needed = [
    ...(copies > 1 ? [`replica count ${copies}`] : []),
    ...(stripes > 1 ? [`stripe count ${stripes}`] : []),
  ].join(' and ');
  ctx.refuse('BRICK_COUNT_INVALID', { action, type: what, count, volumeType: type, needed });
}

/** Validates new bricks of a volume and completes them for storage. */
export function prepareBricks(
  ctx: RuleContext,
  volume: Volume,
  sent: readonly StoredObject[],
  action: string,
  type: string,
): Brick[] {
  if (sent.length === 0) ctx.refuse('BRICKS_REQUIRED', { action, type });
  const bricks: Brick[] = [];
  for (const one of sent) {
    const server = String(one['server_id'] ?? '');
    const directory = String(one['brick_dir'] ?? '');
    const host = ctx.tx.get('host', server);
    if (!host || host.cluster?.id !== volume.cluster?.id) {
      ctx.refuse('BRICK_SERVER_INVALID', { action, type, server });
    }
    if (!directory.startsWith('/')) {
      ctx.refuse('BRICK_DIRECTORY_INVALID', { action, type, directory });
    }
    const name = `${host.address}:${directory}`;
    if (bricks.some((brick) => brick.name === name)) {
      ctx.refuse('BRICKS_DUPLICATE', { action, type, brick: name });
    }
    const taken = ctx.tx
      .list('gluster_brick', { where: { server_id: server } })
      .find(({ brick_dir }) => brick_dir === directory);
    if (taken) {
      const owner = ctx.tx.get('gluster_volume', taken.gluster_volume?.id ?? '')?.name;
      ctx.refuse('BRICK_IN_VOLUME', { action, type, brick: name, volume: owner });
    }
    bricks.push({
      id: ctx.site.newId(),
      name,
      server_id: server,
      brick_dir: directory,
      status: volume.status === 'up' && host.status === 'up' ? 'up' : 'down',
      gluster_volume: { id: volume.id ?? '' },
    });
  }
  return bricks;
}

/** Refuses replicas on the same host in clusters that also run VMs. */
export function refuseSharedHosts(
  ctx: RuleContext,
  cluster: Cluster,
  volume: Volume,
  bricks: readonly Brick[],
  action: string,
): void {
  if (!cluster.virt_service || !replicated(volume.volume_type)) return;
  if (ctx.parameters.flag('force')) return;
  const size = volume.replica_count ?? 1;
  for (let first = 0; first < bricks.length; first += size) {
    const set = bricks.slice(first, first + size);
    if (new Set(set.map(({ server_id }) => server_id)).size === set.length) continue;
    ctx.refuse('BRICKS_OF_SET_ON_ONE_HOST', {
      action,
      type: 'Gluster Volume',
      bricks: set.map(({ name }) => name).join(', '),
    });
  }
}

/** Stores the bricks of a volume in an order that determines the replica sets. */
export function storeBricks(ctx: RuleContext, volume: Volume, bricks: readonly Brick[]): void {
  const path = formatBricksPath(volume);
  for (const { id } of ctx.tx.list('gluster_brick', { where: { collection: path } })) {
    ctx.tx.remove('gluster_brick', id ?? '', path);
  }
  for (const brick of bricks) ctx.tx.insert('gluster_brick', path, brick);
}
