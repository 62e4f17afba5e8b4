/** `--sort` and `--limit`: sorting comes first, and unknown attributes are refused. */
import { beforeAll, describe, expect, it } from 'vitest';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();

/** In the order of their names 2, 9, 10; of their memory 9, 10, 2. */
const machines = [
  ['sorted-10', '2GiB'],
  ['sorted-2', '3GiB'],
  ['sorted-9', '1GiB'],
] as const;

beforeAll(async () => {
  for (const [name, memory] of machines) {
    const blank = ['--cluster', 'Default', '--template', 'Blank'];
    await desk.must('vms', 'create', '--name', name, '--memory', memory, ...blank);
  }
});

const search = ['--search', 'name=sorted*'];

async function names(...words: string[]): Promise<readonly unknown[]> {
  const [noun = '', verb = '', ...rest] = words;
  return (await desk.json(noun, verb, ...rest)).map(({ name }) => name);
}

describe('--limit returns the first objects after sorting', () => {
  it.each([
    ['by a number', 'memory', ['sorted-9', 'sorted-10']],
    ['the other way', '-memory', ['sorted-2', 'sorted-10']],
    ['by a text, whose numbers count', 'name', ['sorted-2', 'sorted-9']],
    ['by a text the other way', '-name', ['sorted-10', 'sorted-9']],
  ])('%s', async (_how, sort, expected) => {
    const words = ['vms', 'list', ...search, '--sort', sort];
    expect(await names(...words, '--limit', '2')).toEqual(expected);
    expect((await names(...words)).slice(0, 2)).toEqual(expected);
    expect(await names(...words, '--limit', '2', '--page-size', '1')).toEqual(expected);
  });

  it('by several keys', async () => {
    for (const [name, comment] of [
      ['sorted-2', 'b'],
      ['sorted-9', 'b'],
      ['sorted-10', 'a'],
    ] as const) {
      await desk.must('vms', 'update', name, '--comment', comment);
    }
    const words = ['vms', 'list', ...search, '--sort'];
    expect(await names(...words, 'comment,-name')).toEqual(['sorted-10', 'sorted-9', 'sorted-2']);
    expect(await names(...words, '-comment,name', '--limit', '2')).toEqual([
      'sorted-2',
      'sorted-9',
    ]);
    const { code, stderr } = await desk.run(['vms', 'list', '--sort', 'memory,']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('before or after a comma')]);
    expect((await desk.run(['vms', 'list', '--sort', 'name,memroy'])).stderr).toContain('memroy');
  });

  it('for lists without a search', async () => {
    const all = await names('roles', 'list', '--sort', '-name');
    expect(await names('roles', 'list', '--sort', '-name', '--limit', '3')).toEqual(
      all.slice(0, 3),
    );
  });

  it('puts those without a value last, whichever way is sorted', async () => {
    for (const sort of ['start_time', '-start_time']) {
      const all = await names('vms', 'list', '--sort', sort);
      const [first, second] = await names('vms', 'list', '--sort', sort, '--limit', '2');
      expect([first, second]).toEqual(all.slice(0, 2));
      expect([first, second].sort()).toEqual(['vm-01', 'vm-03']);
    }
  });

  it('by the name of a referenced object, in every format', async () => {
    const words = ['vms', 'list', '--search', 'status=up', '--sort', '-host.name', '--limit', '1'];
    expect(await names(...words)).toEqual(['vm-03']);
    expect(await desk.must(...words, '-o', 'name')).toBe('vms/vm-03\n');
  });

  it('by a column, with a note about further objects', async () => {
    const words = ['vms', 'list', '--sort', 'host', '--limit', '1', '-o', 'name'];
    const { stdout, stderr } = await desk.run(words);
    expect(stdout).toBe('vms/vm-01\n');
    expect(stderr).toBe('showing 1 vm (--limit); more may exist\n');
  });

  it('keeps the order of the query', async () => {
    const ordered = ['--search', 'name=sorted* sortby memory', '--limit', '2', '--sort', '-memory'];
    expect(await names('vms', 'list', ...ordered)).toEqual(['sorted-10', 'sorted-9']);
  });

  it('has no pages in an order that the service does not know', async () => {
    const words = ['vms', 'list', '--sort', 'name', '--limit', '2', '--page', '2'];
    const { code, stderr } = await desk.run(words);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('--page: the service has no pages sorted by name'),
    ]);
  });
});

describe('an unknown column is refused before the first request', () => {
  it.each([
    [['vms', 'list', '--sort', 'nmae'], '--sort nmae: vm has no nmae', 'name'],
    [['vms', 'list', '--sort=-memroy', '-o', 'json'], '--sort memroy: vm has no memroy', 'memory'],
    [['vms', 'list', '--sort', 'host.nam'], '--sort host.nam: host (host) has no nam', 'host.name'],
    [['vms', 'list', '--columns', 'nmae', '-o', 'json'], '--columns nmae: vm has no nmae', 'name'],
    [['vms', 'get', 'vm-01', '--columns', 'nmae'], '--columns nmae: vm has no nmae', 'name'],
    [['vms', 'start', 'vm-02', '--columns', 'nmae'], '--columns nmae: vm has no nmae', 'name'],
    [
      ['tags', 'create', '--name', 'never', '--columns', 'nmae'],
      '--columns nmae: tag has no nmae',
      'name',
    ],
    [
      ['vms', 'clone', 'vm-02', '--name', 'never', '--columns', 'nmae'],
      '--columns nmae: vm has no nmae',
      'name',
    ],
    [['config', 'list', '--sort', 'vlaue'], '--sort vlaue: unknown column', 'value'],
    [['config', 'list', '--columns', 'vlaue'], '--columns vlaue: unknown column', 'value'],
  ])('%j', async (words, message, near) => {
    const { code, stdout, stderr } = await desk.run([...words]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr).toContain(near);
  });

  it('and nothing changed', async () => {
    expect((await desk.json<{ status: string }>('vms', 'get', 'vm-02')).status).toBe('down');
    expect(await names('tags', 'list')).not.toContain('never');
    expect(await names('vms', 'list')).not.toContain('never');
  });
});
