/** Removing a virtual machine: what keeps it, and what goes with it. */

import { erase, forgetReferences } from '../../api/generic.ts';
import type { Parameters } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { requireState } from '../../core/transitions.ts';
import type { StoredObject } from '../../store/document.ts';
import { forgetChanges } from '../disk/dirty-bitmaps.ts';
import { eraseDisk, keptOf, vmsOf } from '../disk/disk.ts';
import { requireNotAttached } from '../disk/snapshot-attachment.ts';
import { requireNoBackup, requireNoPreview, requireSettledSnapshots } from '../snapshot/checks.ts';
import { eraseSnapshot } from '../snapshot/images.ts';
import { thaw } from './backup-images.ts';
import { requireDataCenter } from './checks.ts';
import { disksOf, namesOf, snapshotsOf, type Vm } from './vm.ts';

/** Refuses the removal of a machine that is in use. */
export function requireRemovable(ctx: RuleContext, vm: Vm, parameters: Parameters): void {
  const action = 'remove';
  const force = parameters.flag('force') === true;
  if (vm.delete_protected) ctx.refuse('VM_DELETE_PROTECTED', { action });
  if (vm.status === 'image_locked' && !force) ctx.refuse('VM_IS_LOCKED', { action });
  requireNoBackup(ctx, vm, action);
  requireState(ctx, 'vm', vm as StoredObject, 'remove');
  const pool = vm.vm_pool?.id ? ctx.tx.get('vm_pool', vm.vm_pool.id) : undefined;
  if (pool) ctx.refuse('VM_IN_POOL', { action, pool: pool.name });
  requireNoPreview(ctx, vm, action);
  const disks = disksOf(ctx, vm);
  for (const disk of disks) requireNotAttached(ctx, keptOf(ctx, disk), action, 'VM');
  const images = disks.filter(({ storage_type: type }) => type !== 'lun');
  if (images.length > 0) requireDataCenter(ctx, vm, action);
  if (!force) {
    requireSettledSnapshots(ctx, vm, action);
    const locked = disks.filter((disk) => disk.status === 'locked');
    if (locked.length > 0) {
      ctx.refuse('DISK_IS_LOCKED', { action, type: 'VM', names: namesOf(locked) });
    }
  }
  if (parameters.flag('detach_only')) requireFreeDisks(ctx, vm, images);
}

/** Disks can only be kept that depend on nothing else. */
function requireFreeDisks(
  ctx: RuleContext,
  vm: Vm,
  images: readonly { template?: { id?: string } }[],
): void {
  const taken = snapshotsOf(ctx, vm).some((one) => one.snapshot_type === 'regular');
  if (taken && images.length > 0) ctx.refuse('VM_HAS_SNAPSHOTS', { action: 'remove' });
  const thin = images.find(({ template }) => template?.id);
  if (thin) {
    const template = ctx.tx.get('template', thin.template?.id ?? '')?.name;
    ctx.refuse('VM_DISKS_DEPEND_ON_TEMPLATE', { action: 'remove', template });
  }
}

/** Deletes a machine with its disks, unless they are kept, its snapshots and its permissions. */
export function eraseVm(ctx: RuleContext, vm: Vm, keepDisks: boolean): void {
  const id = vm.id ?? '';
  for (const snapshot of snapshotsOf(ctx, vm)) eraseSnapshot(ctx, snapshot);
  const backups = { where: { collection: `/vms/${id}/backups` } };
  for (const backup of ctx.tx.list('backup', backups)) thaw(ctx, backup);
  for (const disk of disksOf(ctx, vm)) {
    // Its checkpoints go with it, and what was recorded since them was for nobody else.
    forgetChanges(ctx, disk.id ?? '');
    const kept = keepDisks || disk.shareable || disk.storage_type === 'lun';
    if (!kept && vmsOf(ctx, disk).length <= 1) eraseDisk(ctx, disk);
  }
  erase(ctx, { place: { kind: 'vm', collection: '/vms' }, object: vm });
  for (const permission of ctx.tx.list('permission', { where: { vm_id: id } })) {
    if (permission.id) ctx.tx.remove('permission', permission.id);
  }
  forgetReferences(ctx, id);
}
