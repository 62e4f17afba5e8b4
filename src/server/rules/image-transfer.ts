/** Rules of image transfers: tickets for the image daemon, and what becomes of the disk. */

import type { EventCode } from '../../model/events.ts';
import { imageTransfer as lifecycle } from '../../model/lifecycles/image-transfer.ts';
import type { Resource } from '../../model/resource.ts';
import { begin, onArrival, requireState } from '../jobs/moves.ts';
import type { StoredObject } from '../store/document.ts';
import type { RuleContext, TransferTicket } from './context.ts';
import { hostsUp } from './data-center.ts';
import { dataCenterOf, domainOf, vmsOf } from './disk.ts';
import { type Addressed, rules } from './notation.ts';
import { measured } from './storage-space.ts';

/** A transfer as it is stored; the ticket shows only at the end of its URLs. */
export type Transfer = Resource<'image_transfer'> & { ticket?: string; finished?: number };
type Disk = Resource<'disk'>;

/** The first bytes of a qcow2 image. */
const qcowMagic = [0x51, 0x46, 0x49, 0xfb];

export const imageTransferRules = rules({
  kind: 'image_transfer',
  lifecycle,
  addsAtOnce: true,

  prepare(ctx, transfer) {
    const disk = diskOf(ctx, transfer);
    const words = { action: 'add', type: 'image transfer', names: disk.alias ?? disk.id };
    if (disk.status === 'locked') ctx.refuse('DISK_IS_LOCKED', words);
    if (disk.status === 'illegal' && transfer.direction === 'download') {
      ctx.refuse('DISK_IS_ILLEGAL', words);
    }
    const users = vmsOf(ctx, disk).filter(
      ({ vm, attachment }) => attachment.active && vm.status !== 'down',
    );
    if (users.length > 0) {
      const names = users.map(({ vm }) => vm.name).join(', ');
      ctx.refuse('DISK_IS_IN_USE', { action: 'transfer', names });
    }
    transfer.direction ??= 'upload';
    transfer.format ??= disk.format ?? 'raw';
    if (transfer.format !== disk.format) {
      ctx.refuse('TRANSFER_FORMAT_NEEDS_CONVERSION', {
        action: 'add',
        diskFormat: disk.format,
        format: transfer.format,
      });
    }
    transfer.disk = { id: disk.id ?? '' };
    transfer.image = { id: disk.id ?? '' };
    transfer.host = { id: transfer.host?.id ?? chooseHost(ctx, disk) };
    transfer.inactivity_timeout ??= 60;
    transfer.timeout_policy ??= 'legacy';
    transfer.phase = 'initializing';
    transfer.active = false;
    transfer.transferred = 0;
    (transfer as Transfer).ticket = ctx.site.newId();
  },

  added(ctx, { object }) {
    const disk = diskOf(ctx, object);
    ctx.tx.update('disk', { ...disk, status: 'locked' });
    openTicket(ctx, object, disk);
    move(ctx, object, 'add');
  },

  present(ctx, object) {
    const transfer: Transfer = object;
    const ticket = transfer.ticket;
    if (!ticket || transfer.finished !== undefined) return {};
    const url = `${ctx.site.tickets.url}/images/${ticket}`;
    return { transfer_url: url, proxy_url: url, ...ctx.site.tickets.progress(ticket) };
  },

  actions: {
    extend(ctx, { object }) {
      requireState(ctx, 'image_transfer', object as StoredObject, 'pause');
      return undefined;
    },
    pause(ctx, target) {
      requireState(ctx, 'image_transfer', target.object as StoredObject, 'pause');
      if (target.object.direction === 'download') {
        ctx.refuse('DOWNLOAD_CANNOT_BE_PAUSED', { action: 'pause' });
      }
      closeTicket(ctx, target.object);
      return move(ctx, withProgress(ctx, target.object), 'pause');
    },
    resume(ctx, target) {
      requireState(ctx, 'image_transfer', target.object as StoredObject, 'resume');
      openTicket(ctx, target.object, diskOf(ctx, target.object));
      return move(ctx, target.object, 'resume');
    },
    finalize: (ctx, target) => end(ctx, target, 'finalize'),
    cancel: (ctx, target) => end(ctx, target, 'cancel'),
  },
});

function end(
  ctx: RuleContext,
  { object }: Addressed<'image_transfer'>,
  how: 'finalize' | 'cancel',
): undefined {
  requireState(ctx, 'image_transfer', object as StoredObject, how);
  closeTicket(ctx, object);
  return move(ctx, withProgress(ctx, object), how);
}

onArrival('image_transfer', {
  describe: (ctx, object) => {
    const transfer = object as Transfer;
    const disk = ctx.tx.get('disk', transfer.disk?.id ?? '');
    const domain = disk && domainOf(ctx, disk);
    return {
      subjects: domain ? { storage_domain: domain } : {},
      words: {
        TransferType: transfer.direction === 'download' ? 'Download' : 'Upload',
        DiskAlias: disk?.alias ?? transfer.disk?.id ?? '',
      },
    };
  },
  arrived: {
    finalize(ctx, object) {
      const transfer = object as Transfer;
      const whole = transfer.direction === 'download' || isWhole(ctx, transfer);
      settleDisk(ctx, transfer, whole ? 'ok' : 'illegal');
      return finished(ctx, { ...object, phase: whole ? 'finished_success' : 'finished_failure' });
    },
    cancel(ctx, object) {
      const transfer = object as Transfer;
      // Half an upload is no disk; a download leaves it as it was.
      settleDisk(ctx, transfer, transfer.direction === 'download' ? 'ok' : 'illegal');
      return finished(ctx, object);
    },
    fail(ctx, object) {
      const transfer = object as Transfer;
      settleDisk(ctx, transfer, transfer.direction === 'download' ? 'ok' : 'illegal');
      return finished(ctx, object);
    },
  },
});

function finished(ctx: RuleContext, object: StoredObject): StoredObject {
  return { ...object, active: false, finished: ctx.now.getTime() };
}

/** A qcow2 disk must have received a qcow2 image. */
function isWhole(ctx: RuleContext, transfer: Transfer): boolean {
  const disk = ctx.tx.get('disk', transfer.disk?.id ?? '');
  if (!disk?.id || disk.format !== 'cow') return true;
  const head = ctx.site.images.head(disk.id, qcowMagic.length);
  return qcowMagic.every((byte, index) => head[index] === byte);
}

function settleDisk(ctx: RuleContext, transfer: Transfer, status: 'ok' | 'illegal'): void {
  const disk = ctx.tx.get('disk', transfer.disk?.id ?? '');
  if (disk) ctx.tx.update('disk', measured(ctx, { ...disk, status }));
}

function diskOf(ctx: RuleContext, transfer: Transfer): Disk {
  const id = transfer.disk?.id ?? transfer.image?.id ?? '';
  const disk = ctx.tx.get('disk', id);
  if (!disk) ctx.refuse('DISK_IS_ILLEGAL', { action: 'transfer', type: 'image', names: id });
  return disk;
}

function chooseHost(ctx: RuleContext, disk: Disk): string {
  const domain = domainOf(ctx, disk);
  const dataCenter = domain && dataCenterOf(ctx, domain);
  const [host] = dataCenter ? hostsUp(ctx, dataCenter) : [];
  if (!host?.id) {
    ctx.refuse('NO_HOST_IN_DATA_CENTER', { action: 'add', type: 'image transfer' });
  }
  return host.id;
}

/** Opens the ticket of a transfer once the transaction is durable, before it is answered. */
function openTicket(ctx: RuleContext, transfer: Transfer, disk: Disk): void {
  const ticket = ticketOf(ctx.site.images.sizes(disk.id ?? '').length, transfer, disk);
  ctx.afterCommit.push(() => ctx.site.tickets.open(ticket));
}

/** The ticket of a transfer; `length` is that of the image file, in bytes. */
export function ticketOf(length: number, transfer: Transfer, disk: Disk): TransferTicket {
  const virtual = Number(disk.provisioned_size ?? 0);
  const upload = transfer.direction !== 'download';
  // The tables of a qcow2 image take room beside the data.
  const size =
    disk.format === 'cow' ? (upload ? Math.ceil(virtual * 1.1) + 2 ** 20 : length) : virtual;
  return {
    id: transfer.ticket ?? '',
    diskId: disk.id ?? '',
    size,
    length: disk.format === 'cow' ? 0 : virtual,
    direction: upload ? 'upload' : 'download',
    inactivityTimeout: transfer.inactivity_timeout ?? 60,
    sparse: disk.sparse ?? false,
    filename: disk.alias ?? disk.id ?? '',
  };
}

function closeTicket(ctx: RuleContext, transfer: Transfer): void {
  const { ticket } = transfer;
  if (ticket) ctx.afterCommit.push(() => ctx.site.tickets.close(ticket));
}

function withProgress(ctx: RuleContext, transfer: Transfer): Transfer {
  const progress = transfer.ticket ? ctx.site.tickets.progress(transfer.ticket) : undefined;
  return { ...transfer, ...(progress ? { transferred: progress.transferred } : {}), active: false };
}

function move(ctx: RuleContext, transfer: Transfer, operation: string): undefined {
  const journey = {
    kind: 'image_transfer' as const,
    collection: '/imagetransfers',
    id: transfer.id ?? '',
    operation,
  };
  begin(ctx, journey, transfer as StoredObject);
  return undefined;
}

/**
 * Ends or pauses a transfer that nobody used for too long, as its policy says: `legacy` pauses
 * uploads and cancels downloads.
 */
export function timedOut(ctx: RuleContext, transfer: Transfer): void {
  const words = {
    TransferType: transfer.direction === 'download' ? 'Download' : 'Upload',
    DiskAlias: ctx.tx.get('disk', transfer.disk?.id ?? '')?.alias ?? '',
    Seconds: transfer.inactivity_timeout,
  };
  const legacy = transfer.timeout_policy === 'legacy';
  const pauses = legacy ? transfer.direction !== 'download' : transfer.timeout_policy === 'pause';
  const code: EventCode = legacy ? (pauses ? 1071 : 1072) : pauses ? 1077 : 1076;
  ctx.event(code, {}, words);
  closeTicket(ctx, transfer);
  const current = withProgress(ctx, transfer);
  if (pauses) ctx.tx.update('image_transfer', { ...current, phase: 'paused_system' });
  else move(ctx, current, 'fail');
}
