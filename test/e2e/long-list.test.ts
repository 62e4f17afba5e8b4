/** A list larger than the memory that the command may have is printed all the same. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { vmctl } from '../support/server.ts';
import { identity } from '../support/stub-server.ts';

const count = 30_000;
/** Bytes of each; the whole list has ten times what the process may keep. */
const padding = 'x'.repeat(10_000);
const heap = 32;

let server: Server;
let folder: string;
let env: NodeJS.ProcessEnv;

function* pieces(from: number, to: number): Generator<string> {
  for (let index = from; index < to; index += 1) {
    const vm = { id: `id-${index}`, name: `vm-${index}`, description: padding };
    yield `${index === from ? '{"vm":[' : ','}${JSON.stringify(vm)}`;
  }
  yield to > from ? ']}' : '{}';
}

beforeAll(async () => {
  const { ca, certificate, key } = identity();
  server = createServer({ cert: certificate, key }, (request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'https://x');
    const max = Number(searchParams.get('max') ?? count);
    const page = Number(/page (\d+)/.exec(searchParams.get('search') ?? '')?.[1] ?? 1);
    response.setHeader('content-type', 'application/json');
    if (request.method === 'HEAD') response.end();
    else Readable.from(pieces((page - 1) * max, Math.min(count, page * max))).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  folder = mkdtempSync(join(tmpdir(), 'vmctl-long-'));
  writeFileSync(join(folder, 'ca.pem'), ca);
  env = {
    PATH: process.env['PATH'],
    HOME: folder,
    VMCTL_URL: `https://127.0.0.1:${(server.address() as AddressInfo).port}/virt-app`,
    VMCTL_TOKEN: 'token',
    VMCTL_CA_FILE: join(folder, 'ca.pem'),
  };
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Most memory that a process has had so far, in MiB; 0 where nobody tells. */
function memoryOf({ pid }: ChildProcess): number {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return 0;
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? 0) / 1024;
}

interface Printed {
  readonly code: number | null;
  readonly lines: number;
  readonly bytes: number;
  readonly memory: number;
}

function list(...words: string[]): Promise<Printed> {
  const argv = [`--max-old-space-size=${heap}`, vmctl, 'vms', 'list', ...words];
  const child = spawn(process.execPath, argv, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let lines = 0;
  let bytes = 0;
  let memory = 0;
  let looked = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
    if (bytes - looked < 10_000_000) return;
    looked = bytes;
    memory = Math.max(memory, memoryOf(child));
  });
  return new Promise((resolve) => {
    child.once('close', (code) => resolve({ code, lines, bytes, memory }));
  });
}

describe('300 MB with 32 MB of heap', () => {
  it.each([
    [['-o', 'jsonl'], count],
    [['-o', 'json'], count * 5 + 2],
    [['-o', 'csv', '--columns', 'id,name,description'], count + 1],
    [['-o', 'jsonl', '--page-size', '1000'], count],
  ])('%j', async (words, lines) => {
    const printed = await list(...words);
    expect(printed).toMatchObject({ code: 0, lines });
    expect(printed.bytes).toBeGreaterThan(count * padding.length);
    expect(printed.memory).toBeLessThan(200);
  });
});
