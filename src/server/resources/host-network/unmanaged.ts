/** Networks that a host still has although its cluster knows them no more. */

import { define } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { namedId } from '../../core/digest.ts';
import { type Attachment, attachmentsPath, refreshNics } from './nics.ts';
import { requireConfigurable } from './setup.ts';

/** The attachment ends; the host keeps the network until somebody removes it there. */
export function leaveUnmanaged(ctx: RuleContext, attachment: Attachment): void {
  const host = attachment.host?.id ?? '';
  const name = ctx.tx.get('network', attachment.network?.id ?? '')?.name ?? '';
  ctx.tx.remove('network_attachment', attachment.id ?? '', attachmentsPath(host));
  const id = namedId(host, 'unmanaged', name);
  const path = `/hosts/${host}/unmanagednetworks`;
  if (!ctx.tx.get('unmanaged_network', id, path)) {
    ctx.tx.insert('unmanaged_network', path, {
      id,
      name,
      host_nic: attachment.host_nic ?? { id: '' },
      host: { id: host },
    });
  }
  refreshNics(ctx, host);
}

export const unmanagedNetworkRules = define('unmanaged_network', {
  beforeDelete(ctx, { place }) {
    const host = ctx.tx.get('host', place.owner?.id ?? '');
    if (!host) return;
    requireConfigurable(ctx, host);
    ctx.event('HOST_NETWORKS_CHANGED', { host }, { Sequence: 1, Total: 1 });
  },
});
