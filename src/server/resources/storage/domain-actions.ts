/** Actions and removal of storage domains. */

import type { ActionBody, Resource } from '../../../model/resource.ts';
import type { Action } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { resolveMember } from '../../core/input.ts';
import { erase } from '../../core/removal.ts';
import { domainsOf } from '../../inventory/data-center.ts';
import {
  type LogicalUnit,
  logicalUnit,
  requireFree,
  sentUnits,
  sizeOf,
  unitsOf,
} from '../../inventory/logical-unit.ts';
import { connect, disconnect } from '../../inventory/storage-connections.ts';
import { isBlock, spaceOf } from '../../inventory/storage-space.ts';
import { eraseContents, leaveInventory } from '../../inventory/unregistered.ts';
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
    // What is on shared storage is found there.
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

export const domainActions = {
  /** Every host sees the same storage; one that does not exist sees nothing. */
  is_attached(ctx, { object }, body) {
    const host = body['host'];
    if (host) resolveMember(ctx.tx, 'host', host);
    return { is_attached: statusOf(ctx, object) !== undefined };
  },

  /** What the storage says of its units is read again. */
  refresh_luns(ctx, { object }, body) {
    requireBlock(ctx, object, 'refresh');
    requireStatus(ctx, object, 'active', 'refresh');
    const named = namedUnits(ctx, object, body, 'refresh');
    const requested = new Set(named.map(({ id }) => id));
    const units = unitsOf(object.storage).map((unit) =>
      requested.size === 0 || requested.has(unit.id) ? logicalUnit(unit.id ?? '', unit) : unit,
    );
    ctx.tx.update('storage_domain', withUnits(object, units));
    ctx.event('STORAGE_DOMAIN_UNITS_REFRESHED', { storage_domain: object });
    return undefined;
  },

  reduce_luns(ctx, { object }, body) {
    requireBlock(ctx, object, 'reduce');
    const status = statusOf(ctx, object);
    if (status !== undefined) requireStatus(ctx, object, 'maintenance', 'reduce');
    const present = unitsOf(object.storage);
    const gone = new Set(namedUnits(ctx, object, body, 'reduce').map(({ id }) => id));
    const left = present.filter(({ id }) => !gone.has(id));
    if (left.length === 0) ctx.refuse('UNITS_ALL', { action: 'reduce' });
    // The first unit of a volume group holds its metadata.
    const [first] = present;
    if (first && gone.has(first.id)) {
      ctx.refuse('UNITS_WITH_METADATA', { action: 'reduce', unit: first.id });
    }
    const { used } = spaceOf(ctx, object);
    if (sizeOf(left) < used) {
      ctx.refuse('STORAGE_DOMAIN_HAS_NO_SPACE', {
        action: 'reduce',
        type: 'Storage',
        name: object.name,
        available: sizeOf(left),
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

/** Adds logical units to a domain that is about to be stored; those it has already stay. */
export function extendDomain(ctx: RuleContext, domain: Domain, sent: readonly LogicalUnit[]): void {
  const present = unitsOf(domain.storage);
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

/** The units that an action names; refuses those that are not part of the domain. */
function namedUnits(
  ctx: RuleContext,
  domain: Domain,
  body: ActionBody,
  action: string,
): readonly LogicalUnit[] {
  const named = sentUnits(body['logical_units']);
  const present = new Set(unitsOf(domain.storage).map(({ id }) => id));
  const strange = named.filter(({ id }) => !present.has(id));
  if (strange.length > 0) {
    ctx.refuse('UNITS_NOT_THERE', { action, units: strange.map(({ id }) => id).join(', ') });
  }
  return named;
}

function withUnits(domain: Domain, units: readonly LogicalUnit[]): Domain {
  const { storage } = domain;
  const group = { ...storage?.volume_group, logical_units: [...units] };
  return { ...domain, storage: { ...storage, volume_group: group }, available: sizeOf(units) };
}

function requireBlock(ctx: RuleContext, domain: Domain, action: string): void {
  if (!isBlock(domain))
    ctx.refuse('DOMAIN_NOT_BLOCK', { action, what: 'consists of logical units' });
}

/** Status of a domain in a data center; undefined where it is attached to none. */
function statusOf(ctx: RuleContext, domain: Domain): string | undefined {
  return ctx.tx.find('attached_storage_domain', { id: domain.id ?? '' })?.status;
}

export function requireStatus(
  ctx: RuleContext,
  domain: Domain,
  wanted: string,
  action: string,
): void {
  const status = statusOf(ctx, domain) ?? 'unattached';
  if (status !== wanted) ctx.refuse('STORAGE_DOMAIN_STATUS_ILLEGAL', { action, status });
}
