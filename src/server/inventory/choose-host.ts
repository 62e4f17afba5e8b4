/** Choice of the host that runs a virtual machine: filters and weights of the scheduling policy. */
import type { Resource } from '../../model/resource.ts';
import type { RuleContext } from '../core/context.ts';
import type { ObjectOf } from '../store/transaction.ts';
import { affinitySets, placementOf, violations } from './affinity.ts';
import { chargeCluster } from './quota.ts';

type Vm = ObjectOf<'vm'>;
type Host = ObjectOf<'host'>;
type Cluster = Resource<'cluster'>;

/** Memory that a host keeps for itself, in bytes. */
const reserved = 512 * 2 ** 20;

/** A host with what is left of it. */
interface Candidate {
  readonly host: Host;
  /** Bytes that no machine takes, with the overcommitment of the cluster. */
  readonly freeMemory: bigint;
  /** Share of the virtual processors that run on its own, 1 is as many as it has. */
  readonly load: number;
  readonly vms: number;
}

/** What the machines of a host take of it together. */
interface Usage {
  readonly memory: number;
  readonly processors: number;
  readonly vms: number;
}

const unused: Usage = { memory: 0, processors: 0, vms: 0 };
const topology = ['cpu_topology_sockets', 'cpu_topology_cores', 'cpu_topology_threads'];

/** What is taken of each host, without a machine that leaves it. */
function usages(ctx: RuleContext, hosts: readonly Host[], leaving: Vm): Map<string, Usage> {
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
      processors: before.processors - processorsOf(leaving),
      vms: before.vms - 1,
    });
  }
  return taken;
}

/** What is left of a host of which so much is taken. */
function candidate(host: Host, cluster: Cluster | undefined, usage: Usage): Candidate {
  const percent = BigInt(cluster?.memory_policy?.over_commit?.percent ?? 100);
  const memory = ((BigInt(host.memory ?? 0) - BigInt(reserved)) * percent) / 100n;
  return {
    host,
    freeMemory: memory - BigInt(usage.memory),
    load: usage.processors / Math.max(1, coresOf(host, cluster)),
    vms: usage.vms,
  };
}

/** Virtual processors of a machine. */
export function processorsOf(vm: Vm): number {
  const { sockets = 1, cores = 1, threads = 1 } = vm.cpu?.topology ?? {};
  return sockets * cores * threads;
}

function coresOf(host: Host, cluster: Cluster | undefined): number {
  const { sockets = 1, cores = 1, threads = 1 } = host.cpu?.topology ?? {};
  return sockets * cores * (cluster?.threads_as_cores ? threads : 1);
}

/** Why a host cannot run a machine with such devices, affinity apart; undefined where it can. */
function unfit(
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
  const cores = coresOf(host, cluster);
  if (processorsOf(vm) > cores) {
    return `not enough CPUs (${cores} available, ${processorsOf(vm)} needed)`;
  }
  if (BigInt(vm.memory ?? 0) > freeMemory) {
    return `not enough memory (${freeMemory} bytes free, ${vm.memory} needed)`;
  }
  const foreign = devices.find((device) => device.host?.id !== host.id);
  return foreign ? `it lacks the host device ${foreign.name}` : undefined;
}

function devicesOf(ctx: RuleContext, vm: Vm): Resource<'host_device'>[] {
  return ctx.tx.list('host_device', { where: { collection: `/vms/${vm.id}/hostdevices` } });
}

/** A host that fits, with the rules that it would break and that only should hold. */
interface Choice extends Candidate {
  readonly softViolations: number;
}

interface Weight {
  readonly name: string;
  readonly factor: number;
}

/** What a unit prefers: hosts with the lower number. */
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

/** The best host: each unit ranks them, ranks count as often as the factor of the unit says. */
function best(ctx: RuleContext, vm: Vm, policyId: string, choices: readonly Choice[]): Choice {
  const ranks = new Map(choices.map((choice) => [choice, 0]));
  for (const { name, factor } of weightsOf(ctx, policyId)) {
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

function weightsOf(ctx: RuleContext, policyId: string): Weight[] {
  const weights = ctx.tx.list('weight', {
    where: { collection: `/schedulingpolicies/${policyId}/weights` },
  });
  return weights.map((weight) => ({
    name: ctx.tx.get('scheduling_policy_unit', weight.scheduling_policy_unit?.id ?? '')?.name ?? '',
    factor: weight.factor ?? 1,
  }));
}

/**
 * Chooses a host of the cluster of the machine: one that is up, has room and the devices, breaks no
 * affinity that is enforced, and suits the scheduling policy best. `except` is where it runs now;
 * `only` restricts the choice. Refuses with the reason of every host when none fits. A machine that
 * begins to run is charged to its quota.
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
  const hosts = hostsBeside(ctx, clusterId, except);
  if (hosts.length === 0) {
    ctx.refuse('NO_HOST_UP', { action, cluster: cluster?.name ?? clusterId });
  }
  const { choices, reasons } = fitting(ctx, vm, cluster, hosts, only);
  if (choices.length === 0) ctx.refuse('NO_HOST_FITS', { action, reasons: reasons.join('; ') });
  if (action === 'run') chargeCluster(ctx, vm);
  return { id: best(ctx, vm, cluster?.scheduling_policy?.id ?? '', choices).host.id ?? '' };
}

/** Ids of the hosts that could take a machine from where it runs. */
export function hostsThatTake(ctx: RuleContext, vm: Vm): Set<string> {
  const clusterId = vm.cluster?.id ?? '';
  const hosts = hostsBeside(ctx, clusterId, vm.host?.id);
  const { choices } = fitting(ctx, vm, ctx.tx.get('cluster', clusterId), hosts);
  return new Set(choices.map(({ host }) => host.id ?? ''));
}

/** The hosts of a cluster that are up, without one of them. */
function hostsBeside(ctx: RuleContext, clusterId: string, except: string | undefined): Host[] {
  return ctx.tx
    .list('host', { where: { cluster_id: clusterId, status: 'up' } })
    .filter((host) => host.id !== except);
}

/** Those of some hosts of a cluster that a machine can run on, and why the others cannot run it. */
function fitting(
  ctx: RuleContext,
  vm: Vm,
  cluster: Cluster | undefined,
  hosts: readonly Host[],
  only?: readonly string[],
): { readonly choices: readonly Choice[]; readonly reasons: readonly string[] } {
  const sets = affinitySets(ctx, cluster?.id ?? '').filter(({ vms }) => vms.has(vm.id ?? ''));
  const placement = placementOf(ctx, sets);
  const devices = devicesOf(ctx, vm);
  const used = usages(ctx, hosts, vm);
  const reasons: string[] = [];
  const choices: Choice[] = [];
  for (const host of hosts) {
    const id = host.id ?? '';
    if (only && !only.includes(id)) {
      reasons.push(`${host.name}: not one of the requested hosts`);
      continue;
    }
    const seen = candidate(host, cluster, used.get(id) ?? unused);
    const broken = violations(sets, placement, vm, id);
    const reason =
      unfit(vm, devices, seen, cluster) ?? broken.find(({ enforcing }) => enforcing)?.text;
    if (reason) reasons.push(`${host.name}: ${reason}`);
    else choices.push({ ...seen, softViolations: broken.length });
  }
  return { choices, reasons };
}

/** A cluster under maintenance starts nothing but what must always run. */
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
