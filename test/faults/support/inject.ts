/**
 * Failure injection into the system calls of a running process: strace modifies the n-th call of
 * each thread.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Reason why injection is impossible; undefined if possible. */
export function cannotInject(): string | undefined {
  if (process.platform !== 'linux') return 'needs Linux';
  const words = ['-f', '-qq', '-e', 'trace=none', '-e', 'inject=fdatasync:error=EIO', 'true'];
  return spawnSync('strace', words).status === 0
    ? undefined
    : 'needs strace, and to be allowed to trace';
}

export interface Fault {
  /** Names of system calls, separated by commas. */
  readonly call: string;
  /** Injected effect: `error=EIO`, `retval=100`; without it the calls are only logged. */
  readonly effect?: string;
  /** Number of the affected call of each thread; `3+` means all from the third on. Default: all. */
  readonly when?: string;
  /** Restricts the injection to calls on these files. */
  readonly paths?: readonly string[];
  /** Restricts the injection to the main thread, which attaches faster. */
  readonly mainOnly?: boolean;
}

/** A logged call. */
export interface SeenCall {
  readonly thread: number;
  /** Call with arguments and result; descriptors have file names. */
  readonly text: string;
}

/** Arguments of strace that inject a fault and log the calls to a file. */
export function createStraceArguments(
  { call, effect, when, paths = [] }: Fault,
  log: string,
): string[] {
  return [
    ...['-y', '-o', log, '-e', `trace=${call}`, ...paths.flatMap((path) => ['-P', path])],
    ...(effect === undefined ? [] : ['-e', `inject=${call}:${effect}:when=${when ?? '1+'}`]),
  ];
}

/** Calls in a log file. */
export function readCalls(log: string): SeenCall[] {
  return readFileSync(log, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, thread, text] = /^(\d+) +(\w+\(.*)/.exec(line) ?? [];
      return text === undefined ? [] : [{ thread: Number(thread), text }];
    });
}

/** Number of calls in a log file that were modified. */
export function countModified(log: string): number {
  return readFileSync(log, 'utf8').split('(INJECTED)').length - 1;
}

/**
 * Maximum number of calls of one thread: the last call that a fault can affect. Excludes the thread
 * `beside`, if given.
 */
export function countMostCalls(calls: readonly SeenCall[], beside?: number): number {
  const counts = new Map<number, number>();
  for (const { thread } of calls) counts.set(thread, (counts.get(thread) ?? 0) + 1);
  if (beside !== undefined) counts.delete(beside);
  return Math.max(0, ...counts.values());
}

/** Running injection into a process. */
export class Injection {
  readonly #folder = mkdtempSync(join(tmpdir(), 'vmctl-strace-'));
  readonly #tracer: ChildProcess;
  readonly #ended: Promise<unknown>;

  private constructor(pid: number, fault: Fault) {
    const threads = fault.mainOnly ? [] : ['-f'];
    const words = [...threads, '-p', String(pid), ...createStraceArguments(fault, this.#log)];
    this.#tracer = spawn('strace', words, { stdio: 'ignore' });
    this.#ended = new Promise((resolve) => this.#tracer.once('exit', resolve));
  }

  get #log(): string {
    return join(this.#folder, 'log');
  }

  /** Starts an injection into the threads of a process. */
  static async into(pid: number, fault: Fault): Promise<Injection> {
    const injection = new Injection(pid, fault);
    const traced = (thread: string) => {
      const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8');
      return /^TracerPid:\t[1-9]/m.test(status);
    };
    const threads = () => (fault.mainOnly ? [String(pid)] : readdirSync(`/proc/${pid}/task`));
    while (!threads().every(traced)) {
      if (injection.#tracer.exitCode !== null) throw new Error('strace has ended.');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return injection;
  }

  /** Logged calls so far; each line has the file name. */
  calls(): SeenCall[] {
    return readCalls(this.#log);
  }

  /** Detaches from the process; resolves with the number of modified calls. */
  async end(): Promise<number> {
    this.#tracer.kill('SIGINT');
    await this.#ended;
    const failed = countModified(this.#log);
    rmSync(this.#folder, { recursive: true, force: true });
    return failed;
  }
}
