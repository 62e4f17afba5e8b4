/**
 * Memory of snapshots: saved while the guest is paused, and loaded into a new process. QEMU writes it
 * to a qcow2 image: unlike a transfer of the memory, that does not take the disks from the process,
 * so their copies can begin while the guest is paused.
 */
import { HypervisorError, type SnapshotMemory } from '../../server/core/hypervisor.ts';
import { convertImage } from '../../server/images/convert-image.ts';
import { addNode } from './change-parts.ts';
import { nameDevice } from './device-properties.ts';
import { endSlowJob } from './jobs.ts';
import type { Launch } from './launch.ts';
import type { Processes } from './managed-processes.ts';
import { endTransfers } from './memory-transfer.ts';
import { digestDevices, readRecord, requireRecord, writeRecord } from './run-record.ts';
import type { RunningVm } from './running-vm.ts';
import { combineHardware } from './snapshot-hardware.ts';
import { MemoryOfSnapshot } from './stored-memory.ts';

/** Name of the node of the image, of the job, and of the memory in the image. */
const name = 'memory';
/** Virtual size of the image in bytes. The memory is outside of its virtual disk. */
const imageSize = 2 ** 20;

/**
 * Saves the memory of a VM and runs `work` while the guest is paused. The guest remains paused;
 * after a failure it continues. May be repeated after a crash of the server.
 */
export async function withSavedMemory(
  vm: RunningVm,
  memory: MemoryOfSnapshot,
  work: () => Promise<unknown>,
): Promise<void> {
  await endTransfers(vm);
  await endSlowJob(vm, name).catch(() => undefined);
  await removeNode(vm);
  // The first attempt may have paused the guest.
  const runs = readRecord(memory.folder)?.runs ?? (await vm.readStatus()) === 'running';
  try {
    const record = await requireRecord(vm);
    const file = memory.prepare();
    writeRecord(memory.folder, { ...record, runs });
    await vm.execute('stop');
    await writeMemory(vm, file);
    await memory.commit();
    await work();
  } catch (error) {
    memory.remove();
    if (runs && (await vm.readStatus()) === 'paused') await vm.resume();
    throw error;
  }
}

/** Continues a guest that was paused for its saved memory. */
export async function continueSaved(vm: RunningVm, memory: MemoryOfSnapshot): Promise<void> {
  if (!readRecord(memory.folder)?.runs) return;
  if ((await vm.readStatus()) === 'paused') await vm.resume();
}

async function writeMemory(vm: RunningVm, file: string): Promise<void> {
  const form = { from: 'cow', to: 'cow', size: imageSize, version: 3 } as const;
  await convertImage(undefined, file, form);
  await runJob(vm, 'snapshot-save', file);
}

/** Runs a job on the image of a memory. */
async function runJob(vm: RunningVm, command: string, file: string): Promise<void> {
  await addNode(vm, {
    ...{ driver: 'qcow2', 'node-name': name },
    file: { driver: 'file', filename: file },
  });
  try {
    await vm.execute(command, { 'job-id': name, tag: name, vmstate: name, devices: [name] });
    await endSlowJob(vm, name);
  } catch (error) {
    await removeNode(vm);
    throw error;
  }
  await vm.execute('blockdev-del', { 'node-name': name });
}

async function removeNode(vm: RunningVm): Promise<void> {
  await vm.execute('blockdev-del', { 'node-name': name }).catch(() => undefined);
}

/**
 * Continues a VM with the memory of a snapshot, in a new process. After a failure, the guest has not
 * run. May be repeated after a crash of the server.
 */
export async function restoreMemory(
  processes: Processes,
  id: string,
  run: string,
  { id: memoryId, hardware, isPaused }: SnapshotMemory,
): Promise<void> {
  const memory = new MemoryOfSnapshot(processes.root, memoryId);
  // The guest may have run since. If its process has ended, that is reported later.
  if (memory.isUsedBy(run)) return continueUsed(await processes.find(id), run);
  await processes.terminate(id);
  const record = memory.exists ? readRecord(memory.folder) : undefined;
  if (!record) throw new HypervisorError(`its saved memory is missing; ${advice}`);
  const { program } = record;
  if (program !== processes.program) {
    const detail = `QEMU ${program} saved the memory, and ${processes.program} is here`;
    throw new HypervisorError(`${detail}; ${advice}`);
  }
  const combined = combineHardware(record.hardware, hardware);
  if (typeof combined === 'string') throw new HypervisorError(`${combined}; ${advice}`);
  const launch: Launch = { change: 'launch', run, hardware: combined, isPaused: true };
  const vm = await processes.launch(id, launch);
  if ((await digestDevices(vm)) !== record.devices) {
    throw new HypervisorError(`the files of its devices have changed; ${advice}`);
  }
  await runJob(vm, 'snapshot-load', memory.path);
  // The memory contains the links of the NICs.
  for (const { id: nic, linked: up } of combined.nics) {
    await vm.execute('set_link', { name: nameDevice({ kind: 'nic', id: nic }), up });
  }
  const { obstacle: _none, runs: _runs, ...rest } = record;
  writeRecord(vm.process.folder, { ...rest, hardware: combined });
  if (isPaused) return;
  await continueLoaded(vm, memory);
  await vm.withAgent((agent) => agent.execute('guest-set-time', { time: Date.now() * 1e6 }));
}

const advice = 'restore the snapshot without its memory';

/** Continues the guest of an attempt that a crash has interrupted. */
async function continueUsed(vm: RunningVm | undefined, run: string): Promise<void> {
  if (vm?.process.run === run && (await vm.readStatus()) === 'prelaunch') await vm.resume();
}

/** Continues the guest. The memory is not loaded again for this run, because the disks may change. */
async function continueLoaded(vm: RunningVm, memory: MemoryOfSnapshot): Promise<void> {
  memory.markUsed(vm.process.run);
  try {
    await vm.resume();
  } catch (error) {
    const status = await vm.readStatus().catch(() => undefined);
    // Otherwise the guest may have run, which is not a failure to continue.
    if (status !== 'prelaunch') return;
    memory.unmark();
    throw error;
  }
}
