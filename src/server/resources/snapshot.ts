/** Snapshots: creation, removal, and their representation of the VM. */
import { snapshotLifecycle as lifecycle } from '../../model/resources/snapshot.ts';
import { defineBehavior, type Extent } from '../core/behavior.ts';
import type { CollectionRef } from '../core/collection-ref.ts';
import type { RuleContext } from '../core/context.ts';
import { replaceMembers } from '../core/member-selection.ts';
import type { TransitionHandlers, TransitionOf } from '../core/transition-handlers.ts';
import { beginTransition, requireState } from '../core/transitions.ts';
import { getRecordedCopies } from '../inventory/disk-transitions.ts';
import { requireNotAttached } from '../inventory/snapshot-attachment.ts';
import {
  requireFreeDisks,
  requireNoBackup,
  requireNoPreview,
  requireSettledSnapshots,
} from '../inventory/snapshot-checks.ts';
import {
  copyConfiguration,
  eraseSnapshot,
  getSavedConfiguration,
  listSnapshotableDisks,
  listSnapshotDisks,
  settleDisk,
  settleImages,
  storeSnapshotContents,
} from '../inventory/snapshot-contents.ts';
import {
  describeVmSubjects,
  findOwnerVm,
  listNics,
  listSnapshots,
  omitMembers,
  type Vm,
} from '../inventory/vm.ts';
import { requireDataCenter } from '../inventory/vm-configuration.ts';
import { showComputed } from '../inventory/vm-members.ts';
import type { StoredObject } from '../store/kinds.ts';
import type { ObjectOf } from '../store/transaction.ts';
import { writeSnapshotOvf } from './vm/ovf.ts';
import { copyRunningDisks } from './vm/plugging.ts';
import { omitRunMembers } from './vm/run.ts';
import { savesMemory } from './vm/snapshot-memory.ts';
import { findStatelessSnapshot, restore } from './vm/snapshot-preview.ts';

type Snapshot = ObjectOf<'snapshot'>;

/**
 * The complete saved VM. The active snapshot has one only in the response to GET of it, in the
 * dialect of engines. In lists of VMs with their snapshots, snapshots have none.
 */
function shownSnapshot(
  ctx: RuleContext,
  snapshot: Snapshot,
  everything: boolean,
  { brief, alone }: Extent,
): StoredObject {
  if (brief) return { vm: undefined };
  const isActive = snapshot.snapshot_type === 'active';
  if (isActive && !(alone && ctx.site.dialect.engineAnswers)) return { vm: undefined };
  const saved = isActive ? currentVm(ctx, snapshot) : savedVm(ctx, snapshot);
  const { type: _protocol, ...display } = saved.display ?? {};
  const vm = { ...omitMembers(saved, notInSnapshots), display, tpm_enabled: undefined };
  if (!everything || isActive) return { vm, initialization: undefined };
  const data = writeSnapshotOvf(ctx, snapshot, saved);
  return { vm, initialization: { configuration: { type: 'ovf', data } } };
}

/** Members of a VM that engines read from the current VM only, like its consoles. */
const notInSnapshots = [
  'console',
  'numa_tune_mode',
  'payloads',
  'rng_device',
  'soundcard_enabled',
  'stop_reason',
  'tpm_enabled',
  'virtio_scsi',
];

/** The VM of the active snapshot, without its run. */
function currentVm(ctx: RuleContext, snapshot: Snapshot): Vm {
  const now = ctx.tx.get('vm', snapshot.vm?.id ?? '') ?? {};
  const vm: Vm = {
    ...omitRunMembers(omitMembers(now, ['snapshots', 'disk_attachments'])),
    status: 'down',
  };
  return { ...vm, ...showComputed(vm) };
}

/**
 * The VM with the saved configuration. Attributes that snapshots do not save have the current
 * values.
 */
function savedVm(ctx: RuleContext, snapshot: Snapshot): Vm {
  const saved = getSavedConfiguration(snapshot);
  const vm: Vm = {
    ...currentVm(ctx, snapshot),
    ...saved,
    initialization: saved.initialization ?? {},
  };
  return { ...vm, ...showComputed(vm) };
}

const mergeable = new Set(['down', 'up', 'powering_up', 'paused', 'reboot_in_progress']);

const transitions: TransitionHandlers<'snapshot'> = {
  describe: (ctx, snapshot) => ({
    subjects: describeVmSubjects(ctx, ctx.tx.get('vm', snapshot.vm?.id ?? '') ?? {}),
    words: { SnapshotName: String(snapshot['description'] ?? '') },
  }),
  copies: { add: (_ctx, _snapshot, { data }) => getRecordedCopies(data) },
  devices: { add: copyRunningDisks },
  onEnd: {
    add(ctx, snapshot) {
      settleImages(ctx, snapshot);
      return snapshot;
    },
    remove(ctx, snapshot) {
      const disks = listSnapshotDisks(ctx, String(snapshot['id'])).map(
        ({ disk }) => disk?.id ?? '',
      );
      eraseSnapshot(ctx, snapshot);
      for (const id of disks) settleDisk(ctx, id);
      return undefined;
    },
  },
  onCopyFailure: {
    /** Restores the state of the snapshot and of its disks. */
    remove(ctx, snapshot) {
      for (const image of listSnapshotDisks(ctx, snapshot.id ?? '')) {
        ctx.tx.update('disk_snapshot', { ...image, status: 'ok' });
        settleDisk(ctx, image.disk?.id ?? '');
      }
      return { ...snapshot, snapshot_status: 'ok' };
    },
    /** Deletes the incomplete snapshot and restores the state of the disks. */
    add(ctx, snapshot, { data }) {
      for (const { from } of getRecordedCopies(data)) settleDisk(ctx, from);
      eraseSnapshot(ctx, snapshot);
      const vm = ctx.tx.get('vm', snapshot.vm?.id ?? '') ?? {};
      ctx.event('SNAPSHOT_FAILED', describeVmSubjects(ctx, vm), {
        SnapshotName: String(snapshot['description'] ?? ''),
      });
      return undefined;
    },
  },
};

export const snapshotBehavior = defineBehavior('snapshot', {
  lifecycle,
  addsAtOnce: true,
  transitions,

  beforeCreate(ctx, snapshot, ref, sent) {
    const vm = findOwnerVm(ctx, ref) ?? {};
    if (vm.status === 'image_locked') ctx.refuse('VM_IS_LOCKED', { action: 'create' });
    if (vm.status === 'migrating') ctx.refuse('VM_IS_MIGRATING', { action: 'snapshot' });
    requireSettledSnapshots(ctx, vm, 'create a snapshot of');
    requireNoPreview(ctx, vm, 'create a snapshot of');
    requireNoBackup(ctx, vm, 'create a snapshot of');
    if (findStatelessSnapshot(ctx, vm)) ctx.refuse('VM_IS_STATELESS', { action: 'snapshot' });
    requireDataCenter(ctx, vm, 'create a snapshot of');
    const only = sentDisks(ctx, vm, sent);
    requireFreeDisks(ctx, vm, 'create', only);
    const memory = savesMemory(ctx, vm, snapshot, only);
    const { description } = snapshot;
    const id = replaceActiveId(ctx, vm) ?? snapshot.id;
    replaceMembers(snapshot, {
      ...copyConfiguration(vm),
      id,
      description,
      vm: { id: vm.id ?? '' },
      date: ctx.timestamp,
      snapshot_type: 'regular',
      snapshot_status: 'locked',
      persist_memorystate: memory,
      ...(memory && ctx.site.hypervisor ? { saved_memory: ctx.site.newId() } : {}),
    });
  },

  afterCreate(ctx, { ref, object }, sent) {
    const vm = findOwnerVm(ctx, ref) ?? {};
    const copies = storeSnapshotContents(ctx, vm, object, sentDisks(ctx, vm, sent));
    move(ctx, ref.collection, object, 'add', { copies });
  },

  beforeDelete(ctx, { object, ref }) {
    const vm = findOwnerVm(ctx, ref) ?? {};
    if (object.snapshot_type !== 'regular')
      ctx.refuse('SNAPSHOT_NOT_REGULAR', { action: 'remove' });
    requireNoPreview(ctx, vm, 'remove a snapshot of');
    requireState(ctx, 'snapshot', object, 'remove');
    requireNoBackup(ctx, vm, 'remove a snapshot of');
    if (!mergeable.has(vm.status ?? '')) {
      ctx.refuse('VM_IS_NOT_DOWN_OR_UP', { action: 'remove a snapshot of', status: vm.status });
    }
    requireNotAttached(ctx, listSnapshotDisks(ctx, object.id ?? ''), 'remove', 'Snapshot');
    requireFreeDisks(ctx, vm, 'remove');
  },

  remove(ctx, { ref, object }) {
    for (const image of listSnapshotDisks(ctx, object.id ?? '')) {
      ctx.tx.update('disk_snapshot', { ...image, status: 'locked' });
      const disk = ctx.tx.get('disk', image.disk?.id ?? '');
      if (disk) ctx.tx.update('disk', { ...disk, status: 'locked' });
    }
    move(ctx, ref.collection, object, 'remove');
  },

  costly: ['initialization'],
  present: shownSnapshot,
  /** Engines respond to an add with a reference to the VM. */
  presentChanged: (ctx, { vm }, base) =>
    ctx.site.dialect.engineAnswers
      ? { vm: { id: vm?.id ?? '', href: base.slice(0, base.lastIndexOf('/snapshots/')) } }
      : {},

  actions: { restore },
});

/**
 * Gives the active snapshot of a VM a new id and returns the old one, in the dialect of engines:
 * there the new snapshot gets the id of the active one.
 */
function replaceActiveId(ctx: RuleContext, vm: Vm): string | undefined {
  const active = listSnapshots(ctx, vm).find(({ snapshot_type: type }) => type === 'active');
  if (!ctx.site.dialect.engineAnswers || !active?.id) return undefined;
  const collection = `/vms/${vm.id}/snapshots`;
  ctx.tx.remove('snapshot', active.id, collection);
  ctx.tx.insert('snapshot', collection, { ...active, id: ctx.site.newId() });
  return active.id;
}

/** Ids of the disks that the snapshot is restricted to; undefined for all of them. */
function sentDisks(ctx: RuleContext, vm: Vm, sent: Snapshot): ReadonlySet<string> | undefined {
  const attachments = sent.disk_attachments;
  if (!attachments || attachments.length === 0) return undefined;
  const ids = attachments.map(({ id, disk }) => disk?.id ?? id ?? '');
  const known = new Map(listSnapshotableDisks(ctx, vm).map(([disk]) => [disk.id, disk]));
  for (const id of ids) {
    if (known.has(id)) continue;
    const disk = ctx.tx.get('disk', id);
    const key = disk?.shareable || disk?.storage_type === 'lun';
    ctx.refuse(key ? 'DISK_SNAPSHOT_UNSUPPORTED' : 'DISKS_NOT_ATTACHED', {
      action: 'create',
      names: disk?.alias ?? id,
    });
  }
  return new Set(ids);
}

function move(
  ctx: RuleContext,
  collection: string,
  snapshot: Snapshot,
  operation: TransitionOf<'snapshot'>,
  data?: StoredObject,
): void {
  beginTransition(ctx, { kind: 'snapshot', collection, operation, data }, snapshot);
}

/** The disks of a snapshot: its images, or for the active snapshot the current disks. */
export const snapshotDiskBehavior = defineBehavior('snapshot_disk', {
  compute(ctx, ref) {
    const { snapshot, active } = findShownSnapshot(ctx, ref);
    const reference = { snapshot: { id: snapshot.id ?? '' } };
    if (active) {
      const vm = { id: snapshot.vm?.id ?? '' };
      return listSnapshotableDisks(ctx, vm).map(([disk]) => ({ ...disk, ...reference }));
    }
    return listSnapshotDisks(ctx, snapshot.id ?? '').map(({ disk, parent: _parent, ...image }) => ({
      ...image,
      ...reference,
      id: disk?.id ?? '',
    }));
  },
});

/** The saved NICs of the VM. */
export const snapshotNicBehavior = defineBehavior('snapshot_nic', {
  compute(ctx, ref) {
    const { snapshot, active } = findShownSnapshot(ctx, ref);
    if (active) return listNics(ctx, { id: snapshot.vm?.id ?? '' });
    return ctx.tx.list('snapshot_nic', { where: { collection: ref.collection } });
  },
});

/** The saved CD drive of the VM. */
export const snapshotCdromBehavior = defineBehavior('snapshot_cdrom', {
  compute(ctx, ref) {
    const { snapshot, active } = findShownSnapshot(ctx, ref);
    return active
      ? ctx.tx.list('cdrom', { where: { collection: `/vms/${snapshot.vm?.id}/cdroms` } })
      : ctx.tx.list('snapshot_cdrom', { where: { collection: ref.collection } });
  },
});

function findShownSnapshot(
  ctx: RuleContext,
  ref: CollectionRef,
): { snapshot: Snapshot; active: boolean } {
  const snapshot = ctx.tx.get('snapshot', ref.owner?.id ?? '') ?? {};
  return { snapshot, active: snapshot.snapshot_type === 'active' };
}
