/**
 * Copies of the disks of a running VM at one point in time. QEMU copies the blocks in the background,
 * and each block that the guest overwrites before.
 */
import { setTimeout as wait } from 'node:timers/promises';
import {
  type DeviceChange,
  HypervisorError,
  type RunningCopy,
} from '../../server/core/hypervisor.ts';
import { addNode, type ChangeParts } from './change-parts.ts';
import { createDiskNode, nameCopyNode, nameDiskNode } from './device-properties.ts';
import { withFrozenGuest } from './frozen-guest.ts';
import { listJobs } from './jobs.ts';
import { prepareDisk } from './launch.ts';
import type { RunningVm } from './running-vm.ts';
import { continueSaved, withSavedMemory } from './snapshot-memory.ts';
import { MemoryOfSnapshot } from './stored-memory.ts';
import { planRecordings, type RecordingActions, storeRecordings } from './write-recordings.ts';

const pollMs = 100;

type CopyDisks = Extract<DeviceChange, { change: 'copy_disks' }>;

/**
 * Copies disks to new images, all at the same point in time, and saves the memory if requested. Fails
 * if `requiresFrozen` and the guest does not freeze its file systems.
 */
export async function copyDisks(parts: ChangeParts, change: CopyDisks): Promise<void> {
  const { copies, memory } = change;
  const saving = memory === undefined ? undefined : new MemoryOfSnapshot(parts.folder, memory);
  const vm = await parts.inTurn(async () => {
    const running = await parts.find();
    await beginCopies(parts, running, change, saving);
    if (saving) await continueSaved(running, saving);
    return running;
  });
  let error: unknown;
  try {
    await waitForCopies(vm, copies);
  } catch (caught) {
    error = caught;
  }
  await parts
    .inTurn(() => endCopies(vm, copies))
    .catch((other) => {
      error ??= other;
    });
  if (error) throw error;
  await parts.inTurn(() => storeRecordings(parts, vm, copies));
}

/** Begins the copies, unless they run since before a restart of the server. */
async function beginCopies(
  parts: ChangeParts,
  vm: RunningVm,
  { copies, requiresFrozen = false }: CopyDisks,
  memory: MemoryOfSnapshot | undefined,
): Promise<void> {
  const jobs = await listJobs(vm);
  const names = copies.map(({ to }) => nameCopyNode(to));
  if (names.every((name) => jobs.has(name)) && (memory?.exists ?? true)) return;
  const added: string[] = [];
  try {
    for (const { disk, to } of copies) {
      const node = nameCopyNode(to);
      await vm.execute('blockdev-del', { 'node-name': node }).catch(() => undefined);
      const target = { ...disk, id: to, readOnly: false };
      const path = await prepareDisk(parts, target);
      await addNode(vm, { ...createDiskNode(target, path, node), 'detect-zeroes': 'unmap' });
      added.push(node);
    }
    const recordings = await planRecordings(vm, copies);
    const begin = () => vm.execute('transaction', createTransaction(copies, recordings));
    await (memory
      ? withSavedMemory(vm, memory, begin)
      : withFrozenGuest(vm, begin, requiresFrozen));
  } catch (error) {
    for (const node of added) await vm.execute('blockdev-del', { 'node-name': node });
    throw error;
  }
}

function createTransaction(copies: readonly RunningCopy[], { before, after }: RecordingActions) {
  const begins = copies.map(({ disk, to }) => ({
    type: 'blockdev-backup',
    data: {
      ...{ 'job-id': nameCopyNode(to), device: nameDiskNode(disk.id) },
      ...{ target: nameCopyNode(to), 'auto-dismiss': false },
      // The new image is empty, and images have no other image below.
      sync: disk.format === 'cow' ? 'top' : 'full',
      // A failure of the new image must not stop the guest.
      'on-target-error': 'report',
    },
  }));
  const actions = [...before, ...begins, ...after];
  // Grouped transactions stop all copies after the first failure, but cannot change bitmaps.
  if (actions.length > begins.length) return { actions };
  return { actions, properties: { 'completion-mode': 'grouped' } };
}

/** Resolves when all copies are complete. */
async function waitForCopies(vm: RunningVm, copies: readonly RunningCopy[]): Promise<void> {
  for (;;) {
    const jobs = await listJobs(vm);
    const mine = copies.map(({ to }) => jobs.get(nameCopyNode(to)));
    if (mine.every((job) => job?.['status'] === 'concluded')) {
      const failed = mine.find((job) => job?.['error'] !== undefined);
      if (!failed) return;
      throw new HypervisorError(`QEMU cannot copy a disk: ${String(failed['error'])}`);
    }
    if (mine.includes(undefined)) throw new HypervisorError('QEMU has lost a copy of a disk');
    await wait(pollMs);
  }
}

/** Removes the jobs and nodes of copies that have ended. */
async function endCopies(vm: RunningVm, copies: readonly RunningCopy[]): Promise<void> {
  for (const { to } of copies) {
    const name = nameCopyNode(to);
    await vm.execute('job-dismiss', { id: name }).catch(() => undefined);
    await vm.execute('blockdev-del', { 'node-name': name });
  }
}
