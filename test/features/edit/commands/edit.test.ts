/** `vmctl vms edit` and `edit` of other kinds: objects as YAML in an editor. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { useSignedInCommand } from '../../../commands/support/signed-in-command.ts';
import { vmctl } from '../../../support/server.ts';
import { terminalScript } from '../../../support/terminal.ts';

const desk = useSignedInCommand([], true);

type Fields = Readonly<Record<string, unknown>>;

const kept = new Set<string>();
afterAll(() => {
  for (const path of kept) spawnSync('rm', ['-r', join(path, '..')]);
});

/** Runs edit with a script as the editor; `$1` is the file. Further words are flags. */
async function edit(script: string, words: readonly string[] = ['vms', 'edit', 'vm-02', '--yes']) {
  const outcome = await desk.home().run(words, { EDITOR: `sh -c '${script}' editor` });
  const [, path] = /the edited file is "([^"]+)"/.exec(outcome.stderr) ?? [];
  if (path !== undefined) kept.add(path);
  return { ...outcome, path };
}

const read = async (name = 'vm-02') => await desk.json<Fields>('vms', 'get', name);

beforeEach(async () => {
  const base = ['--name', 'vm-02', '--description', 'first', '--comment', 'c', '--memory', '1GiB'];
  const { id } = (await desk.json('vms', 'list', '--search', 'status=down')).at(0) ?? {};
  await desk.must('vms', 'update', String(id), ...base, '-q');
});

describe('vms edit', () => {
  it('sends only changed attributes, and prints the changes', async () => {
    const { code, stdout, stderr } = await edit(
      'sed -i -e "s/^description:.*/description: second/" -e "s/cores: 1/cores: 2/" "$1"',
      ['vms', 'edit', 'vm-02', '--yes', '-o', 'name'],
    );
    expect([code, stdout]).toEqual([0, 'vms/vm-02\n']);
    expect(stderr).toBe(
      'vms/vm-02: description: first -> second\nvms/vm-02: cpu.topology.cores: 1 -> 2\n',
    );
    expect(await read()).toMatchObject({ description: 'second', cpu: { topology: { cores: 2 } } });
    await desk.must('undo');
    expect(await read()).toMatchObject({ description: 'first', cpu: { topology: { cores: 1 } } });
  });

  it('shows the request of changed members with --dry-run', async () => {
    const script = 'sed -i "s/cores: 1/cores: 2/" "$1"';
    const words = ['vms', 'edit', 'vm-02', '--dry-run', '-o', 'json'];
    const { stdout } = await edit(script, words);
    const { method, body } = JSON.parse(stdout);
    expect([method, body]).toEqual(['PUT', { cpu: { topology: { cores: 2 } } }]);
    expect(await read()).toMatchObject({ cpu: { topology: { cores: 1 } } });
  });

  it('contains names, sizes with units, and no read-only attributes', async () => {
    const copy = join(desk.home().folder, 'copy.yaml');
    const { code, stderr } = await edit(`cp "$1" ${copy}`);
    expect([code, stderr]).toEqual([0, 'vms/vm-02: no changes; nothing to do\n']);
    const text = readFileSync(copy, 'utf8');
    expect(text).toMatch(/^# vms\/vm-02: .*\n#.*\nname: vm-02\ndescription: first\ncomment: c\n/);
    expect(text).toMatch(/^cluster: Default$/m);
    expect(text).toMatch(/^memory: 1 GiB$/m);
    expect(text).not.toMatch(/^(status|id|href|creation_time|next_run_\w+):/m);
  });

  it('accepts new attributes and sizes, and clears removed texts', async () => {
    const { code } = await edit(
      'sed -i -e "/^description:/d" -e "s/^memory:.*/memory: 2048 MiB/" "$1"; echo "time_zone: {name: Europe/Berlin}" > x; sed -i "s/^start_paused:.*/start_paused: true/" "$1"; rm x',
    );
    expect(code).toBe(0);
    expect(await read()).toMatchObject({ memory: 2 ** 31, start_paused: true });
    expect((await read())['description'] ?? '').toBe('');
    await desk.must('vms', 'update', 'vm-02', '--no-start-paused', '-q');
  });

  it.each([
    ['s/^name:.*/name: [/', ':\\d+:\\d+: '],
    ['s/^name:.*/&\\nstatus: up/', ':4:1: update cannot change "status"\\nhint: remove the line'],
    ['s/^name:.*/&\\nnmae: x/', ':4:1: .*nmae'],
    ['s/^memory:.*/memory: much/', 'memory'],
    ['/^memory:/d', 'cannot remove "memory": it always has a value', ''],
    ['s/^cluster:.*/cluster:/', ':\\d+:1: "cluster" has no value'],
  ])(
    'refuses the change %s with a position, and keeps the file',
    async (script, message, retry = '; vmctl vms update vm-02 -f PATH sends it') => {
      const before = await read();
      const { code, stdout, stderr, path = '' } = await edit(`sed -i "${script}" "$1"`);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(new RegExp(message));
      const next = retry.replace('PATH', path);
      expect(stderr).toContain(`warning: the edited file is "${path}"${next}\n`);
      expect(readFileSync(path, 'utf8')).toContain('# vms/vm-02');
      expect(await read()).toEqual(before);
    },
  );

  it('refuses an object that has changed in the meantime', async () => {
    const change = `${process.execPath} ${vmctl} vms update vm-02 --comment other -q >&2`;
    const script = `${change}; sed -i "s/^description:.*/description: mine/" "$1"`;
    const { code, stderr, path = '' } = await edit(script);
    expect(code).toBe(6);
    expect(stderr).toContain('vms/vm-02 has changed in the meantime: comment: c -> other');
    // Sending the file would overwrite the other change.
    expect(stderr).toContain(`warning: the edited file is "${path}"\n`);
    expect(readFileSync(path, 'utf8')).toContain('description: mine');
    expect(await read()).toMatchObject({ description: 'first', comment: 'other' });
  });

  it('keeps the file if the service refuses the change', async () => {
    const { code, stderr, path = '' } = await edit('sed -i "s/^name:.*/name: vm-01/" "$1"');
    expect(code).toBe(6);
    expect(existsSync(path)).toBe(true);
    expect(stderr).toContain(`vmctl vms update vm-02 -f ${path} sends it`);
  });

  it('suggests no update for removed lines, which an update would not remove', async () => {
    const script = 'sed -i -e "s/^name:.*/name: vm-01/" -e "/^comment:/d" "$1"';
    const { code, stderr, path = '' } = await edit(script);
    expect(code).toBe(6);
    expect(stderr).toContain(`warning: the edited file is "${path}"\n`);
  });

  it('needs --yes without a terminal', async () => {
    const script = 'sed -i "s/^comment:.*/comment: x/" "$1"';
    const { code, stderr } = await edit(script, ['vms', 'edit', 'vm-02']);
    expect(code).toBe(12);
    expect(stderr).toContain('cannot change vms/vm-02 without confirmation');
    expect(await read()).toMatchObject({ comment: 'c' });
  });

  it('sends nothing if the editor fails or does not exist', async () => {
    for (const script of ['exit 3', 'echo "comment: x" > "$1"; exit 3']) {
      const { code, stderr } = await edit(script);
      expect([code, stderr]).toEqual([1, expect.stringContaining('exited with code 3')]);
    }
    expect(await read()).toMatchObject({ comment: 'c' });
    const none = await desk.home().run(['vms', 'edit', 'vm-02'], { EDITOR: '', VISUAL: '' });
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('hint: set EDITOR')]);
  });

  it('prefers VISUAL to EDITOR', async () => {
    const env = { EDITOR: 'false', VISUAL: 'true' };
    expect((await desk.home().run(['vms', 'edit', 'vm-02'], env)).code).toBe(0);
  });

  it('offers to edit again on a terminal', async () => {
    const editor = join(desk.home().folder, 'editor.sh');
    const first = 's/^comment:.*/comment: [/';
    writeFileSync(
      editor,
      `#!/bin/sh\nif grep -q "comment: c$" "$1"; then sed -i "${first}" "$1"; else sed -i "s/^comment:.*/comment: again/" "$1"; fi\n`,
    );
    chmodSync(editor, 0o755);
    const script = terminalScript(`${vmctl} vms edit vm-02`, 'y\n');
    const { status, stdout } = spawnSync('bash', ['-c', script], {
      encoding: 'utf8',
      env: { ...desk.home().env, EDITOR: editor, TERM: 'xterm' },
    });
    expect(stdout).toContain('Edit the file again?');
    expect(status).toBe(0);
    expect(await read()).toMatchObject({ comment: 'again' });
  });
});

describe('edit', () => {
  it.each([
    ['clusters', ['Default'], 'comment: edited'],
    ['storagedomains', ['data1'], 'comment: edited'],
    ['nics', ['nic1', '--vm', 'vm-02'], 'linked: false'],
    ['nics', ['nic1', '--on', 'vms/vm-02'], 'linked: true'],
  ])('changes %s', async (noun, words, line) => {
    const [name = ''] = line.split(':');
    const { code, stderr } = await edit(
      `grep -v "^${name}:" "$1" > "$1.new"; echo "${line}" >> "$1.new"; mv "$1.new" "$1"`,
      [noun, 'edit', ...words, '--yes'],
    );
    expect(code, stderr).toBe(0);
    const item = await desk.json<Fields>(noun, 'get', ...words);
    expect(`${name}: ${String(item[name])}`).toBe(line);
  });

  it('is a verb of every noun with update', async () => {
    const { nouns } = await desk.json<{ nouns: { commands: { name: string }[] }[] }>('commands');
    const names = nouns.flatMap(({ commands }) => commands.map(({ name }) => name));
    const updates = names.filter((name) => name.endsWith(' update'));
    expect(names.filter((name) => name.endsWith(' edit'))).toEqual(
      updates.map((name) => name.replace(/update$/, 'edit')),
    );
    expect(updates.length).toBeGreaterThan(30);
  });
});
