/** Items of hardware of an OVF document: processors, memory, interfaces, devices. */
import { enums } from '../../model/enums.ts';
import type { XmlNode } from '../../wire/xml-tree.ts';
import { bytesOfUnit, childText, wholeNumber } from './document.ts';
import type { OvfMachine, OvfNic } from './machine.ts';
import { hardware, nicInterface } from './numbers.ts';

type Vm = OvfMachine['vm'];

export interface Hardware {
  readonly vm: Vm;
  readonly nics: OvfNic[];
  readonly consoles: OvfMachine['consoles'][number][];
  watchdog?: OvfMachine['watchdog'];
  /** Whether the disks are plugged in, by what their items name them. */
  readonly plugged: Map<string, boolean>;
}

/** Reads all items of a section. Refuses numbers that are none with 400. */
export function readHardware(section: XmlNode | undefined): Hardware {
  const found: Hardware = { vm: {}, nics: [], consoles: [], plugged: new Map() };
  const items = (section?.children ?? []).filter(({ name }) => name === 'Item');
  // Where a document tells devices at all, those that it does not tell are not there.
  if (items.some((item) => childText(item, 'Type') !== undefined)) {
    found.vm.soundcard_enabled = false;
    found.vm.console = { enabled: false };
    found.vm.virtio_scsi = { enabled: false };
    found.vm.tpm_enabled = false;
  }
  for (const item of section?.children ?? []) {
    if (item.name === 'Item') readers[childText(item, 'ResourceType') ?? '']?.(item, found);
    // Later versions of the standard have elements of their own for interfaces and storage.
    if (item.name === 'EthernetPortItem') readNic(item, found);
  }
  return found;
}

const readers: Readonly<Record<string, (item: XmlNode, found: Hardware) => void>> = {
  [hardware.processor]: readProcessors,
  [hardware.memory]: readMemory,
  [hardware.network]: readNic,
  [hardware.disk]: readDrive,
  [hardware.usb]: readUsb,
  [hardware.other]: readDevice,
  // Video and graphics have other numbers in each layout; their devices say what they are.
  '20': readDevice,
  '24': readDevice,
  '26': readDevice,
  '32768': readDevice,
};

function count(item: XmlNode, name: string): number | undefined {
  const text = childText(item, name);
  return text === undefined ? undefined : wholeNumber(text, name);
}

function readProcessors(item: XmlNode, { vm }: Hardware): void {
  const all = count(item, 'VirtualQuantity') ?? 1;
  const cores = count(item, 'cpu_per_socket') ?? count(item, 'CoresPerSocket') ?? 1;
  const sockets = count(item, 'num_of_sockets') ?? Math.max(1, Math.floor(all / cores));
  const threads = count(item, 'threads_per_cpu') ?? 1;
  vm.cpu = { topology: { sockets, cores, threads } };
}

function readMemory(item: XmlNode, { vm }: Hardware): void {
  const quantity = count(item, 'VirtualQuantity');
  if (quantity === undefined) return;
  vm.memory = quantity * bytesOfUnit(childText(item, 'AllocationUnits') ?? 'MegaBytes');
}

function readNic(item: XmlNode, { nics }: Hardware): void {
  const given = childText(item, 'Name') ?? childText(item, 'ElementName') ?? '';
  const id = childText(item, 'InstanceId') ?? childText(item, 'InstanceID');
  const kind = childText(item, 'ResourceSubType') ?? '';
  const mac = childText(item, 'MACAddress') ?? childText(item, 'Address');
  nics.push({
    ...(id && /^[0-9a-f-]{36}$/i.test(id) ? { id } : {}),
    name: /^[\w.-]{1,50}$/.test(given) ? given : `nic${nics.length + 1}`,
    interface: nicInterface.read(kind) ?? (/e1000/i.test(kind) ? 'e1000' : 'virtio'),
    mac: mac && /^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/i.test(mac) ? mac.toLowerCase() : undefined,
    linked: childText(item, 'Linked') !== 'false',
    plugged: childText(item, 'IsPlugged') !== 'false',
    network: childText(item, 'Connection'),
    profile: childText(item, 'OtherResourceType'),
  });
}

function readDrive(item: XmlNode, { plugged }: Hardware): void {
  const host = childText(item, 'HostResource');
  if (host) plugged.set(host, childText(item, 'IsPlugged') !== 'false');
}

function readUsb(item: XmlNode, { vm }: Hardware): void {
  const policy = childText(item, 'UsbPolicy');
  if (policy) vm.usb = { enabled: !/^disabled$/i.test(policy) };
}

/** Devices that say themselves what they are. */
function readDevice(item: XmlNode, found: Hardware): void {
  const device = childText(item, 'Device') ?? '';
  const special = item.children.find(({ name }) => name === 'SpecParams');
  const parameter = (name: string) => (special ? childText(special, name) : undefined);
  devices[childText(item, 'Type') ?? '']?.(found, device, parameter, item);
}

type Parameter = (name: string) => string | undefined;

const devices: Readonly<
  Record<string, (found: Hardware, device: string, parameter: Parameter, item: XmlNode) => void>
> = {
  video({ vm }, device, _parameter, item) {
    const type = enums.video_type.find((one) => one === device);
    vm.display = {
      ...vm.display,
      monitors: count(item, 'VirtualQuantity') ?? 1,
      single_qxl_pci: childText(item, 'SinglePciQxl') === 'true',
      ...(type && type !== 'vga' ? { video_type: type } : {}),
    };
  },
  graphics({ consoles }, device) {
    const protocol = enums.graphics_type.find((one) => one === device);
    if (protocol && !consoles.includes(protocol)) consoles.push(protocol);
  },
  tpm({ vm }) {
    vm.tpm_enabled = true;
  },
  rng({ vm }, _device, parameter) {
    const source = enums.rng_source.find((one) => one === parameter('source')) ?? 'urandom';
    const [bytes, period] = [parameter('bytes'), parameter('period')];
    const rate = {
      ...(bytes ? { bytes: wholeNumber(bytes, 'bytes') } : {}),
      ...(period ? { period: wholeNumber(period, 'period') } : {}),
    };
    vm.rng_device = { source, ...(bytes ? { rate } : {}) };
  },
  controller({ vm }, device) {
    if (device === 'virtio-scsi') vm.virtio_scsi = { enabled: true };
  },
  sound({ vm }) {
    vm.soundcard_enabled = true;
  },
  console({ vm }) {
    vm.console = { enabled: true };
  },
  watchdog(found, device, parameter) {
    const model = enums.watchdog_model.find((one) => one === device);
    const action = enums.watchdog_action.find((one) => one === parameter('action'));
    if (model) found.watchdog = { model, action: action ?? 'none' };
  },
};
