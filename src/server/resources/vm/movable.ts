/** Refusal of suspensions and migrations that the hypervisor cannot do. */
import type { RuleContext } from '../../core/context.ts';
import type { Vm } from '../../inventory/vm.ts';

/** Refuses to suspend or migrate a VM that must remain in its process. */
export function requireMovable(ctx: RuleContext, vm: Vm, action: 'migrate' | 'hibernate'): void {
  const detail = findObstacle(ctx, vm);
  if (detail !== undefined) ctx.refuse('VM_CANNOT_MOVE', { action, detail });
}

/** The reason why a VM must remain in its process; undefined if it can move. */
export function findObstacle(ctx: RuleContext, vm: Vm): string | undefined {
  return ctx.site.hypervisor?.findObstacle(vm.id ?? '');
}
