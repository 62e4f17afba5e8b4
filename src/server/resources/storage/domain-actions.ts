/** Actions of storage domains, and what adds logical units to them or takes some away. */
import type { ActionBody, Resource } from '../../../model/resource.ts';
import type { Action } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { resolveMember } from '../../core/input.ts';
import type { StoredObject } from '../../store/document.ts';
import { connect } from './connection.ts';
import {
  type LogicalUnit,
  logicalUnit,
  sentUnits,
  sizeOf,
  unitsOf,
  unitUsers,
} from './logical-unit.ts';
import { isBlock, spaceOf } from './space.ts';

type Domain = Resource<'storage_domain'>;

export const domainActions = {
  /** Every host sees the same storage; one that does not exist sees nothing. */
  is_attached(ctx, { object }, body) {
    const host = body['host'] as StoredObject | undefined;
    if (host) resolveMember(ctx.tx, 'host', host);
    return { is_attached: statusOf(ctx, object) !== undefined };
  },

  /** What the storage says of its units is read again. */
  refresh_luns(ctx, { object }, body) {
    requireBlock(ctx, object, 'refresh');
    requireStatus(ctx, object, 'active', 'refresh');
    const named = namedUnits(ctx, object, body, 'refresh');
    const asked = new Set(named.map(({ id }) => id));
    const units = unitsOf(object.storage).map((unit) =>
      asked.size === 0 || asked.has(unit.id) ? logicalUnit(unit.id ?? '', unit) : unit,
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

/** Refuses units that a domain or disk uses. */
export function requireFree(
  ctx: RuleContext,
  units: readonly LogicalUnit[],
  action: string,
  type = 'Storage',
): void {
  const users = unitUsers(ctx);
  const taken = units.filter(({ id }) => users.has(id ?? ''));
  if (taken.length === 0) return;
  ctx.refuse('UNITS_IN_USE', {
    action,
    type,
    units: taken.map(({ id = '' }) => `${id} (${users.get(id)?.name})`).join(', '),
  });
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
