/** The master storage domain of a data center, and its successor. */
import type { RuleContext } from '../../core/context.ts';
import { beginTransition } from '../../core/transitions.ts';
import { listAttachedDomains } from '../../inventory/data-center.ts';
import type { ObjectOf } from '../../store/transaction.ts';

/** A domain in a data center. */
export type Attached = ObjectOf<'attached_storage_domain'>;

/** Path of the collection of the domains of a data center. */
export function formatDomainsPath(dataCenter: string): string {
  return `/datacenters/${dataCenter}/storagedomains`;
}

/** Id of the data center of an attached domain. */
export function getDataCenterId(attached: Attached): string {
  return attached.data_center?.id ?? '';
}

/** The master of a data center. */
export function findMaster(ctx: RuleContext, dataCenter: string): Attached | undefined {
  return listAttachedDomains(ctx, dataCenter).find(({ master }) => master);
}

/**
 * The next master after this domain: an active data domain that never was master, or the longest
 * time ago. Among these, shared domains precede local ones.
 */
export function findNextMaster(ctx: RuleContext, leaving: Attached): Attached | undefined {
  const candidates = listAttachedDomains(ctx, getDataCenterId(leaving)).flatMap((attached) => {
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

/** Makes a domain the new master. Returns the updated old master. */
export function moveMaster(ctx: RuleContext, from: Attached, to: Attached): Attached {
  const dataCenter = getDataCenterId(to);
  const collection = formatDomainsPath(dataCenter);
  const old: Attached = { ...from, master: false, masterUntil: ctx.steady };
  ctx.tx.update('attached_storage_domain', old, collection);
  const kind = 'attached_storage_domain';
  beginTransition(ctx, { kind, collection, operation: 'become_master' }, { ...to, master: true });
  return old;
}
