/** Disk attachments: attach, create with a disk, update, hot plug, detach. */

import type { Resource } from '../../../model/resource.ts';
import { getUnknownReferenceStatus } from '../../../model/unknown-references.ts';
import { defineBehavior } from '../../core/behavior.ts';
import { pickChanged } from '../../core/changed-members.ts';
import type { CollectionRef } from '../../core/collection-ref.ts';
import type { RuleContext } from '../../core/context.ts';
import { notFound } from '../../core/fault.ts';
import {
  applyDefaults,
  checkName,
  pickSettable,
  requireAll,
  resolveMember,
  resolveReferences,
} from '../../core/input.ts';
import { requireState } from '../../core/transitions.ts';
import { forgetChanges } from '../../inventory/dirty-bitmaps.ts';
import {
  createImage,
  eraseDisk,
  findDomainDataCenter,
  findStorageDomain,
  getDiskParams,
  getSentAlias,
  hasSnapshots,
  listDiskVms,
  listSnapshotImages,
  moveDisk,
  prepareDisk,
  settleOwners,
} from '../../inventory/disk.ts';
import {
  getAttachedSnapshot,
  requireNotAttached,
  requireSnapshotDisk,
  withSnapshot,
} from '../../inventory/snapshot-attachment.ts';
import { updateSizes } from '../../inventory/storage-space.ts';
import { requireVm } from '../../inventory/vm.ts';
import type { StoredObject } from '../../store/kinds.ts';
import type { ObjectOf } from '../../store/transaction.ts';
import { isReal } from '../vm/device-changes.ts';
import { plugAttachedDisk, plugUpdatedDisk, unplugDetachedDisk } from '../vm/plugging.ts';
import { startExtendDisk } from './actions.ts';

type Attachment = ObjectOf<'disk_attachment'>;
type Vm = ObjectOf<'vm'>;

/** Slots for disks by interface. The CD drive occupies one slot of each. */
const slots: Readonly<Record<string, number>> = { ide: 3, sata: 5 };
/** Slots of the PCI bus, shared by NICs and disks. */
const pciSlots = 26;
const hotPluggable = new Set(['virtio', 'virtio_scsi']);
const readWriteOnly = new Set(['ide', 'sata']);
/** VM states in which disks can be plugged and unplugged. */
const pluggable = new Set(['up', 'paused', 'down']);

/** Refuses a disk if the VM has no free slot or controller for it. */
function checkDevice(
  ctx: RuleContext,
  vm: Vm,
  collection: string,
  attachment: Attachment,
  action: string,
): void {
  const kind = attachment.interface ?? '';
  if (attachment.read_only && readWriteOnly.has(kind)) {
    ctx.refuse('INTERFACE_NOT_READ_ONLY', { action, interface: kind });
  }
  if (kind === 'virtio_scsi' && vm.virtio_scsi?.enabled === false) {
    ctx.refuse('VIRTIO_SCSI_DISABLED', { action });
  }
  const others = ctx.tx
    .list('disk_attachment', { where: { collection } })
    .filter(({ id }) => id !== attachment.id);
  const same = others.filter((one) => one.interface === kind).length + 1;
  const max = slots[kind];
  if (max !== undefined && same > max) {
    ctx.refuse('SLOTS_EXCEEDED', { action, interface: kind, max });
  }
  if (kind !== 'virtio') return;
  const nics = ctx.tx.count('nic', { where: { collection: `/vms/${vm.id}/nics` } });
  if (same + nics > pciSlots) {
    ctx.refuse('SLOTS_EXCEEDED', { action, interface: 'PCI', max: pciSlots });
  }
}

/** Refuses to plug or unplug a disk in a VM state that does not permit it. */
function requireHotPlug(ctx: RuleContext, vm: Vm, attachment: Attachment, action: string): void {
  if (vm.status === 'down') return;
  if (!pluggable.has(vm.status ?? '')) {
    ctx.refuse('VM_STATUS_ILLEGAL', { action: `${action} a disk of`, status: vm.status });
  }
  if (!hotPluggable.has(attachment.interface ?? '')) {
    ctx.refuse('INTERFACE_NOT_HOT_PLUGGABLE', { action, interface: attachment.interface });
  }
}

type Disk = Resource<'disk'>;

/** Members that are stored unchanged. */
const plain = [
  'description',
  'comment',
  'wipe_after_delete',
  'propagate_errors',
  'backup',
  'shareable',
  'sgio',
  'qcow_version',
] as const;

/**
 * Applies the sent members of a disk that differ. The size can only increase. Returns whether any
 * member differs.
 */
export function changeDisk(ctx: RuleContext, disk: Disk, all: Disk): boolean {
  const sent: Disk = pickChanged('disk', all, disk);
  if (Object.keys(sent).length === 0) return false;
  const changed: Disk = { ...disk };
  const alias = sent.alias ?? sent.name;
  if (alias !== undefined) {
    Object.assign(changed, { alias, name: alias });
    const ref = { kind: 'disk', type: 'disk', collection: '/disks' } as const;
    checkName(ctx.tx, ref, changed, 'edit');
  }
  for (const name of plain) {
    if (sent[name] !== undefined) Object.assign(changed, { [name]: sent[name] });
  }
  if (sent.shareable !== undefined && sent.shareable !== (disk.shareable ?? false)) {
    checkSharing(ctx, disk, sent.shareable);
  }
  if (sent.qcow_version !== undefined && disk.format !== 'cow') {
    ctx.refuse('DISK_RAW_HAS_NO_VERSION', { action: 'edit' });
  }
  if (sent.backup === 'incremental' && disk.format !== 'cow') {
    ctx.refuse('DISK_FORMAT_UNSUPPORTED', {
      action: 'edit',
      format: disk.format,
      allocation: disk.sparse ? 'sparse' : 'preallocated',
    });
  }
  if (sent.backup === 'none') forgetChanges(ctx, disk.id ?? '');
  changeOwners(ctx, changed, sent);
  const size = sent.provisioned_size;
  if (disk.storage_type !== 'lun' && size !== undefined && size !== disk.provisioned_size) {
    requireState(ctx, 'disk', disk, 'extend', getDiskParams(disk));
    startExtendDisk(ctx, changed, size);
    return true;
  }
  ctx.tx.update('disk', changed);
  ctx.event('DISK_UPDATED', {}, { DiskAlias: changed.alias });
  return true;
}

function changeOwners(ctx: RuleContext, disk: Disk, sent: Disk): void {
  const owners: StoredObject = {};
  if (sent.quota) owners['quota'] = { id: sent.quota.id, name: sent.quota.name };
  if (sent.disk_profile) owners['disk_profile'] = { ...sent.disk_profile };
  if (Object.keys(owners).length === 0) return;
  resolveReferences(ctx.tx, 'disk', owners);
  const before = disk.quota?.id;
  Object.assign(disk, owners);
  const domain = findStorageDomain(ctx, disk);
  if (!domain) return;
  // Only a new quota is charged for the size of the disk.
  const size = disk.quota?.id === before ? 0 : disk.provisioned_size;
  settleOwners(ctx, { ...disk, provisioned_size: size ?? 0 }, domain, 'edit');
}

function checkSharing(ctx: RuleContext, disk: Disk, shared: boolean): void {
  if (shared) {
    if (disk.format === 'cow') ctx.refuse('DISK_NOT_SHAREABLE', { action: 'edit' });
    if (hasSnapshots(ctx, disk))
      ctx.refuse('DISK_WITH_SNAPSHOTS_NOT_SHAREABLE', { action: 'edit' });
  } else if (listDiskVms(ctx, disk).length > 1) {
    ctx.refuse('DISK_IS_SHARED', { action: 'edit' });
  }
}

/** VM states in which a disk can be attached. */
const attachable = new Set(['up', 'paused', 'down']);

export const diskAttachmentBehavior = defineBehavior('disk_attachment', {
  /** The attachments of a template refer to it as their VM. */
  present: (_ctx, { template }) => (template?.id ? { vm: { id: template.id } } : {}),

  attach(ctx, ref, sent) {
    const vm = requireVm(ctx, ref);
    const sentDisk = sent['disk'] ?? {};
    if (vm.status === 'image_locked') ctx.refuse('VM_IS_LOCKED', { action: 'attach' });
    requireAll('DiskAttachment', ['interface'], sent, 'add');
    const known = sentDisk['id'] !== undefined || namesDisk(ctx, sentDisk);
    const snapshot = sentDisk['snapshot']?.id;
    let attachment = pickSettable('disk_attachment', sent, 'C');
    applyDefaults('disk_attachment', attachment);
    const disk = known
      ? findExistingDisk(ctx, vm, sentDisk, snapshot)
      : createDisk(ctx, vm, sentDisk);
    if (known && snapshot !== undefined) attachment = withSnapshot(attachment, snapshot);
    Object.assign(attachment, { id: disk.id, disk: { id: disk.id }, vm: { id: vm.id } });
    attachment.active ??= known ? false : vm.status === 'down';
    if (attachment.active) requireHotPlug(ctx, vm, attachment, 'plug in');
    checkBootable(ctx, ref, attachment);
    checkDevice(ctx, vm, ref.collection, attachment, 'attach');
    ctx.tx.insert('disk_attachment', ref.collection, attachment);
    if (known) ctx.event('DISK_ATTACHED', { vm }, { DiskAlias: disk.alias });
    if (attachment.active) plugAttachedDisk(ctx, vm, ref, attachment);
    return ctx.tx.get('disk_attachment', disk.id ?? '', ref.collection) ?? attachment;
  },

  beforeUpdate(ctx, before, after, ref, sent) {
    const vm = requireVm(ctx, ref);
    const disk = ctx.tx.get('disk', before.id ?? '');
    if (disk?.status === 'locked')
      ctx.refuse('DISK_IS_LOCKED', { action: 'edit', ...getDiskParams(disk) });
    const plugs = before.active !== after.active && after.active !== undefined;
    if (plugs) {
      requireHotPlug(ctx, vm, before, after.active ? 'plug in' : 'unplug');
      if (vm.status !== 'down' && !isReal(ctx, vm)) {
        ctx.event(
          after.active ? 'DISK_HOT_PLUGGED' : 'DISK_HOT_UNPLUGGED',
          { vm },
          { DiskAlias: disk?.alias },
        );
      }
    }
    const fixed = ['interface', 'read_only', 'bootable'] as const;
    if (vm.status !== 'down' && fixed.some((name) => before[name] !== after[name])) {
      ctx.refuse('VM_IS_NOT_DOWN', { action: 'edit', status: vm.status });
    }
    checkBootable(ctx, ref, after);
    checkDevice(ctx, vm, ref.collection, after, 'edit');
    after.disk = { id: before.id ?? '' };
    const changes = sent['disk'];
    if (changes && getAttachedSnapshot(before)) {
      if (Object.keys(pickChanged('disk', changes, disk ?? {})).length > 0) {
        ctx.refuse('DISK_SNAPSHOT_FIXED', { action: 'edit' });
      }
    } else if (changes && disk) changeDisk(ctx, disk, changes);
    else if (!plugs || vm.status === 'down')
      ctx.event('DISK_UPDATED', { vm }, { DiskAlias: disk?.alias });
    if (plugs) plugUpdatedDisk(ctx, vm, ref, before, after);
  },

  remove(ctx, { ref, object }, parameters) {
    if (ref.owner?.kind === 'template') {
      removeCopy(ctx, object, parameters.text('storage_domain'));
      return;
    }
    const vm = requireVm(ctx, ref);
    if (vm.status !== 'down' && vm.status !== 'up') {
      ctx.refuse('VM_STATUS_ILLEGAL', { action: 'detach', status: vm.status });
    }
    const disk = ctx.tx.get('disk', object.id ?? '');
    if (getAttachedSnapshot(object)) {
      if (object.active) requireHotPlug(ctx, vm, object, 'detach');
      ctx.tx.remove('disk_attachment', object.id ?? '', ref.collection);
      ctx.event('DISK_DETACHED', { vm }, { DiskAlias: disk?.alias });
      return;
    }
    const removes = parameters.flag('detach_only') === false;
    if (disk?.status === 'locked') {
      ctx.refuse('DISK_IS_LOCKED', { action: 'detach', ...getDiskParams(disk) });
    }
    if (removes && disk)
      requireNotAttached(ctx, listSnapshotImages(ctx, disk), 'remove', 'Virtual Disk');
    if (removes && vm.status !== 'down' && object.active) {
      ctx.refuse('DISK_IS_IN_USE', { action: 'remove', names: vm.name });
    }
    if (!removes && disk && hasSnapshots(ctx, disk)) {
      ctx.refuse('DISK_WITH_SNAPSHOTS_STAYS', { action: 'detach' });
    }
    if (object.active) requireHotPlug(ctx, vm, object, 'detach');
    ctx.tx.remove('disk_attachment', object.id ?? '', ref.collection);
    // Checkpoints belong to the VM from which the disk is detached.
    forgetChanges(ctx, object.id ?? '');
    if (object.active && unplugDetachedDisk(ctx, vm, ref, object)) return;
    ctx.event('DISK_DETACHED', { vm }, { DiskAlias: disk?.alias });
    if (removes && disk && listDiskVms(ctx, disk).length === 0) {
      ctx.event(
        'DISK_REMOVED',
        {},
        {
          DiskAlias: disk.alias,
          StorageDomainName: findStorageDomain(ctx, disk)?.name ?? '<none>',
        },
      );
      eraseDisk(ctx, disk);
    }
  },
});

/** Whether the request names an existing disk. Engines treat a disk without an id as a new one. */
function namesDisk(ctx: RuleContext, sent: StoredObject): boolean {
  if (ctx.site.dialect.engineAnswers || !sent['name']) return false;
  return !sent['provisioned_size'] && !sent['lun_storage'];
}

/** Content types of disks that VMs cannot use. */
const unattachable: ReadonlySet<string> = new Set(['iso', 'ovf_store']);

function findExistingDisk(
  ctx: RuleContext,
  vm: Vm,
  sent: StoredObject,
  snapshot: string | undefined,
): Disk {
  if (!attachable.has(vm.status ?? '')) {
    ctx.refuse('VM_STATUS_ILLEGAL', { action: 'attach a disk to', status: vm.status });
  }
  if (snapshot !== undefined) {
    const stored = requireSnapshotDisk(ctx, sent, snapshot);
    if (ctx.tx.get('disk_attachment', stored.id ?? '', `/vms/${vm.id}/diskattachments`)) {
      ctx.refuse('DISK_ALREADY_ATTACHED', { action: 'attach', vm: vm.name });
    }
    requireSameDataCenter(ctx, vm, stored);
    return stored;
  }
  const reference = { id: sent['id'], name: sent['name'] };
  const { engineRefusals } = ctx.site.dialect;
  const status = engineRefusals
    ? getUnknownReferenceStatus('disk_attachment', 'disk', reference)
    : 404;
  const disk = ctx.tx.get('disk', resolveMember(ctx.tx, 'disk', reference, status)) ?? {};
  const messageParams = { action: 'attach', ...getDiskParams(disk) };
  const { content_type: contentType = 'data' } = disk;
  if (unattachable.has(contentType)) {
    ctx.refuse('DISK_CONTENT_TYPE_ILLEGAL', { action: 'attach', contentType });
  }
  if (disk.status === 'locked') ctx.refuse('DISK_IS_LOCKED', messageParams);
  if (disk.status === 'illegal') ctx.refuse('DISK_IS_ILLEGAL', messageParams);
  const users = listDiskVms(ctx, disk);
  const other =
    users.find((user) => user.vm.id === vm.id) ?? (disk.shareable ? undefined : users[0]);
  if (other) ctx.refuse('DISK_ALREADY_ATTACHED', { action: 'attach', vm: other.vm.name });
  requireSameDataCenter(ctx, vm, disk);
  return disk;
}

function requireSameDataCenter(ctx: RuleContext, vm: Vm, disk: Disk): void {
  const domain = findStorageDomain(ctx, disk);
  const own = ctx.tx.get('cluster', vm.cluster?.id ?? '')?.data_center?.id;
  if (!domain || !own || findDomainDataCenter(ctx, domain) === own) return;
  ctx.refuse('DOMAIN_IN_OTHER_DATA_CENTER', { action: 'attach', name: domain.name });
}

function createDisk(ctx: RuleContext, vm: Vm, sentDisk: StoredObject): Disk {
  if (!sentDisk['lun_storage']) {
    requireAll('Disk', ['provisioned_size', 'format'], sentDisk, 'add');
  }
  const disk: Disk = pickSettable('disk', sentDisk, 'C');
  resolveReferences(ctx.tx, 'disk', disk);
  disk.id = ctx.site.newId();
  const count = ctx.tx.count('disk_attachment', {
    where: { collection: `/vms/${vm.id}/diskattachments` },
  });
  disk.alias = getSentAlias(ctx, disk) ?? `${vm.name}_Disk${count + 1}`;
  prepareDisk(ctx, disk);
  requireSameDataCenter(ctx, vm, disk);
  applyDefaults('disk', disk);
  ctx.tx.insert('disk', '/disks', disk);
  createImage(ctx, disk);
  if (disk.storage_type === 'lun') {
    ctx.event('DISK_ADD_TO_VM_STARTED', { vm }, { DiskAlias: disk.alias });
    ctx.event('DISK_ADDED_TO_VM', { vm }, { DiskAlias: disk.alias });
  } else moveDisk(ctx, { collection: '/disks' }, disk, 'add_to_vm', { vm: vm.id ?? '' });
  return disk;
}

/** Removes a disk of a template from one of its domains. The last copy cannot be removed. */
function removeCopy(ctx: RuleContext, attachment: Attachment, domain: string | undefined): void {
  const disk = ctx.tx.get('disk', attachment.id ?? '');
  if (!disk) return;
  if (!domain) ctx.refuse('DISK_COPY_NOT_NAMED', { action: 'remove' });
  const copies = disk.storage_domains ?? [];
  const left = copies.filter(({ id }) => id !== domain);
  if (left.length === copies.length) {
    throw notFound(`Disk ${disk.alias} has no copy in storage domain ${domain}.`);
  }
  if (left.length === 0) ctx.refuse('DISK_LAST_COPY', { action: 'remove' });
  ctx.tx.update('disk', updateSizes(ctx, { ...disk, storage_domains: left }));
  const from = { storage_domain: { id: domain } };
  ctx.event('DISK_REMOVED', from, { DiskAlias: disk.alias });
}

function checkBootable(ctx: RuleContext, ref: CollectionRef, attachment: Attachment): void {
  if (!attachment.bootable) return;
  const other = ctx.tx
    .list('disk_attachment', { where: { collection: ref.collection } })
    .find((one) => one.bootable && one.id !== attachment.id);
  if (other) {
    const disk = ctx.tx.get('disk', other.id ?? '');
    ctx.refuse('DISK_BOOT_IN_USE', { action: 'attach', other: disk?.alias ?? other.id });
  }
}
