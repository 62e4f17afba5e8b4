/** Validation of search queries, bookmarks, and the output of `search-help`. */
import { beforeAll, describe, expect, it } from 'vitest';
import { getSearchMeaning } from '../../src/cli/commands/search-help/explain.ts';
import { searchFields } from '../../src/model/derive/search.ts';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();

beforeAll(async () => {
  const add = (name: string, value: string) =>
    desk.must('bookmarks', 'create', '--name', name, '--value', value);
  await add('running', 'Vms: name=vm-0* sortby name');
  await add('all hosts', 'hosts: name=*');
  await add('plain', 'name=vm-01');
  await add('broken', 'Vms: nmae=x');
  await desk.must('vms', 'list');
});

describe('search-help', () => {
  it('distinguishes the addresses of the guest and of the console', async () => {
    const text = await desk.must('search-help', 'vms');
    expect(text).toMatch(/^ {2}ip +IP addresses that the guest reports; text;/m);
    expect(text).toMatch(/^ {2}address +address of the graphical console; text;/m);
    const items = await desk.json('search-help', 'vms');
    expect(items).toContainEqual(
      expect.objectContaining({ name: 'on_host', meaning: 'attribute host.name' }),
    );
  });

  it.each(Object.entries(searchFields))(
    'explains each field of %s that is no attribute of the same name',
    (_type, fields) => {
      const unexplained = Object.entries(fields).filter(([name, field]) => {
        const isAttribute = field.path === name && field.through === undefined;
        if (field.hidden || isAttribute) return false;
        // Steps lead to attributes of other objects, so a path alone is no explanation.
        if (field.through !== undefined) return field.doc === undefined;
        return getSearchMeaning(name, field) === undefined;
      });
      expect(unexplained.map(([name]) => name)).toEqual([]);
    },
  );
});

describe('an invalid query', () => {
  it.each([
    ['vms', 'name=x and statsu=up', 12, 'unknown field statsu', 'did you mean status?'],
    ['vms', 'status=upp', 8, '"upp" is not a valid status', 'did you mean up?'],
    ['vms', 'name=', 6, 'the query ends', 'expected: a value'],
    ['vms', 'name="x', 8, 'the query ends inside quotes', 'expected: "'],
    ['vms', "name=it's", 8, "' is not allowed in a query", 'vmctl search-help vms'],
    ['vms', '(name=x)', 1, 'parentheses are not supported', 'expected: a condition'],
    ['vms', 'name>x', 5, '> is not valid for name', 'expected: =, !='],
    ['vms', 'zzzzzzzz=1', 1, 'unknown field zzzzzzzz', 'vmctl search-help vms'],
    ['vms', 'sortby nmae', 8, 'cannot sort by nmae', 'did you mean name'],
    [
      'events',
      'severity>bad',
      10,
      '"bad" is not a valid severity',
      'expected: normal, warning, error, alert',
    ],
  ])('of %s, %s, is pointed at', async (noun, search, at, problem, hint) => {
    const line = `  ${search}\n  ${' '.repeat(at - 1)}^\n`;
    const said = `${problem} (character ${at})\n${line}hint: ${hint}`;
    // No request is sent: this address has no server.
    const nowhere = { VMCTL_URL: 'https://127.0.0.1:1' };
    const list = await desk.home().runHere([noun, 'list', '--search', search], nowhere);
    expect([list.code, list.stdout]).toEqual([2, '']);
    expect(list.stderr).toContain(`vmctl: --search: ${said}`);
    const help = await desk.run(['search-help', noun, search]);
    expect(help.code).toBe(2);
    expect(help.stderr).toContain(`vmctl: search: ${said}`);
  });

  it('has the caret below wide characters, and shows a part of a long one', async () => {
    const wide = await desk.run(['vms', 'list', '--search', 'name=漢字 and statsu=up']);
    expect(wide.stderr).toContain(`\n  ${' '.repeat(14)}^\n`);
    const long = await desk.run([
      'vms',
      'list',
      '--search',
      `name=${'x'.repeat(300)} and statsu=up`,
    ]);
    const [, shown = '', caret = ''] = long.stderr.split('\n');
    expect(shown.length).toBeLessThan(80);
    expect(shown.slice(caret.indexOf('^'))).toBe('statsu=up');
  });

  it('is reported to programs with the correction', async () => {
    const { code, stderr } = await desk.run(['vms', 'list', '--search', 'statsu=up', '-o', 'json']);
    const told = JSON.parse(stderr) as Record<string, unknown>;
    expect(code).toBe(2);
    expect(told).toMatchObject({ code: 'bad_search', exit_code: 2, next: ['status=up'] });
  });

  it('changes nothing', async () => {
    const words = ['vms', 'stop', '--all', '--search', 'nmae=*', '--yes'];
    expect((await desk.run(words)).code).toBe(2);
    expect((await desk.run(['vms', 'snapshot', '--all', '--search', 'nmae=*', '--yes'])).code).toBe(
      2,
    );
  });

  it('is sent on request, and the service decides', async () => {
    const { code, stderr } = await desk.run([
      ...['vms', 'list', '--search', 'nmae=x', '--no-search-check'],
    ]);
    expect(code).toBe(6);
    expect(stderr).toContain('unknown field nmae');
  });
});

describe('a bookmark', () => {
  it('is replaced by its query', async () => {
    expect(await desk.must('vms', 'list', '--search', '@running', '-o', 'name')).toBe(
      'vms/vm-01\nvms/vm-02\nvms/vm-03\n',
    );
    expect(await desk.must('vms', 'list', '--search', '@plain', '-o', 'name')).toBe('vms/vm-01\n');
    expect(await desk.must('hosts', 'list', '--search', '@all hosts', '-o', 'name')).toContain(
      'hosts/',
    );
    const { stdout } = await desk.run([
      ...['vms', 'start', '--all', '--search', '@plain', '--dry-run'],
    ]);
    expect(stdout.match(/\/start/g)?.length).toBe(1);
  });

  it.each([
    ['vms', '@runing', 3, /bookmarks\/runing not found\nhint: did you mean running/],
    [
      'vms',
      '@all hosts',
      2,
      /the bookmark is for hosts, not vms.*\nhint: vmctl hosts list --search '@all hosts'/,
    ],
    ['vms', '@broken', 2, /--search @broken: unknown field nmae/],
    ['vms', '@', 2, /: bookmark name missing/],
  ])('of %s, %s, is refused clearly', async (noun, text, expected, says) => {
    const { code, stdout, stderr } = await desk.run([noun, 'list', '--search', text]);
    expect([code, stdout]).toEqual([expected, '']);
    expect(stderr).toMatch(says);
  });
});

describe('search-help', () => {
  it('explains the language, a noun and a search', async () => {
    expect(await desk.must('search-help')).toMatch(/Searchable lists: vms, disks/);
    const page = await desk.must('search-help', 'vm');
    expect(page).toMatch(/^ {2}memory +a number of MiB \(= != < > <= >=\)$/m);
    expect(page).toMatch(/^ {2}hosts\. +name, /m);
    expect(
      await desk.must(
        'search-help',
        'vms',
        'name=web* status=up or status=down sortby name desc page 2',
      ),
    ).toBe(
      'vms where\n  all of\n    name = web*\n    any of\n      status = up\n      status = down\nsorted by name descending\npage 2\n',
    );
    expect(await desk.must('search-help', 'vms', '')).toBe('All vms\n');
    const fields = await desk.json('search-help', 'vms');
    expect(fields).toContainEqual(
      expect.objectContaining({ name: 'status', values: expect.arrayContaining(['up', 'down']) }),
    );
    const [first] = await desk.json<Record<string, unknown>[]>('search-help');
    expect(first).toMatchObject({ noun: 'vms', fields: expect.arrayContaining(['status']) });
  });

  it.each([
    ['nics', /not searchable/],
    ['vmz', /unknown noun\nhint: did you mean vms/],
    ['name=x', /search-help name=x: noun missing\nhint: vmctl search-help vms 'name=x'/],
  ])('refuses %s', async (word, says) => {
    const { code, stderr } = await desk.run(['search-help', word]);
    expect(code).toBe(2);
    expect(stderr).toMatch(says);
  });
});
