/** Numbers and names in OVF documents for values of the API. */
import { type EnumName, type EnumValue, enums } from '../model/enums.ts';

/**
 * Resource types of the OVF standard. The layouts use different numbers for `video` and `graphics`.
 */
export const hardware = {
  other: '0',
  processor: '3',
  memory: '4',
  network: '10',
  cdrom: '15',
  disk: '17',
  usb: '23',
} as const;

/** Maps numbers from `first` to the values of an enum. */
function numbered<E extends EnumName>(
  _enum: E,
  values: readonly EnumValue<E>[],
  first = 0,
): { write(value: string): string | undefined; read(text: string): EnumValue<E> | undefined } {
  const names = values.map(String);
  return {
    write(value) {
      const index = names.indexOf(value);
      return index < 0 ? undefined : String(index + first);
    },
    // Check the digits, because `Number()` reads an empty text or spaces as 0.
    read: (text) => (/^\d{1,4}$/.test(text) ? values[Number(text) - first] : undefined),
  };
}

export const vmType = numbered('vm_type', ['desktop', 'server', 'high_performance']);
export const affinity = numbered('vm_affinity', ['migratable', 'user_migratable', 'pinned']);
export const serialNumberPolicy = numbered('serial_number_policy', [
  'host',
  'vm',
  'custom',
  'none',
]);
export const biosType = numbered('bios_type', [
  'i440fx_sea_bios',
  'q35_sea_bios',
  'q35_ovmf',
  'q35_secure_boot',
]);
export const cpuPinningPolicy = numbered('cpu_pinning_policy', [
  'none',
  'manual',
  'resize_and_pin_numa',
  'dedicated',
  'isolate_threads',
]);
export const nicInterface = numbered('nic_interface', [
  'rtl8139_virtio',
  'rtl8139',
  'e1000',
  'virtio',
  'spapr_vlan',
  'pci_passthrough',
  'e1000e',
]);
/** Origins by their numbers. */
export const origins = [
  'rhev',
  'vmware',
  'xen',
  'ovirt',
  'hosted_engine',
  'external',
  'managed_hosted_engine',
  'hyperv',
  'kvm',
  'physical_xen',
  'kubevirt',
] as const;

type BootDevice = EnumValue<'boot_device'>;

/** Boot orders by their numbers. */
const bootOrders = 'c dc n cdn cnd dcn dnc ncd ndc cd d cn dn nc nd'.split(' ');
const bootDevices: readonly (readonly [letter: string, device: BootDevice])[] = [
  ['c', 'hd'],
  ['d', 'cdrom'],
  ['n', 'network'],
];

/** Number of a boot order. `undefined` if it has none. */
export function bootNumber(devices: readonly BootDevice[]): string | undefined {
  const getLetter = (device: BootDevice) =>
    bootDevices.find(([, one]) => one === device)?.[0] ?? '';
  const index = bootOrders.indexOf(devices.map(getLetter).join(''));
  return index < 0 ? undefined : String(index);
}

export function bootOrder(number: string): BootDevice[] | undefined {
  return (/^\d{1,3}$/.test(number) ? bootOrders[Number(number)] : undefined)
    ?.split('')
    .flatMap((letter) => bootDevices.find(([one]) => one === letter)?.[1] ?? []);
}

/** Spelling of disk interfaces in documents. */
const diskInterfaces = {
  ide: 'IDE',
  virtio_scsi: 'VirtIO_SCSI',
  virtio: 'VirtIO',
  spapr_vscsi: 'SPAPR_VSCSI',
  sata: 'SATA',
} as const satisfies Readonly<Record<EnumValue<'disk_interface'>, string>>;

export function diskInterfaceText(value: EnumValue<'disk_interface'>): string {
  return diskInterfaces[value];
}

export function diskInterface(text: string): EnumValue<'disk_interface'> | undefined {
  return enums.disk_interface.find(
    (name) => diskInterfaces[name].toLowerCase() === text.toLowerCase(),
  );
}

/** URIs that identify image formats in documents. */
export const formatUris = {
  raw: 'http://www.vmware.com/specifications/vmdk.html#sparse',
  cow: 'http://www.gnome.org/~markmc/qcow-image-format.html',
} as const;

/**
 * CIM numbers of operating systems of the API. A system without an entry has the number of the
 * first entry that its name begins with.
 */
const cimSystems: readonly (readonly [system: string, number: string])[] = [
  ['windows_xp', '67'],
  ['windows_2003x64', '70'],
  ['windows_2003', '69'],
  ['windows_2008R2x64', '103'],
  ['windows_2008x64', '77'],
  ['windows_2008', '76'],
  ['windows_7', '105'],
  ['windows_8x64', '115'],
  ['windows_8', '114'],
  ['windows_2012R2x64', '116'],
  ['windows_2012x64', '113'],
  ['windows_2016x64', '117'],
  ['windows_2019x64', '122'],
  ['windows_10x64', '121'],
  ['windows_10', '120'],
  ['rhcos_x64', '125'],
  ['freebsdx64', '78'],
  ['freebsd', '42'],
  ['other_linux', '36'],
];
/** CIM numbers of Linux distributions. The reader maps all of them to Linux. */
const cimFamilies: readonly (readonly [pattern: RegExp, number: string])[] = [
  [/^ubuntu/, '94'],
  [/^debian/, '96'],
  [/^sles/, '83'],
  [/^rhel_\w+(?:x64|ppc64|s390x)$/, '80'],
  [/^rhel/, '79'],
];
const otherSystem = '1';
/** All CIM numbers of Linux systems. */
const linuxNumbers = new Set(
  '36 79 80 82 83 84 85 89 90 91 92 93 94 95 96 97 98 99 100 101 106 107 108 109'.split(' '),
);

export function cimNumber(system: string): string {
  const family = cimFamilies.find(([pattern]) => pattern.test(system));
  const known = family ?? cimSystems.find(([name]) => system.startsWith(name));
  return known?.[1] ?? otherSystem;
}

/** Operating system for a CIM number. */
export function findCimSystem(number: string): string {
  if (linuxNumbers.has(number)) return 'other_linux';
  return cimSystems.find(([, known]) => known === number)?.[0] ?? 'other';
}
