/** Data centers: status, storage pool manager, and initial contents. */
import type { Resource } from '../../model/resource.ts';
import type { RuleContext } from '../core/context.ts';
import type { ObjectOf } from '../store/transaction.ts';
import { grantToEveryone } from './grants.ts';
import type { StoredQuota } from './quota.ts';

type Host = ObjectOf<'host'>;
type Status = NonNullable<Resource<'data_center'>['status']>;

/** Compatibility levels, oldest first. */
export const levels = [
  { major: 4, minor: 2 },
  { major: 4, minor: 3 },
  { major: 4, minor: 4 },
  { major: 4, minor: 5 },
  { major: 4, minor: 6 },
  { major: 4, minor: 7 },
  { major: 4, minor: 8 },
] as const;

/**
 * Creates the initial contents of a data center: a management network with its profile, and a
 * default quota. The first data center of a service has well-known ids.
 */
export function furnishDataCenter(
  ctx: RuleContext,
  dataCenter: Resource<'data_center'>,
  ids: {
    readonly network?: string;
    readonly vnicProfile?: string;
    /** Id of the permission of everyone on the profile. */
    readonly permission?: string;
  } = {},
): void {
  const owner = { id: dataCenter.id ?? '' };
  const network = ids.network ?? ctx.site.newId();
  const name = getManagementNetworkName(ctx);
  ctx.tx.insert('network', '/networks', {
    id: network,
    name,
    description: ids.network
      ? ctx.site.dialect.firstNetworkDescription
      : 'Default Management Network',
    stp: false,
    mtu: 0,
    usages: ['vm'],
    vdsm_name: name,
    port_isolation: false,
    data_center: owner,
  });
  const vnicProfile = ids.vnicProfile ?? ctx.site.newId();
  addVnicProfile(ctx, name, network, vnicProfile);
  grantToEveryone(ctx, 'VnicProfileUser', `/vnicprofiles/${vnicProfile}`, ids.permission);
  const quota: StoredQuota = {
    id: ctx.site.newId(),
    name: 'Default',
    description: 'Default unlimited quota',
    cluster_soft_limit_pct: 80,
    cluster_hard_limit_pct: 20,
    storage_soft_limit_pct: 80,
    storage_hard_limit_pct: 20,
    data_center: owner,
    isDefault: true,
  };
  ctx.tx.insert('quota', `/datacenters/${dataCenter.id}/quotas`, quota);
}

/** Name of the network over which hosts are managed. */
export function getManagementNetworkName(ctx: RuleContext): string {
  return ctx.site.dialect.managementNetwork;
}

/** Adds a profile that connects NICs to a network. */
export function addVnicProfile(
  ctx: RuleContext,
  name: string,
  network: string,
  id = ctx.site.newId(),
): void {
  const filter = ctx.tx.byName('network_filter', 'vdsm-no-mac-spoofing');
  ctx.tx.insert('vnic_profile', '/vnicprofiles', {
    id,
    name,
    port_mirroring: false,
    pass_through: { mode: 'disabled' },
    network: { id: network },
    ...(filter?.id ? { network_filter: { id: filter.id } } : {}),
  });
}

/** Storage domains of a data center, with their status in it. */
export function listAttachedDomains(
  ctx: RuleContext,
  dataCenter: string,
): ObjectOf<'attached_storage_domain'>[] {
  return ctx.tx.list('attached_storage_domain', {
    where: { collection: `/datacenters/${dataCenter}/storagedomains` },
  });
}

/** Hosts of a data center that are up. */
export function listHostsUp(ctx: RuleContext, dataCenter: string): Host[] {
  return ctx.tx
    .list('cluster', { where: { data_center_id: dataCenter } })
    .flatMap((cluster) =>
      ctx.tx.list('host', { where: { cluster_id: cluster.id ?? '', status: 'up' } }),
    );
}

/** Whether an unreachable host is still storage pool manager. It may still write to the storage. */
function isSpmLost(ctx: RuleContext, dataCenter: string): boolean {
  return ctx.tx
    .list('cluster', { where: { data_center_id: dataCenter } })
    .flatMap(({ id }) => ctx.tx.list('host', { where: { cluster_id: id ?? '' } }))
    .some(({ status, spm }) => spm?.status === 'spm' && lost.has(status ?? ''));
}

const lost = new Set(['connecting', 'non_responsive']);

/** Computes the status of a data center from its master domain and its hosts. */
export function refreshDataCenter(ctx: RuleContext, id: string): void {
  const dataCenter = ctx.tx.get('data_center', id);
  if (!dataCenter) return;
  refreshDomains(ctx, id);
  const master = listAttachedDomains(ctx, id).find((domain) => domain.master);
  const spm = listHostsUp(ctx, id).some((host) => host.spm?.status === 'spm');
  const status = computeStatus(master?.status, spm, dataCenter.status);
  if (status === dataCenter.status) return;
  const changed = { ...dataCenter, status };
  ctx.tx.update('data_center', changed);
  if (status === 'problematic') {
    ctx.event('DATA_CENTER_PROBLEMATIC', { data_center: changed });
    if (listHostsUp(ctx, id).length === 0)
      ctx.event('DATA_CENTER_WITHOUT_HOSTS', { data_center: changed });
  }
  if (dataCenter.status === 'problematic' && status === 'up') {
    ctx.event('DATA_CENTER_UP_AGAIN', { data_center: changed });
  }
}

/** Sets active domains to unknown while no host is up, and back afterwards. */
function refreshDomains(ctx: RuleContext, dataCenter: string): void {
  const seen = listHostsUp(ctx, dataCenter).length > 0;
  const [from, to] = seen ? (['unknown', 'active'] as const) : (['active', 'unknown'] as const);
  for (const domain of listAttachedDomains(ctx, dataCenter)) {
    if (domain.status !== from) continue;
    const collection = `/datacenters/${dataCenter}/storagedomains`;
    ctx.tx.update('attached_storage_domain', { ...domain, status: to }, collection);
    if (seen)
      ctx.event('STORAGE_DOMAIN_RECOVERED', {
        storage_domain: domain,
        data_center: { id: dataCenter },
      });
  }
}

/** Status of a data center by that of its master. `spm`: a host is storage pool manager. */
function computeStatus(
  master: string | undefined,
  spm: boolean,
  before: Status | undefined,
): Status {
  switch (master) {
    case undefined:
      return 'uninitialized';
    case 'maintenance':
    case 'preparing_for_maintenance':
      return 'maintenance';
    case 'active':
      return spm ? 'up' : 'problematic';
    case 'locked':
      // The first domain is being attached, or another one becomes the master during operation.
      return before === 'up' && spm ? 'up' : 'maintenance';
    case 'activating':
      return 'maintenance';
    default:
      return 'problematic';
  }
}

/** Elects the best host as storage pool manager, if the data center needs one. */
export function electSpm(ctx: RuleContext, dataCenter: string): void {
  const master = listAttachedDomains(ctx, dataCenter).find((domain) => domain.master);
  if (!master || master.status === 'maintenance') return;
  const candidates = listHostsUp(ctx, dataCenter);
  if (candidates.some((host) => host.spm?.status === 'spm')) return;
  if (isSpmLost(ctx, dataCenter)) return;
  const best = candidates
    .filter((host) => (host.spm?.priority ?? 5) > -1)
    .sort((a, b) => (b.spm?.priority ?? 5) - (a.spm?.priority ?? 5))[0];
  if (!best) return;
  ctx.tx.update('host', { ...best, spm: { ...best.spm, status: 'spm' } });
  ctx.event('SPM_SELECTED', { host: best, data_center: ctx.tx.get('data_center', dataCenter) });
}

/** Removes the role from a host, so that another one can be elected. */
export function releaseSpm(ctx: RuleContext, host: Host): void {
  if (host.spm?.status !== 'spm') return;
  ctx.tx.update('host', { ...host, spm: { ...host.spm, status: 'none' } });
}
