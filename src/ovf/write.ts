/** Writer of OVF documents in both layouts: VM, hardware, disks, NICs. */

import { diskInterfaceText, hardware, nicInterface } from './codes.ts';
import {
  commonDiskAttributes,
  element,
  type Layout,
  type LayoutName,
  layouts,
  type OvfDisk,
  type OvfMachine,
  type OvfNic,
  type OvfSurroundings,
  texts,
} from './document.ts';
import { dateText, generalMembers, initializationMembers, optionalDate } from './members.ts';

const mebibyte = 2 ** 20;
const noId = '00000000-0000-0000-0000-000000000000';

/** Device as guest drivers see it. */
interface Device {
  readonly type: string;
  readonly device: string;
  readonly plugged?: boolean;
  readonly readOnly?: boolean;
  readonly bootOrder?: number;
  readonly specification?: Readonly<Record<string, string | undefined>>;
}

type Members = Parameters<typeof texts>[0];

/** Writes the section with all hardware. `newId` creates ids for devices without one. */
function hardwareSection(
  machine: OvfMachine,
  layout: Layout,
  version: string,
  newId: () => string,
): string {
  const { vm, disks, nics } = machine;
  const processors = countProcessors(machine);
  const megabytes = Number(vm.memory ?? 0) / mebibyte;
  let number = 0;
  const numbered = () => {
    number += 1;
    return { [layout.instance]: number };
  };
  const named = () => ({ [layout.instance]: newId() });
  const items = [
    processorItem(machine, numbered()),
    memoryItem(megabytes, numbered()),
    ...disks.map((disk) => diskItem(disk, layout)),
    ...nics.map((nic) => nicItem(nic, layout, newId)),
    item(hardware.usb, {
      'rasd:Caption': 'USB Controller',
      ...numbered(),
      'rasd:UsbPolicy': vm.usb?.enabled ? 'ENABLED_NATIVE' : 'DISABLED',
    }),
    item(
      layout.video,
      {
        'rasd:Caption': 'Graphical Controller',
        ...named(),
        'rasd:VirtualQuantity': vm.display?.monitors ?? 1,
        'rasd:SinglePciQxl': vm.display?.single_qxl_pci ?? false,
      },
      { type: 'video', device: vm.display?.video_type ?? 'vga' },
    ),
    ...machine.consoles.map((protocol) =>
      item(
        layout.graphics,
        { 'rasd:Caption': 'Graphical Framebuffer', ...named() },
        { type: 'graphics', device: protocol },
      ),
    ),
    item(
      hardware.cdrom,
      { 'rasd:Caption': 'CDROM', ...named() },
      { type: 'disk', device: 'cdrom', readOnly: true },
    ),
    ...otherDevices(machine).map((device) => item(hardware.other, named(), device)),
  ];
  return layout.section(
    'VirtualHardware',
    texts({ Info: `${processors} CPU, ${megabytes} Memory` }) +
      element('System', texts({ 'vssd:VirtualSystemType': `ENGINE ${version}` })) +
      items.join(''),
  );
}

/** Writes one device. `members` are elements of the namespace `rasd`. */
function item(kind: string, members: Members, device?: Device): string {
  return element(
    'Item',
    texts({ ...members, 'rasd:ResourceType': kind }) + (device ? deviceText(device) : ''),
  );
}

function processorItem(machine: OvfMachine, id: Members): string {
  const processors = countProcessors(machine);
  const { sockets = 1, cores = 1, threads = 1 } = machine.vm.cpu?.topology ?? {};
  return item(hardware.processor, {
    'rasd:Caption': `${processors} virtual cpu`,
    'rasd:Description': 'Number of virtual CPU',
    ...id,
    'rasd:num_of_sockets': sockets,
    'rasd:cpu_per_socket': cores,
    'rasd:threads_per_cpu': threads,
    'rasd:max_num_of_vcpus': Math.max(16 * cores * threads, processors),
    'rasd:VirtualQuantity': processors,
  });
}

function memoryItem(megabytes: number, id: Members): string {
  return item(hardware.memory, {
    'rasd:Caption': `${megabytes} MB of memory`,
    'rasd:Description': 'Memory Size',
    ...id,
    'rasd:AllocationUnits': 'MegaBytes',
    'rasd:VirtualQuantity': megabytes,
  });
}

function countProcessors({ vm }: OvfMachine): number {
  const { sockets = 1, cores = 1, threads = 1 } = vm.cpu?.topology ?? {};
  return sockets * cores * threads;
}

function diskItem(disk: OvfDisk, layout: Layout): string {
  const { attachment } = disk;
  return element(
    'Item',
    texts({
      'rasd:Caption': disk.alias ?? disk.id,
      [layout.instance]: disk.imageId,
      'rasd:ResourceType': hardware.disk,
      'rasd:HostResource': layout.hostResource(disk),
      'rasd:Parent': noId,
      'rasd:Template': noId,
      'rasd:ApplicationList': '',
    }) +
      (disk.storageDomains ?? []).map((id) => texts({ 'rasd:StorageId': id })).join('') +
      texts({ 'rasd:StoragePoolId': disk.dataCenter }) +
      deviceText({
        type: 'disk',
        device: 'disk',
        bootOrder: attachment.bootable ? 1 : 0,
        plugged: attachment.active ?? true,
        readOnly: attachment.read_only ?? false,
      }),
  );
}

function nicItem(nic: OvfNic, layout: Layout, newId: () => string): string {
  return element(
    'Item',
    texts({
      'rasd:Caption': `Ethernet adapter on ${nic.network ?? '[No Network]'}`,
      [layout.instance]: nic.id ?? newId(),
      'rasd:ResourceType': hardware.network,
      'rasd:OtherResourceType': nic.profile ?? '',
      'rasd:ResourceSubType': nicInterface.write(nic.interface ?? 'virtio'),
      'rasd:Connection': nic.network ?? '',
      'rasd:Linked': nic.linked,
      'rasd:Name': nic.name,
      'rasd:ElementName': nic.name,
      'rasd:MACAddress': nic.mac,
      'rasd:speed': nic.interface === 'rtl8139' ? 100 : nic.interface === 'virtio' ? 10_000 : 1_000,
    }) + deviceText({ type: 'interface', device: 'bridge', plugged: nic.plugged }),
  );
}

/** Devices without a resource type in the standard. */
function otherDevices({ vm, watchdog }: OvfMachine): Device[] {
  const given: readonly (Device | false | undefined)[] = [
    vm.tpm_enabled === true && { type: 'tpm', device: 'tpm' },
    vm.rng_device && {
      type: 'rng',
      device: 'virtio',
      specification: {
        source: vm.rng_device.source,
        bytes: vm.rng_device.rate?.bytes?.toString(),
        period: vm.rng_device.rate?.period?.toString(),
      },
    },
    vm.virtio_scsi?.enabled === true && { type: 'controller', device: 'virtio-scsi' },
    vm.soundcard_enabled === true && { type: 'sound', device: 'ich6' },
    vm.console?.enabled === true && { type: 'console', device: 'console' },
    watchdog && {
      type: 'watchdog',
      device: watchdog.model ?? 'i6300esb',
      specification: { action: watchdog.action },
    },
    vm.memory_policy?.ballooning !== false && { type: 'balloon', device: 'memballoon' },
  ];
  return given.filter((device) => device !== false && device !== undefined);
}

function deviceText(device: Device): string {
  const { type, device: name, plugged = true, readOnly = false, bootOrder = 0 } = device;
  const specification = texts(device.specification ?? {});
  return (
    texts({
      Type: type,
      Device: name,
      'rasd:Address': '',
      BootOrder: bootOrder,
      IsPlugged: plugged,
      IsReadOnly: readOnly,
      Alias: '',
    }) + (specification ? element('SpecParams', specification) : '')
  );
}

const namespaces = {
  'xmlns:rasd':
    'http://schemas.dmtf.org/wbem/wscim/1/cim-schema/2/CIM_ResourceAllocationSettingData',
  'xmlns:vssd': 'http://schemas.dmtf.org/wbem/wscim/1/cim-schema/2/CIM_VirtualSystemSettingData',
  'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
};

/** Number and label of an operating system. */
export interface SystemNames {
  readonly number: string | undefined;
  readonly label: string;
}

/** Writes a document. `newId` creates ids for devices without one. */
export function writeOvf(
  machine: OvfMachine,
  about: OvfSurroundings,
  system: SystemNames,
  layoutName: LayoutName,
  newId: () => string,
): string {
  const layout = layouts[layoutName];
  const { vm, disks, nics } = machine;
  const networks = [...new Set(nics.flatMap(({ network }) => network ?? []))];
  const files = disks.map((disk) => element('File', '', layout.file(disk)));
  const described = disks.map((disk) => diskElement(disk, layout));
  const word = vm.os?.type ?? 'other';
  const content = [
    general(machine, about),
    layout.system(machine.id ?? '', system.number, word, system.label),
    hardwareSection(machine, layout, about.version, newId),
    snapshots(machine, layout),
  ].join('');
  const root = {
    'xmlns:ovf': layout.namespace,
    ...namespaces,
    ...layout.root(about.version),
  };
  const body = [
    element('References', files.join('')),
    element(
      'NetworkSection',
      texts({ Info: 'List of networks' }) +
        networks.map((name) => element('Network', '', { 'ovf:name': name })).join(''),
    ),
    layout.section('Disk', texts({ Info: 'List of Virtual Disks' }) + described.join('')),
    layout.machine(machine.id ?? '', content),
  ];
  return `<?xml version="1.0" encoding="UTF-8"?>${element('ovf:Envelope', body.join(''), root)}`;
}

function diskElement(disk: OvfDisk, layout: Layout): string {
  const { attachment } = disk;
  return element('Disk', '', {
    ...layout.disk(disk),
    ...commonDiskAttributes(disk),
    'ovf:disk-interface': diskInterfaceText(attachment.interface ?? 'virtio'),
    'ovf:read-only': attachment.read_only ?? false,
    'ovf:shareable': disk.shareable ?? false,
    'ovf:boot': attachment.bootable ?? false,
    'ovf:pass-discard': attachment.pass_discard ?? false,
    'ovf:incremental-backup': disk.incrementalBackup ?? false,
    'ovf:disk-alias': disk.alias,
    'ovf:disk-description': disk.description,
    'ovf:wipe-after-delete': disk.wipeAfterDelete ?? false,
  });
}

/** Members of a VM other than hardware. */
function general(machine: OvfMachine, about: OvfSurroundings): string {
  const { vm } = machine;
  const members = Object.fromEntries(
    generalMembers.map(({ element: name, write }) => [name, write(vm)]),
  );
  const { Name, Description, Comment, ...rest } = members;
  const setUp = Object.fromEntries(
    initializationMembers.map(({ element: name, write }) => [`ovf:${name}`, write(vm)]),
  );
  const isSetUp = Object.values(setUp).some((value) => value !== undefined);
  return (
    texts({
      Name,
      Description,
      Comment,
      CreationDate: optionalDate(vm.creation_time),
      ExportDate: about.exported && dateText(about.exported),
      ...rest,
      ClusterCompatibilityVersion: about.clusterLevel,
      ClusterName: about.clusterName,
      ...(about.isTemplate ? templateMembers(machine) : machineMembers(machine, about)),
    }) +
    (vm.placement_policy?.hosts ?? []).map(({ id }) => texts({ DedicatedVmForVds: id })).join('') +
    (isSetUp ? element('VmInit', '', setUp) : '')
  );
}

function machineMembers({ vm }: OvfMachine, about: OvfSurroundings) {
  return {
    TemplateId: vm.template?.id,
    TemplateName: about.templateName,
    InstanceTypeId: vm.instance_type?.id,
    IsInitilized: vm.initialization !== undefined,
    quota_id: vm.quota?.id,
    TrustedService: false,
    OriginalTemplateId: vm.original_template?.id,
    OriginalTemplateName: about.originalTemplateName,
    UseLatestVersion: vm.use_latest_template_version ?? false,
    StopTime: optionalDate(vm.stop_time),
  };
}

function templateMembers({ id, version }: OvfMachine) {
  return {
    TemplateId: id,
    TemplateType: 'TEMPLATE',
    BaseTemplateId: id,
    TemplateVersionNumber: version?.version_number ?? 1,
    TemplateVersionName: version?.version_name,
    IsDisabled: false,
  };
}

function snapshots({ snapshots: all }: OvfMachine, layout: Layout): string {
  if (all.length === 0) return '';
  const written = all.map(({ id, type, description, created }) =>
    element(
      'Snapshot',
      texts({ Type: type, Description: description, CreationDate: optionalDate(created) }),
      { 'ovf:id': id },
    ),
  );
  return layout.section('Snapshots', written.join(''));
}
