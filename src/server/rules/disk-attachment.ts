/** Rules of disk attachments: attaching, making a disk on the way, plugging, detaching. */
import type { Resource } from '../../model/resource.ts';
import type { StoredObject } from '../store/document.ts';
import type { RuleContext } from './context.ts';
import { createImage, eraseDisk, moveDisk, prepareDisk, vmsOf } from './disk.ts';
import { applyDefaults, requireAll, resolveReferences, settable } from './input.ts';
import { rules } from './notation.ts';
import type { Place } from './places.ts';

type Disk = Resource<'disk'>;
type Attachment = Resource<'disk_attachment'>;
type Vm = Resource<'vm'>;

export const diskAttachmentRules = rules({
  kind: 'disk_attachment',

  attach(ctx, place, sent) {
    const vm = vmOf(ctx, place);
    const sentDisk = (sent['disk'] ?? {}) as StoredObject;
    if (vm.status === 'image_locked') ctx.refuse('VM_IS_LOCKED', { action: 'attach' });
    requireAll('DiskAttachment', ['interface'], sent, 'add');
    const known =
      sentDisk['id'] !== undefined || (sentDisk['name'] && !sentDisk['provisioned_size']);
    const disk = known ? existing(ctx, vm, sentDisk) : made(ctx, vm, sentDisk);
    const attachment = settable('disk_attachment', sent, 'C') as Attachment;
    applyDefaults('disk_attachment', attachment as StoredObject);
    Object.assign(attachment, { id: disk.id, disk: { id: disk.id }, vm: { id: vm.id } });
    attachment.active ??= known ? false : vm.status === 'down';
    checkBootable(ctx, place, attachment);
    ctx.tx.insert('disk_attachment', place.collection, attachment);
    if (known) ctx.event(2016, { vm }, { DiskAlias: disk.alias });
    return ctx.tx.get('disk_attachment', disk.id ?? '', place.collection) ?? attachment;
  },

  change(ctx, before, after, place, sent) {
    const vm = vmOf(ctx, place);
    const disk = ctx.tx.get('disk', before.id ?? '');
    if (disk?.status === 'locked') {
      ctx.refuse('DISK_IS_LOCKED', { action: 'edit', type: 'Virtual Disk', names: disk.alias });
    }
    const fixed = ['interface', 'read_only', 'bootable'] as const;
    if (vm.status !== 'down' && fixed.some((name) => before[name] !== after[name])) {
      ctx.refuse('VM_IS_NOT_DOWN', { action: 'edit', status: vm.status });
    }
    checkBootable(ctx, place, after);
    after.disk = { id: before.id ?? '' };
    const changes = sent['disk'] as Disk | undefined;
    if (changes && disk) changeDisk(ctx, disk, changes);
    if (before.active !== after.active && vm.status !== 'down') {
      ctx.event(after.active ? 2000 : 2002, { vm }, { DiskAlias: disk?.alias });
    }
  },

  remove(ctx, { place, object }, parameters) {
    const vm = vmOf(ctx, place);
    if (vm.status !== 'down' && vm.status !== 'up') {
      ctx.refuse('VM_STATUS_ILLEGAL', { action: 'detach', status: vm.status });
    }
    const disk = ctx.tx.get('disk', object.id ?? '');
    const removes = parameters.flag('detach_only') === false;
    if (disk?.status === 'locked') {
      ctx.refuse('DISK_IS_LOCKED', { action: 'detach', type: 'Virtual Disk', names: disk.alias });
    }
    if (removes && vm.status !== 'down') {
      ctx.refuse('DISK_IS_IN_USE', { action: 'remove', names: vm.name });
    }
    ctx.tx.remove('disk_attachment', object.id ?? '', place.collection);
    ctx.event(2018, { vm }, { DiskAlias: disk?.alias });
    if (removes && disk && vmsOf(ctx, disk).length === 0) {
      ctx.event(2014, {}, { DiskAlias: disk.alias, StorageDomainName: '<none>' });
      eraseDisk(ctx, disk as StoredObject);
    }
  },
});

function vmOf(ctx: RuleContext, place: Place): Vm {
  const vm = ctx.tx.get('vm', place.owner?.id ?? '');
  if (!vm) throw new Error('A disk attachment has no virtual machine.');
  return vm;
}

function existing(ctx: RuleContext, vm: Vm, sent: StoredObject): Disk {
  const holder: StoredObject = { disk: { id: sent['id'], name: sent['name'] } };
  resolveReferences(ctx.tx, 'disk_attachment', holder);
  const disk = ctx.tx.get('disk', String((holder['disk'] as Disk).id)) ?? {};
  const words = { action: 'attach', type: 'Virtual Disk', names: disk.alias ?? disk.id };
  if (disk.status === 'locked') ctx.refuse('DISK_IS_LOCKED', words);
  if (disk.status === 'illegal') ctx.refuse('DISK_IS_ILLEGAL', words);
  const users = vmsOf(ctx, disk);
  const other =
    users.find((user) => user.vm.id === vm.id) ?? (disk.shareable ? undefined : users[0]);
  if (other) ctx.refuse('DISK_ALREADY_ATTACHED', { action: 'attach', vm: other.vm.name });
  return disk;
}

function made(ctx: RuleContext, vm: Vm, sentDisk: StoredObject): Disk {
  requireAll('Disk', ['provisioned_size', 'format'], sentDisk, 'add');
  const disk = settable('disk', sentDisk, 'C') as Disk;
  resolveReferences(ctx.tx, 'disk', disk as StoredObject);
  disk.id = ctx.site.newId();
  const count = ctx.tx.count('disk_attachment', {
    where: { collection: `/vms/${vm.id}/diskattachments` },
  });
  disk.alias ??= disk.name ?? `${vm.name}_Disk${count + 1}`;
  prepareDisk(ctx, disk);
  applyDefaults('disk', disk as StoredObject);
  ctx.tx.insert('disk', '/disks', disk);
  createImage(ctx, disk);
  ctx.event(78, { vm }, { DiskAlias: disk.alias });
  moveDisk(ctx, { collection: '/disks' }, disk, 'add');
  return disk;
}

function checkBootable(ctx: RuleContext, place: Place, attachment: Attachment): void {
  if (!attachment.bootable) return;
  const other = ctx.tx
    .list('disk_attachment', { where: { collection: place.collection } })
    .find((one) => one.bootable && one.id !== attachment.id);
  if (other) {
    const disk = ctx.tx.get('disk', other.id ?? '');
    ctx.refuse('DISK_BOOT_IN_USE', { action: 'attach', other: disk?.alias ?? other.id });
  }
}

/** Properties of the disk that may change through its attachment; the size only grows. */
function changeDisk(ctx: RuleContext, disk: Disk, changes: Disk): void {
  const changed: Disk = { ...disk };
  const alias = changes.alias ?? changes.name;
  if (alias !== undefined) Object.assign(changed, { alias, name: alias });
  for (const name of ['description', 'wipe_after_delete', 'propagate_errors', 'backup'] as const) {
    if (changes[name] !== undefined) Object.assign(changed, { [name]: changes[name] });
  }
  const size = changes.provisioned_size;
  if (size !== undefined && size !== disk.provisioned_size) {
    if (size < (disk.provisioned_size ?? 0)) {
      ctx.refuse('DISK_SIZE_TOO_SMALL', { action: 'extend', size, present: disk.provisioned_size });
    }
    changed.provisioned_size = size;
    if (disk.format === 'raw' && disk.id) ctx.site.images.resize(disk.id, Number(size));
    ctx.event(371, {}, { DiskAlias: disk.alias, NewSize: size });
  }
  ctx.tx.update('disk', changed);
}
