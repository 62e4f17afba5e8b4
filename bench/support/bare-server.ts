/**
 * Bare `node:https` server in a separate process that answers every request with the same bytes.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { reportedCpu, reporting } from './process-report.ts';
import { ask } from './request.ts';

/** Files of the bare server. */
interface Files {
  readonly key: string;
  readonly cert: string;
  readonly ca: string;
  readonly body: string;
}

export class BareServer {
  readonly #child: ChildProcess;
  readonly #url: string;
  readonly #agent: Agent;

  private constructor(child: ChildProcess, port: number, ca: string) {
    this.#child = child;
    this.#url = `https://127.0.0.1:${port}/`;
    this.#agent = new Agent({ keepAlive: true, ca: readFileSync(ca) });
  }

  static async start({ key, cert, ca, body }: Files, contentType: string): Promise<BareServer> {
    // The program that contains this module runs the server.
    const self = fileURLToPath(import.meta.url);
    const child = spawn(
      process.execPath,
      [...reporting, self, '--bare', key, cert, body, contentType],
      { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
    );
    const [port] = (await once(child, 'message')) as [number];
    return new BareServer(child, port, ca);
  }

  /** CPU time since the start, in seconds. */
  cpu(): Promise<number> {
    return reportedCpu(this.#child);
  }

  /** Sends the same headers as to vmctl. */
  async get(headers: Readonly<Record<string, string>>): Promise<Buffer> {
    return (await ask(this.#agent, 'GET', this.#url, headers)).body;
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    const ended = once(this.#child, 'exit');
    this.#child.kill();
    await ended;
  }
}

/** Runs the server if requested by the command line. Returns whether it was. */
export function playBare(words: readonly string[]): boolean {
  const [part, key = '', cert = '', body = '', contentType = ''] = words;
  if (part !== '--bare') return false;
  const bytes = readFileSync(body);
  const server = createServer(
    { key: readFileSync(key), cert: readFileSync(cert) },
    (_, response) => {
      response.writeHead(200, { 'Content-Type': contentType, 'Content-Length': bytes.length });
      response.end(bytes);
    },
  );
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  return true;
}
