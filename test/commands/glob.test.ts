/** `--glob`: names as patterns, and suggestions of similar names. */
import { beforeAll, describe, expect, it } from 'vitest';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();

beforeAll(async () => {
  for (const name of ['web1', 'web2', 'db-a', 'db-bb']) {
    await desk.must('vms', 'create', '--name', name, '--cluster', 'Default', '--template', 'Blank');
  }
});

/** Names of machines that are as said. */
async function vms(search: string): Promise<string> {
  return await desk.must('vms', 'list', '--search', search, '-o', 'name');
}

describe('--glob', () => {
  it('processes all objects with a matching name after a confirmation', async () => {
    const refused = await desk.run(['vms', 'update', '--glob', 'web*', 'db-?', '--comment', 'x']);
    expect(refused.code).toBe(12);
    expect(refused.stderr).toMatch(
      /vms update --glob: this would update 3 VMs\nhint: confirm with --yes/,
    );
    expect(await vms('comment=x')).toBe('');
    await desk.must('vms', 'update', '--glob', 'web*', 'db-?', '--comment', 'x', '--yes');
    expect(await vms('comment=x')).toBe('vms/db-a\nvms/web1\nvms/web2\n');
    // One is not many.
    await desk.must('vms', 'update', '--glob', 'vms/db-b*', '--comment', 'x');
    expect(await vms('comment=x')).toContain('vms/db-bb');
  });

  it('shows what it would do', async () => {
    const { code, stdout } = await desk.run(['vms', 'stop', '--glob', 'web[12]', '--dry-run']);
    expect([code, stdout.match(/\/stop/g)?.length]).toEqual([0, 2]);
  });

  it('shows and awaits matching objects without a confirmation', async () => {
    expect(await desk.must('vms', 'get', '--glob', 'web?', '-o', 'name')).toBe(
      'vms/web1\nvms/web2\n',
    );
    expect(await desk.json('vms', 'get', '--glob', 'web1')).toHaveLength(1);
    await desk.must('vms', 'wait', '--glob', 'web*', '--for', 'status=down');
    expect(await desk.must('nics', 'get', '--vm', 'vm-01', '--glob', 'nic*', '-o', 'name')).toBe(
      'nics/nic1\n',
    );
  });

  it('that nothing matches is done, and says so', async () => {
    const { code, stdout, stderr } = await desk.run(['vms', 'delete', '--glob', 'nosuch*', '*zz']);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toBe('no vms match nosuch*; nothing to do\nno vms match *zz; nothing to do\n');
  });

  it('goes with --if-needed', async () => {
    const { stdout } = await desk.run([
      ...['vms', 'delete', '--glob', 'web*', '--if-needed', '--dry-run'],
    ]);
    expect(stdout.match(/DELETE/g)?.length).toBe(2);
  });

  it.each([
    [['vms', 'stop', '--glob'], /--glob: pattern missing/],
    [['vms', 'stop', '--glob', 'web*', '--all'], /--all and web\* exclude each other/],
    [['nics', 'delete', '--glob', 'nic*'], /needs a parent/],
  ])('refuses %j', async (words, says) => {
    const { code, stderr } = await desk.run(words);
    expect(code).toBe(2);
    expect(stderr).toMatch(says);
  });

  it('means only patterns: without it a star is a name', async () => {
    const { code, stderr } = await desk.run(['vms', 'get', 'web*']);
    expect(code).toBe(3);
    expect(stderr).toContain('vms/web* not found');
  });
});

describe('similar names', () => {
  const countRequests = async (...words: readonly string[]) => {
    const { stderr } = await desk.run([...words, '--debug']);
    expect(stderr).toContain('did you mean web1');
    return stderr.match(/GET .*\/vms/g)?.length;
  };

  it('come from the server if the names are not cached', async () => {
    const { code, stderr } = await desk.run(['clusters', 'get', 'Defualt']);
    expect([code, stderr]).toEqual([
      3,
      'vmctl: clusters/Defualt not found\nhint: did you mean Default?\n',
    ]);
  });

  it('come from cached names without a further request', async () => {
    await desk.must('vms', 'list');
    expect(await countRequests('vms', 'get', 'wbe1')).toBe(1);
  });

  it('of columns refer to the list if no column is similar', async () => {
    for (const flag of ['--sort', '--columns']) {
      const { code, stderr } = await desk.run(['vms', 'list', flag, 'zzzzz']);
      expect(code).toBe(2);
      expect(stderr).toMatch(/vm has no zzzzz\nhint: vmctl explain vm\n$/);
    }
  });
});
