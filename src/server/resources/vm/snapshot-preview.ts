/** Preview, commit, undo and restore of snapshots; stateless runs. */
import type { ActionBody } from '../../../model/resource.ts';
import type { LocatedObject } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import type { ImageCopy, TransitionData, TransitionOf } from '../../core/transition-handlers.ts';
import { requireState } from '../../core/transitions.ts';
import { getRecordedCopies } from '../../inventory/disk-transitions.ts';
import { requireNotAttached } from '../../inventory/snapshot-attachment.ts';
import {
  findPreviewed,
  requireNoBackup,
  requireNoPreview,
  requireSettledSnapshots,
} from '../../inventory/snapshot-checks.ts';
import {
  copyConfiguration,
  eraseSnapshot,
  formatSnapshotPath,
  getSavedConfiguration,
  getSavedMemory,
  hasSavedMemory,
  listSnapshotDisks,
  setSavedMemory,
  settleCopied,
  settleDisk,
  settleImages,
  storeSnapshotContents,
} from '../../inventory/snapshot-contents.ts';
import {
  describeVmSubjects,
  listDiskAttachments,
  listNics,
  listSnapshots,
  moveVm,
  resetFailedStart,
  type Vm,
} from '../../inventory/vm.ts';
import { getValueAt } from '../../store/kinds.ts';
import type { ObjectOf } from '../../store/transaction.ts';
import { requireUsableMemory } from './snapshot-memory.ts';

type Snapshot = ObjectOf<'snapshot'>;
type Target = LocatedObject<'vm'>;

/** Starts a preview: saves the current state, then copies the disks of the snapshot. */
export function preview(ctx: RuleContext, { object: vm }: Target, body: ActionBody): undefined {
  requireState(ctx, 'vm', vm, 'preview_snapshot');
  const id = body.snapshot?.id ?? '';
  const snapshot = ctx.tx.get('snapshot', id, `/vms/${vm.id}/snapshots`);
  if (!snapshot) ctx.refuse('SNAPSHOT_DOES_NOT_EXIST', { action: 'preview', type: 'Snapshot' });
  if (snapshot.snapshot_type === 'active') ctx.refuse('SNAPSHOT_IS_ACTIVE', { action: 'preview' });
  requireFree(ctx, vm, 'preview');
  const only = namedDisks(body);
  const wanted = wantsMemory(ctx, snapshot, body, only);
  const saved = getSavedMemory(ctx, vm);
  const present: Snapshot = {
    ...copyConfiguration(vm),
    id: ctx.site.newId(),
    description: 'Active VM before the preview',
    date: ctx.timestamp,
    snapshot_type: 'preview',
    snapshot_status: 'ok',
    persist_memorystate: hasSavedMemory(ctx, vm),
    ...(saved === undefined ? {} : { saved_memory: saved }),
    vm: { id: vm.id ?? '' },
  };
  ctx.tx.insert('snapshot', `/vms/${vm.id}/snapshots`, present);
  const copies = storeSnapshotContents(ctx, vm, present);
  ctx.tx.update('snapshot', { ...snapshot, snapshot_status: 'in_preview' });
  const messageParams = { SnapshotName: snapshot.description };
  moveVm(ctx, vm, 'preview_snapshot', {
    ...{ copies, snapshot: id, only, memory: wanted, words: messageParams },
  });
  return undefined;
}

/** Copies the disks of the snapshot after the current state is saved. */
export function copyPreviewed(ctx: RuleContext, vm: Vm, data: TransitionData = {}): Vm {
  const { snapshot: id = '', only, memory, words: messageParams } = data;
  const stored = listSnapshots(ctx, vm).find((one) => one.snapshot_type === 'preview');
  if (stored) settleImages(ctx, stored);
  const snapshot = ctx.tx.get('snapshot', id) ?? {};
  const copies = copiesBack(ctx, snapshot, only ? new Set(only) : undefined);
  return (
    moveVm(ctx, vm, 'show_snapshot', { copies, snapshot: id, memory, words: messageParams }) ?? vm
  );
}

/** Applies the configuration of the snapshot after its disks are copied. */
export function finishPreview(ctx: RuleContext, vm: Vm, data: TransitionData | undefined): Vm {
  const snapshot = ctx.tx.get('snapshot', String(data?.['snapshot'] ?? '')) ?? {};
  setSavedMemory(ctx, vm, data?.['memory'] === true ? snapshot : undefined);
  settleCopied(ctx, getRecordedCopies(data));
  return applySnapshot(ctx, vm, snapshot);
}

/** Commits the preview: deletes the previous state and all later snapshots. */
export function commit(ctx: RuleContext, { object: vm }: Target): undefined {
  requireState(ctx, 'vm', vm, 'commit_snapshot');
  const snapshot = findPreviewed(ctx, vm);
  if (!snapshot) ctx.refuse('SNAPSHOT_NOT_IN_PREVIEW', { action: 'commit' });
  requireNoneAttached(ctx, vm, 'commit');
  moveVm(ctx, vm, 'commit_snapshot', { words: { SnapshotName: snapshot.description } });
  return undefined;
}

/** Ends a commit. */
export function finishCommit(ctx: RuleContext, vm: Vm): Vm {
  const snapshot = findPreviewed(ctx, vm);
  if (snapshot) deleteLater(ctx, vm, snapshot);
  return vm;
}

function deleteLater(ctx: RuleContext, vm: Vm, snapshot: Snapshot): void {
  const all = listSnapshots(ctx, vm);
  // In creation order, because two snapshots may have the same time.
  const ref = all.findIndex(({ id }) => id === snapshot.id);
  for (const [index, other] of all.entries()) {
    const later = other.snapshot_type === 'regular' && index > ref;
    if (later || other.snapshot_type === 'preview') eraseSnapshot(ctx, other);
  }
  ctx.tx.update('snapshot', { ...snapshot, snapshot_status: 'ok' });
}

/** Starts the return to the state before the preview. */
export function undo(ctx: RuleContext, { object: vm }: Target): undefined {
  requireState(ctx, 'vm', vm, 'undo_snapshot');
  const present = listSnapshots(ctx, vm).find((one) => one.snapshot_type === 'preview');
  if (!present) ctx.refuse('SNAPSHOT_NOT_IN_PREVIEW', { action: 'undo' });
  const messageParams = { SnapshotName: present.description };
  moveVm(ctx, vm, 'undo_snapshot', { copies: copiesBack(ctx, present), words: messageParams });
  return undefined;
}

/** Restores the configuration after the disks are restored. */
export function finishUndo(ctx: RuleContext, vm: Vm, data: TransitionData | undefined): Vm {
  settleCopied(ctx, getRecordedCopies(data));
  const snapshot = findPreviewed(ctx, vm);
  if (snapshot) ctx.tx.update('snapshot', { ...snapshot, snapshot_status: 'ok' });
  const present = listSnapshots(ctx, vm).find((one) => one.snapshot_type === 'preview');
  if (!present) return vm;
  setSavedMemory(ctx, vm, present);
  const back = applySnapshot(ctx, vm, present);
  eraseSnapshot(ctx, present);
  return back;
}

/** Restores a snapshot permanently, without a preview. */
export function restore(
  ctx: RuleContext,
  { object: snapshot }: LocatedObject<'snapshot'>,
  body: ActionBody,
): undefined {
  const vm = ctx.tx.get('vm', snapshot.vm?.id ?? '') ?? {};
  if (snapshot.snapshot_type === 'active') ctx.refuse('SNAPSHOT_IS_ACTIVE', { action: 'restore' });
  requireState(ctx, 'vm', vm, 'preview_snapshot');
  requireFree(ctx, vm, 'restore');
  requireState(ctx, 'snapshot', snapshot, 'restore');
  requireNoneAttached(ctx, vm, 'restore');
  const only = namedDisks(body);
  const memory = wantsMemory(ctx, snapshot, body, only);
  ctx.tx.update('snapshot', { ...snapshot, snapshot_status: 'in_preview' });
  const copies = copiesBack(ctx, snapshot, only ? new Set(only) : undefined);
  const messageParams = { SnapshotName: snapshot.description };
  moveVm(ctx, vm, 'restore_snapshot', {
    copies,
    snapshot: snapshot.id,
    memory,
    words: messageParams,
  });
  return undefined;
}

/** Ends a restore. */
export function finishRestore(ctx: RuleContext, vm: Vm, data: TransitionData | undefined): Vm {
  const snapshot = ctx.tx.get('snapshot', String(data?.['snapshot'] ?? '')) ?? {};
  setSavedMemory(ctx, vm, data?.['memory'] === true ? snapshot : undefined);
  settleCopied(ctx, getRecordedCopies(data));
  const back = applySnapshot(ctx, vm, snapshot);
  deleteLater(ctx, vm, snapshot);
  return back;
}

/** Whether the saved memory of a snapshot is requested and available, with the disks in `only`. */
function wantsMemory(
  ctx: RuleContext,
  snapshot: Snapshot,
  body: ActionBody,
  only: readonly string[] | undefined,
): boolean {
  if (body['restore_memory'] !== true || snapshot.persist_memorystate !== true) return false;
  requireUsableMemory(ctx, snapshot, only);
  return true;
}

function requireFree(ctx: RuleContext, vm: Vm, action: string): void {
  requireNoPreview(ctx, vm, action);
  requireSettledSnapshots(ctx, vm, action);
  requireNoBackup(ctx, vm, action);
}

/** Requires that no other VM has attached disks of later snapshots, which are deleted. */
function requireNoneAttached(ctx: RuleContext, vm: Vm, action: string): void {
  const images = listSnapshots(ctx, vm).flatMap(({ id }) => listSnapshotDisks(ctx, id ?? ''));
  requireNotAttached(ctx, images, action, 'Snapshot');
}

function namedDisks(body: ActionBody): string[] | undefined {
  const disks = body['disks'];
  return disks && disks.length > 0 ? disks.map(({ id }) => id ?? '') : undefined;
}

/** Restores configuration, NICs and attachments from a snapshot, and unlocks its disks. */
function applySnapshot(ctx: RuleContext, vm: Vm, snapshot: Snapshot): Vm {
  const path = formatSnapshotPath(snapshot);
  const images = listSnapshotDisks(ctx, snapshot.id ?? '');
  for (const image of images) settleDisk(ctx, image.disk?.id ?? '');
  for (const nic of listNics(ctx, vm)) ctx.tx.remove('nic', nic.id ?? '', `/vms/${vm.id}/nics`);
  for (const nic of ctx.tx.list('snapshot_nic', { where: { collection: `${path}/nics` } })) {
    ctx.tx.insert('nic', `/vms/${vm.id}/nics`, nic);
  }
  const collection = `/vms/${vm.id}/diskattachments`;
  const stored = ctx.tx.list('snapshot_attachment', {
    where: { collection: `${path}/diskattachments` },
  });
  const known = new Set(stored.map(({ id }) => id));
  for (const attachment of listDiskAttachments(ctx, vm)) {
    const disk = ctx.tx.get('disk', attachment.id ?? '');
    // Disks that snapshots exclude remain unchanged.
    if (disk?.shareable || disk?.storage_type === 'lun') continue;
    if (!known.has(attachment.id))
      ctx.tx.remove('disk_attachment', attachment.id ?? '', collection);
  }
  for (const attachment of stored) {
    const id = attachment.id ?? '';
    if (ctx.tx.get('disk_attachment', id, collection)) {
      ctx.tx.update('disk_attachment', attachment, collection);
    } else if (ctx.tx.get('disk', id)) ctx.tx.insert('disk_attachment', collection, attachment);
  }
  return { ...vm, ...getSavedConfiguration(snapshot), cluster: vm.cluster ?? {} };
}

/** The snapshot that a stateless run restores. */
export function findStatelessSnapshot(ctx: RuleContext, vm: Vm): Snapshot | undefined {
  return listSnapshots(ctx, vm).find((one) => one.snapshot_type === 'stateless');
}

/** Saves the disks and then starts. Replaces the snapshot of an earlier run. */
export function beginStatelessRun(ctx: RuleContext, vm: Vm, operation: TransitionOf<'vm'>): void {
  ctx.event('VM_RUN_INITIATED', describeVmSubjects(ctx, vm));
  const left = findStatelessSnapshot(ctx, vm);
  if (left) {
    const { host, ...waiting } = vm;
    moveVm(ctx, waiting, 'keep_state', { copies: copiesBack(ctx, left), host, operation });
    return;
  }
  const snapshot: Snapshot = {
    id: ctx.site.newId(),
    description: 'Stateless snapshot',
    date: ctx.timestamp,
    snapshot_type: 'stateless',
    snapshot_status: 'locked',
    persist_memorystate: false,
    vm: { id: vm.id ?? '' },
  };
  ctx.tx.insert('snapshot', `/vms/${vm.id}/snapshots`, snapshot);
  const copies = storeSnapshotContents(ctx, vm, snapshot);
  const { host, ...waiting } = vm;
  moveVm(ctx, waiting, 'keep_state', { copies, host, operation });
}

/** Starts the VM on its chosen host after the disks are saved. */
export function startStateless(ctx: RuleContext, vm: Vm, data: TransitionData | undefined): Vm {
  const host = String(getValueAt(data, ['host', 'id']));
  settleCopied(ctx, getRecordedCopies(data));
  const snapshot = findStatelessSnapshot(ctx, vm);
  if (snapshot) {
    settleImages(ctx, snapshot);
    ctx.tx.update('snapshot', { ...snapshot, snapshot_status: 'ok' });
  }
  return moveVm(ctx, { ...vm, host: { id: host } }, data?.operation ?? 'start') ?? vm;
}

/** After a stateless run: locks the VM while its disks are restored. */
export function dropState(ctx: RuleContext, vm: Vm): Vm {
  const snapshot = findStatelessSnapshot(ctx, vm);
  if (!snapshot) return vm;
  return moveVm(ctx, vm, 'drop_state', { copies: copiesBack(ctx, snapshot) }) ?? vm;
}

/** The copies that restore the disks of a snapshot. */
function copiesBack(ctx: RuleContext, snapshot: Snapshot, only?: ReadonlySet<string>): ImageCopy[] {
  return listSnapshotDisks(ctx, snapshot.id ?? '').flatMap((image) => {
    const id = image.disk?.id ?? '';
    const disk = ctx.tx.get('disk', id);
    if (!disk || (only && !only.has(id))) return [];
    ctx.tx.update('disk', { ...disk, status: 'locked' });
    return [{ from: image.id ?? '', to: id, together: true }];
  });
}

/** Deletes the stateless snapshot after the disks are restored. */
export function deleteStateless(ctx: RuleContext, vm: Vm, data: TransitionData | undefined): Vm {
  const snapshot = findStatelessSnapshot(ctx, vm);
  if (!snapshot) return vm;
  settleCopied(ctx, getRecordedCopies(data));
  eraseSnapshot(ctx, snapshot);
  return vm;
}

/**
 * The VM after failed copies for a snapshot: down, as before. The disks keep their content, because
 * copies of snapshots replace all of them or none.
 */
function restoreAfterFailure(ctx: RuleContext, vm: Vm, data: TransitionData | undefined): Vm {
  for (const { from, to } of getRecordedCopies(data))
    for (const id of [from, to]) settleDisk(ctx, id);
  return { ...vm, status: 'down' };
}

/** The VM after a failed preview or restore: the previous state, without remains of the attempt. */
export function failPreview(ctx: RuleContext, vm: Vm, data: TransitionData | undefined): Vm {
  const before = restoreAfterFailure(ctx, vm, data);
  const all = listSnapshots(ctx, vm);
  for (const one of all.filter(({ snapshot_type: type }) => type === 'preview')) {
    for (const image of listSnapshotDisks(ctx, one.id ?? '')) settleDisk(ctx, image.disk?.id ?? '');
    eraseSnapshot(ctx, one);
  }
  for (const one of all.filter(({ snapshot_status: status }) => status === 'in_preview')) {
    ctx.tx.update('snapshot', { ...one, snapshot_status: 'ok' });
  }
  return before;
}

/**
 * After a failed return to the previous state, the snapshot remains in preview, and the return can
 * be repeated.
 */
export const failUndo = restoreAfterFailure;

/**
 * The disks of a stateless run could not be saved: it does not start. A snapshot of an earlier run
 * remains.
 */
export function failStateless(ctx: RuleContext, vm: Vm, data: TransitionData | undefined): Vm {
  const snapshot = findStatelessSnapshot(ctx, vm);
  if (snapshot?.snapshot_status === 'locked') eraseSnapshot(ctx, snapshot);
  return resetFailedStart(restoreAfterFailure(ctx, vm, data), 'down');
}

/**
 * The disks keep the changes of a stateless run: its snapshot stays, and the next run begins with
 * its content.
 */
export const keepStateless = restoreAfterFailure;
