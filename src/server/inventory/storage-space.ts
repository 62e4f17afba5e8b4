/** Space of storage domains: total sizes of their disks, and displayed values. */
import type { Resource } from '../../model/resource.ts';
import type { RuleContext } from '../core/context.ts';
import { readDiskSums } from '../store/counters.ts';
import type { StoredObject } from '../store/kinds.ts';
import { addUnitState, listUnitUsers } from './logical-unit.ts';

type Domain = Resource<'storage_domain'>;
type Disk = Resource<'disk'>;

const gibibyte = 2 ** 30;
/** Allocation unit of block storage in bytes. */
const extent = 2 ** 27;
/** Bytes of the first block of a new image, which hosts read to detect the format. */
export const firstBlock = 4096;
/** Initial allocation of a thin disk on block storage, in bytes. */
const firstExtent = gibibyte;
const blockStorage = new Set(['iscsi', 'fcp', 'managed_block_storage']);

/** Default size of a simulated file system, in bytes. */
export const simulatedSize = 1024 * gibibyte;

/** Space of a storage domain in bytes. */
export interface Space {
  readonly used: number;
  readonly available: number;
  /** Total virtual size of its disks. */
  readonly committed: number;
}

/** Whether a domain is on block storage. */
export function isBlock(domain: Domain): boolean {
  return blockStorage.has(domain.storage?.type ?? '');
}

/** Space of a domain. `available` of the stored domain is its size when empty. */
export function measureSpace(ctx: RuleContext, domain: Domain): Space {
  const { total_size: used, provisioned_size: committed } = readDiskSums(ctx.tx, domain.id ?? '');
  const size = Number(domain.available ?? simulatedSize);
  return {
    used,
    available: Math.max(0, size - used),
    committed,
  };
}

/** Bytes that can still be allocated, excluding the reserve of critical_space_action_blocker. */
export function measureAllocatable(ctx: RuleContext, domain: Domain): number {
  const reserved = (domain.critical_space_action_blocker ?? 0) * gibibyte;
  return measureSpace(ctx, domain).available - reserved;
}

/** Free bytes that a domain must have for a new disk. */
export function measureNeeded(disk: Disk, domain: Domain): number {
  const size = Number(disk.provisioned_size ?? 0);
  if (disk.sparse === false) return size;
  return isBlock(domain) ? Math.min(firstExtent, size) : 0;
}

/**
 * The disk with its current sizes, like `withSizes`, for storage. Also records the length of its
 * file. Call it after every change of the data of the disk.
 */
export function updateSizes(ctx: RuleContext, disk: Disk): Disk {
  if (!disk.id || disk.storage_type === 'lun') return disk;
  ctx.tx.images.measured(disk.id, ctx.site.images.sizes(disk.id).length);
  return withSizes(ctx, disk);
}

/**
 * The disk with its current sizes in bytes: allocated bytes of the file, the full size of a
 * preallocated disk, complete extents on block storage. `total_size` includes its snapshots. Stores
 * nothing.
 */
export function withSizes(ctx: RuleContext, disk: Disk): Disk {
  if (!disk.id || disk.storage_type === 'lun') return disk;
  const domain = ctx.tx.get('storage_domain', disk.storage_domains?.[0]?.id ?? '');
  const actual = measureAllocated(ctx, disk.id, disk, domain);
  const stored = ctx.tx.sum('disk_snapshot', 'actual_size', { where: { disk_id: disk.id } });
  return { ...disk, actual_size: actual, total_size: actual + stored };
}

/** Allocated bytes of an image with the settings of the disk. */
export function measureAllocated(
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

/** Domain types of providers, whose space is unknown. */
const providerTypes = new Set(['image', 'volume', 'managed_block_storage']);

/** Space of a domain. During maintenance, used and free space are unknown. */
export function showSpace(
  ctx: RuleContext,
  domain: Domain,
  status: string | undefined,
): StoredObject {
  if (providerTypes.has(domain.type ?? '')) {
    return { used: undefined, available: undefined, committed: 0 };
  }
  const space = measureSpace(ctx, domain);
  if (status !== 'maintenance') return { ...space };
  return { used: undefined, available: undefined, committed: space.committed };
}

/** The storage with the current state of its logical units. Connections appear as a link only. */
export function showStorage(ctx: RuleContext, domain: Domain): StoredObject {
  const group = domain.storage?.volume_group;
  const links = { storage_connections: undefined };
  if (!group?.logical_units) return links;
  const users = listUnitUsers(ctx);
  const units = group.logical_units.map((unit) => addUnitState(unit, users));
  return {
    ...links,
    storage: { ...domain.storage, volume_group: { ...group, logical_units: units } },
  };
}
