/** The master storage domain of a data center: who takes over when it leaves. */
import type { RuleContext } from '../../core/context.ts';
import { begin } from '../../core/transitions.ts';
import { domainsOf } from '../../inventory/data-center.ts';
import type { ObjectOf } from '../../store/transaction.ts';

/** A domain as a data center has it. */
export type Attached = ObjectOf<'attached_storage_domain'>;

/** Path of the collection of the domains of a data center. */
export function collectionIn(dataCenter: string): string {
  return `/datacenters/${dataCenter}/storagedomains`;
}

/** Id of the data center that an attached domain is in. */
export function dataCenterOf(attached: Attached): string {
  return attached.data_center?.id ?? '';
}

/** The master of a data center. */
export function masterOf(ctx: RuleContext, dataCenter: string): Attached | undefined {
  return domainsOf(ctx, dataCenter).find(({ master }) => master);
}

/**
 * The domain that becomes the master when this one leaves: an active data domain, the one that was
 * master the longest time ago first, shared ones before local ones.
 */
export function successorOf(ctx: RuleContext, leaving: Attached): Attached | undefined {
  const candidates = domainsOf(ctx, dataCenterOf(leaving)).flatMap((attached) => {
    const domain = ctx.tx.get('storage_domain', attached.id ?? '');
    const fits =
      attached.id !== leaving.id &&
      (attached.status === 'active' || attached.status === 'unknown') &&
      domain?.type === 'data' &&
      domain.backup !== true;
    const local = domain?.storage?.type === 'localfs' ? 1 : 0;
    return fits ? [{ attached, since: attached.masterUntil ?? 0, local }] : [];
  });
  candidates.sort((a, b) => a.since - b.since || a.local - b.local);
  return candidates[0]?.attached;
}

/** Makes a domain the master in place of another one. Returns the old one as it is now. */
export function moveMaster(ctx: RuleContext, from: Attached, to: Attached): Attached {
  const dataCenter = dataCenterOf(to);
  const collection = collectionIn(dataCenter);
  const old: Attached = { ...from, master: false, masterUntil: ctx.steady };
  ctx.tx.update('attached_storage_domain', old, collection);
  const kind = 'attached_storage_domain';
  begin(ctx, { kind, collection, operation: 'become_master' }, { ...to, master: true });
  return old;
}
