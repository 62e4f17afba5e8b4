/** Servers in the background: started by a line of a shell, found again, and ended. */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Home, makeHome, type Outcome } from '../support/command.ts';
import { vmctl } from '../support/server.ts';

let home: Home;
const records = () => join(home.folder, 'state/vmctl/servers');
const recorded = (): readonly string[] => (existsSync(records()) ? readdirSync(records()) : []);

beforeEach(() => {
  home = makeHome();
  // A killed process leaves its temporary folder.
  home.env['TMPDIR'] = home.folder;
});
afterEach(() => {
  for (const name of recorded().filter((one) => one.endsWith('.json'))) {
    const { pid } = JSON.parse(readFileSync(join(records(), name), 'utf8')) as { pid: number };
    if (pid !== process.pid && isThere(pid)) process.kill(pid, 'SIGKILL');
  }
  home.remove();
});

const anyPort = ['--listen', '127.0.0.1:0', '--images-listen', '127.0.0.1:0'];
const start = ['serve', '--detach', '--memory', ...anyPort];

/** Runs a script in bash, where `vmctl` is the built command. */
function bash(script: string, env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  const preamble = `vmctl() { "${process.execPath}" "${vmctl}" "$@"; }\n`;
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', preamble + script], {
      cwd: home.folder,
      env: { ...home.env, ...env },
    });
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].on('data', (piece: Buffer) => {
        said[name] += piece.toString();
      });
    }
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...said }));
    child.stdin.end();
  });
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie counts as exited.
    return process.platform !== 'linux' || !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Values of the exported variables. */
function exports(stdout: string): Record<string, string> {
  return Object.fromEntries(
    [...stdout.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [
      name,
      value.replace(/^'(.*)'$/, '$1'),
    ]),
  );
}

describe('vmctl serve --detach', () => {
  it('serves the shell that evaluates it, and ends with --stop', async () => {
    const { code, stdout, stderr } = await bash(`
      set -e
      eval "$(vmctl ${[...start, '--env'].join(' ')})"
      vmctl vms list -o name
      vmctl disks create --name d --size 1MiB --format raw --storagedomain data1 -q
      echo "pid $VMCTL_SERVE_PID"
      eval "$(vmctl serve --stop --env)"
      echo "url \${VMCTL_URL-gone}"
      vmctl serve --stop
    `);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^vms\/vm-01$/m);
    expect(stdout).toMatch(/^url gone$/m);
    expect(isThere(Number(/^pid (\d+)$/m.exec(stdout)?.[1]))).toBe(false);
    expect(stderr).toMatch(/running as process \d+; log: .*\/vmctl\/servers\/\w+\.log/);
    expect(stderr).toMatch(/stopped the server at https:\S+\nvmctl serve: no server is running\n$/);
    expect(recorded()).toEqual([]);
  });

  it('outlives the shell in a separate session, and keeps its data', async () => {
    const begun = await home.run([
      ...['serve', '--detach', '--data', join(home.folder, 'site'), ...anyPort],
      ...['--ready-file', join(home.folder, 'ready.json'), '--env'],
    ]);
    expect(begun.code, begun.stderr).toBe(0);
    const env = exports(begun.stdout);
    const pid = Number(env['VMCTL_SERVE_PID']);
    const ready = JSON.parse(readFileSync(join(home.folder, 'ready.json'), 'utf8'));
    expect(ready).toMatchObject({ pid, base_url: env['VMCTL_URL'] });
    expect((await home.runHere(['tags', 'create', '--name', 'kept'], env)).code).toBe(0);
    if (process.platform === 'linux') {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      expect(Number(fields[3]), 'its session').toBe(pid);
    }
    for (const name of recorded()) {
      expect(statSync(join(records(), name)).mode & 0o077, name).toBe(0);
      const text = readFileSync(join(records(), name), 'utf8');
      expect(text, name).not.toContain(env['VMCTL_PASSWORD']);
    }
    const stopped = await home.run(['serve', '--stop', '--data', join(home.folder, 'site')]);
    expect(stopped.code, stopped.stderr).toBe(0);
    const again = await home.run([
      ...['serve', '--data', join(home.folder, 'site'), '--'],
      ...[process.execPath, vmctl, 'tags', 'list', '-o', 'name'],
    ]);
    expect(again.stdout).toContain('tags/kept');
  });

  it('takes back what leads to another server', async () => {
    const { stdout } = await home.run([...start, '--env'], { VMCTL_TOKEN: 'of another one' });
    expect(stdout).toMatch(/^unset VMCTL_TOKEN$/m);
    await home.run(['serve', '--stop']);
  });

  it('tells of a start that fails as without it', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    const file = join(home.folder, 'file');
    writeFileSync(file, '');
    try {
      for (const [words, says] of [
        [
          ['--memory', '--listen', `127.0.0.1:${port}`, ...anyPort.slice(2)],
          /another program uses the address/,
        ],
        [['--memory', ...anyPort, '--inventory', 'nosuch.yaml'], /nosuch\.yaml/],
        [['--memory', ...anyPort, '--fault', 'rate=2'], /--fault rate=2/],
        [['--data', join(file, 'site'), ...anyPort], /site/],
        [
          ['--memory', ...anyPort, '--tls-cert', 'x'],
          /--tls-cert and --tls-key must be used together/,
        ],
        [['--memory', ...anyPort, '--inventory', 'nosuch.yaml', '-o', 'json'], /"exit_code":\s*2/],
      ] as const) {
        const plain = await home.runHere(['serve', ...words]);
        const detached = await home.run(['serve', '--detach', '--env', ...words]);
        expect(plain.stderr).toMatch(says);
        expect(detached).toEqual(plain);
        expect(detached.code).toBe(2);
      }
    } finally {
      taken.close();
    }
    expect(recorded()).toEqual([]);
  });

  it.each([
    [['serve', '--detach', '--memory', '--', 'true'], /--detach is not valid with a command/],
    [['serve', '--detach', '--check'], /--check/],
    [['serve', '--detach', '--save', 'x'], /--save/],
    [['serve', '--detach', '--backup', 'x'], /--backup/],
    [['serve', '--detach', '--restore', 'x'], /--restore/],
    [['serve', '--stop', '--detach'], /--detach/],
    [['serve', '--stop', '--memory'], /--memory/],
    [['serve', '--stop', '--', 'true'], /--stop does not run a command/],
    [
      ['serve', '--detach', '--memory', '--record', 'x'],
      /--record is not valid for the server\nhint: use vmctl --record FILE/,
    ],
  ])('refuses %j', async (words, says) => {
    const { code, stdout, stderr } = await home.runHere(words);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(says);
  });

  it('reports the missing state directory', async () => {
    const file = join(home.folder, 'file');
    writeFileSync(file, '');
    const { code, stderr } = await home.run(start, { XDG_STATE_HOME: join(file, 'state') });
    expect(code).toBe(2);
    expect(stderr).toMatch(/cannot create ".*\nhint: .*XDG_STATE_HOME/);
  });
});

describe('vmctl serve --stop', () => {
  it('finds each of several', async () => {
    const envs = [];
    for (const words of [[], ['--seed', '1'], []]) {
      envs.push(exports((await home.run([...start, '--env', ...words])).stdout));
    }
    const [one = {}, two = {}, three = {}] = envs;
    const hosts = envs.map((env) => new URL(env['VMCTL_URL'] ?? '').host);
    const several = await home.run(['serve', '--stop']);
    expect(several.code).toBe(2);
    for (const host of hosts) expect(several.stderr).toContain(host);
    expect(several.stderr).toMatch(/^hint: .*--stop --listen /m);

    expect((await home.run(['serve', '--stop', '--listen', hosts[1] ?? ''])).code).toBe(0);
    expect(isThere(Number(two['VMCTL_SERVE_PID']))).toBe(false);
    const pid = { VMCTL_SERVE_PID: three['VMCTL_SERVE_PID'] };
    expect((await home.run(['serve', '--stop'], pid)).code).toBe(0);
    // The variable names an exited server, so the other one continues.
    const again = await home.run(['serve', '--stop'], pid);
    expect([again.code, again.stderr]).toEqual([
      0,
      expect.stringMatching(/VMCTL_SERVE_PID is not a server in the background/),
    ]);
    expect(isThere(Number(one['VMCTL_SERVE_PID']))).toBe(true);
    expect((await home.run(['serve', '--stop'])).code).toBe(0);
    expect(isThere(Number(one['VMCTL_SERVE_PID']))).toBe(false);
  });

  it('accepts several concurrent calls', async () => {
    await home.run([...start, '--env']);
    const stops = await Promise.all([1, 2, 3].map(() => home.run(['serve', '--stop'])));
    for (const { code, stderr } of stops) {
      expect(code, stderr).toBe(0);
      expect(stderr).toMatch(/stopped the server at https:\S+\n$|no server is running\n$/);
    }
    expect(recorded()).toEqual([]);
  });

  it('leaves a process alone that only has the number of the server', async () => {
    mkdirSync(records(), { recursive: true, mode: 0o700 });
    const record = { pid: process.pid, identity: 'before', url: 'https://127.0.0.1:1/x', log: 'l' };
    const file = join(records(), 'a.json');
    writeFileSync(file, JSON.stringify(record), { mode: 0o600 });
    const { code, stderr } = await home.run(['serve', '--stop']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/process \d+ exited; its log is l\nvmctl serve: no server is running/);
    expect(existsSync(file)).toBe(false);
  });

  it('tells of one that was killed where its log is', async () => {
    const { stdout } = await home.run([...start, '--env']);
    const pid = Number(exports(stdout)['VMCTL_SERVE_PID']);
    process.kill(pid, 'SIGKILL');
    while (isThere(pid)) await new Promise((later) => setTimeout(later, 5));
    const { code, stderr } = await home.run(['serve', '--stop']);
    expect(code).toBe(0);
    expect(existsSync(/its log is (.*)$/m.exec(stderr)?.[1] ?? '')).toBe(true);
  });

  it('does not believe a record that others may have written', async () => {
    mkdirSync(records(), { recursive: true, mode: 0o700 });
    const file = join(records(), 'a.json');
    writeFileSync(file, '{}', { mode: 0o600 });
    chmodSync(file, 0o622);
    const { code, stderr } = await home.run(['serve', '--stop']);
    expect(code).toBe(2);
    expect(stderr).toContain(file);
  });
});

it('a start that is interrupted leaves nothing', async () => {
  const child = spawn(process.execPath, [vmctl, ...start], { env: home.env, stdio: 'ignore' });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  while (recorded().length === 0) await new Promise((later) => setTimeout(later, 2));
  child.kill('SIGINT');
  const code = await ended;
  // It may have been quick enough.
  if (code === 0) await home.run(['serve', '--stop']);
  else expect(code).toBe(130);
  expect(recorded()).toEqual([]);
});
