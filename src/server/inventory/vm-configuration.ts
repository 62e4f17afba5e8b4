/** Configuration of virtual machines: checks, values from templates, defaults. */

import type { FaultKey } from '../../model/faults.ts';
import { isLimited, operatingSystem, systemNamed } from '../../model/operating-systems.ts';
import type { Resource } from '../../model/resource.ts';
import { defaultTimeZone, knowsTimeZone } from '../../model/time-zones.ts';
import type { RuleContext } from '../core/context.ts';
import { Refusal } from '../core/fault.ts';
import { definedMembers } from '../core/member-selection.ts';
import type { StoredObject } from '../store/kinds.ts';
import { dataCenterOfCluster, mebibyte, namesOf, nicsOf, type Vm } from './vm.ts';
import { type Base, chooseDisplay, isUefi, normalize, wholeMebibytes } from './vm-members.ts';

/** Ids of the networks that are in a cluster. */
export function networksInCluster(ctx: RuleContext, clusterId: string | undefined): Set<string> {
  const assigned = ctx.tx.list('cluster_network', {
    where: { collection: `/clusters/${clusterId}/networks` },
  });
  return new Set(assigned.map(({ id }) => id ?? ''));
}

/** Refuses a machine with plugged interfaces in networks that a cluster does not have. */
export function requireNetworks(
  ctx: RuleContext,
  vm: Vm,
  clusterId: string | undefined,
  action: string,
): void {
  const present = networksInCluster(ctx, clusterId);
  const missing = nicsOf(ctx, vm).flatMap((nic) => {
    if (!nic.plugged || !nic.vnic_profile?.id) return [];
    const network = ctx.tx.get('vnic_profile', nic.vnic_profile.id)?.network?.id;
    return network && !present.has(network) ? [ctx.tx.get('network', network) ?? {}] : [];
  });
  if (missing.length === 0) return;
  const cluster = ctx.tx.get('cluster', clusterId ?? '')?.name;
  ctx.refuse('VM_NETWORK_NOT_IN_CLUSTER', { action, cluster, names: namesOf(missing) });
}

const tebibyte = 2 ** 40;

/** Refuses a configuration, in the words of the action. */
export function checkConfiguration(ctx: RuleContext, vm: Base, action: string): void {
  checkProcessors(ctx, vm, action);
  checkMemory(ctx, vm, action);
  checkSystem(ctx, vm, action);
  inRange(ctx, 'high_availability.priority', vm.high_availability?.priority, 0, 100, action);
  inRange(ctx, 'io.threads', vm.io?.threads, 0, 127, action);
  inRange(ctx, 'cpu_shares', vm.cpu_shares, 0, 262_144, action);
  inRange(ctx, 'migration_downtime', vm.migration_downtime, -1, 2_147_483_647, action);
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
  if (source && !usableSources(cluster).includes(source)) {
    ctx.refuse('VM_RNG_SOURCE_UNSUPPORTED', { action, source });
  }
  const { major, minor } = vm.custom_compatibility_version ?? {};
  if (major !== undefined && !ctx.tx.get('cluster_level', `${major}.${minor}`)) {
    throw new Refusal(400, 'Invalid version', `Level ${major}.${minor} is not supported.`);
  }
}

/** Sources of random numbers that VMs of a cluster can have. */
export function usableSources(cluster: Resource<'cluster'> | undefined): readonly string[] {
  return ['urandom', 'random', ...(cluster?.required_rng_sources ?? [])];
}

function inRange(
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
  inRange(ctx, 'cpu.topology.sockets', sockets, 1, 710, action, fault);
  inRange(ctx, 'cpu.topology.cores', cores, 1, 254, action, fault);
  inRange(ctx, 'cpu.topology.threads', threads, 1, 8, action, fault);
  inRange(ctx, 'the number of CPUs', sockets * cores * threads, 1, 710, action, fault);
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
  inRange(ctx, 'memory', memory, mebibyte, 6 * tebibyte, action);
  inRange(ctx, 'memory_policy.guaranteed', guaranteed, 0, 24 * tebibyte, action);
  if (guaranteed > memory) ctx.refuse('VM_MEMORY_BELOW_GUARANTEED', { action });
  if (max < memory) ctx.refuse('VM_MAX_MEMORY_TOO_SMALL', { action });
  if (vm.cpu?.architecture === 'ppc64' && Number(memory) % (256 * mebibyte) !== 0) {
    ctx.refuse('VM_MEMORY_NOT_IN_STEPS', { action, step: 256 });
  }
}

/** Replaces the former name of an operating system, and one that is not known where the dialect does. */
export function resolveSystem(ctx: RuleContext, vm: Base): void {
  const word = vm.os?.type;
  if (word === undefined) return;
  const known = systemNamed(word) ?? (ctx.site.dialect.unknownSystemIsOther ? 'other' : word);
  vm.os = { ...vm.os, type: known };
}

/** An operating system is known, and made for the processors of the cluster. */
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

/** The chipset and the trusted platform module fit the operating system. */
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

/** The data center of the cluster must be up, whatever the machine is made from. */
export function requireDataCenter(ctx: RuleContext, vm: Base, action: string): void {
  const dataCenter = dataCenterOfCluster(ctx, vm.cluster?.id);
  if (dataCenter?.status === 'up') return;
  ctx.refuse('DATA_CENTER_IS_NOT_UP', {
    action,
    type: 'VM',
    dataCenter: dataCenter?.name ?? '(none)',
    status: dataCenter?.status ?? 'missing',
  });
}

/** No attribute shows it; templates can be searched by it. */
export function isSealed({ sealed }: { readonly sealed?: boolean }): boolean {
  return sealed === true;
}

/** Notes that a machine or template is sealed. Refuses what runs Windows: that seals itself. */
export function seal(ctx: RuleContext, object: Pick<Vm, 'os' | 'sealed'>, action: string): void {
  if (object.os?.type?.startsWith('windows')) ctx.refuse('WINDOWS_CANNOT_BE_SEALED', { action });
  object.sealed = true;
}

/** A guest that boots makes itself different from all others. */
export function unsealed(vm: Vm): Vm {
  const { sealed: _sealed, ...rest } = vm;
  return rest;
}

/** Attributes of the hardware, which an instance type says, too. */
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

/** Attributes that a virtual machine takes over when they are not sent. */
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

/** What is taken from the thing that a machine is made from: its text belongs to the template. */
const fromTemplate = configuration.filter((name) => name !== 'description' && name !== 'comment');

/** Takes over what is not sent; what is sent in part is completed part by part. */
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
  if (!isPlain(below) || !isPlain(above) || 'id' in above) return above;
  const result: StoredObject = structuredClone(below);
  for (const [name, value] of Object.entries(above)) result[name] = joined(below[name], value);
  return result;
}

function isPlain(value: unknown): value is StoredObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An instance type is of no operating system: its video device is the one that fits its console. */
function withFittingVideo(instance: Resource<'instance_type'>): StoredObject {
  const { display } = instance;
  return display?.type === 'spice'
    ? { ...instance, display: { ...display, video_type: 'qxl' } }
    : { ...instance };
}

/** Takes over from the instance type, then from the template, snapshot or machine it is made from. */
export function inheritConfiguration(ctx: RuleContext, vm: Vm, source: StoredObject): void {
  const instance = vm.instance_type?.id ? ctx.tx.get('instance_type', vm.instance_type.id) : null;
  if (instance) inherit(vm, withFittingVideo(instance), hardware);
  // Guaranteed and maximal memory follow the memory, unless both come from the same place.
  const ownMemory = vm.memory !== undefined;
  inherit(
    vm,
    source,
    fromTemplate.filter((name) => !(ownMemory && name === 'memory_policy')),
  );
}

/** What the service fills in, so that clients find what they compare with. */
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

/** Completes an instance type; of the system it has what every machine has, whatever runs on it. */
export function fillInstanceType(ctx: RuleContext, type: Base): void {
  type.memory ??= 0;
  if (type.display?.type) type.display.video_type ??= 'qxl';
  type.soundcard_enabled ??= false;
  fillConfiguration(ctx, type, undefined, definedMembers({ memory_policy: type.memory_policy }));
  const { topology } = type.cpu ?? {};
  type.cpu = topology ? { topology } : {};
  type.os = { boot: type.os?.boot ?? {} };
}

function otherSystem(architecture: string): string {
  return architecture === 'ppc64' || architecture === 's390x' ? `other_${architecture}` : 'other';
}

/** Guaranteed and maximal memory follow the memory unless they are sent. */
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
    guaranteed: wholeMebibytes(policy.guaranteed ?? Number(guaranteed)),
    max: wholeMebibytes(policy.max ?? Number(memory * 4n)),
  };
}
