/** Space of storage domains: sums of the sizes of their disks, and the values that are shown. */
import type { Resource } from '../../model/resource.ts';
import type { RuleContext } from '../core/context.ts';
import { diskSums } from '../store/counters.ts';
import type { StoredObject } from '../store/kinds.ts';
import { presentUnit, unitUsers } from './logical-unit.ts';

type Domain = Resource<'storage_domain'>;
type Disk = Resource<'disk'>;

const gibibyte = 2 ** 30;
/** Block storage is allocated in pieces of this many bytes. */
const extent = 2 ** 27;
/** A new image has its first block, in bytes, so that hosts can find out how it has to be read. */
export const firstBlock = 4096;
/** What a thin disk on block storage has from the beginning, in bytes. */
const firstExtent = gibibyte;
const blockStorage = new Set(['iscsi', 'fcp', 'managed_block_storage']);

/** Size of a simulated file system that nothing says the size of, in bytes. */
export const simulatedSize = 1024 * gibibyte;

/** Bytes of a storage domain. */
export interface Space {
  readonly used: number;
  readonly available: number;
  /** What its disks may grow to. */
  readonly committed: number;
}

/** Whether a domain is on block storage. */
export function isBlock(domain: Domain): boolean {
  return blockStorage.has(domain.storage?.type ?? '');
}

/** Space of a domain; `available` of the stored domain is what it offers when empty. */
export function spaceOf(ctx: RuleContext, domain: Domain): Space {
  const { total_size: used, provisioned_size: committed } = diskSums(ctx.tx, domain.id ?? '');
  const size = Number(domain.available ?? simulatedSize);
  return {
    used,
    available: Math.max(0, size - used),
    committed,
  };
}

/** Bytes that can still be allocated: critical_space_action_blocker stays free. */
export function allocatable(ctx: RuleContext, domain: Domain): number {
  const reserved = (domain.critical_space_action_blocker ?? 0) * gibibyte;
  return spaceOf(ctx, domain).available - reserved;
}

/** Bytes that a disk must find free on a domain when it is made there. */
export function neededBy(disk: Disk, domain: Domain): number {
  const size = Number(disk.provisioned_size ?? 0);
  if (disk.sparse === false) return size;
  return isBlock(domain) ? Math.min(firstExtent, size) : 0;
}

/**
 * The disk with the sizes that it takes on its storage now, as `withSizes`, to be stored: the length of
 * its file is noted with it. To be called whenever bytes of the disk have changed.
 */
export function measured(ctx: RuleContext, disk: Disk): Disk {
  if (!disk.id || disk.storage_type === 'lun') return disk;
  ctx.tx.images.measured(disk.id, ctx.site.images.sizes(disk.id).length);
  return withSizes(ctx, disk);
}

/**
 * The disk with the sizes that it takes on its storage now, in bytes: what the file has allocated,
 * all of a preallocated disk, whole extents on block storage; in `total_size` also what its
 * snapshots keep. Nothing is stored.
 */
export function withSizes(ctx: RuleContext, disk: Disk): Disk {
  if (!disk.id || disk.storage_type === 'lun') return disk;
  const domain = ctx.tx.get('storage_domain', disk.storage_domains?.[0]?.id ?? '');
  const actual = allocatedBy(ctx, disk.id, disk, domain);
  const stored = ctx.tx.sum('disk_snapshot', 'actual_size', { where: { disk_id: disk.id } });
  return { ...disk, actual_size: actual, total_size: actual + stored };
}

/** Bytes that the image with this id takes as an image of the disk. */
export function allocatedBy(
  ctx: RuleContext,
  image: string,
  disk: Disk,
  domain: Domain | undefined,
): number {
  if (disk.sparse === false) return Number(disk.provisioned_size ?? 0);
  const { allocated } = ctx.site.images.sizes(image);
  const size = Number(disk.provisioned_size ?? 0);
  if (!domain || !isBlock(domain)) return Math.max(allocated, Math.min(firstBlock, size));
  const least = Math.min(firstExtent, size);
  return Math.max(least, Math.ceil(allocated / extent) * extent);
}

/** Types of domains that providers keep: nobody knows their space. */
const ofProviders = new Set(['image', 'volume', 'managed_block_storage']);

/** Space of a domain; what is used and free is not known while it is in maintenance. */
export function shownSpace(
  ctx: RuleContext,
  domain: Domain,
  status: string | undefined,
): StoredObject {
  if (ofProviders.has(domain.type ?? '')) {
    return { used: undefined, available: undefined, committed: 0 };
  }
  const space = spaceOf(ctx, domain);
  if (status !== 'maintenance') return { ...space };
  return { used: undefined, available: undefined, committed: space.committed };
}

/** The storage with its logical units as they are; connections show as a link only. */
export function shownStorage(ctx: RuleContext, domain: Domain): StoredObject {
  const group = domain.storage?.volume_group;
  const links = { storage_connections: undefined };
  if (!group?.logical_units) return links;
  const users = unitUsers(ctx);
  const units = group.logical_units.map((unit) => presentUnit(unit, users));
  return {
    ...links,
    storage: { ...domain.storage, volume_group: { ...group, logical_units: units } },
  };
}
