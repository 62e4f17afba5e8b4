/** Ends of the transitions of disks, and disks that are copied from others. */
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
import { snapshotOf } from './snapshot-attachment.ts';
import { allocatedBy, measured } from './storage-space.ts';

type Disk = Resource<'disk'>;
type Attachment = ObjectOf<'disk_attachment'>;

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
export function notedCopies(data: TransitionData | undefined): readonly ImageCopy[] {
  return data?.copies ?? [];
}

/** What the end of a move of a disk needs to know. */
export interface DiskMove {
  /** The storage domain that it goes to. */
  readonly domain?: string;
  /** The new disk, or the new image of a repository. */
  readonly target?: string;
  /** A template that is locked as long as the disk is. */
  readonly template?: string;
  /** What changes in the disk. */
  readonly changes?: Disk;
  /** The machine that it is made for. */
  readonly vm?: string;
  /** Words of its events. */
  readonly words?: StoredObject;
}

type Ends = NonNullable<TransitionHandlers<'disk'>['onEnd']>;

export const copiesOf: NonNullable<TransitionHandlers<'disk'>['copies']> = {
  copy: ontoTarget,
  convert: inAnotherForm,
  update: inAnotherForm,
  extend: (ctx, disk, run) => {
    // A raw image is only made longer; a qcow2 image knows its size in its tables.
    return disk.format === 'cow' ? inAnotherForm(ctx, disk, run) : [];
  },
  export: ontoTarget,
  import: fromTarget,
  sparsify: ontoItself,
  reduce: ontoItself,
};

function fromTarget(_ctx: RuleContext, disk: StoredObject, run: TransitionRun) {
  const { target } = dataOf(run);
  return target ? [{ from: target, to: String(disk['id']) }] : [];
}

function ontoTarget(_ctx: RuleContext, disk: StoredObject, run: TransitionRun) {
  const { target } = dataOf(run);
  return target ? [{ from: String(disk['id']), to: target }] : [];
}

/** The image is written anew, as the disk will be. */
function inAnotherForm(_ctx: RuleContext, disk: Disk, run: TransitionRun): ImageCopy[] {
  const after: Disk = { ...disk, ...dataOf(run).changes };
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

/** What is all zeros gives its room back. */
function ontoItself(_ctx: RuleContext, disk: StoredObject) {
  return [{ from: String(disk['id']), to: String(disk['id']) }];
}

export const ended: Ends = {
  add: settled,
  add_to_vm: settled,
  update: settled,
  sparsify: settled,
  reduce: settled,

  extend(ctx, disk, run) {
    const { changes } = dataOf(run);
    const grown: Disk = { ...disk, ...changes };
    const { id = '', format, provisioned_size: size } = grown;
    if (format === 'raw') ctx.afterCommit.push(() => ctx.site.images.resize(id, Number(size)));
    return measured(ctx, grown);
  },

  convert(ctx, object, run) {
    const disk: Disk = { ...object, ...dataOf(run).changes, image_id: ctx.site.newId() };
    if (disk.format === 'cow') disk.qcow_version ??= 'qcow2_v3';
    else delete disk.qcow_version;
    if (disk.format === 'raw' || disk.backup !== 'incremental') forgetChanges(ctx, disk.id ?? '');
    return measured(ctx, disk);
  },

  copy(ctx, disk, run) {
    const { target, domain } = dataOf(run);
    const made = target ? ctx.tx.get('disk', target) : undefined;
    if (made) ctx.tx.update('disk', measured(ctx, { ...made, status: 'ok' }));
    if (made || !domain) return disk;
    // A disk of a template has the same content in each of its domains.
    const present = disk.storage_domains ?? [];
    return { ...disk, storage_domains: [...present, { id: domain }] };
  },

  move(ctx, disk, run) {
    const { domain, changes } = dataOf(run);
    const moved: Disk = { ...disk, ...changes, storage_domains: [{ id: domain ?? '' }] };
    for (const image of ctx.tx.list('disk_snapshot', { where: { disk_id: moved.id ?? '' } })) {
      const collection = `/disks/${moved.id}/disksnapshots`;
      const there = { ...image, storage_domains: [{ id: domain ?? '' }] };
      ctx.tx.update('disk_snapshot', there, collection);
    }
    return measured(ctx, moved);
  },

  export(ctx, object, run) {
    const { domain, target } = dataOf(run);
    const disk = object;
    if (domain && target) {
      ctx.tx.insert('image', `/storagedomains/${domain}/images`, {
        id: target,
        name: disk.alias ?? target,
        type: 'disk',
        size: disk.provisioned_size ?? allocatedBy(ctx, target, disk, undefined),
        storage_domain: { id: domain },
        ...{ format: disk.format },
      });
    }
    return object;
  },

  import(ctx, disk, run) {
    const template = ctx.tx.get('template', dataOf(run).template ?? '');
    if (template) ctx.tx.update('template', { ...template, status: 'ok' });
    return settled(ctx, disk);
  },

  remove(ctx, disk) {
    eraseDisk(ctx, disk);
    return undefined;
  },
};

export const failed: NonNullable<TransitionHandlers<'disk'>['onCopyFailure']> = {
  copy(ctx, disk, run) {
    const { target } = dataOf(run);
    const made = target ? ctx.tx.get('disk', target) : undefined;
    if (made) eraseDisk(ctx, made);
    return { ...disk, status: 'ok' };
  },
  export(ctx, disk, run) {
    const { target } = dataOf(run);
    if (target) ctx.afterCommit.push(() => ctx.site.images.remove(target));
    return { ...disk, status: 'ok' };
  },
  import(ctx, disk, run) {
    const template = ctx.tx.get('template', dataOf(run).template ?? '');
    if (template) ctx.tx.update('template', { ...template, status: 'illegal' });
    return { ...disk, status: 'illegal' };
  },
  // The old file stays until the new one is whole.
  convert: (_ctx, disk) => ({ ...disk, status: 'ok' }),
  update: (_ctx, disk) => ({ ...disk, status: 'ok' }),
  extend: (_ctx, disk) => ({ ...disk, status: 'ok' }),
  sparsify: (_ctx, disk) => ({ ...disk, status: 'ok' }),
  reduce: (_ctx, disk) => ({ ...disk, status: 'ok' }),
};

function settled(ctx: RuleContext, disk: StoredObject): StoredObject {
  return measured(ctx, disk);
}

function dataOf({ data }: TransitionRun): DiskMove {
  return data ?? {};
}
