/** Backups of VMs: validation, lifecycle, and resulting checkpoints. */
import type { Resource } from '../../../model/resource.ts';
import { backupLifecycle as lifecycle } from '../../../model/resources/backup.ts';
import { defineBehavior } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { defineDeadline } from '../../core/declared-tasks.ts';
import { isUuid } from '../../core/input.ts';
import { endJob, type JobStatus } from '../../core/jobs.ts';
import { cancelDeadline, scheduleDeadline } from '../../core/tasks.ts';
import type { TransitionHandlers, TransitionOf } from '../../core/transition-handlers.ts';
import { beginTransition, requireState } from '../../core/transitions.ts';
import {
  type Backup,
  freezeImages,
  setDisksLocked,
  thawImages,
} from '../../inventory/backup-images.ts';
import { listHostsUp } from '../../inventory/data-center.ts';
import { beginPeriod, findPeriodsSince } from '../../inventory/dirty-bitmaps.ts';
import { getRecordedCopies } from '../../inventory/disk-transitions.ts';
import { getAttachedSnapshot } from '../../inventory/snapshot-attachment.ts';
import {
  requireFreeDisks,
  requireNoBackup,
  requireNoPreview,
  requireSettledSnapshots,
} from '../../inventory/snapshot-checks.ts';
import {
  describeVmSubjects,
  findClusterDataCenter,
  getRunState,
  joinNames,
  listDiskAttachments,
  type Vm,
} from '../../inventory/vm.ts';
import type { StoredObject } from '../../store/kinds.ts';
import type { BitmapOfPeriod } from '../../store/stored-members.ts';
import { endBackupDownload } from '../image-transfer/behavior.ts';
import {
  addCheckpoint,
  formatCheckpointsPath,
  removeFailedCheckpoint,
  resolveDisks,
} from './checkpoints.ts';
import { isReal } from './device-changes.ts';
import { copyForBackup, endRecordings } from './running-backup.ts';

type Disk = Resource<'disk'>;

/** Maximum characters of a description. */
const longestDescription = 1024;
const action = 'back up';

/** Refuses a backup that cannot start now. Returns its disks. */
function requireBackup(ctx: RuleContext, vm: Vm, backup: Backup, ids: string[]): Disk[] {
  requireNoBackup(ctx, vm, action);
  const disks = requirePluggedDisks(ctx, vm, ids);
  requireFreeDisks(ctx, vm, action, new Set(ids));
  requireCheckpoint(ctx, vm, backup.from_checkpoint_id);
  if (vm.status !== 'up' && vm.status !== 'down') {
    ctx.refuse('BACKUP_VM_NOT_UP_OR_DOWN', { action });
  }
  requireNoPreview(ctx, vm, action);
  requireSettledSnapshots(ctx, vm, action);
  if ((backup.description ?? '').length > longestDescription) {
    ctx.refuse('BACKUP_DESCRIPTION_TOO_LONG', { action, max: longestDescription });
  }
  if (ctx.parameters.flag('require_consistency') === true) requireConsistency(ctx, vm);
  return disks;
}

function requirePluggedDisks(ctx: RuleContext, vm: Vm, ids: readonly string[]): Disk[] {
  if (ids.length === 0) ctx.refuse('BACKUP_WITHOUT_DISKS', { action });
  const attached = new Map(
    listDiskAttachments(ctx, vm).flatMap((one) =>
      getAttachedSnapshot(one) ? [] : [[one.id, one] as const],
    ),
  );
  const unknown = ids.filter((id) => !attached.has(id));
  if (unknown.length > 0) {
    ctx.refuse('BACKUP_DISKS_NOT_ATTACHED', { action, names: unknown.join(', ') });
  }
  const disks = ids.flatMap((id) => ctx.tx.get('disk', id) ?? []);
  const unplugged = disks.filter(({ id }) => attached.get(id ?? '')?.active !== true);
  if (unplugged.length > 0) {
    ctx.refuse('BACKUP_DISKS_NOT_ACTIVE', { action, vm: vm.name, names: joinNames(unplugged) });
  }
  // Backups exclude the other disks, like snapshots.
  const images = disks.filter((disk) => disk.storage_type !== 'lun' && !disk.shareable);
  if (images.length === 0) ctx.refuse('BACKUP_WITHOUT_DISKS', { action });
  return images;
}

function requireCheckpoint(ctx: RuleContext, vm: Vm, id: string | undefined): void {
  if (!id) return;
  const checkpoint = ctx.tx.get('checkpoint', id, formatCheckpointsPath(vm));
  if (!checkpoint) ctx.refuse('CHECKPOINT_DOES_NOT_EXIST', { action, id });
  if (checkpoint.state === 'invalid') ctx.refuse('CHECKPOINT_INVALID', { action, id });
}

/** Refuses if the disks are inconsistent: the VM must be down, or its guest able to freeze them. */
function requireConsistency(ctx: RuleContext, vm: Vm): void {
  const freezes = vm.status === 'up' && !getRunState(vm).frozen;
  if (vm.status !== 'down' && !freezes) ctx.refuse('BACKUP_NOT_CONSISTENT', { action });
}

/** Id of the host that runs the backup: the host of a running VM, or any of the data center. */
function chooseHost(ctx: RuleContext, vm: Vm): string {
  if (vm.host?.id) return vm.host.id;
  const [host] = listHostsUp(ctx, findClusterDataCenter(ctx, vm.cluster?.id)?.id ?? '');
  if (!host?.id) ctx.refuse('NO_HOST_IN_DATA_CENTER', { action, type: 'VM' });
  return host.id;
}

/** Refuses while clients transfer disks of the backup. */
function requireNoTransfers(ctx: RuleContext, backup: Backup): void {
  const open = openTransfers(ctx, backup);
  if (open.length > 0) ctx.refuse('BACKUP_HAS_TRANSFERS', { action: 'finalize' });
}

/** Transfers of a backup that have not ended. */
function openTransfers(ctx: RuleContext, backup: Backup): Resource<'image_transfer'>[] {
  const all = ctx.tx.list('image_transfer', { where: { backup_id: backup.id ?? '' } });
  return all.filter(({ phase }) => !phase?.startsWith('finished'));
}

const transitions: TransitionHandlers<'backup'> = {
  describe: (ctx, backup) => describeBackup(ctx, backup),
  copies: { add: (_ctx, _backup, { data }) => getRecordedCopies(data) },
  devices: { add: copyForBackup },
  onEnd: {
    add(ctx, object) {
      const backup = endRecordings(ctx, object);
      const recorded = resolveDisks(ctx, backup.disks).filter(isRecorded);
      if (backup.to_checkpoint_id) {
        addCheckpoint(
          ctx,
          backup,
          recorded.map(({ id = '' }) => ({ id })),
        );
      }
      return { ...backup, modification_date: ctx.timestamp };
    },
    finalize(ctx, object) {
      release(ctx, object);
      endItsJob(ctx, object, 'finished');
      return { ...object, modification_date: ctx.timestamp };
    },
  },
  onCopyFailure: {
    add: (ctx, object) => markBackupFailed(ctx, object),
  },
};

export const backupBehavior = defineBehavior('backup', {
  lifecycle,
  transitions,

  beforeCreate(ctx, object, ref, sent) {
    const backup: Backup = object;
    const vm = ctx.tx.get('vm', ref.owner?.id ?? '') ?? {};
    const named = (sent['disks'] ?? []).map(({ id }) => id ?? '');
    const disks = requireBackup(ctx, vm, backup, [...new Set(named)]);
    const wanted = sent['id'];
    if (typeof wanted === 'string' && isUuid(wanted)) {
      if (ctx.tx.get('backup', wanted))
        ctx.refuse('BACKUP_EXISTS', { action: 'back up', id: wanted });
      backup.id = wanted;
    }
    backup.disks = disks.map(({ id = '' }) => ({ id }));
    backup.creation_date = ctx.timestamp;
    backup.modification_date = ctx.timestamp;
    backup.phase = 'initializing';
    backup.host = { id: chooseHost(ctx, vm) };
    if (disks.some(isRecorded)) backup.to_checkpoint_id = ctx.site.newId();
    else delete backup.to_checkpoint_id;
    backup.changes = listChanges(ctx, disks, backup.from_checkpoint_id, isReal(ctx, vm));
    if (ctx.job !== undefined) backup.job = ctx.job;
  },

  /**
   * Begins a new period of change tracking. All later writes belong to it. No client writes now:
   * the disks were free, and are locked from now on.
   */
  afterCreate(ctx, { ref, object }) {
    const disks = resolveDisks(ctx, object.disks);
    const isLive = isReal(ctx, ctx.tx.get('vm', object.vm?.id ?? '') ?? {});
    for (const disk of disks.filter(isRecorded)) {
      beginPeriod(ctx, disk, object.to_checkpoint_id ?? '', isLive);
    }
    setDisksLocked(ctx, object, true);
    renewJob(ctx, { backup: object.id });
    const active = ctx.parameters.flag('use_active') === true;
    const consistent = ctx.parameters.flag('require_consistency') === true;
    const copies = active ? [] : freezeImages(ctx, object);
    move(ctx, ref.collection, object, 'add', { copies, consistent });
  },

  actions: {
    finalize(ctx, { ref, object }) {
      requireState(ctx, 'backup', object, 'finalize');
      requireNoTransfers(ctx, object);
      move(ctx, ref.collection, object, 'finalize');
      return undefined;
    },
  },
});

/** Deadline that keeps the job of a backup open until the backup ends. */
const underWay = 'backup in progress';
const renewalMs = 30 * 24 * 3600 * 1000;

function renewJob(ctx: RuleContext, data: StoredObject): void {
  scheduleDeadline(ctx, underWay, String(data['backup']), renewalMs, data, { ofJob: true });
}
export const backupJobDeadline = defineDeadline(underWay, renewJob);

/** Ends the job of a backup with the backup. */
function endItsJob(ctx: RuleContext, { id = '', job }: Backup, status: JobStatus): void {
  if (job !== undefined) endJob(ctx, job, status);
  cancelDeadline(ctx, underWay, id);
}

/** Whether writes to a disk are recorded. */
function isRecorded(disk: Disk): boolean {
  return disk.backup === 'incremental' && disk.format === 'cow';
}

/**
 * Changes since a checkpoint, for disks with complete records, or live ones. Clients read the other
 * disks in full.
 */
function listChanges(
  ctx: RuleContext,
  disks: readonly Disk[],
  checkpoint: string | undefined,
  isLive: boolean,
): Record<string, BitmapOfPeriod[]> {
  const changes: Record<string, BitmapOfPeriod[]> = {};
  if (!checkpoint) return changes;
  for (const { id = '' } of disks.filter(isRecorded)) {
    const since = findPeriodsSince(ctx, id, checkpoint, isLive);
    if (since) changes[id] = since.map((period) => ({ id: period.id, size: period.size }));
  }
  return changes;
}

/** Unlocks the disks and removes the frozen images of the backup. */
function release(ctx: RuleContext, backup: Backup): void {
  thawImages(ctx, backup);
  setDisksLocked(ctx, backup, false);
}

/** The failed backup. Removes its checkpoint. */
function markBackupFailed(ctx: RuleContext, backup: Backup): Backup {
  for (const transfer of openTransfers(ctx, backup)) endBackupDownload(ctx, transfer);
  release(ctx, backup);
  removeFailedCheckpoint(ctx, backup);
  endItsJob(ctx, backup, 'failed');
  const { subjects: whom, words: messageParams } = describeBackup(ctx, backup);
  ctx.event('VM_BACKUP_FAILED', whom, messageParams);
  const { to_checkpoint_id: _none, ...rest } = backup;
  return { ...rest, phase: 'failed', modification_date: ctx.timestamp };
}

/** Fails the backups of a VM that stops. */
export function failBackups(ctx: RuleContext, vm: Vm): void {
  const collection = `/vms/${vm.id}/backups`;
  for (const backup of ctx.tx.list('backup', { where: { collection } })) fail(ctx, backup);
}

/** Fails the backups that a host runs, including those of stopped VMs. */
export function failBackupsOn(ctx: RuleContext, host: string): void {
  for (const backup of ctx.tx.list('backup', { where: { host_id: host } })) fail(ctx, backup);
}

function fail(ctx: RuleContext, backup: Backup): void {
  if (backup.phase === 'succeeded' || backup.phase === 'failed') return;
  const collection = `/vms/${backup.vm?.id}/backups`;
  ctx.tx.tasks.removeByTarget(`backup:${collection}/${backup.id}`);
  ctx.tx.update('backup', markBackupFailed(ctx, backup), collection);
}

function describeBackup(ctx: RuleContext, backup: Backup) {
  const vm = ctx.tx.get('vm', backup.vm?.id ?? '') ?? {};
  return { subjects: describeVmSubjects(ctx, vm), words: { BackupId: backup.id } };
}

function move(
  ctx: RuleContext,
  collection: string,
  backup: Backup,
  operation: TransitionOf<'backup'>,
  data?: StoredObject,
): void {
  beginTransition(ctx, { kind: 'backup', collection, operation, data }, backup);
}

/** The disks of a backup as responses show them. */
export const backupDiskBehavior = defineBehavior('backup_disk', {
  compute(ctx, ref) {
    const backup: Backup = ctx.tx.get('backup', ref.owner?.id ?? '') ?? {};
    return resolveDisks(ctx, backup.disks).map((disk) => ({
      ...disk,
      backup_mode: backup.changes?.[disk.id ?? ''] ? 'incremental' : 'full',
    }));
  },
});
