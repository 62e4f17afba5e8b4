/** What hosts do for Gluster: the bricks that lie on them, and whether volumes can do without. */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';

type Brick = Resource<'gluster_brick'>;
type Volume = Resource<'gluster_volume'>;
type Host = Resource<'host'>;

/** Bricks that lie on a host. */
export function bricksOn(ctx: RuleContext, host: Host): Brick[] {
  return ctx.tx.list('gluster_brick', { where: { server_id: host.id ?? '' } });
}

/** Path of the collection that holds the bricks of a volume. */
export function bricksOf(volume: Volume): string {
  return `/clusters/${volume.cluster?.id}/glustervolumes/${volume.id}/glusterbricks`;
}

/** Bricks of a volume, in the order that says which are copies of each other. */
export function bricksIn(ctx: RuleContext, volume: Volume): Brick[] {
  return ctx.tx.list('gluster_brick', { where: { collection: bricksOf(volume) } });
}

/** The bricks of a volume in groups: each holds copies of the same files. */
export function replicaSets(ctx: RuleContext, volume: Volume): Brick[][] {
  const bricks = bricksIn(ctx, volume);
  const size = Math.max(1, volume.replica_count ?? 1);
  const sets: Brick[][] = [];
  for (let first = 0; first < bricks.length; first += size) {
    sets.push(bricks.slice(first, first + size));
  }
  return sets;
}

/** Volumes that would lose the majority of the copies of some files without the host. */
export function quorumLostWithout(ctx: RuleContext, host: Host): Volume[] {
  const volumes = new Set(bricksOn(ctx, host).map(({ gluster_volume }) => gluster_volume?.id));
  return [...volumes].flatMap((id) => {
    const volume = id ? ctx.tx.get('gluster_volume', id) : undefined;
    if (volume?.status !== 'up') return [];
    const asked = volume.options?.find(({ name }) => name === 'cluster.quorum-type')?.value;
    const size = volume.replica_count ?? 1;
    if ((asked ?? (size >= 3 ? 'auto' : 'none')) !== 'auto') return [];
    const lost = replicaSets(ctx, volume).some((set) => {
      const left = set.filter(({ status, server_id }) => status === 'up' && server_id !== host.id);
      return left.length * 2 <= size;
    });
    return lost ? [volume] : [];
  });
}

/** The bricks of started volumes go up or down with the service on their host. */
export function switchBricks(ctx: RuleContext, host: Host, up: boolean): void {
  for (const brick of bricksOn(ctx, host)) {
    const volume = ctx.tx.get('gluster_volume', brick.gluster_volume?.id ?? '');
    if (!volume) continue;
    const status = up && volume.status === 'up' ? 'up' : 'down';
    if (brick.status !== status) {
      ctx.tx.update('gluster_brick', { ...brick, status }, bricksOf(volume));
    }
  }
}

/** Hosts of a cluster that are up. */
export function serversUp(ctx: RuleContext, cluster: string): Host[] {
  return ctx.tx.list('host', { where: { cluster_id: cluster, status: 'up' } });
}
