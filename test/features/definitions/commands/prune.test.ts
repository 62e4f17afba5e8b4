/** `vmctl apply --prune --tag`: deletes VMs and templates with a tag that the definition lacks. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { useSignedInCommand } from '../../../commands/support/signed-in-command.ts';

const desk = useSignedInCommand();
const prune = ['--prune', '--tag', 'web'];

function file(text: string): string {
  const path = join(desk.home().folder, 'site.yaml');
  writeFileSync(path, text);
  return path;
}

/** The definition of VMs with these names and the tag. */
const site = (...names: string[]) =>
  `vms:\n${names.map((name) => `  - { name: ${name}, cluster: Default, tags: [web] }\n`).join('')}`;

async function names(noun = 'vms'): Promise<readonly string[]> {
  return (await desk.must(noun, 'list', '-o', 'name')).trim().split('\n').sort();
}

async function createVm(name: string, ...more: string[]): Promise<void> {
  const blank = ['--cluster', 'Default', '--template', 'Blank'];
  await desk.must('vms', 'create', name, ...blank, ...more);
  await desk.must('tags', 'assign', 'web', '--on', `vms/${name}`);
}

async function addDisk(vm: string, disk: string, ...more: string[]): Promise<void> {
  await desk.must(
    ...['diskattachments', 'create', '--vm', vm, '--interface', 'virtio'],
    ...['--new-disk-name', disk, '--new-disk-size', '1MiB', '--new-disk-format', 'raw'],
    ...['--new-disk-storage-domain', 'data1', ...more],
  );
}

beforeAll(async () => {
  await desk.must('tags', 'create', 'web');
  await desk.must('tags', 'create', 'other');
});

describe('vmctl apply --prune', () => {
  it('shows deletions first, and deletes only VMs with the tag, with their disks', async () => {
    await createVm('old');
    await addDisk('old', 'old_root');
    const before = await names();
    const text = file(site('new'));
    const planned = await desk.run(['apply', text, ...prune, '--dry-run']);
    expect([planned.code, planned.stdout.split('\n')]).toEqual([
      0,
      [
        ...['- delete vms/old', '    disk: old_root -> (deleted)'],
        ...['+ create vms/new', '+ attach vms/new/tags/web', ''],
      ],
    ]);
    expect(await names()).toEqual(before);
    const asked = await desk.run(['apply', text, ...prune]);
    expect([asked.code, asked.stderr]).toEqual([
      12,
      expect.stringContaining('1 to delete, 1 to create, 1 to attach; deletes vms/old'),
    ]);
    const { code, stderr } = await desk.run(['apply', text, ...prune, '--yes']);
    expect([code, stderr]).toEqual([0, expect.stringContaining('3 of 3 done')]);
    expect(await names()).toEqual([...before.filter((one) => one !== 'vms/old'), 'vms/new'].sort());
    expect((await desk.run(['disks', 'get', 'old_root'])).code).toBe(3);
    const again = await desk.run(['apply', text, ...prune]);
    expect([again.code, again.stderr]).toEqual([0, 'no differences\n']);
  });

  it('deletes nothing without --prune, and nothing in collections that the file lacks', async () => {
    await createVm('extra');
    const before = await names();
    await desk.must('apply', file(site('new')), '--yes');
    await desk.must('apply', file('tags: [{ name: web }]\n'), ...prune, '--yes');
    expect(await names()).toEqual(before);
    await desk.must('apply', file(site('new')), ...prune, '--yes');
    expect(await names()).not.toContain('vms/extra');
  });

  it('prints the plan for programs', async () => {
    await createVm('extra');
    await createVm('running', '--boot-devices', 'network');
    await desk.must('vms', 'update', 'running', '--delete-protected');
    const plan = await desk.json('apply', file(site('new')), ...prune, '--dry-run');
    expect(plan).toEqual([
      { action: 'delete', label: 'vms/extra', differences: [] },
      {
        action: 'keep',
        label: 'vms/running',
        reason: 'it is protected against deletion',
        differences: [],
      },
    ]);
    await desk.must('vms', 'delete', 'extra');
    await desk.must('vms', 'update', 'running', '--no-delete-protected');
    await desk.must('vms', 'delete', 'running');
  });

  it('keeps VMs that run, are protected, or share their disks', async () => {
    await createVm('guarded');
    await desk.must('vms', 'update', 'guarded', '--delete-protected');
    await createVm('sharing');
    await addDisk('sharing', 'shared', '--set', 'disk.shareable=true');
    await desk.must(
      ...['diskattachments', 'attach', '--vm', 'new', '--disk', 'shared', '--interface', 'virtio'],
    );
    await createVm('lending');
    await addDisk('lending', 'lent');
    await desk.must('tags', 'assign', 'web', '--on', 'vms/vm-01');
    const before = await names();
    const text = `${site('new')}disks: [{ name: lent, provisioned_size: 1 MiB, format: raw }]\n`;
    const { code, stdout } = await desk.run(['apply', file(text), ...prune, '--yes']);
    expect(code).toBe(0);
    expect(stdout.split('\n').filter((line) => line.startsWith('!'))).toEqual([
      '! vms/guarded: not deleted, because it is protected against deletion',
      '! vms/lending: not deleted, because disk lent is in the definition',
      '! vms/sharing: not deleted, because disk shared is also attached to vms/new',
      '! vms/vm-01: not deleted, because its status is up; stop it first',
    ]);
    expect(await names()).toEqual(before);
    await desk.must('tags', 'unassign', 'web', '--on', 'vms/vm-01');
    await desk.must('vms', 'update', 'guarded', '--no-delete-protected');
    for (const name of ['guarded', 'lending']) await desk.must('vms', 'delete', name);
    await desk.must('vms', 'delete', 'sharing', '--detach-only');
  });

  it('deletes templates after their VMs, and keeps templates in use', async () => {
    for (const name of ['used', 'unused', 'named']) {
      await desk.must('templates', 'create', name, '--vm', 'vm-02');
      await desk.must('tags', 'assign', 'web', '--on', `templates/${name}`);
    }
    await desk.must(
      ...['templates', 'create', 'unused', '--vm', 'vm-02'],
      ...['--set', 'version.base_template=unused'],
    );
    await desk.must('tags', 'assign', 'web', '--on', 'templates/unused@2');
    await desk.must('tags', 'assign', 'web', '--on', 'templates/Blank');
    await createVm('of-unused');
    await desk.must('vms', 'delete', 'of-unused');
    const from = ['--cluster', 'Default', '--template'];
    await desk.must('vms', 'create', 'of-unused', ...from, 'unused@1');
    await desk.must('tags', 'assign', 'web', '--on', 'vms/of-unused');
    await desk.must('vms', 'create', 'of-used', ...from, 'used');
    const text = `${site('new')}  - { name: later, cluster: Default, template: named }\ntemplates: []\n`;
    const none = await desk.run(['apply', file(text), ...prune, '--dry-run']);
    expect(none.stdout).not.toContain('templates/');
    const mine = text.replace(
      'templates: []',
      'templates: [{ name: mine, vm: vm-02, cluster: Default }]',
    );
    const { code, stdout, stderr } = await desk.run(['apply', file(mine), ...prune, '--yes']);
    expect(code, stderr).toBe(0);
    expect(stdout.split('\n').filter((line) => /^[-!]/.test(line))).toEqual([
      ...['- delete vms/of-unused', '- delete templates/unused@2', '- delete templates/unused'],
      '! templates/named: not deleted, because the definition refers to it',
      '! templates/used: not deleted, because of-used uses it',
      '! templates/Blank: not deleted, because every service has it',
    ]);
    expect(await names('templates')).toEqual([
      ...['templates/Blank', 'templates/mine', 'templates/named', 'templates/used'],
    ]);
  });

  it('deletes nothing if another change fails', async () => {
    await createVm('survivor');
    const text = `${site('new', 'bad')}`.replace('name: bad', 'name: bad, memory: 1 B');
    const { code, stderr } = await desk.run(['apply', file(text), ...prune, '--yes']);
    expect(code).not.toBe(0);
    expect(stderr).toContain('skipped: vms/survivor depends on vms/bad');
    expect(await names()).toContain('vms/survivor');
  });

  it.each([
    [['--prune'], 2, '--prune requires --tag'],
    [['--tag', 'web'], 2, '--tag requires --prune'],
    [['--prune', '--tag', 'wbe'], 3, 'did you mean web?'],
  ])('refuses %j', async (words, wanted, message) => {
    const { code, stderr } = await desk.run(['apply', file(site('new')), ...words, '--yes']);
    expect([code, stderr]).toEqual([wanted, expect.stringContaining(message)]);
  });
});

describe('vmctl diff --exit-code', () => {
  it('has the exit codes of diff(1)', async () => {
    const same = await desk.run(['diff', '-', '--exit-code'], 'tags: [{ name: web }]\n');
    expect([same.code, same.stdout]).toEqual([0, '']);
    const other = await desk.run(['diff', '-', '--exit-code'], 'tags: [{ name: new }]\n');
    expect([other.code, other.stdout]).toEqual([1, '+ create tags/new\n']);
    expect((await desk.run(['diff', '-'], 'tags: [{ name: new }]\n')).code).toBe(11);
  });

  it.each([
    ['an invalid definition', 'tags: 7\n', [], 'bad_definition', 2],
    ['a missing object', 'vms: [{ name: x, cluster: no }]\n', [], 'not_found', 3],
    [
      'an unreachable server',
      'tags: [{ name: x }]\n',
      ['--url', 'https://127.0.0.1:1', '--retries', '0'],
      '',
      8,
    ],
  ])('is 2 for %s', async (_, text, flags, wanted, plain) => {
    const words = ['diff', '-', ...flags, '-o', 'json'];
    const { code, stderr } = await desk.run([...words, '--exit-code'], text);
    const error = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
    expect([code, error['exit_code']]).toEqual([2, 2]);
    if (wanted !== '') expect(error['code']).toBe(wanted);
    expect((await desk.run(words, text)).code).toBe(plain);
  });
});
