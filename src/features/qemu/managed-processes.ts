/** Processes of VMs as the driver manages them, for suspension and migration. */
import type { Launch } from './launch.ts';
import type { RunningVm } from './running-vm.ts';

export interface Processes {
  /** Folder of the working folders of all VMs. */
  readonly root: string;
  /** Version and accelerator of QEMU. */
  readonly program: string;
  /** The process of a VM with a connection; undefined if the VM has none. */
  find(id: string): Promise<RunningVm | undefined>;
  /** The process to which a VM migrates, with a separate connection. */
  findIncoming(id: string): Promise<RunningVm | undefined>;
  /** Ends the process of a working folder and removes the folder. */
  terminate(name: string): Promise<void>;
  /** Launches a process whose guest does not run yet. */
  launch(id: string, launch: Launch): Promise<RunningVm>;
  /** Launches a process that waits for memory, in the working folder `name`. */
  launchIncoming(id: string, launch: Launch, name: string): Promise<RunningVm>;
  /** Replaces the working folder of a VM, whose process has ended, by the folder `name`. */
  replace(id: string, name: string): void;
}
