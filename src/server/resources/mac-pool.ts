/** MAC address pools, and the addresses that interfaces take from them. */
import type { Resource } from '../../model/resource.ts';
import { define } from '../core/behavior.ts';
import type { RuleContext } from '../core/context.ts';
import { refuseInUse } from '../core/removal.ts';
import type { Vm } from './vm/vm.ts';

type Nic = Resource<'nic'>;
type Pool = Resource<'mac_pool'>;

const vmAddressPattern = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/;

/** Checks the address that was asked for, or takes the next free one of the pool. */
export function chooseMac(ctx: RuleContext, nic: Nic, vm: Vm, action: string): void {
  const requested = nic.mac?.address?.toLowerCase();
  if (requested !== undefined && requested !== '') {
    if (!vmAddressPattern.test(requested)) ctx.refuse('MAC_INVALID', { action, mac: requested });
    if (isMulticast(toNumber(requested))) ctx.refuse('MAC_MULTICAST', { action, mac: requested });
    requireUnused(ctx, nic, vm, requested, action);
  }
  nic.mac = { address: requested || nextMac(ctx, vm, action) };
}

/** Refuses an address that another interface has, unless the pool allows duplicates. */
export function requireUnused(
  ctx: RuleContext,
  nic: Nic,
  vm: Vm,
  mac: string,
  action: string,
): void {
  if (poolOf(ctx, vm)?.allow_duplicates) return;
  const other = ctx.tx.list('nic', { where: { mac_address: mac } }).find(({ id }) => id !== nic.id);
  if (!other) return;
  const owner = ctx.tx.get('vm', other.vm?.id ?? '');
  ctx.refuse('MAC_IN_USE', { action, mac, vm: owner?.name ?? '<none>' });
}

/** The next address of the cluster's pool that no interface has. */
export function nextMac(ctx: RuleContext, vm: Vm, action: string): string {
  const pool = poolOf(ctx, vm);
  const ranges = (pool?.ranges ?? []).map(({ from = '', to = '' }) => ({
    first: toNumber(from),
    size: toNumber(to) - toNumber(from) + 1,
  }));
  const total = ranges.reduce((sum, { size }) => sum + size, 0);
  for (let tries = 0; tries < total; tries++) {
    // The counter goes round the pool, so that an address that was given back rests for a while.
    const number = numberAt(ranges, (ctx.tx.next(`mac:${pool?.id}`) - 1) % total);
    const address = toAddress(number);
    if (!isMulticast(number) && !isTaken(ctx, address)) return address;
  }
  ctx.refuse('MAC_POOL_EMPTY', { action });
}

function isTaken(ctx: RuleContext, address: string): boolean {
  const where = { mac_address: address };
  return ctx.tx.count('nic', { where }) + ctx.tx.count('snapshot_nic', { where }) > 0;
}

function poolOf(ctx: RuleContext, vm: Vm): Pool | undefined {
  const cluster = vm.cluster?.id ? ctx.tx.get('cluster', vm.cluster.id) : undefined;
  return cluster?.mac_pool?.id
    ? ctx.tx.get('mac_pool', cluster.mac_pool.id)
    : ctx.tx.find('mac_pool', {});
}

function numberAt(ranges: readonly { first: number; size: number }[], index: number): number {
  let rest = index;
  for (const { first, size } of ranges) {
    if (rest < size) return first + rest;
    rest -= size;
  }
  return 0;
}

/** The lowest bit of the first byte marks the address of a group. */
function isMulticast(number: number): boolean {
  return Math.floor(number / 2 ** 40) % 2 === 1;
}

function toNumber(address: string): number {
  return Number.parseInt(address.replaceAll(':', ''), 16);
}

function toAddress(number: number): string {
  return (number.toString(16).padStart(12, '0').match(/../g) ?? []).join(':');
}

const addressPattern = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i;

export const macPoolBehavior = define('mac_pool', {
  events: { add: 'MAC_POOL_ADDED', update: 'MAC_POOL_UPDATED', remove: 'MAC_POOL_REMOVED' },

  beforeCreate(ctx, pool, _place, sent) {
    if (sent['default_pool'] === true) ctx.refuse('MAC_POOL_DEFAULT_FIXED', { action: 'add' });
    pool.default_pool = false;
    pool.allow_duplicates ??= false;
    checkRanges(ctx, pool, 'add');
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

interface Range {
  readonly from: number;
  readonly to: number;
}

function rangesOf(pool: Pool): Range[] {
  const number = (address: string) => Number.parseInt(address.replaceAll(':', ''), 16);
  return (pool.ranges ?? []).map(({ from = '', to = '' }) => ({
    from: number(from),
    to: number(to),
  }));
}

function checkRanges(ctx: RuleContext, pool: Pool, action: string): void {
  const ranges = rangesOf(pool);
  if (ranges.length === 0) ctx.refuse('MAC_POOL_WITHOUT_RANGE', { action });
  for (const [index, { from, to }] of ranges.entries()) {
    const sent = pool.ranges?.[index];
    const valid =
      addressPattern.test(sent?.from ?? '') && addressPattern.test(sent?.to ?? '') && from <= to;
    if (!valid) {
      ctx.refuse('MAC_POOL_RANGE_INVALID', { action, from: sent?.from, to: sent?.to });
    }
    if (overlaps({ from, to }, ranges.slice(0, index))) {
      ctx.refuse('MAC_POOL_OVERLAPS', { action, other: 'each other' });
    }
  }
  for (const other of ctx.tx.list('mac_pool')) {
    if (other.id === pool.id) continue;
    const shared = ranges.some((range) => overlaps(range, rangesOf(other)));
    if (shared) ctx.refuse('MAC_POOL_OVERLAPS', { action, other: `those of ${other.name}` });
  }
}

function overlaps(range: Range, others: readonly Range[]): boolean {
  return others.some(({ from, to }) => range.from <= to && from <= range.to);
}

/** Addresses that two interfaces of the pool's clusters have. */
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
