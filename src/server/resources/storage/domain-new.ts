/** New storage domains: the storage that they are on, what is on it already, their defaults. */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import type { StoredObject } from '../../store/document.ts';
import { newestFormat } from './attached-checks.ts';
import { domainsUsing, sameConnection, storageAt } from './connection.ts';
import { requireFree } from './domain-actions.ts';
import { type LogicalUnit, sentUnits, sizeOf, unitsOf } from './logical-unit.ts';
import { forgottenDomain, remember } from './removal.ts';
import { requireUnused } from './shared.ts';
import { isBlock, simulatedSize } from './space.ts';

type Domain = Resource<'storage_domain'>;

/** A connection that is stored already may stand for its details. */
export function fromConnection(ctx: RuleContext, domain: Domain): void {
  const id = domain.storage?.id;
  const connection = id ? ctx.tx.get('storage_connection', id) : undefined;
  if (connection) domain.storage = { ...domain.storage, ...storageAt(connection) };
}

/** Finds the storage, and refuses one that another domain is on. */
export function chooseStorage(ctx: RuleContext, domain: Domain): void {
  const storage = domain.storage ?? {};
  if (!isBlock(domain)) {
    const connection = sameConnection(ctx, storage);
    const [user] = connection?.id ? domainsUsing(ctx, connection.id) : [];
    if (user) ctx.refuse('DOMAIN_EXISTS', { action: 'add', name: user.name });
    domain.available = simulatedSize;
    return;
  }
  if (domain.type === 'managed_block_storage') return;
  const units = sentUnits(unitsOf(storage));
  if (units.length === 0) ctx.refuse('DOMAIN_WITHOUT_UNITS', { action: 'add' });
  requireFree(ctx, units, 'add');
  setUnits(ctx, domain, units);
}

function setUnits(ctx: RuleContext, domain: Domain, units: readonly LogicalUnit[]): void {
  const { type } = domain.storage ?? {};
  domain.storage = {
    ...(type ? { type } : {}),
    volume_group: { id: ctx.site.newId(), logical_units: [...units] },
  };
  domain.available = sizeOf(units);
}

/** What is still on the storage comes back under its old id, with its unregistered contents. */
export function importKnown(ctx: RuleContext, domain: Domain, sent: StoredObject): void {
  const id = sent['id'];
  if (typeof id === 'string' && ctx.tx.get('storage_domain', id)) {
    const known = ctx.tx.get('storage_domain', id);
    ctx.refuse('DOMAIN_EXISTS', { action: 'import', name: known?.name });
  }
  const isMeant = (one: Domain) => one.id === id || sameStorage(one, domain);
  requireUnused(ctx, isMeant, 'import');
  const found = forgottenDomain(ctx, isMeant);
  if (!found?.id) {
    if (typeof id === 'string' && /^[0-9a-f-]{36}$/.test(id)) domain.id = id;
    return;
  }
  remember(ctx, found.id);
  const { storage_format: format, type, name, storage } = found;
  // What it takes to reach the storage is said by whoever imports it.
  const reached = { ...domain.storage, ...storage };
  Object.assign(domain, { id: found.id, storage: reached, storage_format: format, type });
  domain.name ??= name ?? found.id;
}

/** Refuses a new domain where there is one already. */
export function requireEmpty(ctx: RuleContext, domain: Domain): void {
  requireUnused(ctx, (one) => sameStorage(one, domain), 'add');
}

function sameStorage(a: Domain, b: Domain): boolean {
  const [units, others] = [unitsOf(a.storage), unitsOf(b.storage)];
  if (units.length > 0) return units.some(({ id }) => others.some((other) => other.id === id));
  const { type, address, path } = a.storage ?? {};
  return type === b.storage?.type && address === b.storage?.address && path === b.storage?.path;
}

/** Completes a new domain; refuses a format that its host does not know. */
export function fillDomain(
  ctx: RuleContext,
  domain: Domain,
  dataCenter: Resource<'data_center'> | undefined,
): void {
  const newest = newestFormat(dataCenter ?? {});
  const data = domain.type === 'data';
  const format = domain.storage_format ?? (data ? newest : 'v1');
  if (data ? format > newest : format !== 'v1') {
    const reason = data
      ? `a host of this level, which knows up to ${newest}`
      : 'v1, which it needs';
    ctx.refuse('DOMAIN_FORMAT_ILLEGAL', { action: 'add', format, reason });
  }
  const block = isBlock(domain);
  domain.name ??= `${domain.type}-${domain.id?.slice(0, 8)}`;
  domain.storage_format = format;
  domain.master = false;
  domain.external_status = 'ok';
  Object.assign(domain, { used: 0, committed: 0 });
  domain.block_size ??= 512;
  domain.supports_discard = true;
  domain.supports_discard_zeroes_data = false;
  domain.wipe_after_delete ??= false;
  domain.discard_after_delete ??= block;
}

/** Refuses limits that make no sense, and what only other storage can. */
export function checkLimits(ctx: RuleContext, domain: Domain, action: string): void {
  const limits = [
    ['warning_low_space_indicator', domain.warning_low_space_indicator, 100],
    ['critical_space_action_blocker', domain.critical_space_action_blocker, 2 ** 31 - 1],
  ] as const;
  for (const [attribute, value = 0, max] of limits) {
    if (value >= 0 && value <= max) continue;
    ctx.refuse('VALUE_OUT_OF_RANGE', { action, type: 'Storage', attribute, value, min: 0, max });
  }
  if (domain.discard_after_delete && !isBlock(domain)) {
    ctx.refuse('DOMAIN_NOT_BLOCK', { action, what: 'can discard what is deleted' });
  }
  if (domain.backup && domain.type !== 'data') {
    ctx.refuse('DOMAIN_NO_BACKUP', { action, domainType: domain.type });
  }
}
