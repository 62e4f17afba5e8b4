/** Non-operational hosts: running hosts that lack requirements of their cluster. */
import type { RuleContext } from '../core/context.ts';
import type { ObjectOf } from '../store/transaction.ts';
import { refreshStorage } from './storage-pool-manager.ts';

type Host = ObjectOf<'host'>;

/** Sets a host without required networks to non-operational. */
export function markNonOperational(ctx: RuleContext, host: Host, missing: readonly string[]): Host {
  const cluster = ctx.tx.get('cluster', host.cluster?.id ?? '');
  const out: Host = { ...host, status: 'non_operational', status_detail: 'network_unreachable' };
  ctx.tx.update('host', out);
  ctx.event('HOST_LACKS_NETWORKS', { host, cluster }, { Networks: missing.join(', ') });
  ctx.event('HOST_NON_OPERATIONAL', { host, cluster });
  refreshStorage(ctx, out);
  return out;
}
