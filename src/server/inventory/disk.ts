/** Common functions of disks: validation, image files, attachments, and disks on logical units. */

import { largestDisk } from '../../model/disk-sizes.ts';
import type { Resource } from '../../model/resource.ts';
import type { CollectionRef } from '../core/collection-ref.ts';
import type { RuleContext } from '../core/context.ts';
import { isFileTooLarge } from '../core/failure-cause.ts';
import { requireAll } from '../core/input.ts';
import type { TransitionOf } from '../core/transition-handlers.ts';
import { beginTransition } from '../core/transitions.ts';
import type { StoredObject } from '../store/kinds.ts';
import { forgetChanges } from './dirty-bitmaps.ts';
import {
  addUnitState,
  listLogicalUnits,
  listUnitUsers,
  readSentUnits,
  requireFree,
} from './logical-unit.ts';
import { chargeStorage, findDefaultQuota, requireStorageQuota } from './quota.ts';
import { getAttachedSnapshot } from './snapshot-attachment.ts';
import { connect } from './storage-connections.ts';
import { isBlock, measureAllocatable, measureNeeded, measureSpace } from './storage-space.ts';

type Disk = Resource<'disk'>;

/** Members of image disks only. */
const imageMembers = [
  'provisioned_size',
  'format',
  'sparse',
  'initial_size',
  'storage_domains',
  'image_id',
  'quota',
  'disk_profile',
  'backup',
];

/**
 * Completes and validates a new disk on a logical unit. It has no status, because its storage
 * already exists.
 */
function prepareLogicalUnit(ctx: RuleContext, disk: Disk): void {
  const storage = disk.lun_storage ?? {};
  requireAll('Disk', ['lun_storage.type'], disk, 'add');
  const [unit, ...others] = listLogicalUnits(storage);
  const members = storage.type === 'iscsi' ? ['address', 'target', 'port', 'id'] : ['id'];
  requireAll('LogicalUnit', members, unit ?? {}, 'add');
  if (others.length > 0) ctx.refuse('DISK_HAS_ONE_UNIT', { action: 'add' });
  const units = readSentUnits([unit]);
  requireFree(ctx, units, 'add', 'Virtual Disk');
  const stored: StoredObject = disk;
  for (const name of imageMembers) delete stored[name];
  disk.storage_type = 'lun';
  disk.content_type ??= 'data';
  disk.sgio ??= 'disabled';
  const { type = 'iscsi' } = storage;
  disk.lun_storage = { type, logical_units: units };
  if (ctx.site.dialect.engineAnswers) disk.wipe_after_delete ??= false;
  connect(ctx, disk.lun_storage);
}

/** The disk with the current state of its logical unit. */
export function withUnit(ctx: RuleContext, disk: Disk): Disk {
  const users = listUnitUsers(ctx);
  const units = listLogicalUnits(disk.lun_storage).map((unit) => addUnitState(unit, users));
  return { ...disk, lun_storage: { ...disk.lun_storage, logical_units: units } };
}

type Domain = Resource<'storage_domain'>;

const gibibyte = 2 ** 30;

/** Deprecated members that belong to an attachment. */
const attachmentMembers = ['interface', 'bootable', 'active', 'read_only', 'uses_scsi_reservation'];

/** The alias of a new disk in the request, by either name. Engines ignore an empty one. */
export function getSentAlias(ctx: RuleContext, { alias, name }: Disk): string | undefined {
  const { engineAnswers } = ctx.site.dialect;
  return [alias, name].find((one) => one !== undefined && !(engineAnswers && one === ''));
}

/** The alias of a new disk without a VM. Engines number the disks of VMs, also without a VM. */
function defaultAlias(ctx: RuleContext, { id }: Disk): string {
  return ctx.site.dialect.engineAnswers ? '_Disk1' : `disk-${id?.slice(0, 8)}`;
}

/** Completes and validates a new disk. */
export function prepareDisk(ctx: RuleContext, disk: Disk): void {
  const stored: StoredObject = disk;
  for (const name of attachmentMembers) delete stored[name];
  disk.alias = getSentAlias(ctx, disk) ?? defaultAlias(ctx, disk);
  disk.name = disk.alias;
  if (disk.lun_storage) {
    prepareLogicalUnit(ctx, disk);
    return;
  }
  disk.storage_type = 'image';
  const size = BigInt(disk.provisioned_size ?? 0);
  if (size <= 0n) ctx.refuse('DISK_SIZE_ZERO', { action: 'add' });
  const domain = findStorageDomain(ctx, disk);
  if (!domain) ctx.refuse('STORAGE_DOMAIN_NOT_SPECIFIED', { action: 'add' });
  requireActiveDomain(ctx, domain, 'add', 'Virtual Disk');
  if (isBlock(domain)) requireDiskSize(ctx, size, domain, 'add');
  disk.storage_domains = [{ id: domain.id ?? '' }];
  disk.sparse ??= true;
  checkFormat(ctx, disk, domain, 'add');
  requireSpace(ctx, disk, domain, 'add');
  if (disk.sgio === 'unfiltered') ctx.refuse('DISK_SGIO_NEEDS_UNIT', { action: 'add' });
  disk.content_type ??= 'data';
  if (disk.format === 'cow') disk.qcow_version ??= 'qcow2_v3';
  disk.wipe_after_delete ??= domain.wipe_after_delete ?? false;
  disk.image_id ??= ctx.site.newId();
  disk.status = 'locked';
  disk.actual_size = 0;
  disk.total_size = 0;
  settleOwners(ctx, disk, domain, 'add');
  warnOfLowSpace(ctx, domain, measureNeeded(disk, domain));
}

/**
 * Writes an event if the remaining space of a domain falls below its warning_low_space_indicator.
 */
function warnOfLowSpace(ctx: RuleContext, domain: Domain, taken: number): void {
  const { available, used } = measureSpace(ctx, domain);
  const left = available - taken;
  const share = ((domain.warning_low_space_indicator ?? 0) / 100) * (available + used);
  if (taken === 0 || left >= share) return;
  ctx.event(
    'STORAGE_DOMAIN_SPACE_LOW',
    { storage_domain: domain },
    { FreeSpace: Math.floor(left / gibibyte) },
  );
}

/**
 * Assigns the default profile and quota of its domain to a disk, or validates the requested ones.
 * Charges the quota.
 */
export function settleOwners(ctx: RuleContext, disk: Disk, domain: Domain, action: string): void {
  const profiles = ctx.tx.list('disk_profile', { where: { storage_domain_id: domain.id ?? '' } });
  const [first] = profiles;
  const requested = disk.disk_profile?.id;
  if (requested && !profiles.some(({ id }) => id === requested)) {
    ctx.refuse('DISK_PROFILE_ELSEWHERE', { action, name: domain.name });
  }
  if (!requested && first?.id) disk.disk_profile = { id: first.id };
  const dataCenter = findDomainDataCenter(ctx, domain) ?? '';
  const quota = disk.quota?.id
    ? ctx.tx.get('quota', disk.quota.id)
    : findDefaultQuota(ctx, dataCenter);
  if (quota && quota.data_center?.id !== dataCenter) {
    ctx.refuse('QUOTA_ELSEWHERE', { action, name: quota.name });
  }
  if (quota) requireStorageQuota(ctx, quota, action);
  if (quota?.id) disk.quota = { id: quota.id };
  chargeStorage(ctx, quota?.id, domain.id ?? '', Number(disk.provisioned_size ?? 0), action);
}

/** The storage domain of an image disk. */
export function findStorageDomain(ctx: RuleContext, disk: Disk): Domain | undefined {
  const id = disk.storage_domains?.[0]?.id;
  return id ? ctx.tx.get('storage_domain', id) : undefined;
}

/** Id of the data center of a storage domain. */
export function findDomainDataCenter(
  ctx: RuleContext,
  domain: Pick<Domain, 'id'> | undefined,
): string | undefined {
  return ctx.tx.find('attached_storage_domain', { id: domain?.id ?? '' })?.data_center?.id;
}

/** Requires an active data domain. */
export function requireActiveDomain(
  ctx: RuleContext,
  domain: Domain,
  action: string,
  type: string,
): void {
  if (domain.type !== 'data') {
    ctx.refuse('STORAGE_DOMAIN_TYPE_ILLEGAL', {
      action,
      type,
      name: domain.name,
      domainType: domain.type,
    });
  }
  const status = ctx.tx.find('attached_storage_domain', { id: domain.id ?? '' })?.status;
  if (status !== 'active') {
    ctx.refuse('STORAGE_DOMAIN_STATUS_ILLEGAL', { action, status: status ?? 'unattached' });
  }
}

/** Refuses a format that the storage, incremental backup or sharing does not support. */
export function checkFormat(ctx: RuleContext, disk: Disk, domain: Domain, action: string): void {
  const incremental = disk.backup === 'incremental';
  const raw = disk.format === 'raw';
  const allowed = raw
    ? !incremental && (!isBlock(domain) || disk.sparse === false)
    : disk.sparse === true || incremental;
  if (!allowed) {
    ctx.refuse('DISK_FORMAT_UNSUPPORTED', {
      action,
      format: disk.format,
      allocation: disk.sparse ? 'sparse' : 'preallocated',
    });
  }
  if (!disk.shareable) return;
  if (!raw) ctx.refuse('DISK_NOT_SHAREABLE', { action });
  if (domain.storage?.type === 'glusterfs') ctx.refuse('DISK_NOT_SHAREABLE_ON_GLUSTER', { action });
}

/** Refuses a disk of more bytes than the storage of its domain allows. */
export function requireDiskSize(
  ctx: RuleContext,
  size: number | bigint,
  domain: Domain,
  action: string,
): void {
  const [max, fault] = isBlock(domain)
    ? ([largestDisk.block, 'DISK_TOO_LARGE'] as const)
    : ([largestDisk.file, 'DISK_TOO_LARGE_FOR_FILES'] as const);
  if (size > max) ctx.refuse(fault, { action, size, max });
}

/** Refuses a disk that exceeds the free space of the domain or the limits of its storage. */
export function requireSpace(ctx: RuleContext, disk: Disk, domain: Domain, action: string): void {
  const available = measureAllocatable(ctx, domain);
  const needed = measureNeeded(disk, domain);
  if (available < needed || available < 0) {
    ctx.refuse('STORAGE_DOMAIN_HAS_NO_SPACE', {
      action,
      type: 'Virtual Disk',
      name: domain.name,
      available,
      needed,
    });
  }
  requireDiskSize(ctx, disk.provisioned_size ?? 0, domain, action);
}

/** Creates the image file of a disk. A rollback removes it. */
export function createImage(ctx: RuleContext, disk: Disk): void {
  const { id } = disk;
  if (disk.storage_type === 'lun' || !id) return;
  const length = disk.format === 'raw' ? Number(disk.provisioned_size ?? 0) : 0;
  ctx.tx.images.blank(id, length);
  requireFileSize(ctx, length, 'add', () => ctx.site.images.create(id, length));
  ctx.tx.undo.push(() => ctx.site.images.remove(id));
}

/** Extends the file of a raw disk. A rollback shrinks it again. */
export function growImage(ctx: RuleContext, disk: Disk, size: number): void {
  const { id, provisioned_size: present } = disk;
  // A disk that was never written may have no file.
  if (disk.format !== 'raw' || !id || ctx.site.images.sizes(id).length === 0) return;
  requireFileSize(ctx, size, 'extend', () => ctx.site.images.resize(id, size));
  ctx.tx.undo.push(() => ctx.site.images.resize(id, Number(present ?? 0)));
}

/** Refuses a size that exceeds the maximum file size of the storage. */
function requireFileSize(ctx: RuleContext, size: number, action: string, set: () => void): void {
  try {
    set();
  } catch (error) {
    if (isFileTooLarge(error)) ctx.refuse('DISK_TOO_LARGE_FOR_FILE_SYSTEM', { action, size });
    throw error;
  }
}

/** Starts a transition of a disk. `data` is for its end. */
export function moveDisk(
  ctx: RuleContext,
  ref: Pick<CollectionRef, 'collection'>,
  disk: Disk,
  operation: TransitionOf<'disk'>,
  data?: StoredObject,
): void {
  beginTransition(ctx, { kind: 'disk', collection: ref.collection, operation, data }, disk);
}

/** Deletes a disk and its attachments, and its files after the commit. */
export function eraseDisk(ctx: RuleContext, disk: StoredObject): void {
  const id = String(disk['id']);
  for (const { vm, template } of ctx.tx.list('disk_attachment', { where: { disk_id: id } })) {
    const owner = vm?.id ? `/vms/${vm.id}` : `/templates/${template?.id}`;
    ctx.tx.remove('disk_attachment', id, `${owner}/diskattachments`);
  }
  for (const permission of ctx.tx.list('permission', { where: { disk_id: id } })) {
    if (permission.id) ctx.tx.remove('permission', permission.id);
  }
  for (const { id: image } of ctx.tx.list('disk_snapshot', { where: { disk_id: id } })) {
    if (image) ctx.afterCommit.push(() => ctx.site.images.remove(image));
  }
  ctx.tx.removeBelow('disk_snapshot', `/disks/${id}`);
  forgetChanges(ctx, id);
  ctx.tx.remove('disk', id);
  ctx.afterCommit.push(() => ctx.site.images.remove(id));
}

/** VMs with the disk attached, and the attachments, without those of its snapshots. */
export function listDiskVms(
  ctx: RuleContext,
  disk: Disk,
): { vm: Resource<'vm'>; attachment: Resource<'disk_attachment'> }[] {
  return ctx.tx
    .list('disk_attachment', { where: { disk_id: disk.id ?? '' } })
    .flatMap((attachment) => {
      if (getAttachedSnapshot(attachment)) return [];
      const vm = attachment.vm?.id ? ctx.tx.get('vm', attachment.vm.id) : undefined;
      return vm ? [{ vm, attachment }] : [];
    });
}

/** VMs that are not down and have the disk plugged in. */
export function listPluggedVms(ctx: RuleContext, disk: Disk): Resource<'vm'>[] {
  return listDiskVms(ctx, disk)
    .filter(({ vm, attachment }) => attachment.active && vm.status !== 'down')
    .map(({ vm }) => vm);
}

/** Templates with the disk. */
export function listDiskTemplates(ctx: RuleContext, disk: Disk): Resource<'template'>[] {
  return ctx.tx
    .list('disk_attachment', { where: { disk_id: disk.id ?? '' } })
    .flatMap(({ template }) => ctx.tx.get('template', template?.id ?? '') ?? []);
}

/** Images of a disk in snapshots. */
export function listSnapshotImages(ctx: RuleContext, disk: Disk): Resource<'disk_snapshot'>[] {
  return ctx.tx.list('disk_snapshot', { where: { disk_id: disk.id ?? '' } });
}

/** Whether snapshots contain images of a disk. */
export function hasSnapshots(ctx: RuleContext, disk: Disk): boolean {
  return ctx.tx.count('disk_snapshot', { where: { disk_id: disk.id ?? '' } }) > 0;
}

/** Message parameters for the faults of a disk. */
export function getDiskParams(disk: Disk): { type: string; names: string } {
  return { type: 'Virtual Disk', names: disk.alias ?? disk.id ?? '' };
}
