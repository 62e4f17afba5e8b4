/** What refuses a cluster, or a change of one (specification 4.5). */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import { managementNetwork } from '../data-center/data-center.ts';

type Cluster = Resource<'cluster'>;
type Level = { readonly major?: number; readonly minor?: number } | undefined;

/** The architecture of a processor type; undefined for one that says nothing of it. */
export function architectureOf(type: string | undefined): 'x86_64' | 'ppc64' | 's390x' | undefined {
  if (!type) return undefined;
  if (/POWER/.test(type)) return 'ppc64';
  return /\bz(1|BC|EC)/.test(type) ? 's390x' : 'x86_64';
}

/** Refuses what no cluster can be. */
export function checkCluster(ctx: RuleContext, cluster: Cluster, action: string): void {
  const level = textOf(cluster.version);
  const known = ctx.tx.get('cluster_level', level);
  if (!known) ctx.refuse('CLUSTER_LEVEL_UNSUPPORTED', { action, level });
  const cpu = cluster.cpu?.type;
  if (cpu && !known?.cpu_types?.some(({ name }) => name === cpu)) {
    ctx.refuse('CLUSTER_CPU_UNKNOWN', { action, level, cpu });
  }
  const dataCenter = ctx.tx.get('data_center', cluster.data_center?.id ?? '');
  if (compare(cluster.version, dataCenter?.version) < 0) {
    ctx.refuse('CLUSTER_LEVEL_BELOW_DATA_CENTER', { action, level });
  }
  if (cluster.virt_service === false && !cluster.gluster_service) {
    ctx.refuse('CLUSTER_WITHOUT_SERVICE', { action });
  }
  const percent = cluster.memory_policy?.over_commit?.percent ?? 100;
  if (percent <= 0 && cluster.memory_policy) {
    cluster.memory_policy = { ...cluster.memory_policy, over_commit: { percent: 100 } };
  }
  if (percent > 100 && cluster.ksm?.enabled === false && cluster.ballooning_enabled === false) {
    ctx.refuse('CLUSTER_OVERCOMMITS_WITHOUT_MEANS', { action });
  }
  if (cluster.required_rng_sources?.includes('random')) {
    ctx.refuse('CLUSTER_RNG_SOURCE_IMPLIED', { action, source: 'random' });
  }
}

/** Refuses a new cluster that its data center cannot hold. */
export function checkNewCluster(
  ctx: RuleContext,
  cluster: Cluster,
  network: string | undefined,
): void {
  const where = { data_center_id: cluster.data_center?.id ?? '' };
  const dataCenter = ctx.tx.get('data_center', where.data_center_id);
  if (dataCenter?.local && ctx.tx.count('cluster', { where }) > 0) {
    ctx.refuse('CLUSTER_IN_LOCAL_DATA_CENTER', { action: 'add' });
  }
  const found =
    ctx.tx.byName('network', network ?? managementNetwork(ctx), where) ??
    (network ? ctx.tx.find('network', { ...where, id: network }) : undefined);
  if (!found) ctx.refuse('CLUSTER_WITHOUT_NETWORK', { action: 'add' });
}

/** Refuses a change that what is in the cluster does not allow. */
export function checkChange(
  ctx: RuleContext,
  before: Cluster,
  after: Cluster,
  sent: Cluster,
): void {
  const action = 'edit';
  const where = { cluster_id: before.id ?? '' };
  const hosts = ctx.tx.count('host', { where });
  const vms = ctx.tx.count('vm', { where });
  const dataCenter = sent.data_center?.id ?? dataCenterNamed(ctx, sent.data_center?.name);
  if (dataCenter !== undefined && dataCenter !== before.data_center?.id) {
    ctx.refuse('CLUSTER_DATA_CENTER_FIXED', { action });
  }
  if (hosts > 0 && compare(after.version, before.version) < 0) {
    ctx.refuse('CLUSTER_LEVEL_BELOW_HOSTS', { action });
  }
  const [old, now] = [before.cpu?.architecture, after.cpu?.architecture];
  if (old && old !== 'undefined' && old !== now && hosts + vms > 0) {
    ctx.refuse('CLUSTER_ARCHITECTURE_FIXED', { action });
  }
  if (after.virt_service === false && before.virt_service !== false && vms > 0) {
    ctx.refuse('CLUSTER_SERVICE_IN_USE', { action, objects: 'VMs' });
  }
  const volumes = ctx.tx.count('gluster_volume', {
    where: { collection: `/clusters/${before.id}/glustervolumes` },
  });
  if (before.gluster_service && !after.gluster_service && volumes > 0) {
    ctx.refuse('CLUSTER_SERVICE_IN_USE', { action, objects: 'Gluster volumes' });
  }
  if (before.mac_pool?.id !== after.mac_pool?.id) checkMacs(ctx, before, after);
}

function dataCenterNamed(ctx: RuleContext, name: string | undefined): string | undefined {
  return name === undefined ? undefined : (ctx.tx.byName('data_center', name)?.id ?? '');
}

/** A pool without duplicates takes no address that an interface of another cluster of it has. */
function checkMacs(ctx: RuleContext, before: Cluster, after: Cluster): void {
  const pool = ctx.tx.get('mac_pool', after.mac_pool?.id ?? '');
  if (pool?.allow_duplicates) return;
  const others = new Set(
    ctx.tx
      .list('cluster', { where: { mac_pool_id: pool?.id ?? '' } })
      .filter(({ id }) => id !== before.id)
      .flatMap((cluster) => macsOf(ctx, cluster.id ?? '')),
  );
  const mac = macsOf(ctx, before.id ?? '').find((one) => others.has(one));
  if (mac) ctx.refuse('CLUSTER_MACS_COLLIDE', { action: 'edit', mac });
}

function macsOf(ctx: RuleContext, clusterId: string): string[] {
  return ctx.tx
    .list('vm', { where: { cluster_id: clusterId } })
    .flatMap(({ id }) => ctx.tx.list('nic', { where: { collection: `/vms/${id}/nics` } }))
    .flatMap(({ mac }) => mac?.address ?? []);
}

function textOf(level: Level): string {
  return `${level?.major ?? 0}.${level?.minor ?? 0}`;
}

function compare(a: Level, b: Level): number {
  return (a?.major ?? 0) - (b?.major ?? 0) || (a?.minor ?? 0) - (b?.minor ?? 0);
}
