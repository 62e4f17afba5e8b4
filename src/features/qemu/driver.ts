/** Hypervisor that runs each VM as a QEMU process, which outlives the server. */
import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { HypervisorParts } from '../../server/admin/extension.ts';
import {
  type DeviceChange,
  type Hypervisor,
  type HypervisorConsoles,
  HypervisorError,
  type HypervisorListener,
  type PowerChange,
  type VmExit,
  type VmMeasures,
} from '../../server/core/hypervisor.ts';
import { ConsoleServer } from './console-server.ts';
import { applyDeviceChange, finishRemoval, unlinkNics } from './device-changes.ts';
import { parseDevice } from './device-properties.ts';
import { DiskStatistics } from './disk-statistics.ts';
import { readGuestReport } from './guest-report.ts';
import type { Installation } from './installation.ts';
import { type Launch, launchProcess, readLastMessage, readRun } from './launch.ts';
import { Obstacles } from './obstacles.ts';
import { findProcesses, incomingSuffix } from './processes.ts';
import type { QmpEvent } from './qmp.ts';
import { recordHardware } from './run-record.ts';
import { killProcess, RunningVm, type VmProcess, waitForExit } from './running-vm.ts';
import { SavedMemory } from './saved-memory.ts';
import { SerialConsoles } from './serial.ts';
import { describeProgram, isTransferChange, sharedFolders, VmTransfers } from './transfers.ts';
import { unsupportedOperations } from './unsupported.ts';
import { describeEnd, requireShortPath } from './vm-folders.ts';

/** Milliseconds for the exit of a process that does not respond. */
const exitMs = 1_000;
/** Milliseconds between polls of processes and guest agents. */
const pollMs = 5_000;
const watchdogActions = ['none', 'reset', 'poweroff', 'pause'] as const;
const watchdogExit: VmExit = {
  cause: 'guest',
  message: 'Exit message: the watchdog powered off the VM.',
};
/** Changes without parameters. */
type SimpleChange = 'shutdown' | 'stop' | 'resume' | 'reset' | 'reboot';

export class QemuHypervisor implements Hypervisor {
  readonly name = 'qemu';
  readonly unsupported = unsupportedOperations;
  readonly hasSecureBoot: boolean;
  readonly #installation: Installation;
  readonly #parts: HypervisorParts;
  readonly #vms = new Map<string, RunningVm>();
  /** The last change of each VM: changes of a VM run one after the other. */
  readonly #queues = new Map<string, Promise<unknown>>();
  /** Changes of devices, which may wait for a guest outside of the queue. */
  readonly #deviceChanges = new Set<Promise<void>>();
  readonly #measures = new Map<string, VmMeasures>();
  /** Ends of processes that the server has not recorded yet. */
  readonly #exits = new Map<string, VmExit>();
  /** Reasons why VMs cannot be suspended or migrated. */
  readonly #obstacles = new Obstacles();
  readonly #disks = new DiskStatistics();
  readonly #screens = new Map<string, Buffer>();
  readonly #transfers: VmTransfers;
  readonly #ending = new AbortController();
  readonly #consoleServer: ConsoleServer | undefined;
  readonly #serial = new SerialConsoles();
  readonly consoles: HypervisorConsoles | undefined;
  #listener: HypervisorListener | undefined;
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<void> = Promise.resolve();

  constructor(installation: Installation, parts: HypervisorParts) {
    this.#installation = installation;
    this.hasSecureBoot = installation.secureUefi !== undefined;
    mkdirSync(parts.folder, { recursive: true, mode: 0o700 });
    mkdirSync(parts.isoFolder, { recursive: true });
    // Working folders of processes are compared with this path.
    const folder = realpathSync(parts.folder);
    requireShortPath(folder);
    this.#parts = { ...parts, folder };
    const server = parts.consoles && new ConsoleServer(parts.consoles);
    this.#consoleServer = server;
    this.consoles = server && {
      port: (id) => server.port(id),
      setTicket: async (id, ticket) => (await this.#require(id)).setTicket(ticket),
      openSerial: async (id) => this.#serial.open(id, (await this.#require(id)).process.folder),
    };
    this.#transfers = new VmTransfers({
      ...{ installation, parts: this.#parts },
      inTurn: (id, work) => this.#inTurn(id, work),
      find: (id) => this.#find(id),
      connect: (process) => this.#connect(process),
      terminate: (name) => this.#terminate(name),
      forget: (id) => this.#forget(id),
    });
  }

  async begin(listener: HypervisorListener): Promise<void> {
    this.#listener = listener;
    await this.reconcile();
    for (const vm of this.#vms.values()) await this.#obstacles.check(vm);
    this.#schedulePoll();
  }

  async end(): Promise<void> {
    this.#ending.abort();
    clearTimeout(this.#timer);
    await this.#polling;
    await Promise.allSettled(this.#deviceChanges);
    await Promise.allSettled(this.#queues.values());
    this.#consoleServer?.closeAll();
    this.#serial.closeAll();
    for (const vm of this.#vms.values()) vm.disconnect();
    this.#vms.clear();
  }

  async change(id: string, change: PowerChange): Promise<void> {
    await this.#change(id, change);
    await this.#obstacles.check(this.#vms.get(id));
  }

  #change(id: string, change: PowerChange): Promise<void> {
    if (change.change === 'launch') return this.#inTurn(id, () => this.#launch(id, change));
    // The guest may take a long time, and must not delay a stop.
    if (change.change === 'reboot') {
      return this.#require(id).then((vm) => vm.reboot(this.#ending.signal));
    }
    // A stop or another change must not wait for a migration.
    this.#transfers.abort(id);
    if (change.change === 'restore') this.#exits.delete(id);
    if (isTransferChange(change)) return this.#transfers.change(id, change);
    return this.#inTurn(id, () => this.#apply(id, change.change));
  }

  async changeDevices(id: string, change: DeviceChange): Promise<void> {
    const parts = {
      ...this.#parts,
      find: () => this.#require(id),
      inTurn: <T>(work: () => Promise<T>) => this.#inTurn(id, work),
    };
    const running = applyDeviceChange(parts, change);
    this.#deviceChanges.add(running);
    await running.finally(() => this.#deviceChanges.delete(running));
    await this.#obstacles.check(this.#vms.get(id));
  }

  async captureScreen(id: string): Promise<void> {
    this.#screens.set(id, await (await this.#require(id)).takeScreenshot());
  }

  takeScreen(id: string): Buffer | undefined {
    const screen = this.#screens.get(id);
    this.#screens.delete(id);
    return screen;
  }

  findObstacle(id: string): string | undefined {
    return this.#obstacles.get(id);
  }

  measure(id: string): VmMeasures | undefined {
    const measures = this.#measures.get(id);
    const percent = this.#transfers.getProgress(id);
    return measures && percent !== undefined ? { ...measures, migration: percent } : measures;
  }

  async reconcile(): Promise<void> {
    const { folder } = this.#parts;
    const processes = findProcesses(folder);
    const running = new Set(this.#listener?.listRunning());
    const names = [...readdirSync(folder), ...processes.keys(), ...running];
    const ids = new Set(names.map((name) => name.replace(incomingSuffix, '')));
    for (const name of sharedFolders) ids.delete(name);
    if (this.#listener) this.#transfers.removeUnused(this.#listener, (id) => this.#queues.has(id));
    for (const id of ids) {
      // A VM with a running change is checked the next time.
      if (this.#queues.has(id)) continue;
      await this.#inTurn(id, () => this.#settle(id)).catch((error) => this.#report(error));
    }
  }

  #report(error: unknown): void {
    this.#listener?.report(error);
  }

  /** Runs the changes of one VM one after the other. */
  async #inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(id) ?? Promise.resolve();
    const turn = before.catch(() => undefined).then(work);
    this.#queues.set(id, turn);
    try {
      return await turn;
    } finally {
      if (this.#queues.get(id) === turn) this.#queues.delete(id);
    }
  }

  async #apply(id: string, change: SimpleChange): Promise<void> {
    if (change === 'stop') return this.#terminate(id);
    const vm = await this.#require(id);
    if (change === 'shutdown') await vm.shutDown();
    else if (change === 'resume') await vm.resume();
    else await vm.reset();
  }

  /** Launches a VM, unless the process of this run exists. */
  async #launch(id: string, launch: Launch): Promise<void> {
    this.#exits.delete(id);
    new SavedMemory(this.#parts.folder, id).remove();
    let vm = await this.#find(id);
    if (vm && vm.process.run !== launch.run) {
      await this.#terminate(id);
      vm = undefined;
    }
    try {
      vm ??= await this.#connect(await launchProcess(this.#installation, this.#parts, id, launch));
      await unlinkNics(vm, launch.hardware.nics);
      if ((await vm.readStatus()) === 'prelaunch') {
        await recordHardware(vm, launch, describeProgram(this.#installation));
        if (!launch.isPaused) await vm.resume();
      }
    } catch (error) {
      const message = readLastMessage(join(this.#parts.folder, id));
      await this.#terminate(id).catch((other) => this.#report(other));
      throw message !== undefined && !(error instanceof HypervisorError)
        ? new HypervisorError(message)
        : error;
    }
  }

  async #connect(process: VmProcess): Promise<RunningVm> {
    const { id, folder } = process;
    const vm = await RunningVm.connect(process, (one, event) => this.#receive(one, event));
    await this.#consoleServer?.open(id, folder).catch((error) => this.#report(error));
    return this.#watch(vm);
  }

  /** The running VM, with a new connection if it has none; undefined without a process. */
  async #find(id: string): Promise<RunningVm | undefined> {
    const known = this.#vms.get(id);
    if (known) return known;
    const folder = join(this.#parts.folder, id);
    const pid = findProcesses(this.#parts.folder).get(id);
    if (pid === undefined) return undefined;
    const process = { id, run: readRun(folder) ?? '', pid, folder };
    try {
      return await this.#connect(process);
    } catch (error) {
      // The process may be about to exit.
      if (await waitForExit(process, exitMs)) return undefined;
      throw error;
    }
  }

  async #require(id: string): Promise<RunningVm> {
    const vm = await this.#find(id);
    if (!vm) throw new HypervisorError('the VM has no QEMU process');
    return vm;
  }

  /** Ends the process of a VM, if it exists, and removes its folder. */
  async #terminate(id: string): Promise<void> {
    const folder = join(this.#parts.folder, id);
    const known = this.#vms.get(id);
    const pid = known ? undefined : findProcesses(this.#parts.folder).get(id);
    await known?.terminate();
    if (pid !== undefined) await killProcess({ id, pid, folder });
    this.#forget(id);
  }

  #forget(id: string): void {
    this.#consoleServer?.close(id);
    this.#serial.close(id);
    this.#vms.get(id)?.disconnect();
    this.#vms.delete(id);
    this.#exits.delete(id);
    this.#measures.delete(id);
    this.#obstacles.delete(id);
    this.#screens.delete(id);
    rmSync(join(this.#parts.folder, id), { recursive: true, force: true });
  }

  #watch(vm: RunningVm): RunningVm {
    const { id } = vm.process;
    this.#vms.set(id, vm);
    vm.disconnected
      .then(async () => {
        if (vm.isEnding || this.#ending.signal.aborted || this.#vms.get(id) !== vm) return;
        await vm.waitForExit();
        this.#vms.delete(id);
        await this.#inTurn(id, () => this.#settle(id));
      })
      .catch((error) => this.#report(error));
    if (vm.hasShutDown) this.#endGuest(vm);
    return vm;
  }

  #receive(vm: RunningVm, { name, data }: QmpEvent): void {
    if (name === 'WATCHDOG') this.#receiveWatchdog(vm, String(data['action']));
    if (name === 'SHUTDOWN' && data['guest'] === true) this.#endGuest(vm);
    if (name === 'DEVICE_DELETED' && !vm.removals.end(data['device'])) this.#endLate(vm, data);
    if (name === 'DEVICE_UNPLUG_GUEST_ERROR') vm.removals.refuse(data['device']);
    if (name === 'BLOCK_IO_ERROR' && data['action'] === 'stop') {
      const detail = data['nospace'] === true ? 'enospc' : 'eio';
      this.#listener?.paused(vm.process.id, detail).catch((error) => this.#report(error));
    }
  }

  /** Reports a device that a guest has released after the limit. */
  #endLate(vm: RunningVm, { device }: QmpEvent['data']): void {
    const found = parseDevice(device);
    const { id } = vm.process;
    if (!found || vm.isEnding) return;
    this.#inTurn(id, () => finishRemoval(vm, found))
      .then(() => this.#listener?.unplugged(id, found))
      .catch((error) => this.#report(error));
  }

  #receiveWatchdog(vm: RunningVm, name: string): void {
    const action = watchdogActions.find((one) => one === name);
    if (!action) return;
    // QEMU exits without another event.
    if (action === 'poweroff') this.#exits.set(vm.process.id, watchdogExit);
    this.#listener?.watchdogActed(vm.process.id, action).catch((error) => this.#report(error));
  }

  /** Ends the process of a guest that has shut down, and reports it. */
  #endGuest(vm: RunningVm): void {
    const { id } = vm.process;
    if (vm.isEnding) return;
    vm.isEnding = true;
    vm.hasShutDown = true;
    this.#inTurn(id, async () => {
      if (this.#vms.get(id) !== vm) return;
      await vm.terminate();
      await this.#settleEnded(id, {
        cause: 'guest',
        message: 'Exit message: the guest shut down.',
      });
    }).catch((error) => this.#report(error));
  }

  /** Reports the end of a process. Its folder remains until the server has recorded it. */
  async #settleEnded(id: string, exit: VmExit): Promise<void> {
    this.#vms.delete(id);
    this.#exits.set(id, exit);
    if ((await this.#listener?.exited(id, exit)) === true) this.#forget(id);
  }

  /** Compares the process of a VM with the store. */
  async #settle(id: string): Promise<void> {
    const listener = this.#listener;
    if (!listener || this.#ending.signal.aborted) return;
    const isRunning = listener.listRunning().includes(id);
    const folder = join(this.#parts.folder, id);
    const isMigrating = existsSync(folder + incomingSuffix);
    if (!isRunning) {
      if (isMigrating) await this.#terminate(id + incomingSuffix);
      return this.#terminate(id);
    }
    if (isMigrating) await this.#transfers.recover(id);
    const vm = await this.#find(id);
    if (vm?.isAlive || vm?.isEnding) return;
    await this.#settleEnded(id, this.#exits.get(id) ?? describeEnd(folder));
  }

  #schedulePoll(): void {
    if (this.#ending.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#polling = this.#poll()
        .catch((error) => this.#report(error))
        .finally(() => this.#schedulePoll());
    }, pollMs);
    this.#timer.unref();
  }

  async #poll(): Promise<void> {
    await this.reconcile();
    await Promise.all([...this.#vms.values()].map((vm) => this.#observe(vm)));
  }

  /** Measures a VM, and reads the report of its agent. */
  async #observe(vm: RunningVm): Promise<void> {
    const { id } = vm.process;
    const measured = vm.measure(performance.now());
    if (measured) {
      const { seconds, elapsed, memory } = measured;
      const disks = await this.#disks.measure(vm, performance.now()).catch(() => undefined);
      const processors = elapsed > 0 ? seconds / elapsed : 0;
      this.#measures.set(id, { processors, memory, ...(disks ? { disks } : {}) });
    }
    await this.#consoleServer?.open(id, vm.process.folder).catch((error) => this.#report(error));
    await this.#obstacles.check(vm);
    const report = await vm.withAgent(readGuestReport).catch(() => undefined);
    const text = JSON.stringify(report ?? null);
    if (!report || text === vm.report) return;
    vm.report = text;
    await this.#listener?.reported(id, report);
  }
}
