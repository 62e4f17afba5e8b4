/** Image transfers: tickets of the image daemon, and the state of the disk. */

import type { EventName } from '../../../model/events.ts';
import type { Resource } from '../../../model/resource.ts';
import { imageTransferLifecycle as lifecycle } from '../../../model/resources/image-transfer.ts';
import { defineBehavior, type LocatedObject } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { defineWork } from '../../core/declared-tasks.ts';
import { describeFailure } from '../../core/failure-cause.ts';
import type { TransitionHandlers, TransitionOf } from '../../core/transition-handlers.ts';
import { beginTransition, requireState } from '../../core/transitions.ts';
import { listHostsUp } from '../../inventory/data-center.ts';
import {
  findDomainDataCenter,
  findStorageDomain,
  listDiskVms,
  listPluggedVms,
} from '../../inventory/disk.ts';
import { requireBackupsBegun } from '../../inventory/snapshot-checks.ts';
import type { StoredObject } from '../../store/kinds.ts';
import {
  prepare as beginPreparation,
  chooseFile,
  closeTicket,
  discardPrepared,
  findDaemonUrl,
  getConversion,
  lockImage,
  makePrepared,
  needsPreparation,
  openTicket,
  type Preparation,
  preparing,
  releaseImage,
  requireTransferDisk,
  type Transfer,
  trackUpload,
} from './image.ts';

type Disk = Resource<'disk'>;

const transitions: TransitionHandlers<'image_transfer'> = {
  describe: (ctx, object) => describeTransfer(ctx, object),
  copies: {
    /** An upload in another format is converted; a qcow2 image from a client is validated. */
    finalize(ctx, object) {
      const transfer = object;
      if (transfer.direction === 'download') return [];
      const disk = requireTransferDisk(ctx, transfer);
      const id = disk.id ?? '';
      if (transfer.scratch) {
        return [{ from: transfer.id ?? '', to: id, form: getConversion(transfer, disk, 'in') }];
      }
      if (transfer.inside || disk.format !== 'cow') return [];
      return [{ from: id, to: id, check: { size: Number(disk.provisioned_size ?? 0) } }];
    },
  },
  onEnd: {
    finalize(ctx, object) {
      releaseImage(ctx, object, 'ok');
      return finish(ctx, { ...object, phase: 'finished_success' });
    },
    cancel: failTransfer,
    fail: failTransfer,
  },
  onCopyFailure: {
    finalize(ctx, object) {
      writeFailureEvent(ctx, object);
      return failTransfer(ctx, { ...object, phase: 'finished_failure' });
    },
  },
};

export const imageTransferBehavior = defineBehavior('image_transfer', {
  lifecycle,
  transitions,
  addsAtOnce: true,

  /** Engines use the first of image, disk and snapshot. */
  ignoredOnAdd(ctx, { image, disk }) {
    if (!ctx.site.dialect.engineAnswers) return [];
    if (image?.id) return ['disk', 'snapshot'];
    return disk?.id ? ['snapshot'] : [];
  },

  beforeCreate(ctx, object) {
    const transfer: Transfer = object;
    const named = [transfer.disk?.id ?? transfer.image?.id, transfer.snapshot?.id];
    if (named.every((id) => id !== undefined))
      ctx.refuse('TRANSFER_OF_ONE_IMAGE', { action: 'add' });
    const disk = requireTransferDisk(ctx, transfer);
    transfer.direction ??= 'upload';
    transfer.shared = isShared(ctx, transfer, disk);
    if (!transfer.shared) requireFree(ctx, transfer, disk);
    requireActiveDomain(ctx, disk);
    // A backup contains the disk as the guest sees it, for all image formats.
    transfer.format ??= transfer.backup?.id ? 'raw' : (disk.format ?? 'raw');
    if (transfer.backup?.id && transfer.format === 'cow') {
      ctx.refuse('TRANSFER_FORMAT_NOT_OF_BACKUP', { action: 'add' });
    }
    transfer.disk = { id: disk.id ?? '' };
    transfer.image = { id: disk.id ?? '' };
    transfer.host = { id: transfer.host?.id ?? chooseHost(ctx, disk) };
    transfer.inactivity_timeout ??= 60;
    transfer.timeout_policy ??= 'legacy';
    transfer.phase = 'initializing';
    transfer.active = false;
    transfer.transferred = 0;
    transfer.ticket = ctx.site.newId();
    chooseFile(ctx, transfer, disk);
    trackUpload(ctx, transfer, disk);
  },

  afterCreate(ctx, { object }) {
    const transfer: Transfer = object;
    const disk = requireTransferDisk(ctx, transfer);
    // An upload replaces the entire content of an illegal disk.
    if (disk.status === 'illegal' && disk.id) ctx.tx.images.emptied(disk.id);
    lockImage(ctx, transfer, disk);
    if (needsPreparation(transfer)) {
      beginPreparation(ctx, transfer, disk);
      return;
    }
    move(ctx, openTicket(ctx, transfer, disk), 'add');
  },

  present(ctx, object) {
    const transfer: Transfer = object;
    const ticket = transfer.ticket;
    if (!ticket || transfer.finished !== undefined) return {};
    const daemon = findDaemonUrl(ctx, transfer);
    if (daemon === undefined) return {};
    const url = `${daemon}/images/${ticket}`;
    return { transfer_url: url, proxy_url: url, ...ctx.site.tickets.progress(ticket) };
  },

  actions: {
    extend(ctx, { object }) {
      requireState(ctx, 'image_transfer', object, 'pause');
      const transfer: Transfer = object;
      const { ticket } = transfer;
      if (!ticket) return undefined;
      // The server of the transfer reads this time.
      if (!ctx.site.tickets.assignment.isHere(transfer)) {
        ctx.tx.update('image_transfer', { ...transfer, extended: ctx.steady });
      } else ctx.afterCommit.push(() => ctx.site.tickets.touch(ticket));
      return undefined;
    },
    pause(ctx, target) {
      requireState(ctx, 'image_transfer', target.object, 'pause');
      if (target.object.direction === 'download') {
        ctx.refuse('DOWNLOAD_CANNOT_BE_PAUSED', { action: 'pause' });
      }
      closeTicket(ctx, target.object);
      return move(ctx, withProgress(ctx, target.object), 'pause');
    },
    resume(ctx, target) {
      requireState(ctx, 'image_transfer', target.object, 'resume');
      return move(
        ctx,
        openTicket(ctx, target.object, requireTransferDisk(ctx, target.object)),
        'resume',
      );
    },
    finalize: (ctx, target) => end(ctx, target, 'finalize'),
    cancel: (ctx, target) => end(ctx, target, 'cancel'),
  },
});

/** Phases of a transfer in which engines accept another request to finalize it. */
const finalized: ReadonlySet<string> = new Set(['finalizing_success', 'finished_success']);

function end(
  ctx: RuleContext,
  { object }: LocatedObject<'image_transfer'>,
  how: 'finalize' | 'cancel',
): undefined {
  const isRepeated = how === 'finalize' && finalized.has(object.phase ?? '');
  if (isRepeated && ctx.site.dialect.engineAnswers) return undefined;
  requireState(ctx, 'image_transfer', object, how);
  closeTicket(ctx, object);
  return move(ctx, withProgress(ctx, object), how);
}

/** Subjects and parameters of the events of a transfer. */
function describeTransfer(ctx: RuleContext, transfer: Transfer) {
  const disk = ctx.tx.get('disk', transfer.disk?.id ?? '');
  const domain = disk && findStorageDomain(ctx, disk);
  return {
    subjects: domain ? { storage_domain: domain } : {},
    words: {
      TransferType: transfer.direction === 'download' ? 'Download' : 'Upload',
      DiskAlias: disk?.alias ?? transfer.disk?.id ?? '',
    },
  };
}

function writeFailureEvent(ctx: RuleContext, transfer: Transfer): void {
  const { subjects, words: messageParams } = describeTransfer(ctx, transfer);
  ctx.event('TRANSFER_FAILED', subjects, messageParams);
}

/** Preparation of the file before a client can use it. Continues after a restart. */
export const preparingWork = defineWork<Preparation>(preparing, {
  run: makePrepared,
  done: (ctx, { transfer }) => endPreparation(ctx, transfer, 'add'),
  failed: (ctx, { transfer }, error) =>
    endPreparation(ctx, transfer, 'fail', describeFailure(error)),
  subject: (_ctx, { disk }) => ({
    ...{ task: 'prepare transfer', type: 'disk', name: disk.alias ?? disk.id ?? '' },
    objects: [{ kind: 'disk', id: disk.id ?? '' }],
  }),
});

function endPreparation(
  ctx: RuleContext,
  transfer: Transfer,
  operation: 'add' | 'fail',
  cause?: string,
): void {
  const current: Transfer | undefined = ctx.tx.get('image_transfer', transfer.id ?? '');
  if (current?.phase !== 'initializing') discardPrepared(ctx, transfer);
  else if (operation === 'fail') move(ctx, current, operation, cause);
  else move(ctx, ctx.site.tickets.assignment.assign({ ...current, prepared: true }), operation);
}

/** An incomplete upload makes the disk illegal; a download does not change it. */
function failTransfer(ctx: RuleContext, object: StoredObject): StoredObject {
  const transfer = object;
  releaseImage(ctx, transfer, transfer.direction === 'download' ? 'ok' : 'illegal');
  return finish(ctx, object);
}

function finish(ctx: RuleContext, object: StoredObject): StoredObject {
  return { ...object, active: false, finished: ctx.steady };
}

/** Whether the VM can use the disk during the transfer: downloads of snapshots and of backups. */
function isShared(ctx: RuleContext, transfer: Transfer, disk: Disk): boolean {
  const messageParams = { action: 'add', type: 'image transfer', names: disk.alias ?? disk.id };
  const reads = transfer.direction === 'download';
  if (transfer.snapshot?.id) {
    const image = ctx.tx.get('disk_snapshot', transfer.snapshot.id);
    if (!reads) ctx.refuse('TRANSFER_ONLY_READS', { action: 'add', what: 'a snapshot' });
    if (image?.status === 'locked') ctx.refuse('DISK_IS_LOCKED', messageParams);
    return true;
  }
  if (!transfer.backup?.id) return false;
  const backup = ctx.tx.get('backup', transfer.backup.id);
  if (!reads) ctx.refuse('TRANSFER_ONLY_READS', { action: 'add', what: 'a backup' });
  if (backup?.phase !== 'ready') {
    ctx.refuse('TRANSFER_BACKUP_NOT_READY', { action: 'add', phase: backup?.phase });
  }
  if (!backup.disks?.some(({ id }) => id === disk.id)) {
    ctx.refuse('TRANSFER_NOT_IN_BACKUP', { action: 'add', name: disk.alias });
  }
  return true;
}

/** Refuses a disk that is in use. */
function requireFree(ctx: RuleContext, transfer: Transfer, disk: Disk): void {
  const messageParams = { action: 'add', type: 'image transfer', names: disk.alias ?? disk.id };
  if (disk.storage_type === 'lun') ctx.refuse('DISK_IS_A_UNIT', { action: 'transfer' });
  if (disk.status === 'locked') ctx.refuse('DISK_IS_LOCKED', messageParams);
  if (disk.status === 'illegal' && transfer.direction === 'download') {
    ctx.refuse('DISK_IS_ILLEGAL', messageParams);
  }
  // Starting backups freeze the current content of the disks.
  for (const { vm } of listDiskVms(ctx, disk)) requireBackupsBegun(ctx, vm, 'transfer a disk of');
  const vms = listPluggedVms(ctx, disk);
  if (vms.length > 0) {
    const names = vms.map(({ name }) => name).join(', ');
    ctx.refuse('DISK_IS_IN_USE', { action: 'transfer', names });
  }
}

function requireActiveDomain(ctx: RuleContext, disk: Disk): void {
  const id = disk.storage_domains?.[0]?.id ?? '';
  const status = ctx.tx.find('attached_storage_domain', { id })?.status ?? 'unattached';
  if (status !== 'active') ctx.refuse('STORAGE_DOMAIN_STATUS_ILLEGAL', { action: 'use', status });
}

function chooseHost(ctx: RuleContext, disk: Disk): string {
  const domain = findStorageDomain(ctx, disk);
  const dataCenter = domain && findDomainDataCenter(ctx, domain);
  const [host] = dataCenter ? listHostsUp(ctx, dataCenter) : [];
  if (!host?.id) {
    ctx.refuse('NO_HOST_IN_DATA_CENTER', { action: 'add', type: 'image transfer' });
  }
  return host.id;
}

function withProgress(ctx: RuleContext, transfer: Transfer): Transfer {
  const progress = transfer.ticket ? ctx.site.tickets.progress(transfer.ticket) : undefined;
  return { ...transfer, ...(progress ? { transferred: progress.transferred } : {}), active: false };
}

function move(
  ctx: RuleContext,
  transfer: Transfer,
  operation: TransitionOf<'image_transfer'>,
  cause?: string,
): undefined {
  const start = { kind: 'image_transfer', collection: '/imagetransfers', operation } as const;
  beginTransition(ctx, { ...start, ...(cause === undefined ? {} : { data: { cause } }) }, transfer);
  return undefined;
}

/** Ends a download whose image is missing. */
export function endLostDownload(ctx: RuleContext, transfer: Transfer): void {
  const { words: messageParams } = describeTransfer(ctx, transfer);
  ctx.event('TRANSFER_STOPPED_TICKET_MISSING', {}, messageParams);
  move(ctx, transfer, 'fail');
}

/** Ends a download of a failed backup. */
export function endBackupDownload(ctx: RuleContext, transfer: Transfer): void {
  closeTicket(ctx, transfer);
  move(ctx, withProgress(ctx, transfer), 'fail');
}

/** Stops a transfer whose ticket is missing: an upload can be resumed, a download ends. */
export function handleLostTicket(ctx: RuleContext, transfer: Transfer): void {
  const { words: messageParams } = describeTransfer(ctx, transfer);
  ctx.event('TRANSFER_STOPPED_TICKET_MISSING', {}, messageParams);
  if (transfer.direction === 'download') move(ctx, transfer, 'fail');
  else ctx.tx.update('image_transfer', { ...transfer, phase: 'paused_system' });
}

/**
 * Ends or pauses a transfer after its inactivity timeout, depending on its policy: `legacy` pauses
 * uploads and cancels downloads.
 */
export function handleTimeout(ctx: RuleContext, transfer: Transfer): void {
  const messageParams = {
    TransferType: transfer.direction === 'download' ? 'Download' : 'Upload',
    DiskAlias: ctx.tx.get('disk', transfer.disk?.id ?? '')?.alias ?? '',
    Seconds: transfer.inactivity_timeout,
  };
  const legacy = transfer.timeout_policy === 'legacy';
  const pauses = legacy ? transfer.direction !== 'download' : transfer.timeout_policy === 'pause';
  const event: EventName = legacy
    ? pauses
      ? 'UPLOAD_PAUSED_BY_TIMEOUT'
      : 'DOWNLOAD_CANCELLED_BY_TIMEOUT'
    : pauses
      ? 'TRANSFER_PAUSED_BY_POLICY'
      : 'TRANSFER_CANCELLED_BY_POLICY';
  ctx.event(event, {}, messageParams);
  closeTicket(ctx, transfer);
  const current = withProgress(ctx, transfer);
  if (pauses) ctx.tx.update('image_transfer', { ...current, phase: 'paused_system' });
  else move(ctx, current, 'fail');
}
