/** Repeated flags: those documented as repeatable collect all values, others are refused. */
import { describe, expect, it } from 'vitest';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();

describe('--on repeated', () => {
  const grant = ['permissions', 'grant', '--role', 'UserVmManager', '--user', 'admin@internal'];
  const both = ['--on', 'vms/vm-01', '--on', 'vms/vm-02'];

  it('does it to both, and prints both', async () => {
    const made = await desk.json(...grant, ...both);
    expect(made).toHaveLength(2);
    for (const [index, vm] of ['vm-01', 'vm-02'].entries()) {
      const there = await desk.json('permissions', 'list', '--on', `vms/${vm}`);
      expect(there.map(({ id }) => id)).toContain(made[index]?.['id']);
    }
  });

  it('changes nothing if one of them does not exist', async () => {
    const before = await desk.json('permissions', 'list', '--on', 'vms/vm-03');
    const words = [...grant, '--on', 'vms/vm-03', '--on', 'vms/nobody'];
    const { code, stdout } = await desk.run(words);
    expect([code, stdout]).toEqual([3, '']);
    expect(await desk.json('permissions', 'list', '--on', 'vms/vm-03')).toEqual(before);
  });

  it('goes for objects of two kinds', async () => {
    const words = [...grant, '--on', 'clusters/Default', '--on', 'vms/vm-01'];
    expect((await desk.must(...words, '-q')).trim().split('\n')).toHaveLength(2);
  });

  it('is refused for a list', async () => {
    const { code, stderr } = await desk.run(['permissions', 'list', ...both]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--on appears more than once')]);
  });
});

interface Tree {
  readonly nouns: readonly {
    readonly commands: readonly {
      readonly name: string;
      readonly flags: readonly { flag: string; many: boolean; doc: string; hidden?: boolean }[];
    }[];
  }[];
}

describe('every flag', () => {
  it('says in help that it may be repeated, or may not', async () => {
    const { nouns } = await desk.json<Tree>('commands');
    const all = nouns.flatMap(({ commands }) =>
      commands.flatMap(({ name, flags }) => flags.map((one) => ({ name, ...one }))),
    );
    expect(all.length).toBeGreaterThan(2_000);
    const wrong = all.filter(({ doc, many }) => doc.includes('repeated') !== many);
    expect(wrong.map(({ name, flag }) => `${name} ${flag}`)).toEqual([]);
  });

  it.each([
    ['vms', 'create', '--name', 'a', '--name', 'b'],
    ['vms', 'list', '--max', '1', '--limit', '2'],
    ['vms', 'list', '--search', 'name=a', '--search', 'name=b'],
    ['nics', 'list', '--vm', 'vm-01', '--vm', 'vm-02'],
    ['vms', 'list', '-o', 'json', '-o', 'yaml'],
    ['vms', 'list', '--columns', 'name', '--columns', 'id'],
    ['vms', 'console', 'vm-01', '--protocol', 'vnc', '--protocol', 'spice'],
    ['events', 'list', '--tail', '--count', '1', '--count', '2'],
    ['vms', 'stop', 'vm-01', '--reason', 'a', '--reason', 'b'],
  ])('is refused before anything is sent: %s', async (...words) => {
    const { code, stdout, stderr } = await desk.run(words);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/--[a-z, -]+ appears more than once\nhint: use it once/);
  });

  it('with a list takes all values', async () => {
    const words = ['--name', 'listed', '--cluster', 'Default', '--template', 'Blank'];
    const boot = ['--boot-devices', 'network', '--boot-devices', 'hd'];
    const vm = await desk.json<Record<string, unknown>>('vms', 'create', ...words, ...boot);
    expect(vm['os']).toMatchObject({ boot: { devices: ['network', 'hd'] } });
  });
});
