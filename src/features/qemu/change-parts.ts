/** Parts that changes of devices of running VMs share. */
import type { HypervisorParts } from '../../server/admin/extension.ts';
import { HypervisorError } from '../../server/core/hypervisor.ts';
import type { Properties } from './device-properties.ts';
import type { RunningVm } from './running-vm.ts';

/** Parts of the driver that a change uses. */
export interface ChangeParts extends HypervisorParts {
  /** The running VM. */
  readonly find: () => Promise<RunningVm>;
  /** Runs a step when no other change of the VM runs. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Adds a node. An error contains no path of the server. */
export async function addNode(vm: RunningVm, node: Properties): Promise<void> {
  try {
    await vm.execute('blockdev-add', node);
  } catch (error) {
    if (!(error instanceof HypervisorError)) throw error;
    throw new HypervisorError(error.message.replaceAll(/'\/[^']*'/g, 'the image'));
  }
}
