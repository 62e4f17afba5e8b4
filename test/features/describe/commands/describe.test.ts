/** `vmctl vms describe` and `describe` of other kinds: summaries for people. */
import { beforeAll, describe, expect, it } from 'vitest';
import { useSignedInCommand } from '../../../commands/support/signed-in-command.ts';
import { makeHome } from '../../../support/command.ts';

const desk = useSignedInCommand();

beforeAll(async () => {
  await desk.must('snapshots', 'create', '--vm', 'vm-01', '--description', 'first', '-q');
  const olaf = ['--role', 'UserVmManager', '--user', 'olaf@internal'];
  await desk.must('permissions', 'grant', ...olaf, '--on', 'clusters/Default');
  await desk.must('vms', 'update', 'vm-01', '--cpu.topology.cores', '2', '--next-run');
});

describe('vms describe', () => {
  it('groups related objects under titles', async () => {
    const { stdout } = await desk.home().runHere(['vms', 'describe', 'vm-01'], { LC_ALL: 'C' });
    expect(stdout).toMatch(/^name: +vm-01$/m);
    expect(stdout).toMatch(/^status: +up$/m);
    expect(stdout.match(/^\w.*$/gm)?.filter((line) => !line.includes(':'))).toEqual([
      'Resources',
      'Changes at the next start',
      'NICs',
      'Disks',
      'CD drive',
      'Snapshots',
      'Permissions',
      'Events',
    ]);
    expect(stdout).toMatch(/^ {2}memory: +1 GiB$/m);
    expect(stdout).toMatch(/^ {2}cpu\.topology\.cores +1 +2$/m);
    expect(stdout).toMatch(/^ {2}nic1 +mgmt .* 10\.0\.0\.1/m);
    expect(stdout).toMatch(/^ {2}vm-01_Disk1 +ok +1 GiB .*data1 +bootable$/m);
    expect(stdout).toMatch(/^ {2}`- Active VM \(current state\)/m);
    expect(stdout).toMatch(/^ {2}UserVmManager +olaf@internal-authz .*clusters\/Default$/m);
    expect(stdout).toMatch(/^ {2}SuperUser +admin@internal-authz .*system$/m);
    expect(stdout).toMatch(/ago +normal +Snapshot 'first' creation/);
  });

  it('marks empty sections, and omits changes of a VM that is down', async () => {
    const text = await desk.must('vms', 'describe', 'vm-02');
    expect(text).toMatch(/^Snapshots\n {2}none$/m);
    expect(text).not.toMatch(/^Changes/m);
    const running = await desk.must('vms', 'describe', 'vm-03');
    expect(running).toMatch(/^Changes at the next start\n {2}none$/m);
  });

  it('shows the CD of the current run and of the next start', async () => {
    const section = async () => {
      const text = await desk.must('vms', 'describe', 'vm-03');
      const [, lines = ''] = /^CD drive\n((?: {2}.*\n)+)/m.exec(text) ?? [];
      return lines.trim().split(/\s{2,}/);
    };
    const [iso, other] = ['virtio-win-0.1.262.iso', 'fedora-server-40-x86_64.iso'];
    await desk.must('vms', 'stop', 'vm-03', '--if-needed');
    expect(await section()).toEqual(['none']);
    await desk.must('vms', 'start', 'vm-03', '--once', '--cdrom', iso);
    expect(await section()).toEqual(['image:', iso, 'next start:', 'none']);
    await desk.must('cdroms', 'change', 'vm-03', other);
    expect(await section()).toEqual(['image:', iso, 'next start:', other]);
    await desk.must('vms', 'stop', 'vm-03');
    expect(await section()).toEqual(['image:', other]);
    await desk.must('cdroms', 'eject', 'vm-03');
    await desk.must('vms', 'start', 'vm-03');
  });

  it('prints the same values as JSON and YAML, also as show', async () => {
    const item = await desk.json<Record<string, unknown>>('vms', 'show', 'vm-01');
    expect(item).toMatchObject({
      name: 'vm-01',
      resources: { memory: 2 ** 30 },
      next_run: [{ attribute: 'cpu.topology.cores', running: '1', next: '2' }],
      disks: [{ name: 'vm-01_Disk1', size: 2 ** 30 }],
      snapshots: [{ description: 'first' }, { snapshot_type: 'active' }],
    });
    expect(item['unreadable']).toBeUndefined();
    expect(await desk.must('vms', 'describe', 'vm-01', '-o', 'yaml')).toMatch(/^nics:\n/m);
    expect(await desk.must('vms', 'describe', 'vm-01', '--query', 'disks[0].name')).toContain(
      'vm-01_Disk1',
    );
  });

  it('prints times with --utc', async () => {
    const text = await desk.must('vms', 'describe', 'vm-01', '--utc');
    expect(text).toMatch(/^created: +\d{4}-\d\d-\d\dT.*Z$/m);
    expect(text).not.toContain(' ago');
  });

  it('shows other users the visible parts', async () => {
    const home = makeHome(desk.server());
    const jane = { VMCTL_USERNAME: 'jane@internal' };
    const { code, stdout, stderr } = await home.runHere(['vms', 'describe', 'vm-01'], jane);
    home.remove();
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^name: +vm-01$/m);
    expect(stdout).not.toContain('admin@internal');
  });

  it('reports an unknown VM like get', async () => {
    const { code, stderr } = await desk.run(['vms', 'describe', 'vm-1']);
    expect(code).toBe(3);
    expect(stderr).toContain('vms/vm-1 not found');
  });
});

describe('describe', () => {
  it.each([
    ['hosts', 'host1', ['Resources', 'VMs', 'NICs', 'Permissions', 'Events']],
    ['disks', 'vm-01_Disk1', ['VMs', 'Permissions']],
    ['storagedomains', 'data1', ['Space', 'Disks', 'Permissions']],
    ['templates', 'Blank', ['Resources', 'NICs', 'Disks', 'VMs', 'Permissions', 'Events']],
    ['networks', 'mgmt', ['VMs', 'Permissions']],
  ])('summarizes %s', async (noun, name, titles) => {
    const text = await desk.must(noun, 'describe', name);
    expect(text).toMatch(new RegExp(`^name: +${name}$`, 'm'));
    for (const title of titles) expect(text).toMatch(new RegExp(`^${title}$`, 'm'));
    expect(await desk.json(noun, 'show', name)).toMatchObject({ name });
  });

  it('lists the disks of a template, and the VMs that were created from it', async () => {
    const clone = ['--name', 'clone', '--cluster', 'Default', '--template', 'web'];
    await desk.must('templates', 'create', '--name', 'web', '--set', 'vm.name=vm-02', '-q');
    await desk.must('vms', 'create', ...clone, '-q');
    const item = await desk.json<Record<string, unknown>>('templates', 'describe', 'web');
    expect(item).toMatchObject({
      disks: [{ name: 'vm-02_Disk1', size: 2 ** 30 }],
      nics: [{ name: 'nic1' }],
      vms: [{ name: 'clone' }],
    });
    const text = await desk.must('templates', 'describe', 'Blank');
    expect(text).toMatch(/^Disks\n {2}none$/m);
  });

  it('leaves show to get for other nouns', async () => {
    expect(await desk.json('clusters', 'show', 'Default')).toMatchObject({ name: 'Default' });
  });

  it('accepts names with spaces', async () => {
    const size = ['--size', '1MiB', '--format', 'cow', '--storagedomain', 'data1'];
    await desk.must('disks', 'create', '--name', 'my disk', ...size);
    expect(await desk.must('disks', 'describe', 'my disk')).toMatch(/^name: +my disk$/m);
  });

  it('accepts names that the search language cannot express', async () => {
    const size = ['--size', '1MiB', '--format', 'cow', '--storagedomain', 'data1'];
    await desk.must('disks', 'create', '--name', 'a"b*', ...size);
    const text = await desk.must('disks', 'describe', 'a"b*');
    expect(text).toMatch(/^name: +a"b\*$/m);
    expect(text).not.toContain('Events');
    expect(text).toMatch(/^VMs\n {2}none$/m);
  });
});

describe('the dialect ovirt', () => {
  const engine = useSignedInCommand(['--dialect', 'ovirt']);

  it('has the same origins of permissions', async () => {
    const item = await engine.json<{ permissions: unknown[] }>('vms', 'describe', 'vm-01');
    expect(item.permissions).toContainEqual({
      role: 'SuperUser',
      user: 'admin@internal-authz',
      inherited_from: 'system',
    });
    for (const [noun, name] of [
      ['hosts', 'host1'],
      ['disks', 'vm-01_Disk1'],
    ] as const) {
      await engine.must(noun, 'describe', name);
    }
  });
});

describe('a service that refuses some reads', () => {
  const strict = useSignedInCommand(
    [
      ...['--fault', 'operation=list,type=nic,status=403'],
      ...['--fault', 'operation=list,type=permission,status=403'],
    ],
    true,
  );

  it('marks these sections', async () => {
    const text = await strict.must('vms', 'describe', 'vm-01');
    expect(text).toMatch(/^NICs\n {2}\(not permitted\)\n/m);
    expect(text).toMatch(/^Permissions\n {2}\(not permitted\)\n/m);
    expect(await strict.json('vms', 'describe', 'vm-01')).toMatchObject({
      nics: null,
      permissions: null,
      unreadable: ['nics', 'permissions'],
    });
  });
});
