/**
 * Runs the built vmctl in processes, for tests that kill or limit it, or in the process of the
 * test.
 */
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

/** User of a server, with a home folder. */
export class User {
  readonly #env: NodeJS.ProcessEnv;
  readonly #home: string;

  /** @param env additional variables of the commands */
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

  /** Starts a process with a pipe as standard input. */
  startPiped(...words: string[]): Running {
    return this.#spawn('pipe', words);
  }

  /** Runs a command under another program, which receives it as its last arguments. */
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
    // Commands may close the pipe early.
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
   * Runs a command in this process, for preparations and usage errors. `start` and `runProcess` are
   * for properties of processes.
   */
  async run(...words: string[]): Promise<Outcome> {
    return await builtVmctl(words, { env: setVariables(this.#env) });
  }

  /** Runs a process that reads a file, or bytes, through a pipe. */
  async fed(input: string | Buffer, ...words: string[]): Promise<Outcome> {
    // Only a process has a separate folder for temporary files.
    if (triesMutants && this.#env['TMPDIR'] === undefined) {
      const stdin = typeof input === 'string' ? readFileSync(input) : input;
      return await builtVmctl(words, { env: setVariables(this.#env), stdin });
    }
    const { process: child, outcome } = this.startPiped(...words);
    if (typeof input === 'string') createReadStream(input).pipe(child.stdin as Writable);
    else child.stdin?.end(input);
    return await outcome;
  }

  /** Runs a command in this process that must succeed. Returns its output. */
  async must(...words: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(...words);
    if (code !== 0) throw new Error(`vmctl ${words.join(' ')} exited with ${code}: ${stderr}`);
    return stdout;
  }

  /** Count of completed blocks in the only journal. */
  journaled(): number {
    return this.#journal()
      .split('\n')
      .flatMap((line): [number, number][] => {
        try {
          return (JSON.parse(line) as { blocks?: [number, number][] }).blocks ?? [];
        } catch {
          return [];
        }
      })
      .reduce((sum, [first, last]) => sum + last - first + 1, 0);
  }

  /** Property of the transfer in the only journal, which is written first. */
  readJournal(member: 'disk' | 'file'): string | undefined {
    const [header = ''] = this.#journal().split('\n', 1);
    return header === '' ? undefined : (JSON.parse(header) as Record<string, string>)[member];
  }

  /** Names of the remaining files of journals. */
  journals(): string[] {
    return existsSync(this.#journalFolder) ? readdirSync(this.#journalFolder) : [];
  }

  get #journalFolder(): string {
    return join(this.#home, '.local/state/vmctl/transfers');
  }

  /** Text of the only journal. Empty before it exists under its final name, and after its removal. */
  #journal(): string {
    const name = this.journals().find((each) => each.endsWith('.jsonl'));
    try {
      return name === undefined ? '' : readFileSync(join(this.#journalFolder, name), 'utf8');
    } catch {
      return '';
    }
  }

  /** Waits until a running command has recorded this count of blocks. */
  async until(blocks: number, running: Running): Promise<void> {
    while (this.journaled() < blocks) {
      if (running.process.exitCode !== null) {
        throw new Error(`The command ended too early: ${(await running.outcome).stderr}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
}

/** Peak resident memory of a process, in MiB. Linux only. */
export function peakMemory(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}

/** Progress in the `-o jsonl` output on stderr. */
export function parseProgress(stderr: string): {
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
