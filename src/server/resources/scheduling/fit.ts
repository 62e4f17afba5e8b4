/** Why a host cannot run a machine: what the filters of the scheduler ask. */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';

type Vm = Resource<'vm'>;
type Host = Resource<'host'>;
type Cluster = Resource<'cluster'>;

/** Memory that a host keeps for itself, in bytes. */
const reserved = 512 * 2 ** 20;

/** A host with what is left of it. */
export interface Candidate {
  readonly host: Host;
  /** Bytes that no machine takes, with the overcommitment of the cluster. */
  readonly freeMemory: bigint;
  /** Share of the virtual processors that run on its own, 1 is as many as it has. */
  readonly load: number;
  readonly vms: number;
}

/** What is left of a host, without a machine that leaves it. */
export function candidate(
  ctx: RuleContext,
  host: Host,
  cluster: Cluster | undefined,
  leaving: Vm,
): Candidate {
  const where = { host_id: host.id ?? '' };
  const here = leaving.id !== undefined && ctx.tx.get('vm', leaving.id)?.host?.id === host.id;
  const topology = ['cpu_topology_sockets', 'cpu_topology_cores', 'cpu_topology_threads'];
  const used = ctx.tx.sum('vm', 'memory', { where }) - (here ? Number(leaving.memory ?? 0) : 0);
  const running = ctx.tx.sum('vm', topology, { where }) - (here ? processorsOf(leaving) : 0);
  const percent = BigInt(cluster?.memory_policy?.over_commit?.percent ?? 100);
  const memory = ((BigInt(host.memory ?? 0) - BigInt(reserved)) * percent) / 100n;
  return {
    host,
    freeMemory: memory - BigInt(used),
    load: running / Math.max(1, coresOf(host, cluster)),
    vms: ctx.tx.count('vm', { where }) - (here ? 1 : 0),
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

/** Why a host cannot run a machine, affinity apart; undefined where it can. */
export function unfit(
  ctx: RuleContext,
  vm: Vm,
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
    return `not enough processors (it has ${cores}, ${processorsOf(vm)} are needed)`;
  }
  if (BigInt(vm.memory ?? 0) > freeMemory) {
    return `not enough memory (${freeMemory} bytes are free, ${vm.memory} are needed)`;
  }
  const foreign = devicesOf(ctx, vm).find((device) => device.host?.id !== host.id);
  return foreign ? `it does not have the host device ${foreign.name}` : undefined;
}

function devicesOf(ctx: RuleContext, vm: Vm): Resource<'host_device'>[] {
  return ctx.tx.list('host_device', { where: { collection: `/vms/${vm.id}/hostdevices` } });
}
