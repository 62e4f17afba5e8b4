/** Disks as devices of a virtual machine: what fits into its slots, what can be plugged while it runs. */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';

type Attachment = Resource<'disk_attachment'>;
type Vm = Resource<'vm'>;

/** Slots for disks; the CD drive has one of each of its own. */
const slots: Readonly<Record<string, number>> = { ide: 3, sata: 5 };
/** Interfaces and disks on the PCI bus together. */
const pciSlots = 26;
const hotPluggable = new Set(['virtio', 'virtio_scsi']);
const readWriteOnly = new Set(['ide', 'sata']);
/** States of a virtual machine in which disks are plugged in and out. */
const pluggable = new Set(['up', 'paused', 'down']);

/** Refuses a disk that the virtual machine has no slot or controller for. */
export function checkDevice(
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

/** Refuses to plug a disk in or out where the virtual machine cannot do that now. */
export function requireHotPlug(
  ctx: RuleContext,
  vm: Vm,
  attachment: Attachment,
  action: string,
): void {
  if (vm.status === 'down') return;
  if (!pluggable.has(vm.status ?? '')) {
    ctx.refuse('VM_STATUS_ILLEGAL', { action: `${action} a disk of`, status: vm.status });
  }
  if (!hotPluggable.has(attachment.interface ?? '')) {
    ctx.refuse('INTERFACE_NOT_HOT_PLUGGABLE', { action, interface: attachment.interface });
  }
}
