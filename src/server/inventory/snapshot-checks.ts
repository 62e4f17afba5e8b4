/** Operations that a snapshot or a backup of the VM forbids. */
import type { RuleContext } from '../core/context.ts';
import type { ObjectOf } from '../store/transaction.ts';
import { listSnapshotableDisks } from './snapshot-contents.ts';
import { joinNames, listSnapshots, type Vm } from './vm.ts';

type Snapshot = ObjectOf<'snapshot'>;

/** The snapshot that a VM previews. */
export function findPreviewed(ctx: RuleContext, vm: Vm): Snapshot | undefined {
  return listSnapshots(ctx, vm).find((one) => one.snapshot_status === 'in_preview');
}

/** Refuses while a snapshot is being created or removed. */
export function requireSettledSnapshots(ctx: RuleContext, vm: Vm, action: string): void {
  const locked = listSnapshots(ctx, vm).some((one) => one.snapshot_status === 'locked');
  if (locked) ctx.refuse('VM_HAS_LOCKED_SNAPSHOT', { action });
}

/** Refuses while a snapshot is previewed. */
export function requireNoPreview(ctx: RuleContext, vm: Vm, action: string): void {
  if (findPreviewed(ctx, vm)) ctx.refuse('VM_IN_PREVIEW', { action });
}

const backupOver = new Set(['succeeded', 'failed']);

/** Refuses during a backup of the VM. */
export function requireNoBackup(ctx: RuleContext, vm: Vm, action: string): void {
  const backups = ctx.tx.list('backup', { where: { collection: `/vms/${vm.id}/backups` } });
  if (backups.some(({ phase }) => !backupOver.has(phase ?? ''))) {
    ctx.refuse('VM_IN_BACKUP', { action });
  }
}

/** Refuses while a backup of the VM copies its disks. */
export function requireBackupsBegun(ctx: RuleContext, vm: Vm, action: string): void {
  const backups = ctx.tx.list('backup', { where: { collection: `/vms/${vm.id}/backups` } });
  if (backups.some(({ phase }) => phase === 'initializing' || phase === 'starting')) {
    ctx.refuse('VM_IN_BACKUP', { action });
  }
}

/** Refuses unless the disks for a snapshot are unlocked, or only those in `only`. */
export function requireFreeDisks(
  ctx: RuleContext,
  vm: Vm,
  action: string,
  only?: ReadonlySet<string>,
): void {
  const disks = listSnapshotableDisks(ctx, vm)
    .map(([disk]) => disk)
    .filter(({ id }) => !only || only.has(id ?? ''));
  const locked = disks.filter(({ status }) => status === 'locked');
  const illegal = disks.filter(({ status }) => status === 'illegal');
  const messageParams = { action, type: 'Snapshot' };
  if (locked.length > 0)
    ctx.refuse('DISK_IS_LOCKED', { ...messageParams, names: joinNames(locked) });
  if (illegal.length > 0)
    ctx.refuse('DISK_IS_ILLEGAL', { ...messageParams, names: joinNames(illegal) });
}
