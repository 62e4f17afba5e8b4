/** Behavior of disks: create, update, remove, present. */

import type { Resource } from '../../../model/resource.ts';
import { diskLifecycle as lifecycle } from '../../../model/resources/disk.ts';
import { isPermitted } from '../../auth/permissions.ts';
import { defineBehavior } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { isUuid, pickSettable } from '../../core/input.ts';
import type { TransitionHandlers } from '../../core/transition-handlers.ts';
import { requireState } from '../../core/transitions.ts';
import {
  createImage,
  eraseDisk,
  findStorageDomain,
  getDiskParams,
  listDiskTemplates,
  listDiskVms,
  listPluggedVms,
  listSnapshotImages,
  moveDisk,
  prepareDisk,
  withUnit,
} from '../../inventory/disk.ts';
import { diskCopies, diskTransitionEnds, failed } from '../../inventory/disk-transitions.ts';
import { grantRole } from '../../inventory/grants.ts';
import { listLogicalUnits } from '../../inventory/logical-unit.ts';
import { requireNotAttached } from '../../inventory/snapshot-attachment.ts';
import { withSizes } from '../../inventory/storage-space.ts';
import { formatContentsPath } from '../../inventory/unregistered.ts';
import type { StoredObject } from '../../store/kinds.ts';
import { extendInRunningVms } from '../vm/plugging.ts';
import { diskActions } from './actions.ts';
import { changeDisk } from './attachment.ts';

type Disk = Resource<'disk'>;

const transitions: TransitionHandlers<'disk'> = {
  describe: (ctx, disk, run) => {
    const domain = findStorageDomain(ctx, disk);
    const vm = ctx.tx.get('vm', String(run.data?.['vm'] ?? ''));
    return {
      subjects: { ...(domain ? { storage_domain: domain } : {}), ...(vm ? { vm } : {}) },
      words: {
        DiskAlias: disk.alias ?? disk.name ?? disk.id ?? '',
        StorageDomainName: domain?.name ?? '<none>',
      },
    };
  },
  onEnd: diskTransitionEnds,
  copies: diskCopies,
  devices: { extend: extendInRunningVms },
  onCopyFailure: failed,
};

export const diskBehavior = defineBehavior('disk', {
  lifecycle,
  transitions,

  /** Disks on the storage that the inventory does not contain have a separate kind. */
  locate(ctx, ref, id) {
    const { owner } = ref;
    if (owner?.kind !== 'storage_domain' && owner?.kind !== 'attached_storage_domain') return ref;
    const collection = formatContentsPath(owner.id, 'disks');
    const requested =
      id === undefined
        ? ctx.parameters.flag('unregistered') === true
        : ctx.tx.get('unregistered_disk', id, collection) !== undefined;
    if (!requested) return ref;
    return { ...ref, kind: 'unregistered_disk', collection, options: { where: { collection } } };
  },

  /** Volume types belong to volume providers, which have a separate collection of disks. */
  ignoredOnAdd: (ctx) => (ctx.site.dialect.engineAnswers ? ['openstack_volume_type'] : []),

  beforeCreate(ctx, disk, _place, sent) {
    if (sent['active'] === true && ctx.site.dialect.refusesActiveDisk) {
      ctx.refuse('DISK_FLOATS', { action: 'add' });
    }
    const id = sent['id'];
    if (typeof id === 'string' && isUuid(id)) {
      if (ctx.tx.get('disk', id)) ctx.refuse('DISK_EXISTS', { action: 'add', id });
      disk.id = id;
    }
    prepareDisk(ctx, disk);
  },

  afterCreate(ctx, { object, ref }) {
    grantToCreator(ctx, object);
    createImage(ctx, object);
    if (object.storage_type === 'lun') ctx.event('DISK_ADDED', {}, { DiskAlias: object.alias });
    else moveDisk(ctx, ref, object, 'add');
  },

  /**
   * Permitted updates of a disk depend on the dialect. Updates through attachments permit all
   * members.
   */
  replace(ctx, { object, ref }, sent) {
    const { qcow_version: version, ...others } = pickSettable('disk', sent, 'U');
    const more = Object.keys(others).length > 0;
    if (more && ctx.site.dialect.diskUpdates === 'qcow_version') {
      ctx.refuse('DISK_ONLY_QCOW_VERSION', { action: 'edit' });
    }
    if (object.status === 'locked') {
      ctx.refuse('DISK_IS_LOCKED', { action: 'edit', ...getDiskParams(object) });
    }
    let isChanged = !more && version !== undefined;
    if (more) isChanged = changeDisk(ctx, object, sent);
    else if (version !== undefined) {
      if (object.format !== 'cow') ctx.refuse('DISK_RAW_HAS_NO_VERSION', { action: 'edit' });
      requireState(ctx, 'disk', object, 'update', getDiskParams(object));
      const changed = { ...object, qcow_version: version };
      ctx.tx.update('disk', changed);
      moveDisk(ctx, ref, changed, 'update');
    }
    // Engines respond before the change.
    if (isChanged && ctx.site.dialect.engineAnswers) return { ...object, status: 'locked' };
    return ctx.tx.get('disk', object.id ?? '') ?? object;
  },

  beforeDelete(ctx, { object }) {
    const unit = object.storage_type === 'lun';
    if (object.content_type === 'ovf_store' && object.status !== 'illegal') {
      ctx.refuse('DISK_IS_OVF_STORE', { action: 'remove' });
    }
    if (!unit) requireState(ctx, 'disk', object, 'remove', getDiskParams(object));
    const vms = listPluggedVms(ctx, object);
    if (vms.length > 0) {
      const names = vms.map(({ name }) => name).join(', ');
      ctx.refuse('DISK_IS_IN_USE', { action: 'remove', names });
    }
    requireNotAttached(ctx, listSnapshotImages(ctx, object), 'remove', 'Virtual Disk');
    const [template] = listDiskTemplates(ctx, object);
    if (template) ctx.refuse('DISK_OF_TEMPLATE', { action: 'remove', name: template.name });
    const drives = ctx.tx.list('cdrom', { where: { file_id: object.id ?? '' } });
    if (drives.length > 0) {
      const names = drives.map(({ vm }) => ctx.tx.get('vm', vm?.id ?? '')?.name).join(', ');
      ctx.refuse('DISK_IN_CD_DRIVE', { action: 'remove', names });
    }
  },

  remove(ctx, { ref, object }) {
    if (object.storage_type === 'lun') {
      ctx.event('DISK_REMOVED_WITHOUT_DOMAIN', {}, { DiskAlias: object.alias });
      eraseDisk(ctx, object);
    } else {
      moveDisk(ctx, ref, object, 'remove');
    }
  },

  present(ctx, disk) {
    if (disk.storage_type === 'lun') return { ...shownUnit(ctx, disk), status: undefined };
    // During a transfer, the file has the current size. Shareable disks have no snapshots and
    // therefore no total size.
    const sizes = disk.status === 'locked' ? withSizes(ctx, disk) : {};
    return disk.shareable ? { ...sizes, total_size: undefined } : sizes;
  },

  references: {
    vms(ctx, disk) {
      const users = listDiskVms(ctx, disk).map(({ vm }) => ({ id: vm.id ?? '' }));
      return users.length > 0 || !ctx.site.dialect.engineAnswers ? users : undefined;
    },
  },

  actions: diskActions,
});

/**
 * A disk on a logical unit. Engines show the storage with the id of the unit, and without a type.
 */
function shownUnit(ctx: RuleContext, disk: Disk): StoredObject {
  const shown = withUnit(ctx, disk);
  if (!ctx.site.dialect.engineAnswers) return { ...shown };
  const { type: _type, ...storage } = shown.lun_storage ?? {};
  const id = listLogicalUnits(storage)[0]?.id;
  return { ...shown, backup: undefined, lun_storage: { ...storage, id } };
}

/** Grants the creator of a disk permission to use it. */
function grantToCreator(ctx: RuleContext, disk: Disk): void {
  const { userId } = ctx.caller;
  const id = disk.id ?? '';
  const isAlways = ctx.site.dialect.engineAnswers;
  if (!isAlways && isPermitted(ctx.tx, ctx.caller, 'edit_disk_properties', { kind: 'disk', id })) {
    return;
  }
  if (!ctx.tx.get('user', userId)) return;
  grantRole(ctx, 'DiskOperator', { user: { id: userId }, disk: { id } });
}
