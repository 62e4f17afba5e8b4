/** Memory of snapshots: whether a snapshot gets one, and whether a VM can continue with one. */
import type { ActionBody } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import {
  getSavedMemory,
  listSnapshotableDisks,
  listSnapshotDisks,
} from '../../inventory/snapshot-contents.ts';
import { isRunning, listDiskAttachments, type Vm } from '../../inventory/vm.ts';
import type { ObjectOf } from '../../store/transaction.ts';
import { findObstacle } from './movable.ts';
import { requireSimulated } from './running.ts';

type Snapshot = ObjectOf<'snapshot'>;

/**
 * Whether a new snapshot includes the memory of the VM. `only` are the ids of its disks; undefined
 * for all. Refuses a requested memory that the hypervisor cannot save. Without a request, such
 * a snapshot has no memory.
 */
export function savesMemory(
  ctx: RuleContext,
  vm: Vm,
  { persist_memorystate: wanted }: Snapshot,
  only: ReadonlySet<string> | undefined,
): boolean {
  if (!isRunning(vm) || wanted === false) return false;
  if (!ctx.site.hypervisor) return true;
  const detail = findObstacle(ctx, vm) ?? findOmittedDisk(ctx, vm, only);
  if (detail === undefined) return true;
  if (wanted !== true) return false;
  ctx.refuse('VM_CANNOT_MOVE', { action: 'create a snapshot with memory of', detail });
}

/** The reason why the disks of a snapshot would not match the memory of the guest. */
function findOmittedDisk(
  ctx: RuleContext,
  vm: Vm,
  only: ReadonlySet<string> | undefined,
): string | undefined {
  const included = new Set(listSnapshotableDisks(ctx, vm).map(([{ id }]) => id));
  const omitted = listDiskAttachments(ctx, vm).find(
    ({ id = '', active, read_only: isRead }) =>
      active && isRead !== true && !(included.has(id) && (only?.has(id) ?? true)),
  );
  if (!omitted) return undefined;
  const disk = ctx.tx.get('disk', omitted.id ?? '');
  return `the snapshot would not contain its disk ${disk?.alias ?? omitted.id}`;
}

/**
 * Refuses to restore the memory of a snapshot that a real VM cannot load: one of a simulated VM, or
 * without all disks of the snapshot. `only` are the ids of the restored disks; undefined for all.
 */
export function requireUsableMemory(
  ctx: RuleContext,
  snapshot: Snapshot,
  only: readonly string[] | undefined,
): void {
  if (!ctx.site.hypervisor) return;
  if (snapshot.saved_memory === undefined) requireSimulated(ctx, 'restore the memory of');
  const images = listSnapshotDisks(ctx, snapshot.id ?? '');
  if (!only || images.every(({ disk }) => only.includes(disk?.id ?? ''))) return;
  const detail = 'its memory requires all disks of the snapshot';
  ctx.refuse('VM_CANNOT_MOVE', { action: 'restore the memory of', detail });
}

/** Parameters of a start that give data to a guest that boots. */
const bootData = ['use_cloud_init', 'use_sysprep', 'use_ignition', 'use_initialization'] as const;

/** Refuses to start a VM with saved memory that a real VM cannot load, or with first boot data. */
export function requireLoadable(ctx: RuleContext, vm: Vm, body: ActionBody): void {
  if (!ctx.site.hypervisor) return;
  if (getSavedMemory(ctx, vm) === undefined) requireSimulated(ctx, 'restore the memory of');
  if (!bootData.some((name) => body[name] === true)) return;
  const detail = 'the guest continues with its saved memory and reads no first boot data';
  ctx.refuse('VM_CANNOT_MOVE', { action: 'run', detail });
}
