/**
 * What is known of the changes of a disk. Each backup that leaves a checkpoint ends a period of the disk
 * and begins another one; a period has a dirty bitmap, in a file beside the images that has its id. What
 * has changed since a checkpoint is what was written in any period since.
 */
import type { Resource } from '../../model/resource.ts';
import type { RuleContext } from '../core/context.ts';
import { definedMembers } from '../core/member-selection.ts';
import type { ObjectOf, Transaction } from '../store/transaction.ts';

type Disk = Resource<'disk'>;

/** A period of a disk. */
export interface Period {
  readonly id: string;
  /** Bytes of the disk when it began: what came later is dirty. */
  readonly size: number;
  /** The checkpoint that it begins with; none where it goes on with the one before. */
  readonly checkpoint?: string;
  /** All of the disk was replaced; nothing more is noted. */
  readonly everything?: boolean;
}

const kind = 'dirty_bitmap';

function pathOf(disk: string): string {
  return `/disks/${disk}/dirtybitmaps`;
}

function asPeriod({ id, size, checkpoint, everything }: ObjectOf<typeof kind>): Period[] {
  if (id === undefined || size === undefined) return [];
  return [{ id, size, ...definedMembers({ checkpoint, everything }) }];
}

/** The periods of a disk, the first one first. */
function periodsOf(tx: Transaction, disk: string): readonly Period[] {
  return tx.list(kind, { where: { collection: pathOf(disk) } }).flatMap(asPeriod);
}

/** The period that goes on now, in which what is written must be noted. */
export function trackedPeriod(tx: Transaction, disk: string): Period | undefined {
  const period = periodsOf(tx, disk).at(-1);
  return period?.everything ? undefined : period;
}

/** Begins a period. The disk must be one that nobody writes into at this moment. */
export function beginPeriod(ctx: RuleContext, disk: Disk, checkpoint: string): void {
  const id = ctx.site.newId();
  const period: Period = { id, size: Number(disk.provisioned_size ?? 0), checkpoint };
  ctx.tx.images.blank(id, 0);
  ctx.tx.insert(kind, pathOf(disk.id ?? ''), { ...period });
}

/**
 * The periods since a checkpoint, up to now; undefined where it is not known of each what was written,
 * or everything was. To be asked before the backup begins a period of its own.
 */
export function periodsSince(
  ctx: RuleContext,
  disk: string,
  checkpoint: string,
): readonly Period[] | undefined {
  const periods = periodsOf(ctx.tx, disk);
  const first = periods.findIndex((one) => one.checkpoint === checkpoint);
  if (first < 0) return undefined;
  const since = periods.slice(first);
  return since.every((one) => isKnown(ctx, one)) ? since : undefined;
}

/** A period in which nothing was written has no file; one with bytes in it must be there. */
function isKnown(ctx: RuleContext, period: Period): boolean {
  const record = ctx.tx.images.get(period.id);
  if (!record || record.lost || period.everything) return false;
  return !record.written || ctx.site.images.hasBitmap(period.id, period.size);
}

/** Forgets a checkpoint of a disk: its period goes on with the one before, or was for nobody. */
export function forgetCheckpoint(ctx: RuleContext, disk: string, checkpoint: string): void {
  const periods = periodsOf(ctx.tx, disk);
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

/** Forgets all that is known of the changes of a disk: its next backup is a full one. */
export function forgetChanges(ctx: RuleContext, disk: string): void {
  for (const period of periodsOf(ctx.tx, disk)) drop(ctx, disk, period);
}

/** Notes that all of a disk is replaced, before that is done. */
export function noteReplaced(tx: Transaction, disk: string): void {
  const period = trackedPeriod(tx, disk);
  if (period) update(tx, disk, { ...period, everything: true });
}

/** Notes that it is not known what was written in a period; true where there is such a period. */
export function noteUnknown(tx: Transaction, id: string): boolean {
  const period = tx.get(kind, id);
  if (!period) return false;
  tx.update(kind, { ...period, everything: true });
  return true;
}

function update(tx: Transaction, disk: string, period: Period): void {
  tx.update(kind, { ...period }, pathOf(disk));
}

function drop(ctx: RuleContext, disk: string, { id }: Period): void {
  ctx.tx.remove(kind, id, pathOf(disk));
  ctx.afterCommit.push(() => ctx.site.images.remove(id));
}
