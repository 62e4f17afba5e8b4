/** Mapping of OVF elements to attributes, for reading and writing. */

import { enums } from '../model/enums.ts';
import type { Resource } from '../model/resource.ts';
import { isRecord } from '../records.ts';
import {
  affinity,
  biosType,
  bootNumber,
  bootOrder,
  cpuPinningPolicy,
  origins,
  serialNumberPolicy,
  vmType,
} from './codes.ts';

type JsonObject = Readonly<Record<string, unknown>>;

export type NicConfigurations = NonNullable<Resource<'initialization'>['nic_configurations']>;
type NicConfiguration = NicConfigurations[number];
type Protocol = NonNullable<NicConfiguration['boot_protocol']>;

const listClass = 'java.util.ArrayList';
const itemClass = 'org.ovirt.engine.core.common.businessentities.VmInitNetwork';

const protocols: Readonly<Record<Protocol, string>> = {
  none: 'NONE',
  dhcp: 'DHCP',
  static: 'STATIC_IP',
  autoconf: 'AUTOCONF',
  poly_dhcp_autoconf: 'POLY_DHCP_AUTOCONF',
};

/** Serializes NIC configurations. */
export function networksText(list: NicConfigurations): string | undefined {
  if (list.length === 0) return undefined;
  return JSON.stringify([listClass, list.map((one) => [itemClass, written(one)])]);
}

function written({ name, on_boot, ip, ipv6, ...how }: NicConfiguration): JsonObject {
  const prefix = ipv6?.netmask;
  return {
    startOnBoot: on_boot ?? null,
    name: name ?? null,
    bootProtocol: protocols[how.boot_protocol ?? 'none'],
    ip: ip?.address ?? null,
    netmask: ip?.netmask ?? null,
    gateway: ip?.gateway ?? null,
    ipv6BootProtocol: protocols[how.ipv6_boot_protocol ?? 'none'],
    ipv6Address: ipv6?.address ?? null,
    ipv6Prefix: prefix === undefined || !/^\d+$/.test(prefix) ? null : Number(prefix),
    ipv6Gateway: ipv6?.gateway ?? null,
    id: null,
  };
}

/** Parses NIC configurations, with or without class names. `undefined` for other text. */
export function networksIn(text: string): NicConfigurations | undefined {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return undefined;
  }
  const list = named(found, listClass);
  if (!Array.isArray(list)) return undefined;
  const read = list.flatMap((one: unknown) => {
    const item = named(one, itemClass);
    return isRecord(item) ? [readOne(item)] : [];
  });
  return read.length > 0 ? read : undefined;
}

/** Value after its class name, or the value itself. */
function named(value: unknown, className: string): unknown {
  return Array.isArray(value) && value.length === 2 && value[0] === className ? value[1] : value;
}

function readOne(item: JsonObject): NicConfiguration {
  const text = (name: string) => {
    const value = item[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  };
  const address = (version: 'v4' | 'v6', names: readonly [string, string, string]) => {
    const [own, netmask, gateway] = names.map(text);
    if (own === undefined && netmask === undefined && gateway === undefined) return undefined;
    return {
      ...(own === undefined ? {} : { address: own }),
      ...(netmask === undefined ? {} : { netmask }),
      ...(gateway === undefined ? {} : { gateway }),
      version,
    };
  };
  const name = text('name');
  const ip = address('v4', ['ip', 'netmask', 'gateway']);
  const ipv6 = address('v6', ['ipv6Address', 'ipv6Prefix', 'ipv6Gateway']);
  const onBoot = item['startOnBoot'];
  return {
    ...(name === undefined ? {} : { name }),
    boot_protocol: findProtocol(text('bootProtocol')),
    ...(ip ? { ip } : {}),
    ipv6_boot_protocol: findProtocol(text('ipv6BootProtocol')),
    ...(ipv6 ? { ipv6 } : {}),
    ...(typeof onBoot === 'boolean' ? { on_boot: onBoot } : {}),
  };
}

function findProtocol(word: string | undefined): Protocol {
  return enums.boot_protocol.find((one) => protocols[one] === word) ?? 'none';
}

type Vm = Resource<'vm'>;

/** Text form of a value. `undefined` if the value is omitted or invalid. */
interface Format<T> {
  readonly write: (value: T) => string | undefined;
  readonly read: (text: string) => T | undefined;
}

export interface Member {
  readonly element: string;
  /** `undefined` if the VM has no such value. */
  readonly write: (vm: Vm) => string | undefined;
  /** Leaves the VM unchanged if the text has no valid value. */
  readonly read: (vm: Vm, text: string) => void;
}

/** Member whose attribute is accessed by `get` and `put`. */
function member<T>(
  element: string,
  format: Format<T>,
  get: (vm: Vm) => T | undefined,
  put: (vm: Vm, value: T) => void,
): Member {
  return {
    element,
    write(vm) {
      const value = get(vm);
      return value === undefined ? undefined : format.write(value);
    },
    read(vm, text) {
      const value = format.read(text);
      if (value !== undefined) put(vm, value);
    },
  };
}

/** Member for an attribute of the VM. */
function own<K extends keyof Vm>(
  element: string,
  format: Format<NonNullable<Vm[K]>>,
  name: K,
): Member {
  return member(
    element,
    format,
    (vm) => vm[name] ?? undefined,
    (vm, value) => {
      vm[name] = value;
    },
  );
}

/** Member for an attribute of a structure of the VM. */
function inner<K extends keyof Vm, L extends keyof NonNullable<Vm[K]>>(
  element: string,
  format: Format<NonNullable<NonNullable<Vm[K]>[L]>>,
  name: K,
  attribute: L,
): Member {
  type Value = NonNullable<NonNullable<Vm[K]>[L]>;
  return member<Value>(
    element,
    format,
    (vm) => (vm[name] ?? undefined)?.[attribute] ?? undefined,
    (vm, value) => {
      vm[name] = Object.assign({}, vm[name], { [attribute]: value });
    },
  );
}

const mebibyte = 2 ** 20;

const text: Format<string> = { write: (value) => value, read: (value) => value };
const filled: Format<string> = {
  write: (value) => value || undefined,
  read: (value) => value || undefined,
};
/** Secret. Only the reader supports it, because responses contain documents. */
const unwritten: Format<string> = { write: () => undefined, read: filled.read };
const bool: Format<boolean> = {
  write: String,
  read: (value) => ({ true: true, false: false })[value.toLowerCase()],
};
const integer: Format<number> = {
  write: String,
  read(value) {
    const number = /^-?\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
    // Integers of the API have 32 bits.
    return number === (number | 0) ? number : undefined;
  },
};
/** Bytes as an integer of MiB. */
const mebibytes: Format<number | bigint> = {
  write: (value) => String(BigInt(value) / BigInt(mebibyte)),
  read: (value) => (/^\d{1,10}$/.test(value) ? Number(value) * mebibyte : undefined),
};
/** Omitted if the VM inherits it from the cluster. */
const inheritable: Format<'true' | 'false' | 'inherit'> = {
  write: (value) => (value === 'inherit' ? undefined : value),
  read: (value) => (value === 'true' || value === 'false' ? value : undefined),
};

/** `2020/03/01 12:30:00`, in UTC. */
export function dateText(date: string | Date): string {
  return new Date(date).toISOString().slice(0, 19).replaceAll('-', '/').replace('T', ' ');
}

/** Same as `dateText`. `undefined` without a date. */
export function optionalDate(date: string | undefined): string | undefined {
  return date === undefined ? undefined : dateText(date);
}

/** Versions as `4.7`. */
const version: Format<{ major?: number; minor?: number }> = {
  write: ({ major, minor }) => `${major}.${minor}`,
  read(value) {
    const [, major, minor] = /^(\d{1,9})\.(\d{1,9})$/.exec(value) ?? [];
    return major ? { major: Number(major), minor: Number(minor) } : undefined;
  },
};

/** Properties as `name=value;name=value`. */
const properties: Format<{ name?: string; value?: string }[]> = {
  write: (list) => list.map(({ name, value }) => `${name}=${value}`).join(';') || undefined,
  read(value) {
    const pairs = value.split(';').flatMap((pair) => {
      const [, name, rest] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
      return name ? [{ name, value: rest ?? '' }] : [];
    });
    return pairs.length > 0 ? pairs : undefined;
  },
};

/** Pins as `0#1-3_1#2`: each virtual CPU with its host CPUs. */
const pins: Format<NonNullable<NonNullable<Vm['cpu']>['cpu_tune']>> = {
  write: ({ vcpu_pins: list = [] }) =>
    list.map(({ vcpu, cpu_set: set }) => `${vcpu}#${set}`).join('_') || undefined,
  read(value) {
    const found = value.split('_').flatMap((pin) => {
      const [, vcpu, set] = /^(\d{1,9})#([\d,^-]+)$/.exec(pin) ?? [];
      return vcpu ? [{ vcpu: Number(vcpu), cpu_set: set ?? '' }] : [];
    });
    return found.length > 0 ? { vcpu_pins: found } : undefined;
  },
};

const originNames: readonly string[] = origins;
const origin: Format<string> = {
  write: (value) => {
    const index = originNames.indexOf(value);
    return String(index < 0 ? 3 : index);
  },
  // Dialects have different names for the origin of the service itself.
  read: (value) =>
    value === '3' ? undefined : /^\d{1,3}$/.test(value) ? origins[Number(value)] : undefined,
};

/** Omitted unless it differs from the default of the service. */
const hostCpu: Format<NonNullable<NonNullable<Vm['cpu']>['mode']>> = {
  write: (mode) => (mode === 'host_passthrough' ? 'true' : undefined),
  read: (value) => (value === 'true' ? 'host_passthrough' : undefined),
};

const signOn: Format<NonNullable<Vm['sso']>> = {
  write: ({ methods }) => methods?.[0]?.id ?? 'none',
  read(value) {
    if (value === 'none') return { methods: [] };
    return value === 'guest_agent' ? { methods: [{ id: value }] } : undefined;
  },
};

const boot: Format<NonNullable<NonNullable<Vm['os']>['boot']>> = {
  write: ({ devices }) => (devices ? bootNumber(devices) : undefined),
  read(value) {
    const devices = bootOrder(value);
    return devices ? { devices } : undefined;
  },
};

const resumeBehaviour: Format<NonNullable<Vm['storage_error_resume_behaviour']>> = {
  write: (value) => value.toUpperCase(),
  read: (value) =>
    enums.vm_storage_error_resume_behaviour.find((one) => one === value.toLowerCase()),
};

const enabled: Format<{ enabled?: boolean }> = {
  write: (value) => (value.enabled === undefined ? undefined : String(value.enabled)),
  read(value) {
    const flag = bool.read(value);
    return flag === undefined ? undefined : { enabled: flag };
  },
};

const reference: Format<{ id?: string }> = {
  write: ({ id }) => id || undefined,
  read: (id) => (id ? { id } : undefined),
};

/** Network settings of the first start, as JSON in the form of `networks.ts`. */
const networks: Format<NicConfigurations> = { write: networksText, read: networksIn };

/** Attributes of VMs and templates, in the order of documents. */
export const generalMembers: readonly Member[] = [
  own('Name', filled, 'name'),
  own('Description', text, 'description'),
  own('Comment', text, 'comment'),
  own('DeleteProtected', bool, 'delete_protected'),
  own('SsoMethod', signOn, 'sso'),
  inner('IsSmartcardEnabled', bool, 'display', 'smartcard_enabled'),
  inner('NumOfIoThreads', integer, 'io', 'threads'),
  inner('TimeZone', filled, 'time_zone', 'name'),
  inner('default_boot_sequence', boot, 'os', 'boot'),
  inner('initrd_url', filled, 'os', 'initrd'),
  inner('kernel_url', filled, 'os', 'kernel'),
  inner('kernel_params', filled, 'os', 'cmdline'),
  own('CustomCompatibilityVersion', version, 'custom_compatibility_version'),
  own('VmType', vmType, 'type'),
  own('ResumeBehavior', resumeBehaviour, 'storage_error_resume_behaviour'),
  own('TunnelMigration', bool, 'tunnel_migration'),
  inner('VncKeyboardLayout', filled, 'display', 'keyboard_layout'),
  inner('MinAllocatedMem', mebibytes, 'memory_policy', 'guaranteed'),
  own('IsStateless', bool, 'stateless'),
  own('IsRunAndPause', bool, 'start_paused'),
  inner('AutoStartup', bool, 'high_availability', 'enabled'),
  inner('Priority', integer, 'high_availability', 'priority'),
  own('MigrationDowntime', integer, 'migration_downtime'),
  inner('MigrationSupport', affinity, 'placement_policy', 'affinity'),
  inner('SerialNumberPolicy', serialNumberPolicy, 'serial_number', 'policy'),
  inner('CustomSerialNumber', filled, 'serial_number', 'value'),
  inner('IsBootMenuEnabled', enabled, 'bios', 'boot_menu'),
  inner('IsSpiceFileTransferEnabled', bool, 'display', 'file_transfer_enabled'),
  inner('IsSpiceCopyPasteEnabled', bool, 'display', 'copy_paste_enabled'),
  inner('AllowConsoleReconnect', bool, 'display', 'allow_override'),
  inner('ConsoleDisconnectAction', filled, 'display', 'disconnect_action'),
  inner('IsAutoConverge', inheritable, 'migration', 'auto_converge'),
  inner('IsMigrateCompressed', inheritable, 'migration', 'compressed'),
  inner('IsMigrateEncrypted', inheritable, 'migration', 'encrypted'),
  inner('MigrationPolicyId', reference, 'migration', 'policy'),
  own('CustomEmulatedMachine', filled, 'custom_emulated_machine'),
  inner('BiosType', biosType, 'bios', 'type'),
  own('CustomCpuName', filled, 'custom_cpu_model'),
  own('UserDefinedProperties', properties, 'custom_properties'),
  inner('MaxMemorySizeMb', mebibytes, 'memory_policy', 'max'),
  inner('LeaseDomainId', reference, 'lease', 'storage_domain'),
  own('MultiQueuesEnabled', bool, 'multi_queues_enabled'),
  own('VirtioScsiMultiQueuesEnabled', bool, 'virtio_scsi_multi_queues_enabled'),
  inner('UseHostCpu', hostCpu, 'cpu', 'mode'),
  inner('BalloonEnabled', bool, 'memory_policy', 'ballooning'),
  own('CpuPinningPolicy', cpuPinningPolicy, 'cpu_pinning_policy'),
  inner('CpuPinning', pins, 'cpu', 'cpu_tune'),
  own('Origin', origin, 'origin'),
];

/** Initialization of the guest: attributes of the element `VmInit`. */
export const initializationMembers: readonly Member[] = [
  inner('hostname', filled, 'initialization', 'host_name'),
  inner('domain', filled, 'initialization', 'domain'),
  inner('timeZone', filled, 'initialization', 'timezone'),
  inner('authorizedKeys', filled, 'initialization', 'authorized_ssh_keys'),
  inner('regenerateKeys', bool, 'initialization', 'regenerate_ssh_keys'),
  inner('dnsSearch', filled, 'initialization', 'dns_search'),
  inner('dnsServers', filled, 'initialization', 'dns_servers'),
  inner('networks', networks, 'initialization', 'nic_configurations'),
  inner('winKey', unwritten, 'initialization', 'windows_license_key'),
  inner('customScript', filled, 'initialization', 'custom_script'),
];
