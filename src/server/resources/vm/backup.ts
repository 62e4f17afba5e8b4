/** Backups of virtual machines: checks, lifecycle, and the checkpoints that they leave. */
import type { Resource } from '../../../model/resource.ts';
import { backupLifecycle as lifecycle } from '../../../model/resources/backup.ts';
import { define } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { defineDeadline } from '../../core/declared-tasks.ts';
import { isUuid } from '../../core/input.ts';
import { endJob, type JobStatus } from '../../core/jobs.ts';
import { cancelDue, dueIn } from '../../core/tasks.ts';
import type { TransitionHandlers, TransitionOf } from '../../core/transition-handlers.ts';
import { begin, requireState } from '../../core/transitions.ts';
import { type Backup, freezeImages, holdDisks, thawImages } from '../../inventory/backup-images.ts';
import { hostsUp } from '../../inventory/data-center.ts';
import { beginPeriod, periodsSince } from '../../inventory/dirty-bitmaps.ts';
import { notedCopies } from '../../inventory/disk-transitions.ts';
import { snapshotOf } from '../../inventory/snapshot-attachment.ts';
import {
  requireFreeDisks,
  requireNoBackup,
  requireNoPreview,
  requireSettledSnapshots,
} from '../../inventory/snapshot-checks.ts';
import {
  attachmentsOf,
  dataCenterOfCluster,
  namesOf,
  runStateOf,
  subjects,
  type Vm,
} from '../../inventory/vm.ts';
import type { StoredObject } from '../../store/kinds.ts';
import type { BitmapOfPeriod } from '../../store/stored-members.ts';
import { backupGone } from '../image-transfer/behavior.ts';
import { addCheckpoint, checkpointsOf, disksNamed, takeBack } from './checkpoints.ts';

type Disk = Resource<'disk'>;

/** Characters of a description, at most. */
const longestDescription = 1024;
const action = 'back up';

/** Refuses a backup that cannot begin now; returns the disks that it is about. */
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
    attachmentsOf(ctx, vm).flatMap((one) => (snapshotOf(one) ? [] : [[one.id, one] as const])),
  );
  const unknown = ids.filter((id) => !attached.has(id));
  if (unknown.length > 0) {
    ctx.refuse('BACKUP_DISKS_NOT_ATTACHED', { action, names: unknown.join(', ') });
  }
  const disks = ids.flatMap((id) => ctx.tx.get('disk', id) ?? []);
  const unplugged = disks.filter(({ id }) => attached.get(id ?? '')?.active !== true);
  if (unplugged.length > 0) {
    ctx.refuse('BACKUP_DISKS_NOT_ACTIVE', { action, vm: vm.name, names: namesOf(unplugged) });
  }
  // The others are left out, as from snapshots.
  const images = disks.filter((disk) => disk.storage_type !== 'lun' && !disk.shareable);
  if (images.length === 0) ctx.refuse('BACKUP_WITHOUT_DISKS', { action });
  return images;
}

function requireCheckpoint(ctx: RuleContext, vm: Vm, id: string | undefined): void {
  if (!id) return;
  const checkpoint = ctx.tx.get('checkpoint', id, checkpointsOf(vm));
  if (!checkpoint) ctx.refuse('CHECKPOINT_DOES_NOT_EXIST', { action, id });
  if (checkpoint.state === 'invalid') ctx.refuse('CHECKPOINT_INVALID', { action, id });
}

/** Refuses unless the disks hold together: the machine is off, or its guest can freeze them. */
function requireConsistency(ctx: RuleContext, vm: Vm): void {
  const freezes = vm.status === 'up' && !runStateOf(vm).frozen;
  if (vm.status !== 'down' && !freezes) ctx.refuse('BACKUP_NOT_CONSISTENT', { action });
}

/** Id of the host that does the work: that of a machine that runs, else any of its data center. */
function hostOfBackup(ctx: RuleContext, vm: Vm): string {
  if (vm.host?.id) return vm.host.id;
  const [host] = hostsUp(ctx, dataCenterOfCluster(ctx, vm.cluster?.id)?.id ?? '');
  if (!host?.id) ctx.refuse('NO_HOST_IN_DATA_CENTER', { action, type: 'VM' });
  return host.id;
}

/** Refuses while clients read what the backup keeps. */
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
  describe: (ctx, backup) => about(ctx, backup),
  copies: { add: (_ctx, _backup, { data }) => notedCopies(data) },
  onEnd: {
    add(ctx, object) {
      const backup = object;
      const recorded = disksNamed(ctx, backup.disks).filter(isRecorded);
      if (backup.to_checkpoint_id) {
        addCheckpoint(
          ctx,
          backup,
          recorded.map(({ id = '' }) => ({ id })),
        );
      }
      return { ...object, modification_date: ctx.timestamp };
    },
    finalize(ctx, object) {
      release(ctx, object);
      endItsJob(ctx, object, 'finished');
      return { ...object, modification_date: ctx.timestamp };
    },
  },
  onCopyFailure: {
    add: (ctx, object) => failed(ctx, object),
  },
};

export const backupBehavior = define('backup', {
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
    backup.host = { id: hostOfBackup(ctx, vm) };
    if (disks.some(isRecorded)) backup.to_checkpoint_id = ctx.site.newId();
    else delete backup.to_checkpoint_id;
    backup.changes = changesOf(ctx, disks, backup.from_checkpoint_id);
    if (ctx.job !== undefined) backup.job = ctx.job;
  },

  /**
   * From this transaction on whatever is written belongs to the time after the backup. Nobody writes at
   * this moment: the disks were free, and are locked from now on.
   */
  afterCreate(ctx, { ref, object }) {
    const disks = disksNamed(ctx, object.disks);
    for (const disk of disks.filter(isRecorded)) {
      beginPeriod(ctx, disk, object.to_checkpoint_id ?? '');
    }
    holdDisks(ctx, object, true);
    goOn(ctx, { backup: object.id });
    const active = ctx.parameters.flag('use_active') === true;
    move(ctx, ref.collection, object, 'add', { copies: active ? [] : freezeImages(ctx, object) });
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

/** What keeps the job of a backup going while clients read it; nobody is hurried. */
const underWay = 'backup in progress';
const aWhile = 30 * 24 * 3600 * 1000;

function goOn(ctx: RuleContext, data: StoredObject): void {
  dueIn(ctx, underWay, String(data['backup']), aWhile, data, { ofJob: true });
}
export const backupJobDeadline = defineDeadline(underWay, goOn);

/** Ends the job of a backup with the backup. */
function endItsJob(ctx: RuleContext, { id = '', job }: Backup, status: JobStatus): void {
  if (job !== undefined) endJob(ctx, job, status);
  cancelDue(ctx, underWay, id);
}

/** Whether what is written into a disk is recorded. */
function isRecorded(disk: Disk): boolean {
  return disk.backup === 'incremental' && disk.format === 'cow';
}

/** What has changed since a checkpoint, for the disks of which that is known: the others are read in full. */
function changesOf(
  ctx: RuleContext,
  disks: readonly Disk[],
  checkpoint: string | undefined,
): Record<string, BitmapOfPeriod[]> {
  const changes: Record<string, BitmapOfPeriod[]> = {};
  if (!checkpoint) return changes;
  for (const { id = '' } of disks.filter(isRecorded)) {
    const since = periodsSince(ctx, id, checkpoint);
    if (since) changes[id] = since.map((period) => ({ id: period.id, size: period.size }));
  }
  return changes;
}

/** The disks are free again, and what was kept for the backup goes. */
function release(ctx: RuleContext, backup: Backup): void {
  thawImages(ctx, backup);
  holdDisks(ctx, backup, false);
}

/** The backup as it is when it has come to nothing; no checkpoint of it is left. */
function failed(ctx: RuleContext, backup: Backup): Backup {
  for (const transfer of openTransfers(ctx, backup)) backupGone(ctx, transfer);
  release(ctx, backup);
  takeBack(ctx, backup);
  endItsJob(ctx, backup, 'failed');
  const { subjects: whom, words: messageParams } = about(ctx, backup);
  ctx.event('VM_BACKUP_FAILED', whom, messageParams);
  const { to_checkpoint_id: _none, ...rest } = backup;
  return { ...rest, phase: 'failed', modification_date: ctx.timestamp };
}

/** Ends the backups of a machine that does not go on: they fail. */
export function failBackups(ctx: RuleContext, vm: Vm): void {
  const collection = `/vms/${vm.id}/backups`;
  for (const backup of ctx.tx.list('backup', { where: { collection } })) fail(ctx, backup);
}

/** Ends the backups that a host does not go on with, also of machines that are off. */
export function failBackupsOn(ctx: RuleContext, host: string): void {
  for (const backup of ctx.tx.list('backup', { where: { host_id: host } })) fail(ctx, backup);
}

function fail(ctx: RuleContext, backup: Backup): void {
  if (backup.phase === 'succeeded' || backup.phase === 'failed') return;
  const collection = `/vms/${backup.vm?.id}/backups`;
  ctx.tx.tasks.removeOf(`backup:${collection}/${backup.id}`);
  ctx.tx.update('backup', failed(ctx, backup), collection);
}

function about(ctx: RuleContext, backup: Backup) {
  const vm = ctx.tx.get('vm', backup.vm?.id ?? '') ?? {};
  return { subjects: subjects(ctx, vm), words: { BackupId: backup.id } };
}

function move(
  ctx: RuleContext,
  collection: string,
  backup: Backup,
  operation: TransitionOf<'backup'>,
  data?: StoredObject,
): void {
  begin(ctx, { kind: 'backup', collection, operation, data }, backup);
}

/** The disks of a backup, as they are shown in it. */
export const backupDiskBehavior = define('backup_disk', {
  compute(ctx, ref) {
    const backup: Backup = ctx.tx.get('backup', ref.owner?.id ?? '') ?? {};
    return disksNamed(ctx, backup.disks).map((disk) => ({
      ...disk,
      backup_mode: backup.changes?.[disk.id ?? ''] ? 'incremental' : 'full',
    }));
  },
});
