/** Rules of disks: sizes and formats, the files that hold their bytes, removal. */
import { disk as lifecycle } from '../../model/lifecycles/disk.ts';
import type { Resource } from '../../model/resource.ts';
import { begin, onArrival, requireState } from '../jobs/moves.ts';
import type { StoredObject } from '../store/document.ts';
import type { RuleContext } from './context.ts';
import { rules } from './notation.ts';
import type { Place } from './places.ts';
import { allocatable, isBlock, measured, neededBy } from './storage-space.ts';

type Disk = Resource<'disk'>;

export const diskRules = rules({
  kind: 'disk',
  lifecycle,

  prepare: prepareDisk,

  added(ctx, { object, place }) {
    createImage(ctx, object);
    moveDisk(ctx, place, object, 'add');
  },

  change(ctx, before, after, _place, sent) {
    const asked = Object.keys(sent).filter((name) => name !== 'id' && name !== 'href');
    if (asked.some((name) => name !== 'qcow_version' && differs(before, after, name))) {
      ctx.refuse('DISK_ONLY_QCOW_VERSION', { action: 'edit' });
    }
    if (asked.includes('qcow_version')) {
      if (before.format === 'raw') ctx.refuse('DISK_RAW_HAS_NO_VERSION', { action: 'edit' });
      requireState(ctx, 'disk', before as StoredObject, 'update', diskWords(before));
    }
  },

  changed(ctx, before, { place, object }) {
    if (before.qcow_version !== object.qcow_version) moveDisk(ctx, place, object, 'update');
  },

  removable(ctx, { object }) {
    requireState(ctx, 'disk', object as StoredObject, 'remove', diskWords(object));
    const users = vmsOf(ctx, object).filter(
      ({ vm, attachment }) => attachment.active && vm.status !== 'down',
    );
    if (users.length > 0) {
      ctx.refuse('DISK_IS_IN_USE', {
        action: 'remove',
        names: users.map(({ vm }) => vm.name).join(', '),
      });
    }
  },

  remove(ctx, { place, object }) {
    moveDisk(ctx, place, object, 'remove');
  },

  present(ctx, disk) {
    if (disk.storage_type === 'lun') return { status: undefined };
    // While bytes arrive, the file knows better.
    return disk.status === 'locked' ? measured(ctx, disk) : {};
  },
});

onArrival('disk', {
  describe: (ctx, disk) => describe(ctx, disk as Disk),
  arrived: {
    remove(ctx, disk) {
      eraseDisk(ctx, disk);
      return undefined;
    },
  },
});

function describe(ctx: RuleContext, disk: Disk) {
  const domain = domainOf(ctx, disk);
  return {
    subjects: domain ? { storage_domain: domain } : {},
    words: {
      DiskAlias: disk.alias ?? disk.name ?? disk.id ?? '',
      StorageDomainName: domain?.name ?? '<none>',
    },
  };
}

function diskWords(disk: Disk): { type: string; names: string } {
  return { type: 'Virtual Disk', names: disk.alias ?? disk.id ?? '' };
}

/** Completes and checks a new disk. */
export function prepareDisk(ctx: RuleContext, disk: Disk): void {
  disk.alias = disk.alias ?? disk.name ?? `disk-${disk.id?.slice(0, 8)}`;
  disk.name = disk.alias;
  disk.storage_type = disk.lun_storage ? 'lun' : 'image';
  if (BigInt(disk.provisioned_size ?? 0) <= 0n) ctx.refuse('DISK_SIZE_ZERO', { action: 'add' });
  const domain = domainOf(ctx, disk);
  if (!domain) ctx.refuse('STORAGE_DOMAIN_NOT_SPECIFIED', { action: 'add' });
  requireActiveDomain(ctx, domain, 'add', 'Virtual Disk');
  disk.storage_domains = [{ id: domain.id ?? '' }];
  disk.sparse ??= true;
  checkFormat(ctx, disk, isBlock(domain));
  checkSpace(ctx, disk, domain);
  disk.content_type ??= 'data';
  if (disk.format === 'cow') disk.qcow_version ??= 'qcow2_v3';
  disk.wipe_after_delete ??= domain.wipe_after_delete ?? false;
  disk.image_id ??= ctx.site.newId();
  disk.status = 'locked';
  const profile = ctx.tx.find('disk_profile', { storage_domain_id: domain.id ?? '' });
  if (profile?.id) disk.disk_profile ??= { id: profile.id };
  const quota = ctx.tx.find('quota', {
    collection: `/datacenters/${domain.data_center?.id ?? dataCenterOf(ctx, domain)}/quotas`,
  });
  if (quota?.id) disk.quota ??= { id: quota.id };
}

/** The image domain that a disk is on. */
export function domainOf(ctx: RuleContext, disk: Disk): Resource<'storage_domain'> | undefined {
  const id = disk.storage_domains?.[0]?.id;
  return id ? ctx.tx.get('storage_domain', id) : undefined;
}

/** Id of the data center that a storage domain is attached to. */
export function dataCenterOf(
  ctx: RuleContext,
  domain: Resource<'storage_domain'>,
): string | undefined {
  return ctx.tx.find('attached_storage_domain', { id: domain.id ?? '' })?.data_center?.id;
}

/** Refuses unless the domain is an active data domain. */
function requireActiveDomain(
  ctx: RuleContext,
  domain: Resource<'storage_domain'>,
  action: string,
  type: string,
): void {
  if (domain.type !== 'data') {
    ctx.refuse('STORAGE_DOMAIN_TYPE_ILLEGAL', {
      action,
      type,
      name: domain.name,
      domainType: domain.type,
    });
  }
  const status = ctx.tx.find('attached_storage_domain', { id: domain.id ?? '' })?.status;
  if (status !== 'active') {
    ctx.refuse('STORAGE_DOMAIN_STATUS_ILLEGAL', { action, status: status ?? 'unattached' });
  }
}

function checkFormat(ctx: RuleContext, disk: Disk, block: boolean): void {
  const incremental = disk.backup === 'incremental';
  const raw = disk.format === 'raw';
  const allowed = raw
    ? !incremental && (!block || disk.sparse === false)
    : disk.sparse === true || incremental;
  if (!allowed) {
    ctx.refuse('DISK_FORMAT_UNSUPPORTED', {
      action: 'add',
      format: disk.format,
      allocation: disk.sparse ? 'sparse' : 'preallocated',
    });
  }
  if (disk.shareable && !raw) ctx.refuse('DISK_NOT_SHAREABLE', { action: 'add' });
}

function checkSpace(ctx: RuleContext, disk: Disk, domain: Resource<'storage_domain'>): void {
  const available = allocatable(ctx, domain);
  const needed = neededBy(disk, domain);
  if (available < needed || available < 0) {
    ctx.refuse('STORAGE_DOMAIN_HAS_NO_SPACE', {
      action: 'add',
      type: 'Virtual Disk',
      name: domain.name,
      available,
      needed,
    });
  }
}

/** Makes the file that holds the bytes of a disk. An undone transaction leaves it to be swept. */
export function createImage(ctx: RuleContext, disk: Disk): void {
  if (disk.storage_type !== 'lun' && disk.id) {
    ctx.site.images.create(disk.id, disk.format === 'raw' ? Number(disk.provisioned_size ?? 0) : 0);
  }
}

/** Begins a move of a disk. */
export function moveDisk(
  ctx: RuleContext,
  place: Pick<Place, 'collection'>,
  disk: Disk,
  operation: string,
): void {
  const journey = {
    kind: 'disk' as const,
    collection: place.collection,
    id: disk.id ?? '',
    operation,
  };
  begin(ctx, journey, disk as StoredObject);
}

/** Deletes a disk, its attachments, and its file once the transaction is durable. */
export function eraseDisk(ctx: RuleContext, disk: StoredObject): void {
  const id = String(disk['id']);
  for (const attachment of ctx.tx.list('disk_attachment', { where: { disk_id: id } })) {
    ctx.tx.remove('disk_attachment', id, `/vms/${attachment.vm?.id}/diskattachments`);
  }
  for (const permission of ctx.tx.list('permission', { where: { disk_id: id } })) {
    if (permission.id) ctx.tx.remove('permission', permission.id);
  }
  ctx.tx.remove('disk', id);
  ctx.afterCommit.push(() => ctx.site.images.remove(id));
}

/** Virtual machines that a disk is attached to, with the attachments. */
export function vmsOf(
  ctx: RuleContext,
  disk: Disk,
): { vm: Resource<'vm'>; attachment: Resource<'disk_attachment'> }[] {
  return ctx.tx
    .list('disk_attachment', { where: { disk_id: disk.id ?? '' } })
    .flatMap((attachment) => {
      const vm = attachment.vm?.id ? ctx.tx.get('vm', attachment.vm.id) : undefined;
      return vm ? [{ vm, attachment }] : [];
    });
}

function differs(before: Disk, after: Disk, name: string): boolean {
  const [a, b] = [before, after].map((disk) => (disk as StoredObject)[name]);
  return String(JSON.stringify(a ?? null)) !== String(JSON.stringify(b ?? null));
}
