/** Snapshots of many VMs, empty pipes, and exit codes of invalid values. */
import { describe, expect, it } from 'vitest';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();

async function described(vm: string): Promise<readonly unknown[]> {
  return (await desk.json('snapshots', 'list', '--vm', vm)).map(({ description }) => description);
}

describe('vms snapshot', () => {
  it('takes several machines, and prints a snapshot of each', async () => {
    const words = ['vms', 'snapshot', 'vm-01', 'vms/vm-02', '--description', 'of two', '-q'];
    expect(new Set((await desk.must(...words)).trim().split('\n')).size).toBe(2);
    for (const vm of ['vm-01', 'vm-02']) expect(await described(vm)).toContain('of two');
  });

  it('takes those that stdin names', async () => {
    const words = ['vms', 'snapshot', '-', '--description', 'piped', '-o', 'json'];
    const { code, stdout, stderr } = await desk.run(words, 'vms/vm-01\nvms/vm-03\n');
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(2);
    for (const vm of ['vm-01', 'vm-03']) expect(await described(vm)).toContain('piped');
  });

  it('processes all objects of a search after a confirmation', async () => {
    const words = ['vms', 'snapshot', '--all', '--search', 'name=vm-0*', '--description', 'found'];
    const declined = await desk.run(words);
    expect([declined.code, declined.stdout]).toEqual([12, '']);
    expect(declined.stderr).toContain('vms snapshot --all: this would snapshot 3 VMs');
    expect((await desk.must(...words, '--yes', '-o', 'id')).trim().split('\n')).toHaveLength(3);
    for (const vm of ['vm-01', 'vm-02', 'vm-03']) expect(await described(vm)).toContain('found');
  });

  it('of one is printed as one', async () => {
    const words = ['vms', 'snapshot', 'vm-02', '--description', 'alone'];
    expect(await desk.json(...words)).toMatchObject({ description: 'alone', vm: {} });
  });

  it('changes nothing if one of them does not exist', async () => {
    const words = ['vms', 'snapshot', 'vm-01', 'nobody', '--description', 'half'];
    expect((await desk.run(words)).code).toBe(3);
    expect(await described('vm-01')).not.toContain('half');
  });

  it.each([
    [['vms', 'snapshot'], 'vms snapshot: no VM given'],
    [['vms', 'snapshot', ''], 'the value is empty'],
    [['vms', 'snapshot', 'vm-01', '--all'], '--all and vm-01 exclude each other'],
    [['vms', 'snapshot', '--search', 'name=x'], 'vms snapshot: --search requires --all'],
  ])('%j is refused', async (words, message) => {
    const { code, stderr } = await desk.run([...words]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('an empty pipe', () => {
  it.each([
    ['vms', 'delete', '-'],
    ['vms', 'start', '-'],
    ['vms', 'snapshot', '-'],
    ['disks', 'copy', '-', '--storage-domain', 'data2'],
    ['tags', 'assign', '-', '--vm', 'vm-01'],
  ])('is success with nothing done: %s %s', async (...words) => {
    const before = await desk.must('vms', 'list', '-o', 'json');
    for (const input of ['', '\n']) {
      const { code, stdout, stderr } = await desk.run(words, input);
      expect([code, stdout]).toEqual([0, '']);
      expect(stderr).toMatch(/^no (?:VMs|disks|tags) on standard input; nothing to do\n$/);
    }
    expect(await desk.must('vms', 'list', '-o', 'json')).toBe(before);
  });
});

describe('an invalid value', () => {
  it.each([
    [['vms', 'list', '--limit', 'abc'], '--limit abc: not an integer'],
    [['vms', 'list', '--max', 'abc'], '--max abc: not an integer'],
    [['roles', 'list', '--limit', 'abc'], '--limit abc: not an integer'],
  ])('is reported under the typed name: %j', async (words, message) => {
    const { code, stderr } = await desk.run([...words]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  const blank = ['--cluster', 'Default', '--template', 'Blank'];

  it.each([
    ['a search', ['vms', 'list', '--search', 'nmae=x', '--no-search-check'], 'vmctl help search'],
    ['a missing attribute', ['vms', 'create', '--name', 'x'], 'give --cluster REF, --template REF'],
    ['a bad name', ['vms', 'create', '--name', 'a b!', ...blank], 'vmctl vms create --help'],
    [
      'a value out of range',
      ['vms', 'create', '--name', 'y', '--memory', '1B', ...blank],
      'vmctl vms create --help',
    ],
  ])('%s that the service refuses ends with 6 and a hint', async (_what, words, hint) => {
    const { code, stdout, stderr } = await desk.run([...words]);
    expect([code, stdout]).toEqual([6, '']);
    expect(stderr).toContain(`hint: ${hint}`);
  });
});
