/** Measured server, which reports its CPU time, and its HTTP agent. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { longestHold, reportedCpu, reporting, watchLoop } from './process-report.ts';
import { type Answer, ask } from './request.ts';
import { vmctl } from './site.ts';

/** Authorization header of the administrator. */
export const authorization = `Basic ${Buffer.from('admin@internal:bench').toString('base64')}`;

interface ServerSettings {
  readonly data?: string;
  readonly speed?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export class MeasuredServer {
  readonly apiUrl: string;
  readonly caFile: string;
  /** Seconds from the start of the process until it was ready. */
  readonly readyAfter: number;
  readonly data: string;
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #agent: Agent;

  private constructor(
    child: ChildProcess,
    folders: { readonly folder: string; readonly data: string },
    ready: Readonly<Record<string, string>>,
    readyAfter: number,
  ) {
    this.apiUrl = ready['api_url'] ?? '';
    this.caFile = ready['ca_file'] ?? '';
    this.readyAfter = readyAfter;
    this.data = folders.data;
    this.#child = child;
    this.#folder = folders.folder;
    this.#agent = new Agent({ keepAlive: true, ca: readFileSync(this.caFile) });
  }

  /** Starts a server. The default data folder is temporary; by default, transitions take no time. */
  static async start(
    options: readonly string[],
    { data: given, speed = 0, env = {} }: ServerSettings = {},
  ): Promise<MeasuredServer> {
    const folder = mkdtempSync(join(tmpdir(), 'vmctl-bench-'));
    const data = given ?? join(folder, 'data');
    const readyFile = join(folder, 'ready.json');
    const began = performance.now();
    const child = spawn(
      process.execPath,
      [
        ...[...reporting, vmctl, 'serve', '--data', data, '--speed', String(speed), ...options],
        ...['--listen', '127.0.0.1:0', '--images-listen', '127.0.0.1:0'],
        ...['--ready-file', readyFile],
      ],
      {
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
        env: { ...process.env, VMCTL_SERVE_PASSWORD: 'bench', ...env },
      },
    );
    let said = '';
    child.stderr?.on('data', (piece: Buffer) => {
      said = `${said}${piece.toString()}`.slice(-4_000);
    });
    while (!existsSync(readyFile)) {
      if (child.exitCode !== null) {
        throw new Error(`The server ended with ${child.exitCode}: ${said}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const readyAfter = (performance.now() - began) / 1_000;
    const ready = JSON.parse(readFileSync(readyFile, 'utf8')) as Record<string, string>;
    return new MeasuredServer(child, { folder, data }, ready, readyAfter);
  }

  /** CPU time since the start, in seconds. */
  cpu(): Promise<number> {
    return reportedCpu(this.#child);
  }

  /** Starts to measure the event loop delay. */
  watchLoop(): Promise<void> {
    return watchLoop(this.#child);
  }

  /** Longest event loop delay in milliseconds since then. */
  longestHold(): Promise<number> {
    return longestHold(this.#child);
  }

  /** Resident memory in MiB. */
  memory(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1]) / 1024;
  }

  /** Sends one request over a persistent connection. Throws unless it succeeds. */
  async ask(
    method: string,
    path: string,
    { body, accept = 'application/json' }: { body?: object; accept?: string } = {},
  ): Promise<Answer> {
    const headers = { Accept: accept, Authorization: authorization };
    const text = body === undefined ? undefined : JSON.stringify(body);
    return await ask(this.#agent, method, `${this.apiUrl}${path}`, headers, text);
  }

  async get(path: string, accept = 'application/json'): Promise<Buffer> {
    return (await this.ask('GET', path, { accept })).body;
  }

  /** Ids of at most `max` VMs. */
  async vmIds(max: number): Promise<string[]> {
    const list = JSON.parse(String(await this.get(`/vms?max=${max}`))) as { vm?: { id: string }[] };
    return (list.vm ?? []).map(({ id }) => id);
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    if (this.#child.exitCode === null) {
      const ended = once(this.#child, 'exit');
      this.#child.kill('SIGTERM');
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
