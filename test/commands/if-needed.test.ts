/** `--if-needed`: success without a request if nothing would change. */
import { describe, expect, it } from 'vitest';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();

/** Runs a command and returns what it printed, and said, which must not be a failure. */
async function fine(...words: string[]): Promise<readonly [stdout: string, stderr: string]> {
  const { code, stdout, stderr } = await desk.run(words);
  expect(code, stderr).toBe(0);
  return [stdout.trim(), stderr.trim()];
}

/** How many requests the server has had that could change something. */
async function changes(): Promise<number> {
  const metrics = await desk.must('api', 'GET', '/_vmctl/metrics');
  return [...metrics.matchAll(/^vmctl_requests_total\{method="(\w+)",.*\} (\d+)$/gm)]
    .filter(([, method]) => method !== 'GET' && method !== 'HEAD')
    .reduce((sum, [, , count]) => sum + Number(count), 0);
}

describe('an action', () => {
  it('is sent once, and succeeds twice', async () => {
    await fine('vms', 'stop', 'vm-01');
    const [id] = await fine('vms', 'start', 'vm-01', '--if-needed', '-q');
    const before = await changes();
    const [again, told] = await fine('vms', 'start', 'vm-01', '--if-needed', '-o', 'id');
    expect([again, told]).toEqual([id, 'vms/vm-01 is already up; nothing to do']);
    expect(await changes()).toBe(before);
    expect((await desk.run(['vms', 'start', 'vm-01'])).code).toBe(6);
  });

  it('runs for objects that need it', async () => {
    await fine('vms', 'stop', 'vm-02', '--if-needed');
    const [ids] = await fine('vms', 'start', 'vm-01', 'vm-02', '--if-needed', '-o', 'name');
    expect(ids.split('\n').sort()).toEqual(['vms/vm-01', 'vms/vm-02']);
    const states = await desk.json('vms', 'list', '--search', 'status=up');
    expect(states.map(({ name }) => name)).toEqual(expect.arrayContaining(['vm-01', 'vm-02']));
  });

  it('fails if the state is neither reached nor reachable', async () => {
    await fine('vms', 'stop', 'vm-02');
    const { code, stderr } = await desk.run(['vms', 'suspend', 'vm-02', '--if-needed']);
    expect([code, stderr]).toEqual([6, expect.stringContaining('suspend vms/vm-02')]);
  });

  it('succeeds for all who ask for it at the same time', async () => {
    await fine('vms', 'stop', 'vm-02', '--if-needed');
    const one = () => desk.home().run(['vms', 'start', 'vm-02', '--if-needed', '-q']);
    const outcomes = await Promise.all(Array.from({ length: 5 }, one));
    expect(outcomes.map(({ code, stderr }) => [code, stderr])).toEqual(Array(5).fill([0, '']));
    expect(new Set(outcomes.map(({ stdout }) => stdout)).size).toBe(1);
  });

  it('is not offered where doing it again means something', async () => {
    for (const verb of ['reboot', 'reset', 'migrate']) {
      const { code } = await desk.run(['vms', verb, 'vm-01', '--if-needed']);
      expect([verb, code]).toEqual([verb, 2]);
    }
  });
});

describe('a host', () => {
  it('comes and goes', async () => {
    await fine('vms', 'stop', '--all', '--yes', '--if-needed');
    for (const verb of ['deactivate', 'deactivate', 'activate', 'activate']) {
      await fine('hosts', verb, 'host1', '--if-needed');
    }
    const host = await desk.json<Record<string, unknown>>('hosts', 'get', 'host1');
    expect(host['status']).toBe('up');
  });
});

describe('a created object', () => {
  it('is created once, and each run prints its id', async () => {
    const create = ['tags', 'create', '--name', 'blue', '--if-needed', '-q'];
    const [id] = await fine(...create);
    expect(await fine(...create)).toEqual([id, '']);
    expect((await desk.run(['tags', 'create', '--name', 'blue'])).code).toBe(6);
  });

  it('is attached once', async () => {
    await fine('affinitylabels', 'create', '--name', 'near');
    const attach = ['affinitylabels', 'add-vm', 'near', 'vm-01', '--if-needed'];
    await fine(...attach);
    expect(await fine(...attach)).toEqual([
      '',
      'vms/vm-01 is already attached to affinitylabels/near; nothing to do',
    ]);
    const detach = ['affinitylabels', 'remove-vm', 'near', 'vm-01', '--if-needed'];
    await fine(...detach);
    expect(await fine(...detach)).toEqual([
      '',
      'vms/vm-01 is not attached to affinitylabels/near; nothing to do',
    ]);
  });

  it('is assigned once, and the note names the parent', async () => {
    await fine('tags', 'create', '--name', 'evening');
    for (const parent of [
      ['--vm', 'vm-02'],
      ['--vm', 'vms/vm-03'],
      ['--on', 'vms/vm-01'],
    ]) {
      const label = `vms/${parent[1]?.replace('vms/', '')}`;
      await fine('tags', 'assign', 'evening', ...parent);
      expect(await fine('tags', 'assign', 'evening', ...parent, '--if-needed')).toEqual([
        '',
        `tags/evening is already assigned to ${label}; nothing to do`,
      ]);
      await fine('tags', 'unassign', 'evening', ...parent);
      expect(await fine('tags', 'unassign', 'evening', ...parent, '--if-needed')).toEqual([
        '',
        `tags/evening is not assigned to ${label}; nothing to do`,
      ]);
    }
  });

  it('is deleted once', async () => {
    const [, told] = await fine('tags', 'delete', 'blue', 'green', '--if-needed');
    expect(told.split('\n').sort()).toEqual([
      'tags/blue: deleted',
      'tags/green does not exist; nothing to do',
    ]);
    expect((await desk.run(['tags', 'delete', 'blue'])).code).toBe(3);
  });

  it('shows in a dry run that nothing would be sent', async () => {
    await fine('tags', 'create', '--name', 'red');
    const [stdout, stderr] = await fine(
      'tags',
      'create',
      '--name',
      'red',
      '--if-needed',
      '--dry-run',
    );
    expect([stdout, stderr]).toEqual([
      '',
      expect.stringContaining('tags/red already exists, unchanged'),
    ]);
  });
});
