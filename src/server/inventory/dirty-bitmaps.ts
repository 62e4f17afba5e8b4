/**
 * Records of disk changes. Each backup with a checkpoint ends a period of the disk and begins
 * another. A period has a dirty bitmap: a file in the image folder that is named by its id. The
 * changes since a checkpoint are the writes of all later periods. While a hypervisor runs the VM, it
 * records the writes of a live period, and the next backup stores them in its bitmap.
 */
import type { Resource } from '../../model/resource.ts';
import type { RuleContext } from '../core/context.ts';
import type { WriteRecording } from '../core/hypervisor.ts';
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
  /** Whether a hypervisor records the writes. They are unknown until the next backup. */
  readonly live?: boolean;
}

const kind = 'dirty_bitmap';

function formatPath(disk: string): string {
  return `/disks/${disk}/dirtybitmaps`;
}

function asPeriod(stored: ObjectOf<typeof kind>): ChangePeriod[] {
  const { id, size, checkpoint, everything, live } = stored;
  if (id === undefined || size === undefined) return [];
  return [{ id, size, ...pickDefined({ checkpoint, everything, live }) }];
}

/** The periods of a disk, oldest first. */
function listPeriods(tx: Transaction, disk: string): readonly ChangePeriod[] {
  return tx.list(kind, { where: { collection: formatPath(disk) } }).flatMap(asPeriod);
}

/** The current period, which must record all writes of clients. */
export function findTrackedPeriod(tx: Transaction, disk: string): ChangePeriod | undefined {
  const period = listPeriods(tx, disk).at(-1);
  return period?.everything || period?.live ? undefined : period;
}

/**
 * Begins a period. No client may write to the disk at this time. If it is `live`, the hypervisor
 * must record the writes from the copy of the disk on.
 */
export function beginPeriod(
  ctx: RuleContext,
  disk: Disk,
  checkpoint: string,
  live?: boolean,
): void {
  const id = ctx.site.newId();
  const size = Number(disk.provisioned_size ?? 0);
  const period: ChangePeriod = { id, size, checkpoint, ...(live ? { live } : {}) };
  ctx.tx.images.blank(id, 0);
  ctx.tx.insert(kind, formatPath(disk.id ?? ''), { ...period });
}

/**
 * The periods since a checkpoint; undefined if the record of one is incomplete or its entire disk
 * was replaced. Call it before the backup begins a new period. Includes live periods if `live`.
 */
export function findPeriodsSince(
  ctx: RuleContext,
  disk: string,
  checkpoint: string,
  live = false,
): readonly ChangePeriod[] | undefined {
  const periods = listPeriods(ctx.tx, disk);
  const first = periods.findIndex((one) => one.checkpoint === checkpoint);
  if (first < 0) return undefined;
  const since = periods.slice(first);
  const isUsable = (one: ChangePeriod) =>
    (one.live && live && !one.everything) || isKnown(ctx, one);
  return since.every(isUsable) ? since : undefined;
}

/** The recording of a disk by a hypervisor at a backup; undefined if its new period is not live. */
export function findRecording(
  ctx: RuleContext,
  disk: string,
  checkpoint: string,
): WriteRecording | undefined {
  const live = listPeriods(ctx.tx, disk).filter((one) => one.live);
  const begun = live.find((one) => one.checkpoint === checkpoint);
  if (!begun) return undefined;
  const ended = live.filter((one) => one !== begun && !one.everything);
  return { begins: begun.id, ends: ended.map(({ id, size }) => ({ id, size })) };
}

/**
 * Ends the live periods of a recording after the hypervisor has stored their writes. In a period that
 * it has omitted, all blocks count as changed.
 */
export function endLivePeriods(ctx: RuleContext, disk: string, { begins }: WriteRecording): void {
  for (const { live, ...period } of listPeriods(ctx.tx, disk)) {
    if (!live || period.id === begins) continue;
    const isStored = ctx.tx.images.get(period.id)?.written && isKnown(ctx, period);
    update(ctx.tx, disk, isStored ? period : { ...period, everything: true });
  }
}

/** Whether the writes of all periods of a disk with these ids are known. */
export function areKnown(ctx: RuleContext, disk: string, ids: readonly string[]): boolean {
  const periods = listPeriods(ctx.tx, disk);
  return ids.every((id) => periods.some((one) => one.id === id && isKnown(ctx, one)));
}

/**
 * Whether the record of a period is complete: one without writes has no file, any other must have
 * its bitmap.
 */
function isKnown(ctx: RuleContext, period: ChangePeriod): boolean {
  const record = ctx.tx.images.get(period.id);
  if (!record || record.lost || period.everything || period.live) return false;
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
  const period = listPeriods(tx, disk).at(-1);
  if (period && !period.everything) update(tx, disk, { ...period, everything: true });
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
