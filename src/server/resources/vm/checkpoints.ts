/** Checkpoints of a machine: the points from which its next backups can be incremental. */
import type { Resource } from '../../../model/resource.ts';
import { define } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { forgetCheckpoint } from '../../inventory/dirty-bitmaps.ts';
import { requireFreeDisks, requireNoBackup } from '../../inventory/snapshot-checks.ts';
import { subjects, type Vm } from '../../inventory/vm.ts';
import type { ObjectOf } from '../../store/transaction.ts';

type Backup = ObjectOf<'backup'>;
type Checkpoint = Resource<'checkpoint'>;

/** Where the checkpoints of a machine are. */
export function checkpointsOf(vm: Pick<Vm, 'id'>): string {
  return `/vms/${vm.id}/checkpoints`;
}

/** The youngest checkpoint of a machine, which the next one follows. */
function leafOf(ctx: RuleContext, collection: string): Checkpoint | undefined {
  return ctx.tx.list('checkpoint', { where: { collection } }).at(-1);
}

/** Adds the checkpoint that a backup leaves, with the disks whose changes are recorded since. */
export function addCheckpoint(
  ctx: RuleContext,
  backup: Backup,
  disks: readonly { id: string }[],
): void {
  const collection = checkpointsOf({ id: backup.vm?.id ?? '' });
  const parent = leafOf(ctx, collection)?.id;
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
 * Takes the checkpoint of a backup back that came to nothing, if it is there already: what was written
 * since belongs to the one before.
 */
export function takeBack(ctx: RuleContext, backup: Backup): void {
  const id = backup.to_checkpoint_id;
  if (!id) return;
  for (const disk of backup.disks ?? []) forgetCheckpoint(ctx, disk.id ?? '', id);
  const collection = checkpointsOf({ id: backup.vm?.id ?? '' });
  if (ctx.tx.get('checkpoint', id, collection)) ctx.tx.remove('checkpoint', id, collection);
}

export const checkpointBehavior = define('checkpoint', {
  beforeDelete(ctx, { object, ref }) {
    const vm = ctx.tx.get('vm', ref.owner?.id ?? '') ?? {};
    requireNoBackup(ctx, vm, 'remove a checkpoint of');
    const disks = new Set((object.disks ?? []).map(({ id }) => id ?? ''));
    requireFreeDisks(ctx, vm, 'remove', disks);
    // Only the root can go: the later ones build on the earlier.
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
    ctx.event('VM_CHECKPOINT_DELETED', subjects(ctx, vm), { CheckpointId: id });
  },
});

export const checkpointDiskBehavior = define('checkpoint_disk', {
  compute: (ctx, ref) => disksNamed(ctx, ctx.tx.get('checkpoint', ref.owner?.id ?? '')?.disks),
});

/** Disks that are named by reference, as far as they are there. */
export function disksNamed(ctx: RuleContext, named: readonly { id?: string }[] | undefined) {
  return (named ?? []).flatMap(({ id }) => {
    const disk = ctx.tx.get('disk', id ?? '');
    return disk ? [disk] : [];
  });
}
