/** Measured values of virtual machines. */
import { vmLifecycle as lifecycle } from '../../../model/resources/vm.ts';
import type { RuleContext } from '../../core/context.ts';
import { disksOf, isRunning, runningSeconds, uptimeOf, type Vm } from '../../inventory/vm.ts';
import { historyLength, interval, Load, lastLook, type Measured, rounded } from './load.ts';

/** Share of each interface that is used at full load. */
const networkShare = 0.3;

/** Whether the processors of a machine do anything. */
export function isWorking(vm: Vm): boolean {
  return isRunning(vm) && vm.status !== 'paused';
}

/** What a machine does after so many seconds of running. */
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

  /** Percent of its processors. */
  guest(seconds: number): number {
    return rounded(40 * this.#of('cpu').at(seconds));
  }

  /** Percent of its processors. */
  hypervisor(seconds: number): number {
    return rounded(4 * this.#of('hypervisor').at(seconds));
  }

  /** Percent of its processors: of guest and hypervisor together. */
  cpu(seconds: number): number {
    return rounded(this.guest(seconds) + this.hypervisor(seconds));
  }

  /** Share of each of its interfaces. */
  network(seconds: number): number {
    return networkShare * this.#of('network').at(seconds);
  }

  /** Seconds of a full interface that come to its traffic until then. */
  networkUntil(seconds: number): number {
    return networkShare * this.#of('network').until(seconds);
  }

  #of(what: string): Load {
    return new Load(this.#id, what);
  }
}

/** Memory in bytes, and processors, that a running machine takes of its host. */
export function shareOfHost(ctx: RuleContext, vm: Vm): { memory: number; processors: number } {
  const load = new VmLoad(vm);
  const seconds = lastLook(uptimeOf(ctx, vm));
  const { sockets = 1, cores = 1, threads = 1 } = vm.cpu?.topology ?? {};
  const processors = isWorking(vm) ? (load.cpu(seconds) / 100) * sockets * cores * threads : 0;
  return { memory: load.memory(seconds), processors };
}

/** One that is off has its configured memory alone; the processors of a paused one do nothing. */
export function vmMeasures(ctx: RuleContext, vm: Vm): Measured {
  const installed = Number(vm.memory ?? 0);
  if (!isRunning(vm)) {
    return { 'memory.installed': () => installed };
  }
  const load = new VmLoad(vm);
  const seconds = lastLook(uptimeOf(ctx, vm));
  const free = () => installed - load.memory(seconds);
  const buffered = () => Math.floor(free() * 0.05);
  const cached = () => Math.floor(free() * 0.35);
  const history = (value: (at: number) => number) => () => {
    const known = Math.floor(lastLook(runningSeconds(ctx, vm)) / interval);
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
    'migration.progress': () => (vm.status === 'migrating' ? migrated(ctx, vm) : 0),
    'elapsed.time': () => Math.floor(runningSeconds(ctx, vm)),
    'cpu.usage.history': history((at) => load.cpu(at)),
    'memory.usage.history': history((at) => (100 * load.memory(at)) / Math.max(1, installed)),
    'network.usage.history': history((at) => 100 * load.network(at)),
    'disks.usage': () => (vm.guest_operating_system ? fileSystems(ctx, vm) : '[]'),
  };
}

/** Percent of the time that a migration takes. */
function migrated(ctx: RuleContext, vm: Vm): number {
  const due = ctx.tx.tasks.dueOf(`vm:/vms/${vm.id}`) ?? ctx.steady;
  const [, milliseconds] = lifecycle.moves.migrate.via[0];
  const left = (due - ctx.steady) / Math.max(1, milliseconds * ctx.site.speed);
  return Math.round(100 * (1 - Math.min(1, Math.max(0, left))));
}

/** What an agent in the guest tells of its file systems: one on each disk, in bytes. */
function fileSystems(ctx: RuleContext, vm: Vm): string {
  const windows = vm.guest_operating_system?.family === 'Windows';
  const shown = disksOf(ctx, vm).map((disk, index) => {
    const total = Number(disk.provisioned_size ?? 0);
    const used = Math.floor(total * (0.1 + 0.6 * new Load(disk.id ?? '', 'used').at(0)));
    const path = windows
      ? `${String.fromCharCode('C'.charCodeAt(0) + index)}:\\`
      : (['/', '/home', '/srv'][index] ?? `/srv/disk${index}`);
    return { path, total: String(total), fs: windows ? 'NTFS' : 'xfs', used: String(used) };
  });
  return JSON.stringify(shown);
}
