/**
 * New disks with the bytes of others: of a template, a snapshot, another machine. The disks are made
 * at once and stay locked until a move of their owner has copied the bytes.
 */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import { applyDefaults } from '../../core/input.ts';
import type { ImageCopy } from '../../core/transition-handlers.ts';
import type { StoredObject } from '../../store/document.ts';
import { measured } from '../storage/space.ts';
import { prepareDisk } from './disk.ts';
import { snapshotOf } from './snapshot-attachment.ts';

type Disk = Resource<'disk'>;
type Attachment = Resource<'disk_attachment'>;

/** An image to be copied, and how it was attached. */
export interface Source {
  /** The disk as it was when the image was made. */
  readonly disk: Disk;
  /** File with the bytes. */
  readonly image: string;
  readonly attachment: Attachment;
}

/** Whose disks they become: a machine or a template. */
export interface Owner {
  readonly kind: 'vm' | 'template';
  readonly id: string;
}

/** What is different in the copy. */
export interface Changes {
  readonly alias?: string;
  readonly name?: string;
  readonly format?: Disk['format'];
  readonly sparse?: boolean;
  readonly storage_domains?: Disk['storage_domains'];
  readonly disk_profile?: Disk['disk_profile'];
  readonly quota?: Disk['quota'];
}

/** Disks of a machine or template, as sources. Logical units and shareable disks are not copied. */
export function sourcesOf(ctx: RuleContext, owner: Owner): Source[] {
  const collection = `/${owner.kind}s/${owner.id}/diskattachments`;
  return ctx.tx.list('disk_attachment', { where: { collection } }).flatMap((attachment) => {
    if (snapshotOf(attachment)) return [];
    const disk = ctx.tx.get('disk', attachment.id ?? '');
    const copied = disk?.id && disk.storage_type !== 'lun' && !disk.shareable;
    return copied ? [{ disk, image: disk.id ?? '', attachment }] : [];
  });
}

/** Makes the copy of a disk for its new owner; returns what is to be copied. */
export function copyDisk(
  ctx: RuleContext,
  source: Source,
  owner: Owner,
  changes: Changes = {},
): ImageCopy {
  const { disk, image, attachment } = source;
  const id = ctx.site.newId();
  const alias = changes.alias ?? changes.name ?? disk.alias ?? disk.name ?? id;
  const format = changes.format ?? disk.format ?? 'raw';
  const converted = format !== (disk.format ?? 'raw');
  const copy: Disk = {
    id,
    alias,
    name: alias,
    description: disk.description ?? '',
    provisioned_size: disk.provisioned_size ?? 0,
    format,
    // Preallocated qcow2 images are not made.
    sparse: changes.sparse ?? (converted && format === 'cow' ? true : (disk.sparse ?? true)),
    storage_domains: changes.storage_domains ?? disk.storage_domains ?? [],
    ...(disk.qcow_version && format === 'cow' ? { qcow_version: disk.qcow_version } : {}),
    ...(disk.content_type ? { content_type: disk.content_type } : {}),
    ...(disk.wipe_after_delete === undefined ? {} : { wipe_after_delete: disk.wipe_after_delete }),
    ...(disk.propagate_errors === undefined ? {} : { propagate_errors: disk.propagate_errors }),
    ...(changes.disk_profile ? { disk_profile: changes.disk_profile } : {}),
    ...(changes.quota ? { quota: changes.quota } : {}),
  };
  prepareDisk(ctx, copy);
  applyDefaults('disk', copy);
  ctx.tx.insert('disk', '/disks', copy);
  const { id: _disk, vm: _vm, template: _template, ...how } = attachment;
  ctx.tx.insert('disk_attachment', `/${owner.kind}s/${owner.id}/diskattachments`, {
    ...how,
    id,
    disk: { id },
    [owner.kind]: { id: owner.id },
    active: true,
  });
  if (!converted) return { from: image, to: id };
  const size = Number(disk.provisioned_size ?? 0);
  return { from: image, to: id, form: { from: disk.format ?? 'raw', to: format, size } };
}

/** Sets copied disks free. Disks that are gone meanwhile are left out. */
export function releaseCopies(ctx: RuleContext, copies: readonly ImageCopy[]): void {
  for (const { to } of copies) {
    const disk = ctx.tx.get('disk', to);
    if (disk) ctx.tx.update('disk', measured(ctx, { ...disk, status: 'ok' }));
  }
}

/** Marks copies that did not succeed. */
export function spoilCopies(ctx: RuleContext, copies: readonly ImageCopy[]): void {
  for (const { to } of copies) {
    const disk = ctx.tx.get('disk', to);
    if (disk) ctx.tx.update('disk', { ...disk, status: 'illegal' });
  }
}

/** Copies that were noted with a move. */
export function notedCopies(data: StoredObject | undefined): readonly ImageCopy[] {
  return (data?.['copies'] ?? []) as readonly ImageCopy[];
}
