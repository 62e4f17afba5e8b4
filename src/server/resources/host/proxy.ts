/** Fence agents are reached through another host: which one. */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import { hostsUp } from '../data-center/data-center.ts';
import { dataCenterOf } from './spm.ts';

type Host = Resource<'host'>;

/** A host that is up, of the cluster, the data center or another one, as the host asks for. */
export function proxyOf(ctx: RuleContext, host: Host): Host | undefined {
  const asked = host.power_management?.pm_proxies ?? [{ type: 'cluster' }, { type: 'dc' }];
  for (const { type } of asked) {
    const found = candidates(ctx, host, type ?? 'cluster').find(({ id }) => id !== host.id);
    if (found) return found;
  }
  return undefined;
}

function candidates(ctx: RuleContext, host: Host, where: string): Host[] {
  if (where === 'cluster') {
    return ctx.tx.list('host', { where: { cluster_id: host.cluster?.id ?? '', status: 'up' } });
  }
  if (where === 'dc') return hostsUp(ctx, dataCenterOf(ctx, host)?.id ?? '');
  return ctx.tx.list('host', { where: { status: 'up' } });
}
