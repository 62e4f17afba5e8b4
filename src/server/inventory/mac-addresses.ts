/** MAC addresses of NICs, allocated from the pool of their cluster. */
import type { Resource } from '../../model/resource.ts';
import type { RuleContext } from '../core/context.ts';
import type { Vm } from '../inventory/vm.ts';

type Nic = Resource<'nic'>;
type Pool = Resource<'mac_pool'>;

const vmAddressPattern = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/;

/** Validates the requested address, or allocates the next free one of the pool. */
export function chooseMac(ctx: RuleContext, nic: Nic, vm: Vm, action: string): void {
  const requested = nic.mac?.address?.toLowerCase();
  if (requested !== undefined && requested !== '') {
    const isUsable = vmAddressPattern.test(requested) && toNumber(requested) > 0;
    if (!isUsable) ctx.refuse('MAC_INVALID', { action, mac: requested });
    if (isMulticast(toNumber(requested))) ctx.refuse('MAC_MULTICAST', { action, mac: requested });
    requireUnused(ctx, nic, vm, requested, action);
  }
  nic.mac = { address: requested || allocateMac(ctx, vm, action) };
}

/** Refuses an address of another NIC, unless the pool allows duplicates. */
export function requireUnused(
  ctx: RuleContext,
  nic: Nic,
  vm: Vm,
  mac: string,
  action: string,
): void {
  if (findPool(ctx, vm)?.allow_duplicates) return;
  const other = ctx.tx.list('nic', { where: { mac_address: mac } }).find(({ id }) => id !== nic.id);
  if (!other) return;
  const owner = ctx.tx.get('vm', other.vm?.id ?? '');
  ctx.refuse('MAC_IN_USE', { action, mac, vm: owner?.name ?? '<none>' });
}

/** The next free address in the pool of the cluster. */
export function allocateMac(ctx: RuleContext, vm: Vm, action: string): string {
  const pool = findPool(ctx, vm);
  const ranges = (pool?.ranges ?? []).map(({ from = '', to = '' }) => ({
    first: toNumber(from),
    size: toNumber(to) - toNumber(from) + 1,
  }));
  const total = ranges.reduce((sum, { size }) => sum + size, 0);
  for (let tries = 0; tries < total; tries++) {
    // The counter cycles through the pool, so that a released address is not reused immediately.
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

function findPool(ctx: RuleContext, vm: Vm): Pool | undefined {
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

/** The lowest bit of the first byte marks multicast addresses. */
function isMulticast(number: number): boolean {
  return Math.floor(number / 2 ** 40) % 2 === 1;
}

function toNumber(address: string): number {
  return Number.parseInt(address.replaceAll(':', ''), 16);
}

function toAddress(number: number): string {
  return (number.toString(16).padStart(12, '0').match(/../g) ?? []).join(':');
}
