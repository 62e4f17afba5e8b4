/** Which networks the machines of a cluster can use. */
import type { RuleContext } from '../../core/context.ts';
import { namesOf, nicsOf, type Vm } from './vm.ts';

/** Ids of the networks that are in a cluster. */
export function networksInCluster(ctx: RuleContext, clusterId: string | undefined): Set<string> {
  const assigned = ctx.tx.list('cluster_network', {
    where: { collection: `/clusters/${clusterId}/networks` },
  });
  return new Set(assigned.map(({ id }) => id ?? ''));
}

/** Refuses a machine with plugged interfaces in networks that a cluster does not have. */
export function requireNetworks(
  ctx: RuleContext,
  vm: Vm,
  clusterId: string | undefined,
  action: string,
): void {
  const present = networksInCluster(ctx, clusterId);
  const missing = nicsOf(ctx, vm).flatMap((nic) => {
    if (!nic.plugged || !nic.vnic_profile?.id) return [];
    const network = ctx.tx.get('vnic_profile', nic.vnic_profile.id)?.network?.id;
    return network && !present.has(network) ? [ctx.tx.get('network', network) ?? {}] : [];
  });
  if (missing.length === 0) return;
  const cluster = ctx.tx.get('cluster', clusterId ?? '')?.name;
  ctx.refuse('VM_NETWORK_NOT_IN_CLUSTER', { action, cluster, names: namesOf(missing) });
}
