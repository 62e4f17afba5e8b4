/** VMs of pools: prestarted VMs, return after use, detachment. */
import type { Resource } from '../../../model/resource.ts';
import type { LocatedObject } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { Refusal, refused } from '../../core/fault.ts';
import { requireState } from '../../core/transitions.ts';
import { describeVmSubjects, type Vm } from '../../inventory/vm.ts';
import { launch } from './run.ts';
import { findStatelessSnapshot } from './snapshot-preview.ts';

type Pool = Resource<'vm_pool'>;

/** VMs of a pool, in order. */
export function listPoolVms(ctx: RuleContext, pool: Pool): Vm[] {
  return ctx.tx.list('vm', { where: { vm_pool_id: pool.id ?? '' } });
}

/** Id of the user that a VM is allocated to. */
export function findPoolUser(ctx: RuleContext, vm: Vm): string | undefined {
  return ctx.tx
    .list('permission', { where: { vm_id: vm.id ?? '' } })
    .find(({ user }) => user?.id !== undefined)?.user?.id;
}

/**
 * Starts free VMs until the pool has its number of prestarted ones. Skips VMs that are still being
 * created.
 */
export function prestart(ctx: RuleContext, pool: Pool): void {
  const free = listPoolVms(ctx, pool).filter((vm) => !findPoolUser(ctx, vm));
  const ready = free.filter((vm) => isReady(ctx, vm)).length;
  const missing = Math.max(0, (pool.prestarted_vms ?? 0) - ready);
  for (const vm of free.filter(({ status }) => status === 'down').slice(0, missing)) {
    try {
      launch(ctx, vm, {});
    } catch (error) {
      // A prestart has no caller to report to: the next change of the pool retries it.
      if (!(error instanceof Refusal)) throw error;
    }
  }
}

/** Whether a VM runs or starts: a stateless run first saves the disks. */
function isReady(ctx: RuleContext, vm: Vm): boolean {
  if (vm.status !== 'image_locked') return vm.status !== 'down';
  return findStatelessSnapshot(ctx, vm)?.snapshot_status === 'locked';
}

/** Prestarts VMs of the pool after a VM has settled. */
export function prestartAfterSettling(ctx: RuleContext, vm: Vm): Vm {
  const pool = vm.vm_pool?.id ? ctx.tx.get('vm_pool', vm.vm_pool.id) : undefined;
  if (!pool || vm.status !== 'down') return vm;
  ctx.tx.update('vm', vm, '/vms');
  prestart(ctx, pool);
  return ctx.tx.get('vm', vm.id ?? '') ?? vm;
}

/** Returns a stopped VM to its automatic pool and revokes the permission of its user. */
export function returnToPool(ctx: RuleContext, vm: Vm): Vm {
  const pool = vm.vm_pool?.id ? ctx.tx.get('vm_pool', vm.vm_pool.id) : undefined;
  if (pool && pool.type !== 'manual') {
    for (const permission of ctx.tx.list('permission', { where: { vm_id: vm.id ?? '' } })) {
      if (permission.user?.id) ctx.tx.remove('permission', permission.id ?? '');
    }
  }
  return prestartAfterSettling(ctx, vm);
}

/** Detaches a VM from its pool. It becomes an ordinary VM. */
export function detachFromPool(ctx: RuleContext, { object: vm }: LocatedObject<'vm'>): undefined {
  if (!vm.vm_pool?.id) {
    // Engines check a permission on the pool first.
    const status = ctx.site.dialect.engineRefusals ? 403 : undefined;
    throw refused('VM_NOT_IN_POOL', { action: 'detach' }, status);
  }
  requireState(ctx, 'vm', vm, 'detach');
  const pool = ctx.tx.get('vm_pool', vm.vm_pool.id);
  const { vm_pool: _pool, ...free } = vm;
  ctx.tx.update('vm', { ...free, stateless: false });
  ctx.event('VM_DETACHED_FROM_POOL', describeVmSubjects(ctx, vm), { VmPoolName: pool?.name });
  if (pool) ctx.tx.update('vm_pool', { ...pool, size: Math.max(0, Number(pool.size ?? 0) - 1) });
  return undefined;
}
