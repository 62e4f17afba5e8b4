/**
 * The image behind an image transfer: that of a disk, of a snapshot, or a file of its own where the
 * client speaks another format than the disk.
 */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import type { ImageForm, Site, TransferTicket } from '../../core/ports.ts';
import { beginWork } from '../../core/tasks.ts';
import { changesIn, frozenImage } from '../../inventory/backup-images.ts';
import { noteReplaced, trackedPeriod } from '../../inventory/dirty-bitmaps.ts';
import { measured } from '../../inventory/storage-space.ts';
import type { ObjectOf } from '../../store/transaction.ts';

/** A transfer as it is stored. */
export type Transfer = ObjectOf<'image_transfer'>;
type Disk = Resource<'disk'>;

/** The disk that a transfer is about. */
export function diskOf(ctx: RuleContext, transfer: Transfer): Disk {
  const image = ctx.tx.get('disk_snapshot', transfer.snapshot?.id ?? '');
  const id = image?.disk?.id ?? transfer.disk?.id ?? transfer.image?.id ?? '';
  const disk = ctx.tx.get('disk', id);
  if (!disk) ctx.refuse('DISK_IS_ILLEGAL', { action: 'transfer', type: 'image', names: id });
  const frozen = frozenImage(ctx, transfer.backup?.id, id);
  // It may have grown since the backup began.
  return frozen ? { ...disk, provisioned_size: frozen.provisioned_size ?? 0 } : disk;
}

/** Id of the file in which the disk, or its snapshot, has the bytes. */
function originOf(transfer: Transfer, disk: Disk): string {
  return transfer.snapshot?.id ?? transfer.frozen ?? disk.id ?? '';
}

/** Id of the file that the client reads or writes. */
export function fileOf(transfer: Transfer, disk: Disk): string {
  return transfer.scratch ? (transfer.id ?? '') : originOf(transfer, disk);
}

/**
 * Decides how a client gets at the bytes in its format: in the file of the disk, inside the qcow2
 * image there, or else in a file of the transfer's own. A qcow2 disk that was never written has no
 * image to be read.
 */
export function chooseFile(ctx: RuleContext, transfer: Transfer, disk: Disk): void {
  const frozen = frozenImage(ctx, transfer.backup?.id, disk.id)?.id;
  if (frozen) transfer.frozen = frozen;
  const changes = changesIn(ctx, transfer.backup?.id, disk.id);
  if (changes) transfer.changes = changes;
  const other = transfer.format !== disk.format;
  const download = transfer.direction === 'download';
  const empty = ctx.site.images.sizes(originOf(transfer, disk)).length === 0;
  if (other && disk.format === 'cow' && !(download && empty) && ctx.site.tickets.opensQcow2) {
    transfer.inside = true;
  } else if (other || (download && disk.format === 'cow' && empty)) transfer.scratch = true;
}

/** Has an upload noted in the dirty bitmap of its disk. To be called before it is opened. */
export function trackUpload(ctx: RuleContext, transfer: Transfer, disk: Disk): void {
  const period = trackedPeriod(ctx.tx, disk.id ?? '');
  if (!period || transfer.direction === 'download' || transfer.scratch) return;
  if (transfer.inside) transfer.tracks = { id: period.id, size: period.size };
  // Whoever writes the qcow2 image itself may change any byte of the disk.
  else noteReplaced(ctx.tx, disk.id ?? '');
}

/** Whether something has to be made before the client gets at the bytes. */
export function needsPreparation({ scratch, inside, direction }: Transfer): boolean {
  return inside === true || (scratch === true && direction === 'download');
}

/** Whether that is being made. */
export function isPreparing(transfer: Transfer): boolean {
  return needsPreparation(transfer) && !transfer.prepared && transfer.phase === 'initializing';
}

/** A transfer for which something is being made, as it was when that began. */
export interface Preparation {
  readonly transfer: Transfer;
  readonly disk: Disk;
}

/** Name of the work that a preparation is. */
export const preparing = 'prepare transfer';

/** Makes what the client will read or write, and opens the ticket. Rejects when that is not possible. */
export async function makePrepared(site: Site, { transfer, disk }: Preparation): Promise<void> {
  const file = fileOf(transfer, disk);
  if (transfer.scratch) {
    await site.images.convert(originOf(transfer, disk), file, formOf(transfer, disk, 'out'));
  }
  await site.tickets.open(ticketOf(site.images.sizes(file).length, transfer, disk));
}

/** Undoes what was made for a transfer that was cancelled meanwhile. */
export function discardPrepared(ctx: RuleContext, transfer: Transfer): void {
  if (transfer.ticket) closeTicket(ctx, transfer);
  dropScratch(ctx, transfer);
}

/** Begins to make what the client will read or write. */
export function prepare(ctx: RuleContext, transfer: Transfer, disk: Disk): void {
  const data: Preparation = { transfer, disk };
  beginWork(ctx, preparing, `image_transfer:${transfer.id}`, data);
}

/** How bytes are brought out of the disk to the client, or in from the client. */
export function formOf(transfer: Transfer, disk: Disk, way: 'in' | 'out'): ImageForm {
  const [inside, outside] = [disk.format ?? 'raw', transfer.format ?? 'raw'] as const;
  const size = Number(disk.provisioned_size ?? 0);
  return way === 'out'
    ? { from: inside, to: outside, size, whole: true }
    : { from: outside, to: inside, size, whole: true };
}

/**
 * Opens the ticket of a transfer once the transaction is durable, before it is answered. Returns the
 * transfer, with the server that has its ticket.
 */
export function openTicket(ctx: RuleContext, transfer: Transfer, disk: Disk): Transfer {
  const { length } = ctx.site.images.sizes(fileOf(transfer, disk));
  const ticket = ticketOf(length, transfer, disk);
  ctx.afterCommit.push(() => ctx.site.tickets.openOrStop(ticket, transfer.id ?? ''));
  return atThisServer(ctx, transfer);
}

/** The transfer, when its ticket is at the daemon of this server. */
export function atThisServer(ctx: RuleContext, transfer: Transfer): Transfer {
  const { server } = ctx.site.tickets;
  return server === undefined ? transfer : { ...transfer, server };
}

/** Where the bytes of a transfer are moved; undefined while its server is gone and no other has taken over. */
export function daemonOf(ctx: RuleContext, { server }: Transfer): string | undefined {
  const { tickets } = ctx.site;
  const isHere = tickets.server === undefined || server === undefined || server === tickets.server;
  return isHere ? tickets.url : ctx.tx.servers.imagesOf(server);
}

export function closeTicket(ctx: RuleContext, transfer: Transfer): void {
  const { ticket } = transfer;
  if (ticket) ctx.afterCommit.push(() => ctx.site.tickets.close(ticket));
}

/**
 * Notes what only the end of a ticket tells: how much was moved since somebody looked, and how much
 * room the image takes now that it is closed.
 */
export function ticketClosed(ctx: RuleContext, ticket: string, transferred: number): void {
  const transfers: readonly Transfer[] = ctx.tx.list('image_transfer');
  const transfer = transfers.find((one) => one.ticket === ticket);
  if (!transfer) return;
  const { server, ...closed } = transfer;
  // Another server has taken over: what it moved counts.
  if (server !== undefined && server !== ctx.site.tickets.server) return;
  const before = Number(transfer.transferred ?? 0);
  if (before < transferred || server !== undefined) {
    ctx.tx.update('image_transfer', { ...closed, transferred: Math.max(before, transferred) });
  }
  if (transferred === 0) return;
  const disk = ctx.tx.get('disk', transfer.disk?.id ?? '');
  if (disk && transfer.direction !== 'download') ctx.tx.update('disk', measured(ctx, disk));
}

/** Deletes the file that a transfer had of its own. */
function dropScratch(ctx: RuleContext, transfer: Transfer): void {
  const { id, scratch } = transfer;
  if (id && scratch) ctx.afterCommit.push(() => ctx.site.images.remove(id));
}

/** The ticket of a transfer; `length` is that of the image file, in bytes. */
export function ticketOf(length: number, transfer: Transfer, disk: Disk): TransferTicket {
  const virtual = Number(disk.provisioned_size ?? 0);
  const upload = transfer.direction !== 'download';
  const cow = (transfer.format ?? disk.format) === 'cow';
  // The tables of a qcow2 image take room beside the data.
  const size = cow ? (upload ? Math.ceil(virtual * 1.1) + 2 ** 20 : length) : virtual;
  return {
    id: transfer.ticket ?? '',
    diskId: fileOf(transfer, disk),
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

/** Nobody else changes the image of a transfer. */
export function lockImage(ctx: RuleContext, transfer: Transfer, disk: Disk): void {
  const image = ctx.tx.get('disk_snapshot', transfer.snapshot?.id ?? '');
  if (image) ctx.tx.update('disk_snapshot', { ...image, status: 'locked' });
  else if (!transfer.shared) ctx.tx.update('disk', { ...disk, status: 'locked' });
}

/** The image of a transfer that has ended is free again. */
export function releaseImage(ctx: RuleContext, transfer: Transfer, status: 'ok' | 'illegal'): void {
  dropScratch(ctx, transfer);
  const image = ctx.tx.get('disk_snapshot', transfer.snapshot?.id ?? '');
  if (image) ctx.tx.update('disk_snapshot', { ...image, status: 'ok' });
  if (image || transfer.shared) return;
  const disk = ctx.tx.get('disk', transfer.disk?.id ?? '');
  if (disk) ctx.tx.update('disk', measured(ctx, { ...disk, status }));
}
