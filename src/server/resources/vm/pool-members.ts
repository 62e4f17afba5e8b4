/** Members of pools: prestarted machines, return after use, detachment. */
import type { Resource } from '../../../model/resource.ts';
import type { Addressed } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { Refusal, refused } from '../../core/fault.ts';
import { requireState } from '../../core/transitions.ts';
import { subjects, type Vm } from '../../inventory/vm.ts';
import { launch } from './run.ts';
import { statelessSnapshot } from './snapshot-preview.ts';

type Pool = Resource<'vm_pool'>;

/** Machines of a pool, in order. */
export function membersOf(ctx: RuleContext, pool: Pool): Vm[] {
  return ctx.tx.list('vm', { where: { vm_pool_id: pool.id ?? '' } });
}

/** Whom a machine was handed out to. */
export function holderOf(ctx: RuleContext, vm: Vm): string | undefined {
  return ctx.tx
    .list('permission', { where: { vm_id: vm.id ?? '' } })
    .find(({ user }) => user?.id !== undefined)?.user?.id;
}

/** Starts as many free machines as the pool keeps ready; those being made are left for later. */
export function prestart(ctx: RuleContext, pool: Pool): void {
  const free = membersOf(ctx, pool).filter((vm) => !holderOf(ctx, vm));
  const ready = free.filter((vm) => isReady(ctx, vm)).length;
  const missing = Math.max(0, (pool.prestarted_vms ?? 0) - ready);
  for (const vm of free.filter(({ status }) => status === 'down').slice(0, missing)) {
    try {
      launch(ctx, vm, {});
    } catch (error) {
      // Nobody asked for it now: what cannot start is tried again when the pool changes.
      if (!(error instanceof Refusal)) throw error;
    }
  }
}

/** Runs, or is about to: a stateless run begins with keeping the disks. */
function isReady(ctx: RuleContext, vm: Vm): boolean {
  if (vm.status !== 'image_locked') return vm.status !== 'down';
  return statelessSnapshot(ctx, vm)?.snapshot_status === 'locked';
}

/** A machine of a pool has come to rest: the pool keeps its number of machines ready. */
export function settledInPool(ctx: RuleContext, vm: Vm): Vm {
  const pool = vm.vm_pool?.id ? ctx.tx.get('vm_pool', vm.vm_pool.id) : undefined;
  if (!pool || vm.status !== 'down') return vm;
  ctx.tx.update('vm', vm, '/vms');
  prestart(ctx, pool);
  return ctx.tx.get('vm', vm.id ?? '') ?? vm;
}

/** A machine of an automatic pool that was switched off goes back: its user has it no more. */
export function returnToPool(ctx: RuleContext, vm: Vm): Vm {
  const pool = vm.vm_pool?.id ? ctx.tx.get('vm_pool', vm.vm_pool.id) : undefined;
  if (pool && pool.type !== 'manual') {
    for (const permission of ctx.tx.list('permission', { where: { vm_id: vm.id ?? '' } })) {
      if (permission.user?.id) ctx.tx.remove('permission', permission.id ?? '');
    }
  }
  return settledInPool(ctx, vm);
}

/** Takes a machine out of its pool; it goes on by itself. */
export function detach(ctx: RuleContext, { object: vm }: Addressed<'vm'>): undefined {
  if (!vm.vm_pool?.id) {
    // Engines look for a permission on the pool first.
    const status = ctx.site.dialect.engineRefusals ? 403 : undefined;
    throw refused('VM_NOT_IN_POOL', { action: 'detach' }, status);
  }
  requireState(ctx, 'vm', vm, 'detach');
  const pool = ctx.tx.get('vm_pool', vm.vm_pool.id);
  const { vm_pool: _pool, ...free } = vm;
  ctx.tx.update('vm', { ...free, stateless: false });
  ctx.event('VM_DETACHED_FROM_POOL', subjects(ctx, vm), { VmPoolName: pool?.name });
  if (pool) ctx.tx.update('vm_pool', { ...pool, size: Math.max(0, Number(pool.size ?? 0) - 1) });
  return undefined;
}
