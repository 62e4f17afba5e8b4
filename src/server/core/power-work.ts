/** Work of a hypervisor inside of a transition: changes of the power state of a VM. */
import type { RuleContext } from './context.ts';
import { defineWork } from './declared-tasks.ts';
import { HypervisorError, type PowerChange, powerWorkName } from './hypervisor.ts';
import type { TransitionRun } from './transition-handlers.ts';
import {
  describeSubject,
  endTransition,
  fail,
  findInState,
  formatTarget,
  limitTransition,
} from './transitions.ts';

interface NotedChange {
  readonly run: TransitionRun;
  /** State of the VM during the change. */
  readonly state: string;
  readonly change: PowerChange;
}

/** Milliseconds for the shutdown of a guest. */
const shutdownLimitMs = 300_000;

/** Whether a later transition of the VM is pending, which decides about its state instead. */
function isReplaced(ctx: RuleContext, run: TransitionRun): boolean {
  return ctx.tx.tasks.findDue(formatTarget(run)) !== undefined;
}

export const powerWork = defineWork<NotedChange>(powerWorkName, {
  async run({ hypervisor }, { run, change }) {
    if (!hypervisor) throw new HypervisorError('the server started without its hypervisor');
    await hypervisor.change(run.id, change);
  },
  isCheap: () => true,
  done(ctx, { run, state, change }) {
    const object = findInState(ctx, run, state);
    if (!object || isReplaced(ctx, run)) return;
    // The end of the process ends a shutdown.
    if (change.change === 'shutdown') limitTransition(ctx, run, shutdownLimitMs);
    else endTransition(ctx, run, object);
  },
  failed(ctx, { run, state }, error) {
    const object = findInState(ctx, run, state);
    if (object && !isReplaced(ctx, run)) fail(ctx, run, object, error);
  },
  subject: (ctx, { run }) => describeSubject(ctx, run),
});
