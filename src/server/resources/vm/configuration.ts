/** What a virtual machine is like: what it takes from a template, what the service fills in. */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import type { StoredObject } from '../../store/document.ts';
import type { Base } from './checks.ts';
import { mebibyte, type Vm } from './vm.ts';

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
  const target = vm as StoredObject;
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

/** Takes over from the instance type, then from the template, snapshot or machine it is made from. */
export function inheritConfiguration(ctx: RuleContext, vm: Vm, source: StoredObject): void {
  const instance = vm.instance_type?.id ? ctx.tx.get('instance_type', vm.instance_type.id) : null;
  if (instance) inherit(vm, instance as StoredObject, hardware);
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
  sent: StoredObject,
): void {
  const architecture = cluster?.cpu?.architecture ?? 'undefined';
  const { topology, ...cpu } = vm.cpu ?? {};
  vm.cpu = { ...cpu, architecture, topology: { cores: 1, sockets: 1, threads: 1, ...topology } };
  vm.os = { type: otherSystem(architecture), ...vm.os, boot: { devices: ['hd'], ...vm.os?.boot } };
  if (vm.os.type === 'other') vm.os.type = otherSystem(architecture);
  const bios = cluster?.bios_type ?? 'q35_sea_bios';
  vm.bios = { boot_menu: { enabled: false }, type: bios, ...vm.bios };
  vm.type ??= 'desktop';
  vm.origin ??= ctx.site.dialect.name === 'ovirt' ? 'ovirt' : ctx.site.dialect.origin;
  vm.high_availability = { enabled: false, priority: 0, ...vm.high_availability };
  vm.display = {
    type: 'vnc',
    monitors: 1,
    smartcard_enabled: false,
    allow_override: false,
    disconnect_action: 'LOCK_SCREEN',
    file_transfer_enabled: true,
    copy_paste_enabled: true,
    single_qxl_pci: false,
    ...vm.display,
  };
  vm.sso ??= { methods: [{ id: 'guest_agent' }] };
  vm.console ??= { enabled: false };
  vm.usb = { enabled: false, ...vm.usb };
  vm.io = { threads: 1, ...vm.io };
  vm.migration = {
    auto_converge: 'inherit',
    compressed: 'inherit',
    encrypted: 'inherit',
    ...vm.migration,
  };
  vm.placement_policy = { affinity: 'migratable', ...vm.placement_policy };
  vm.time_zone ??= { name: 'Etc/GMT' };
  vm.virtio_scsi ??= { enabled: true };
  vm.soundcard_enabled ??= !/^(?:ppc64|s390x)$/.test(architecture);
  vm.rng_device ??= { source: 'urandom' };
  vm.memory ||= 1024 * mebibyte;
  fitMemoryPolicy(vm, sent, cluster);
}

function otherSystem(architecture: string): string {
  return architecture === 'ppc64' || architecture === 's390x' ? `other_${architecture}` : 'other';
}

/** Guaranteed and maximal memory follow the memory unless they are sent. */
export function fitMemoryPolicy(
  vm: Base,
  sent: StoredObject,
  cluster: Resource<'cluster'> | undefined,
): void {
  const policy = (sent['memory_policy'] ?? {}) as NonNullable<Vm['memory_policy']>;
  const memory = BigInt(vm.memory ?? 0);
  const percent = BigInt(cluster?.memory_policy?.over_commit?.percent ?? 100);
  const guaranteed = (memory * 100n) / (percent > 0n ? percent : 100n);
  const whole = (guaranteed / BigInt(mebibyte)) * BigInt(mebibyte);
  vm.memory_policy = {
    ballooning: true,
    ...vm.memory_policy,
    guaranteed: policy.guaranteed ?? Number(whole),
    max: policy.max ?? Number(memory * 4n),
  };
}
