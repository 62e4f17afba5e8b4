/** Measurements of hosts and of their NUMA nodes. */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import { isRunning } from '../../inventory/vm.ts';
import type { ObjectOf } from '../../store/transaction.ts';
import { getLastSample, Load, type Measured, roundMeasure } from './load.ts';
import { measureHostShare } from './vm.ts';

type Host = ObjectOf<'host'>;

const gibibyte = 2 ** 30;
const swapSize = 8 * gibibyte;
/** Share of the memory that the host system uses at full load. */
const ownShare = 0.08;

/** Boot time of the host in milliseconds since the epoch; 0 if it never booted. */
function parseBootTime(host: Host): number {
  const at = host.booted_at;
  return typeof at === 'string' ? Date.parse(at) : 0;
}

/** Seconds since the host booted. */
export function computeHostUptime(ctx: RuleContext, host: Host): number {
  return Math.max(0, (ctx.now.getTime() - parseBootTime(host)) / 1_000);
}

/**
 * Current utilization of each interface of a host, and past traffic as the equivalent seconds of
 * full utilization.
 */
export function measureHostNetwork(host: Host, seconds: number): { share: number; until: number } {
  const load = new Load(host.id ?? '', 'network');
  return { share: 0.3 * load.at(seconds), until: 0.3 * load.until(seconds) };
}

/** Resource usage of a host and its VMs. */
class HostUse {
  readonly #ctx: RuleContext;
  readonly #host: Host;
  readonly seconds: number;
  #machines: { memory: number; processors: number } | undefined;

  constructor(ctx: RuleContext, host: Host) {
    this.#ctx = ctx;
    this.#host = host;
    this.seconds = getLastSample(computeHostUptime(ctx, host));
  }

  load(what: string): number {
    return new Load(this.#host.id ?? '', what).at(this.seconds);
  }

  get memory(): number {
    return Number(this.#host.memory ?? 0);
  }

  get usedMemory(): number {
    const own = ownShare * this.memory * (0.5 + 0.5 * this.load('memory'));
    return Math.min(Math.floor(own) + this.#used.memory, this.memory);
  }

  /** Percent of all processors. */
  get user(): number {
    const { sockets = 1, cores = 1, threads = 1 } = this.#host.cpu?.topology ?? {};
    const machines = (100 * this.#used.processors) / (sockets * cores * threads);
    return roundMeasure(Math.min(90, 4 * this.load('user') + machines));
  }

  /** Percent of all processors. */
  get system(): number {
    return roundMeasure(5 * this.load('system'));
  }

  get #used(): { memory: number; processors: number } {
    this.#machines ??= this.#ctx.tx
      .list('vm', { where: { host_id: this.#host.id ?? '' } })
      .filter(isRunning)
      .map((vm) => measureHostShare(this.#ctx, vm))
      .reduce(
        (sum, one) => ({
          memory: sum.memory + one.memory,
          processors: sum.processors + one.processors,
        }),
        { memory: 0, processors: 0 },
      );
    return this.#machines;
  }
}

/** Measurements of a host. A host that is not up has constant values only. */
export function measureHost(ctx: RuleContext, host: Host): Measured {
  const use = new HostUse(ctx, host);
  const constant: Measured = {
    'memory.total': () => use.memory,
    'swap.total': () => swapSize,
    'boot.time': () => Math.floor(parseBootTime(host) / 1_000),
  };
  if (host.status !== 'up') return constant;
  const usedSwap = () => Math.floor(swapSize * 0.05 * use.load('swap'));
  return {
    ...constant,
    'memory.used': () => use.usedMemory,
    'memory.free': () => use.memory - use.usedMemory,
    'memory.shared': () => Math.floor(use.usedMemory * 0.02),
    'memory.buffers': () => Math.floor((use.memory - use.usedMemory) * 0.02),
    'memory.cached': () => Math.floor((use.memory - use.usedMemory) * 0.2),
    'swap.used': usedSwap,
    'swap.free': () => swapSize - usedSwap(),
    'swap.cached': () => Math.floor(usedSwap() / 4),
    'ksm.cpu.current': () => (host.ksm?.enabled ? 2 * use.load('ksm') : 0),
    ...processors(use),
    'cpu.load.avg.5m': () => roundMeasure(use.user + use.system),
    'network.current.total': () => 100 * measureHostNetwork(host, use.seconds).share,
  };
}

/** Measurements of a NUMA node: an equal part of its host. */
export function measureNumaNode(ctx: RuleContext, node: Resource<'numa_node'>): Measured {
  const host = ctx.tx.get('host', node.host?.id ?? '');
  const total = Number(node.memory ?? 0) * 2 ** 20;
  if (host?.status !== 'up') return { 'memory.total': () => total };
  const use = new HostUse(ctx, host);
  const used = () => Math.floor((use.usedMemory * total) / Math.max(1, use.memory));
  return {
    'memory.total': () => total,
    'memory.used': used,
    'memory.free': () => total - used(),
    ...processors(use),
  };
}

function processors(use: HostUse): Measured {
  return {
    'cpu.current.user': () => use.user,
    'cpu.current.system': () => use.system,
    'cpu.current.idle': () => roundMeasure(100 - use.user - use.system),
  };
}
