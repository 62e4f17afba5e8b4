/**
 * Names and properties of disks, discs and NICs in QEMU, for new processes and for changes of running
 * ones. Names derive from ids, so that each server finds the devices again.
 */
import { createHash } from 'node:crypto';
import {
  HypervisorError,
  type RunDevice,
  type RunDisc,
  type RunDisk,
  type RunNic,
  type VmHardware,
} from '../../server/core/hypervisor.ts';

export type Properties = Readonly<Record<string, unknown>>;

const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const macPattern = /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i;

/** Names of nodes have at most 31 characters. */
const maxNodeLength = 31;
const periodPrefix = 'period-';

function requireId(what: string, id: string): string {
  if (!idPattern.test(id)) {
    throw new HypervisorError(`${what} id ${JSON.stringify(id)} is invalid`);
  }
  return id;
}

/** Name of the node with the image of a disk. */
export function nameDiskNode(id: string): string {
  return `disk-${requireId('disk', id).replaceAll('-', '')}`.slice(0, maxNodeLength);
}

/** Name of the node with the new image of a copy. */
export function nameCopyNode(id: string): string {
  return `copy-${requireId('image', id).replaceAll('-', '')}`.slice(0, maxNodeLength);
}

/** Name of the dirty bitmap with the writes of a period of a disk. */
export function namePeriodBitmap(id: string): string {
  return `${periodPrefix}${requireId('period', id)}`;
}

/** Whether a dirty bitmap has the writes of a period. */
export function isPeriodBitmap(name: string): boolean {
  return name.startsWith(periodPrefix);
}

/** Name of the node with a disc. */
export function nameDiscNode(disc: RunDisc): string {
  const text = 'disk' in disc ? `disk:${disc.disk}` : `file:${disc.file}`;
  return `disc-${createHash('sha256').update(text).digest('hex')}`.slice(0, maxNodeLength);
}

/** Name of a device. */
export function nameDevice({ kind, id }: RunDevice): string {
  return `${kind}-${requireId(kind, id)}`;
}

/** The device with a name; undefined for other devices. */
export function parseDevice(name: unknown): RunDevice | undefined {
  const [, kind, id = ''] = /^(nic|disk)-(.*)$/.exec(String(name)) ?? [];
  if ((kind !== 'nic' && kind !== 'disk') || !idPattern.test(id)) return undefined;
  return { kind, id };
}

/** Name of the network of a NIC. */
export function nameNetwork(id: string): string {
  return `net-${requireId('NIC', id)}`;
}

/** The node of a disk. */
export function createDiskNode(disk: RunDisk, filename: string, name: string): Properties {
  return {
    ...{ driver: disk.format === 'cow' ? 'qcow2' : 'raw', 'node-name': name },
    ...{ 'read-only': disk.readOnly, discard: 'unmap' },
    file: { driver: 'file', filename },
    // An image must never open another file.
    ...(disk.format === 'cow' ? { backing: null } : {}),
  };
}

/** The node of a disc. */
export function createDiscNode(disc: RunDisc, filename: string): Properties {
  const name = nameDiscNode(disc);
  return {
    ...{ driver: 'raw', 'node-name': name, 'read-only': true },
    file: { driver: 'file', filename },
  };
}

/** Properties of a disk device, without its driver and bus. */
export function createDiskDevice(disk: RunDisk): Properties {
  return {
    id: nameDevice({ kind: 'disk', id: disk.id }),
    drive: nameDiskNode(disk.id),
    // Linux shows it below /dev/disk/by-id. Longer serial numbers are cut off.
    serial: disk.id.slice(0, 20),
    ...(disk.shareable ? { 'share-rw': true } : {}),
  };
}

const nicDrivers: Readonly<Record<RunNic['model'], string>> = {
  virtio: 'virtio-net-pci',
  e1000: 'e1000',
  e1000e: 'e1000e',
  rtl8139: 'rtl8139',
};

/** Driver and properties of a NIC, without its bus. */
export function createNicDevice({ id, mac, model }: RunNic): Properties & { driver: string } {
  if (!macPattern.test(mac)) {
    throw new HypervisorError(`MAC address ${JSON.stringify(mac)} is invalid`);
  }
  return {
    ...{ driver: nicDrivers[model], id: nameDevice({ kind: 'nic', id }) },
    ...{ mac, netdev: nameNetwork(id) },
  };
}

/** PCI Express ports of the chipset q35: only devices in ports can be unplugged. */
export const portCount = 32;
const firstSlot = 0x10;
const portsPerSlot = 8;
const portPrefix = 'port';

/** Arguments for the ports of a VM. The chipset i440fx has PCI slots without ports. */
export function listPorts(machine: VmHardware['machine']): Properties[] {
  if (machine !== 'q35') return [];
  return Array.from({ length: portCount }, (_, index) => {
    const slot = firstSlot + Math.floor(index / portsPerSlot);
    const part = index % portsPerSlot;
    return {
      ...{ driver: 'pcie-root-port', id: `${portPrefix}${index}`, bus: 'pcie.0' },
      ...{ chassis: index + 1, addr: `0x${slot.toString(16)}.${part}` },
      ...(part === 0 ? { multifunction: true } : {}),
    };
  });
}

/** Whether a device is a port. */
export function isPort(name: string): boolean {
  return /^port\d+$/.test(name);
}

/** Bus of a disk or NIC of a new process, as a property; none if QEMU chooses a slot. */
export function locateDevice({ machine, disks, nics }: VmHardware, id: string): Properties {
  if (machine !== 'q35') return {};
  const ids = [...disks.filter((disk) => disk.interface === 'virtio'), ...nics].map(
    (one) => one.id,
  );
  const index = ids.indexOf(id);
  if (index >= portCount) throw new HypervisorError('the VM has too many virtio disks and NICs');
  return { bus: `${portPrefix}${index}` };
}
