/** Hardware of VMs for a hypervisor, and changes of their power state. */
import type { Resource } from '../../../model/resource.ts';
import { cdromId } from '../../../model/resources/vm-device.ts';
import type { RuleContext } from '../../core/context.ts';
import type { PowerChange, RunDisc, RunDisk, RunNic, VmHardware } from '../../core/hypervisor.ts';
import type { TransitionHandlers } from '../../core/transition-handlers.ts';
import { recordReplaced } from '../../inventory/dirty-bitmaps.ts';
import { getAttachedSnapshot } from '../../inventory/snapshot-attachment.ts';
import { getSavedMemory } from '../../inventory/snapshot-contents.ts';
import {
  formatCurrentDrives,
  getRunState,
  listDiskAttachments,
  listNics,
  type Vm,
} from '../../inventory/vm.ts';
import { inherit } from '../../inventory/vm-configuration.ts';
import { describeExtras, describeFirmware } from './extra-hardware.ts';
import { describeFirstBoot } from './first-boot.ts';
import { migrationChanges } from './migration-changes.ts';

type Attachment = Resource<'disk_attachment'>;
type Nic = Resource<'nic'>;

const diskInterfaces = ['ide', 'sata', 'virtio', 'virtio_scsi'] as const;
const nicModels = ['virtio', 'e1000', 'e1000e', 'rtl8139'] as const;

/** Refuses a start with hardware that the hypervisor does not have. */
function refuseHardware(ctx: RuleContext, detail: string, action = 'run'): never {
  ctx.refuse('HARDWARE_UNSUPPORTED', { action, hypervisor: getName(ctx), detail });
}

function getName({ site }: RuleContext): string {
  return site.hypervisor?.name ?? '';
}

/** Position of each boot device: disks are numbered from the position of `hd`. */
interface BootOrder {
  readonly cdrom?: number;
  readonly hd?: number;
  readonly network?: number;
}

/** Distance between boot devices, more than a VM has disks or NICs. */
const bootStep = 100;

function readBootOrder({ os }: Vm): BootOrder {
  const devices = os?.boot?.devices ?? ['hd'];
  return Object.fromEntries(devices.map((device, index) => [device, 1 + index * bootStep]));
}

/** The hardware of a VM. Refuses the start if the hypervisor does not support it. */
export function describeHardware(ctx: RuleContext, vm: Vm): VmHardware {
  const { sockets = 1, cores = 1, threads = 1 } = vm.cpu?.topology ?? {};
  const { type: firmware = 'q35_sea_bios', boot_menu: menu } = vm.bios ?? {};
  const architecture = vm.cpu?.architecture ?? 'x86_64';
  if (architecture !== 'x86_64' && architecture !== 'undefined') {
    refuseHardware(ctx, `the architecture ${architecture}`);
  }
  const refuse = (detail: string) => refuseHardware(ctx, detail);
  const order = readBootOrder(vm);
  const disc = findDisc(ctx, vm);
  return {
    memory: Number(vm.memory ?? 0),
    ...{ sockets, cores, threads },
    machine: firmware === 'i440fx_sea_bios' ? 'i440fx' : 'q35',
    firmware: describeFirmware(ctx, vm, refuse),
    ...describeExtras(ctx, vm, refuse),
    hasBootMenu: menu?.enabled === true,
    ...describeLinux(ctx, vm),
    disks: describeDisks(ctx, vm, order.hd),
    nics: listNics(ctx, vm)
      .filter(({ plugged }) => plugged !== false)
      .map((nic, index) => describeNic(ctx, nic, add(order.network, index))),
    cdrom: { ...(disc ? { disc } : {}), ...bootIndex(order.cdrom) },
  };
}

/** The kernel that the VM boots, in the folder of ISO images: `iso://vmlinuz`. */
function describeLinux(ctx: RuleContext, { os = {} }: Vm): Pick<VmHardware, 'linux'> {
  const { kernel, initrd, cmdline } = os;
  if (!kernel) return {};
  return {
    linux: {
      kernel: readIsoPath(ctx, kernel),
      ...(initrd ? { initrd: readIsoPath(ctx, initrd) } : {}),
      ...(cmdline ? { commandLine: cmdline } : {}),
    },
  };
}

function readIsoPath(ctx: RuleContext, path: string): string {
  const [, name] = /^iso:\/\/([^/]+)$/.exec(path) ?? [];
  if (name === undefined) refuseHardware(ctx, `the path ${path}; use iso://NAME`);
  return name;
}

function add(first: number | undefined, index: number): number | undefined {
  return first === undefined ? undefined : first + index;
}

function bootIndex(index: number | undefined): { readonly bootIndex?: number } {
  return index === undefined ? {} : { bootIndex: index };
}

/** The plugged disks, bootable ones first. */
function describeDisks(ctx: RuleContext, vm: Vm, first: number | undefined): RunDisk[] {
  const attachments = listDiskAttachments(ctx, vm).filter(({ active }) => active);
  const rank = ({ bootable }: Attachment) => (bootable ? 0 : 1);
  return attachments
    .sort((a, b) => rank(a) - rank(b))
    .map((attachment, index) => describeDisk(ctx, attachment, add(first, index)));
}

/** A plugged disk. Refuses `action` of the VM if the hypervisor cannot use the disk. */
export function describeDisk(
  ctx: RuleContext,
  attachment: Attachment,
  index?: number,
  action?: string,
): RunDisk {
  const disk = ctx.tx.get('disk', attachment.id ?? '') ?? {};
  const name = disk.alias ?? disk.id ?? '';
  if (disk.storage_type !== 'image' || getAttachedSnapshot(attachment)) {
    refuseHardware(ctx, `disk ${name}, which is not an image`, action);
  }
  const bus = diskInterfaces.find((one) => one === attachment.interface);
  if (!bus) refuseHardware(ctx, `the interface ${attachment.interface} of disk ${name}`, action);
  return {
    id: disk.id ?? '',
    size: Number(disk.provisioned_size ?? 0),
    format: disk.format === 'cow' ? 'cow' : 'raw',
    qcowVersion: disk.qcow_version === 'qcow2_v2' ? 2 : 3,
    interface: bus,
    readOnly: attachment.read_only === true,
    shareable: disk.shareable === true,
    ...bootIndex(index),
  };
}

/** A plugged NIC. Refuses `action` of the VM if the hypervisor has no such NIC. */
export function describeNic(ctx: RuleContext, nic: Nic, index?: number, action?: string): RunNic {
  const wanted = nic.interface === 'rtl8139_virtio' ? 'virtio' : (nic.interface ?? 'virtio');
  const model = nicModels.find((one) => one === wanted);
  if (!model) refuseHardware(ctx, `the interface ${wanted} of NIC ${nic.name}`, action);
  return {
    id: nic.id ?? '',
    mac: nic.mac?.address ?? '',
    model,
    linked: isConnected(nic),
    ...bootIndex(index),
  };
}

/** Whether a NIC has a link and a network. */
export function isConnected({ linked, vnic_profile: profile }: Nic): boolean {
  return linked !== false && profile?.id !== undefined;
}

/** The disc of this run, or else of the configuration. */
function findDisc(ctx: RuleContext, vm: Vm): RunDisc | undefined {
  const current = ctx.tx.get('current_cdrom', cdromId, formatCurrentDrives(vm));
  return describeDisc(ctx, current ?? ctx.tx.get('cdrom', cdromId, `/vms/${vm.id}/cdroms`));
}

/** The disc in a drive: a disk, or a file in the folder of ISO images. */
export function describeDisc(ctx: RuleContext, cdrom?: Resource<'cdrom'>): RunDisc | undefined {
  const id = cdrom?.file?.id;
  if (!id) return undefined;
  return ctx.tx.get('disk', id) ? { disk: id } : { file: id };
}

/** The VM with the overrides of its current run. */
function applyOverrides(vm: Vm): Vm {
  const effective: Vm = { ...getRunState(vm).overrides, id: vm.id ?? '' };
  inherit(effective, vm, Object.keys(vm));
  return effective;
}

function launch(isPaused: boolean): (ctx: RuleContext, vm: Vm) => PowerChange {
  return (ctx, vm) => {
    const effective = applyOverrides(vm);
    const hardware = describeHardware(ctx, effective);
    // No dirty bitmap records the writes of the guest.
    for (const { id, readOnly } of hardware.disks) if (!readOnly) recordReplaced(ctx.tx, id);
    const run = ctx.site.newId();
    return { change: 'launch', run, hardware, isPaused, ...describeFirstBoot(effective, run) };
  };
}

function restore(ctx: RuleContext, vm: Vm): Extract<PowerChange, { change: 'restore' }> {
  for (const { id, read_only: isRead } of listDiskAttachments(ctx, vm)) {
    if (id && !isRead) recordReplaced(ctx.tx, id);
  }
  return { change: 'restore', run: ctx.site.newId() };
}

/** Continues with the memory of a snapshot; undefined if the VM boots. */
function load(ctx: RuleContext, vm: Vm, isPaused: boolean): PowerChange | undefined {
  const id = getSavedMemory(ctx, vm);
  if (id === undefined) return undefined;
  const hardware = describeHardware(ctx, applyOverrides(vm));
  return { ...restore(ctx, vm), snapshot: { id, hardware, isPaused } };
}

/** Changes of the power state by transition, for sites with a hypervisor. */
export const powerChanges: NonNullable<TransitionHandlers<'vm'>['power']> = {
  start: launch(false),
  start_paused: (ctx, vm) => load(ctx, vm, true) ?? launch(true)(ctx, vm),
  unpause: () => ({ change: 'resume' }),
  suspend: () => ({ change: 'suspend' }),
  resume: (ctx, vm) => load(ctx, vm, false) ?? restore(ctx, vm),
  ...migrationChanges,
  stop: () => ({ change: 'stop' }),
  shutdown: () => ({ change: 'shutdown' }),
  reset: () => ({ change: 'reset' }),
  /** A cold reboot ends the process. The end of the transition launches another one. */
  reboot: (_ctx, _vm, { data }) => ({ change: data?.['cold'] ? 'stop' : 'reboot' }),
};
