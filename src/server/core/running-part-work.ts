/** Work of a hypervisor inside of a transition of an object that running VMs use: a disk, a snapshot. */
import { defineWork } from './declared-tasks.ts';
import { HypervisorError, runningPartWorkName } from './hypervisor.ts';
import { beginWork } from './tasks.ts';
import type { RunningPart, TransitionRun } from './transition-handlers.ts';
import {
  copying,
  describeSubject,
  endTransition,
  fail,
  findInState,
  formatTarget,
} from './transitions.ts';

interface NotedPart {
  readonly run: TransitionRun;
  /** State of the object during the change. */
  readonly state: string;
  readonly part: RunningPart;
}

export const runningPartWork = defineWork<NotedPart>(runningPartWorkName, {
  async run({ hypervisor }, { part: { vms, change } }) {
    if (!hypervisor) throw new HypervisorError('the server started without its hypervisor');
    for (const vm of vms) await hypervisor.changeDevices(vm, change);
  },
  isCheap: () => true,
  done(ctx, { run, state, part: { copies = [] } }) {
    const object = findInState(ctx, run, state);
    if (!object) return;
    if (copies.length > 0) beginWork(ctx, copying, formatTarget(run), { run, state, copies });
    else endTransition(ctx, run, object);
  },
  failed(ctx, { run, state }, error) {
    const object = findInState(ctx, run, state);
    if (object) fail(ctx, run, object, error);
  },
  subject: (ctx, { run }) => describeSubject(ctx, run),
});
