/** Configuration of VMs: validation, inheritance, defaults. */

import type { FaultKey } from '../../model/faults.ts';
import { isLimited, operatingSystem, systemNamed } from '../../model/operating-systems.ts';
import type { Resource } from '../../model/resource.ts';
import { defaultTimeZone, knowsTimeZone } from '../../model/time-zones.ts';
import { isRecord } from '../../records.ts';
import type { RuleContext } from '../core/context.ts';
import { Refusal } from '../core/fault.ts';
import { pickDefined } from '../core/member-selection.ts';
import type { StoredObject } from '../store/kinds.ts';
import { findClusterDataCenter, joinNames, listNics, mebibyte, type Vm } from './vm.ts';
import { type Base, chooseDisplay, isUefi, normalize, roundToMebibytes } from './vm-members.ts';

/** Ids of the networks in a cluster. */
export function listClusterNetworkIds(
  ctx: RuleContext,
  clusterId: string | undefined,
): Set<string> {
  const assigned = ctx.tx.list('cluster_network', {
    where: { collection: `/clusters/${clusterId}/networks` },
  });
  return new Set(assigned.map(({ id }) => id ?? ''));
}

/** Refuses a VM with plugged NICs in networks that a cluster lacks. */
export function requireNetworks(
  ctx: RuleContext,
  vm: Vm,
  clusterId: string | undefined,
  action: string,
): void {
  const present = listClusterNetworkIds(ctx, clusterId);
  const missing = listNics(ctx, vm).flatMap((nic) => {
    if (!nic.plugged || !nic.vnic_profile?.id) return [];
    const network = ctx.tx.get('vnic_profile', nic.vnic_profile.id)?.network?.id;
    return network && !present.has(network) ? [ctx.tx.get('network', network) ?? {}] : [];
  });
  if (missing.length === 0) return;
  const cluster = ctx.tx.get('cluster', clusterId ?? '')?.name;
  ctx.refuse('VM_NETWORK_NOT_IN_CLUSTER', { action, cluster, names: joinNames(missing) });
}

const tebibyte = 2 ** 40;

/** Refuses an invalid configuration. `action` appears in the message. */
export function checkConfiguration(ctx: RuleContext, vm: Base, action: string): void {
  checkProcessors(ctx, vm, action);
  checkMemory(ctx, vm, action);
  checkSystem(ctx, vm, action);
  requireRange(ctx, 'high_availability.priority', vm.high_availability?.priority, 0, 100, action);
  requireRange(ctx, 'io.threads', vm.io?.threads, 0, 127, action);
  requireRange(ctx, 'cpu_shares', vm.cpu_shares, 0, 262_144, action);
  requireRange(ctx, 'migration_downtime', vm.migration_downtime, -1, 2_147_483_647, action);
  checkDisplay(ctx, vm, action);
  checkPlacement(ctx, vm, action);
  if (vm.virtio_scsi_multi_queues && !vm.virtio_scsi_multi_queues_enabled) {
    const detail = 'virtio_scsi_multi_queues needs virtio_scsi_multi_queues_enabled.';
    throw new Refusal(400, 'Invalid Virtio-SCSI Multi-Queue values', detail);
  }
  if (vm.serial_number?.policy === 'custom' && !vm.serial_number.value) {
    ctx.refuse('VM_SERIAL_NUMBER_MISSING', { action });
  }
  if (vm.lease?.storage_domain?.id && !vm.high_availability?.enabled) {
    ctx.refuse('VM_LEASE_WITHOUT_HA', { action });
  }
  const cluster = vm.cluster?.id ? ctx.tx.get('cluster', vm.cluster.id) : undefined;
  const source = vm.rng_device?.source;
  if (source && !listUsableSources(cluster).includes(source)) {
    ctx.refuse('VM_RNG_SOURCE_UNSUPPORTED', { action, source });
  }
  const { major, minor } = vm.custom_compatibility_version ?? {};
  if (major !== undefined && !ctx.tx.get('cluster_level', `${major}.${minor}`)) {
    throw new Refusal(400, 'Invalid version', `Level ${major}.${minor} is not supported.`);
  }
}

/** Random sources that VMs of a cluster can have. */
export function listUsableSources(cluster: Resource<'cluster'> | undefined): readonly string[] {
  return ['urandom', 'random', ...(cluster?.required_rng_sources ?? [])];
}

function requireRange(
  ctx: RuleContext,
  attribute: string,
  value: number | bigint | undefined,
  min: number,
  max: number,
  action: string,
  fault: FaultKey = 'VALUE_OUT_OF_RANGE',
): void {
  if (value === undefined || (value >= min && value <= max)) return;
  ctx.refuse(fault, { action, type: 'VM', attribute, value, min, max });
}

function checkProcessors(ctx: RuleContext, vm: Base, action: string): void {
  const { sockets = 1, cores = 1, threads = 1 } = vm.cpu?.topology ?? {};
  const fault = 'VM_PROCESSORS_OUT_OF_RANGE';
  requireRange(ctx, 'cpu.topology.sockets', sockets, 1, 710, action, fault);
  requireRange(ctx, 'cpu.topology.cores', cores, 1, 254, action, fault);
  requireRange(ctx, 'cpu.topology.threads', threads, 1, 8, action, fault);
  requireRange(ctx, 'the number of CPUs', sockets * cores * threads, 1, 710, action, fault);
  const seen = new Set<number>();
  for (const { vcpu = 0, cpu_set: set = '' } of vm.cpu?.cpu_tune?.vcpu_pins ?? []) {
    if (!/^\^?\d+(-\d+)?(,\^?\d+(-\d+)?)*$/.test(set)) {
      ctx.refuse('VM_PINNING_INVALID', { action, what: `"${set}" is not a set of CPUs` });
    }
    if (vcpu >= sockets * cores * threads) {
      ctx.refuse('VM_PINNING_INVALID', { action, what: `virtual CPU ${vcpu} does not exist` });
    }
    if (seen.has(vcpu)) ctx.refuse('VM_PINNING_INVALID', { action, what: `${vcpu} appears twice` });
    seen.add(vcpu);
  }
  if (seen.size > 0 && (vm.placement_policy?.hosts ?? []).length === 0) {
    ctx.refuse('VM_PINNING_WITHOUT_HOST', { action });
  }
}

function checkMemory(ctx: RuleContext, vm: Base, action: string): void {
  const memory = vm.memory ?? 0;
  const { guaranteed = 0, max = memory } = vm.memory_policy ?? {};
  requireRange(ctx, 'memory', memory, mebibyte, 6 * tebibyte, action);
  requireRange(ctx, 'memory_policy.guaranteed', guaranteed, 0, 24 * tebibyte, action);
  if (guaranteed > memory) ctx.refuse('VM_MEMORY_BELOW_GUARANTEED', { action });
  if (max < memory) ctx.refuse('VM_MAX_MEMORY_TOO_SMALL', { action });
  if (vm.cpu?.architecture === 'ppc64' && Number(memory) % (256 * mebibyte) !== 0) {
    ctx.refuse('VM_MEMORY_NOT_IN_STEPS', { action, step: 256 });
  }
}

/** Replaces the former name of an operating system, and an unknown one if the dialect does so. */
export function resolveSystem(ctx: RuleContext, vm: Base): void {
  const word = vm.os?.type;
  if (word === undefined) return;
  const known = systemNamed(word) ?? (ctx.site.dialect.unknownSystemIsOther ? 'other' : word);
  vm.os = { ...vm.os, type: known };
}

/** Requires a known operating system for the architecture of the cluster. */
function checkSystem(ctx: RuleContext, vm: Base, action: string): void {
  const word = vm.os?.type;
  if (word === undefined) return;
  const system = ctx.tx.byName('operating_system_info', word);
  const architecture = vm.cpu?.architecture ?? 'undefined';
  const elsewhere =
    architecture !== 'undefined' && system !== undefined && system.architecture !== architecture;
  if (!system || elsewhere) ctx.refuse('VM_SYSTEM_UNSUPPORTED', { action, word, architecture });
  const zone = vm.time_zone?.name;
  if (zone && !knowsTimeZone(word, zone)) {
    ctx.refuse('VM_TIME_ZONE_UNSUPPORTED', { action, zone, word });
  }
  checkFirmware(ctx, vm, word, action);
}

/** Requires a chipset and trusted platform module that the operating system supports. */
function checkFirmware(ctx: RuleContext, vm: Base, word: string, action: string): void {
  const bios = vm.bios?.type;
  if (bios?.startsWith('q35') && isLimited(word, 'i440fx')) {
    ctx.refuse('VM_CHIPSET_UNSUPPORTED', { action, bios, word });
  }
  if (bios === 'q35_secure_boot' && isLimited(word, 'insecure')) {
    ctx.refuse('VM_CHIPSET_UNSUPPORTED', { action, bios, word });
  }
  const [, , , architecture, tpm] = operatingSystem(word) ?? [];
  const withoutUefi = architecture === 'x86_64' && !isUefi(vm);
  if (vm.tpm_enabled && (tpm === 'unsupported' || withoutUefi)) {
    ctx.refuse('VM_TPM_UNSUPPORTED', { action, word });
  }
}

function checkDisplay(ctx: RuleContext, vm: Base, action: string): void {
  const { type, video_type: video } = vm.display ?? {};
  const vga = isLimited(vm.os?.type, 'vga');
  const unfit =
    (type === 'spice' && video !== 'qxl') || (vga && (type === 'spice' || video !== 'vga'));
  if (type && video && (unfit || (video === 'bochs' && !isUefi(vm)))) {
    ctx.refuse('VM_DISPLAY_UNSUPPORTED', { action, type, video, word: vm.os?.type ?? 'other' });
  }
  const monitors = vm.display?.monitors ?? 1;
  if (![1, 2, 4].includes(monitors) || (vm.display?.type === 'vnc' && monitors !== 1)) {
    ctx.refuse('VM_MONITORS_ILLEGAL', { action, monitors });
  }
}

function checkPlacement(ctx: RuleContext, vm: Base, action: string): void {
  const { hosts = [] } = vm.placement_policy ?? {};
  for (const { id } of hosts) {
    const host = ctx.tx.get('host', id ?? '');
    if (host?.cluster?.id !== vm.cluster?.id) {
      ctx.refuse('VM_HOST_IN_OTHER_CLUSTER', { action, host: host?.name ?? id });
    }
  }
}

/** Requires that the data center of the cluster is up. */
export function requireDataCenter(ctx: RuleContext, vm: Base, action: string): void {
  const dataCenter = findClusterDataCenter(ctx, vm.cluster?.id);
  if (dataCenter?.status === 'up') return;
  ctx.refuse('DATA_CENTER_IS_NOT_UP', {
    action,
    type: 'VM',
    dataCenter: dataCenter?.name ?? '(none)',
    status: dataCenter?.status ?? 'missing',
  });
}

/** Whether a VM or template is sealed. No response shows this; templates can be searched by it. */
export function isSealed({ sealed }: { readonly sealed?: boolean }): boolean {
  return sealed === true;
}

/** Marks a VM or template as sealed. Refuses Windows systems, which seal themselves. */
export function seal(ctx: RuleContext, object: Pick<Vm, 'os' | 'sealed'>, action: string): void {
  if (object.os?.type?.startsWith('windows')) ctx.refuse('WINDOWS_CANNOT_BE_SEALED', { action });
  object.sealed = true;
}

/** A VM after a boot, which ends the sealed state. */
export function removeSeal(vm: Vm): Vm {
  const { sealed: _sealed, ...rest } = vm;
  return rest;
}

/** Hardware attributes, which an instance type also has. */
const hardware = [
  'memory',
  'memory_policy',
  'cpu',
  'cpu_shares',
  'display',
  'high_availability',
  'io',
  'migration',
  'migration_downtime',
  'usb',
  'virtio_scsi',
  'soundcard_enabled',
  'console',
  'rng_device',
  'custom_cpu_model',
  'custom_emulated_machine',
  'storage_error_resume_behaviour',
] as const;

/** Attributes that a VM inherits if the request omits them. */
export const configuration = [
  ...hardware,
  'description',
  'comment',
  'os',
  'type',
  'bios',
  'stateless',
  'delete_protected',
  'start_paused',
  'tpm_enabled',
  'sso',
  'serial_number',
  'custom_properties',
  'time_zone',
  'small_icon',
  'large_icon',
  'initialization',
  'multi_queues_enabled',
  'virtio_scsi_multi_queues',
  'virtio_scsi_multi_queues_enabled',
  'cpu_pinning_policy',
  'placement_policy',
  'custom_compatibility_version',
  'tunnel_migration',
] as const;

/** Attributes inherited from a template. Its description and comment are not inherited. */
const fromTemplate = configuration.filter((name) => name !== 'description' && name !== 'comment');

/** Copies omitted attributes from a source, and completes nested objects. */
export function inherit(vm: Base, source: StoredObject, names: readonly string[]): void {
  const target: StoredObject = vm;
  for (const name of names) {
    const value = source[name];
    if (value === undefined) continue;
    target[name] =
      target[name] === undefined ? structuredClone(value) : joined(value, target[name]);
  }
}

function joined(below: unknown, above: unknown): unknown {
  if (!isRecord(below) || !isRecord(above) || 'id' in above) return above;
  const result: StoredObject = structuredClone(below);
  for (const [name, value] of Object.entries(above)) result[name] = joined(below[name], value);
  return result;
}

/** An instance type has no operating system: its console determines the video device. */
function withFittingVideo(instance: Resource<'instance_type'>): StoredObject {
  const { display } = instance;
  return display?.type === 'spice'
    ? { ...instance, display: { ...display, video_type: 'qxl' } }
    : { ...instance };
}

/** Copies omitted attributes from the instance type, and then from the template, snapshot or VM. */
export function inheritConfiguration(ctx: RuleContext, vm: Vm, source: StoredObject): void {
  const instance = vm.instance_type?.id ? ctx.tx.get('instance_type', vm.instance_type.id) : null;
  if (instance) inherit(vm, withFittingVideo(instance), hardware);
  // Guaranteed and maximum memory follow the memory size, unless both come from the same source.
  const ownMemory = vm.memory !== undefined;
  inherit(
    vm,
    source,
    fromTemplate.filter((name) => !(ownMemory && name === 'memory_policy')),
  );
}

/** Fills in the default values that responses show. */
export function fillConfiguration(
  ctx: RuleContext,
  vm: Base,
  cluster: Resource<'cluster'> | undefined,
  sent: Vm,
): void {
  resolveSystem(ctx, vm);
  normalize(vm);
  const architecture = cluster?.cpu?.architecture ?? 'undefined';
  const { topology, ...cpu } = vm.cpu ?? {};
  vm.cpu = { ...cpu, architecture, topology: { cores: 1, sockets: 1, threads: 1, ...topology } };
  vm.os = { type: otherSystem(architecture), ...vm.os, boot: { devices: ['hd'], ...vm.os?.boot } };
  if (vm.os.type === 'other') vm.os.type = otherSystem(architecture);
  const bios = cluster?.bios_type ?? 'q35_sea_bios';
  vm.bios = { boot_menu: { enabled: false }, type: bios, ...vm.bios };
  vm.type ??= 'server';
  vm.origin ??= ctx.site.dialect.vmOrigin;
  vm.high_availability = { enabled: false, priority: 0, ...vm.high_availability };
  vm.display = {
    type: 'vnc',
    monitors: 1,
    smartcard_enabled: false,
    allow_override: false,
    disconnect_action: 'LOCK_SCREEN',
    disconnect_action_delay: 0,
    file_transfer_enabled: true,
    copy_paste_enabled: true,
    video_type: 'vga',
    ...vm.display,
  };
  chooseDisplay(vm, sent.display, ctx.site.dialect.engineAnswers);
  vm.sso ??= { methods: [{ id: 'guest_agent' }] };
  vm.console ??= { enabled: false };
  vm.usb = { enabled: false, ...vm.usb };
  vm.io = { threads: 1, ...vm.io };
  vm.migration = {
    auto_converge: 'inherit',
    compressed: 'inherit',
    encrypted: 'inherit',
    parallel_migrations_policy: 'inherit',
    ...vm.migration,
  };
  vm.placement_policy = { affinity: 'migratable', ...vm.placement_policy };
  if (!vm.time_zone?.name) vm.time_zone = { name: defaultTimeZone(vm.os.type) };
  vm.virtio_scsi ??= { enabled: true };
  vm.soundcard_enabled ??= !/^(?:ppc64|s390x)$/.test(architecture);
  vm.rng_device ??= { source: 'urandom' };
  vm.memory ??= 1024 * mebibyte;
  fitMemoryPolicy(vm, sent, cluster);
}

/** Completes an instance type with the default members of VMs of any system. */
export function fillInstanceType(ctx: RuleContext, type: Base): void {
  type.memory ??= 0;
  if (type.display?.type) type.display.video_type ??= 'qxl';
  type.soundcard_enabled ??= false;
  fillConfiguration(ctx, type, undefined, pickDefined({ memory_policy: type.memory_policy }));
  const { topology } = type.cpu ?? {};
  type.cpu = topology ? { topology } : {};
  type.os = { boot: type.os?.boot ?? {} };
}

function otherSystem(architecture: string): string {
  return architecture === 'ppc64' || architecture === 's390x' ? `other_${architecture}` : 'other';
}

/** Guaranteed and maximum memory follow the memory size unless they are sent. */
export function fitMemoryPolicy(
  vm: Base,
  sent: Pick<Vm, 'memory_policy'>,
  cluster: Resource<'cluster'> | undefined,
): void {
  const policy = sent.memory_policy ?? {};
  const memory = BigInt(vm.memory ?? 0);
  const percent = BigInt(cluster?.memory_policy?.over_commit?.percent ?? 100);
  const guaranteed = (memory * 100n) / (percent > 0n ? percent : 100n);
  vm.memory_policy = {
    ballooning: true,
    ...vm.memory_policy,
    guaranteed: roundToMebibytes(policy.guaranteed ?? Number(guaranteed)),
    max: roundToMebibytes(policy.max ?? Number(memory * 4n)),
  };
}
