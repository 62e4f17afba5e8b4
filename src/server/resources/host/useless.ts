/** Hosts that are up and yet of no use. */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import type { StoredObject } from '../../store/document.ts';
import { refreshStorage } from './spm.ts';

type Host = Resource<'host'>;

/** A host that is up and lacks required networks is non-operational until it has them. */
export function useless(ctx: RuleContext, host: Host, missing: readonly string[]): StoredObject {
  const cluster = ctx.tx.get('cluster', host.cluster?.id ?? '');
  const out = { ...host, status: 'non_operational', status_detail: 'network_unreachable' } as Host;
  ctx.tx.update('host', out);
  ctx.event('HOST_LACKS_NETWORKS', { host, cluster }, { Networks: missing.join(', ') });
  ctx.event('HOST_NON_OPERATIONAL', { host, cluster });
  refreshStorage(ctx, out);
  return out as StoredObject;
}
