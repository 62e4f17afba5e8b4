/** Scheduling of VMs on hosts: filters and weights of the scheduling policy. */
import type { Resource } from '../../model/resource.ts';
import type { RuleContext } from '../core/context.ts';
import type { ObjectOf } from '../store/transaction.ts';
import { findPlacement, findViolations, listAffinitySets } from './affinity.ts';
import { chargeCluster } from './quota.ts';

type Vm = ObjectOf<'vm'>;
type Host = ObjectOf<'host'>;
type Cluster = Resource<'cluster'>;

/** Memory reserved for the host system, in bytes. */
const reservedMemory = 512 * 2 ** 20;

/** A host and its free resources. */
interface Candidate {
  readonly host: Host;
  /** Unallocated bytes, including the overcommitment of the cluster. */
  readonly freeMemory: bigint;
  /** Virtual processors in relation to host processors: 1 is full allocation. */
  readonly load: number;
  readonly vms: number;
}

/** Total resources that the VMs of a host use. */
interface Usage {
  readonly memory: number;
  readonly processors: number;
  readonly vms: number;
}

const unused: Usage = { memory: 0, processors: 0, vms: 0 };
const topology = ['cpu_topology_sockets', 'cpu_topology_cores', 'cpu_topology_threads'];

/** Used resources of each host, without a VM that leaves it. */
function measureUsage(ctx: RuleContext, hosts: readonly Host[], leaving: Vm): Map<string, Usage> {
  const ids = hosts.map(({ id }) => id ?? '');
  const taken = new Map<string, Usage>();
  for (const [host, { count, sums }] of ctx.tx.totals('vm', 'host_id', ids, ['memory', topology])) {
    const [memory = 0, processors = 0] = sums;
    taken.set(host, { memory, processors, vms: count });
  }
  const left = ctx.tx.get('vm', leaving.id ?? '')?.host?.id ?? '';
  const before = taken.get(left);
  if (before) {
    taken.set(left, {
      memory: before.memory - Number(leaving.memory ?? 0),
      processors: before.processors - countVmProcessors(leaving),
      vms: before.vms - 1,
    });
  }
  return taken;
}

/** Free resources of a host. */
function createCandidate(host: Host, cluster: Cluster | undefined, usage: Usage): Candidate {
  const percent = BigInt(cluster?.memory_policy?.over_commit?.percent ?? 100);
  const memory = ((BigInt(host.memory ?? 0) - BigInt(reservedMemory)) * percent) / 100n;
  return {
    host,
    freeMemory: memory - BigInt(usage.memory),
    load: usage.processors / Math.max(1, countCores(host, cluster)),
    vms: usage.vms,
  };
}

/** Virtual processors of a VM. */
export function countVmProcessors(vm: Vm): number {
  const { sockets = 1, cores = 1, threads = 1 } = vm.cpu?.topology ?? {};
  return sockets * cores * threads;
}

function countCores(host: Host, cluster: Cluster | undefined): number {
  const { sockets = 1, cores = 1, threads = 1 } = host.cpu?.topology ?? {};
  return sockets * cores * (cluster?.threads_as_cores ? threads : 1);
}

/**
 * Reason why a host cannot run a VM with these devices, apart from affinity; undefined if it can.
 */
function findObstacle(
  vm: Vm,
  devices: readonly Resource<'host_device'>[],
  { host, freeMemory }: Candidate,
  cluster: Cluster | undefined,
): string | undefined {
  const wanted = vm.placement_policy?.hosts ?? [];
  const pinned = vm.placement_policy?.affinity === 'pinned';
  if (pinned && wanted.length > 0 && !wanted.some(({ id }) => id === host.id)) {
    return 'the VM is pinned to another host';
  }
  const cores = countCores(host, cluster);
  if (countVmProcessors(vm) > cores) {
    return `not enough CPUs (${cores} available, ${countVmProcessors(vm)} needed)`;
  }
  if (BigInt(vm.memory ?? 0) > freeMemory) {
    return `not enough memory (${freeMemory} bytes free, ${vm.memory} needed)`;
  }
  const foreign = devices.find((device) => device.host?.id !== host.id);
  return foreign ? `it lacks the host device ${foreign.name}` : undefined;
}

function listDevices(ctx: RuleContext, vm: Vm): Resource<'host_device'>[] {
  return ctx.tx.list('host_device', { where: { collection: `/vms/${vm.id}/hostdevices` } });
}

/** A suitable host, and the number of soft rules that the VM would violate on it. */
interface Choice extends Candidate {
  readonly softViolations: number;
}

interface Weight {
  readonly name: string;
  readonly factor: number;
}

/** Measure of each policy unit: lower is better. */
const measures: Readonly<Record<string, (choice: Choice, vm: Vm) => number>> = {
  OptimalForCpuEvenDistribution: ({ load }) => load,
  OptimalForMemoryEvenDistribution: ({ freeMemory }) => -Number(freeMemory),
  OptimalForCpuPowerSaving: ({ load }) => -load,
  OptimalForMemoryPowerSaving: ({ freeMemory }) => Number(freeMemory),
  OptimalForEvenGuestDistribution: ({ vms }) => vms,
  PreferredHosts: ({ host }, vm) => {
    const preferred = vm.placement_policy?.hosts ?? [];
    return preferred.length === 0 || preferred.some(({ id }) => id === host.id) ? 0 : 1;
  },
  VmAffinityGroups: ({ softViolations }) => softViolations,
  VmToHostsAffinityGroups: ({ softViolations }) => softViolations,
};

/** The best host: each unit ranks the hosts, and its factor weights the ranks. */
function pickBest(ctx: RuleContext, vm: Vm, policyId: string, choices: readonly Choice[]): Choice {
  const ranks = new Map(choices.map((choice) => [choice, 0]));
  for (const { name, factor } of listWeights(ctx, policyId)) {
    const measure = measures[name];
    if (!measure) continue;
    const values = [...new Set(choices.map((choice) => measure(choice, vm)))].sort((a, b) => a - b);
    for (const choice of choices) {
      const rank = values.indexOf(measure(choice, vm));
      ranks.set(choice, (ranks.get(choice) ?? 0) + factor * rank);
    }
  }
  const [first, ...others] = choices;
  if (!first) throw new Error('No host is available.');
  return others.reduce(
    (chosen, choice) => ((ranks.get(choice) ?? 0) < (ranks.get(chosen) ?? 0) ? choice : chosen),
    first,
  );
}

function listWeights(ctx: RuleContext, policyId: string): Weight[] {
  const weights = ctx.tx.list('weight', {
    where: { collection: `/schedulingpolicies/${policyId}/weights` },
  });
  return weights.map((weight) => ({
    name: ctx.tx.get('scheduling_policy_unit', weight.scheduling_policy_unit?.id ?? '')?.name ?? '',
    factor: weight.factor ?? 1,
  }));
}

/**
 * Chooses a host of the cluster for a VM: one in status `up` with sufficient resources and the
 * devices, without violations of enforcing affinity, and best by the scheduling policy. `except` is
 * the current host; `only` restricts the choice. Refuses with the reasons of all hosts if none
 * fits. A starting VM is charged to its quota.
 */
export function chooseHost(
  ctx: RuleContext,
  vm: Vm,
  action: string,
  except?: string,
  only?: readonly string[],
): { id: string } {
  const clusterId = vm.cluster?.id ?? '';
  const cluster = ctx.tx.get('cluster', clusterId);
  requireOpenCluster(ctx, vm, cluster, action);
  const hosts = listOtherHosts(ctx, clusterId, except);
  if (hosts.length === 0) {
    ctx.refuse('NO_HOST_UP', { action, cluster: cluster?.name ?? clusterId });
  }
  const { choices, reasons } = filterHosts(ctx, vm, cluster, hosts, only);
  if (choices.length === 0) ctx.refuse('NO_HOST_FITS', { action, reasons: reasons.join('; ') });
  if (action === 'run') chargeCluster(ctx, vm);
  return { id: pickBest(ctx, vm, cluster?.scheduling_policy?.id ?? '', choices).host.id ?? '' };
}

/** Ids of the hosts to which a VM can migrate. */
export function listMigrationTargets(ctx: RuleContext, vm: Vm): Set<string> {
  const clusterId = vm.cluster?.id ?? '';
  const hosts = listOtherHosts(ctx, clusterId, vm.host?.id);
  const { choices } = filterHosts(ctx, vm, ctx.tx.get('cluster', clusterId), hosts);
  return new Set(choices.map(({ host }) => host.id ?? ''));
}

/** The hosts of a cluster that are up, except one. */
function listOtherHosts(ctx: RuleContext, clusterId: string, except: string | undefined): Host[] {
  return ctx.tx
    .list('host', { where: { cluster_id: clusterId, status: 'up' } })
    .filter((host) => host.id !== except);
}

/** The hosts that can run a VM, and the reasons against the others. */
function filterHosts(
  ctx: RuleContext,
  vm: Vm,
  cluster: Cluster | undefined,
  hosts: readonly Host[],
  only?: readonly string[],
): { readonly choices: readonly Choice[]; readonly reasons: readonly string[] } {
  const sets = listAffinitySets(ctx, cluster?.id ?? '').filter(({ vms }) => vms.has(vm.id ?? ''));
  const placement = findPlacement(ctx, sets);
  const devices = listDevices(ctx, vm);
  const used = measureUsage(ctx, hosts, vm);
  const reasons: string[] = [];
  const choices: Choice[] = [];
  for (const host of hosts) {
    const id = host.id ?? '';
    if (only && !only.includes(id)) {
      reasons.push(`${host.name}: not one of the requested hosts`);
      continue;
    }
    const seen = createCandidate(host, cluster, used.get(id) ?? unused);
    const broken = findViolations(sets, placement, vm, id);
    const reason =
      findObstacle(vm, devices, seen, cluster) ?? broken.find(({ enforcing }) => enforcing)?.text;
    if (reason) reasons.push(`${host.name}: ${reason}`);
    else choices.push({ ...seen, softViolations: broken.length });
  }
  return { choices, reasons };
}

/** A cluster under maintenance only starts highly available VMs. */
function requireOpenCluster(
  ctx: RuleContext,
  vm: Vm,
  cluster: Cluster | undefined,
  action: string,
): void {
  const policy = cluster?.scheduling_policy?.id ?? '';
  const name = ctx.tx.get('scheduling_policy', policy)?.name;
  if (action === 'run' && name === 'cluster_maintenance' && !vm.high_availability?.enabled) {
    ctx.refuse('CLUSTER_IN_MAINTENANCE', { action, cluster: cluster?.name });
  }
}
