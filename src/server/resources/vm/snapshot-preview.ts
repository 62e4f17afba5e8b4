/** Preview, commit, undo and restore of snapshots; stateless runs. */
import type { ActionBody } from '../../../model/resource.ts';
import type { Addressed } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import type { ImageCopy, TransitionData, TransitionOf } from '../../core/transition-handlers.ts';
import { requireState } from '../../core/transitions.ts';
import { notedCopies } from '../../inventory/disk-transitions.ts';
import { requireNotAttached } from '../../inventory/snapshot-attachment.ts';
import {
  previewed,
  requireNoBackup,
  requireNoPreview,
  requireSettledSnapshots,
} from '../../inventory/snapshot-checks.ts';
import {
  configurationOf,
  eraseSnapshot,
  imagesOf,
  keep,
  keepMemory,
  keepsMemory,
  pathOf,
  savedConfiguration,
  settleCopied,
  settleDisk,
  settleImages,
} from '../../inventory/snapshot-contents.ts';
import {
  attachmentsOf,
  moveVm,
  nicsOf,
  notStarted,
  snapshotsOf,
  subjects,
  type Vm,
} from '../../inventory/vm.ts';
import { valueAt } from '../../store/kinds.ts';
import type { ObjectOf } from '../../store/transaction.ts';

type Snapshot = ObjectOf<'snapshot'>;
type Target = Addressed<'vm'>;

/** Begins a preview: the present is kept first, then the disks become those of the snapshot. */
export function preview(ctx: RuleContext, { object: vm }: Target, body: ActionBody): undefined {
  requireState(ctx, 'vm', vm, 'preview_snapshot');
  const id = body.snapshot?.id ?? '';
  const snapshot = ctx.tx.get('snapshot', id, `/vms/${vm.id}/snapshots`);
  if (!snapshot) ctx.refuse('SNAPSHOT_DOES_NOT_EXIST', { action: 'preview', type: 'Snapshot' });
  if (snapshot.snapshot_type === 'active') ctx.refuse('SNAPSHOT_IS_ACTIVE', { action: 'preview' });
  requireFree(ctx, vm, 'preview');
  const only = namedDisks(body);
  const present: Snapshot = {
    ...configurationOf(vm),
    id: ctx.site.newId(),
    description: 'Active VM before the preview',
    date: ctx.timestamp,
    snapshot_type: 'preview',
    snapshot_status: 'ok',
    persist_memorystate: keepsMemory(ctx, vm),
    vm: { id: vm.id ?? '' },
  };
  ctx.tx.insert('snapshot', `/vms/${vm.id}/snapshots`, present);
  const copies = keep(ctx, vm, present);
  ctx.tx.update('snapshot', { ...snapshot, snapshot_status: 'in_preview' });
  const messageParams = { SnapshotName: snapshot.description };
  const memory = wantsMemory(snapshot, body);
  moveVm(ctx, vm, 'preview_snapshot', { copies, snapshot: id, only, memory, words: messageParams });
  return undefined;
}

/** The present is kept: now the bytes of the snapshot. */
export function presentKept(ctx: RuleContext, vm: Vm, data: TransitionData = {}): Vm {
  const { snapshot: id = '', only, memory, words: messageParams } = data;
  const stored = snapshotsOf(ctx, vm).find((one) => one.snapshot_type === 'preview');
  if (stored) settleImages(ctx, stored);
  const snapshot = ctx.tx.get('snapshot', id) ?? {};
  const copies = copiesBack(ctx, snapshot, only ? new Set(only) : undefined);
  return (
    moveVm(ctx, vm, 'show_snapshot', { copies, snapshot: id, memory, words: messageParams }) ?? vm
  );
}

/** The disks have the bytes of the snapshot: the rest of the machine follows. */
export function shown(ctx: RuleContext, vm: Vm, data: TransitionData | undefined): Vm {
  const snapshot = ctx.tx.get('snapshot', String(data?.['snapshot'] ?? '')) ?? {};
  keepMemory(ctx, vm, data?.['memory'] === true);
  settleCopied(ctx, notedCopies(data));
  return goBack(ctx, vm, snapshot);
}

/** Keeps what is previewed: the present before and what came later are gone. */
export function commit(ctx: RuleContext, { object: vm }: Target): undefined {
  requireState(ctx, 'vm', vm, 'commit_snapshot');
  const snapshot = previewed(ctx, vm);
  if (!snapshot) ctx.refuse('SNAPSHOT_NOT_IN_PREVIEW', { action: 'commit' });
  requireNoneAttached(ctx, vm, 'commit');
  moveVm(ctx, vm, 'commit_snapshot', { words: { SnapshotName: snapshot.description } });
  return undefined;
}

/** The end of a commit. */
export function committed(ctx: RuleContext, vm: Vm): Vm {
  const snapshot = previewed(ctx, vm);
  if (snapshot) forgetLater(ctx, vm, snapshot);
  return vm;
}

function forgetLater(ctx: RuleContext, vm: Vm, snapshot: Snapshot): void {
  const all = snapshotsOf(ctx, vm);
  // In the order in which they were taken: times of two may be the same.
  const ref = all.findIndex(({ id }) => id === snapshot.id);
  for (const [index, other] of all.entries()) {
    const later = other.snapshot_type === 'regular' && index > ref;
    if (later || other.snapshot_type === 'preview') eraseSnapshot(ctx, other);
  }
  ctx.tx.update('snapshot', { ...snapshot, snapshot_status: 'ok' });
}

/** Goes back to the present. */
export function undo(ctx: RuleContext, { object: vm }: Target): undefined {
  requireState(ctx, 'vm', vm, 'undo_snapshot');
  const present = snapshotsOf(ctx, vm).find((one) => one.snapshot_type === 'preview');
  if (!present) ctx.refuse('SNAPSHOT_NOT_IN_PREVIEW', { action: 'undo' });
  const messageParams = { SnapshotName: present.description };
  moveVm(ctx, vm, 'undo_snapshot', { copies: copiesBack(ctx, present), words: messageParams });
  return undefined;
}

/** The disks are what they were: so is the rest. */
export function undone(ctx: RuleContext, vm: Vm, data: TransitionData | undefined): Vm {
  settleCopied(ctx, notedCopies(data));
  const snapshot = previewed(ctx, vm);
  if (snapshot) ctx.tx.update('snapshot', { ...snapshot, snapshot_status: 'ok' });
  const present = snapshotsOf(ctx, vm).find((one) => one.snapshot_type === 'preview');
  if (!present) return vm;
  keepMemory(ctx, vm, present.persist_memorystate === true);
  const back = goBack(ctx, vm, present);
  eraseSnapshot(ctx, present);
  return back;
}

/** Restores a snapshot for good, in one go. */
export function restore(
  ctx: RuleContext,
  { object: snapshot }: Addressed<'snapshot'>,
  body: ActionBody,
): undefined {
  const vm = ctx.tx.get('vm', snapshot.vm?.id ?? '') ?? {};
  if (snapshot.snapshot_type === 'active') ctx.refuse('SNAPSHOT_IS_ACTIVE', { action: 'restore' });
  requireState(ctx, 'vm', vm, 'preview_snapshot');
  requireFree(ctx, vm, 'restore');
  requireState(ctx, 'snapshot', snapshot, 'restore');
  requireNoneAttached(ctx, vm, 'restore');
  ctx.tx.update('snapshot', { ...snapshot, snapshot_status: 'in_preview' });
  const only = namedDisks(body);
  const copies = copiesBack(ctx, snapshot, only ? new Set(only) : undefined);
  const messageParams = { SnapshotName: snapshot.description };
  const memory = wantsMemory(snapshot, body);
  moveVm(ctx, vm, 'restore_snapshot', {
    copies,
    snapshot: snapshot.id,
    memory,
    words: messageParams,
  });
  return undefined;
}

/** The end of a restore. */
export function restored(ctx: RuleContext, vm: Vm, data: TransitionData | undefined): Vm {
  const snapshot = ctx.tx.get('snapshot', String(data?.['snapshot'] ?? '')) ?? {};
  keepMemory(ctx, vm, data?.['memory'] === true);
  settleCopied(ctx, notedCopies(data));
  const back = goBack(ctx, vm, snapshot);
  forgetLater(ctx, vm, snapshot);
  return back;
}

/** Whether the memory that a snapshot holds is to come back with it. */
function wantsMemory(snapshot: Snapshot, body: ActionBody): boolean {
  return body['restore_memory'] === true && snapshot.persist_memorystate === true;
}

function requireFree(ctx: RuleContext, vm: Vm, action: string): void {
  requireNoPreview(ctx, vm, action);
  requireSettledSnapshots(ctx, vm, action);
  requireNoBackup(ctx, vm, action);
}

/** Later snapshots go: nobody else may have their disks. */
function requireNoneAttached(ctx: RuleContext, vm: Vm, action: string): void {
  const images = snapshotsOf(ctx, vm).flatMap(({ id }) => imagesOf(ctx, id ?? ''));
  requireNotAttached(ctx, images, action, 'Snapshot');
}

function namedDisks(body: ActionBody): string[] | undefined {
  const disks = body['disks'];
  return disks && disks.length > 0 ? disks.map(({ id }) => id ?? '') : undefined;
}

/** Configuration, interfaces and attachments as a snapshot has them; its disks are free. */
function goBack(ctx: RuleContext, vm: Vm, snapshot: Snapshot): Vm {
  const path = pathOf(snapshot);
  const images = imagesOf(ctx, snapshot.id ?? '');
  for (const image of images) settleDisk(ctx, image.disk?.id ?? '');
  for (const nic of nicsOf(ctx, vm)) ctx.tx.remove('nic', nic.id ?? '', `/vms/${vm.id}/nics`);
  for (const nic of ctx.tx.list('snapshot_nic', { where: { collection: `${path}/nics` } })) {
    ctx.tx.insert('nic', `/vms/${vm.id}/nics`, nic);
  }
  const collection = `/vms/${vm.id}/diskattachments`;
  const stored = ctx.tx.list('snapshot_attachment', {
    where: { collection: `${path}/diskattachments` },
  });
  const known = new Set(stored.map(({ id }) => id));
  for (const attachment of attachmentsOf(ctx, vm)) {
    const disk = ctx.tx.get('disk', attachment.id ?? '');
    // Disks that no snapshot can keep stay as they are.
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
  return { ...vm, ...savedConfiguration(snapshot), cluster: vm.cluster ?? {} };
}

/** The snapshot that a stateless run goes back to. */
export function statelessSnapshot(ctx: RuleContext, vm: Vm): Snapshot | undefined {
  return snapshotsOf(ctx, vm).find((one) => one.snapshot_type === 'stateless');
}

/** Keeps the disks as they are, then starts. What an earlier run left behind is replaced first. */
export function beginStatelessRun(ctx: RuleContext, vm: Vm, operation: TransitionOf<'vm'>): void {
  ctx.event('VM_RUN_INITIATED', subjects(ctx, vm));
  const left = statelessSnapshot(ctx, vm);
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
  const copies = keep(ctx, vm, snapshot);
  const { host, ...waiting } = vm;
  moveVm(ctx, waiting, 'keep_state', { copies, host, operation });
}

/** The disks are kept: the machine starts on the host that was chosen for it. */
export function stateKept(ctx: RuleContext, vm: Vm, data: TransitionData | undefined): Vm {
  const host = String(valueAt(data, ['host', 'id']));
  settleCopied(ctx, notedCopies(data));
  const snapshot = statelessSnapshot(ctx, vm);
  if (snapshot) {
    settleImages(ctx, snapshot);
    ctx.tx.update('snapshot', { ...snapshot, snapshot_status: 'ok' });
  }
  return moveVm(ctx, { ...vm, host: { id: host } }, data?.operation ?? 'start') ?? vm;
}

/** After a stateless run: the machine is locked while its disks become what they were. */
export function dropState(ctx: RuleContext, vm: Vm): Vm {
  const snapshot = statelessSnapshot(ctx, vm);
  if (!snapshot) return vm;
  return moveVm(ctx, vm, 'drop_state', { copies: copiesBack(ctx, snapshot) }) ?? vm;
}

/** What is copied to make the disks of a machine what a snapshot has. */
function copiesBack(ctx: RuleContext, snapshot: Snapshot, only?: ReadonlySet<string>): ImageCopy[] {
  return imagesOf(ctx, snapshot.id ?? '').flatMap((image) => {
    const id = image.disk?.id ?? '';
    const disk = ctx.tx.get('disk', id);
    if (!disk || (only && !only.has(id))) return [];
    ctx.tx.update('disk', { ...disk, status: 'locked' });
    return [{ from: image.id ?? '', to: id, together: true }];
  });
}

/** The disks are what they were. */
export function stateDropped(ctx: RuleContext, vm: Vm, data: TransitionData | undefined): Vm {
  const snapshot = statelessSnapshot(ctx, vm);
  if (!snapshot) return vm;
  settleCopied(ctx, notedCopies(data));
  eraseSnapshot(ctx, snapshot);
  return vm;
}

/**
 * The VM after copies for a snapshot have failed: down, as before. The disks have their bytes still, because copies
 * of snapshots replace all of them or none.
 */
function asBefore(ctx: RuleContext, vm: Vm, data: TransitionData | undefined): Vm {
  for (const { from, to } of notedCopies(data)) for (const id of [from, to]) settleDisk(ctx, id);
  return { ...vm, status: 'down' };
}

/** A preview or restore has failed: the VM shows the present, and nothing of the attempt is left. */
export function notShown(ctx: RuleContext, vm: Vm, data: TransitionData | undefined): Vm {
  const before = asBefore(ctx, vm, data);
  const all = snapshotsOf(ctx, vm);
  for (const one of all.filter(({ snapshot_type: type }) => type === 'preview')) {
    for (const image of imagesOf(ctx, one.id ?? '')) settleDisk(ctx, image.disk?.id ?? '');
    eraseSnapshot(ctx, one);
  }
  for (const one of all.filter(({ snapshot_status: status }) => status === 'in_preview')) {
    ctx.tx.update('snapshot', { ...one, snapshot_status: 'ok' });
  }
  return before;
}

/** The return to the present has failed: the snapshot stays in preview, and the return can be repeated. */
export const notUndone = asBefore;

/** The disks of a stateless run were not kept: it does not start. A snapshot of an earlier run stays. */
export function stateNotKept(ctx: RuleContext, vm: Vm, data: TransitionData | undefined): Vm {
  const snapshot = statelessSnapshot(ctx, vm);
  if (snapshot?.snapshot_status === 'locked') eraseSnapshot(ctx, snapshot);
  return notStarted(asBefore(ctx, vm, data), 'down');
}

/** The disks keep the changes of a stateless run: its snapshot stays, and the next run begins with its content. */
export const stateNotDropped = asBefore;
