/** MAC address pools: their ranges, which must not overlap. */
import type { Resource } from '../../model/resource.ts';
import { defineBehavior } from '../core/behavior.ts';
import type { RuleContext } from '../core/context.ts';
import { invalidInput } from '../core/fault.ts';
import { refuseInUse } from '../core/removal.ts';
import { grantRole } from '../inventory/grants.ts';

type Pool = Resource<'mac_pool'>;

const addressPattern = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i;

export const macPoolBehavior = defineBehavior('mac_pool', {
  events: { add: 'MAC_POOL_ADDED', update: 'MAC_POOL_UPDATED', remove: 'MAC_POOL_REMOVED' },

  beforeCreate(ctx, pool, _place, sent) {
    if (sent['default_pool'] === true) ctx.refuse('MAC_POOL_DEFAULT_FIXED', { action: 'add' });
    pool.default_pool = false;
    pool.allow_duplicates ??= false;
    checkRanges(ctx, pool, 'add');
  },

  afterCreate(ctx, { object }) {
    if (!ctx.site.dialect.engineAnswers) return;
    grantRole(ctx, 'MacPoolAdmin', { user: { id: ctx.caller.userId } }, `/macpools/${object.id}`);
  },

  beforeUpdate(ctx, before, after, _place, sent) {
    const flag = sent['default_pool'];
    if (flag !== undefined && flag !== (before.default_pool ?? false)) {
      ctx.refuse('MAC_POOL_DEFAULT_FIXED', { action: 'edit' });
    }
    checkRanges(ctx, after, 'edit');
    if (before.allow_duplicates && !after.allow_duplicates) refuseDuplicates(ctx, after);
  },

  beforeDelete(ctx, { ref, object }) {
    if (object.default_pool) ctx.refuse('MAC_POOL_IS_DEFAULT', { action: 'remove' });
    const clusters = ctx.tx.list('cluster', { where: { mac_pool_id: object.id ?? '' }, limit: 6 });
    refuseInUse({ ref, object: { ...object } }, clusters, 'the clusters');
  },
});

/** Refuses ranges without both ends, before any other check. */
function requireEnds({ ranges = [] }: Pool): void {
  for (const end of ['from', 'to'] as const) {
    if (ranges.some((range) => range[end] === undefined)) {
      throw invalidInput('MacPool', [`ranges.${end}`], 'add');
    }
  }
}

interface Range {
  readonly from: number;
  readonly to: number;
}

function listRanges(pool: Pool): Range[] {
  const number = (address: string) => Number.parseInt(address.replaceAll(':', ''), 16);
  return (pool.ranges ?? []).map(({ from = '', to = '' }) => ({
    from: Math.min(number(from), number(to)),
    to: Math.max(number(from), number(to)),
  }));
}

/** Refuses invalid, multicast and overlapping ranges; converts addresses to lower case. */
function checkRanges(ctx: RuleContext, pool: Pool, action: string): void {
  pool.ranges = (pool.ranges ?? []).map(({ from, to }) => ({
    ...(from === undefined ? {} : { from: from.toLowerCase() }),
    ...(to === undefined ? {} : { to: to.toLowerCase() }),
  }));
  const ranges = listRanges(pool);
  if (ranges.length === 0) ctx.refuse('MAC_POOL_WITHOUT_RANGE', { action });
  if (ctx.site.dialect.engineRefusals && action === 'add') requireEnds(pool);
  for (const [index, { from, to }] of ranges.entries()) {
    const sent = pool.ranges?.[index];
    const both = [sent?.from ?? '', sent?.to ?? ''];
    const valid = both.every((address) => addressPattern.test(address) && !isMulticast(address));
    if (!valid) {
      ctx.refuse('MAC_POOL_RANGE_INVALID', { action, from: sent?.from, to: sent?.to });
    }
    if (overlaps({ from, to }, ranges.slice(0, index))) {
      ctx.refuse('MAC_POOL_OVERLAPS', { action, other: 'each other' });
    }
  }
  for (const other of ctx.tx.list('mac_pool')) {
    if (other.id === pool.id) continue;
    const shared = ranges.some((range) => overlaps(range, listRanges(other)));
    if (shared) ctx.refuse('MAC_POOL_OVERLAPS', { action, other: `those of ${other.name}` });
  }
}

/** The lowest bit of the first byte marks multicast addresses. */
function isMulticast(address: string): boolean {
  return Number.parseInt(address.slice(0, 2), 16) % 2 === 1;
}

function overlaps(range: Range, others: readonly Range[]): boolean {
  return others.some(({ from, to }) => range.from <= to && from <= range.to);
}

/** Refuses a pool whose clusters have two NICs with the same address. */
function refuseDuplicates(ctx: RuleContext, pool: Pool): void {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const cluster of ctx.tx.list('cluster', { where: { mac_pool_id: pool.id ?? '' } })) {
    for (const vm of ctx.tx.list('vm', { where: { cluster_id: cluster.id ?? '' } })) {
      for (const { mac } of ctx.tx.list('nic', { where: { vm_id: vm.id ?? '' } })) {
        const address = mac?.address ?? '';
        if (seen.has(address)) twice.add(address);
        seen.add(address);
      }
    }
  }
  if (twice.size > 0) {
    ctx.refuse('MAC_POOL_HAS_DUPLICATES', { action: 'edit', names: [...twice].join(', ') });
  }
}
