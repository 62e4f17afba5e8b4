/** Devices with a name of a running VM, and the buses to which they are connected. */
import { toRecord } from '../../records.ts';
import type { RunningVm } from './running-vm.ts';

const devicesPath = '/machine/peripheral';

/** Names of the devices with a name. */
export async function listDevices(vm: RunningVm): Promise<string[]> {
  const found = await vm.execute('qom-list', { path: devicesPath });
  if (!Array.isArray(found)) return [];
  const names = found.map((one) => String(toRecord(one)['name']));
  // The property of each object, not a device.
  return names.filter((name) => name !== 'type');
}

/** Name of the bus of a device; empty for a device that the guest has released. */
export async function readBus(vm: RunningVm, name: string): Promise<string> {
  const path = `${devicesPath}/${name}`;
  const bus = await vm.execute('qom-get', { path, property: 'parent_bus' }).catch(() => '');
  return String(bus).split('/').at(-1) ?? '';
}
