/** Measurements of VMs. */
import { vmLifecycle as lifecycle } from '../../../model/resources/vm.ts';
import type { RuleContext } from '../../core/context.ts';
import {
  computeRunningSeconds,
  computeUptime,
  isRunning,
  listDisks,
  type Vm,
} from '../../inventory/vm.ts';
import {
  getLastSample,
  historyLength,
  interval,
  Load,
  type Measured,
  roundMeasure,
} from './load.ts';

/** Utilization of each NIC at full load. */
const networkShare = 0.3;

/** Whether the processors of a VM are active. */
export function isWorking(vm: Vm): boolean {
  return isRunning(vm) && vm.status !== 'paused';
}

/** Simulated load of a VM by running time in seconds. */
export class VmLoad {
  readonly #id: string;
  readonly #memory: number;

  constructor({ id = '', memory = 0 }: Vm) {
    this.#id = id;
    this.#memory = Number(memory);
  }

  /** Used memory, in bytes. */
  memory(seconds: number): number {
    return Math.floor(this.#memory * (0.2 + 0.6 * this.#of('memory').at(seconds)));
  }

  /** Guest CPU usage in percent of its processors. */
  guest(seconds: number): number {
    return roundMeasure(40 * this.#of('cpu').at(seconds));
  }

  /** Hypervisor CPU usage in percent of its processors. */
  hypervisor(seconds: number): number {
    return roundMeasure(4 * this.#of('hypervisor').at(seconds));
  }

  /** Total CPU usage of guest and hypervisor, in percent of its processors. */
  cpu(seconds: number): number {
    return roundMeasure(this.guest(seconds) + this.hypervisor(seconds));
  }

  /** Utilization of each of its NICs. */
  network(seconds: number): number {
    return networkShare * this.#of('network').at(seconds);
  }

  /** Past traffic as the equivalent seconds of full utilization. */
  networkUntil(seconds: number): number {
    return networkShare * this.#of('network').until(seconds);
  }

  #of(what: string): Load {
    return new Load(this.#id, what);
  }
}

/** Memory in bytes and processors that a running VM uses on its host. */
export function measureHostShare(ctx: RuleContext, vm: Vm): { memory: number; processors: number } {
  const { hypervisor } = ctx.site;
  if (hypervisor) return hypervisor.measure(vm.id ?? '') ?? { memory: 0, processors: 0 };
  const load = new VmLoad(vm);
  const seconds = getLastSample(computeUptime(ctx, vm));
  const processors = isWorking(vm) ? (load.cpu(seconds) / 100) * countProcessors(vm) : 0;
  return { memory: load.memory(seconds), processors };
}

function countProcessors({ cpu }: Vm): number {
  const { sockets = 1, cores = 1, threads = 1 } = cpu?.topology ?? {};
  return sockets * cores * threads;
}

/** Measurements of a VM of a hypervisor, which does not distinguish guest and hypervisor. */
function measureProcess(ctx: RuleContext, vm: Vm): Measured {
  const installed = Number(vm.memory ?? 0);
  const { memory, processors } = measureHostShare(ctx, vm);
  const percent = roundMeasure((100 * processors) / countProcessors(vm));
  return {
    'cpu.current.guest': () => percent,
    'cpu.current.total': () => percent,
    'memory.installed': () => installed,
    'memory.used': () => memory,
    'memory.free': () => Math.max(0, installed - memory),
    'migration.progress': () => ctx.site.hypervisor?.measure(vm.id ?? '')?.migration ?? 0,
    'elapsed.time': () => Math.floor(computeRunningSeconds(ctx, vm)),
  };
}

/**
 * Measurements of a VM. A stopped VM has only its configured memory; the processors of a paused VM
 * are idle.
 */
export function measureVmStatistics(ctx: RuleContext, vm: Vm): Measured {
  const installed = Number(vm.memory ?? 0);
  if (!isRunning(vm)) {
    return { 'memory.installed': () => installed };
  }
  if (ctx.site.hypervisor) return measureProcess(ctx, vm);
  const load = new VmLoad(vm);
  const seconds = getLastSample(computeUptime(ctx, vm));
  const free = () => installed - load.memory(seconds);
  const buffered = () => Math.floor(free() * 0.05);
  const cached = () => Math.floor(free() * 0.35);
  const history = (value: (at: number) => number) => () => {
    const known = Math.floor(getLastSample(computeRunningSeconds(ctx, vm)) / interval);
    const count = Math.min(historyLength, known);
    return Array.from({ length: count }, (_, index) =>
      Math.round(value(seconds - (count - 1 - index) * interval)),
    );
  };
  const working: Measured = isWorking(vm)
    ? {
        'cpu.current.guest': () => load.guest(seconds),
        'cpu.current.hypervisor': () => load.hypervisor(seconds),
        'cpu.current.total': () => load.cpu(seconds),
        'network.current.total': () => 100 * load.network(seconds),
      }
    : {};
  return {
    ...working,
    'memory.installed': () => installed,
    'memory.used': () => load.memory(seconds),
    'memory.free': free,
    'memory.buffered': buffered,
    'memory.cached': cached,
    'memory.unused': () => free() - buffered() - cached(),
    'migration.progress': () => (vm.status === 'migrating' ? migrationPercent(ctx, vm) : 0),
    'elapsed.time': () => Math.floor(computeRunningSeconds(ctx, vm)),
    'cpu.usage.history': history((at) => load.cpu(at)),
    'memory.usage.history': history((at) => (100 * load.memory(at)) / Math.max(1, installed)),
    'network.usage.history': history((at) => 100 * load.network(at)),
    'disks.usage': () => (vm.guest_operating_system ? reportFileSystems(ctx, vm) : '[]'),
  };
}

/** Progress of a migration in percent. */
function migrationPercent(ctx: RuleContext, vm: Vm): number {
  const due = ctx.tx.tasks.findDue(`vm:/vms/${vm.id}`) ?? ctx.steady;
  const [, milliseconds] = lifecycle.moves.migrate.via[0];
  const left = (due - ctx.steady) / Math.max(1, milliseconds * ctx.site.speed);
  return Math.round(100 * (1 - Math.min(1, Math.max(0, left))));
}

/** Guest agent report of the file systems: one on each disk, sizes in bytes. */
function reportFileSystems(ctx: RuleContext, vm: Vm): string {
  const windows = vm.guest_operating_system?.family === 'Windows';
  const shown = listDisks(ctx, vm).map((disk, index) => {
    const total = Number(disk.provisioned_size ?? 0);
    const used = Math.floor(total * (0.1 + 0.6 * new Load(disk.id ?? '', 'used').at(0)));
    const path = windows
      ? `${String.fromCharCode('C'.charCodeAt(0) + index)}:\\`
      : (['/', '/home', '/srv'][index] ?? `/srv/disk${index}`);
    return { path, total: String(total), fs: windows ? 'NTFS' : 'xfs', used: String(used) };
  });
  return JSON.stringify(shown);
}
