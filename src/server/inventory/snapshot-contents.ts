/** Contents of a snapshot: disk images, attachments, devices, configuration, memory. */

import type { Resource } from '../../model/resource.ts';
import type { RuleContext } from '../core/context.ts';
import type { ImageCopy } from '../core/transition-handlers.ts';
import type { StoredObject } from '../store/kinds.ts';
import type { ObjectOf } from '../store/transaction.ts';
import { domainOf } from './disk.ts';
import type { Source } from './disk-transitions.ts';
import { snapshotOf } from './snapshot-attachment.ts';
import { allocatedBy, measured } from './storage-space.ts';
import { attachmentsOf, nicsOf, snapshotsOf, type Vm } from './vm.ts';
import { configuration } from './vm-configuration.ts';

/** Whether a machine goes on from kept memory at its next start. */
export function keepsMemory(ctx: RuleContext, vm: Vm): boolean {
  return presentOf(ctx, vm)?.persist_memorystate === true;
}

/** Notes that there is memory, or that there is none any more. */
export function keepMemory(ctx: RuleContext, vm: Vm, stored: boolean): void {
  const present = presentOf(ctx, vm);
  if (present && present.persist_memorystate !== stored) {
    ctx.tx.update('snapshot', { ...present, persist_memorystate: stored });
  }
}

function presentOf(ctx: RuleContext, vm: Vm) {
  return snapshotsOf(ctx, vm).find(({ snapshot_type: type }) => type === 'active');
}

type Snapshot = ObjectOf<'snapshot'>;
type Disk = Resource<'disk'>;
type Attachment = ObjectOf<'disk_attachment'>;

/** Where a snapshot is. */
export function pathOf(snapshot: Snapshot): string {
  return `/vms/${snapshot.vm?.id}/snapshots/${snapshot.id}`;
}

/** The configuration of a machine, as a snapshot or template takes it over. */
export function configurationOf(vm: Vm): StoredObject {
  const names = [...configuration, 'cluster', 'original_template', 'instance_type', 'origin'];
  const source: StoredObject = vm;
  return structuredClone(
    Object.fromEntries(names.flatMap((name) => (name in source ? [[name, source[name]]] : []))),
  );
}

/** The configuration of its machine that a snapshot keeps; the description is its own. */
export function savedConfiguration(snapshot: Snapshot): StoredObject {
  const { description: _own, ...configuration } = configurationOf(snapshot);
  return configuration;
}

/** The entry that stands for the present of a machine. */
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

/** Disks that a snapshot can keep. */
export function snapshotableDisks(ctx: RuleContext, vm: Vm): [Disk, Attachment][] {
  return attachmentsOf(ctx, vm).flatMap((attachment) => {
    if (snapshotOf(attachment)) return [];
    const disk = ctx.tx.get('disk', attachment.id ?? '');
    const stored = disk && disk.storage_type !== 'lun' && !disk.shareable;
    return stored ? [[disk, attachment] satisfies [Disk, Attachment]] : [];
  });
}

/**
 * Notes what a snapshot keeps of a machine, of those disks alone that are named. The disks are
 * locked; returns what is to be copied.
 */
export function keep(
  ctx: RuleContext,
  vm: Vm,
  snapshot: Snapshot,
  only?: ReadonlySet<string>,
): ImageCopy[] {
  const path = pathOf(snapshot);
  for (const nic of nicsOf(ctx, vm)) ctx.tx.insert('snapshot_nic', `${path}/nics`, nic);
  const cdroms = ctx.tx.list('cdrom', { where: { collection: `/vms/${vm.id}/cdroms` } });
  for (const cdrom of cdroms) ctx.tx.insert('snapshot_cdrom', `${path}/cdroms`, cdrom);
  return snapshotableDisks(ctx, vm).flatMap(([disk, attachment]) => {
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
 * The id of the image that a snapshot keeps: that of the disk, which gets a new one. Clients can choose ids of images,
 * so one that names something already is not used.
 */
function imageToKeep(ctx: RuleContext, { image_id: id }: Disk): string {
  const isFree =
    id !== undefined &&
    !ctx.tx.get('disk', id) &&
    !ctx.tx.get('disk_snapshot', id) &&
    ctx.site.images.sizes(id).length === 0;
  return isFree ? id : ctx.site.newId();
}

/** Images that a snapshot keeps. */
export function imagesOf(ctx: RuleContext, snapshotId: string): Resource<'disk_snapshot'>[] {
  return ctx.tx.list('disk_snapshot', { where: { snapshot_id: snapshotId } });
}

/** The images are there: sizes are known, disks and images are free. */
export function settleImages(ctx: RuleContext, snapshot: Snapshot): void {
  for (const image of imagesOf(ctx, snapshot.id ?? '')) {
    const domain = domainOf(ctx, image);
    const actual = allocatedBy(ctx, image.id ?? '', image, domain);
    ctx.tx.update('disk_snapshot', {
      ...image,
      status: 'ok',
      actual_size: actual,
      total_size: actual,
    });
    settleDisk(ctx, image.disk?.id ?? '');
  }
}

/** A disk is free again, with the sizes that it has now. */
export function settleDisk(ctx: RuleContext, id: string): void {
  const disk = ctx.tx.get('disk', id);
  if (disk) ctx.tx.update('disk', measured(ctx, { ...disk, status: 'ok' }));
}

/** The disks have the bytes of images of a snapshot, and their sizes: they are free again. */
export function settleCopied(ctx: RuleContext, copies: readonly ImageCopy[]): void {
  for (const { from, to } of copies) {
    const size = ctx.tx.get('disk_snapshot', from)?.provisioned_size;
    const disk = ctx.tx.get('disk', to);
    if (disk && size !== undefined) ctx.tx.update('disk', { ...disk, provisioned_size: size });
    settleDisk(ctx, to);
  }
}

/** The images of a snapshot as what a new machine is filled from. */
export function snapshotSources(ctx: RuleContext, snapshotId: string): Source[] {
  const snapshot = ctx.tx.get('snapshot', snapshotId) ?? {};
  const collection = `${pathOf(snapshot)}/diskattachments`;
  return imagesOf(ctx, snapshotId).flatMap((image) => {
    const id = image.disk?.id ?? '';
    const attachment = ctx.tx.get('snapshot_attachment', id, collection);
    return attachment ? [{ disk: { ...image, id }, image: image.id ?? '', attachment }] : [];
  });
}

/** Deletes a snapshot with what it keeps; the files follow once that is durable. */
export function eraseSnapshot(ctx: RuleContext, snapshot: Snapshot): void {
  const path = pathOf(snapshot);
  for (const image of imagesOf(ctx, snapshot.id ?? '')) {
    const id = image.id ?? '';
    ctx.tx.remove('disk_snapshot', id);
    ctx.afterCommit.push(() => ctx.site.images.remove(id));
  }
  for (const kind of ['snapshot_nic', 'snapshot_cdrom', 'snapshot_attachment'] as const) {
    ctx.tx.removeBelow(kind, path);
  }
  ctx.tx.remove('snapshot', snapshot.id ?? '');
  for (const { id } of imagesOfMachine(ctx, snapshot)) settleSize(ctx, id ?? '');
}

function imagesOfMachine(ctx: RuleContext, { vm }: Snapshot): readonly { id?: string }[] {
  return attachmentsOf(ctx, { id: vm?.id ?? '' });
}

function settleSize(ctx: RuleContext, id: string): void {
  const disk = ctx.tx.get('disk', id);
  if (disk && disk.status === 'ok') ctx.tx.update('disk', measured(ctx, disk));
}
