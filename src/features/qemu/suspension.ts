/** Suspension of VMs: their memory is saved to a file, and loaded into a new process. */
import { join } from 'node:path';
import { HypervisorError } from '../../server/core/hypervisor.ts';
import { type Launch, readLastMessage } from './launch.ts';
import type { Processes } from './managed-processes.ts';
import {
  endTransfers,
  incoming,
  outgoing,
  receiveToFile,
  sendFile,
  sendMemory,
  waitForLoad,
  waitForTransfer,
} from './memory-transfer.ts';
import { digestDevices, readRecord, requireRecord, writeRecord } from './run-record.ts';
import type { RunningVm } from './running-vm.ts';
import { SavedMemory } from './saved-memory.ts';

/** Saves the memory of a VM and ends its process. May be repeated after a crash of the server. */
export async function suspendVm(processes: Processes, id: string): Promise<void> {
  const memory = new SavedMemory(processes.root, id);
  const vm = await processes.find(id);
  if (!vm) {
    // A previous attempt was complete.
    if (memory.exists) return;
    throw new HypervisorError('the VM has no QEMU process');
  }
  const isComplete = memory.exists && (await vm.readStatus()) === 'postmigrate';
  if (!isComplete) await saveMemory(vm, memory);
  await processes.terminate(id);
}

/** Writes the memory of a VM, which is then paused. After a failure, the VM continues. */
async function saveMemory(vm: RunningVm, memory: SavedMemory): Promise<void> {
  await endTransfers(vm);
  const record = await requireRecord(vm);
  const file = memory.prepare();
  writeRecord(memory.folder, { ...record, runs: true });
  await vm.execute('stop');
  try {
    await writeMemory(vm, file);
    await memory.commit();
  } catch (error) {
    memory.remove();
    await vm.resume();
    throw error;
  }
}

async function writeMemory(vm: RunningVm, file: string): Promise<void> {
  const receiver = await receiveToFile(join(vm.process.folder, outgoing), file);
  const send = async () => {
    try {
      await sendMemory(vm, outgoing);
      await waitForTransfer(vm);
    } catch (error) {
      receiver.close();
      throw error;
    }
  };
  const [sent, received] = await Promise.allSettled([send(), receiver.done]);
  // A full disk also fails the transfer.
  const failed = [received, sent].filter((one) => one.status === 'rejected');
  const reasons = failed.map(({ reason }): unknown => reason);
  const cause = reasons.find((one) => !(one instanceof Error && one.name === 'AbortError'));
  if (cause !== undefined) throw cause;
}

/**
 * Continues a suspended VM in a new process. After a failure, the VM is still suspended. May be
 * repeated after a crash of the server.
 */
export async function restoreVm(processes: Processes, id: string, run: string): Promise<void> {
  const memory = new SavedMemory(processes.root, id);
  let vm = await processes.find(id);
  if (vm && (vm.process.run !== run || (await vm.readStatus()) === 'inmigrate' || memory.exists)) {
    await processes.terminate(id);
    vm = undefined;
  }
  vm ??= await loadVm(processes, id, run, memory);
  if ((await vm.readStatus()) === 'paused') await continueVm(vm, memory);
  memory.remove();
  await vm.withAgent((agent) => agent.execute('guest-set-time', { time: Date.now() * 1e6 }));
}

/** Launches a process and loads the memory. The guest does not run yet. */
async function loadVm(
  processes: Processes,
  id: string,
  run: string,
  memory: SavedMemory,
): Promise<RunningVm> {
  const record = memory.exists ? readRecord(memory.folder) : undefined;
  if (!record) throw new HypervisorError('its saved memory is missing; stop the VM');
  const { hardware, program } = record;
  if (program !== processes.program) {
    throw new HypervisorError(`QEMU ${program} saved the memory, and ${processes.program} is here`);
  }
  const launch: Launch = { change: 'launch', run, hardware, isPaused: true };
  const vm = await processes.launchIncoming(id, launch, id);
  if ((await digestDevices(vm)) !== record.devices) {
    throw new HypervisorError('the files of its devices have changed; stop the VM');
  }
  writeRecord(vm.process.folder, record);
  await loadMemory(vm, memory.path);
  return vm;
}

async function loadMemory(vm: RunningVm, file: string): Promise<void> {
  const { folder } = vm.process;
  try {
    await vm.execute('migrate-incoming', { uri: `unix:${incoming}` });
    await sendFile(file, join(folder, incoming));
    await waitForLoad(vm);
  } catch (error) {
    if (vm.isAlive && !(await vm.waitForExit())) throw error;
    throw new HypervisorError(readLastMessage(folder) ?? 'QEMU cannot load the memory');
  }
}

/** Continues the guest. The memory is never loaded again, because the disks may change. */
async function continueVm(vm: RunningVm, memory: SavedMemory): Promise<void> {
  if (memory.exists) memory.markUsed();
  try {
    await vm.resume();
  } catch (error) {
    const status = await vm.readStatus().catch(() => 'running');
    if (status !== 'running') memory.unmark();
    throw error;
  }
}
