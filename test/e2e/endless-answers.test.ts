/** Endless responses: the command fails with a hint before it runs out of memory. */
import { spawn } from 'node:child_process';
import type { ServerResponse } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { vmctl } from '../support/server.ts';
import { startTlsServer, type TlsServer } from '../support/tls-server.ts';

const MiB = 2 ** 20;

let server: TlsServer | undefined;

afterEach(() => server?.close());

interface Failure {
  readonly code: number | null;
  readonly stdout: number;
  readonly stderr: string;
}

/**
 * Runs a command with little memory against a server whose response starts with `begin` and repeats
 * `more` forever.
 */
async function failing(words: readonly string[], begin: string, more: Buffer): Promise<Failure> {
  server = await startTlsServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    if (begin !== '') response.write(begin);
    pour(response, more);
  });
  const child = spawn(process.execPath, ['--max-old-space-size=160', vmctl, ...words], {
    env: { PATH: process.env['PATH'], ...server.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = 0;
  let stderr = '';
  child.stdout.on('data', (piece: Buffer) => {
    stdout += piece.length;
  });
  child.stderr.on('data', (piece: Buffer) => {
    stderr += piece.toString();
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}

/** Writes until the reader closes the connection. */
function pour(response: ServerResponse, piece: Buffer): void {
  const go = () => {
    if (response.destroyed) return;
    if (response.write(piece)) setImmediate(go);
    else response.once('drain', go);
  };
  go();
}

const objects = Buffer.from(`{"id":"1","name":"${'x'.repeat(200)}"},`.repeat(200));

it.each([
  ['as a table', [], /use -o jsonl, csv or tsv/],
  ['that is sorted', ['--sort', 'name', '-o', 'json'], /remove --sort and --query/],
  ['that is queried', ['--query', '[0]'], /remove --sort and --query/],
])('C4 an endless list %s', async (_, flags, hint) => {
  const ended = await failing(['vms', 'list', ...flags], '{"vm":[', objects);
  expect(ended).toMatchObject({ code: 1, stdout: 0, stderr: expect.stringMatching(hint) });
});

it('C4 an endless list with a time limit', async () => {
  const words = ['vms', 'list', '-o', 'id', '--timeout', '2s'];
  const ended = await failing(words, '{"vm":[', objects);
  expect(ended).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('exceeded its timeout of 2s'),
  });
  expect(ended.stdout).toBeGreaterThan(0);
});

it.each([
  ['an object of a list', ['vms', 'list', '-o', 'jsonl'], '{"vm":[{"name":"', 'x', '16 MiB'],
  ['an answer', ['vms', 'get', '11111111-0000-0000-0000-000000000001'], '{"a":"', 'x', '256 MiB'],
  ['blanks', ['vms', 'list'], '', ' ', '256 MiB'],
])('C4 endless %s', async (_, words, begin, filling, bound) => {
  const ended = await failing(words, begin, Buffer.alloc(MiB, filling));
  expect(ended).toMatchObject({ code: 10, stdout: 0, stderr: expect.stringContaining(bound) });
});
