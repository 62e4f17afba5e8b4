/** Runs the built vmctl, as processes that tests interfere with or in the one of the test. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { setVariables, shareCompiledCode } from '../../support/command.ts';
import { builtVmctl } from '../../support/in-process.ts';
import { triesMutants } from '../../support/mutants.ts';
import { type TestServer, vmctl } from '../../support/server.ts';

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly process: ChildProcess;
  readonly outcome: Promise<Outcome>;
}

/** A user of a server, whose home is a folder. */
export class User {
  readonly #env: NodeJS.ProcessEnv;
  readonly #home: string;

  /** @param env further variables of the commands */
  constructor(server: TestServer, home: string, env: NodeJS.ProcessEnv = {}) {
    this.#home = home;
    if (!existsSync(join(home, '.cache'))) shareCompiledCode(join(home, '.cache'));
    this.#env = {
      PATH: process.env['PATH'],
      HOME: home,
      VMCTL_URL: server.ready.base_url,
      VMCTL_USERNAME: server.ready.username,
      VMCTL_PASSWORD: server.password,
      VMCTL_CA_FILE: server.ready.ca_file,
      ...env,
    };
  }

  /** Starts a process. */
  start(...words: string[]): Running {
    return this.#spawn('ignore', words);
  }

  /** The same with a pipe as standard input. */
  startPiped(...words: string[]): Running {
    return this.#spawn('pipe', words);
  }

  /** Runs a command under another program, which gets it as its last words. */
  async runUnder(program: readonly string[], ...words: string[]): Promise<Outcome> {
    return await this.#spawn('ignore', words, program).outcome;
  }

  #spawn(
    stdin: 'ignore' | 'pipe',
    words: readonly string[],
    under: readonly string[] = [],
  ): Running {
    const [program, ...rest] = [...under, process.execPath, vmctl, ...words] as [string];
    const child = spawn(program, rest, {
      env: this.#env,
      stdio: [stdin, 'pipe', 'pipe'],
    });
    // Commands need not read to the end of what they are given.
    child.stdin?.on('error', () => undefined);
    let stdout = '';
    let stderr = '';
    child.stdout?.on('data', (piece: Buffer) => {
      stdout += piece.toString();
    });
    child.stderr?.on('data', (piece: Buffer) => {
      stderr += piece.toString();
    });
    const outcome = new Promise<Outcome>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve({ code, stdout, stderr }));
    });
    return { process: child, outcome };
  }

  /** Runs a process to its end. */
  async runProcess(...words: string[]): Promise<Outcome> {
    return await this.start(...words).outcome;
  }

  /**
   * Runs a command in this process: for what leads to the case, and for mistakes that are told before
   * anything begins. `start` and `runProcess` are for what a process has alone.
   */
  async run(...words: string[]): Promise<Outcome> {
    return await builtVmctl(words, { env: setVariables(this.#env) });
  }

  /** Runs a process that reads a file, or some bytes, through a pipe. */
  async fed(input: string | Buffer, ...words: string[]): Promise<Outcome> {
    // A folder for temporary files is that of a process.
    if (triesMutants && this.#env['TMPDIR'] === undefined) {
      const stdin = typeof input === 'string' ? readFileSync(input) : input;
      return await builtVmctl(words, { env: setVariables(this.#env), stdin });
    }
    const { process: child, outcome } = this.startPiped(...words);
    if (typeof input === 'string') createReadStream(input).pipe(child.stdin as Writable);
    else child.stdin?.end(input);
    return await outcome;
  }

  /** Runs a command in this process that must succeed; returns what it printed. */
  async must(...words: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(...words);
    if (code !== 0) throw new Error(`vmctl ${words.join(' ')} exited with ${code}: ${stderr}`);
    return stdout;
  }

  /** The blocks that the only journal there is tells to be done. */
  journaled(): number {
    const folder = join(this.#home, '.local/state/vmctl/transfers');
    const [name] = existsSync(folder) ? readdirSync(folder) : [];
    if (name === undefined) return 0;
    const lines = readFileSync(join(folder, name), 'utf8').split('\n');
    return lines
      .flatMap((line): [number, number][] => {
        try {
          return (JSON.parse(line) as { blocks?: [number, number][] }).blocks ?? [];
        } catch {
          return [];
        }
      })
      .reduce((sum, [first, last]) => sum + last - first + 1, 0);
  }

  /** What the only journal there is says about the transfer; nothing before it is written. */
  journalOf(member: 'disk' | 'file'): string | undefined {
    const folder = join(this.#home, '.local/state/vmctl/transfers');
    const [name] = existsSync(folder) ? readdirSync(folder) : [];
    if (name === undefined) return undefined;
    const [header = ''] = readFileSync(join(folder, name), 'utf8').split('\n', 1);
    return header === '' ? undefined : (JSON.parse(header) as Record<string, string>)[member];
  }

  /** Names of the journals that are left. */
  journals(): string[] {
    const folder = join(this.#home, '.local/state/vmctl/transfers');
    return existsSync(folder) ? readdirSync(folder) : [];
  }

  /** Waits until a running command has noted so many blocks. */
  async until(blocks: number, running: Running): Promise<void> {
    while (this.journaled() < blocks) {
      if (running.process.exitCode !== null) {
        throw new Error(`The command ended too early: ${(await running.outcome).stderr}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
}

/** The largest memory that a process ever had resident, in MiB; Linux only. */
export function peakMemory(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}

/** Progress as `-o jsonl` tells it on stderr. */
export function progressOf(stderr: string): {
  readonly phase: string;
  readonly transferred: number;
  readonly resumed: number;
  readonly skipped: number;
  readonly total: number;
}[] {
  return stderr
    .split('\n')
    .filter((line) => line.startsWith('{"event":"progress"'))
    .map((line) => JSON.parse(line));
}
