/** A running QEMU process with its QMP connection. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { toRecord } from '../../records.ts';
import { HypervisorError } from '../../server/core/hypervisor.ts';
import { GuestAgent } from './agent.ts';
import { sockets } from './arguments.ts';
import { DeviceRemovals } from './device-removals.ts';
import type { Message } from './json-socket.ts';
import { isProcessOf, type ProcessUse, readProcessUse } from './processes.ts';
import { QmpConnection, type QmpEvent } from './qmp.ts';
import { convertPixmap } from './screenshot.ts';

/** Milliseconds until a process that quits must have exited. It writes pending data first. */
const quitTimeoutMs = 15_000;
/** Milliseconds until a killed process must have exited. */
const killTimeoutMs = 5_000;
/** Milliseconds for a guest to reboot on request, before the VM is reset. */
const rebootTimeoutMs = 30_000;
const pollMs = 20;

/** Identity of a process. */
export interface VmProcess {
  readonly id: string;
  /** Id of the run that started it. */
  readonly run: string;
  readonly pid: number;
  /** Its working folder. */
  readonly folder: string;
}

export class RunningVm {
  readonly process: VmProcess;
  readonly #qmp: QmpConnection;
  /** Whether the guest has shut down. QEMU then waits until it is ended. */
  hasShutDown = false;
  /** Whether the server ends the process. */
  isEnding = false;
  use: { readonly at: number; readonly total: ProcessUse } | undefined;
  /** Last report of the agent, as JSON. */
  report = '';
  /** Removals of devices that wait for the guest. */
  readonly removals = new DeviceRemovals();
  #resets: (() => void)[] = [];
  /** The last exchange with the guest agent. */
  #agentTurn: Promise<unknown> = Promise.resolve();

  private constructor(process: VmProcess, qmp: QmpConnection) {
    this.process = process;
    this.#qmp = qmp;
  }

  /** Connects to a process. `onEvent` receives the events of QEMU. */
  static async connect(
    process: VmProcess,
    onEvent: (vm: RunningVm, event: QmpEvent) => void,
  ): Promise<RunningVm> {
    let vm: RunningVm | undefined;
    const early: QmpEvent[] = [];
    const receive = (event: QmpEvent) => {
      if (!vm) return early.push(event);
      if (event.name === 'RESET') for (const resolve of vm.#resets.splice(0)) resolve();
      return onEvent(vm, event);
    };
    const qmp = await QmpConnection.connect(join(process.folder, sockets.qmp), receive);
    vm = new RunningVm(process, qmp);
    vm.hasShutDown = (await vm.readStatus()) === 'shutdown';
    for (const event of early) receive(event);
    return vm;
  }

  /** Resolves when the connection ends: QEMU exits, or `disconnect` is called. */
  get disconnected(): Promise<void> {
    return this.#qmp.closed;
  }

  disconnect(): void {
    this.#qmp.close();
  }

  get isAlive(): boolean {
    const { pid, folder, id } = this.process;
    return isProcessOf(pid, folder, id);
  }

  /** State of the run in the terms of QEMU: `running`, `paused`, `prelaunch`. */
  async readStatus(): Promise<string> {
    return String(toRecord(await this.#qmp.execute('query-status'))['status']);
  }

  /** Runs a command of QMP. Rejects with a `HypervisorError` that contains the reason of QEMU. */
  execute(command: string, parameters: Message = {}): Promise<unknown> {
    return this.#qmp.execute(command, parameters);
  }

  async resume(): Promise<void> {
    await this.#qmp.execute('cont');
  }

  async reset(): Promise<void> {
    await this.#qmp.execute('system_reset');
  }

  /** Sets the password of the screen. It expires after `seconds`. */
  async setTicket({
    value,
    seconds,
  }: {
    readonly value: string;
    readonly seconds: number;
  }): Promise<void> {
    await this.#qmp.execute('expire_password', { protocol: 'vnc', time: 'now' });
    await this.#qmp.execute('set_password', { protocol: 'vnc', password: value });
    const time = `+${Math.max(0, Math.floor(seconds))}`;
    await this.#qmp.execute('expire_password', { protocol: 'vnc', time });
  }

  /** Asks the guest to shut down: by its agent, and by ACPI. */
  async shutDown(): Promise<void> {
    await this.#qmp.execute('system_powerdown');
    await this.withAgent(async (agent) => agent.shutDown('powerdown'));
  }

  /** Reboots by the agent. Without one, or if the guest does not reboot, resets the VM. */
  async reboot(signal: AbortSignal): Promise<void> {
    const reset = new Promise<string>((resolve) => this.#resets.push(() => resolve('reset')));
    const end = this.disconnected.then(() => 'end');
    const isAsked = await this.withAgent(async (agent) => {
      agent.shutDown('reboot');
      return true;
    });
    const late = wait(rebootTimeoutMs, 'late', { signal, ref: false }).catch(() => 'late');
    const first = isAsked ? await Promise.race([reset, end, late]) : 'late';
    if (first === 'end') throw new HypervisorError('the guest shut down');
    if (first === 'late') await this.reset();
  }

  /** The screen as PNG. */
  async takeScreenshot(): Promise<Buffer> {
    const filename = join(this.process.folder, 'screen.ppm');
    try {
      await this.#qmp.execute('screendump', { filename });
      return convertPixmap(readFileSync(filename));
    } finally {
      rmSync(filename, { force: true });
    }
  }

  /** Talks to the guest agent; undefined if none responds. It accepts one client at a time. */
  withAgent<T>(talk: (agent: GuestAgent) => Promise<T>): Promise<T | undefined> {
    const turn = this.#agentTurn.then(() => this.#talk(talk));
    this.#agentTurn = turn.catch(() => undefined);
    return turn;
  }

  async #talk<T>(talk: (agent: GuestAgent) => Promise<T>): Promise<T | undefined> {
    if (!(await this.#hasAgent())) return undefined;
    try {
      const agent = await GuestAgent.connect(join(this.process.folder, sockets.agent));
      try {
        return await talk(agent);
      } finally {
        agent.close();
      }
    } catch {
      return undefined;
    }
  }

  /** Whether a program of the guest has opened the channel of the agent. */
  async #hasAgent(): Promise<boolean> {
    const devices = await this.#qmp.execute('query-chardev');
    return Array.isArray(devices) && devices.some(isOpenAgent);
  }

  /** Measures the process since the last call. Processors: of the VM. */
  measure(
    now: number,
  ): { readonly seconds: number; readonly elapsed: number; readonly memory: number } | undefined {
    const total = readProcessUse(this.process.pid);
    if (!total) return undefined;
    const { at = now, total: before = total } = this.use ?? {};
    this.use = { at: now, total };
    return {
      seconds: total.seconds - before.seconds,
      elapsed: (now - at) / 1000,
      memory: total.memory,
    };
  }

  /** Ends the process and waits for its exit. */
  async terminate(): Promise<void> {
    this.isEnding = true;
    await this.#qmp.execute('quit').catch(() => undefined);
    if (await waitForExit(this.process, quitTimeoutMs)) return;
    await killProcess(this.process);
  }

  /** Waits for the exit of a process whose connection has ended. */
  waitForExit(): Promise<boolean> {
    return waitForExit(this.process, killTimeoutMs);
  }
}

function isOpenAgent(device: unknown): boolean {
  const { label, 'frontend-open': isOpen } = toRecord(device);
  return label === 'agent' && isOpen === true;
}

/** Kills a process and waits for its exit. */
export async function killProcess(process: Omit<VmProcess, 'run'>): Promise<void> {
  if (isProcessOf(process.pid, process.folder, process.id)) sendKill(process.pid);
  if (await waitForExit(process, killTimeoutMs)) return;
  throw new HypervisorError('the QEMU process does not exit');
}

function sendKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It exited in the meantime.
  }
}

/** Whether a process exits within `milliseconds`. */
export async function waitForExit(
  { pid, folder, id }: Omit<VmProcess, 'run'>,
  milliseconds: number,
): Promise<boolean> {
  const until = performance.now() + milliseconds;
  while (isProcessOf(pid, folder, id)) {
    if (performance.now() > until) return false;
    await wait(pollMs);
  }
  return true;
}
