/** Completion: the scripts in the package, and what the shells are told. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { shells } from '../../src/cli/completion/scripts.ts';
import { vmctl } from './run.ts';

async function choices(...words: readonly string[]): Promise<readonly string[]> {
  const result = await vmctl(['__complete', ...words]);
  expect(result.code).toBe(0);
  expect(result.stderr).toBe('');
  return result.stdout.split('\n').flatMap((line) => line.split('\t')[0] || []);
}

const files = { bash: 'vmctl.bash', zsh: '_vmctl', fish: 'vmctl.fish' };

describe('completion scripts', () => {
  it.each(shells)('for %s are those in completions/', async (shell) => {
    const file = new URL(`../../completions/${files[shell]}`, import.meta.url);
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
      vmctl() { printf '%s\\tdoc\\n' "$@"; }
      . completions/vmctl.bash
      COMP_WORDS=(vmctl vms 'a b' st) COMP_CWORD=3
      _vmctl
      printf '<%s>' "\${COMPREPLY[@]}"`;
    const output = execFileSync('bash', ['-c', script], { encoding: 'utf8' });
    expect(output).toBe('<__complete><vms><a\\ b><st>');
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
    expect(await choices('disks', 'create', '--format', '=', 'c')).toEqual(['cow']);
    expect(await choices('vms', 'create', '--boot-devices', 'hd,n')).toEqual(['hd,network']);
    expect(await choices('disks', 'upload', '--format', 'r')).toEqual(['raw']);
    expect(await choices('completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(await choices('help', 'storaged')).toEqual(['storagedomains']);
  });

  it('offers nothing where it knows nothing', async () => {
    expect(await choices('nonsense', '')).toEqual([]);
    expect(await choices('vms', 'start', '')).toEqual([]);
    expect(await choices('vms', 'list', '--search', '')).toEqual([]);
  });
});
