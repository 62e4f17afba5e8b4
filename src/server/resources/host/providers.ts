/** External network providers that a host is set up for. */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import { resolveMember } from '../../core/input.ts';
import { isRecord, type StoredObject } from '../../store/document.ts';

/** Keeps the providers that were sent with a new host, in the collection of the host. */
export function keepProviders(ctx: RuleContext, host: Resource<'host'>, sent: StoredObject): void {
  const list = sent['external_network_provider_configurations'];
  if (!Array.isArray(list)) return;
  for (const { external_network_provider: named } of list) {
    if (!isRecord(named)) continue;
    const id = resolveMember(ctx.tx, 'openstack_network_provider', named);
    const path = `/hosts/${host.id}/externalnetworkproviderconfigurations`;
    ctx.tx.insert('external_network_provider_configuration', path, {
      id: ctx.site.newId(),
      external_network_provider: { id },
      host: { id: host.id ?? '' },
    });
  }
}
