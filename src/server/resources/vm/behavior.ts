/** Behavior of virtual machines: create, update, remove, actions, transitions. */

import { vmLifecycle as lifecycle } from '../../../model/resources/vm.ts';
import { define } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import type { Parameters } from '../../core/parameters.ts';
import { erase, forgetReferences } from '../../core/removal.ts';
import type { TransitionData, TransitionHandlers } from '../../core/transition-handlers.ts';
import { requireState } from '../../core/transitions.ts';
import { thawImages } from '../../inventory/backup-images.ts';
import { forgetChanges } from '../../inventory/dirty-bitmaps.ts';
import { eraseDisk, keptOf, vmsOf } from '../../inventory/disk.ts';
import { notedCopies, releaseCopies, spoilCopies } from '../../inventory/disk-transitions.ts';
import { registeredAlready } from '../../inventory/register.ts';
import { requireNotAttached } from '../../inventory/snapshot-attachment.ts';
import {
  requireNoBackup,
  requireNoPreview,
  requireSettledSnapshots,
} from '../../inventory/snapshot-checks.ts';
import { eraseSnapshot, keepMemory } from '../../inventory/snapshot-contents.ts';
import {
  disksOf,
  formerUptime,
  hostName,
  moveVm,
  namesOf,
  notStarted,
  runStateMember,
  runStateOf,
  snapshotsOf,
  subjects,
  uptimeOf,
  type Vm,
  without,
  withRunState,
} from '../../inventory/vm.ts';
import { requireDataCenter } from '../../inventory/vm-configuration.ts';
import { shownComputed, shownInitialization } from '../../inventory/vm-members.ts';
import type { StoredObject } from '../../store/kinds.ts';
import { screenshot, ticketOfVm } from './console.ts';
import { cloneVm, furnishVm, prepareVm } from './create.ts';
import { dropExported, exportVm } from './export.ts';
import {
  autoPin,
  freezeGuest,
  logon,
  maintenance,
  reorderMacAddresses,
  thawGuest,
} from './guest.ts';
import { ovfOfVm } from './ovf.ts';
import { detach, returnToPool, settledInPool } from './pool-members.ts';
import {
  cancelMigration,
  launch,
  migrate,
  migrated,
  reboot,
  running,
  shutdown,
  start,
  stop,
  stopped,
  suspend,
} from './run.ts';
import { measureOf } from './search-fields.ts';
import {
  commit,
  committed,
  dropState,
  notShown,
  notUndone,
  presentKept,
  preview,
  restored,
  shown,
  stateDropped,
  stateKept,
  statelessSnapshot,
  stateNotDropped,
  stateNotKept,
  undo,
  undone,
} from './snapshot-preview.ts';
import { changeVm, nextRun, reportChange } from './update.ts';

/** Refuses the removal of a machine that is in use. */
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
  for (const backup of ctx.tx.list('backup', backups)) thawImages(ctx, backup);
  for (const disk of disksOf(ctx, vm)) {
    // Its checkpoints go with it, and what was recorded since them was for nobody else.
    forgetChanges(ctx, disk.id ?? '');
    const stored = keepDisks || disk.shareable || disk.storage_type === 'lun';
    if (!stored && vmsOf(ctx, disk).length <= 1) eraseDisk(ctx, disk);
  }
  erase(ctx, { ref: { kind: 'vm', collection: '/vms' }, object: vm });
  for (const permission of ctx.tx.list('permission', { where: { vm_id: id } })) {
    if (permission.id) ctx.tx.remove('permission', permission.id);
  }
  forgetReferences(ctx, id);
}

const transitions: TransitionHandlers<'vm'> = {
  describe: (ctx, vm) => ({
    subjects: subjects(ctx, vm),
    words: {
      HostName: hostName(ctx, vm),
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
    ].map((operation) => [operation, (_ctx, _vm, { data }) => notedCopies(data)]),
  ),
  onEnd: {
    add(ctx, vm, { data }) {
      releaseCopies(ctx, notedCopies(data));
      return settledInPool(ctx, vm);
    },
    import(ctx, vm, { data }) {
      releaseCopies(ctx, notedCopies(data));
      return vm;
    },
    start: (ctx, vm) => running(ctx, vm),
    start_paused(ctx, vm) {
      keepMemory(ctx, vm, false);
      return { ...vm, status_detail: 'none' };
    },
    resume(ctx, vm) {
      keepMemory(ctx, vm, false);
      return running(ctx, vm);
    },
    unpause(ctx, vm) {
      const { status_detail: _detail, ...rest } = vm;
      return running(ctx, rest);
    },
    stop: (ctx, vm) => ended(ctx, vm),
    shutdown: (ctx, vm) => ended(ctx, vm),
    discard: (ctx, vm) => ended(ctx, vm),
    reboot: (ctx, vm, { data }) => (data?.['cold'] ? restarted(ctx, vm) : thawed(vm)),
    reset: (_ctx, vm) => thawed(vm),
    suspend: (ctx, vm) => suspended(ctx, vm),
    migrate: (ctx, vm, { data }) => migrated(ctx, vm, data),
    leave_host: (ctx, vm, { data }) => migrated(ctx, vm, data),
    keep_state: (ctx, vm, { data }) => stateKept(ctx, vm, data),
    drop_state: (ctx, vm, { data }) => returnToPool(ctx, stateDropped(ctx, vm, data)),
    preview_snapshot: (ctx, vm, { data }) => presentKept(ctx, vm, data),
    show_snapshot: (ctx, vm, { data }) => shown(ctx, vm, data),
    commit_snapshot: (ctx, vm) => committed(ctx, vm),
    undo_snapshot: (ctx, vm, { data }) => undone(ctx, vm, data),
    restore_snapshot: (ctx, vm, { data }) => restored(ctx, vm, data),
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
      ctx.event('VM_EXPORT_TO_FILE_FAILED', subjects(ctx, vm), data?.words);
      return { ...vm, status: 'down' };
    },
    keep_state: (ctx, vm, { data }) => stateNotKept(ctx, vm, data),
    drop_state: (ctx, vm, { data }) => stateNotDropped(ctx, vm, data),

    preview_snapshot: (ctx, vm, { data }) => notShown(ctx, vm, data),
    show_snapshot: (ctx, vm, { data }) => notShown(ctx, vm, data),
    restore_snapshot: (ctx, vm, { data }) => notShown(ctx, vm, data),
    undo_snapshot: (ctx, vm, { data }) => notUndone(ctx, vm, data),
    start: (_ctx, vm) => notStarted(vm, 'down'),
    start_paused: (_ctx, vm) => notStarted(vm, 'down'),
    resume: (_ctx, vm, { before }) => notStarted(vm, before === 'suspended' ? before : 'down'),
  },
};

/** A machine whose disks could not be copied is there, and its disks are not to be used. */
function withoutCopies(ctx: RuleContext, vm: Vm, data: TransitionData | undefined): Vm {
  spoilCopies(ctx, notedCopies(data));
  return { ...vm, status: 'down', has_illegal_images: true };
}

export const vmBehavior = define('vm', {
  lifecycle,
  measure: (ctx, field) => measureOf(ctx, 'vm', field),
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
    const shown = ctx.parameters.flag('next_run') ? nextRun(ctx, vm) : vm;
    // Users do not see where a VM runs, or may run.
    const hidden = hidesHosts(ctx) ? { host: undefined, placement_policy: undefined } : {};
    const computed = { ...shownComputed(shown), ...hidden };
    if (!everything) return shown === vm ? computed : { ...shown, ...computed };
    const configuration = {
      type: 'ovf',
      data: ovfOfVm(ctx, shown, ctx.parameters.flag('ovf_as_ova') ? 'ova' : 'ovf'),
    };
    const initialization = { ...shownInitialization(shown.initialization), configuration };
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
    detach,
    preview_snapshot: preview,
    commit_snapshot: commit,
    undo_snapshot: undo,
    ...registeredAlready,
    freeze_filesystems: freezeGuest,
    thaw_filesystems: thawGuest,
    screenshot,
    logon,
    ticket: ticketOfVm,
    maintenance,
    reorder_mac_addresses: reorderMacAddresses,
    auto_pin_cpu_and_numa_nodes: autoPin,
  },
});

/** Whether the caller does not see the hosts of VMs. */
function hidesHosts({ filter, asUser, site }: RuleContext): boolean {
  return filter !== undefined || (asUser && site.dialect.engineAnswers);
}

/** What an ended run leaves; after a stateless one the disks go back to what they were. */
function ended(ctx: RuleContext, vm: StoredObject): StoredObject {
  const off = stopped(ctx, vm);
  const back = statelessSnapshot(ctx, off) ? dropState(ctx, off) : returnToPool(ctx, off);
  return back;
}

/** A cold reboot: what was put aside counts from now on; overrides stay unless they are volatile. */
function restarted(ctx: RuleContext, vm: Vm): StoredObject {
  const { overrides, volatile } = runStateOf(vm);
  const off: Vm = { ...stopped(ctx, vm), status: 'down' };
  ctx.tx.update('vm', off, '/vms');
  launch(ctx, off, overrides && !volatile ? { vm: overrides } : {});
  return ctx.tx.get('vm', vm.id ?? '') ?? off;
}

function suspended(ctx: RuleContext, vm: Vm): StoredObject {
  const { host: _host, start_time: _start, fqdn: _fqdn, ...rest } = vm;
  const { guest_operating_system: _system, guest_time_zone: _zone, ...quiet } = rest;
  return { ...without(quiet, [runStateMember]), [formerUptime]: uptimeOf(ctx, vm) };
}

/** A guest that begins anew has forgotten that it was frozen. */
function thawed(vm: Vm): StoredObject {
  return withRunState(vm, { frozen: false });
}
