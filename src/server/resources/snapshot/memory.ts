/**
 * The memory that a machine which is down has from a snapshot: it goes on from there at its next
 * start. The entry that stands for the present of the machine says whether there is any.
 */
import type { RuleContext } from '../../core/context.ts';
import { snapshotsOf, type Vm } from '../vm/vm.ts';

/** Whether a machine goes on from kept memory at its next start. */
export function keepsMemory(ctx: RuleContext, vm: Vm): boolean {
  return presentOf(ctx, vm)?.persist_memorystate === true;
}

/** Notes that there is memory, or that there is none any more. */
export function keepMemory(ctx: RuleContext, vm: Vm, kept: boolean): void {
  const present = presentOf(ctx, vm);
  if (present && present.persist_memorystate !== kept) {
    ctx.tx.update('snapshot', { ...present, persist_memorystate: kept });
  }
}

function presentOf(ctx: RuleContext, vm: Vm) {
  return snapshotsOf(ctx, vm).find(({ snapshot_type: type }) => type === 'active');
}
