/** Hypervisor without processes: a test decides the result of each change. */
import {
  type DeviceChange,
  type GuestReport,
  type Hypervisor,
  HypervisorError,
  type HypervisorListener,
  type PowerChange,
  type RunDevice,
  type UnsupportedOperations,
  type VmExit,
  type VmMeasures,
  type WatchdogAction,
} from '../../../src/server/core/hypervisor.ts';

export class FakeHypervisor implements Hypervisor {
  readonly name = 'fake';
  hasSecureBoot = false;
  readonly unsupported: readonly UnsupportedOperations[];
  /** Changes in the order of their requests. */
  readonly changes: (PowerChange & { readonly vm: string })[] = [];
  /** Reason of the next failure, by change. */
  readonly failures = new Map<PowerChange['change'], string>();
  /** Changes of devices in the order of their requests, and the reason of the next failure. */
  readonly deviceChanges: (DeviceChange & { readonly vm: string })[] = [];
  readonly deviceFailures = new Map<DeviceChange['change'], string>();
  /** Changes of devices wait for this promise. */
  gate: Promise<void> = Promise.resolve();
  /** Reasons why VMs cannot migrate. */
  readonly obstacles = new Map<string, string>();
  readonly measures = new Map<string, VmMeasures>();
  screen: Buffer | undefined;
  #held: Promise<void> = Promise.resolve();
  #listener: HypervisorListener | undefined;

  constructor(unsupported: readonly UnsupportedOperations[] = []) {
    this.unsupported = unsupported;
  }

  get server(): HypervisorListener {
    if (!this.#listener) throw new Error('The server has not begun.');
    return this.#listener;
  }

  async begin(listener: HypervisorListener): Promise<void> {
    this.#listener = listener;
  }

  async reconcile(): Promise<void> {}

  async end(): Promise<void> {}

  async change(vm: string, change: PowerChange): Promise<void> {
    this.changes.push({ vm, ...change });
    const reason = this.failures.get(change.change);
    this.failures.delete(change.change);
    if (reason !== undefined) throw new HypervisorError(reason);
    await this.#held;
  }

  /** Delays the end of later changes until the returned function runs. */
  hold(): () => void {
    let release = () => {};
    this.#held = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  }

  async changeDevices(vm: string, change: DeviceChange): Promise<void> {
    this.deviceChanges.push({ vm, ...change });
    await this.gate;
    const reason = this.deviceFailures.get(change.change);
    this.deviceFailures.delete(change.change);
    if (reason !== undefined) throw new HypervisorError(reason);
  }

  async captureScreen(): Promise<void> {
    if (!this.screen) throw new HypervisorError('no screen');
  }

  takeScreen(): Buffer | undefined {
    return this.screen;
  }

  findObstacle(vm: string): string | undefined {
    return this.obstacles.get(vm);
  }

  measure(vm: string): VmMeasures | undefined {
    return this.measures.get(vm);
  }

  /** Reports the end of a process. */
  exit(vm: string, exit: VmExit): Promise<boolean> {
    return this.server.exited(vm, exit);
  }

  report(vm: string, report: GuestReport): Promise<void> {
    return this.server.reported(vm, report);
  }

  /** Reports a device that a guest has released. */
  unplug(vm: string, device: RunDevice): Promise<void> {
    return this.server.unplugged(vm, device);
  }

  actWatchdog(vm: string, action: WatchdogAction): Promise<void> {
    return this.server.watchdogActed(vm, action);
  }

  pause(vm: string, detail: 'enospc' | 'eio'): Promise<void> {
    return this.server.paused(vm, detail);
  }
}
