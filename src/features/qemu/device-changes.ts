/** Changes of devices of a running VM: NICs, disks, discs. Each may be repeated after a crash. */
import type { HypervisorParts } from '../../server/admin/extension.ts';
import {
  type DeviceChange,
  HypervisorError,
  type RunDevice,
  type RunDisk,
  type RunNic,
} from '../../server/core/hypervisor.ts';
import { addNode, type ChangeParts } from './change-parts.ts';
import {
  createDiskDevice,
  createDiskNode,
  createNicDevice,
  isPort,
  nameDevice,
  nameDiskNode,
  nameNetwork,
} from './device-properties.ts';
import { changeDisc } from './disc-change.ts';
import { copyDisks } from './disk-copies.ts';
import { prepareDisk } from './launch.ts';
import { listDevices, readBus } from './named-devices.ts';
import { recordLink } from './run-record.ts';
import type { RunningVm } from './running-vm.ts';

/** Applies a change. Waits for the guest without delaying other changes of the VM. */
export function applyDeviceChange(parts: ChangeParts, change: DeviceChange): Promise<void> {
  const inTurn = (work: (vm: RunningVm) => Promise<void>) =>
    parts.inTurn(async () => work(await parts.find()));
  switch (change.change) {
    case 'disc':
      return inTurn((vm) => changeDisc(parts, vm, change.disc));
    case 'plug_nic':
      return inTurn((vm) => plugNic(vm, change.nic));
    case 'link':
      return inTurn(async (vm) => {
        await setLink(vm, change.nic, change.linked);
        recordLink(vm.process.folder, change.nic, change.linked);
      });
    case 'plug_disk':
      return inTurn((vm) => plugDisk(parts, vm, change.disk));
    case 'unplug_nic':
      return unplug(parts, { kind: 'nic', id: change.nic });
    case 'unplug_disk':
      return unplug(parts, { kind: 'disk', id: change.disk });
    case 'extend_disk':
      return inTurn((vm) => extendDisk(vm, change.disk, change.size));
    case 'copy_disks':
      return copyDisks(parts, change);
  }
}

/** Removes the links of NICs of a new process. QEMU has no argument for that. */
export async function unlinkNics(vm: RunningVm, nics: readonly RunNic[]): Promise<void> {
  for (const { id, linked } of nics) if (!linked) await setLink(vm, id, false);
}

async function setLink(vm: RunningVm, id: string, up: boolean): Promise<void> {
  await vm.execute('set_link', { name: nameDevice({ kind: 'nic', id }), up });
}

async function plugNic(vm: RunningVm, nic: RunNic): Promise<void> {
  const { driver, ...properties } = createNicDevice(nic);
  const names = await listDevices(vm);
  if (!names.includes(nameDevice({ kind: 'nic', id: nic.id }))) {
    const network = nameNetwork(nic.id);
    // An interrupted attempt may have added the network.
    await vm.execute('netdev_del', { id: network }).catch(() => undefined);
    await vm.execute('netdev_add', { type: 'user', id: network });
    try {
      const bus = await findBus(vm, names);
      await vm.execute('device_add', { driver, ...properties, bus });
    } catch (error) {
      await vm.execute('netdev_del', { id: network });
      throw error;
    }
  }
  await setLink(vm, nic.id, nic.linked);
}

/** Drivers of the disks that a running VM can get. */
const diskDrivers: Readonly<Partial<Record<RunDisk['interface'], string>>> = {
  virtio: 'virtio-blk-pci',
  virtio_scsi: 'scsi-hd',
};

async function plugDisk(parts: HypervisorParts, vm: RunningVm, disk: RunDisk): Promise<void> {
  const driver = diskDrivers[disk.interface];
  if (driver === undefined) {
    throw new HypervisorError(`a running VM gets no disk on the interface ${disk.interface}`);
  }
  const properties = createDiskDevice(disk);
  const names = await listDevices(vm);
  if (names.includes(String(properties['id']))) return;
  const node = nameDiskNode(disk.id);
  await vm.execute('blockdev-del', { 'node-name': node }).catch(() => undefined);
  const path = await prepareDisk(parts, disk);
  await addNode(vm, createDiskNode(disk, path, node));
  try {
    const bus = disk.interface === 'virtio' ? await findBus(vm, names) : 'scsi.0';
    await vm.execute('device_add', { driver, ...properties, bus });
  } catch (error) {
    await vm.execute('blockdev-del', { 'node-name': node });
    throw error;
  }
}

async function unplug(parts: ChangeParts, device: RunDevice): Promise<void> {
  const name = nameDevice(device);
  const { vm, released } = await parts.inTurn(async () => {
    const running = await parts.find();
    if (!(await listDevices(running)).includes(name)) return { vm: running };
    const waiting = running.removals.wait(name, running.disconnected);
    waiting.catch(() => undefined);
    await running.execute('device_del', { id: name }).catch((error: unknown) => {
      // An earlier request is in progress.
      if (/in the process of unplug/.test(String(error))) return;
      running.removals.cancel(name);
      throw error;
    });
    return { vm: running, released: waiting };
  });
  await released;
  await parts.inTurn(() => finishRemoval(vm, device));
}

/** Removes the network or image of a device that the guest has released. */
export async function finishRemoval(vm: RunningVm, { kind, id }: RunDevice): Promise<void> {
  if (kind === 'nic') {
    await vm.execute('netdev_del', { id: nameNetwork(id) }).catch(ignoreMissing);
    return;
  }
  await vm.execute('blockdev-del', { 'node-name': nameDiskNode(id) }).catch(ignoreMissing);
}

function ignoreMissing(error: unknown): void {
  if (!/not found|Cannot find|Failed to find/i.test(String(error))) throw error;
}

async function extendDisk(vm: RunningVm, id: string, size: number): Promise<void> {
  await vm.execute('block_resize', { 'node-name': nameDiskNode(id), size });
}

/** A PCI bus with a free slot: a port of the chipset q35, or the bus of i440fx. */
async function findBus(vm: RunningVm, names: readonly string[]): Promise<string> {
  const ports = names.filter(isPort);
  if (ports.length === 0) return 'pci.0';
  const used = new Set<string>();
  for (const name of names) if (!isPort(name)) used.add(await readBus(vm, name));
  const free = ports.find((port) => !used.has(port));
  if (free === undefined) throw new HypervisorError('the VM has no free PCI slot');
  return free;
}
