/** Servers that say nothing, or hardly anything: the command ends all the same, and says why. */
import type { RequestListener, ServerResponse } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { startTlsServer, type TlsServer } from '../../support/tls-server.ts';
import { vmctl } from '../support/run.ts';

const type = { 'content-type': 'application/json' };

let server: TlsServer | undefined;
let closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers) close();
  closers = [];
  server?.close();
});

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly exit_code: number;
}

/** Runs a command against a server that answers so; tells how it failed. */
async function failing(answer: RequestListener, ...words: string[]): Promise<Failure> {
  server = await startTlsServer(answer);
  const { code, stdout, stderr } = await vmctl(words, { env: server.env });
  const error = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as Failure;
  expect(code).toBe(error.exit_code);
  expect(stdout).toBe('');
  return error;
}

/** Writes a byte now and then. */
function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), 100);
  closers.push(() => clearInterval(timer));
}

it.each([
  ['says nothing', () => undefined],
  [
    'stops behind the head',
    (response: ServerResponse) => response.writeHead(200, type).flushHeaders(),
  ],
  [
    'drips',
    (response: ServerResponse) => {
      response.writeHead(200, type);
      drip(response);
    },
  ],
])('C4 a server that %s', async (_, answer) => {
  for (const verb of [['list'], ['get', '11111111-0000-0000-0000-000000000001']]) {
    const words = ['vms', ...verb, '-o', 'json', '--idle-timeout', '1s', '--retries', '0'];
    const error = await failing((__, response) => answer(response), ...words);
    expect(error).toMatchObject({ exit_code: 8, code: expect.stringMatching(/timeout|lost/) });
    server?.close();
  }
});
