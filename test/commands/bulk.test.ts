/** Verbs for many objects: `--all`, `--search` and the confirmation. */
import { beforeEach, describe, expect, it } from 'vitest';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();

async function domain(): Promise<string> {
  const [first] = await desk.json('storagedomains', 'list', '--search', 'type=nfs');
  return String(first?.['name']);
}

async function listStates(search: string): Promise<readonly unknown[]> {
  return (await desk.json('vms', 'list', '--search', search)).map(({ status }) => status);
}

beforeEach(async () => {
  await desk.run(['vms', 'stop', '--search', 'name=bulk* and status!=down', '--all', '--yes']);
  await desk.run(['vms', 'delete', '--search', 'name=bulk*', '--all', '--yes']);
  for (const name of ['bulk1', 'bulk2', 'bulk3']) {
    await desk.must('vms', 'create', '--name', name, '--cluster', 'Default', '--template', 'Blank');
    await desk.must(
      ...['diskattachments', 'create', '--vm', name, '--bootable', '--interface', 'virtio'],
      ...['--new-disk-size', '1GiB', '--new-disk-format', 'cow'],
      ...['--new-disk-storagedomain', await domain()],
    );
  }
});

describe('--all with --search', () => {
  it('processes all found objects after a confirmation', async () => {
    const ids = (await desk.must('vms', 'start', '--search', 'name=bulk*', '--all', '--yes', '-q'))
      .trim()
      .split('\n');
    expect(ids).toHaveLength(3);
    expect(await listStates('name=bulk*')).toEqual(['up', 'up', 'up']);
    await desk.must('vms', 'stop', '--search', 'name=bulk1', '--all', '--yes');
    expect(await listStates('name=bulk* sortby name')).toEqual(['down', 'up', 'up']);
  });

  it('changes nothing without a terminal, and reports the number of objects', async () => {
    const { code, stderr, stdout } = await desk.run([
      'vms',
      'delete',
      '--search',
      'name=bulk*',
      '--all',
    ]);
    expect([code, stdout]).toEqual([12, '']);
    expect(stderr).toContain('vms delete --all: this would delete 3 VMs');
    expect(await listStates('name=bulk*')).toHaveLength(3);
  });

  it('fails as the first did where all fail', async () => {
    const { code, stderr } = await desk.run([
      'vms',
      'suspend',
      '--search',
      'name=bulk*',
      '--all',
      '-y',
    ]);
    expect(code).toBe(6);
    expect(stderr.match(/^vmctl: suspend vms\/bulk/gm)).toHaveLength(3);
    expect(stderr).toContain('3 of 3 failed');
    expect(stderr).toContain('hint: check the state with vmctl vms get bulk1');
  });

  it('waits for all of them', async () => {
    await desk.must('vms', 'start', '--search', 'name=bulk*', '--all', '--yes', '--no-wait');
    const up = await desk.json(
      'vms',
      'wait',
      '--search',
      'name=bulk*',
      '--all',
      '--for',
      'status=up',
    );
    expect(up).toHaveLength(3);
  });

  it('that finds nothing is no failure', async () => {
    const { code, stderr } = await desk.run(['vms', 'stop', '--search', 'name=nobody', '--all']);
    expect([code, stderr]).toEqual([0, 'no vms found; nothing to do\n']);
  });

  it('changes nothing and does not ask in a dry run', async () => {
    const { code, stdout, stderr } = await desk.run([
      ...['vms', 'delete', '--search', 'name=bulk*', '--all', '--dry-run'],
    ]);
    expect([code, stderr]).toEqual([0, '']);
    expect(
      stdout.match(/^DRY RUN, nothing sent: DELETE \S+\/vms\/[\w-]+ \(delete vms\/bulk\d\)$/gm),
    ).toHaveLength(3);
    expect(await listStates('name=bulk*')).toHaveLength(3);
  });

  it.each([
    { flags: [], last: 'suspended', says: '2 of 3 failed' },
    { flags: ['--fail-fast'], last: 'up', says: '1 of 3 failed, 2 skipped' },
  ])(
    'continues after a failure unless --fail-fast is given: $flags',
    async ({ flags, last, says }) => {
      await desk.must('vms', 'start', 'bulk3');
      const words = ['vms', 'suspend', 'bulk1', 'bulk2', 'bulk3', '--parallel', '1', ...flags];
      const { code, stderr } = await desk.run(words);
      expect(code).not.toBe(0);
      expect(stderr).toContain(says);
      expect(await listStates('name=bulk3')).toEqual([last]);
      await desk.must('vms', 'stop', 'bulk3');
    },
  );

  it('reports each failure and the results', async () => {
    await desk.must('vms', 'start', 'bulk2');
    const { code, stderr, stdout } = await desk.run([
      'vms',
      'delete',
      '--search',
      'name=bulk*',
      '--all',
      '--yes',
      '-o',
      'name',
    ]);
    expect(code).toBe(9);
    expect(stdout.trim().split('\n').sort()).toEqual(['vms/bulk1', 'vms/bulk3']);
    expect(stderr).toContain('1 of 3 failed');
  });
});

describe('mistakes are reported before the first request', () => {
  it.each([
    [['vms', 'stop', '--search', 'name=bulk*'], 'vms stop: --search requires --all'],
    [['vms', 'stop', 'bulk1', '--all'], '--all and bulk1 exclude each other'],
    [['vms', 'stop'], 'vms stop: no object given'],
    [['vms', 'stop', ''], 'the value is empty'],
  ])('%j', async (words, message) => {
    const { code, stderr } = await desk.run(words);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

it('--all means the children of one parent where objects have parents', async () => {
  for (const nic of ['one', 'two']) {
    await desk.must('nics', 'create', '--name', nic, '--vm', 'bulk1');
  }
  await desk.must('nics', 'delete', '--all', '--vm', 'bulk1', '--yes');
  expect(await desk.json('nics', 'list', '--vm', 'bulk1')).toEqual([]);
});
