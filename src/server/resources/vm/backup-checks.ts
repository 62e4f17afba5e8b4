/** What refuses a backup. */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import { hostsUp } from '../data-center/data-center.ts';
import { snapshotOf } from '../disk/snapshot-attachment.ts';
import {
  requireFreeDisks,
  requireNoBackup,
  requireNoPreview,
  requireSettledSnapshots,
} from '../snapshot/checks.ts';
import { checkpointsOf } from './checkpoints.ts';
import { runStateOf } from './run-state.ts';
import { attachmentsOf, dataCenterOfCluster, namesOf, type Vm } from './vm.ts';

type Backup = Resource<'backup'>;
type Disk = Resource<'disk'>;

/** Characters of a description, at most. */
const longestDescription = 1024;
const action = 'back up';

/** Refuses a backup that cannot begin now; returns the disks that it is about. */
export function requireBackup(ctx: RuleContext, vm: Vm, backup: Backup, ids: string[]): Disk[] {
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
export function hostOfBackup(ctx: RuleContext, vm: Vm): string {
  if (vm.host?.id) return vm.host.id;
  const [host] = hostsUp(ctx, dataCenterOfCluster(ctx, vm.cluster?.id)?.id ?? '');
  if (!host?.id) ctx.refuse('NO_HOST_IN_DATA_CENTER', { action, type: 'VM' });
  return host.id;
}

/** Refuses while clients read what the backup keeps. */
export function requireNoTransfers(ctx: RuleContext, backup: Backup): void {
  const open = openTransfers(ctx, backup);
  if (open.length > 0) ctx.refuse('BACKUP_HAS_TRANSFERS', { action: 'finalize' });
}

/** Transfers of a backup that have not ended. */
export function openTransfers(ctx: RuleContext, backup: Backup): Resource<'image_transfer'>[] {
  const all = ctx.tx.list('image_transfer', { where: { backup_id: backup.id ?? '' } });
  return all.filter(({ phase }) => !phase?.startsWith('finished'));
}
