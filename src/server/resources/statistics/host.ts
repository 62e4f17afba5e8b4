/** Measured values of hosts and of their NUMA nodes. */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import { isRunning } from '../../inventory/vm.ts';
import type { ObjectOf } from '../../store/transaction.ts';
import { Load, lastLook, type Measured, rounded } from './load.ts';
import { shareOfHost } from './vm.ts';

type Host = ObjectOf<'host'>;

const gibibyte = 2 ** 30;
const swapSize = 8 * gibibyte;
/** Share of the memory that a host takes for itself at full load. */
const ownShare = 0.08;

/** When the host started, in milliseconds since the epoch; 0 when it never did. */
function bootOf(host: Host): number {
  const at = host.booted_at;
  return typeof at === 'string' ? Date.parse(at) : 0;
}

/** Seconds since the host started. */
export function hostUptime(ctx: RuleContext, host: Host): number {
  return Math.max(0, (ctx.now.getTime() - bootOf(host)) / 1_000);
}

/** How much of each interface of a host is used, and how many seconds of full use there were. */
export function hostNetwork(host: Host, seconds: number): { share: number; until: number } {
  const load = new Load(host.id ?? '', 'network');
  return { share: 0.3 * load.at(seconds), until: 0.3 * load.until(seconds) };
}

/** What the host itself and the machines on it take. */
class HostUse {
  readonly #ctx: RuleContext;
  readonly #host: Host;
  readonly seconds: number;
  #machines: { memory: number; processors: number } | undefined;

  constructor(ctx: RuleContext, host: Host) {
    this.#ctx = ctx;
    this.#host = host;
    this.seconds = lastLook(hostUptime(ctx, host));
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
    return rounded(Math.min(90, 4 * this.load('user') + machines));
  }

  /** Percent of all processors. */
  get system(): number {
    return rounded(5 * this.load('system'));
  }

  get #used(): { memory: number; processors: number } {
    this.#machines ??= this.#ctx.tx
      .list('vm', { where: { host_id: this.#host.id ?? '' } })
      .filter(isRunning)
      .map((vm) => shareOfHost(this.#ctx, vm))
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

/** A host that is not up tells what it has, and nothing of what it does. */
export function hostMeasures(ctx: RuleContext, host: Host): Measured {
  const use = new HostUse(ctx, host);
  const constant: Measured = {
    'memory.total': () => use.memory,
    'swap.total': () => swapSize,
    'boot.time': () => Math.floor(bootOf(host) / 1_000),
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
    'cpu.load.avg.5m': () => rounded(use.user + use.system),
    'network.current.total': () => 100 * hostNetwork(host, use.seconds).share,
  };
}

/** Each node has its part of the host. */
export function numaNodeMeasures(ctx: RuleContext, node: Resource<'numa_node'>): Measured {
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
    'cpu.current.idle': () => rounded(100 - use.user - use.system),
  };
}
