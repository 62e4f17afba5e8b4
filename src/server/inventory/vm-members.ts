/** Normal form of VMs, templates and instance types, and members that responses derive. */
import type { Resource } from '../../model/resource.ts';
import { getShownIcons } from '../core/icons.ts';
import { pickDefined } from '../core/member-selection.ts';
import type { StoredObject } from '../store/kinds.ts';
import { isRunning, mebibyte, type Vm } from './vm.ts';

/** Common members of VMs and templates. */
export type Base = Resource<'vm_base'>;

/** A size in whole MiB, rounded down. */
export function roundToMebibytes(size: number | bigint): number | bigint {
  return typeof size === 'bigint' ? size - (size % BigInt(mebibyte)) : size - (size % mebibyte);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === '') return true;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** Attributes that an empty value clears. Responses omit them then. */
const clearable = [
  'custom_emulated_machine',
  'custom_cpu_model',
  'custom_properties',
  'initialization',
  'payloads',
  'domain',
] as const;

/**
 * Changes a VM to the form that engines store: sizes in whole MiB, without empty values, and without members of
 * processors and displays that only hosts have.
 */
export function normalize(base: Base): void {
  const vm: Vm = base;
  if (vm.memory !== undefined) vm.memory = roundToMebibytes(vm.memory);
  if (vm.memory_policy) {
    const { guaranteed, max, over_commit: _over, ...policy } = vm.memory_policy;
    vm.memory_policy = {
      ...policy,
      ...(guaranteed === undefined ? {} : { guaranteed: roundToMebibytes(guaranteed) }),
      ...(max === undefined ? {} : { max: roundToMebibytes(max) }),
    };
  }
  joinDomain(vm);
  normalizeProcessor(vm);
  normalizePinning(vm);
  enableQueues(vm, vm);
  const devices = vm.os?.boot?.devices;
  if (devices) vm.os = { ...vm.os, boot: { ...vm.os?.boot, devices: [...new Set(devices)] } };
  if (vm.payloads) vm.payloads = firstOfTypes(vm.payloads);
  normalizeDisplay(vm);
  const properties = vm.custom_properties?.filter(({ name, value }) => name && value);
  if (properties) vm.custom_properties = properties;
  for (const name of clearable) if (isEmpty(vm[name])) delete vm[name];
  normalizeSerialNumber(vm);
  if (vm.usb?.enabled !== undefined) normalizeUsb(vm);
  if (!vm.quota?.id) delete vm.quota;
  const { major, minor } = vm.custom_compatibility_version ?? {};
  if (major === undefined || minor === undefined || major < 0) {
    delete vm.custom_compatibility_version;
  }
  if (vm.migration && !vm.migration.policy?.id) delete vm.migration.policy;
  if (vm.placement_policy && isEmpty(vm.placement_policy.hosts)) delete vm.placement_policy.hosts;
}

/** A number of queues in a request enables them, unless the request disables them. */
export function enableQueues(vm: Vm, sent: Vm): void {
  const isNumber = sent.virtio_scsi_multi_queues && !sent.virtio_scsi_multi_queues_enabled;
  if (isNumber && sent.virtio_scsi_multi_queues_enabled === undefined) {
    vm.virtio_scsi_multi_queues_enabled = true;
  }
}

/** A VM has one payload of each type. */
function firstOfTypes<T extends { readonly type?: string }>(payloads: readonly T[]): T[] {
  const types = payloads.map(({ type }) => type);
  return payloads.filter(({ type }, index) => types.indexOf(type) === index);
}

/** `domain` is the older name of `initialization.domain`. */
function joinDomain(vm: Vm): void {
  const name = vm.domain?.name;
  delete vm.domain;
  if (name && !vm.initialization?.domain) {
    vm.initialization = { ...vm.initialization, domain: name };
  }
}

/** The policy is `manual` if and only if the VM has pins. */
function normalizePinning(vm: Vm): void {
  const { cpu_pinning_policy: policy = 'none' } = vm;
  const isPinned = !isEmpty(vm.cpu?.cpu_tune?.vcpu_pins);
  if (isPinned && policy === 'none') vm.cpu_pinning_policy = 'manual';
  if (!isPinned && policy === 'manual') vm.cpu_pinning_policy = 'none';
}

/** Stores the members that a VM has. `host_passthrough` is the only mode. */
function normalizeProcessor(vm: Vm): void {
  if (!vm.cpu) return;
  const { architecture, topology, cpu_tune: tune, mode } = vm.cpu;
  vm.cpu = pickDefined({
    architecture,
    topology,
    ...(isEmpty(tune?.vcpu_pins) ? {} : { cpu_tune: tune }),
    ...(mode === 'host_passthrough' ? { mode } : {}),
  });
}

/** Without a policy, a VM uses that of its cluster. Only the policy `custom` has a value. */
function normalizeSerialNumber(vm: Vm): void {
  const { policy, value } = vm.serial_number ?? {};
  if (!policy || policy === 'none') delete vm.serial_number;
  else vm.serial_number = policy === 'custom' ? pickDefined({ policy, value }) : { policy };
}

/** The only type of USB is `native`. */
function normalizeUsb(vm: Vm): void {
  vm.usb = vm.usb?.enabled ? { enabled: true, type: 'native' } : { enabled: false };
}

function normalizeDisplay(vm: Vm): void {
  if (!vm.display) return;
  const { single_qxl_pci: _single, keyboard_layout: layout, ...display } = vm.display;
  const action = display.disconnect_action?.toUpperCase();
  vm.display = {
    ...display,
    ...pickDefined({ disconnect_action: action }),
    ...(layout ? { keyboard_layout: layout } : {}),
  };
}

type Display = NonNullable<Base['display']>;

/** Whether the firmware is UEFI, which uses another video device than a BIOS. */
export function isUefi({ bios }: Base): boolean {
  return bios?.type === 'q35_ovmf' || bios?.type === 'q35_secure_boot';
}

/** The protocol of a display in a request: that of its video device, or its type. */
function readProtocol({ type, video_type: video }: Display): Display['type'] {
  if (video === undefined) return type;
  return video === 'qxl' ? 'spice' : 'vnc';
}

/** Sets the display of a new VM. Engines ignore the video device of the request, and choose one themselves. */
export function chooseDisplay(vm: Base, sent: Display = {}, asEngine = false): void {
  const type = readProtocol(sent);
  if (!type) return;
  const fitting = isUefi(vm) ? 'bochs' : 'vga';
  const video = asEngine ? fitting : (sent.video_type ?? fitting);
  vm.display = { ...vm.display, type, video_type: type === 'spice' ? 'qxl' : video };
}

/** Changes the display of a VM. The video device is kept if it supports the protocol. */
export function changeDisplay(vm: Base, sent: Display = {}): void {
  const type = readProtocol(sent);
  if (!type || !vm.display) return;
  vm.display.type = type;
  if (type === 'spice') vm.display.video_type = 'qxl';
}

/** The initialization in a response: engines always include SSH key regeneration and the list of NICs. */
export function showInitialization(
  initialization: Vm['initialization'],
): Vm['initialization'] | undefined {
  if (isEmpty(initialization)) return undefined;
  const { nic_configurations: nics = [], ...rest } = initialization ?? {};
  const shown = nics.map((nic) => ({
    ip: {},
    ipv6: {},
    ipv6_boot_protocol: 'none' as const,
    ...nic,
  }));
  return { regenerate_ssh_keys: false, ...rest, nic_configurations: shown };
}

/**
 * Computed members of a VM: icons and run state. The default icons are those of the operating system. The
 * stop time of a VM that never ran is its creation time.
 */
export function showComputed(vm: Vm): StoredObject {
  const { stop_time, creation_time, initialization } = vm;
  return {
    ...getShownIcons(vm),
    stop_time: stop_time ?? creation_time,
    run_once: isRunning(vm) ? vm.run_once === true : undefined,
    numa_tune_mode: vm.has_numa_nodes ? (vm.numa_tune_mode ?? 'interleave') : undefined,
    // Engines show it for stateless VMs only, which can change their template at a start.
    use_latest_template_version: vm.stateless ? vm.use_latest_template_version === true : undefined,
    domain: initialization?.domain ? { name: initialization.domain } : undefined,
    initialization: showInitialization(initialization),
  };
}
