/** Networks that every host of a cluster must have. */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import { attachmentsOf } from './nics.ts';

/** Names of the required networks of its cluster that a host does not have. */
export function missingNetworks(ctx: RuleContext, host: Resource<'host'>): string[] {
  const present = new Set(attachmentsOf(ctx, host.id ?? '').map(({ network }) => network?.id));
  return ctx.tx
    .list('cluster_network', { where: { collection: `/clusters/${host.cluster?.id}/networks` } })
    .filter(({ id, required }) => required && !present.has(id))
    .map(({ id }) => ctx.tx.get('network', id ?? '')?.name ?? '');
}

/** Whether some host of the cluster that is up lacks a network. */
export function isMissingSomewhere(ctx: RuleContext, cluster: string, network: string): boolean {
  const where = { network_id: network };
  const having = new Set(ctx.tx.list('network_attachment', { where }).map(({ host }) => host?.id));
  return ctx.tx
    .list('host', { where: { cluster_id: cluster, status: 'up' } })
    .some(({ id }) => !having.has(id));
}
