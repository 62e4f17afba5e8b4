/** A host that moves to another cluster: which of its networks go with it. */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import { attachManagement, managementOf } from './equip.ts';
import { attachmentsOf, attachmentsPath, nicsOf, refreshNics } from './nics.ts';
import { commitNetworks } from './saved.ts';
import { leaveUnmanaged } from './unmanaged.ts';

/**
 * Networks that the new cluster does not have stay on the host unmanaged; its management network
 * takes the interface of the old one.
 */
export function changeNetworkCluster(ctx: RuleContext, host: Resource<'host'>): void {
  const id = host.id ?? '';
  const cluster = host.cluster?.id ?? '';
  const management = managementOf(ctx, cluster);
  let nic: string | undefined;
  for (const one of attachmentsOf(ctx, id)) {
    const network = one.network?.id ?? '';
    if (network === management) return;
    if (ctx.tx.get('cluster_network', network, `/clusters/${cluster}/networks`)) continue;
    const name = ctx.tx.get('network', network)?.name ?? '';
    const wasManagement = name === ctx.tx.get('network', management ?? '')?.name;
    if (wasManagement) {
      nic = one.host_nic?.id;
      ctx.tx.remove('network_attachment', one.id ?? '', attachmentsPath(id));
    } else {
      leaveUnmanaged(ctx, one);
    }
  }
  // A host that was never installed has no interfaces yet.
  if (nicsOf(ctx, id).length > 0) attachManagement(ctx, id, nic);
  refreshNics(ctx, id);
  commitNetworks(ctx, id);
}
