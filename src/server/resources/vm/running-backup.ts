/** Backups of VMs that a hypervisor runs: copies of their disks, and recordings of their writes. */
import type { RuleContext } from '../../core/context.ts';
import type { RunningPart, TransitionRun } from '../../core/transition-handlers.ts';
import type { Backup } from '../../inventory/backup-images.ts';
import { areKnown, endLivePeriods, findRecording } from '../../inventory/dirty-bitmaps.ts';
import { getRecordedCopies } from '../../inventory/disk-transitions.ts';
import { describeRunningCopies } from './plugging.ts';

/**
 * Copies of the disks of a running VM at the start of a backup. At the same time, the recording of
 * their writes begins.
 */
export function copyForBackup(
  ctx: RuleContext,
  backup: Backup,
  { data }: TransitionRun,
): RunningPart | undefined {
  const vm = ctx.tx.get('vm', backup.vm?.id ?? '');
  const part = vm && describeRunningCopies(ctx, vm, getRecordedCopies(data));
  if (!part) return undefined;
  const copies = part.change.copies.map((copy) => {
    const recording = findRecording(ctx, copy.disk.id, backup.to_checkpoint_id ?? '');
    return recording ? { ...copy, recording } : copy;
  });
  const requiresFrozen = data?.['consistent'] === true;
  return { ...part, change: { ...part.change, copies, requiresFrozen } };
}

/**
 * Ends the earlier recordings of the disks of a backup. Returns the backup without the changes of
 * the disks whose writes the hypervisor does not know: clients read these disks in full.
 */
export function endRecordings(ctx: RuleContext, backup: Backup): Backup {
  const { to_checkpoint_id: checkpoint = '', disks = [] } = backup;
  const changes = { ...backup.changes };
  for (const { id = '' } of disks) {
    const recording = findRecording(ctx, id, checkpoint);
    if (!recording) continue;
    endLivePeriods(ctx, id, recording);
    const ids = changes[id]?.map((period) => period.id);
    if (ids && !areKnown(ctx, id, ids)) delete changes[id];
  }
  return { ...backup, changes };
}
