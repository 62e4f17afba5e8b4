/** `vmctl --sandbox`: commands against a temporary server, which leaves nothing. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/command.ts';
import { vmctl } from '../support/server.ts';

let home: Home;
let temporary: string;
const usual = process.env['TMPDIR'];

beforeAll(() => {
  // A home with a service that does not answer, and that nothing may ask.
  home = makeHome();
  temporary = join(home.folder, 'tmp');
  mkdirSync(temporary);
  process.env['TMPDIR'] = temporary;
  const config = join(home.folder, 'config/vmctl');
  mkdirSync(config, { recursive: true, mode: 0o700 });
  const context = {
    ...{ url: 'https://127.0.0.1:1/virt-app', username: 'admin@internal' },
    credentials: { source: 'prompt' },
  };
  const text = JSON.stringify({
    version: 1,
    current: 'real',
    contexts: {
      real: {
        ...context,
        site: { origin: 'https://127.0.0.1:1', appRoot: '/virt-app', dialect: 'standard' },
      },
    },
    defaults: { output: 'json' },
  });
  writeFileSync(join(config, 'config.json'), text, { mode: 0o600 });
});
afterAll(() => {
  if (usual === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = usual;
  home.remove();
});

/** Runs a command in this process, whose folder for temporary files is that of the test. */
const run = (words: readonly string[], env: NodeJS.ProcessEnv = {}) => home.runHere(words, env);

const runProcess = (words: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  home.run(words, { TMPDIR: temporary, ...env });

/** Every file below the home but compiled code, with its content. */
function contents(folder = home.folder): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) Object.assign(found, contents(path));
    else if (entry.isFile()) found[path] = readFileSync(path, 'latin1');
  }
  return found;
}

describe('a sandbox', () => {
  it.each([
    [['--sandbox', 'vms', 'list'], /^NAME +STATUS.*\nvm-01 +up/],
    [['vms', 'list', '--sandbox', '-o', 'name'], /^vms\/vm-01\n/],
    [
      [
        '--sandbox',
        'vms',
        'create',
        '--name',
        'n',
        '--cluster',
        'Default',
        '--template',
        'Blank',
        '-o',
        'json',
      ],
      /"name": "n"/,
    ],
    [['--sandbox', 'vms', 'start', 'vm-02', '-o', 'name'], /^vms\/vm-02\n$/],
    [['--sandbox', 'events', 'tail', '--until-idle', '1s', '-o', 'jsonl'], /^$/],
    [['--sandbox', 'export'], /vm-01/],
    [['--sandbox', 'doctor'], /sign-in +ok/],
    [['--sandbox', 'whoami'], /admin@internal/],
    [['--sandbox', 'top', 'vms', '--count', '1'], /vm-01/],
    [['--sandbox', 'images', 'list', '--storagedomain', 'repository', '-o', 'json'], /"name"/],
    [['--sandbox', 'explain', 'vm'], /A virtual machine/],
    [['--sandbox', 'vms', 'delete', 'vm-01', '--dry-run'], /^DRY RUN/],
  ])('%j: works, and leaves what its user has alone', async (words, prints) => {
    const before = contents();
    const { code, stdout, stderr } = await run(words);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(prints);
    expect(contents()).toEqual(before);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('has real disk contents, over separate connections', async () => {
    const file = join(home.folder, 'f.raw');
    writeFileSync(file, randomBytes(5 * 2 ** 20));
    const upload = ['disks', 'upload', file, '--storagedomain', 'data1', '-q'];
    const { code, stdout, stderr } = await run(['--sandbox', ...upload]);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^[0-9a-f-]{36}\n$/);
    const disk = join(home.folder, 'disk.raw');
    const download = ['disks', 'download', 'vm-02_Disk1', disk, '-q'];
    const down = await run(['--sandbox', ...download]);
    expect(down.code, down.stderr).toBe(0);
    expect(existsSync(disk)).toBe(true);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('is new for each command, and the same: ids lead from one to the next', async () => {
    const made = await run(['--sandbox', 'tags', 'create', '--name', 'one', '-q']);
    expect(made.code).toBe(0);
    expect((await run(['--sandbox', 'tags', 'get', 'one'])).code).toBe(3);
    const { stdout } = await run(['--sandbox', 'vms', 'list', '-o', 'id']);
    const [id = ''] = stdout.split('\n');
    expect((await run(['--sandbox', 'vms', 'get', id, '-o', 'name'])).stdout).toBe('vms/vm-01\n');
  });

  it('ends commands with the codes that they have', async () => {
    for (const [code, words] of [
      [2, ['vms', 'list', '--columns', 'nosuch']],
      [3, ['vms', 'get', 'nosuch']],
      [6, ['hosts', 'activate', 'host1']],
      [7, ['wait', 'vms/vm-02', '--for', 'status=up', '--timeout', '1s']],
      [12, ['vms', 'stop', '--search', 'status=up', '--all', '--no-input']],
    ] as const) {
      const { code: found, stderr } = await run(['--sandbox', ...words]);
      expect(found, `${words.join(' ')}: ${stderr}`).toBe(code);
    }
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('is not changed by variables that are about another server', async () => {
    const env = {
      ...{ VMCTL_TOKEN: 'x', VMCTL_CONTEXT: 'real', VMCTL_READ_ONLY: '1', VMCTL_URL: 'https://x' },
      ...{ HTTPS_PROXY: 'http://127.0.0.1:1', VMCTL_PASSWORD_FILE: '/nowhere' },
    };
    const { code, stderr } = await runProcess(['--sandbox', 'tags', 'create', '--name', 'x'], env);
    expect(code, stderr).toBe(0);
  });

  it('needs no home that can be written', async () => {
    const file = join(home.folder, 'no-home');
    writeFileSync(file, '');
    const nowhere = { XDG_STATE_HOME: undefined, XDG_CACHE_HOME: undefined };
    const env = { HOME: file, XDG_CONFIG_HOME: undefined, ...nowhere };
    const { code, stderr } = await runProcess(['--sandbox', 'vms', 'list', '-o', 'name'], env);
    expect(code, stderr).toBe(0);
  });

  it('reports the path of temporary files', async () => {
    const { code, stderr } = await runProcess(['--sandbox', 'vms', 'list'], {
      TMPDIR: join(temporary, 'no'),
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(/cannot create a temporary folder: .*\nhint: set TMPDIR/);
  });

  it('can be recorded, and replayed', async () => {
    const file = join(home.folder, 'sandbox.ndjson');
    const words = ['vms', 'start', 'vm-02', '-o', 'json'];
    const recorded = await runProcess(['--sandbox', '--record', file, ...words]);
    expect(recorded.code, recorded.stderr).toBe(0);
    const command = [process.execPath, vmctl, ...words];
    const replayed = await runProcess(['serve', '--replay', file, '--', ...command]);
    expect(replayed.stderr).toContain(recorded.stderr);
    expect(replayed.stdout).toBe(recorded.stdout);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('goes with %s', async (signal) => {
    const child = spawn(process.execPath, [vmctl, '--sandbox', 'events', 'tail', '--since', '1d'], {
      env: { ...home.env, TMPDIR: temporary },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    expect(readdirSync(temporary)).toHaveLength(1);
    child.kill(signal);
    expect(await ended).toBe({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[signal]);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('goes with a reader who has seen enough', async () => {
    const child = spawn(process.execPath, [vmctl, '--sandbox', 'events', 'tail', '--since', '1d'], {
      env: { ...home.env, TMPDIR: temporary },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.stdout.destroy();
    child.kill('SIGINT');
    await ended;
    expect(readdirSync(temporary)).toEqual([]);
  });
});

describe('flags that contradict a sandbox are refused', () => {
  it.each([
    [['--url', 'https://x'], /--sandbox and --url exclude each other/],
    [['--context', 'real'], /--sandbox and --context exclude each other/],
    [['--username', 'x@y'], /--sandbox and --username exclude each other/],
    [['--password-file', 'x'], /--sandbox and --password-file exclude each other/],
    [['--ca-file', 'x'], /--sandbox and --ca-file exclude each other/],
    [['--insecure'], /--sandbox and --insecure exclude each other/],
  ])('%j', async (flags, says) => {
    const { code, stderr } = await run(['--sandbox', 'vms', 'list', ...flags]);
    expect(code).toBe(2);
    expect(stderr).toMatch(says);
  });

  it.each([
    ['serve', '--memory'],
    ['login', 'https://x'],
    ['logout'],
    ['context', 'list'],
    ['config', 'list'],
    ['images', 'serve'],
    ['history', 'list'],
    ['undo'],
    ['images', 'info', 'https://x/images/t'],
  ])('%s %s', async (...words) => {
    const { code, stderr } = await run(['--sandbox', ...words]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/ --sandbox: not valid for this command\nhint: remove --sandbox/);
  });
});

it('completion offers no names of real servers', async () => {
  const names = join(home.folder, 'cache/vmctl/names');
  const words = (more: readonly string[]) => run(['__complete', ...more, 'vms', 'get', '']);
  await words(['--sandbox']);
  expect(existsSync(names) ? readdirSync(names) : []).toEqual([]);
});
