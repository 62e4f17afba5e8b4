/** Transitions of disks, and copies of disks. */
import type { Resource } from '../../model/resource.ts';
import type { RuleContext } from '../core/context.ts';
import { applyDefaults } from '../core/input.ts';
import type { ImageForm } from '../core/ports.ts';
import type {
  ImageCopy,
  TransitionData,
  TransitionHandlers,
  TransitionRun,
} from '../core/transition-handlers.ts';
import type { StoredObject } from '../store/kinds.ts';
import type { ObjectOf } from '../store/transaction.ts';
import { forgetChanges } from './dirty-bitmaps.ts';
import { eraseDisk, prepareDisk } from './disk.ts';
import { getAttachedSnapshot } from './snapshot-attachment.ts';
import { measureAllocated, updateSizes } from './storage-space.ts';

type Disk = Resource<'disk'>;
type Attachment = ObjectOf<'disk_attachment'>;

/** A disk image to copy, and its attachment. */
export interface CopySource {
  /** The disk at the time of the image. */
  readonly disk: Disk;
  /** Id of the image file. */
  readonly image: string;
  readonly attachment: Attachment;
}

/** New owner of copied disks: a VM or a template. */
export interface CopyOwner {
  readonly kind: 'vm' | 'template';
  readonly id: string;
}

/** Changes in the copy. */
export interface CopyChanges {
  readonly alias?: string;
  readonly name?: string;
  readonly format?: Disk['format'];
  readonly sparse?: boolean;
  readonly storage_domains?: Disk['storage_domains'];
  readonly disk_profile?: Disk['disk_profile'];
  readonly quota?: Disk['quota'];
}

/** Disks of a VM or template, as sources. Logical units and shareable disks are not copied. */
export function listCopySources(ctx: RuleContext, owner: CopyOwner): CopySource[] {
  const collection = `/${owner.kind}s/${owner.id}/diskattachments`;
  return ctx.tx.list('disk_attachment', { where: { collection } }).flatMap((attachment) => {
    if (getAttachedSnapshot(attachment)) return [];
    const disk = ctx.tx.get('disk', attachment.id ?? '');
    const copied = disk?.id && disk.storage_type !== 'lun' && !disk.shareable;
    return copied ? [{ disk, image: disk.id ?? '', attachment }] : [];
  });
}

/** Stores the copy of a disk for its new owner. Returns the image copy to make. */
export function copyDisk(
  ctx: RuleContext,
  source: CopySource,
  owner: CopyOwner,
  changes: CopyChanges = {},
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
    // Copies never create preallocated qcow2 images.
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

/** Unlocks copied disks that still exist. */
export function releaseCopies(ctx: RuleContext, copies: readonly ImageCopy[]): void {
  for (const { to } of copies) {
    const disk = ctx.tx.get('disk', to);
    if (disk) ctx.tx.update('disk', updateSizes(ctx, { ...disk, status: 'ok' }));
  }
}

/** Marks failed copies as illegal. */
export function markCopiesIllegal(ctx: RuleContext, copies: readonly ImageCopy[]): void {
  for (const { to } of copies) {
    const disk = ctx.tx.get('disk', to);
    if (disk) ctx.tx.update('disk', { ...disk, status: 'illegal' });
  }
}

/** Copies in the data of a transition. */
export function getRecordedCopies(data: TransitionData | undefined): readonly ImageCopy[] {
  return data?.copies ?? [];
}

/** Data for the end of a disk transition. */
export interface DiskMove {
  /** The target storage domain. */
  readonly domain?: string;
  /** The new disk, or the new image of a repository. */
  readonly target?: string;
  /** A template that is locked together with the disk. */
  readonly template?: string;
  /** Changed members of the disk. */
  readonly changes?: Disk;
  /** The VM that the disk is created for. */
  readonly vm?: string;
  /** Parameters of its events. */
  readonly words?: StoredObject;
}

type Ends = NonNullable<TransitionHandlers<'disk'>['onEnd']>;

export const diskCopies: NonNullable<TransitionHandlers<'disk'>['copies']> = {
  copy: copyToTarget,
  convert: convertInPlace,
  update: convertInPlace,
  extend: (ctx, disk, run) => {
    // A raw image is only extended; a qcow2 image stores its size in its tables.
    return disk.format === 'cow' ? convertInPlace(ctx, disk, run) : [];
  },
  export: copyToTarget,
  import: copyFromTarget,
  sparsify: copyInPlace,
  reduce: copyInPlace,
};

function copyFromTarget(_ctx: RuleContext, disk: StoredObject, run: TransitionRun) {
  const { target } = readMove(run);
  return target ? [{ from: target, to: String(disk['id']) }] : [];
}

function copyToTarget(_ctx: RuleContext, disk: StoredObject, run: TransitionRun) {
  const { target } = readMove(run);
  return target ? [{ from: String(disk['id']), to: target }] : [];
}

/** Rewrites the image with the new settings of the disk. */
function convertInPlace(_ctx: RuleContext, disk: Disk, run: TransitionRun): ImageCopy[] {
  const after: Disk = { ...disk, ...readMove(run).changes };
  const id = disk.id ?? '';
  const form: ImageForm = {
    from: disk.format ?? 'raw',
    to: after.format ?? 'raw',
    size: Number(after.provisioned_size ?? 0),
    version: after.qcow_version === 'qcow2_v2' ? 2 : 3,
  };
  const raw = form.from === 'raw' && form.to === 'raw';
  return raw ? [{ from: id, to: id }] : [{ from: id, to: id, form }];
}

/** Releases the blocks of zeros. */
function copyInPlace(_ctx: RuleContext, disk: StoredObject) {
  return [{ from: String(disk['id']), to: String(disk['id']) }];
}

export const diskTransitionEnds: Ends = {
  add: finishDisk,
  add_to_vm: finishDisk,
  update: finishDisk,
  sparsify: finishDisk,
  reduce: finishDisk,

  extend(ctx, disk, run) {
    const { changes } = readMove(run);
    const grown: Disk = { ...disk, ...changes };
    const { id = '', format, provisioned_size: size } = grown;
    if (format === 'raw') ctx.afterCommit.push(() => ctx.site.images.resize(id, Number(size)));
    return updateSizes(ctx, grown);
  },

  convert(ctx, object, run) {
    const disk: Disk = { ...object, ...readMove(run).changes, image_id: ctx.site.newId() };
    if (disk.format === 'cow') disk.qcow_version ??= 'qcow2_v3';
    else delete disk.qcow_version;
    if (disk.format === 'raw' || disk.backup !== 'incremental') forgetChanges(ctx, disk.id ?? '');
    return updateSizes(ctx, disk);
  },

  copy(ctx, disk, run) {
    const { target, domain } = readMove(run);
    const made = target ? ctx.tx.get('disk', target) : undefined;
    if (made) ctx.tx.update('disk', updateSizes(ctx, { ...made, status: 'ok' }));
    if (made || !domain) return disk;
    // A disk of a template has the same content in each of its domains.
    const present = disk.storage_domains ?? [];
    return { ...disk, storage_domains: [...present, { id: domain }] };
  },

  move(ctx, disk, run) {
    const { domain, changes } = readMove(run);
    const moved: Disk = { ...disk, ...changes, storage_domains: [{ id: domain ?? '' }] };
    for (const image of ctx.tx.list('disk_snapshot', { where: { disk_id: moved.id ?? '' } })) {
      const collection = `/disks/${moved.id}/disksnapshots`;
      const there = { ...image, storage_domains: [{ id: domain ?? '' }] };
      ctx.tx.update('disk_snapshot', there, collection);
    }
    return updateSizes(ctx, moved);
  },

  export(ctx, object, run) {
    const { domain, target } = readMove(run);
    const disk = object;
    if (domain && target) {
      ctx.tx.insert('image', `/storagedomains/${domain}/images`, {
        id: target,
        name: disk.alias ?? target,
        type: 'disk',
        size: disk.provisioned_size ?? measureAllocated(ctx, target, disk, undefined),
        storage_domain: { id: domain },
        ...{ format: disk.format },
      });
    }
    return object;
  },

  import(ctx, disk, run) {
    const template = ctx.tx.get('template', readMove(run).template ?? '');
    if (template) ctx.tx.update('template', { ...template, status: 'ok' });
    return finishDisk(ctx, disk);
  },

  remove(ctx, disk) {
    eraseDisk(ctx, disk);
    return undefined;
  },
};

export const failed: NonNullable<TransitionHandlers<'disk'>['onCopyFailure']> = {
  copy(ctx, disk, run) {
    const { target } = readMove(run);
    const made = target ? ctx.tx.get('disk', target) : undefined;
    if (made) eraseDisk(ctx, made);
    return { ...disk, status: 'ok' };
  },
  export(ctx, disk, run) {
    const { target } = readMove(run);
    if (target) ctx.afterCommit.push(() => ctx.site.images.remove(target));
    return { ...disk, status: 'ok' };
  },
  import(ctx, disk, run) {
    const template = ctx.tx.get('template', readMove(run).template ?? '');
    if (template) ctx.tx.update('template', { ...template, status: 'illegal' });
    return { ...disk, status: 'illegal' };
  },
  // The old file remains until the new one is complete.
  convert: (_ctx, disk) => ({ ...disk, status: 'ok' }),
  update: (_ctx, disk) => ({ ...disk, status: 'ok' }),
  extend: (_ctx, disk) => ({ ...disk, status: 'ok' }),
  sparsify: (_ctx, disk) => ({ ...disk, status: 'ok' }),
  reduce: (_ctx, disk) => ({ ...disk, status: 'ok' }),
};

function finishDisk(ctx: RuleContext, disk: StoredObject): StoredObject {
  return updateSizes(ctx, disk);
}

function readMove({ data }: TransitionRun): DiskMove {
  return data ?? {};
}
