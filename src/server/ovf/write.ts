/** Writes what there is to know of a machine or template as an OVF document. */
import { element, texts } from './element.ts';
import { commonDiskAttributes, type Layout, type LayoutName, layouts } from './layout.ts';
import type { OvfDisk, OvfMachine, OvfSurroundings } from './machine.ts';
import { dateText, generalMembers, initializationMembers, optionalDate } from './members.ts';
import { diskInterfaceText } from './numbers.ts';
import { hardwareSection } from './write-hardware.ts';

const namespaces = {
  'xmlns:rasd':
    'http://schemas.dmtf.org/wbem/wscim/1/cim-schema/2/CIM_ResourceAllocationSettingData',
  'xmlns:vssd': 'http://schemas.dmtf.org/wbem/wscim/1/cim-schema/2/CIM_VirtualSystemSettingData',
  'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
};

/** Number and label of the operating system of a machine. */
export interface SystemNames {
  readonly number: string | undefined;
  readonly label: string;
}

/** Writes a document. `newId` makes ids of devices that have none of their own. */
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

/** What is said of a machine beside its hardware. */
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

function templateMembers({ id, vm }: OvfMachine) {
  const { version } = vm as { version?: { version_number?: number; version_name?: string } };
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
