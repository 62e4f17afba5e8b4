/** Rules of backups: which disks may be read meanwhile, and the checkpoints they leave. */

import type { Resource } from '../../../model/resource.ts';
import { backupLifecycle as lifecycle } from '../../../model/resources/backup.ts';
import { define } from '../../core/behavior.ts';
import type { BitmapOfPeriod, RuleContext } from '../../core/context.ts';
import { cancelDue, defineDeadline, dueIn } from '../../core/deadlines.ts';
import { isUuid } from '../../core/input.ts';
import { endJob, type JobStatus } from '../../core/jobs.ts';
import type { TransitionHandlers } from '../../core/transition-handlers.ts';
import { begin, requireState } from '../../core/transitions.ts';
import type { StoredObject } from '../../store/document.ts';
import { notedCopies } from '../disk/copies.ts';
import { beginPeriod, periodsSince } from '../disk/dirty-bitmaps.ts';
import { backupGone } from '../image-transfer/rules.ts';
import { hostOfBackup, openTransfers, requireBackup, requireNoTransfers } from './backup-checks.ts';
import { type Backup, freeze, holdDisks, thaw } from './backup-images.ts';
import { addCheckpoint, disksNamed, takeBack } from './checkpoints.ts';
import { subjects, type Vm } from './vm.ts';

type Disk = Resource<'disk'>;

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

export const backupRules = define('backup', {
  lifecycle,
  transitions,

  beforeCreate(ctx, object, place, sent) {
    const backup: Backup = object;
    const vm = ctx.tx.get('vm', place.owner?.id ?? '') ?? {};
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
  afterCreate(ctx, { place, object }) {
    const disks = disksNamed(ctx, object.disks);
    for (const disk of disks.filter(isRecorded)) {
      beginPeriod(ctx, disk, object.to_checkpoint_id ?? '');
    }
    holdDisks(ctx, object, true);
    goOn(ctx, { backup: object.id });
    const active = ctx.parameters.flag('use_active') === true;
    move(ctx, place.collection, object, 'add', { copies: active ? [] : freeze(ctx, object) });
  },

  actions: {
    finalize(ctx, { place, object }) {
      requireState(ctx, 'backup', object, 'finalize');
      requireNoTransfers(ctx, object);
      move(ctx, place.collection, object, 'finalize');
      return undefined;
    },
  },
});

/** What keeps the job of a backup going while clients read it; nobody is hurried. */
const underWay = 'backup under way';
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
  thaw(ctx, backup);
  holdDisks(ctx, backup, false);
}

/** The backup as it is when it has come to nothing; no checkpoint of it is left. */
function failed(ctx: RuleContext, backup: Backup): Backup {
  for (const transfer of openTransfers(ctx, backup)) backupGone(ctx, transfer);
  release(ctx, backup);
  takeBack(ctx, backup);
  endItsJob(ctx, backup, 'failed');
  const { subjects: whom, words } = about(ctx, backup);
  ctx.event('VM_BACKUP_FAILED', whom, words);
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
  operation: string,
  data?: StoredObject,
): void {
  const run = { kind: 'backup' as const, collection, id: backup.id ?? '', operation };
  begin(ctx, { ...run, ...(data ? { data } : {}) }, backup);
}

/** The disks of a backup, as they are shown in it. */
export const backupDiskRules = define('backup_disk', {
  compute(ctx, place) {
    const backup: Backup = ctx.tx.get('backup', place.owner?.id ?? '') ?? {};
    return disksNamed(ctx, backup.disks).map((disk) => ({
      ...disk,
      backup_mode: backup.changes?.[disk.id ?? ''] ? 'incremental' : 'full',
    }));
  },
});
