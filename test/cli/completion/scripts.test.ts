/** Completion: the scripts of the package, and the responses to shells. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { shells } from '../../../src/cli/completion/scripts.ts';
import { vmctl } from '../support/run.ts';

async function choices(...words: readonly string[]): Promise<readonly string[]> {
  const result = await vmctl(['__complete', ...words]);
  expect(result.code).toBe(0);
  expect(result.stderr).toBe('');
  return result.stdout.split('\n').flatMap((line) => line.split('\t')[0] || []);
}

const files = {
  bash: 'vmctl.bash',
  zsh: '_vmctl',
  fish: 'vmctl.fish',
  powershell: 'vmctl.ps1',
};

describe('completion scripts', () => {
  it.each(shells)('for %s are those in completions/', async (shell) => {
    const file = new URL(`../../../completions/${files[shell]}`, import.meta.url);
    const made = (await vmctl(['completion', shell])).stdout;
    expect(readFileSync(file, 'utf8'), 'npm run completions writes it anew').toBe(made);
  });

  it('are refused for other shells', async () => {
    const result = await vmctl(['completion', 'tcsh']);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain('bash, zsh, fish');
  });

  it('work in bash', () => {
    const script = `
      vmctl() { printf 'nospace\n'; printf '<%s>\n' "$@"; }
      compopt() { printf 'compopt %s\n' "$*"; }
      . completions/vmctl.bash
      COMP_WORDS=(vmctl vms "'a b") COMP_CWORD=2 COMP_LINE="vmctl vms 'a b c" COMP_POINT=14
      COMP_WORDBREAKS=':='
      _vmctl
      printf '%s\n' "\${COMPREPLY[@]}"`;
    const output = execFileSync('bash', ['-c', script], { encoding: 'utf8' });
    expect(output).toBe("compopt -o nospace\n<__complete-line>\n<bash>\n<vmctl vms 'a b>\n<:=>\n");
  });

  it('of PowerShell reads what the line of a shell is answered with', async () => {
    const line = { VMCTL_COMPLETE_LINE: "vmctl vms list --search 'status=powering_" };
    const { stdout } = await vmctl(['__complete-line', 'powershell'], { env: line });
    expect(stdout.split('\n')).toEqual([
      '',
      "'status=powering_up'\tstatus=powering_up\t",
      "'status=powering_down'\tstatus=powering_down\t",
      '',
    ]);
    const { stdout: script } = await vmctl(['completion', 'powershell']);
    expect(script).toContain('$env:VMCTL_COMPLETE_LINE = $line');
    expect(script).toContain('__complete-line powershell');
  });
});

describe('completion', () => {
  it('knows nouns, verbs and flags', async () => {
    expect(await choices('vm')).toEqual(['vms', 'vmpools']);
    expect(await choices('vms', 'star')).toEqual(['start']);
    expect(await choices('vm', 'start', '--use-c')).toEqual(['--use-cloud-init']);
    expect(await choices('disks', 'up')).toEqual(expect.arrayContaining(['update', 'upload']));
    expect(await choices('disks', 'upload', '--res')).toEqual(['--resume']);
    expect(await choices('context', 'u')).toEqual(['use']);
    expect(await choices('vms', 'list', '--no-h')).toEqual(['--no-headers']);
  });

  it('knows values', async () => {
    expect(await choices('vms', 'list', '-o', 'js')).toEqual(['json', 'jsonl']);
    expect(await choices('-o', 'json', 'vms', 'li')).toEqual(['list']);
    expect(await choices('disks', 'create', '--format', '')).toEqual(['cow', 'raw']);
    expect(await choices('disks', 'create', '--format=c')).toEqual(['--format=cow']);
    expect(await choices('vms', 'create', '--boot-devices', 'hd,n')).toEqual(['hd,network']);
    expect(await choices('disks', 'upload', '--format', 'r')).toEqual(['raw']);
    expect(await choices('completion', '')).toEqual(['bash', 'zsh', 'fish', 'powershell']);
    expect(await choices('help', 'storaged')).toEqual(['storagedomains']);
    expect(await choices('help', 'exit')).toEqual(['exit-codes']);
    expect(await choices('help', 'vms', 'reb')).toEqual(['reboot']);
    expect(await choices('config', 'set', 'col')).toEqual(['color']);
    expect(await choices('config', 'set', 'color', 'a')).toEqual(['always', 'auto']);
    expect(await choices('search-help', 'vmp')).toEqual(['vmpools']);
  });

  it('knows attributes', async () => {
    expect(await choices('vms', 'list', '--columns', 'name,cpu.topology.co')).toEqual([
      'name,cpu.topology.cores',
    ]);
    expect(await choices('vms', 'list', '--columns', 'cores=cpu.topology.s')).toEqual([
      'cores=cpu.topology.sockets',
    ]);
    expect(await choices('vms', 'list', '--columns=statu')).toContain('--columns=status');
    expect(await choices('vms', 'list', '--sort', '-mem')).toEqual(['-memory', '-memory_policy.']);
    expect(await choices('vms', 'list', '--follow', 'nics,host_dev')).toEqual([
      'nics,host_devices',
    ]);
    expect(await choices('vms', 'update', 'x', '--set', 'cpu.archi')).toEqual([
      'cpu.architecture=',
    ]);
    expect(await choices('vms', 'update', 'x', '--set', 'cpu.architecture=x')).toEqual([
      'cpu.architecture=x86_64',
    ]);
    expect(await choices('vms', 'start', 'x', '--set', 'paus')).toEqual(['pause=']);
    expect(await choices('vms', 'start', 'x', '--set', 'pause=t')).toEqual(['pause=true']);
    expect(await choices('vms', 'update', 'x', '--set', 'status')).toEqual([]);
    expect(await choices('vms', 'create', '--cpu.topology.so')).toEqual([
      '--cpu.topology.sockets=',
    ]);
    expect(await choices('explain', 'vm.cpu.topo')).toEqual([
      'vm.cpu.topology',
      'vm.cpu.topology.',
    ]);
    expect(await choices('explain', 'storagedomains.avail')).toEqual(['storagedomains.available']);
  });

  it('knows the states that can be waited for', async () => {
    expect(await choices('vms', 'wait', 'x', '--for', 'status=powering')).toEqual([
      'status=powering_up',
      'status=powering_down',
    ]);
    expect(await choices('wait', 'hosts/x', '--for', 'status=main')).toEqual([
      'status=maintenance',
    ]);
    expect(await choices('wait', 'hosts/x', '--for', 'go')).toEqual(['gone']);
    expect(await choices('wait', 'hosts/x', '--for', 'ev')).toEqual(['event=']);
    expect(await choices('vms', 'start', 'x', '--for', 'status=saving')).toEqual([
      'status=saving_state',
    ]);
    expect(await choices('watch', 'storagedom')).toEqual(['storagedomains/']);
  });

  it.each([
    ['vms', 'sta', ['status=', 'status!=']],
    ['vms', 'na', ['name=', 'name!=']],
    ['vms', 'status=powering_u', ['status=powering_up']],
    ['vms', 'status = powering_u', ['status = powering_up']],
    ['vms', 'name=x and migr', ['name=x and migration_progress_percent=', 6]],
    ['vms', 'name=x ', ['name=x and', 'name=x or', 'name=x sortby', 'name=x page']],
    ['vms', 'hosts.stat', ['hosts.status=', 'hosts.status!=']],
    ['vms', 'hosts.status=mai', ['hosts.status=maintenance']],
    ['vms', 'sortby nam', ['sortby name']],
    ['vms', 'sortby name d', ['sortby name desc']],
    ['vms', 'name="a b', []],
    ['vms', 'name=x page ', []],
    ['events', 'severity>a', ['severity>alert']],
    ['events', 'time>yes', ['time>yesterday']],
  ] as const)('of a search for %s that begins with %s', async (noun, text, [...expected]) => {
    const found = await choices(noun, 'list', '--search', text);
    if (typeof expected[1] === 'number') {
      expect([found[0], found.length]).toEqual(expected);
    } else expect(found).toEqual(expected);
    expect(await choices('search-help', noun, text)).toEqual(found);
  });

  it('leaves files to the shell, and nothing else', async () => {
    const head = async (line: string) =>
      (await vmctl(['__complete-line', 'fish', line])).stdout.split('\n')[0];
    expect(await head('vmctl disks upload ')).toBe('files');
    expect(await head('vmctl vms create -f ')).toBe('files');
    expect(await head('vmctl vms list --ca-file ')).toBe('files');
    expect(await head('vmctl vms list --ca-file=')).toBe('files');
    expect(await head('vmctl vms start ')).toBe('');
    expect(await head('vmctl nonsense ')).toBe('');
  });

  it('offers a flag that has one value only once, and none behind --', async () => {
    expect(await choices('vms', 'list', '-o', 'json', '--outp')).toEqual([]);
    expect(await choices('vms', 'create', '--set', 'a=b', '--set')).toContain('--set');
    expect(await choices('vms', 'start', '--', '--use')).toEqual([]);
  });

  it('offers nothing for unknown values', async () => {
    expect(await choices('nonsense', '')).toEqual([]);
    expect(await choices('vms', 'start', '')).toEqual([]);
  });
});
