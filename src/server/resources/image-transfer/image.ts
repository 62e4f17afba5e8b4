/**
 * The image of an image transfer: that of a disk, of a snapshot, or a temporary file if the client
 * uses another format than the disk.
 */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import type { ImageForm, Site, TransferTicket } from '../../core/ports.ts';
import { beginWork } from '../../core/tasks.ts';
import { findFrozenImage, getBackupChanges } from '../../inventory/backup-images.ts';
import { findTrackedPeriod, recordReplaced } from '../../inventory/dirty-bitmaps.ts';
import { updateSizes } from '../../inventory/storage-space.ts';
import type { ObjectOf } from '../../store/transaction.ts';

/** A stored transfer. */
export type Transfer = ObjectOf<'image_transfer'>;
type Disk = Resource<'disk'>;

/** The disk of a transfer. */
export function requireTransferDisk(ctx: RuleContext, transfer: Transfer): Disk {
  const image = ctx.tx.get('disk_snapshot', transfer.snapshot?.id ?? '');
  const id = image?.disk?.id ?? transfer.disk?.id ?? transfer.image?.id ?? '';
  const disk = ctx.tx.get('disk', id);
  if (!disk) ctx.refuse('DISK_IS_ILLEGAL', { action: 'transfer', type: 'image', names: id });
  const frozen = findFrozenImage(ctx, transfer.backup?.id, id);
  // The disk may have grown since the start of the backup.
  return frozen ? { ...disk, provisioned_size: frozen.provisioned_size ?? 0 } : disk;
}

/** Id of the image file with the content of the disk or snapshot. */
function getSourceId(transfer: Transfer, disk: Disk): string {
  return transfer.snapshot?.id ?? transfer.frozen ?? disk.id ?? '';
}

/** Id of the file that the client reads or writes. */
export function getTransferFile(transfer: Transfer, disk: Disk): string {
  return transfer.scratch ? (transfer.id ?? '') : getSourceId(transfer, disk);
}

/**
 * Chooses the file that the client uses: the file of the disk, the inside of its qcow2 image, or a
 * temporary file for another format. A qcow2 disk that was never written has no image to read.
 */
export function chooseFile(ctx: RuleContext, transfer: Transfer, disk: Disk): void {
  const frozen = findFrozenImage(ctx, transfer.backup?.id, disk.id)?.id;
  if (frozen) transfer.frozen = frozen;
  const changes = getBackupChanges(ctx, transfer.backup?.id, disk.id);
  if (changes) transfer.changes = changes;
  const other = transfer.format !== disk.format;
  const download = transfer.direction === 'download';
  const empty = ctx.site.images.sizes(getSourceId(transfer, disk)).length === 0;
  if (other && disk.format === 'cow' && !(download && empty) && ctx.site.tickets.opensQcow2) {
    transfer.inside = true;
  } else if (other || (download && disk.format === 'cow' && empty)) transfer.scratch = true;
}

/**
 * Records the writes of an upload in the dirty bitmap of its disk. Call it before the ticket opens.
 */
export function trackUpload(ctx: RuleContext, transfer: Transfer, disk: Disk): void {
  const period = findTrackedPeriod(ctx.tx, disk.id ?? '');
  if (!period || transfer.direction === 'download' || transfer.scratch) return;
  if (transfer.inside) transfer.tracks = { id: period.id, size: period.size };
  // A client that writes the qcow2 image itself may change any byte of the disk.
  else recordReplaced(ctx.tx, disk.id ?? '');
}

/** Whether a file must be created before the client can use it. */
export function needsPreparation({ scratch, inside, direction }: Transfer): boolean {
  return inside === true || (scratch === true && direction === 'download');
}

/** Whether the preparation is running. */
export function isPreparing(transfer: Transfer): boolean {
  return needsPreparation(transfer) && !transfer.prepared && transfer.phase === 'initializing';
}

/** A transfer and its disk at the start of the preparation. */
export interface Preparation {
  readonly transfer: Transfer;
  readonly disk: Disk;
}

/** Name of the preparation work. */
export const preparing = 'prepare transfer';

/** Creates the file for the client and opens the ticket. Rejects on failure. */
export async function makePrepared(site: Site, { transfer, disk }: Preparation): Promise<void> {
  const file = getTransferFile(transfer, disk);
  if (transfer.scratch) {
    await site.images.convert(
      getSourceId(transfer, disk),
      file,
      getConversion(transfer, disk, 'out'),
    );
  }
  await site.tickets.open(createTransferTicket(site.images.sizes(file).length, transfer, disk));
}

/** Removes the file of a transfer that was cancelled during the preparation. */
export function discardPrepared(ctx: RuleContext, transfer: Transfer): void {
  if (transfer.ticket) closeTicket(ctx, transfer);
  dropScratch(ctx, transfer);
}

/** Schedules the preparation. */
export function prepare(ctx: RuleContext, transfer: Transfer, disk: Disk): void {
  const data: Preparation = { transfer, disk };
  beginWork(ctx, preparing, `image_transfer:${transfer.id}`, data);
}

/** Image conversion from the disk to the client, or the other direction. */
export function getConversion(transfer: Transfer, disk: Disk, way: 'in' | 'out'): ImageForm {
  const [inside, outside] = [disk.format ?? 'raw', transfer.format ?? 'raw'] as const;
  const size = Number(disk.provisioned_size ?? 0);
  return way === 'out'
    ? { from: inside, to: outside, size, whole: true }
    : { from: outside, to: inside, size, whole: true };
}

/**
 * Opens the ticket of a transfer after the commit and before the response. Returns the transfer
 * with the server of its ticket.
 */
export function openTicket(ctx: RuleContext, transfer: Transfer, disk: Disk): Transfer {
  const { length } = ctx.site.images.sizes(getTransferFile(transfer, disk));
  const ticket = createTransferTicket(length, transfer, disk);
  ctx.afterCommit.push(() => ctx.site.tickets.openOrStop(ticket, transfer.id ?? ''));
  return ctx.site.tickets.assignment.assign(transfer);
}

/**
 * URL of the daemon of a transfer; undefined while its server is down and no other has taken over.
 */
export function findDaemonUrl(ctx: RuleContext, transfer: Transfer): string | undefined {
  const { assignment, url } = ctx.site.tickets;
  return assignment.isHere(transfer) ? url : assignment.findDaemonUrl(ctx.tx, transfer);
}

export function closeTicket(ctx: RuleContext, transfer: Transfer): void {
  const { ticket } = transfer;
  if (ticket) ctx.afterCommit.push(() => ctx.site.tickets.close(ticket));
}

/** Records the final state of a closed ticket: bytes transferred, and size of the closed image. */
export function recordClosedTicket(ctx: RuleContext, ticket: string, transferred: number): void {
  const transfers: readonly Transfer[] = ctx.tx.list('image_transfer');
  const transfer = transfers.find((one) => one.ticket === ticket);
  // The state of a server that has taken over has precedence.
  if (!transfer || !ctx.site.tickets.assignment.isHere(transfer)) return;
  if (Number(transfer.transferred ?? 0) < transferred) {
    ctx.tx.update('image_transfer', { ...transfer, transferred });
  }
  if (transferred === 0) return;
  const disk = ctx.tx.get('disk', transfer.disk?.id ?? '');
  if (disk && transfer.direction !== 'download') ctx.tx.update('disk', updateSizes(ctx, disk));
}

/** Deletes the temporary file of a transfer. */
function dropScratch(ctx: RuleContext, transfer: Transfer): void {
  const { id, scratch } = transfer;
  if (id && scratch) ctx.afterCommit.push(() => ctx.site.images.remove(id));
}

/** The ticket of a transfer. `length` is the length of the image file in bytes. */
export function createTransferTicket(
  length: number,
  transfer: Transfer,
  disk: Disk,
): TransferTicket {
  const virtual = Number(disk.provisioned_size ?? 0);
  const upload = transfer.direction !== 'download';
  const cow = (transfer.format ?? disk.format) === 'cow';
  // The tables of a qcow2 image need space in addition to the data.
  const size = cow ? (upload ? Math.ceil(virtual * 1.1) + 2 ** 20 : length) : virtual;
  return {
    id: transfer.ticket ?? '',
    diskId: getTransferFile(transfer, disk),
    size,
    length: cow ? 0 : virtual,
    direction: upload ? 'upload' : 'download',
    inactivityTimeout: transfer.inactivity_timeout ?? 60,
    sparse: disk.sparse ?? false,
    filename: disk.alias ?? disk.id ?? '',
    ...(transfer.tracks ? { tracks: transfer.tracks } : {}),
    ...(transfer.changes ? { changes: transfer.changes } : {}),
    ...(transfer.inside ? { qcow2: disk.qcow_version === 'qcow2_v2' ? 2 : 3 } : {}),
  };
}

/** Locks the image of a transfer against changes. */
export function lockImage(ctx: RuleContext, transfer: Transfer, disk: Disk): void {
  const image = ctx.tx.get('disk_snapshot', transfer.snapshot?.id ?? '');
  if (image) ctx.tx.update('disk_snapshot', { ...image, status: 'locked' });
  else if (!transfer.shared) ctx.tx.update('disk', { ...disk, status: 'locked' });
}

/** Unlocks the image of an ended transfer. */
export function releaseImage(ctx: RuleContext, transfer: Transfer, status: 'ok' | 'illegal'): void {
  dropScratch(ctx, transfer);
  const image = ctx.tx.get('disk_snapshot', transfer.snapshot?.id ?? '');
  if (image) ctx.tx.update('disk_snapshot', { ...image, status: 'ok' });
  if (image || transfer.shared) return;
  const disk = ctx.tx.get('disk', transfer.disk?.id ?? '');
  if (disk) ctx.tx.update('disk', updateSizes(ctx, { ...disk, status }));
}
