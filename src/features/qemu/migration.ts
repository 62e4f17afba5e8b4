/**
 * Live migration of a VM to another process. The guest continues in the new process only after the
 * old one has ended, so that a crash at any time leaves one of them.
 */
import { basename, join } from 'node:path';
import { HypervisorError, type PowerChange } from '../../server/core/hypervisor.ts';
import type { Launch } from './launch.ts';
import type { Processes } from './managed-processes.ts';
import {
  endTransfers,
  incoming,
  sendMemory,
  type TransferOptions,
  waitForLoad,
  waitForTransfer,
} from './memory-transfer.ts';
import { incomingSuffix } from './processes.ts';
import { digestDevices, readRecord, requireRecord, writeRecord } from './run-record.ts';
import { killProcess, type RunningVm } from './running-vm.ts';

type Migration = Extract<PowerChange, { change: 'migrate' }>;

/**
 * Migrates a VM. After a failure or a cancellation, it continues in its process. May be repeated
 * after a crash of the server.
 */
export async function migrateVm(
  processes: Processes,
  id: string,
  migration: Migration,
  options: TransferOptions,
): Promise<void> {
  await recoverMigration(processes, id);
  const vm = await processes.find(id);
  if (!vm) throw new HypervisorError('the VM has no QEMU process');
  // A previous attempt was complete.
  if (vm.process.run === migration.run) return continueMigrated(processes, id);
  const record = { ...(await requireRecord(vm)), runs: !migration.isPaused };
  writeRecord(vm.process.folder, record);
  const name = id + incomingSuffix;
  const { hardware } = record;
  const launch: Launch = { change: 'launch', run: migration.run, hardware, isPaused: true };
  try {
    const target = await processes.launchIncoming(id, launch, name);
    if ((await digestDevices(target)) !== record.devices) {
      throw new HypervisorError('the files of its devices have changed');
    }
    writeRecord(target.process.folder, record);
    await transfer(vm, target, migration, options);
    target.disconnect();
  } catch (error) {
    await processes.terminate(name);
    if (vm.isAlive) await endTransfers(vm);
    throw error;
  }
  await switchOver(processes, id, vm);
}

async function transfer(
  vm: RunningVm,
  target: RunningVm,
  { downtime, throttles }: Migration,
  options: TransferOptions,
): Promise<void> {
  await vm.execute('migrate-set-capabilities', {
    capabilities: [{ capability: 'auto-converge', state: throttles }],
  });
  await target.execute('migrate-incoming', { uri: `unix:${incoming}` });
  const limits = downtime === undefined ? {} : { 'downtime-limit': downtime };
  // A relative path is short enough for a socket.
  await sendMemory(vm, join('..', basename(target.process.folder), incoming), limits);
  await waitForTransfer(vm, options);
  await waitForLoad(target);
  if (options.signal?.aborted) throw new HypervisorError('the migration was cancelled');
}

/** Ends the old process, whose memory and disks the new one has. */
async function switchOver(processes: Processes, id: string, vm: RunningVm): Promise<void> {
  vm.isEnding = true;
  await killProcess(vm.process);
  await adopt(processes, id);
}

/** Makes the process to which a VM has migrated its only process. */
async function adopt(processes: Processes, id: string): Promise<void> {
  processes.replace(id, id + incomingSuffix);
  await continueMigrated(processes, id);
}

/** Continues the guest of a migrated VM, unless it was paused before. */
export async function continueMigrated(processes: Processes, id: string): Promise<void> {
  const vm = await processes.find(id);
  if (!vm) throw new HypervisorError('the VM has no QEMU process');
  const isHeld = ['paused', 'postmigrate'].includes(await vm.readStatus());
  if (isHeld && readRecord(vm.process.folder)?.runs === true) await vm.resume();
}

/** Leaves one process of a VM whose migration a crash has interrupted. */
export async function recoverMigration(processes: Processes, id: string): Promise<void> {
  const vm = await processes.find(id);
  if (vm) {
    await processes.terminate(id + incomingSuffix);
    await endTransfers(vm);
    return;
  }
  const target = await processes.findIncoming(id);
  const isComplete = target !== undefined && (await target.readStatus()) === 'paused';
  target?.disconnect();
  if (isComplete) await adopt(processes, id);
  else await processes.terminate(id + incomingSuffix);
}
