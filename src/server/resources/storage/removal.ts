/** Storage domains that leave the service: erased, or left alone on their storage to be imported. */
import type { Resource } from '../../../model/resource.ts';
import { erase } from '../../api/generic.ts';
import type { RuleContext } from '../../core/context.ts';
import type { StoredObject } from '../../store/document.ts';
import { domainsOf } from '../data-center/data-center.ts';
import { eraseContents, leaveInventory } from '../domain-contents/unregistered.ts';
import { disconnect } from './connection.ts';
import { eraseShared, sharedDomains } from './shared.ts';

type Domain = Resource<'storage_domain'>;

/** Collection of the domains that the service has forgotten, but that are still on their storage. */
const forgotten = '/forgottenstoragedomains';

/** What `how` says of the storage: erased, or not touched. */
export type Removal = 'format' | 'keep';

/** Removes a domain from the service, and from its data centers. */
export function removeDomain(ctx: RuleContext, domain: Domain, how: Removal): void {
  const id = domain.id ?? '';
  leaveInventory(ctx, domain);
  const attachments = ctx.tx.list('attached_storage_domain', { where: { id } });
  for (const { data_center: dataCenter } of attachments) {
    ctx.tx.remove('attached_storage_domain', id, `/datacenters/${dataCenter?.id}/storagedomains`);
  }
  for (const profile of ctx.tx.list('disk_profile', { where: { storage_domain_id: id } })) {
    erase(ctx, {
      place: { kind: 'disk_profile', collection: '/diskprofiles' },
      object: profile as StoredObject,
    });
  }
  for (const permission of ctx.tx.list('permission', { where: { storage_domain_id: id } })) {
    if (permission.id) ctx.tx.remove('permission', permission.id);
  }
  ctx.tx.remove('storage_domain', id);
  disconnect(ctx, domain.storage_connections ?? []);
  if (how === 'keep') {
    // What is on shared storage is found there.
    if (ctx.site.sharedStorage?.domain(id)?.isFree) return;
    ctx.tx.insert('forgotten_storage_domain', forgotten, domain);
    return;
  }
  eraseContents(ctx, id);
  eraseShared(ctx, domain);
  erase(ctx, {
    place: { kind: 'storage_domain', collection: '/storagedomains' },
    object: domain,
  });
}

/** The forgotten domain on a storage, and on what; undefined where there is none. */
export function forgottenDomain(
  ctx: RuleContext,
  fits: (domain: Domain) => boolean,
): Domain | undefined {
  return forgottenDomains(ctx).find(fits);
}

/** Domains that are still on their storage, but not in the service. */
export function forgottenDomains(ctx: RuleContext): Domain[] {
  return [...ctx.tx.list('forgotten_storage_domain'), ...sharedDomains(ctx)];
}

/** A forgotten domain is in the service again. */
export function remember(ctx: RuleContext, id: string): void {
  if (!ctx.tx.get('forgotten_storage_domain', id)) return;
  ctx.tx.remove('forgotten_storage_domain', id, forgotten);
}

/**
 * The domains of a data center that is removed: they are erased, too. By force they are only
 * forgotten. ISO and export domains stay in the service, attached nowhere.
 */
export function releaseDomains(ctx: RuleContext, dataCenter: string, force: boolean): void {
  for (const attached of domainsOf(ctx, dataCenter)) {
    const domain = ctx.tx.get('storage_domain', attached.id ?? '');
    if (!domain) continue;
    if (domain.type === 'data') {
      removeDomain(ctx, domain, force ? 'keep' : 'format');
      continue;
    }
    const left = domain.data_centers?.filter(({ id }) => id !== dataCenter) ?? [];
    const { status = 'unattached' } = left.length > 0 ? domain : {};
    ctx.tx.update('storage_domain', { ...domain, status, data_centers: left });
  }
}
