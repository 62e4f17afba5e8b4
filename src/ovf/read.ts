/** Reader of OVF documents in both layouts: VM, hardware, disks, NICs. */
import { enums } from '../model/enums.ts';
import { operatingSystems, systemNamed } from '../model/operating-systems.ts';
import type { XmlNode } from '../wire/xml-tree.ts';
import { diskInterface, findCimSystem, formatUris, hardware, nicInterface } from './codes.ts';
import { type ChosenItems, selectItems, withProperties } from './deployment-options.ts';
import {
  childText,
  createOvfError,
  type OvfDisk,
  OvfDocument,
  type OvfMachine,
  type OvfNic,
  type OvfSnapshot,
  parseInteger,
  parseUnit,
  toBytes,
} from './document.ts';
import { generalMembers, initializationMembers } from './members.ts';

type Vm = OvfMachine['vm'];

export interface Hardware {
  readonly vm: Vm;
  readonly nics: OvfNic[];
  readonly consoles: OvfMachine['consoles'][number][];
  watchdog?: OvfMachine['watchdog'];
  /** Whether a disk is plugged, by its name in hardware items. */
  readonly plugged: Map<string, boolean>;
  /** Disk names in the items of other configurations. */
  readonly leftOut: ReadonlySet<string>;
}

/** Reads the items of the chosen configuration. Throws an `OvfError` for invalid numbers. */
function readHardware({ items: children, others }: ChosenItems): Hardware {
  const found: Hardware = {
    ...{ vm: {}, nics: [], consoles: [], plugged: new Map() },
    leftOut: new Set(others.flatMap((item) => childText(item, 'HostResource') ?? [])),
  };
  const items = children.filter(({ name }) => name === 'Item');
  // A document that lists devices lists all of them.
  if (items.some((item) => childText(item, 'Type') !== undefined)) {
    found.vm.soundcard_enabled = false;
    found.vm.console = { enabled: false };
    found.vm.virtio_scsi = { enabled: false };
    found.vm.tpm_enabled = false;
  }
  for (const item of children) {
    if (item.name === 'Item') readers[childText(item, 'ResourceType') ?? '']?.(item, found);
    // Later versions of the standard have separate elements for NICs and storage.
    if (item.name === 'EthernetPortItem') readNic(item, found);
    if (item.name === 'Config') readFirmware(item, found);
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
  // The numbers of video and graphics depend on the layout; the device has a name.
  '20': readDevice,
  '24': readDevice,
  '26': readDevice,
  '32768': readDevice,
};

/** Maximum of 32-bit integers of the API. */
const largestInt = 2 ** 31 - 1;

function count(item: XmlNode, name: string, largest = largestInt): number | undefined {
  const text = childText(item, name);
  return text === undefined ? undefined : atMost(largest, text, name);
}

function atMost(largest: number, text: string, what: string): number {
  const number = parseInteger(text, what);
  if (number > largest) throw createOvfError(`${what} is ${number}; the limit is ${largest}`);
  return number;
}

function readProcessors(item: XmlNode, { vm }: Hardware): void {
  const all = count(item, 'VirtualQuantity') ?? 1;
  const cores = count(item, 'cpu_per_socket') ?? count(item, 'CoresPerSocket') ?? 1;
  const sockets = count(item, 'num_of_sockets') ?? Math.max(1, Math.floor(all / cores));
  const threads = count(item, 'threads_per_cpu') ?? 1;
  vm.cpu = { topology: { sockets, cores, threads } };
}

function readMemory(item: XmlNode, { vm }: Hardware): void {
  const quantity = count(item, 'VirtualQuantity', Number.MAX_SAFE_INTEGER);
  if (quantity === undefined) return;
  const unit = parseUnit(childText(item, 'AllocationUnits') ?? 'MegaBytes');
  vm.memory = toBytes(quantity, unit, 'the memory');
}

/** Models of other platforms by parts of their names. Other models become the fastest one. */
const foreignNics = [
  [/e1000e/i, 'e1000e'],
  [/e1000/i, 'e1000'],
  [/rtl8139|pcnet/i, 'rtl8139'],
] as const;

function foreignNic(kind: string): OvfNic['interface'] {
  return foreignNics.find(([name]) => name.test(kind))?.[1] ?? 'virtio';
}

function readNic(item: XmlNode, { nics }: Hardware): void {
  const given = childText(item, 'Name') ?? childText(item, 'ElementName') ?? '';
  const id = childText(item, 'InstanceId') ?? childText(item, 'InstanceID');
  const kind = childText(item, 'ResourceSubType') ?? '';
  const mac = childText(item, 'MACAddress') ?? childText(item, 'Address');
  nics.push({
    ...(id && /^[0-9a-f-]{36}$/i.test(id) ? { id } : {}),
    name: /^[\w.-]{1,50}$/.test(given) ? given : `nic${nics.length + 1}`,
    interface: nicInterface.read(kind) ?? foreignNic(kind),
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

/** Reads a device that is identified by name. */
function readDevice(item: XmlNode, found: Hardware): void {
  const device = childText(item, 'Device') ?? '';
  const special = item.children.find(({ name }) => name === 'SpecParams');
  const parameter = (name: string) => (special ? childText(special, name) : undefined);
  devices[childText(item, 'Type') ?? '']?.(found, device, parameter, item);
}

/** EFI firmware in documents of VMware: `vmw:Config` with the key `firmware`. */
function readFirmware({ attributes }: XmlNode, { vm }: Hardware): void {
  const given = (name: string) =>
    [...attributes].find(([key]) => key.replace(/^.*:/, '') === name)?.[1];
  if (given('key') === 'firmware' && given('value') === 'efi') vm.bios = { type: 'q35_ovmf' };
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
      ...(bytes ? { bytes: atMost(largestInt, bytes, 'bytes') } : {}),
      ...(period ? { period: atMost(largestInt, period, 'period') } : {}),
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

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const gibibyte = 2 ** 30;

/** Parses a document. Throws an `OvfError` for invalid documents and impossible numbers. */
export function readOvf(text: string): OvfMachine {
  const document = new OvfDocument(text);
  const { machine } = document;
  const found = readHardware(selectItems(document, document.section(machine, 'VirtualHardware')));
  const system = document.section(machine, 'OperatingSystem');
  const vm: OvfMachine['vm'] = { ...found.vm };
  readGeneral(document, vm);
  const type = system && systemIn(document, system);
  if (type) vm.os = { ...vm.os, type };
  const id = document.attribute(document.layout === 'ovf' ? (system ?? machine) : machine, 'id');
  return {
    ...(id && uuid.test(id) ? { id: id.toLowerCase() } : {}),
    vm,
    disks: disksIn(document, found),
    nics: found.nics,
    consoles: found.consoles,
    watchdog: found.watchdog,
    snapshots: snapshotsIn(document),
  };
}

/** Reads members of the VM other than hardware. */
function readGeneral(document: OvfDocument, vm: OvfMachine['vm']): void {
  const { machine } = document;
  const members = new Map(generalMembers.map((one) => [one.element, one]));
  for (const child of machine.children) {
    // Ignore elements of the same name in documents of another kind.
    if (child.text !== '' || child.name === 'Description' || child.name === 'Comment') {
      members.get(child.name)?.read(vm, child.text);
    }
    if (child.name === 'VmInit') {
      for (const { element, read } of initializationMembers) {
        const value = document.attribute(child, element);
        if (value !== undefined) read(vm, value);
      }
    }
  }
  const hosts = machine.children.filter(({ name, text }) => name === 'DedicatedVmForVds' && text);
  if (hosts.length > 0) {
    const named = hosts.map(({ text }) => ({ id: text }));
    vm.placement_policy = { ...vm.placement_policy, hosts: named };
  }
  if (document.layout === 'ova') {
    vm.name ??= document.attribute(machine, 'id') ?? '';
    const annotation = document.section(machine, 'Annotation');
    const note = annotation && childText(annotation, 'Annotation');
    if (note !== undefined) vm.description ??= note;
  }
}

/** Operating system with its name in the API. `undefined` if the document has none. */
function systemIn(document: OvfDocument, section: XmlNode): string | undefined {
  if (document.layout === 'ovf') {
    const word = childText(section, 'Description');
    if (word === undefined) return undefined;
    return systemNamed(word) ?? 'other';
  }
  const number = section.attributes.get('ovirt:id');
  const known = operatingSystems.find(([id]) => id === number)?.[1];
  return known ?? findCimSystem(document.attribute(section, 'id') ?? '');
}

function disksIn(document: OvfDocument, { plugged, leftOut }: Hardware): OvfDisk[] {
  const references = document.root.children.find(({ name }) => name === 'References');
  const files = new Map(
    (references?.children ?? []).map((file) => [document.attribute(file, 'id') ?? '', file]),
  );
  const disks = document.section(document.root, 'Disk')?.children ?? [];
  return disks
    .filter(({ name }) => name === 'Disk')
    .flatMap((node) => {
      const disk =
        document.layout === 'ovf' ? storedDisk(document, node) : packedDisk(document, node, files);
      const { hosts, ...rest } = disk;
      // Ignore a disk that only other configurations use.
      if (!hosts.some((one) => plugged.has(one)) && hosts.some((one) => leftOut.has(one)))
        return [];
      const active =
        hosts.map((host) => plugged.get(host)).find((one) => one !== undefined) ?? true;
      return [{ ...rest, ...described(document, node, active) }];
    });
}

type Placed = Pick<OvfDisk, 'id' | 'imageId' | 'provisionedSize' | 'actualSize' | 'file'> & {
  /** Names of the disk in hardware items. */
  readonly hosts: readonly string[];
};

/** Disk on storage: `fileRef` contains the ids of the disk and of the image. */
function storedDisk(document: OvfDocument, node: XmlNode): Placed {
  const imageId = required(document, node, 'diskId');
  const path = document.attribute(node, 'fileRef') ?? '';
  const size = document.attribute(node, 'size');
  const capacity = document.attribute(node, 'capacity');
  const actual = document.attribute(node, 'actual_size');
  return {
    id: path.split('/')[0] || imageId,
    imageId,
    provisionedSize: size
      ? toBytes(amount(size, 'size'), gibibyte, 'the size of a disk')
      : parseInteger(capacity ?? '', 'the capacity of a disk'),
    ...(actual
      ? { actualSize: toBytes(amount(actual, 'actual_size'), gibibyte, 'actual_size') }
      : {}),
    hosts: [path],
  };
}

/** Size in GiB. Other tools write fractions. */
function amount(text: string, what: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number) || number < 0) {
    throw createOvfError(`${what} is "${text.slice(0, 40)}", not a number`);
  }
  return number;
}

/** Disk in an archive: `fileRef` names one of the files. */
function packedDisk(
  document: OvfDocument,
  node: XmlNode,
  files: ReadonlyMap<string, XmlNode>,
): Placed {
  const id = required(document, node, 'diskId');
  const reference = document.attribute(node, 'fileRef') ?? '';
  const file = files.get(reference);
  const capacity = withProperties(document, required(document, node, 'capacity'));
  const unit = document.attribute(node, 'capacityAllocationUnits');
  const populated =
    document.attribute(node, 'populatedSize') ?? (file && document.attribute(file, 'size'));
  return {
    id,
    imageId: reference,
    provisionedSize: toBytes(
      parseInteger(capacity, 'capacity'),
      parseUnit(unit ?? 'byte'),
      'the capacity of a disk',
    ),
    // Ignore an invalid size of other tools. It has no effect.
    ...(populated && /^\d{1,15}$/.test(populated) ? { actualSize: Number(populated) } : {}),
    ...(file ? { file: required(document, file, 'href') } : {}),
    hosts: [`ovf:/disk/${id}`, `/disk/${id}`],
  };
}

function required(document: OvfDocument, node: XmlNode, name: string): string {
  const value = document.attribute(node, name);
  if (!value) throw createOvfError(`a ${node.name} has no attribute ${name}`);
  return value;
}

/** Attributes of a disk that both layouts share. */
function described(
  document: OvfDocument,
  node: XmlNode,
  active: boolean,
): Omit<OvfDisk, keyof Placed> {
  const text = (name: string) => document.attribute(node, name) || undefined;
  const flag = (name: string) => text(name)?.toLowerCase() === 'true';
  const uri = text('format');
  const spelled = text('volume-format')?.toLowerCase();
  const format = spelled ?? (uri === formatUris.cow ? 'cow' : undefined);
  const kind = text('volume-type')?.toLowerCase();
  const snapshotId = text('vm_snapshot_id');
  return {
    format: format === 'cow' || format === 'raw' ? format : undefined,
    ...(kind ? { sparse: kind === 'sparse' } : {}),
    alias: text('disk-alias'),
    description: text('disk-description'),
    shareable: flag('shareable'),
    wipeAfterDelete: flag('wipe-after-delete'),
    incrementalBackup: flag('incremental-backup'),
    ...(snapshotId ? { snapshotId } : {}),
    ...(uri ? { fileFormat: uri } : {}),
    attachment: {
      interface: diskInterface(text('disk-interface') ?? 'virtio') ?? 'virtio',
      bootable: flag('boot'),
      read_only: flag('read-only'),
      pass_discard: flag('pass-discard'),
      uses_scsi_reservation: flag('scsi_reservation'),
      active,
    },
  };
}

function snapshotsIn(document: OvfDocument): OvfSnapshot[] {
  const section = document.section(document.machine, 'Snapshots');
  return (section?.children ?? [])
    .filter(({ name }) => name === 'Snapshot')
    .map((node) => ({
      id: document.attribute(node, 'id') ?? '',
      type: childText(node, 'Type') ?? '',
      description: childText(node, 'Description') ?? '',
    }));
}
