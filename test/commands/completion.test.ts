/** Completion in real shells, with names from earlier lists. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { vmctl } from '../support/server.ts';
import { hasTmux, openPane, type Pane } from './support/pane.ts';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand([], true);
const scripts = fileURLToPath(new URL('../../completions', import.meta.url));

beforeAll(async () => {
  await desk.must('vms', 'list');
  await desk.must('clusters', 'list');
  await desk.must('disks', 'list');
  await desk.must('nics', 'list', '--vm', 'vm-01');
  for (const name of ['web 01', 'odd: "ä"', '-flag', 'hosts/x']) {
    await desk.must('bookmarks', 'create', '--name', name, '--value', 'Vms: status=up');
  }
  await desk.must('bookmarks', 'list');
  const bin = join(desk.home().folder, 'bin');
  mkdirSync(bin);
  symlinkSync(vmctl, join(bin, 'vmctl'));
});

/** Words that completion offers without a server. */
async function offered(...words: string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await desk.home().runHere(['__complete', ...words], {
    VMCTL_PASSWORD: '',
    VMCTL_TOKEN: '',
  });
  expect([code, stderr]).toEqual([0, '']);
  return stdout.split('\n').flatMap((line) => line.split('\t')[0] || []);
}

describe('names', () => {
  it('are offered where objects are named', async () => {
    expect(await offered('vms', 'start', 'vm-0')).toEqual(['vm-01', 'vm-02', 'vm-03']);
    expect(await offered('vms', 'start', 'vm-01', 'vm-02', '')).toContain('vm-03');
    expect(await offered('nics', 'list', '--vm', 'vm-01')).toEqual(['vm-01']);
    expect(await offered('vms', 'create', '--cluster', 'Def')).toEqual(['Default']);
    expect(await offered('affinitygroups', 'list', '--cluster=D')).toEqual(['--cluster=Default']);
    expect(await offered('wait', 'vms/vm-02')).toEqual(['vms/vm-02']);
    expect(await offered('wait', 'storaged')).toEqual(['storagedomains/']);
    expect(await offered('permissions', 'list', '--on', 'clusters/')).toEqual(['clusters/Default']);
    // The value of a flag is not an argument, and the shell completes local files.
    expect(await offered('vms', 'get', '-o', 'json', 'vm-0')).toContain('vm-01');
    expect(await offered('disks', 'download', '-o', 'json', '')).toContain('vm-01_Disk1');
    expect(await offered('disks', 'download', 'vm-01_Disk1', '')).toEqual([]);
  });

  it('of deleted objects disappear with the next complete list', async () => {
    const blank = ['--cluster', 'Default', '--template', 'Blank'];
    await desk.must('vms', 'create', '--name', 'fleeting', ...blank);
    await desk.must('vms', 'list', '--search', 'name=fleeting');
    expect(await offered('vms', 'get', 'fl')).toEqual(['fleeting']);
    await desk.must('vms', 'delete', 'fleeting');
    await desk.must('vms', 'list');
    expect(await offered('vms', 'get', 'fl')).toEqual([]);
  });
});

/** Asks until something is offered: who asks first may not wait long enough. */
async function offeredInTime(env: NodeJS.ProcessEnv, ...words: string[]) {
  for (;;) {
    const { code, stdout, stderr } = await desk.home().runHere(['__complete', ...words], env);
    expect([code, stderr]).toEqual([0, '']);
    if (stdout !== '') return stdout.split('\n').flatMap((line) => line.split('\t')[0] || []);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A folder with a configuration that cannot be read. */
function brokenConfiguration(): string {
  const folder = mkdtempSync(join(desk.home().folder, 'broken-'));
  writeFileSync(join(folder, 'config.json'), '{', { mode: 0o600 });
  return folder;
}

describe('names without an earlier list', () => {
  const empty = () => ({
    XDG_CACHE_HOME: mkdtempSync(join(desk.home().folder, 'cache-')),
    VMCTL_PASSWORD: '',
  });

  it('are fetched with the available token', async () => {
    expect(await offeredInTime(empty(), 'vms', 'create', '--cluster', '')).toEqual(['Default']);
    expect(await offeredInTime(empty(), 'nics', 'get', '--vm', 'vm-01', '')).toEqual(['nic1']);
    expect(await offeredInTime(empty(), 'nics', 'get', '--on=vms/vm-01', '')).toEqual(['nic1']);
    expect(await offeredInTime(empty(), 'vms', 'list', '--search', '@web')).toEqual(['@web 01']);
    expect(await offeredInTime(empty(), 'vms', 'update', 'x', '--set', 'cluster=D')).toEqual([
      'cluster=Default',
    ]);
    expect(await offeredInTime(empty(), 'vms', 'list', '--search', 'cluster=D')).toEqual([
      'cluster=Default',
    ]);
  });

  it('are requested once by six concurrent shells', async () => {
    const env = empty();
    const asked = () => desk.home().run(['__complete', 'hosts', 'get', ''], env);
    const answers = await Promise.all(Array.from({ length: 6 }, asked));
    expect(answers.map(({ code, stderr }) => [code, stderr])).toEqual(Array(6).fill([0, '']));
    expect(await offeredInTime(env, 'hosts', 'get', '')).toContain('host1');
    // After the fetch, the claim is released.
    expect(readdirSync(join(env.XDG_CACHE_HOME, 'vmctl/names'), { recursive: true })).not.toContain(
      expect.stringContaining('.asked'),
    );
  });

  it.each([
    ['not signed in', { XDG_STATE_HOME: '/nonexistent' }],
    ['the server is unreachable', { VMCTL_URL: 'https://127.0.0.1:1' }],
    ['the token is refused', { VMCTL_TOKEN: 'run-out' }],
    ['the cache is not writable', { XDG_CACHE_HOME: '/dev/null/cache' }],
    ['the configuration is broken', { VMCTL_CONFIG_DIR: 'broken' }],
    [
      'no home exists',
      { HOME: undefined, XDG_CONFIG_HOME: '', XDG_CACHE_HOME: '', XDG_STATE_HOME: '/x' },
    ],
  ])('are none where %s, without a word', async (_why, env) => {
    const all: NodeJS.ProcessEnv = { ...empty(), ...env };
    if (all['VMCTL_CONFIG_DIR']) all['VMCTL_CONFIG_DIR'] = brokenConfiguration();
    // A command in this process always has a home.
    const ask = 'HOME' in env ? desk.home().run : desk.home().runHere;
    for (const words of [
      ['hosts', 'get', ''],
      ['vms', 'list', '--columns', 'name'],
      ['vms', 'sta'],
    ]) {
      const { code, stderr } = await ask(['__complete', ...words], all);
      expect([code, stderr]).toEqual([0, '']);
    }
    const { stdout } = await ask(['__complete', 'hosts', 'get', ''], all);
    expect(stdout).toBe('');
  });

  it('leave no process if the server does not respond', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const connected = once(silent, 'connection') as Promise<readonly Socket[]>;
    const { port } = silent.address() as AddressInfo;
    const env = { ...empty(), VMCTL_URL: `https://127.0.0.1:${port}/x`, VMCTL_TOKEN: 'x' };
    await desk.home().run(['__complete', 'hosts', 'get', ''], env);
    const [socket] = await connected;
    if (socket && !socket.closed)
      await once(
        socket.resume().on('error', () => undefined),
        'close',
      );
    silent.close();
  });
});

describe('names', () => {
  it('that look like something else are offered with their kind', async () => {
    const names = await offered('bookmarks', 'get', '');
    expect(names).toContain('bookmarks/-flag');
    expect(names).toContain('bookmarks/hosts/x');
    expect(await offered('bookmarks', 'get', '--', '')).toContain('-flag');
    expect(await offered('bookmarks', 'get', 'bookmarks/-f')).toEqual(['bookmarks/-flag']);
    for (const name of ['-flag', 'hosts/x']) {
      expect(await desk.must('bookmarks', 'get', `bookmarks/${name}`, '-o', 'name')).toContain(
        name,
      );
    }
  });

  it('are found among ten thousand', async () => {
    const cache = mkdtempSync(join(desk.home().folder, 'cache-'));
    const { host } = new URL(desk.server().ready.base_url);
    const folder = join(cache, 'vmctl/names', host.replace(/[^\w.-]/g, '_'));
    mkdirSync(folder, { recursive: true });
    const names = Array.from({ length: 10_000 }, (_, index) => `vm-${index}\n`);
    writeFileSync(join(folder, 'vms'), names.join(''));
    const { stdout } = await desk.home().runHere(['__complete', 'vms', 'get', 'vm-999'], {
      XDG_CACHE_HOME: cache,
    });
    expect(stdout.split('\n').length).toBe(12);
  });
});

const has = (shell: string) => spawnSync(shell, ['--version']).status === 0;

/** Runs the completion of a shell, and returns the line after `> `. */
const shells: Readonly<Record<string, readonly string[]>> = {
  bash: ['bash --norc -i', `PS1='> '; . ${scripts}/vmctl.bash`],
  zsh: [
    'zsh -f -i',
    `PS1='> '; autoload -Uz compinit; compinit -u -d "$HOME/.zcompdump"; . ${scripts}/_vmctl`,
  ],
  fish: ['fish --no-config -i', `function fish_prompt; echo '> '; end; . ${scripts}/vmctl.fish`],
};

/** Text before the key, and the completed line; X is typed after it. */
const lines: readonly (readonly [what: string, typed: string, completed: RegExp])[] = [
  ['a noun', 'vmctl storaged', /vmctl storagedomains X/],
  ['a verb', 'vmctl vms reb', /vmctl vms reboot X/],
  ['a flag', 'vmctl vms list --no-h', /vmctl vms list --no-headers X/],
  ['a name', 'vmctl vms create --cluster Def', /vmctl vms create --cluster Default X/],
  ['a name with a blank', 'vmctl bookmarks get web', /get (web\\ 01|'web 01') X/],
  ['a name in quotes', "vmctl bookmarks get 'we", /get 'web 01' X/],
  ['a name full of signs', 'vmctl bookmarks get od', /get (odd:\\ \\"ä\\"|'odd: "ä"') X/],
  ['a value after an equals sign', 'vmctl disks create --format=c', /create --format=cow X/],
  ['a field of a search', "vmctl vms list --search 'name=x and stat", /name=x and status=?X/],
  ['a value in a search', "vmctl vms list --search 'status=powering_u", /'status=powering_up' ?X/],
  ['a child of an object', 'vmctl nics get --vm vm-01 ni', /get --vm vm-01 nic1 X/],
  ['a value of an enumeration', 'vmctl vms list -o yam', /list -o yaml X/],
];

describe.skipIf(!hasTmux).each(Object.keys(shells))('in %s', (shell) => {
  let pane: Pane;

  beforeAll(async () => {
    if (!has(shell)) return;
    const { folder, env } = desk.home();
    const path = `${join(folder, 'bin')}:${env['PATH']}`;
    pane = openPane({ ...env, PATH: path, VMCTL_PASSWORD: '' });
    for (const line of shells[shell] ?? []) pane.type(line, 'Enter');
    pane.type('clear; echo rea""dy', 'Enter');
    await pane.until(/^ready\n> *$/m);
  });

  afterAll(() => pane?.close());

  it.skipIf(!has(shell)).each(lines)('%s is completed', async (_what, typed, completed) => {
    pane.type('C-u', typed);
    await pane.until(new RegExp(`> .*${typed.slice(-4).replace(/\W/g, '.')}$`, 'm'));
    pane.type('Tab', 'X');
    expect(await pane.until(/X'?$/m)).toMatch(completed);
  });
});
