/** Checkpoints of a VM: starting points of incremental backups. */
import type { Resource } from '../../../model/resource.ts';
import { defineBehavior } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { forgetCheckpoint } from '../../inventory/dirty-bitmaps.ts';
import { requireFreeDisks, requireNoBackup } from '../../inventory/snapshot-checks.ts';
import { describeVmSubjects, type Vm } from '../../inventory/vm.ts';
import type { ObjectOf } from '../../store/transaction.ts';

type Backup = ObjectOf<'backup'>;
type Checkpoint = Resource<'checkpoint'>;

/** Collection of the checkpoints of a VM. */
export function formatCheckpointsPath(vm: Pick<Vm, 'id'>): string {
  return `/vms/${vm.id}/checkpoints`;
}

/** The youngest checkpoint of a VM, the parent of the next one. */
function findLeaf(ctx: RuleContext, collection: string): Checkpoint | undefined {
  return ctx.tx.list('checkpoint', { where: { collection } }).at(-1);
}

/** Adds the checkpoint of a backup, with the disks whose changes are recorded from now on. */
export function addCheckpoint(
  ctx: RuleContext,
  backup: Backup,
  disks: readonly { id: string }[],
): void {
  const collection = formatCheckpointsPath({ id: backup.vm?.id ?? '' });
  const parent = findLeaf(ctx, collection)?.id;
  ctx.tx.insert('checkpoint', collection, {
    id: backup.to_checkpoint_id ?? '',
    ...(backup.description === undefined ? {} : { description: backup.description }),
    creation_date: backup.creation_date ?? ctx.timestamp,
    state: 'created',
    ...(parent ? { parent_id: parent } : {}),
    disks: [...disks],
    vm: { id: backup.vm?.id ?? '' },
  });
}

/**
 * Removes the checkpoint of a failed backup, if it exists. Recorded changes since then pass to the
 * previous one.
 */
export function removeFailedCheckpoint(ctx: RuleContext, backup: Backup): void {
  const id = backup.to_checkpoint_id;
  if (!id) return;
  for (const disk of backup.disks ?? []) forgetCheckpoint(ctx, disk.id ?? '', id);
  const collection = formatCheckpointsPath({ id: backup.vm?.id ?? '' });
  if (ctx.tx.get('checkpoint', id, collection)) ctx.tx.remove('checkpoint', id, collection);
}

export const checkpointBehavior = defineBehavior('checkpoint', {
  beforeDelete(ctx, { object, ref }) {
    const vm = ctx.tx.get('vm', ref.owner?.id ?? '') ?? {};
    requireNoBackup(ctx, vm, 'remove a checkpoint of');
    const disks = new Set((object.disks ?? []).map(({ id }) => id ?? ''));
    requireFreeDisks(ctx, vm, 'remove', disks);
    // Only the root can be removed: later checkpoints depend on it.
    if (object.parent_id) ctx.refuse('CHECKPOINT_IS_NEEDED', { action: 'remove' });
  },

  remove(ctx, { object, ref }) {
    const id = object.id ?? '';
    const vm = ctx.tx.get('vm', ref.owner?.id ?? '') ?? {};
    for (const disk of object.disks ?? []) forgetCheckpoint(ctx, disk.id ?? '', id);
    ctx.tx.remove('checkpoint', id, ref.collection);
    const children = ctx.tx.list('checkpoint', { where: { collection: ref.collection } });
    for (const child of children.filter(({ parent_id: parent }) => parent === id)) {
      const { parent_id: _removed, ...root } = child;
      ctx.tx.update('checkpoint', root, ref.collection);
    }
    ctx.event('VM_CHECKPOINT_DELETED', describeVmSubjects(ctx, vm), { CheckpointId: id });
  },
});

export const checkpointDiskBehavior = defineBehavior('checkpoint_disk', {
  compute: (ctx, ref) => resolveDisks(ctx, ctx.tx.get('checkpoint', ref.owner?.id ?? '')?.disks),
});

/** The existing disks of a list of references. */
export function resolveDisks(ctx: RuleContext, named: readonly { id?: string }[] | undefined) {
  return (named ?? []).flatMap(({ id }) => {
    const disk = ctx.tx.get('disk', id ?? '');
    return disk ? [disk] : [];
  });
}
