/** What no virtual machine can be: numbers out of range, parts that do not go together. */
import type { FaultKey } from '../../../model/faults.ts';
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import { dataCenterOfCluster, mebibyte } from './vm.ts';

/** What machines and templates have in common. */
export type Base = Resource<'vm_base'>;

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
  if (vm.virtio_scsi_multi_queues !== undefined && !vm.virtio_scsi_multi_queues_enabled) {
    ctx.refuse('VM_QUEUES_NOT_ENABLED', { action });
  }
  if (vm.lease?.storage_domain?.id && !vm.high_availability?.enabled) {
    ctx.refuse('VM_LEASE_WITHOUT_HA', { action });
  }
  const cluster = vm.cluster?.id ? ctx.tx.get('cluster', vm.cluster.id) : undefined;
  const source = vm.rng_device?.source;
  const sources = ['urandom', 'random', ...(cluster?.required_rng_sources ?? [])];
  if (source && !sources.includes(source)) {
    ctx.refuse('VM_RNG_SOURCE_UNSUPPORTED', { action, source });
  }
  const level = vm.custom_compatibility_version;
  if (level?.major !== undefined && !ctx.tx.get('cluster_level', `${level.major}.${level.minor}`)) {
    ctx.refuse('VM_LEVEL_UNSUPPORTED', { action, level: `${level.major}.${level.minor}` });
  }
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
  inRange(ctx, 'the number of processors', sockets * cores * threads, 1, 710, action, fault);
  const seen = new Set<number>();
  for (const { vcpu = 0, cpu_set: set = '' } of vm.cpu?.cpu_tune?.vcpu_pins ?? []) {
    if (!/^\^?\d+(-\d+)?(,\^?\d+(-\d+)?)*$/.test(set)) {
      ctx.refuse('VM_PINNING_INVALID', { action, what: `"${set}" is not a set of processors` });
    }
    if (vcpu >= sockets * cores * threads) {
      ctx.refuse('VM_PINNING_INVALID', { action, what: `there is no virtual processor ${vcpu}` });
    }
    if (seen.has(vcpu))
      ctx.refuse('VM_PINNING_INVALID', { action, what: `${vcpu} is there twice` });
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
  const windows = word.startsWith('windows');
  if (zone && zone !== 'Etc/GMT' && windows === /^[A-Z]\w+\/\w+/.test(zone)) {
    ctx.refuse('VM_TIME_ZONE_UNSUPPORTED', { action, zone, word });
  }
}

function checkDisplay(ctx: RuleContext, vm: Base, action: string): void {
  const monitors = vm.display?.monitors ?? 1;
  if (![1, 2, 4].includes(monitors) || (vm.display?.type === 'vnc' && monitors !== 1)) {
    ctx.refuse('VM_MONITORS_ILLEGAL', { action, monitors });
  }
}

function checkPlacement(ctx: RuleContext, vm: Base, action: string): void {
  const { affinity, hosts = [] } = vm.placement_policy ?? {};
  for (const { id } of hosts) {
    const host = ctx.tx.get('host', id ?? '');
    if (host?.cluster?.id !== vm.cluster?.id) {
      ctx.refuse('VM_HOST_IN_OTHER_CLUSTER', { action, host: host?.name ?? id });
    }
  }
  if (affinity === 'pinned' && vm.high_availability?.enabled && hosts.length === 1) {
    ctx.refuse('VM_AVAILABLE_AND_PINNED', { action });
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
