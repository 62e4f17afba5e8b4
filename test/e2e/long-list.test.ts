/** Lists larger than the memory limit of the command are printed completely. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { vmctl } from '../support/server.ts';
import { startTlsServer, type TlsServer } from '../support/tls-server.ts';

const count = 20_000;
/** Padding per object; the complete list has six times the heap limit, and exceeds `most`. */
const padding = 'x'.repeat(10_000);
const heap = 32;
/**
 * Maximum memory of the process in MiB: twice the usual amount, because garbage collection is late
 * on a busy computer, but far below the size of the list.
 */
const most = 250;

let server: TlsServer;
let env: NodeJS.ProcessEnv;

function* pieces(from: number, to: number): Generator<string> {
  for (let index = from; index < to; index += 1) {
    const vm = { id: `id-${index}`, name: `vm-${index}`, description: padding };
    yield `${index === from ? '{"vm":[' : ','}${JSON.stringify(vm)}`;
  }
  yield to > from ? ']}' : '{}';
}

beforeAll(async () => {
  server = await startTlsServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'https://x');
    const max = Number(searchParams.get('max') ?? count);
    const page = Number(/page (\d+)/.exec(searchParams.get('search') ?? '')?.[1] ?? 1);
    response.setHeader('content-type', 'application/json');
    if (request.method === 'HEAD') response.end();
    else Readable.from(pieces((page - 1) * max, Math.min(count, page * max))).pipe(response);
  });
  env = { PATH: process.env['PATH'], ...server.env };
});

afterAll(() => server.close());

/** Peak memory of a process in MiB; 0 if unknown. */
function readPeakMemory({ pid }: ChildProcess): number {
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
    memory = Math.max(memory, readPeakMemory(child));
  });
  return new Promise((resolve) => {
    child.once('close', (code) => resolve({ code, lines, bytes, memory }));
  });
}

describe('200 MB with 32 MB of heap', () => {
  it.each([
    [['-o', 'jsonl'], count],
    [['-o', 'json'], count * 5 + 2],
    [['-o', 'csv', '--columns', 'id,name,description'], count + 1],
    [['-o', 'jsonl', '--page-size', '1000'], count],
  ])('%j', async (words, lines) => {
    const printed = await list(...words);
    expect(printed).toMatchObject({ code: 0, lines });
    expect(printed.bytes).toBeGreaterThan(count * padding.length);
    expect(printed.memory).toBeLessThan(most);
  });
});
