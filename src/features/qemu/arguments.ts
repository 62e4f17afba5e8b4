/**
 * Arguments of QEMU for a VM. Values from users are numbers, members of enumerations, or match an
 * allow-list. Paths occur only as strings in JSON.
 */
import {
  HypervisorError,
  type RunDisk,
  type RunNic,
  type VmHardware,
} from '../../server/core/hypervisor.ts';
import {
  createDiscNode,
  createDiskDevice,
  createDiskNode,
  createNicDevice,
  listPorts,
  locateDevice,
  nameDiscNode,
  nameDiskNode,
  nameNetwork,
  type Properties,
} from './device-properties.ts';
import { createExtraDevices } from './extra-devices.ts';
import type { FirmwareFiles } from './firmware.ts';
import { createFirstBootDrive, type FirstBootDisc } from './first-boot.ts';

/** Sockets in the working folder of a VM. QEMU and the server use these names. */
export const sockets = { qmp: 'qmp', agent: 'agent', serial: 'serial', vnc: 'vnc' } as const;

/** Files of a run. */
export interface RunFiles {
  /** Paths of disk images by disk id. */
  readonly disks: ReadonlyMap<string, string>;
  readonly disc?: string | undefined;
  readonly firstBoot?: FirstBootDisc | undefined;
  readonly kernel?: string | undefined;
  readonly initrd?: string | undefined;
  /** Firmware for UEFI: code, and variables of this VM. */
  readonly uefi?: FirmwareFiles | undefined;
}

export interface RunSettings {
  /** Id of the VM. */
  readonly id: string;
  readonly accelerator: 'kvm' | 'tcg';
  readonly hardware: VmHardware;
  readonly files: RunFiles;
}

const mebibyte = 2 ** 20;
const maxMemory = 2 ** 42;
const maxProcessors = 255;
const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Arguments of QEMU. Throws a `HypervisorError` for an invalid value. */
export function createArguments({ id, accelerator, hardware, files }: RunSettings): string[] {
  const { memory, sockets: packages, cores, threads } = hardware;
  const processors = packages * cores * threads;
  requireWhole('number of processors', processors, 1, maxProcessors);
  requireWhole('memory size', memory, mebibyte, maxMemory);
  const topology = `cpus=${processors},sockets=${packages},cores=${cores},threads=${threads}`;
  return [
    ...['-uuid', requireMatch('VM id', id, idPattern), '-nodefaults', '-no-user-config'],
    // The guest starts after the server has connected, and its end is never missed.
    ...['-S', '-no-shutdown'],
    ...['-sandbox', 'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny'],
    ...['-machine', createMachine(hardware, accelerator, files)],
    ...['-cpu', accelerator === 'kvm' ? 'host' : 'max'],
    ...['-smp', topology],
    ...['-m', `${Math.floor(memory / mebibyte)}M`],
    ...['-boot', `menu=${hardware.hasBootMenu ? 'on' : 'off'},strict=on`],
    ...createFirmware(files),
    ...createLinux(hardware, files),
    ...createChannels(),
    ...listPorts(hardware.machine).flatMap(({ driver, ...port }) => device(String(driver), port)),
    ...hardware.disks.flatMap((disk, index) => createDisk(hardware, disk, index, files)),
    ...createDrive(hardware, files),
    ...createFirstBootDrive(hardware, files.firstBoot),
    ...hardware.nics.flatMap((nic) => createNic(hardware, nic)),
    ...createExtraDevices(hardware),
  ];
}

function createMachine({ machine }: VmHardware, accelerator: string, { uefi }: RunFiles): string {
  const type = machine === 'q35' ? 'q35' : 'pc';
  const flash = uefi ? ',pflash0=firmware,pflash1=variables' : '';
  const smm = uefi?.isSecure ? ',smm=on' : '';
  return `${type},accel=${accelerator},usb=off${smm}${flash}`;
}

function createFirmware({ uefi }: RunFiles): string[] {
  if (!uefi) return [];
  return [
    ...(uefi.isSecure ? ['-global', 'driver=cfi.pflash01,property=secure,value=on'] : []),
    ...blockDevice({ ...rawFile('firmware', uefi.code), 'read-only': true }),
    ...blockDevice(rawFile('variables', uefi.vars)),
  ];
}

/** QEMU splits none of these values. */
function createLinux({ linux }: VmHardware, { kernel, initrd }: RunFiles): string[] {
  if (!linux || kernel === undefined) return [];
  return [
    ...['-kernel', kernel],
    ...(initrd === undefined ? [] : ['-initrd', initrd]),
    ...(linux.commandLine === undefined ? [] : ['-append', linux.commandLine]),
  ];
}

/** Control sockets, screen, serial console, guest agent, random numbers, pointer, controllers. */
function createChannels(): string[] {
  const server = 'server=on,wait=off';
  return [
    ...['-qmp', `unix:${sockets.qmp},${server}`],
    ...['-display', 'none', '-vnc', `unix:${sockets.vnc},password=on`],
    ...['-chardev', `socket,id=serial,path=${sockets.serial},${server}`],
    ...['-serial', 'chardev:serial'],
    ...['-chardev', `socket,id=agent,path=${sockets.agent},${server}`],
    ...device('VGA', {}),
    ...device('virtio-serial-pci', { id: 'channels' }),
    ...device('virtserialport', { chardev: 'agent', name: 'org.qemu.guest_agent.0' }),
    ...['-object', 'rng-random,id=random,filename=/dev/urandom'],
    ...device('virtio-rng-pci', { rng: 'random' }),
    ...device('qemu-xhci', { id: 'usb' }),
    ...device('usb-tablet', { bus: 'usb.0' }),
    ...device('ahci', { id: 'sata' }),
    ...device('virtio-scsi-pci', { id: 'scsi' }),
  ];
}

/** Positions of IDE disks: bus and unit. The CD drive is the first unit of the second bus. */
const ideSlots = [
  ['ide.0', 0],
  ['ide.0', 1],
  ['ide.1', 1],
] as const;

/** Position of the CD drive. */
function locateDrive(machine: VmHardware['machine']): Properties {
  return machine === 'i440fx' ? { bus: 'ide.1', unit: 0 } : { bus: 'sata.5' };
}

function createDisk(
  hardware: VmHardware,
  disk: RunDisk,
  index: number,
  { disks: paths }: RunFiles,
): string[] {
  const { disks, machine } = hardware;
  const path = paths.get(requireMatch('disk id', disk.id, idPattern));
  if (path === undefined) throw new HypervisorError(`disk ${disk.id} has no image`);
  const same = disks.slice(0, index).filter((one) => one.interface === disk.interface).length;
  const bus = disk.interface === 'virtio' ? locateDevice(hardware, disk.id) : {};
  const properties = { ...createDiskDevice(disk), ...bootIndex(disk), ...bus };
  return [
    ...blockDevice(createDiskNode(disk, path, nameDiskNode(disk.id))),
    ...attachDisk(disk.interface, machine, same, properties),
  ];
}

function attachDisk(
  bus: RunDisk['interface'],
  machine: VmHardware['machine'],
  slot: number,
  properties: Properties,
): string[] {
  if (bus === 'virtio') return device('virtio-blk-pci', properties);
  if (bus === 'virtio_scsi') return device('scsi-hd', { ...properties, bus: 'scsi.0' });
  // The chipset q35 has SATA ports instead of IDE.
  if (bus === 'ide' && machine === 'i440fx') {
    const [name, unit] = ideSlots[slot] ?? [];
    if (name === undefined) throw new HypervisorError('the VM has too many IDE disks');
    return device('ide-hd', { ...properties, bus: name, unit });
  }
  const port = bus === 'ide' ? `ide.${slot}` : `sata.${slot}`;
  return device('ide-hd', { ...properties, bus: port });
}

/** The CD drive, empty without a disc. */
function createDrive({ cdrom, machine }: VmHardware, { disc }: RunFiles): string[] {
  const properties = { id: 'cdrom', ...locateDrive(machine), ...bootIndex(cdrom) };
  if (disc === undefined || !cdrom.disc) return device('ide-cd', properties);
  return [
    ...blockDevice(createDiscNode(cdrom.disc, disc)),
    ...device('ide-cd', { ...properties, drive: nameDiscNode(cdrom.disc) }),
  ];
}

/** A NIC with user-mode networking. A link is removed after the launch. */
function createNic(hardware: VmHardware, nic: RunNic): string[] {
  const { driver, ...properties } = createNicDevice(nic);
  return [
    ...['-netdev', `user,id=${nameNetwork(nic.id)}`],
    ...device(driver, { ...properties, ...bootIndex(nic), ...locateDevice(hardware, nic.id) }),
  ];
}

function bootIndex({ bootIndex: index }: { readonly bootIndex?: number }): Properties {
  if (index === undefined) return {};
  requireWhole('position in the boot order', index, 0, 10_000);
  return { bootindex: index };
}

function rawFile(node: string, filename: string): Properties {
  return { driver: 'raw', 'node-name': node, file: { driver: 'file', filename } };
}

function blockDevice(properties: Properties): string[] {
  return ['-blockdev', JSON.stringify(properties)];
}

function device(driver: string, properties: Properties): string[] {
  return ['-device', JSON.stringify({ driver, ...properties })];
}

/** Returns a text that matches an allow-list. */
function requireMatch(what: string, text: string, pattern: RegExp): string {
  if (!pattern.test(text)) throw new HypervisorError(`${what} ${JSON.stringify(text)} is invalid`);
  return text;
}

function requireWhole(what: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new HypervisorError(`${what} ${value} is not between ${min} and ${max}`);
}
