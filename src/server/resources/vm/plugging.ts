/** Changes of NICs, disks and discs of VMs that a hypervisor runs. */
import type { EventName } from '../../../model/events.ts';
import type { Resource } from '../../../model/resource.ts';
import type { CollectionRef } from '../../core/collection-ref.ts';
import type { RuleContext } from '../../core/context.ts';
import type { MessageParams } from '../../core/fault.ts';
import type { DeviceChange } from '../../core/hypervisor.ts';
import type { ImageCopy, RunningPart, TransitionRun } from '../../core/transition-handlers.ts';
import { recordReplaced } from '../../inventory/dirty-bitmaps.ts';
import { getDiskParams, listDiskVms } from '../../inventory/disk.ts';
import { getRecordedCopies } from '../../inventory/disk-transitions.ts';
import { isRunning, listDiskAttachments, type Vm } from '../../inventory/vm.ts';
import { getValueAt } from '../../store/kinds.ts';
import type { ObjectOf } from '../../store/transaction.ts';
import { beginDeviceChange, isReal } from './device-changes.ts';
import { describeDisc, describeDisk, describeNic, isConnected } from './hardware.ts';

type Nic = Resource<'nic'>;
type Attachment = ObjectOf<'disk_attachment'>;
type Cdrom = ObjectOf<'cdrom'>;

/** Event after the success of a change. */
interface EndEvent {
  readonly name: EventName;
  readonly words: MessageParams;
}

/**
 * Changes a NIC of a running VM after its stored object has changed; `before` is undefined for a new
 * NIC. Returns false if the hypervisor has nothing to do. Otherwise, it writes the event at its end.
 */
export function changeRealNic(
  ctx: RuleContext,
  vm: Vm,
  ref: CollectionRef,
  before: Nic | undefined,
  after: Nic,
  done: EndEvent,
): boolean {
  if (!isReal(ctx, vm)) return false;
  const found = describeNicChange(ctx, before, after);
  if (!found) return false;
  const { change, action, failed } = found;
  beginDeviceChange(ctx, {
    ...{ change, action, type: 'Interface', before, done },
    ...{ vm: vm.id ?? '', kind: 'nic', collection: ref.collection, id: after.id ?? '' },
    failed: { name: failed, words: { NicName: after.name } },
  });
  return true;
}

function describeNicChange(
  ctx: RuleContext,
  before: Nic | undefined,
  after: Nic,
): { change: DeviceChange; action: string; failed: EventName } | undefined {
  const id = after.id ?? '';
  const was = before !== undefined && before.plugged !== false;
  const is = after.plugged !== false;
  if (!was && is) {
    const nic = describeNic(ctx, after, undefined, 'plug in an interface of');
    return { change: { change: 'plug_nic', nic }, action: 'activate', failed: 'NIC_PLUG_FAILED' };
  }
  if (was && !is) {
    const change: DeviceChange = { change: 'unplug_nic', nic: id };
    return { change, action: 'deactivate', failed: 'NIC_UNPLUG_FAILED' };
  }
  const linked = isConnected(after);
  if (!before || !is || isConnected(before) === linked) return undefined;
  return {
    change: { change: 'link', nic: id, linked },
    action: 'edit',
    failed: 'NIC_UPDATE_FAILED',
  };
}

/** Plugs in the disk of a new attachment if a hypervisor runs the VM. */
export function plugAttachedDisk(
  ctx: RuleContext,
  vm: Vm,
  ref: CollectionRef,
  after: Attachment,
): void {
  plugDisk(ctx, vm, ref, { after, before: { ...after, active: false }, isPlugged: true });
}

/** Plugs in or unplugs the disk of an updated attachment, if a hypervisor runs the VM. */
export function plugUpdatedDisk(
  ctx: RuleContext,
  vm: Vm,
  ref: CollectionRef,
  before: Attachment,
  after: Attachment,
): void {
  const disk = ctx.tx.get('disk', before.id ?? '') ?? {};
  // Another change of the same request is in progress.
  if (isReal(ctx, vm) && disk.status === 'locked') {
    ctx.refuse('DISK_IS_LOCKED', { action: 'edit', ...getDiskParams(disk) });
  }
  const isPlugged = after.active === true;
  const name = isPlugged ? 'DISK_HOT_PLUGGED' : 'DISK_HOT_UNPLUGGED';
  const words = { DiskAlias: disk.alias };
  plugDisk(ctx, vm, ref, { after, before, isPlugged }, { name, words });
}

/** Unplugs the disk of a removed attachment. Returns false if no hypervisor runs the VM. */
export function unplugDetachedDisk(
  ctx: RuleContext,
  vm: Vm,
  ref: CollectionRef,
  before: Attachment,
): boolean {
  const { alias } = ctx.tx.get('disk', before.id ?? '') ?? {};
  const done = { name: 'DISK_DETACHED', words: { DiskAlias: alias } } as const;
  return plugDisk(ctx, vm, ref, { after: before, before, isPlugged: false }, done);
}

/**
 * Plugs in or unplugs a disk of a running VM. `before` is the attachment to store after a failure.
 * Returns false for a VM without a hypervisor. Otherwise, the event is written at the end.
 */
function plugDisk(
  ctx: RuleContext,
  vm: Vm,
  ref: CollectionRef,
  plug: { readonly after: Attachment; readonly before: Attachment; readonly isPlugged: boolean },
  done?: EndEvent,
): boolean {
  if (!isReal(ctx, vm)) return false;
  const { after, before, isPlugged } = plug;
  const id = after.id ?? '';
  const action = isPlugged ? 'plug in' : 'unplug';
  const change: DeviceChange = isPlugged
    ? { change: 'plug_disk', disk: describeDisk(ctx, after, undefined, 'plug in a disk of') }
    : { change: 'unplug_disk', disk: id };
  // No dirty bitmap records the writes of the guest.
  if (isPlugged && after.read_only !== true) recordReplaced(ctx.tx, id);
  const disk = ctx.tx.get('disk', id) ?? {};
  beginDeviceChange(ctx, {
    ...{ change, action, type: 'Virtual Disk', before, done },
    ...{ vm: vm.id ?? '', kind: 'disk_attachment', collection: ref.collection, id },
    disk: lockDisk(ctx, disk),
    failed: {
      name: isPlugged ? 'DISK_HOT_PLUG_FAILED' : 'DISK_HOT_UNPLUG_FAILED',
      words: { DiskAlias: disk.alias },
    },
  });
  return true;
}

/** Locks a disk during a change. A new disk is already locked, until its transition ends. */
function lockDisk(ctx: RuleContext, disk: Resource<'disk'>): string | undefined {
  if (disk.status !== 'ok') return undefined;
  ctx.tx.update('disk', { ...disk, status: 'locked' });
  return disk.id;
}

/** Changes the disc of a running VM, after the drive of its run was stored. */
export function changeRealDisc(
  ctx: RuleContext,
  vm: Vm,
  drive: { readonly before: Cdrom; readonly after: Cdrom; readonly collection: string },
  done: EndEvent,
): boolean {
  if (!isReal(ctx, vm)) return false;
  const { before, after, collection } = drive;
  const disc = describeDisc(ctx, after);
  beginDeviceChange(ctx, {
    change: { change: 'disc', ...(disc ? { disc } : {}) },
    ...{ action: 'change the disc of', type: 'VM', before, done },
    ...{ vm: vm.id ?? '', kind: 'current_cdrom', collection, id: after.id ?? '' },
    failed: { name: 'VM_DISC_CHANGE_FAILED', words: {} },
  });
  return true;
}

/** Extension of a disk that running VMs have plugged in. */
export function extendInRunningVms(
  ctx: RuleContext,
  disk: Resource<'disk'>,
  { data }: TransitionRun,
): RunningPart | undefined {
  const vms = listDiskVms(ctx, disk)
    .filter(({ vm, attachment }) => attachment.active && isReal(ctx, vm))
    .flatMap(({ vm }) => vm.id ?? []);
  const size = Number(getValueAt(data, ['changes', 'provisioned_size']) ?? 0);
  if (vms.length === 0 || size === 0) return undefined;
  return { vms, change: { change: 'extend_disk', disk: disk.id ?? '', size } };
}

/** Copies of disks as a part of a transition. */
export interface DiskCopies extends RunningPart {
  readonly change: Extract<DeviceChange, { change: 'copy_disks' }>;
}

/** Copies of the disks of a running VM for a snapshot, and its memory. Disks that are not plugged in are copied as files. */
export function copyRunningDisks(
  ctx: RuleContext,
  snapshot: ObjectOf<'snapshot'>,
  { data }: TransitionRun,
): RunningPart | undefined {
  const vm = ctx.tx.get('vm', snapshot.vm?.id ?? '');
  return vm && describeRunningCopies(ctx, vm, getRecordedCopies(data), snapshot.saved_memory);
}

/**
 * Copies of images by the hypervisor that runs the VM, and of its memory to one with the id `memory`.
 * Undefined if the VM does not run, or nothing of it is copied.
 */
export function describeRunningCopies(
  ctx: RuleContext,
  vm: Vm,
  copies: readonly ImageCopy[],
  memory?: string,
): DiskCopies | undefined {
  if (!vm.id || !isRunning(vm)) return undefined;
  const plugged = listDiskAttachments(ctx, vm).filter(({ active }) => active);
  const running = copies.flatMap(({ from, to }) => {
    const attachment = plugged.find(({ id }) => id === from);
    return attachment ? [{ disk: describeDisk(ctx, attachment), to }] : [];
  });
  if (running.length === 0 && memory === undefined) return undefined;
  // The hypervisor allocates the blocks of zeros of raw images. A copy onto itself releases them.
  const sparse = running.filter(
    ({ disk }) => disk.format === 'raw' && ctx.tx.get('disk', disk.id)?.sparse !== false,
  );
  return {
    vms: [vm.id],
    change: { change: 'copy_disks', copies: running, ...(memory ? { memory } : {}) },
    copies: [
      ...copies.filter(({ from }) => !plugged.some(({ id }) => id === from)),
      ...sparse.map(({ to }) => ({ from: to, to })),
    ],
  };
}
