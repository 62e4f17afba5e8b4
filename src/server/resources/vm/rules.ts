/** Rules of virtual machines: how they are made, changed and removed, and what they are asked to do. */
import { vmLifecycle as lifecycle } from '../../../model/resources/vm.ts';
import { define } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import type { TransitionHandlers } from '../../core/transition-handlers.ts';
import { requireState } from '../../core/transitions.ts';
import type { StoredObject } from '../../store/document.ts';
import { notedCopies, releaseCopies, spoilCopies } from '../disk/copies.ts';
import { registeredAlready } from '../domain-contents/register.ts';
import { returnToPool, settledInPool } from '../pool/prestart.ts';
import { keepMemory } from '../snapshot/memory.ts';
import {
  commit,
  committed,
  presentKept,
  preview,
  restored,
  shown,
  undo,
  undone,
} from '../snapshot/preview.ts';
import { dropState, stateDropped, stateKept, statelessSnapshot } from '../snapshot/stateless.ts';
import { changeVm, nextRun, reportChange } from './change.ts';
import { cloneVm } from './clone.ts';
import { ticketOfVm } from './console.ts';
import { furnishVm, prepareVm } from './create.ts';
import { exportVm } from './export.ts';
import { autoPin, freeze, maintenance, reorderMacAddresses, thaw } from './guest.ts';
import { cancelMigration, migrate, migrated } from './migrate.ts';
import { ovfOfVm } from './ovf-configuration.ts';
import { detach } from './pool-member.ts';
import { eraseVm, requireRemovable } from './remove.ts';
import { logon } from './reports.ts';
import { launch, reboot, running, shutdown, start, stop, stopped, suspend } from './run.ts';
import { runStateMember, runStateOf, withRunState } from './run-state.ts';
import { screenshot } from './screenshot.ts';
import { shownComputed } from './shown.ts';
import { formerUptime, hostName, moveVm, subjects, uptimeOf, type Vm, without } from './vm.ts';

const transitions: TransitionHandlers<'vm'> = {
  describe: (ctx, vm) => ({
    subjects: subjects(ctx, vm),
    words: {
      HostName: hostName(ctx, vm),
      ExitMessage: 'Exit message: it was asked to stop.',
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
    leave_host: (ctx, vm, { data }) => migrated(ctx, vm, data) as StoredObject,
    keep_state: (ctx, vm, { data }) => {
      const { host, operation } = data as { host: { id: string }; operation: string };
      return stateKept(ctx, vm, host.id, operation);
    },
    drop_state: (ctx, vm) => returnToPool(ctx, stateDropped(ctx, vm)),
    preview_snapshot: (ctx, vm, { data }) => presentKept(ctx, vm, data),
    show_snapshot: (ctx, vm, { data }) => shown(ctx, vm, data),
    commit_snapshot: (ctx, vm) => committed(ctx, vm),
    undo_snapshot: (ctx, vm) => undone(ctx, vm),
    restore_snapshot: (ctx, vm, { data }) => restored(ctx, vm, data),
    remove(ctx, vm, { data }) {
      eraseVm(ctx, vm, data?.['detach_only'] === true);
      return undefined;
    },
  },
  onCopyFailure: {
    /** A machine whose disks could not be copied is there, and its disks are not to be used. */
    add(ctx, vm, { data }) {
      spoilCopies(ctx, notedCopies(data));
      ctx.event('VM_ADD_FAILED', subjects(ctx, vm));
      return { ...vm, status: 'down', has_illegal_images: true };
    },
  },
};

export const vmRules = define('vm', {
  lifecycle,
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

  presentsStored: true,
  present(ctx, vm, everything) {
    const shown = ctx.parameters.flag('next_run') ? nextRun(ctx, vm) : vm;
    const computed = shownComputed(shown);
    if (!everything) return shown === vm ? computed : { ...shown, ...computed };
    const configuration = {
      type: 'ovf',
      data: ovfOfVm(ctx, shown, ctx.parameters.flag('ovf_as_ova') ? 'ova' : 'ovf'),
    };
    return { ...shown, ...computed, initialization: { ...shown.initialization, configuration } };
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
    freeze_filesystems: freeze,
    thaw_filesystems: thaw,
    screenshot,
    logon,
    ticket: ticketOfVm,
    maintenance,
    reorder_mac_addresses: reorderMacAddresses,
    auto_pin_cpu_and_numa_nodes: autoPin,
  },
});

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
