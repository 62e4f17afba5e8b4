/** Requests of a server: recorded, printed without secrets, and followed live. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/command.ts';
import { type ServerProcess, startServerProcess, vmctl } from '../support/server.ts';

let server: ServerProcess;
let home: Home;

beforeAll(async () => {
  const words = ['--inventory', 'small', '--speed', '0', '--log', 'requests'];
  server = await startServerProcess(words);
  home = makeHome(server);
});
afterAll(async () => {
  home.remove();
  await server.stop();
});

interface Shown {
  readonly sequence: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly correlation_id?: string;
  readonly fault?: { readonly detail?: string };
  readonly request: { readonly headers: object; readonly body?: { readonly text?: string } };
  readonly response: { readonly headers: object; readonly body?: { readonly text?: string } };
}

async function requests(...words: string[]): Promise<readonly Shown[]> {
  const outcome = await home.runHere(['serve', 'requests', '-o', 'json', ...words]);
  expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
  return JSON.parse(outcome.stdout) as Shown[];
}

describe('vmctl serve requests', () => {
  it('prints request, response and the reason of a refusal', async () => {
    await home.runHere(['vms', 'start', 'vm-01']);
    const [last] = await requests('--limit', '1', '--path', '/start');
    expect(last).toMatchObject({
      method: 'POST',
      status: 409,
      fault: { detail: expect.stringContaining('VM is running') },
      request: { body: { text: '{}' }, headers: { 'content-type': 'application/json' } },
      response: { body: { text: expect.stringContaining('"fault"') } },
    });
    expect(last?.correlation_id).toMatch(/^vmctl-/);
    const line = /POST \S+\/start 409 \d+ ms Operation Failed: .*running.* \(vmctl-/;
    await expect.poll(() => server.stderr()).toMatch(line);
  });

  it('no secret is shown: of sign-ins, of documents in JSON and XML, of headers and addresses', async () => {
    const secret = 'swordfish-4711';
    const user = JSON.stringify({
      user_name: 'ada',
      password: secret,
      domain: { name: 'internal' },
    });
    await home.runHere(['users', 'create', '-f', '-'], {}, user);
    const file = join(home.folder, 'password');
    writeFileSync(file, secret);
    await home.runHere([
      'login',
      server.ready.base_url,
      '--username',
      'ada@internal',
      '--password-file',
      file,
    ]);
    const body = `<user><user_name>bob</user_name><password>${secret}</password><domain><name>internal</name></domain></user>`;
    await home.runHere(
      ['api', 'POST', '/users', '--input', '-', '-H', 'Content-Type: application/xml'],
      {},
      body,
    );
    await home.runHere(['api', 'GET', `/vms?password=${secret}`]);
    const { stdout } = await home.runHere(['serve', 'requests', '-o', 'json', '--limit', '50']);
    expect(stdout).toContain('user_name');
    expect(stdout).toContain('<user_name>bob</user_name><password>(hidden)</password>');
    expect(stdout).toContain('(hidden)');
    expect(stdout).not.toContain(secret);
    expect(stdout).not.toContain(server.password);
    expect(stdout).not.toMatch(/"authorization"|"cookie"/i);
    expect(server.stderr()).not.toContain(secret);
  });

  it('chooses by status, method and path, and leaves itself out', async () => {
    await home.runHere(['vms', 'get', 'nobody-at-all']);
    await home.runHere(['vms', 'start', 'vm-01']);
    for (const { status } of await requests('--status', '4xx'))
      expect(status).toBeGreaterThanOrEqual(400);
    for (const { status } of await requests('--status', '409')) expect(status).toBe(409);
    for (const { method } of await requests('--method', 'post')) expect(method).toBe('POST');
    const found = await requests('--path', 'nobody-at-all');
    expect(found.map(({ path }) => path)).toEqual([expect.stringContaining('nobody-at-all')]);
    expect(JSON.stringify(await requests('--limit', '1000'))).not.toContain('_vmctl');
  });

  it('streams a list of any length; of its body it records only the length', async () => {
    await home.runHere(['vms', 'list']);
    const [small] = await requests('--path', '/api/vms', '--limit', '1');
    expect(small?.response.body?.text).toContain('vm-01');
    const roles = await home.runHere(['api', 'GET', '/roles?follow=permits']);
    expect(roles.stdout.length).toBeGreaterThan(65_536);
    const [large] = await requests('--path', '/roles', '--limit', '1');
    expect(large?.response.body).toMatchObject({
      omitted: expect.stringContaining('65536'),
      bytes: expect.any(Number),
    });
  });

  it('follows: every request is shown once, in order', async () => {
    const child = spawn(
      process.execPath,
      [vmctl, 'serve', 'requests', '--follow', '--count', '30', '--path', '/tags', '-o', 'jsonl'],
      { env: home.env, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let text = '';
    child.stdout.on('data', (piece: Buffer) => {
      text += piece.toString();
    });
    let isOver = false;
    const end = once(child, 'exit').then(([code]) => {
      isOver = true;
      return code as number;
    });
    while (!isOver) await home.runHere(['tags', 'list', '-q']);
    expect(await end).toBe(0);
    const all = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Shown);
    expect(all).toHaveLength(30);
    const numbers = all.map(({ sequence }) => sequence);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  });

  it.each([
    ['a number that is none', ['--limit', 'few'], /--limit few/],
    ['a status that is none', ['--status', 'bad'], /write 409, or 4xx/],
    ['an end without a way', ['--count', '3'], /--count requires --follow/],
  ])('%s is refused', async (_, words, message) => {
    const { code, stderr } = await home.runHere(['serve', 'requests', ...words]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  it('only the administrator may look', async () => {
    const user = { user_name: 'eve', password: 'eve-eve-eve', domain: { name: 'internal' } };
    await home.runHere(['users', 'create', '-f', '-'], {}, JSON.stringify(user));
    const env = { VMCTL_USERNAME: 'eve@internal', VMCTL_PASSWORD: 'eve-eve-eve' };
    const { code, stdout } = await home.runHere(['serve', 'requests'], env);
    expect(code).not.toBe(0);
    expect(stdout).toBe('');
  });
});
