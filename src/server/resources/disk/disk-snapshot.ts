/** Disk snapshots: the disk images in snapshots, and the active ones. */
import type { Resource } from '../../../model/resource.ts';
import { defineBehavior } from '../../core/behavior.ts';
import type { CollectionRef } from '../../core/collection-ref.ts';
import type { RuleContext } from '../../core/context.ts';
import { getDiskParams } from '../../inventory/disk.ts';
import { requireNotAttached } from '../../inventory/snapshot-attachment.ts';
import { updateSizes } from '../../inventory/storage-space.ts';
import { describeVmSubjects } from '../../inventory/vm.ts';
import { referringCondition } from '../../store/conditions.ts';

type DiskSnapshot = Resource<'disk_snapshot'>;
type Disk = Resource<'disk'>;

/** VM states in which images of the disks can be merged. */
const mergeable = new Set(['down', 'up', 'paused', 'powering_up', 'reboot_in_progress']);

export const diskSnapshotBehavior = defineBehavior('disk_snapshot', {
  compute(ctx, ref, id) {
    const stored = ctx.tx.list('disk_snapshot', ownerCondition(ref));
    // In the list of a storage domain, engines ignore the parameter.
    const isIgnored = ctx.site.dialect.engineAnswers && ref.owner?.kind === 'storage_domain';
    const requested = ctx.parameters.flag('include_active') === true && !isIgnored;
    const active = id !== undefined || requested;
    const templates = id !== undefined || ctx.parameters.flag('include_template') === true;
    if (!active && !templates) return stored;
    const disks = listOwnerDisks(ctx, ref).filter(({ storage_type: type }) => type !== 'lun');
    const present = disks.flatMap((disk) => {
      const ofTemplate = isOfTemplate(ctx, disk);
      return (ofTemplate ? templates : active) ? [activeImage(ctx, disk)] : [];
    });
    return [...stored, ...present];
  },

  beforeDelete(ctx, { object }) {
    const disk = ctx.tx.get('disk', object.disk?.id ?? '') ?? {};
    const action = 'remove';
    if (!object.snapshot) ctx.refuse('IMAGE_IS_ACTIVE', { action });
    requireNotAttached(ctx, [object], action, 'Disk Snapshot');
    if (disk.status === 'locked') ctx.refuse('DISK_IS_LOCKED', { action, ...getDiskParams(disk) });
    const snapshot = ctx.tx.get('snapshot', object.snapshot?.id ?? '');
    if (snapshot && snapshot.snapshot_status !== 'ok') {
      ctx.refuse('IMAGE_OF_BUSY_SNAPSHOT', { action, status: snapshot.snapshot_status });
    }
    const vm = ctx.tx.get('vm', snapshot?.vm?.id ?? '');
    if (vm && !mergeable.has(vm.status ?? '')) {
      ctx.refuse('VM_STATUS_ILLEGAL', { action: 'remove an image of', status: vm.status });
    }
  },

  remove(ctx, { object }) {
    const id = object.id ?? '';
    const disk = ctx.tx.get('disk', object.disk?.id ?? '');
    ctx.tx.remove('disk_snapshot', id, `/disks/${object.disk?.id}/disksnapshots`);
    ctx.afterCommit.push(() => ctx.site.images.remove(id));
    if (disk) ctx.tx.update('disk', updateSizes(ctx, disk));
    const snapshot = ctx.tx.get('snapshot', object.snapshot?.id ?? '');
    const vm = ctx.tx.get('vm', snapshot?.vm?.id ?? '');
    const messageParams = { DiskAlias: disk?.alias, SnapshotName: snapshot?.description ?? '' };
    for (const event of ['DISK_SNAPSHOT_REMOVE_STARTED', 'DISK_SNAPSHOT_REMOVED'] as const)
      ctx.event(event, vm ? describeVmSubjects(ctx, vm) : {}, messageParams);
  },
});

function ownerCondition({ owner }: CollectionRef) {
  const id = owner?.id ?? '';
  return owner?.kind === 'disk'
    ? { where: { disk_id: id } }
    : { condition: referringCondition('disk_snapshot', 'storage_domains', id) };
}

function listOwnerDisks(ctx: RuleContext, { owner }: CollectionRef): Disk[] {
  const id = owner?.id ?? '';
  const disk = owner?.kind === 'disk' ? ctx.tx.get('disk', id) : undefined;
  return disk ? [disk] : ctx.tx.referring('disk', 'storage_domains', id);
}

function isOfTemplate(ctx: RuleContext, disk: Disk): boolean {
  return ctx.tx
    .list('disk_attachment', { where: { disk_id: disk.id ?? '' } })
    .some(({ template }) => template?.id);
}

/** The active image of a disk, on top of the youngest one in a snapshot. */
function activeImage(ctx: RuleContext, disk: Disk): DiskSnapshot {
  const stored = ctx.tx.list('disk_snapshot', { where: { disk_id: disk.id ?? '' } });
  const parent = stored.at(-1);
  return {
    ...disk,
    id: disk.image_id ?? disk.id ?? '',
    disk: { id: disk.id ?? '' },
    ...(parent?.id ? { parent: { id: parent.id } } : {}),
  };
}
