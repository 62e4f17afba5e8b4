/**
 * Records of disk changes. Each backup with a checkpoint ends a period of the disk and begins
 * another. A period has a dirty bitmap: a file in the image folder that is named by its id. The
 * changes since a checkpoint are the writes of all later periods.
 */
import type { Resource } from '../../model/resource.ts';
import type { RuleContext } from '../core/context.ts';
import { pickDefined } from '../core/member-selection.ts';
import type { ObjectOf, Transaction } from '../store/transaction.ts';

type Disk = Resource<'disk'>;

/** A period of a disk. */
export interface ChangePeriod {
  readonly id: string;
  /** Size of the disk at its start in bytes; later growth counts as dirty. */
  readonly size: number;
  /** Checkpoint at its start; none if it continues another period. */
  readonly checkpoint?: string;
  /** Whether the entire disk was replaced; writes are no longer recorded. */
  readonly everything?: boolean;
}

const kind = 'dirty_bitmap';

function formatPath(disk: string): string {
  return `/disks/${disk}/dirtybitmaps`;
}

function asPeriod({ id, size, checkpoint, everything }: ObjectOf<typeof kind>): ChangePeriod[] {
  if (id === undefined || size === undefined) return [];
  return [{ id, size, ...pickDefined({ checkpoint, everything }) }];
}

/** The periods of a disk, oldest first. */
function listPeriods(tx: Transaction, disk: string): readonly ChangePeriod[] {
  return tx.list(kind, { where: { collection: formatPath(disk) } }).flatMap(asPeriod);
}

/** The current period, which must record all writes. */
export function findTrackedPeriod(tx: Transaction, disk: string): ChangePeriod | undefined {
  const period = listPeriods(tx, disk).at(-1);
  return period?.everything ? undefined : period;
}

/** Begins a period. No client may write to the disk at this time. */
export function beginPeriod(ctx: RuleContext, disk: Disk, checkpoint: string): void {
  const id = ctx.site.newId();
  const period: ChangePeriod = { id, size: Number(disk.provisioned_size ?? 0), checkpoint };
  ctx.tx.images.blank(id, 0);
  ctx.tx.insert(kind, formatPath(disk.id ?? ''), { ...period });
}

/**
 * The periods since a checkpoint; undefined if the record of one is incomplete or its entire disk
 * was replaced. Call it before the backup begins a new period.
 */
export function findPeriodsSince(
  ctx: RuleContext,
  disk: string,
  checkpoint: string,
): readonly ChangePeriod[] | undefined {
  const periods = listPeriods(ctx.tx, disk);
  const first = periods.findIndex((one) => one.checkpoint === checkpoint);
  if (first < 0) return undefined;
  const since = periods.slice(first);
  return since.every((one) => isKnown(ctx, one)) ? since : undefined;
}

/**
 * Whether the record of a period is complete: one without writes has no file, any other must have
 * its bitmap.
 */
function isKnown(ctx: RuleContext, period: ChangePeriod): boolean {
  const record = ctx.tx.images.get(period.id);
  if (!record || record.lost || period.everything) return false;
  return !record.written || ctx.site.images.hasBitmap(period.id, period.size);
}

/**
 * Removes a checkpoint of a disk. Its period becomes part of the previous one, or is removed if it
 * is the first.
 */
export function forgetCheckpoint(ctx: RuleContext, disk: string, checkpoint: string): void {
  const periods = listPeriods(ctx.tx, disk);
  const first = periods.findIndex((one) => one.checkpoint === checkpoint);
  const period = periods[first];
  if (!period) return;
  if (first > 0) {
    const { checkpoint: _gone, ...rest } = period;
    update(ctx.tx, disk, rest);
    return;
  }
  const next = periods.findIndex((one, index) => index > 0 && one.checkpoint !== undefined);
  for (const one of next < 0 ? periods : periods.slice(0, next)) drop(ctx, disk, one);
}

/** Removes all records of a disk: its next backup is a full one. */
export function forgetChanges(ctx: RuleContext, disk: string): void {
  for (const period of listPeriods(ctx.tx, disk)) drop(ctx, disk, period);
}

/** Records that an entire disk is about to be replaced. */
export function recordReplaced(tx: Transaction, disk: string): void {
  const period = findTrackedPeriod(tx, disk);
  if (period) update(tx, disk, { ...period, everything: true });
}

/** Records that the writes of a period are unknown. Returns whether the period exists. */
export function recordUnknown(tx: Transaction, id: string): boolean {
  const period = tx.get(kind, id);
  if (!period) return false;
  tx.update(kind, { ...period, everything: true });
  return true;
}

function update(tx: Transaction, disk: string, period: ChangePeriod): void {
  tx.update(kind, { ...period }, formatPath(disk));
}

function drop(ctx: RuleContext, disk: string, { id }: ChangePeriod): void {
  ctx.tx.remove(kind, id, formatPath(disk));
  ctx.afterCommit.push(() => ctx.site.images.remove(id));
}
