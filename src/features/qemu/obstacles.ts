/** Reasons why running VMs cannot continue in another process, by the id of the VM. */
import { findObstacle } from './run-record.ts';
import type { RunningVm } from './running-vm.ts';

/** The reasons at the last check of each VM. */
export class Obstacles extends Map<string, string> {
  /** Checks a VM. Does nothing without one. */
  async check(vm: RunningVm | undefined): Promise<void> {
    if (!vm) return;
    const { id } = vm.process;
    const obstacle = await findObstacle(vm).catch(() => undefined);
    if (obstacle === undefined) this.delete(id);
    else this.set(id, obstacle);
  }
}
