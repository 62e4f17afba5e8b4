// Daemon in the thread of the test, image files, and a client.
import { mkdtemp, open, readFile, rm, truncate } from 'node:fs/promises';
import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type DaemonDependencies, runDaemon } from '../../../src/images/daemon.ts';
import { PieceMemory } from '../../../src/images/system/piece-memory.ts';
import type { Ticket } from '../../../src/images/tickets/types.ts';
import type { ImageDaemon, ImageDaemonOptions } from '../../../src/images/types.ts';
import { FakeClock } from './fake-clock.ts';
import { startQemuNbd } from './nbd-server.ts';
import { RawClient } from './raw-client.ts';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  text: string;
}

export interface Ask {
  headers?: OutgoingHttpHeaders;
  body?: string | Buffer;
  agent?: Agent;
}

export interface Harness {
  daemon: ImageDaemon;
  clock: FakeClock;
  memory: PieceMemory;
  directory: string;
  /** Sends a request and reads the complete response. */
  ask(method: string, path: string, ask?: Ask): Promise<Answer>;
  connect(): Promise<RawClient>;
  /** Creates an image file and a ticket for it. Returns a function that reads the file. */
  image(ticket: Partial<Ticket> & { content: Buffer }): Promise<() => Promise<Buffer>>;
}

/** Storage of images: files, or files exported by an NBD server. */
export type Storage = 'file' | 'nbd';

/** Starts a daemon without TLS that ends with the test. */
export async function startHarness(
  options: Partial<ImageDaemonOptions> = {},
  parts: Partial<DaemonDependencies> = {},
  storage: Storage = 'file',
): Promise<Harness> {
  const directory = await mkdtemp(join(tmpdir(), 'images-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const clock = new FakeClock();
  const memory = parts.memory ?? new PieceMemory(4, 16);
  const daemon = await runDaemon(
    { host: '127.0.0.1', port: 0, ...options },
    { clock, memory, ...parts },
  );
  onTestFinished(async () => {
    const closed = daemon.close();
    // Exceed every grace period, so that no test waits for one.
    while (!(await settled(closed))) clock.advance(60);
  });
  return {
    daemon,
    clock,
    memory,
    directory,
    ask: (method, path, ask = {}) => send(daemon.port, method, path, ask),
    connect: () => RawClient.connect(daemon.port),
    async image({ content, ...given }) {
      const path = join(directory, given.id ?? 'image');
      const file = await open(path, 'a');
      await file.writeFile(content);
      await file.close();
      const ticket: Ticket = {
        id: 'image',
        size: content.length,
        ops: ['read', 'write'],
        image: { kind: 'file', path },
        timeout: 300,
        inactivityTimeout: 60,
        sparse: true,
        ...given,
      };
      if (storage === 'nbd' && !parts.openBackend) {
        // Exports cannot grow.
        if (content.length < ticket.size) await truncate(path, ticket.size);
        ticket.image = (await startQemuNbd(path, ['-f', 'raw', '--discard=unmap'])).place;
      }
      await daemon.add(ticket);
      return () => readFile(path);
    },
  };
}

/** Bytes that differ from adjacent bytes and from those of other seeds. */
export function pattern(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length);
  for (let i = 0; i < length; i++) bytes[i] = ((i * 31 + (i >> 8) * 7 + seed * 97) % 255) + 1;
  return bytes;
}

/** Agent with one persistent connection. */
export function keepAliveAgent(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return agent;
}

function send(port: number, method: string, path: string, ask: Ask): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { headers = {}, body, agent } = ask;
    const outgoing = request(
      { host: '127.0.0.1', port, method, path, headers, ...(agent ? { agent } : { agent: false }) },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const whole = Buffer.concat(chunks);
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            body: whole,
            text: whole.toString(),
          });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

async function settled(promise: Promise<unknown>): Promise<boolean> {
  const tick = new Promise<false>((resolve) => setTimeout(() => resolve(false), 5));
  return Promise.race([promise.then(() => true), tick]);
}
