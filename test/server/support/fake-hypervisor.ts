/** Hypervisor without processes: a test decides the result of each change. */
import {
  type GuestReport,
  type Hypervisor,
  HypervisorError,
  type HypervisorListener,
  type PowerChange,
  type UnsupportedOperations,
  type VmExit,
  type VmMeasures,
} from '../../../src/server/core/hypervisor.ts';

export class FakeHypervisor implements Hypervisor {
  readonly name = 'fake';
  readonly unsupported: readonly UnsupportedOperations[];
  /** Changes in the order of their requests. */
  readonly changes: (PowerChange & { readonly vm: string })[] = [];
  /** Reason of the next failure, by change. */
  readonly failures = new Map<PowerChange['change'], string>();
  readonly measures = new Map<string, VmMeasures>();
  screen: Buffer | undefined;
  #listener: HypervisorListener | undefined;

  constructor(unsupported: readonly UnsupportedOperations[] = []) {
    this.unsupported = unsupported;
  }

  get #server(): HypervisorListener {
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
  }

  async captureScreen(): Promise<void> {
    if (!this.screen) throw new HypervisorError('no screen');
  }

  takeScreen(): Buffer | undefined {
    return this.screen;
  }

  measure(vm: string): VmMeasures | undefined {
    return this.measures.get(vm);
  }

  /** Reports the end of a process. */
  exit(vm: string, exit: VmExit): Promise<boolean> {
    return this.#server.exited(vm, exit);
  }

  report(vm: string, report: GuestReport): Promise<void> {
    return this.#server.reported(vm, report);
  }

  pause(vm: string, detail: 'enospc' | 'eio'): Promise<void> {
    return this.#server.paused(vm, detail);
  }
}
