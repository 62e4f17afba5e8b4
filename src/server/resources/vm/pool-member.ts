/** A virtual machine that belongs to a pool, and leaves it. */

import type { Addressed } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { requireState } from '../../core/transitions.ts';
import type { StoredObject } from '../../store/document.ts';
import { subjects } from './vm.ts';

/** Takes a machine out of its pool; it goes on by itself. */
export function detach(ctx: RuleContext, { object: vm }: Addressed<'vm'>): undefined {
  if (!vm.vm_pool?.id) ctx.refuse('VM_NOT_IN_POOL', { action: 'detach' });
  requireState(ctx, 'vm', vm as StoredObject, 'detach');
  const pool = ctx.tx.get('vm_pool', vm.vm_pool.id);
  const { vm_pool: _pool, ...free } = vm;
  ctx.tx.update('vm', { ...free, stateless: false });
  ctx.event('VM_DETACHED_FROM_POOL', subjects(ctx, vm), { VmPoolName: pool?.name });
  if (pool) ctx.tx.update('vm_pool', { ...pool, size: Math.max(0, Number(pool.size ?? 0) - 1) });
  return undefined;
}
