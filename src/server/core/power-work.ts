/** Work of a hypervisor inside of a transition: changes of the power state of a VM. */
import { defineWork } from './declared-tasks.ts';
import { HypervisorError, type PowerChange, powerWorkName } from './hypervisor.ts';
import type { TransitionRun } from './transition-handlers.ts';
import {
  describeSubject,
  endTransition,
  fail,
  findInState,
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

export const powerWork = defineWork<NotedChange>(powerWorkName, {
  async run({ hypervisor }, { run, change }) {
    if (!hypervisor) throw new HypervisorError('the server started without its hypervisor');
    await hypervisor.change(run.id, change);
  },
  isCheap: () => true,
  done(ctx, { run, state, change }) {
    const object = findInState(ctx, run, state);
    if (!object) return;
    // The end of the process ends a shutdown.
    if (change.change === 'shutdown') limitTransition(ctx, run, shutdownLimitMs);
    else endTransition(ctx, run, object);
  },
  failed(ctx, { run, state }, error) {
    const object = findInState(ctx, run, state);
    if (object) fail(ctx, run, object, error);
  },
  subject: (ctx, { run }) => describeSubject(ctx, run),
});
