/** Non-operational hosts: up, but without what their cluster requires. */
import type { RuleContext } from '../core/context.ts';
import type { ObjectOf } from '../store/transaction.ts';
import { refreshStorage } from './storage-pool-manager.ts';

type Host = ObjectOf<'host'>;

/** A host that is up and lacks required networks is non-operational until it has them. */
export function markNonOperational(ctx: RuleContext, host: Host, missing: readonly string[]): Host {
  const cluster = ctx.tx.get('cluster', host.cluster?.id ?? '');
  const out: Host = { ...host, status: 'non_operational', status_detail: 'network_unreachable' };
  ctx.tx.update('host', out);
  ctx.event('HOST_LACKS_NETWORKS', { host, cluster }, { Networks: missing.join(', ') });
  ctx.event('HOST_NON_OPERATIONAL', { host, cluster });
  refreshStorage(ctx, out);
  return out;
}
