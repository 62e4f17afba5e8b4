/** Output that is full or closed, a tree that is not built, bugs: one line and a hint, never a stack. */
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { vmctl } from '../support/server.ts';
import { selectSlowCases } from '../support/slow-tests.ts';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand([], true);
const folder = mkdtempSync(join(tmpdir(), 'vmctl-broken-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const full = openSync('/dev/full', 'w');

/** The command with its standard output there. */
function into(stdout: number, words: readonly string[]) {
  const { server } = desk;
  const { ready, password } = server();
  const { status, stderr } = spawnSync(process.execPath, [vmctl, ...words], {
    stdio: ['ignore', stdout, 'pipe'],
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      VMCTL_URL: ready.base_url,
      VMCTL_USERNAME: ready.username,
      VMCTL_PASSWORD: password,
      VMCTL_CA_FILE: ready.ca_file,
    },
  });
  return { status, stderr };
}

interface Tree {
  readonly nouns: readonly {
    readonly commands: readonly { readonly name: string }[];
  }[];
}

const stack = /^\s+at .*\(?.*:\d+:\d+\)?$|node:internal|Node\.js v/m;

describe('standard output that is full', () => {
  it.each([
    ['--version'],
    ['--help'],
    ['help', 'output'],
    ['vms', '--help'],
    ['vms', 'list'],
    ['vms', 'list', '-o', 'json'],
    ['vms', 'list', '-o', 'xml'],
    ['vms', 'list', '-o', 'csv'],
    ['vms', 'get', 'vm-01', '-o', 'yaml'],
    ['events', 'list', '--limit', '1'],
    ['commands', '-o', 'json'],
    ['completion', 'bash'],
    ['api', 'GET', '/vms'],
    ['explain', 'vm'],
    ['doctor'],
  ])('is reported in one line: %s', (...words) => {
    const { status, stderr } = into(full, words);
    expect(stderr).not.toMatch(stack);
    expect(stderr).toContain('cannot write standard output:');
    expect(status).toBe(1);
  });

  it('is reported by a command of every noun', async () => {
    const { nouns } = await desk.json<Tree>('commands');
    const some = nouns.map(({ commands }) => commands.at(-1)?.name ?? '');
    expect(some.length).toBeGreaterThan(60);
    for (const name of selectSlowCases(some, 'test/commands/broken-output.test.ts')) {
      const { status, stderr } = into(full, [...name.split(' '), '--help']);
      expect(stderr, name).not.toMatch(stack);
      expect([status, stderr], name).toEqual([
        1,
        expect.stringContaining('cannot write standard output: '),
      ]);
    }
  }, 300_000);

  it('is reported as JSON with JSON output', () => {
    const { stderr } = into(full, ['vms', 'list', '-o', 'json']);
    expect(JSON.parse(stderr)).toMatchObject({ code: 'output_failed', exit_code: 1 });
  });
});

it('a reader that has seen enough is no failure', async () => {
  const line = `"${process.execPath}" "${vmctl}" commands -o json | head -1; echo "\${PIPESTATUS[0]}"`;
  const printed = await new Promise<string>((resolve) => {
    execFile('bash', ['-c', line], (_error, stdout, stderr) => resolve(stdout + stderr));
  });
  expect(printed.trim().split('\n').at(-1)).toBe('0');
  expect(printed).not.toMatch(stack);
});

describe('an incomplete build', () => {
  const tree = join(folder, 'tree');
  mkdirSync(tree);
  const root = join(vmctl, '../..');
  cpSync(join(root, 'bin'), join(tree, 'bin'), { recursive: true });
  cpSync(join(root, 'package.json'), join(tree, 'package.json'));
  it.each([{}, { NODE_DISABLE_COMPILE_CACHE: '1' }])('says what to do: %j', (env) => {
    const { status, stderr } = spawnSync(process.execPath, [join(tree, 'bin/vmctl.js'), 'vms'], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: folder, ...env },
    });
    expect(stderr).toBe(
      `vmctl: not built: dist/main.cjs is missing\nhint: run npm ci and npm run build in ${tree}\n`,
    );
    expect(status).toBe(1);
  });
});

describe('an unexpected error', () => {
  const preload = join(folder, 'faulty.cjs');
  writeFileSync(preload, "setTimeout(() => { throw new Error('odd\\nsecond line'); }, 20);");
  const run = (...words: string[]) =>
    desk.home().run(words, { NODE_OPTIONS: `--require=${JSON.stringify(preload)}` });

  it('is one line', async () => {
    const { code, stderr } = await run('wait', 'vms/vm-02', '--for', 'status=up');
    expect(code).toBe(1);
    expect(stderr).toContain('vmctl: odd\n');
    expect(stderr).not.toMatch(stack);
  });

  it('has the rest with --debug', async () => {
    const { code, stderr } = await run('wait', 'vms/vm-02', '--for', 'status=up', '--debug');
    expect(code).toBe(1);
    expect(stderr).toMatch(/at .*faulty\.cjs:1/);
  });
});
