/** References to versions of templates: `golden@2`, `golden@second`, `golden@latest`. */
import { beforeAll, describe, expect, it } from 'vitest';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();
const ids: string[] = [];

beforeAll(async () => {
  const create = ['templates', 'create', 'golden', '--vm', 'vm-02', '-o', 'id'];
  const version = ['--set', 'version.base_template=golden@1', '--set'];
  const add = async (...words: string[]) => {
    ids.push((await desk.must(...create, ...words)).trim());
  };
  await add();
  await add(...version, 'version.version_name=second');
  // The name of a version can be a number of another one.
  await add(...version, 'version.version_name=1');
  await desk.must('templates', 'create', 'plain', '--vm', 'vm-02');
  await desk.must('templates', 'list');
});

describe('a template with versions', () => {
  it.each([
    ['golden@1', 0],
    ['golden@2', 1],
    ['golden@second', 1],
    ['templates/golden@second', 1],
    ['golden@base version', 0],
    ['golden@latest', 2],
  ])('%s is one of them', async (word, index) => {
    expect((await desk.must('templates', 'get', word, '-o', 'id')).trim()).toBe(ids[index]);
  });

  it('its name alone is ambiguous, and the error lists the versions', async () => {
    const { code, stderr } = await desk.run(['templates', 'get', 'golden']);
    expect([code, stderr]).toEqual([
      6,
      'vmctl: templates/golden has 3 versions:\n  templates/golden@1  base version\n' +
        '  templates/golden@2  second\n  templates/golden@3  1\n' +
        'hint: use golden@latest, or one of the versions\n',
    ]);
  });

  it.each(['golden@4', 'golden@', 'golden@thrid', 'golden@2.5'])(
    'an unknown version %s is an error that lists the others',
    async (word) => {
      const create = ['vms', 'create', 'never', '--cluster', 'Default', '--template', word];
      const { code, stderr } = await desk.run(create);
      expect([code, stderr]).toEqual([
        3,
        expect.stringContaining('hint: use one of golden@1, golden@2, golden@3, or golden@latest'),
      ]);
    },
  );

  it('an unknown name is an error with similar names', async () => {
    const { code, stderr } = await desk.run(['templates', 'get', 'plian@1']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('did you mean plain?')]);
  });

  it('works in flags, parents and definitions of pools', async () => {
    const vm = ['vms', 'create', 'web01', '--cluster', 'Default', '--template', 'golden@second'];
    await desk.must(...vm);
    expect(await desk.json('vms', 'get', 'web01')).toMatchObject({
      original_template: { id: ids[1] },
    });
    const pool = ['vmpools', 'create', 'pool', '--cluster', 'Default', '--template', 'golden@2'];
    expect(await desk.json(...pool, '--dry-run')).toMatchObject({
      body: { template: { id: ids[1] } },
    });
    expect(await desk.must('nics', 'list', '--template', 'golden@latest')).toContain('nic1');
  });

  it('a version can be changed and deleted', async () => {
    await desk.must('templates', 'update', 'golden@latest', '--comment', 'newest');
    expect(await desk.json('templates', 'get', ids[2] ?? '')).toMatchObject({ comment: 'newest' });
    await desk.must('templates', 'delete', 'golden@3', '--yes');
    expect((await desk.must('templates', 'get', 'golden@latest', '-o', 'id')).trim()).toBe(ids[1]);
    await desk.must('templates', 'delete', 'golden@3', '--yes', '--if-needed');
  });
});

it('the version of a template with one version may be omitted', async () => {
  const plain = await desk.must('templates', 'get', 'plain', '-o', 'id');
  expect(await desk.must('templates', 'get', 'plain@1', '-o', 'id')).toBe(plain);
  expect(await desk.must('templates', 'get', 'plain@latest', '-o', 'id')).toBe(plain);
});

it('other objects have no versions', async () => {
  const name = 'team@latest';
  await desk.must('bookmarks', 'create', name, '--value', 'Vms: status=up');
  expect(await desk.must('bookmarks', 'get', name, '-o', 'name')).toBe(`bookmarks/${name}\n`);
});

it('completion offers the versions instead of the ambiguous name', async () => {
  await desk.must('templates', 'list');
  const offered = async (...words: string[]) =>
    (await desk.must('__complete', ...words)).split('\n').map((line) => line.split('\t')[0]);
  const versions = ['golden@1', 'golden@2', 'golden@latest', ''];
  expect(await offered('templates', 'get', 'gold')).toEqual(versions);
  expect(await offered('vms', 'create', '--template', 'gold')).toEqual(versions);
  expect(await offered('templates', 'get', 'pl')).toEqual(['plain', '']);
});
