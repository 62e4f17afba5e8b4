/** Client of the tools of `vmctl mcp`: its protocol over the pipes of a process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { vmctl } from '../../support/server.ts';

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly properties: Record<string, { readonly enum?: string[] }> };
  readonly annotations: { readonly readOnlyHint: boolean; readonly destructiveHint?: boolean };
}

export interface Result {
  readonly content: readonly { readonly text: string }[];
  readonly isError?: boolean;
  readonly tools?: readonly Tool[];
}

/** A client of `vmctl mcp` that speaks the protocol, message by message. */
export class Agent {
  readonly child: ChildProcess;
  readonly #waiting = new Map<number, (message: Record<string, unknown>) => void>();
  #count = 0;

  constructor(words: readonly string[], env: NodeJS.ProcessEnv) {
    this.child = spawn(process.execPath, [vmctl, 'mcp', ...words], {
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    createInterface({ input: this.child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      // Standard output must contain only messages.
      const message = JSON.parse(line) as Record<string, unknown>;
      this.#waiting.get(Number(message['id']))?.(message);
    });
  }

  send(message: object): void {
    this.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  async ask(method: string, params: object = {}): Promise<Record<string, unknown>> {
    this.#count += 1;
    const id = this.#count;
    const answer = new Promise<Record<string, unknown>>((resolve) =>
      this.#waiting.set(id, resolve),
    );
    this.send({ id, method, params });
    return await answer;
  }

  async begin(): Promise<Record<string, unknown>> {
    const { result } = await this.ask('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    });
    this.send({ method: 'notifications/initialized' });
    return result as Record<string, unknown>;
  }

  async tools(): Promise<readonly Tool[]> {
    const { result } = await this.ask('tools/list');
    return (result as Result).tools ?? [];
  }

  async use(name: string, input: object): Promise<Result> {
    const { result, error } = await this.ask('tools/call', { name, arguments: input });
    if (error) throw new Error(JSON.stringify(error));
    return result as Result;
  }
}
