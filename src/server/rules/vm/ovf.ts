/** The configuration of a machine as an OVF document, which backup tools keep and bring back. */
import type { Resource } from '../../../model/resource.ts';
import { escapeAttribute, escapeText } from '../../../wire/xml/characters.ts';
import { XmlCursor } from '../../../wire/xml/cursor.ts';
import { Refusal } from '../../fault.ts';
import type { RuleContext } from '../context.ts';
import { attachmentsOf, disksOf, mebibyte, nicsOf, type Vm } from './vm.ts';

type Nic = Resource<'nic'>;

/** Kinds of hardware, as the standard numbers them. */
const kinds = { processor: '3', memory: '4', network: '10', disk: '17' } as const;

const namespaces = {
  'xmlns:ovf': 'http://schemas.dmtf.org/ovf/envelope/1/',
  'xmlns:rasd':
    'http://schemas.dmtf.org/wbem/wscim/1/cim-schema/2/CIM_ResourceAllocationSettingData',
  'xmlns:vssd': 'http://schemas.dmtf.org/wbem/wscim/1/cim-schema/2/CIM_VirtualSystemSettingData',
  'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
};

type Attributes = Readonly<Record<string, string | number | undefined>>;

function element(name: string, content: string, attributes: Attributes = {}): string {
  const written = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${escapeAttribute(String(value ?? ''))}"`)
    .join('');
  return `<${name}${written}>${content}</${name}>`;
}

/** Elements with texts; what has no text is left out. */
function texts(members: Attributes): string {
  return Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => element(name, escapeText(String(value))))
    .join('');
}

function item(kind: string, members: Attributes): string {
  return element('Item', texts({ 'rasd:ResourceType': kind, ...members }));
}

/**
 * Writes the configuration of a machine with its disks and interfaces. With `ova` the files are named
 * as they are inside of an OVA archive, which has no folders.
 */
export function writeOvf(ctx: RuleContext, vm: Vm, ova = false): string {
  const fileOf = ({ id, image_id: image }: Resource<'disk'>) => (ova ? image : `${id}/${image}`);
  const disks = disksOf(ctx, vm);
  const { sockets = 1, cores = 1, threads = 1 } = vm.cpu?.topology ?? {};
  const megabytes = Number(vm.memory ?? 0) / mebibyte;
  const how = new Map(attachmentsOf(ctx, vm).map((attachment) => [attachment.id, attachment]));
  const files = disks.map((disk) =>
    element('File', '', {
      'ovf:href': fileOf(disk),
      'ovf:id': disk.image_id,
      'ovf:size': String(disk.provisioned_size),
    }),
  );
  const described = disks.map((disk) =>
    element('Disk', '', {
      'ovf:diskId': disk.image_id,
      'ovf:fileRef': fileOf(disk),
      'ovf:capacity': String(disk.provisioned_size),
      'ovf:volume-format': disk.format?.toUpperCase(),
      'ovf:disk-alias': disk.alias,
      'ovf:disk-interface': how.get(disk.id)?.interface,
      'ovf:boot': String(how.get(disk.id)?.bootable ?? false),
    }),
  );
  const hardware = [
    item(kinds.processor, {
      'rasd:Caption': `${sockets * cores * threads} virtual cpu`,
      'rasd:num_of_sockets': sockets,
      'rasd:cpu_per_socket': cores,
      'rasd:threads_per_cpu': threads,
    }),
    item(kinds.memory, {
      'rasd:Caption': `${megabytes} MB of memory`,
      'rasd:AllocationUnits': 'MegaBytes',
      'rasd:VirtualQuantity': megabytes,
    }),
    ...disks.map((disk) =>
      item(kinds.disk, {
        'rasd:Caption': disk.alias,
        'rasd:InstanceId': disk.image_id,
        'rasd:HostResource': fileOf(disk),
      }),
    ),
    ...nicsOf(ctx, vm).map((nic) =>
      item(kinds.network, {
        'rasd:Caption': `Ethernet adapter ${nic.name}`,
        'rasd:InstanceId': nic.id,
        'rasd:Name': nic.name,
        'rasd:Connection': ctx.tx.get('vnic_profile', nic.vnic_profile?.id ?? '')?.name,
        'rasd:OtherResourceType': nic.interface,
        'rasd:MACAddress': nic.mac?.address,
        'rasd:Linked': String(nic.linked ?? true),
      }),
    ),
  ];
  const content = [
    texts({
      Name: vm.name,
      Description: vm.description,
      Comment: vm.comment,
      CreationDate: vm.creation_time,
      DeleteProtected: String(vm.delete_protected ?? false),
      VmType: vm.type,
      Origin: vm.origin,
    }),
    element('Section', texts({ Info: 'Guest Operating System', Description: vm.os?.type }), {
      'ovf:id': vm.id,
      'xsi:type': 'ovf:OperatingSystemSection_Type',
    }),
    element('Section', texts({ Info: 'Virtual hardware' }) + hardware.join(''), {
      'xsi:type': 'ovf:VirtualHardwareSection_Type',
    }),
  ];
  return `<?xml version="1.0" encoding="UTF-8"?>${element(
    'ovf:Envelope',
    element('References', files.join('')) +
      element('Section', texts({ Info: 'List of Virtual Disks' }) + described.join(''), {
        'xsi:type': 'ovf:DiskSection_Type',
      }) +
      element('Content', content.join(''), {
        'ovf:id': 'out',
        'xsi:type': 'ovf:VirtualSystem_Type',
      }),
    namespaces,
  )}`;
}

/** What an OVF document says of a machine. Disks are not part of it: they are attached by themselves. */
export interface OvfMachine {
  readonly vm: Vm;
  readonly nics: readonly Nic[];
}

type Members = Readonly<Record<string, string>>;

/** Reads the configuration of a machine. Refuses with 400 what is no OVF document. */
export function readOvf(text: string): OvfMachine {
  const root = new XmlCursor(text, true);
  root.root();
  if (!root.name.endsWith('Envelope')) throw notOvf(`its root element is ${root.name}`);
  const vm: Vm = {};
  const items: Members[] = [];
  while (root.nextChild()) {
    if (root.name === 'Content') readContent(root, vm, items);
    else root.skip();
  }
  const number = (value: string | undefined) => Number(value ?? 1) || 1;
  for (const members of items) {
    if (members['ResourceType'] === kinds.memory) {
      vm.memory = number(members['VirtualQuantity']) * mebibyte;
    }
    if (members['ResourceType'] === kinds.processor) {
      vm.cpu = {
        topology: {
          sockets: number(members['num_of_sockets']),
          cores: number(members['cpu_per_socket']),
          threads: number(members['threads_per_cpu']),
        },
      };
    }
  }
  const nics = items
    .filter((members) => members['ResourceType'] === kinds.network)
    .map((members) => nicOf(members));
  return { vm, nics };
}

function notOvf(why: string): Refusal {
  return new Refusal(400, 'Operation Failed', `The configuration is not an OVF document: ${why}.`);
}

function readContent(cursor: XmlCursor, vm: Vm, items: Members[]): void {
  while (cursor.nextChild()) {
    const { name } = cursor;
    if (name === 'Section') readSection(cursor, vm, items);
    else if (name === 'Name') vm.name = cursor.content();
    else if (name === 'Description') vm.description = cursor.content();
    else if (name === 'Comment') vm.comment = cursor.content();
    else cursor.skip();
  }
}

function readSection(cursor: XmlCursor, vm: Vm, items: Members[]): void {
  while (cursor.nextChild()) {
    if (cursor.name === 'Item') items.push(readItem(cursor));
    else if (cursor.name === 'Description') vm.os = { type: cursor.content() };
    else cursor.skip();
  }
}

function readItem(cursor: XmlCursor): Members {
  const members: Record<string, string> = {};
  while (cursor.nextChild()) {
    const name = cursor.name.replace(/^\w+:/, '');
    members[name] = cursor.content();
  }
  return members;
}

function nicOf(members: Members): Nic {
  const { Name: name = 'nic', MACAddress: address, OtherResourceType: type } = members;
  return {
    name,
    linked: members['Linked'] !== 'false',
    plugged: true,
    interface: type === 'e1000' || type === 'rtl8139' ? type : 'virtio',
    ...(address ? { mac: { address } } : {}),
  };
}
