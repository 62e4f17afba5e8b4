/** Measured programs: time, CPU time and memory. */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface Cost {
  readonly seconds: number;
  /** CPU time of the program and its children in seconds, user and system. */
  readonly cpu: number;
  /** Peak memory in MiB. */
  readonly memory: number;
  readonly stdout: string;
}

/** A shell reports the CPU time of its command, which Node does not report for children. */
const timed = 'TIMEFORMAT="%U %S"; time "$@"';

/** Runs a command. Throws if it fails. */
export async function run(command: readonly string[], env: NodeJS.ProcessEnv): Promise<Cost> {
  const began = performance.now();
  const child = spawn('bash', ['-c', timed, '-', ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env, LC_ALL: 'C' },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (piece: Buffer) => {
    stdout += piece.toString();
  });
  child.stderr.on('data', (piece: Buffer) => {
    stderr += piece.toString();
  });
  let memory = 0;
  const look = setInterval(() => {
    for (const pid of listChildren(child.pid ?? 0)) memory = Math.max(memory, readPeakMemory(pid));
  }, 20);
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearInterval(look);
  const seconds = (performance.now() - began) / 1_000;
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${stderr}`);
  const [user = 0, system = 0] = stderr.trim().split('\n').at(-1)?.split(' ').map(Number) ?? [];
  return { seconds, cpu: user + system, memory, stdout };
}

function listChildren(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  } catch {
    return [];
  }
}

/** Peak resident memory of a process in MiB. 0 if unknown. */
export function readPeakMemory(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** CPU time of a running process in seconds. 0 if unknown. */
export function readCpuTime(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Fields after the name, which can contain any text, in hundredths of a second.
    const [user = 0, system = 0] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number);
    return (user + system) / 100;
  } catch {
    return 0;
  }
}

/** Whether a program is installed. */
export function isThere(program: string): boolean {
  return spawnSync('which', [program]).status === 0;
}
