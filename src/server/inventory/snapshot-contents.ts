/** Contents of a snapshot: disk images, attachments, devices, configuration, memory. */

import type { Resource } from '../../model/resource.ts';
import type { RuleContext } from '../core/context.ts';
import type { ImageCopy } from '../core/transition-handlers.ts';
import type { StoredObject } from '../store/kinds.ts';
import type { ObjectOf } from '../store/transaction.ts';
import { findStorageDomain } from './disk.ts';
import type { CopySource } from './disk-transitions.ts';
import { getAttachedSnapshot } from './snapshot-attachment.ts';
import { measureAllocated, updateSizes } from './storage-space.ts';
import { listDiskAttachments, listNics, listSnapshots, type Vm } from './vm.ts';
import { configuration } from './vm-configuration.ts';

/** Whether a VM resumes from saved memory at its next start. */
export function hasSavedMemory(ctx: RuleContext, vm: Vm): boolean {
  return findActive(ctx, vm)?.persist_memorystate === true;
}

/** Id of the memory that a real VM loads at its next start; undefined without one. */
export function getSavedMemory(ctx: RuleContext, vm: Vm): string | undefined {
  return findActive(ctx, vm)?.saved_memory;
}

/** Records the snapshot whose memory the VM loads at its next start; undefined for none. */
export function setSavedMemory(ctx: RuleContext, vm: Vm, source: Snapshot | undefined): void {
  const active = findActive(ctx, vm);
  if (!active) return;
  const { saved_memory: before, ...rest } = active;
  const { persist_memorystate: stored = false, saved_memory: memory } = source ?? {};
  if (rest.persist_memorystate === stored && before === memory) return;
  const id = memory === undefined ? {} : { saved_memory: memory };
  ctx.tx.update('snapshot', { ...rest, persist_memorystate: stored, ...id });
}

function findActive(ctx: RuleContext, vm: Vm) {
  return listSnapshots(ctx, vm).find(({ snapshot_type: type }) => type === 'active');
}

type Snapshot = ObjectOf<'snapshot'>;
type Disk = Resource<'disk'>;
type Attachment = ObjectOf<'disk_attachment'>;

/** Path of a snapshot. */
export function formatSnapshotPath(snapshot: Snapshot): string {
  return `/vms/${snapshot.vm?.id}/snapshots/${snapshot.id}`;
}

/** The configuration of a VM for a snapshot or template. */
export function copyConfiguration(vm: Vm): StoredObject {
  const names = [...configuration, 'cluster', 'original_template', 'instance_type', 'origin'];
  const source: StoredObject = vm;
  return structuredClone(
    Object.fromEntries(names.flatMap((name) => (name in source ? [[name, source[name]]] : []))),
  );
}

/** The configuration of the VM in a snapshot. The description belongs to the snapshot. */
export function getSavedConfiguration(snapshot: Snapshot): StoredObject {
  const { description: _own, ...configuration } = copyConfiguration(snapshot);
  return configuration;
}

/** Adds the snapshot entry for the active state of a VM. */
export function addActiveSnapshot(ctx: RuleContext, vm: Vm, id = ctx.site.newId()): void {
  ctx.tx.insert('snapshot', `/vms/${vm.id}/snapshots`, {
    id,
    description: 'Active VM',
    date: ctx.timestamp,
    snapshot_type: 'active',
    snapshot_status: 'ok',
    persist_memorystate: false,
    vm: { id: vm.id ?? '' },
  });
}

/** Disks that snapshots include. */
export function listSnapshotableDisks(ctx: RuleContext, vm: Vm): [Disk, Attachment][] {
  return listDiskAttachments(ctx, vm).flatMap((attachment) => {
    if (getAttachedSnapshot(attachment)) return [];
    const disk = ctx.tx.get('disk', attachment.id ?? '');
    const stored = disk && disk.storage_type !== 'lun' && !disk.shareable;
    return stored ? [[disk, attachment] satisfies [Disk, Attachment]] : [];
  });
}

/**
 * Stores the contents of a snapshot, with the disks in `only`. Locks the disks. Returns the copies
 * to make.
 */
export function storeSnapshotContents(
  ctx: RuleContext,
  vm: Vm,
  snapshot: Snapshot,
  only?: ReadonlySet<string>,
): ImageCopy[] {
  const path = formatSnapshotPath(snapshot);
  for (const nic of listNics(ctx, vm)) ctx.tx.insert('snapshot_nic', `${path}/nics`, nic);
  const cdroms = ctx.tx.list('cdrom', { where: { collection: `/vms/${vm.id}/cdroms` } });
  for (const cdrom of cdroms) ctx.tx.insert('snapshot_cdrom', `${path}/cdroms`, cdrom);
  return listSnapshotableDisks(ctx, vm).flatMap(([disk, attachment]) => {
    const id = disk.id ?? '';
    if (only && !only.has(id)) return [];
    const image = imageToKeep(ctx, disk);
    ctx.tx.insert('disk_snapshot', `/disks/${id}/disksnapshots`, {
      ...disk,
      id: image,
      image_id: image,
      status: 'locked',
      disk: { id },
      snapshot: { id: snapshot.id ?? '' },
    });
    ctx.tx.insert('snapshot_attachment', `${path}/diskattachments`, attachment);
    ctx.tx.update('disk', { ...disk, image_id: ctx.site.newId(), status: 'locked' });
    return [{ from: id, to: image }];
  });
}

/**
 * The id of the image in a snapshot: that of the disk, which gets a new one. Clients can choose
 * image ids, so an id that is already in use is replaced.
 */
function imageToKeep(ctx: RuleContext, { image_id: id }: Disk): string {
  const isFree =
    id !== undefined &&
    !ctx.tx.get('disk', id) &&
    !ctx.tx.get('disk_snapshot', id) &&
    ctx.site.images.sizes(id).length === 0;
  return isFree ? id : ctx.site.newId();
}

/** Images in a snapshot. */
export function listSnapshotDisks(
  ctx: RuleContext,
  snapshotId: string,
): Resource<'disk_snapshot'>[] {
  return ctx.tx.list('disk_snapshot', { where: { snapshot_id: snapshotId } });
}

/** Records the sizes of completed images, and unlocks them and their disks. */
export function settleImages(ctx: RuleContext, snapshot: Snapshot): void {
  for (const image of listSnapshotDisks(ctx, snapshot.id ?? '')) {
    const domain = findStorageDomain(ctx, image);
    const actual = measureAllocated(ctx, image.id ?? '', image, domain);
    ctx.tx.update('disk_snapshot', {
      ...image,
      status: 'ok',
      actual_size: actual,
      total_size: actual,
    });
    settleDisk(ctx, image.disk?.id ?? '');
  }
}

/** Unlocks a disk and updates its sizes. */
export function settleDisk(ctx: RuleContext, id: string): void {
  const disk = ctx.tx.get('disk', id);
  if (disk) ctx.tx.update('disk', updateSizes(ctx, { ...disk, status: 'ok' }));
}

/** Unlocks disks after images of a snapshot were copied to them, with the sizes of the images. */
export function settleCopied(ctx: RuleContext, copies: readonly ImageCopy[]): void {
  for (const { from, to } of copies) {
    const size = ctx.tx.get('disk_snapshot', from)?.provisioned_size;
    const disk = ctx.tx.get('disk', to);
    if (disk && size !== undefined) ctx.tx.update('disk', { ...disk, provisioned_size: size });
    settleDisk(ctx, to);
  }
}

/** The images of a snapshot as sources for a new VM. */
export function listSnapshotSources(ctx: RuleContext, snapshotId: string): CopySource[] {
  const snapshot = ctx.tx.get('snapshot', snapshotId) ?? {};
  const collection = `${formatSnapshotPath(snapshot)}/diskattachments`;
  return listSnapshotDisks(ctx, snapshotId).flatMap((image) => {
    const id = image.disk?.id ?? '';
    const attachment = ctx.tx.get('snapshot_attachment', id, collection);
    return attachment ? [{ disk: { ...image, id }, image: image.id ?? '', attachment }] : [];
  });
}

/** Deletes a snapshot and its contents, and the files after the commit. */
export function eraseSnapshot(ctx: RuleContext, snapshot: Snapshot): void {
  const path = formatSnapshotPath(snapshot);
  for (const image of listSnapshotDisks(ctx, snapshot.id ?? '')) {
    const id = image.id ?? '';
    ctx.tx.remove('disk_snapshot', id);
    ctx.afterCommit.push(() => ctx.site.images.remove(id));
  }
  for (const kind of ['snapshot_nic', 'snapshot_cdrom', 'snapshot_attachment'] as const) {
    ctx.tx.removeBelow(kind, path);
  }
  ctx.tx.remove('snapshot', snapshot.id ?? '');
  for (const { id } of listVmImages(ctx, snapshot)) settleSize(ctx, id ?? '');
}

function listVmImages(ctx: RuleContext, { vm }: Snapshot): readonly { id?: string }[] {
  return listDiskAttachments(ctx, { id: vm?.id ?? '' });
}

function settleSize(ctx: RuleContext, id: string): void {
  const disk = ctx.tx.get('disk', id);
  if (disk && disk.status === 'ok') ctx.tx.update('disk', updateSizes(ctx, disk));
}
