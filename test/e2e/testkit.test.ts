/** In-process server for tests of other projects, from the built package. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { startServer as StartServer } from '../../src/testkit/testkit.ts';
import { send } from '../support/raw.ts';
import { vmctl } from '../support/server.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);
// Module name that only the built package provides.
const kit = 'vmctl/testkit';

let startServer: typeof StartServer;
let folder: string;

beforeAll(async () => {
  ({ startServer } = (await import(/* @vite-ignore */ kit)) as { startServer: typeof StartServer });
  folder = mkdtempSync(join(tmpdir(), 'vmctl-testkit-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/vmctl'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

describe('a server in the process of the test', () => {
  it('responds like to the command, and has exited after stop', async () => {
    const server = await startServer({ password: 'sesame', seed: 3 });
    expect(server).toMatchObject({ username: 'admin@internal', password: 'sesame' });
    expect(server.apiUrl).toBe(`${server.url}/api`);
    expect(server.ca).toContain('BEGIN CERTIFICATE');
    expect(existsSync(server.caFile)).toBe(true);
    const { stdout } = await run(process.execPath, [vmctl, 'vms', 'list', '-o', 'name'], {
      env: { ...process.env, ...server.env },
    });
    expect(stdout.trim().split('\n')).toContain('vms/vm-01');
    await server.stop();
    await server.stop();
    expect(existsSync(server.caFile)).toBe(false);
    await expect(send(server.apiUrl, { ca: server.ca })).rejects.toThrow();
  });

  it('runs next to others, with another dialect, inventory and administrator', async () => {
    const [one, other] = await Promise.all([
      startServer({ inventory: 'empty' }),
      startServer({ dialect: 'ovirt', inventory: 'hosts=2,vms=5', admin: 'root@internal' }),
    ]);
    expect(one.url).not.toBe(other.url);
    expect(new URL(other.url).pathname).toBe('/ovirt-engine');
    const answer = await send(`${other.apiUrl}/vms`, {
      ca: other.ca,
      headers: {
        Authorization: basic('root@internal', other.password),
        Accept: 'application/json',
      },
    });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json<{ vm: unknown[] }>().vm).toHaveLength(5);
    await Promise.all([one[Symbol.asyncDispose](), other[Symbol.asyncDispose]()]);
  });

  it('fails according to fault rules', async () => {
    const server = await startServer({
      faults: ['operation=list,type=vm,times=1,status=503', { operation: 'get', rate: 1 }],
    });
    const ask = () =>
      send(`${server.apiUrl}/vms`, {
        ca: server.ca,
        headers: { Authorization: basic(server.username, server.password) },
      });
    expect((await ask()).status).toBe(503);
    expect((await ask()).status).toBe(200);
    await server.stop();
    await expect(startServer({ faults: ['colour=red'] })).rejects.toThrow(/colour/);
    await expect(startServer({ inventory: 'moons=3' })).rejects.toThrow(/moons/);
  });
});

describe('the package', () => {
  const program = `startServer({ inventory: 'empty' }).then(async (server) => {
    console.log(server.url);
    await server.stop();
  });`;

  it.each([
    [
      'an ECMAScript module',
      'main.mjs',
      `import { startServer } from 'vmctl/testkit';\n${program}`,
    ],
    [
      'a CommonJS module',
      'main.cjs',
      `const { startServer } = require('vmctl/testkit');\n${program}`,
    ],
  ])('is loaded by %s, which then exits', (_, name, text) => {
    writeFileSync(join(folder, name), text);
    const output = execFileSync(process.execPath, [join(folder, name)], { encoding: 'utf8' });
    expect(output).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/virt-app\n$/);
  });

  it('declares its types', () => {
    writeFileSync(
      join(folder, 'typed.mts'),
      `import { startServer, type TestServer } from 'vmctl/testkit';
const server: TestServer = await startServer({ dialect: 'ovirt', speed: 0, faults: ['rate=0.1'] });
const url: string = server.apiUrl;
await server.stop();
export { url };
`,
    );
    const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
    const strict = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022'];
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const output = execFileSync(
      process.execPath,
      [tsc, ...strict, ...types, '--lib', 'es2022,esnext.disposable', join(folder, 'typed.mts')],
      { encoding: 'utf8', cwd: folder },
    );
    expect(output.trim()).toBe('');
  });
});
