/** Makes system calls of a running process fail: strace tampers with the n-th call of each thread. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Why calls cannot be made to fail here; undefined where they can. */
export function cannotInject(): string | undefined {
  if (process.platform !== 'linux') return 'needs Linux';
  const words = ['-f', '-qq', '-e', 'trace=none', '-e', 'inject=fdatasync:error=EIO', 'true'];
  return spawnSync('strace', words).status === 0
    ? undefined
    : 'needs strace, and to be allowed to trace';
}

export interface Fault {
  /** Names of system calls, with commas. */
  readonly call: string;
  /** What happens to them: `error=EIO`, `retval=100`; they are only noted where nothing does. */
  readonly effect?: string;
  /** Which call of each thread it happens to; `3+` means all from the third on. All unless given. */
  readonly when?: string;
  /** Only calls that concern this file, or these. */
  readonly paths?: readonly string[];
  /** Only calls of the main thread: begins much sooner, as each thread is stopped for it. */
  readonly mainOnly?: boolean;
}

/** A call that was seen. */
export interface SeenCall {
  readonly thread: number;
  /** The call with its arguments and what came of it; descriptors with the names of their files. */
  readonly text: string;
}

/** Words of strace that make a fault of what it traces, and note the calls in a file. */
export function straceWords({ call, effect, when, paths = [] }: Fault, log: string): string[] {
  return [
    ...['-y', '-o', log, '-e', `trace=${call}`, ...paths.flatMap((path) => ['-P', path])],
    ...(effect === undefined ? [] : ['-e', `inject=${call}:${effect}:when=${when ?? '1+'}`]),
  ];
}

/** The calls that are noted in a file. */
export function callsIn(log: string): SeenCall[] {
  return readFileSync(log, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, thread, text] = /^(\d+) +(\w+\(.*)/.exec(line) ?? [];
      return text === undefined ? [] : [{ thread: Number(thread), text }];
    });
}

/** How many of the calls in a file did not do what they were asked for. */
export function struckIn(log: string): number {
  return readFileSync(log, 'utf8').split('(INJECTED)').length - 1;
}

/**
 * How many calls the thread has made that has made most of them: the last that a fault can strike. Of
 * all threads, or of those beside one.
 */
export function mostOfOneThread(calls: readonly SeenCall[], beside?: number): number {
  const counts = new Map<number, number>();
  for (const { thread } of calls) counts.set(thread, (counts.get(thread) ?? 0) + 1);
  if (beside !== undefined) counts.delete(beside);
  return Math.max(0, ...counts.values());
}

/** What was done to a process, until it is let go. */
export class Injection {
  readonly #folder = mkdtempSync(join(tmpdir(), 'vmctl-strace-'));
  readonly #tracer: ChildProcess;
  readonly #ended: Promise<unknown>;

  private constructor(pid: number, fault: Fault) {
    const threads = fault.mainOnly ? [] : ['-f'];
    const words = [...threads, '-p', String(pid), ...straceWords(fault, this.#log)];
    this.#tracer = spawn('strace', words, { stdio: 'ignore' });
    this.#ended = new Promise((resolve) => this.#tracer.once('exit', resolve));
  }

  get #log(): string {
    return join(this.#folder, 'log');
  }

  /** Begins to tamper with the threads of a process. */
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

  /** The calls that were seen so far: each line names the file. */
  calls(): SeenCall[] {
    return callsIn(this.#log);
  }

  /** Lets the process go; resolves with how many calls were made to fail. */
  async end(): Promise<number> {
    this.#tracer.kill('SIGINT');
    await this.#ended;
    const failed = struckIn(this.#log);
    rmSync(this.#folder, { recursive: true, force: true });
    return failed;
  }
}
