/** Actions and removal of storage domains. */

import type { ActionBody, Resource } from '../../../model/resource.ts';
import type { Action } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { resolveMember } from '../../core/input.ts';
import { erase } from '../../core/removal.ts';
import { listAttachedDomains } from '../../inventory/data-center.ts';
import {
  completeUnit,
  type LogicalUnit,
  listLogicalUnits,
  readSentUnits,
  requireFree,
  sumUnitSizes,
} from '../../inventory/logical-unit.ts';
import { connect, disconnect } from '../../inventory/storage-connections.ts';
import { isBlock, measureSpace } from '../../inventory/storage-space.ts';
import { eraseContents, leaveInventory } from '../../inventory/unregistered.ts';
import { eraseShared, listSharedDomains } from './shared.ts';

type Domain = Resource<'storage_domain'>;

/** Collection of domains that the service has removed without erasing their storage. */
const forgotten = '/forgottenstoragedomains';

/** Treatment of the storage: erase it, or leave it unchanged. */
export type Removal = 'format' | 'keep';

/** Removes a domain from the service and from its data centers. */
export function removeDomain(ctx: RuleContext, domain: Domain, how: Removal): void {
  const id = domain.id ?? '';
  leaveInventory(ctx, domain);
  const attachments = ctx.tx.list('attached_storage_domain', { where: { id } });
  for (const { data_center: dataCenter } of attachments) {
    ctx.tx.remove('attached_storage_domain', id, `/datacenters/${dataCenter?.id}/storagedomains`);
  }
  for (const profile of ctx.tx.list('disk_profile', { where: { storage_domain_id: id } })) {
    erase(ctx, {
      ref: { kind: 'disk_profile', collection: '/diskprofiles' },
      object: profile,
    });
  }
  for (const permission of ctx.tx.list('permission', { where: { storage_domain_id: id } })) {
    if (permission.id) ctx.tx.remove('permission', permission.id);
  }
  ctx.tx.remove('storage_domain', id);
  disconnect(ctx, domain.storage_connections ?? []);
  if (how === 'keep') {
    // The service finds contents of shared storage there.
    if (ctx.site.sharedStorage?.domain(id)?.isFree) return;
    ctx.tx.insert('forgotten_storage_domain', forgotten, domain);
    return;
  }
  eraseContents(ctx, id);
  eraseShared(ctx, domain);
  erase(ctx, {
    ref: { kind: 'storage_domain', collection: '/storagedomains' },
    object: domain,
  });
}

/** The removed domain on a storage that matches; undefined without one. */
export function findRemovedDomain(
  ctx: RuleContext,
  fits: (domain: Domain) => boolean,
): Domain | undefined {
  return listRemovedDomains(ctx).find(fits);
}

/** Removed domains whose storage was not erased. */
export function listRemovedDomains(ctx: RuleContext): Domain[] {
  return [...ctx.tx.list('forgotten_storage_domain'), ...listSharedDomains(ctx)];
}

/** Removes a domain from the list of removed ones, after its import. */
export function clearRemovedDomain(ctx: RuleContext, id: string): void {
  if (!ctx.tx.get('forgotten_storage_domain', id)) return;
  ctx.tx.remove('forgotten_storage_domain', id, forgotten);
}

/**
 * Removes the domains of a removed data center and erases them, or with `force` leaves their
 * storage unchanged. ISO and export domains remain in the service, unattached.
 */
export function releaseDomains(ctx: RuleContext, dataCenter: string, force: boolean): void {
  for (const attached of listAttachedDomains(ctx, dataCenter)) {
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

export const domainActions = {
  /** All existing hosts see the same storage. */
  is_attached(ctx, { object }, body) {
    const host = body['host'];
    if (host) resolveMember(ctx.tx, 'host', host);
    return { is_attached: findStatus(ctx, object) !== undefined };
  },

  /** Rereads the logical units from the storage. */
  refresh_luns(ctx, { object }, body) {
    requireBlock(ctx, object, 'refresh');
    requireStatus(ctx, object, 'active', 'refresh');
    const named = requireUnits(ctx, object, body, 'refresh');
    const requested = new Set(named.map(({ id }) => id));
    const units = listLogicalUnits(object.storage).map((unit) =>
      requested.size === 0 || requested.has(unit.id) ? completeUnit(unit.id ?? '', unit) : unit,
    );
    ctx.tx.update('storage_domain', withUnits(object, units));
    ctx.event('STORAGE_DOMAIN_UNITS_REFRESHED', { storage_domain: object });
    return undefined;
  },

  reduce_luns(ctx, { object }, body) {
    requireBlock(ctx, object, 'reduce');
    const status = findStatus(ctx, object);
    if (status !== undefined) requireStatus(ctx, object, 'maintenance', 'reduce');
    const present = listLogicalUnits(object.storage);
    const gone = new Set(requireUnits(ctx, object, body, 'reduce').map(({ id }) => id));
    const left = present.filter(({ id }) => !gone.has(id));
    if (left.length === 0) ctx.refuse('UNITS_ALL', { action: 'reduce' });
    // The first unit of a volume group contains its metadata.
    const [first] = present;
    if (first && gone.has(first.id)) {
      ctx.refuse('UNITS_WITH_METADATA', { action: 'reduce', unit: first.id });
    }
    const { used } = measureSpace(ctx, object);
    if (sumUnitSizes(left) < used) {
      ctx.refuse('STORAGE_DOMAIN_HAS_NO_SPACE', {
        action: 'reduce',
        type: 'Storage',
        name: object.name,
        available: sumUnitSizes(left),
        needed: used,
      });
    }
    ctx.tx.update('storage_domain', withUnits(object, left));
    for (const id of gone) {
      ctx.event('UNIT_REMOVE_STARTED', { storage_domain: object }, { Unit: id });
      ctx.event('UNIT_REMOVED', { storage_domain: object }, { Unit: id });
    }
    return undefined;
  },
} satisfies Readonly<Record<string, Action<'storage_domain'>>>;

/** Adds logical units to a domain object that the caller stores. Retains the existing ones. */
export function extendDomain(ctx: RuleContext, domain: Domain, sent: readonly LogicalUnit[]): void {
  const present = listLogicalUnits(domain.storage);
  const known = new Set(present.map(({ id }) => id));
  const added = sent.filter(({ id }) => !known.has(id));
  if (added.length === 0) return;
  requireBlock(ctx, domain, 'extend');
  requireStatus(ctx, domain, 'active', 'extend');
  requireFree(ctx, added, 'extend');
  const extended = withUnits(domain, [...present, ...added]);
  const connections = connect(ctx, extended.storage ?? {});
  Object.assign(domain, extended, { storage_connections: connections });
  ctx.event('STORAGE_DOMAIN_EXTENDED', { storage_domain: domain });
}

/** The units in the action body. Refuses those that are not part of the domain. */
function requireUnits(
  ctx: RuleContext,
  domain: Domain,
  body: ActionBody,
  action: string,
): readonly LogicalUnit[] {
  const named = readSentUnits(body['logical_units']);
  const present = new Set(listLogicalUnits(domain.storage).map(({ id }) => id));
  const strange = named.filter(({ id }) => !present.has(id));
  if (strange.length > 0) {
    ctx.refuse('UNITS_NOT_THERE', { action, units: strange.map(({ id }) => id).join(', ') });
  }
  return named;
}

function withUnits(domain: Domain, units: readonly LogicalUnit[]): Domain {
  const { storage } = domain;
  const group = { ...storage?.volume_group, logical_units: [...units] };
  return {
    ...domain,
    storage: { ...storage, volume_group: group },
    available: sumUnitSizes(units),
  };
}

function requireBlock(ctx: RuleContext, domain: Domain, action: string): void {
  if (!isBlock(domain))
    ctx.refuse('DOMAIN_NOT_BLOCK', { action, what: 'consists of logical units' });
}

/** Status of a domain in its data center; undefined if it is unattached. */
function findStatus(ctx: RuleContext, domain: Domain): string | undefined {
  return ctx.tx.find('attached_storage_domain', { id: domain.id ?? '' })?.status;
}

export function requireStatus(
  ctx: RuleContext,
  domain: Domain,
  wanted: string,
  action: string,
): void {
  const status = findStatus(ctx, domain) ?? 'unattached';
  if (status !== wanted) ctx.refuse('STORAGE_DOMAIN_STATUS_ILLEGAL', { action, status });
}
