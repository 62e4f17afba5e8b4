/** What shells offer: names that lists have shown, in the shells themselves. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { vmctl } from '../support/server.ts';
import { useDesk } from './support/desk.ts';

const desk = useDesk();
const scripts = fileURLToPath(new URL('../../completions', import.meta.url));

beforeAll(async () => {
  await desk.must('vms', 'list');
  await desk.must('clusters', 'list');
  await desk.must('disks', 'list');
  const bin = join(desk.home().folder, 'bin');
  mkdirSync(bin);
  symlinkSync(vmctl, join(bin, 'vmctl'));
});

/** What is offered without a server: nothing may be asked there. */
async function offered(...words: string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await desk.home().run(['__complete', ...words], {
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
    expect(await offered('hosts', 'activate', '')).toEqual([]);
    // What a flag takes is no argument, and files of this machine are for the shell to offer.
    expect(await offered('vms', 'get', '-o', 'json', 'vm-0')).toContain('vm-01');
    expect(await offered('disks', 'download', '-o', 'json', '')).toContain('vm-01_Disk1');
    expect(await offered('disks', 'download', 'vm-01_Disk1', '')).toEqual([]);
  });

  it('of what is gone are forgotten by the next whole list', async () => {
    const blank = ['--cluster', 'Default', '--template', 'Blank'];
    await desk.must('vms', 'create', '--name', 'fleeting', ...blank);
    await desk.must('vms', 'list', '--search', 'name=fleeting');
    expect(await offered('vms', 'get', 'fl')).toEqual(['fleeting']);
    await desk.must('vms', 'delete', 'fleeting');
    await desk.must('vms', 'list');
    expect(await offered('vms', 'get', 'fl')).toEqual([]);
  });
});

/** Runs a script of a shell with the command on the path. */
function inShell(shell: string, args: readonly string[], script: string): string {
  const { folder } = desk.home();
  const { stdout, stderr, status } = spawnSync(shell, [...args, script], {
    encoding: 'utf8',
    env: {
      PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
      HOME: folder,
      TERM: 'xterm',
      XDG_CONFIG_HOME: join(folder, 'config'),
      XDG_CACHE_HOME: join(folder, 'cache'),
      XDG_STATE_HOME: join(folder, 'state'),
      VMCTL_URL: desk.server().ready.base_url,
      SCRIPTS: scripts,
    },
  });
  expect(status, stderr).toBe(0);
  return stdout;
}

const has = (shell: string) => spawnSync(shell, ['--version']).status === 0;

describe('in the shells', () => {
  it('bash completes verbs, flags, values and names', () => {
    const output = inShell(
      'bash',
      ['-c'],
      `. "$SCRIPTS/vmctl.bash"
       try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _vmctl; echo "\${COMPREPLY[*]}"; }
       try vmctl vms sta
       try vmctl vms start vm-0
       try vmctl vms list --no-h
       try vmctl vms list -o js`,
    );
    expect(output.split('\n')).toEqual([
      'start stats',
      'vm-01 vm-02 vm-03',
      '--no-headers',
      'json jsonl',
      '',
    ]);
  });

  it.skipIf(!has('fish'))('fish completes them with what they are', () => {
    const output = inShell(
      'fish',
      ['-c'],
      `mkdir -p $XDG_CONFIG_HOME/fish/completions
       cp $SCRIPTS/vmctl.fish $XDG_CONFIG_HOME/fish/completions/
       complete -C 'vmctl vms sta'
       complete -C 'vmctl vms start vm-0'`,
    );
    expect(output).toMatch(/^start\tStart a virtual machine$/m);
    expect(output).toMatch(/^vm-01$/m);
  });

  it.skipIf(!has('zsh'))('zsh completes them on the line that is being typed', () => {
    // A shell in a pseudo-terminal of its own is typed into; it lists the choices below the line.
    const output = inShell(
      'zsh',
      ['-fc'],
      `zmodload zsh/zpty
       zpty z "TERM=dumb PS1= zsh -f -i"
       zpty -w z 'stty -echo; autoload -Uz compinit; compinit -u -d "$HOME/.zcompdump"; zstyle ":completion:*" list-prompt ""; . "$SCRIPTS/_vmctl"; echo READY'
       zpty -m -r z line '*READY*'
       zpty -w -n z $'vmctl vms start vm-0\\t\\t'
       zpty -m -r z line '*vm-03*'
       print -r -- "$line"
       zpty -d z`,
    );
    for (const name of ['vm-01', 'vm-02', 'vm-03']) expect(output).toContain(name);
  });
});
