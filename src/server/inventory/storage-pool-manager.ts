/** Storage pool manager of a data center: selection of the host, and its pending work. */
import type { Resource } from '../../model/resource.ts';
import type { RuleContext } from '../core/context.ts';
import { requireState } from '../core/transitions.ts';
import type { ObjectOf } from '../store/transaction.ts';
import { electSpm, listAttachedDomains, listHostsUp, refreshDataCenter } from './data-center.ts';

type Host = ObjectOf<'host'>;

/** The data center of a host. */
export function findHostDataCenter(
  ctx: RuleContext,
  host: Host,
): Resource<'data_center'> | undefined {
  const cluster = ctx.tx.get('cluster', host.cluster?.id ?? '');
  return cluster?.data_center?.id ? ctx.tx.get('data_center', cluster.data_center.id) : undefined;
}

/** Re-elects the storage pool manager of a data center if necessary, and updates its status. */
export function refreshStorage(ctx: RuleContext, host: Host): void {
  const dataCenter = findHostDataCenter(ctx, host)?.id;
  if (!dataCenter) return;
  electSpm(ctx, dataCenter);
  refreshDataCenter(ctx, dataCenter);
}

/** Locked disks in the data center of a host. */
export function listBusyDisks(ctx: RuleContext, host: Host): Resource<'disk'>[] {
  const domains = new Set(
    listAttachedDomains(ctx, findHostDataCenter(ctx, host)?.id ?? '').map(({ id }) => id),
  );
  return ctx.tx
    .list('disk', { where: { status: 'locked' } })
    .filter((disk) => disk.storage_domains?.some(({ id }) => domains.has(id)));
}

/** Makes a host the storage pool manager instead of the current one. */
export function forceSpm(ctx: RuleContext, host: Host): void {
  const action = 'force select SPM';
  requireState(ctx, 'host', host, 'force_select_spm', { action });
  const cluster = ctx.tx.get('cluster', host.cluster?.id ?? '');
  const dataCenter = findHostDataCenter(ctx, host);
  if (!dataCenter?.id) ctx.refuse('SPM_WITHOUT_DATA_CENTER', { action });
  if (cluster?.virt_service === false) ctx.refuse('SPM_WITHOUT_VIRT', { action });
  if (host.spm?.status === 'spm' || host.spm?.status === 'contending') {
    ctx.refuse('SPM_ALREADY', { action });
  }
  if ((host.spm?.priority ?? 5) < 0) ctx.refuse('SPM_NEVER', { action });
  if (dataCenter.status !== 'up') {
    ctx.refuse('DATA_CENTER_IS_NOT_UP', {
      action,
      type: 'Host',
      dataCenter: dataCenter.name,
      status: dataCenter.status,
    });
  }
  const busy = listBusyDisks(ctx, host);
  if (busy.length > 0) {
    ctx.refuse('SPM_IS_BUSY', { action, names: busy.map(({ name }) => name).join(', ') });
  }
  for (const other of listHostsUp(ctx, dataCenter.id)) {
    if (other.spm?.status !== 'spm') continue;
    ctx.tx.update('host', { ...other, spm: { ...other.spm, status: 'none' } });
  }
  const chosen = ctx.tx.get('host', host.id ?? '') ?? host;
  ctx.tx.update('host', { ...chosen, spm: { ...chosen.spm, status: 'spm' } });
  ctx.event('SPM_FORCED', { host, data_center: dataCenter });
  ctx.event('SPM_SELECTED', { host, data_center: dataCenter });
}
