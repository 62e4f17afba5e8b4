/** Behavior of VMs: create, update, remove, actions, transitions. */

import { vmLifecycle as lifecycle } from '../../../model/resources/vm.ts';
import { defineBehavior } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import type { Parameters } from '../../core/parameters.ts';
import { erase, forgetReferences } from '../../core/removal.ts';
import type { TransitionData, TransitionHandlers } from '../../core/transition-handlers.ts';
import { requireState } from '../../core/transitions.ts';
import { thawImages } from '../../inventory/backup-images.ts';
import { forgetChanges } from '../../inventory/dirty-bitmaps.ts';
import { eraseDisk, listDiskVms, listSnapshotImages } from '../../inventory/disk.ts';
import {
  getRecordedCopies,
  markCopiesIllegal,
  releaseCopies,
} from '../../inventory/disk-transitions.ts';
import { registeredAlready } from '../../inventory/register.ts';
import { requireNotAttached } from '../../inventory/snapshot-attachment.ts';
import {
  requireNoBackup,
  requireNoPreview,
  requireSettledSnapshots,
} from '../../inventory/snapshot-checks.ts';
import { eraseSnapshot, setSavedMemory } from '../../inventory/snapshot-contents.ts';
import {
  computeUptime,
  describeVmSubjects,
  formerUptime,
  getHostName,
  getRunState,
  joinNames,
  listDisks,
  listSnapshots,
  moveVm,
  omitMembers,
  resetFailedStart,
  runStateMember,
  type Vm,
  withRunState,
} from '../../inventory/vm.ts';
import { requireDataCenter } from '../../inventory/vm-configuration.ts';
import { showComputed, showInitialization } from '../../inventory/vm-members.ts';
import type { StoredObject } from '../../store/kinds.ts';
import { renderScreenshot, setVmTicket } from './console.ts';
import { cloneVm, furnishVm, prepareVm } from './create.ts';
import { dropExported, exportVm } from './export.ts';
import {
  autoPin,
  freezeGuest,
  logon,
  reorderMacAddresses,
  setEngineMaintenance,
  thawGuest,
} from './guest.ts';
import { powerChanges } from './hardware.ts';
import { failMigration, findStateAfterCancel } from './migration-changes.ts';
import { writeVmOvf } from './ovf.ts';
import { detachFromPool, prestartAfterSettling, returnToPool } from './pool-members.ts';
import {
  cancelMigration,
  finishMigration,
  finishStop,
  launch,
  migrate,
  reboot,
  shutdown,
  start,
  stop,
  suspend,
} from './run.ts';
import { describeRunning } from './running.ts';
import { findMeasure } from './search-fields.ts';
import {
  commit,
  copyPreviewed,
  deleteStateless,
  dropState,
  failPreview,
  failStateless,
  failUndo,
  findStatelessSnapshot,
  finishCommit,
  finishPreview,
  finishRestore,
  finishUndo,
  keepStateless,
  preview,
  startStateless,
  undo,
} from './snapshot-preview.ts';
import { changeVm, getNextRun, reportChange } from './update.ts';

/** Refuses the removal of a VM that is in use. */
function requireRemovable(ctx: RuleContext, vm: Vm, parameters: Parameters): void {
  const action = 'remove';
  const force = parameters.flag('force') === true;
  if (vm.delete_protected) ctx.refuse('VM_DELETE_PROTECTED', { action });
  if (vm.status === 'image_locked' && !force) ctx.refuse('VM_IS_LOCKED', { action });
  requireNoBackup(ctx, vm, action);
  requireState(ctx, 'vm', vm, 'remove');
  const pool = vm.vm_pool?.id ? ctx.tx.get('vm_pool', vm.vm_pool.id) : undefined;
  if (pool) ctx.refuse('VM_IN_POOL', { action, pool: pool.name });
  requireNoPreview(ctx, vm, action);
  const disks = listDisks(ctx, vm);
  for (const disk of disks) requireNotAttached(ctx, listSnapshotImages(ctx, disk), action, 'VM');
  const images = disks.filter(({ storage_type: type }) => type !== 'lun');
  if (images.length > 0) requireDataCenter(ctx, vm, action);
  if (!force) {
    requireSettledSnapshots(ctx, vm, action);
    const locked = disks.filter((disk) => disk.status === 'locked');
    if (locked.length > 0) {
      ctx.refuse('DISK_IS_LOCKED', { action, type: 'VM', names: joinNames(locked) });
    }
  }
  if (parameters.flag('detach_only')) requireFreeDisks(ctx, vm, images);
}

/** Disks can only be detached if they do not depend on a template. */
function requireFreeDisks(
  ctx: RuleContext,
  vm: Vm,
  images: readonly { template?: { id?: string } }[],
): void {
  const taken = listSnapshots(ctx, vm).some((one) => one.snapshot_type === 'regular');
  if (taken && images.length > 0) ctx.refuse('VM_HAS_SNAPSHOTS', { action: 'remove' });
  const thin = images.find(({ template }) => template?.id);
  if (thin) {
    const template = ctx.tx.get('template', thin.template?.id ?? '')?.name;
    ctx.refuse('VM_DISKS_DEPEND_ON_TEMPLATE', { action: 'remove', template });
  }
}

/** Deletes a VM with its snapshots and permissions, and its disks unless `keepDisks`. */
export function eraseVm(ctx: RuleContext, vm: Vm, keepDisks: boolean): void {
  const id = vm.id ?? '';
  for (const snapshot of listSnapshots(ctx, vm)) eraseSnapshot(ctx, snapshot);
  const backups = { where: { collection: `/vms/${id}/backups` } };
  for (const backup of ctx.tx.list('backup', backups)) thawImages(ctx, backup);
  for (const disk of listDisks(ctx, vm)) {
    // Checkpoints belong to the VM, so recorded changes are useless without it.
    forgetChanges(ctx, disk.id ?? '');
    const stored = keepDisks || disk.shareable || disk.storage_type === 'lun';
    if (!stored && listDiskVms(ctx, disk).length <= 1) eraseDisk(ctx, disk);
  }
  erase(ctx, { ref: { kind: 'vm', collection: '/vms' }, object: vm });
  for (const permission of ctx.tx.list('permission', { where: { vm_id: id } })) {
    if (permission.id) ctx.tx.remove('permission', permission.id);
  }
  forgetReferences(ctx, id);
}

const transitions: TransitionHandlers<'vm'> = {
  describe: (ctx, vm) => ({
    subjects: describeVmSubjects(ctx, vm),
    words: {
      HostName: getHostName(ctx, vm),
      ExitMessage: 'Exit message: stop requested.',
      Reason: '',
    },
  }),
  copies: Object.fromEntries(
    [
      'add',
      'export',
      'export_to_file',
      'import',
      'keep_state',
      'drop_state',
      'preview_snapshot',
      'show_snapshot',
      'undo_snapshot',
      'restore_snapshot',
    ].map((operation) => [operation, (_ctx, _vm, { data }) => getRecordedCopies(data)]),
  ),
  power: powerChanges,
  onEnd: {
    add(ctx, vm, { data }) {
      releaseCopies(ctx, getRecordedCopies(data));
      return prestartAfterSettling(ctx, vm);
    },
    import(ctx, vm, { data }) {
      releaseCopies(ctx, getRecordedCopies(data));
      return vm;
    },
    start: (ctx, vm) => describeRunning(ctx, vm),
    start_paused(ctx, vm) {
      setSavedMemory(ctx, vm, undefined);
      return { ...vm, status_detail: 'none' };
    },
    resume(ctx, vm) {
      setSavedMemory(ctx, vm, undefined);
      return describeRunning(ctx, vm);
    },
    unpause(ctx, vm) {
      const { status_detail: _detail, ...rest } = vm;
      return describeRunning(ctx, rest);
    },
    stop: (ctx, vm) => finishRun(ctx, vm),
    shutdown: (ctx, vm) => finishRun(ctx, vm),
    crash: (ctx, vm) => finishRun(ctx, vm),
    discard: (ctx, vm) => finishRun(ctx, vm),
    reboot: (ctx, vm, { data }) => (data?.['cold'] ? finishReboot(ctx, vm) : clearFrozen(vm)),
    reset: (_ctx, vm) => clearFrozen(vm),
    suspend: (ctx, vm) => finishSuspend(ctx, vm),
    migrate: (ctx, vm, { data }) => finishMigration(ctx, vm, data),
    leave_host: (ctx, vm, { data }) => finishMigration(ctx, vm, data),
    keep_state: (ctx, vm, { data }) => startStateless(ctx, vm, data),
    drop_state: (ctx, vm, { data }) => returnToPool(ctx, deleteStateless(ctx, vm, data)),
    preview_snapshot: (ctx, vm, { data }) => copyPreviewed(ctx, vm, data),
    show_snapshot: (ctx, vm, { data }) => finishPreview(ctx, vm, data),
    commit_snapshot: (ctx, vm) => finishCommit(ctx, vm),
    undo_snapshot: (ctx, vm, { data }) => finishUndo(ctx, vm, data),
    restore_snapshot: (ctx, vm, { data }) => finishRestore(ctx, vm, data),
    remove(ctx, vm, { data }) {
      eraseVm(ctx, vm, data?.['detach_only'] === true);
      return undefined;
    },
  },
  onCopyFailure: {
    add: (ctx, vm, { data }) => withoutCopies(ctx, vm, data),
    import: (ctx, vm, { data }) => withoutCopies(ctx, vm, data),
    export(ctx, vm, { data }) {
      dropExported(ctx, 'vm', vm.id ?? '', data);
      return { ...vm, status: 'down' };
    },
    export_to_file(ctx, vm, { data }) {
      ctx.event('VM_EXPORT_TO_FILE_FAILED', describeVmSubjects(ctx, vm), data?.words);
      return { ...vm, status: 'down' };
    },
    keep_state: (ctx, vm, { data }) => failStateless(ctx, vm, data),
    drop_state: (ctx, vm, { data }) => keepStateless(ctx, vm, data),

    preview_snapshot: (ctx, vm, { data }) => failPreview(ctx, vm, data),
    show_snapshot: (ctx, vm, { data }) => failPreview(ctx, vm, data),
    restore_snapshot: (ctx, vm, { data }) => failPreview(ctx, vm, data),
    undo_snapshot: (ctx, vm, { data }) => failUndo(ctx, vm, data),
    migrate: (_ctx, vm, { data }) => failMigration(vm, data),
    leave_host: (_ctx, vm, { data }) => failMigration(vm, data),
    cancel_migration: (_ctx, vm) => ({ ...vm, status: findStateAfterCancel(vm) }),
    start: (_ctx, vm) => resetFailedStart(vm, 'down'),
    start_paused: (_ctx, vm) => resetFailedStart(vm, 'down'),
    resume: (_ctx, vm, { before }) =>
      resetFailedStart(vm, before === 'suspended' ? before : 'down'),
  },
};

/** A VM whose disks could not be copied remains, with illegal disks. */
function withoutCopies(ctx: RuleContext, vm: Vm, data: TransitionData | undefined): Vm {
  markCopiesIllegal(ctx, getRecordedCopies(data));
  return { ...vm, status: 'down', has_illegal_images: true };
}

export const vmBehavior = defineBehavior('vm', {
  lifecycle,
  measure: (ctx, field) => findMeasure(ctx, 'vm', field),
  transitions,
  addsAtOnce: true,
  events: { update: 'VM_UPDATED' },

  beforeCreate: (ctx, vm, _place, sent) => prepareVm(ctx, vm, sent),
  afterCreate: (ctx, { object }, sent) => furnishVm(ctx, object, sent),
  beforeUpdate: (ctx, before, after, _place, sent) => changeVm(ctx, before, after, sent),
  afterUpdate: (ctx, before, { object }) => reportChange(ctx, before, object),
  beforeDelete: (ctx, { object }, parameters) => requireRemovable(ctx, object, parameters),

  remove(ctx, { object }, parameters) {
    moveVm(ctx, object, 'remove', { detach_only: parameters.flag('detach_only') ?? false });
  },

  costly: ['initialization'],
  presentsObjectOnly: (ctx) => !ctx.parameters.flag('next_run') && !hidesHosts(ctx),
  present(ctx, vm, everything) {
    const shown = ctx.parameters.flag('next_run') ? getNextRun(ctx, vm) : vm;
    // Users do not see the hosts of a VM.
    const hidden = hidesHosts(ctx) ? { host: undefined, placement_policy: undefined } : {};
    const computed = { ...showComputed(shown), ...hidden };
    if (!everything) return shown === vm ? computed : { ...shown, ...computed };
    const configuration = {
      type: 'ovf',
      data: writeVmOvf(ctx, shown, ctx.parameters.flag('ovf_as_ova') ? 'ova' : 'ovf'),
    };
    const initialization = { ...showInitialization(shown.initialization), configuration };
    return { ...shown, ...computed, initialization };
  },

  actions: {
    start,
    stop,
    shutdown,
    reboot,
    suspend,
    migrate,
    cancel_migration: cancelMigration,
    reset(ctx, { object }) {
      requireState(ctx, 'vm', object, 'reset');
      moveVm(ctx, object, 'reset');
      return undefined;
    },
    clone: cloneVm,
    export: exportVm,
    detach: detachFromPool,
    preview_snapshot: preview,
    commit_snapshot: commit,
    undo_snapshot: undo,
    ...registeredAlready,
    freeze_filesystems: freezeGuest,
    thaw_filesystems: thawGuest,
    screenshot: renderScreenshot,
    logon,
    ticket: setVmTicket,
    maintenance: setEngineMaintenance,
    reorder_mac_addresses: reorderMacAddresses,
    auto_pin_cpu_and_numa_nodes: autoPin,
  },
});

/** Whether the caller does not see the hosts of VMs. */
function hidesHosts({ filter, asUser, site }: RuleContext): boolean {
  return filter !== undefined || (asUser && site.dialect.engineAnswers);
}

/** The VM after a run. A stateless run restores the disks. */
function finishRun(ctx: RuleContext, vm: StoredObject): StoredObject {
  // The guest of a real VM may have changed its disks since it loaded the memory.
  if (ctx.site.hypervisor) setSavedMemory(ctx, vm, undefined);
  const off = finishStop(ctx, vm);
  const back = findStatelessSnapshot(ctx, off) ? dropState(ctx, off) : returnToPool(ctx, off);
  return back;
}

/** A cold reboot: applies the pending configuration. Overrides remain unless they are volatile. */
function finishReboot(ctx: RuleContext, vm: Vm): StoredObject {
  const { overrides, volatile } = getRunState(vm);
  const off: Vm = { ...finishStop(ctx, vm), status: 'down' };
  ctx.tx.update('vm', off, '/vms');
  launch(ctx, off, overrides && !volatile ? { vm: overrides } : {});
  return ctx.tx.get('vm', vm.id ?? '') ?? off;
}

function finishSuspend(ctx: RuleContext, vm: Vm): StoredObject {
  const { host: _host, start_time: _start, fqdn: _fqdn, ...rest } = vm;
  const { guest_operating_system: _system, guest_time_zone: _zone, ...quiet } = rest;
  return { ...omitMembers(quiet, [runStateMember]), [formerUptime]: computeUptime(ctx, vm) };
}

/** A restarted guest is not frozen. */
function clearFrozen(vm: Vm): StoredObject {
  return withRunState(vm, { frozen: false });
}
