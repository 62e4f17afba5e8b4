/** Rules of backups: which disks may be read meanwhile, and the checkpoints they leave. */
import { backup as lifecycle } from '../../../model/lifecycles/backup.ts';
import type { Resource } from '../../../model/resource.ts';
import { begin, onArrival, requireState } from '../../jobs/moves.ts';
import type { StoredObject } from '../../store/document.ts';
import type { RuleContext } from '../context.ts';
import { notedCopies } from '../disk/copies.ts';
import { rules } from '../notation.ts';
import type { Place } from '../places.ts';
import { requireFreeDisks, requireNoBackup, requireSettledSnapshots } from '../snapshot/checks.ts';
import { freeze, thaw } from './backup-images.ts';
import { runStateOf } from './run-state.ts';
import { disksOf, subjects, type Vm } from './vm.ts';

type Backup = Resource<'backup'>;

export const backupRules = rules({
  kind: 'backup',
  lifecycle,

  prepare(ctx, backup, place, sent) {
    const vm = vmOf(ctx, place);
    const ids = ((sent['disks'] ?? []) as { id?: string }[]).map(({ id }) => id ?? '');
    if (ids.length === 0) ctx.refuse('BACKUP_WITHOUT_DISKS', { action: 'start a backup of' });
    const attached = new Map(disksOf(ctx, vm).map((disk) => [disk.id, disk]));
    for (const id of ids) {
      const disk =
        attached.get(id) ?? ctx.refuse('DISKS_NOT_ATTACHED', { action: 'back up', names: id });
      if (backup.from_checkpoint_id && disk.backup !== 'incremental') {
        ctx.refuse('BACKUP_NOT_INCREMENTAL', { action: 'back up', names: disk.alias ?? id });
      }
    }
    if (ctx.parameters.flag('require_consistency') === true) requireConsistency(ctx, vm);
    requireNoBackup(ctx, vm, 'back up');
    requireSettledSnapshots(ctx, vm, 'back up');
    requireFreeDisks(ctx, vm, 'back up', new Set(ids));
    const from = backup.from_checkpoint_id;
    if (from && !ctx.tx.get('checkpoint', from, checkpointsOf(vm))) {
      ctx.refuse('CHECKPOINT_DOES_NOT_EXIST', { action: 'back up', id: from });
    }
    backup.disks = ids.map((id) => ({ id }));
    backup.creation_date = ctx.timestamp;
    backup.modification_date = ctx.timestamp;
    backup.phase = 'initializing';
    if (vm.host?.id) backup.host = { id: vm.host.id };
    const incremental = ids.some((id) => attached.get(id)?.backup === 'incremental');
    if (incremental) backup.to_checkpoint_id = ctx.site.newId();
  },

  added(ctx, { place, object }) {
    // The active images are read as they are then; else as they are now, from copies.
    const active = ctx.parameters.flag('use_active') === true;
    move(ctx, place.collection, object, 'add', { copies: active ? [] : freeze(ctx, object) });
  },

  actions: {
    finalize(ctx, { place, object }) {
      requireState(ctx, 'backup', object as StoredObject, 'finalize');
      move(ctx, place.collection, object, 'finalize');
      return undefined;
    },
  },
});

onArrival('backup', {
  describe: (ctx, backup) => ({
    subjects: subjects(ctx, ctx.tx.get('vm', (backup as Backup).vm?.id ?? '') ?? {}),
  }),
  copies: { add: (_ctx, _backup, { data }) => notedCopies(data) },
  arrived: {
    add(ctx, object) {
      const backup = object as Backup;
      const id = backup.to_checkpoint_id;
      if (id) addCheckpoint(ctx, backup, id);
      return { ...object, modification_date: ctx.timestamp };
    },
    finalize(ctx, object) {
      thaw(ctx, object as Backup);
      return { ...object, modification_date: ctx.timestamp };
    },
  },
  failed: {
    add(ctx, object) {
      thaw(ctx, object as Backup);
      const vm = ctx.tx.get('vm', (object as Backup).vm?.id ?? '') ?? {};
      ctx.event(10792, subjects(ctx, vm));
      return { ...object, phase: 'failed', modification_date: ctx.timestamp };
    },
  },
});

/** Refuses unless the disks hold together: the machine is off, or its guest can freeze them. */
function requireConsistency(ctx: RuleContext, vm: Vm): void {
  const freezes = vm.status === 'up' && !runStateOf(vm).frozen;
  if (vm.status !== 'down' && !freezes) ctx.refuse('BACKUP_NOT_CONSISTENT', { action: 'back up' });
}

/** The point in time from which a later backup can be incremental. */
function addCheckpoint(ctx: RuleContext, backup: Backup, id: string): void {
  const collection = checkpointsOf({ id: backup.vm?.id ?? '' });
  const parent = ctx.tx.list('checkpoint', { where: { collection } }).at(-1)?.id;
  ctx.tx.insert('checkpoint', collection, {
    id,
    creation_date: ctx.timestamp,
    state: 'created',
    ...(parent ? { parent_id: parent } : {}),
    disks: backup.disks ?? [],
    vm: { id: backup.vm?.id ?? '' },
  });
}

function checkpointsOf(vm: Pick<Vm, 'id'>): string {
  return `/vms/${vm.id}/checkpoints`;
}

function vmOf(ctx: RuleContext, place: Place): Vm {
  return ctx.tx.get('vm', place.owner?.id ?? '') ?? {};
}

function move(
  ctx: RuleContext,
  collection: string,
  backup: Backup,
  operation: string,
  data?: StoredObject,
): void {
  const journey = { kind: 'backup' as const, collection, id: backup.id ?? '', operation };
  begin(ctx, { ...journey, ...(data ? { data } : {}) }, backup as StoredObject);
}

export const checkpointRules = rules({
  kind: 'checkpoint',
  events: { remove: 10797 },
  removable(ctx, { object, place }) {
    requireNoBackup(ctx, vmOf(ctx, place), 'remove a checkpoint of');
    const all = ctx.tx.list('checkpoint', { where: { collection: place.collection } });
    // Only the oldest one can go: the later ones build on the earlier.
    if (all[0]?.id !== object.id) ctx.refuse('CHECKPOINT_IS_NEEDED', { action: 'remove' });
  },
});

/** The disks of a backup, as they are shown in it. */
export const backupDiskRules = rules<'backup_disk'>({
  kind: 'backup_disk',
  compute(ctx, place) {
    const backup = ctx.tx.get('backup', place.owner?.id ?? '') ?? {};
    const mode = backup.from_checkpoint_id ? 'incremental' : 'full';
    return disksNamed(ctx, backup.disks).map((disk) => ({ ...disk, backup_mode: mode }));
  },
});

export const checkpointDiskRules = rules<'checkpoint_disk'>({
  kind: 'checkpoint_disk',
  compute: (ctx, place) => disksNamed(ctx, ctx.tx.get('checkpoint', place.owner?.id ?? '')?.disks),
});

function disksNamed(ctx: RuleContext, named: readonly { id?: string }[] | undefined) {
  return (named ?? []).flatMap(({ id }) => {
    const disk = ctx.tx.get('disk', id ?? '');
    return disk ? [disk] : [];
  });
}
