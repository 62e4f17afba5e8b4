/** Commands that read from several contexts. */
import { beforeAll, describe, expect, it } from 'vitest';
import { listModelNouns } from '../../src/cli/verbs/collections.ts';
import { listVerbs } from '../../src/cli/verbs/derive-verbs.ts';
import type { Outcome } from '../support/command.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { useSignedInCommand } from './support/signed-in-command.ts';

const lab = useSignedInCommand();
let prod: TestServer;

/** Nouns whose lists need no parent. */
const nouns = listModelNouns().filter((noun) =>
  listVerbs(noun).some(
    ({ kind, candidates }) =>
      kind === 'list' && candidates.some(({ parents, owner }) => parents.length === 0 && !owner),
  ),
);

/** Environment in which contexts select the servers. */
const user = {
  ...{ VMCTL_URL: undefined, VMCTL_USERNAME: undefined, VMCTL_PASSWORD: undefined },
  VMCTL_CA_FILE: undefined,
};

beforeAll(async () => {
  prod = await startTestServer(['--speed', '0', '--inventory', 'small']);
  const home = lab.home();
  await lab.must('login', lab.server().ready.base_url, '-c', 'lab');
  const env = {
    VMCTL_URL: prod.ready.base_url,
    VMCTL_PASSWORD: prod.password,
    VMCTL_CA_FILE: prod.ready.ca_file,
  };
  const login = await home.runHere(['login', prod.ready.base_url, '-c', 'prod'], env);
  expect(login.code, login.stderr).toBe(0);
  const words = ['vms', 'create', 'only-prod', '--cluster', 'Default', '--template', 'Blank'];
  expect((await home.runHere(words, env)).code).toBe(0);
  return () => prod.stop();
});

async function run(...words: string[]): Promise<Outcome> {
  return await lab.home().runHere(words, user);
}

async function runJson(...words: string[]): Promise<Record<string, unknown>[]> {
  const { code, stdout, stderr } = await run(...words, '-o', 'json');
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

describe('several contexts', () => {
  it('a list has the objects of each context, with the context first', async () => {
    const { stdout, code } = await run('vms', 'list', '--context', 'all');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^CONTEXT +NAME +STATUS/);
    expect(stdout).toMatch(/^lab +vm-01 /m);
    expect(stdout).toMatch(/^prod +only-prod /m);
    const items = await runJson('vms', 'list', '--context', 'prod,lab');
    expect(Object.keys(items[0] ?? {})[0]).toBe('context');
    expect(items.map(({ context }) => context)).toEqual([
      ...Array(4).fill('prod'),
      ...Array(3).fill('lab'),
    ]);
  });

  it('all objects are sorted and selected together', async () => {
    const words = ['vms', 'list', '-c', 'all', '--columns', 'name,context', '--no-headers'];
    const sorted = await run(...words, '--sort', '-name,context', '-o', 'csv');
    expect(sorted.stdout.split('\n').slice(0, 3)).toEqual(['vm-03,lab', 'vm-03,prod', 'vm-02,lab']);
    const query = await run('vms', 'list', '-c', 'all', '--query', "[?name=='only-prod'].context");
    expect(JSON.parse(query.stdout)).toEqual(['prod']);
  });

  it('an object may be missing in some contexts, but not in all', async () => {
    const found = await run('vms', 'get', 'only-prod', '-c', 'all');
    expect(found).toMatchObject({ code: 0, stderr: 'lab: vms/only-prod not found\n' });
    expect(found.stdout).toMatch(/^prod +only-prod +down +- +Default /m);
    expect(await run('vms', 'get', 'vm-99', '-c', 'all')).toMatchObject({ code: 3, stdout: '' });
  });

  it('a report has a title for each context', async () => {
    const { stdout, code } = await run('vms', 'describe', 'vm-01', '-c', 'all');
    expect(code).toBe(0);
    expect(stdout.match(/^context \w+$/gm)).toEqual(['context lab', 'context prod']);
    expect(await runJson('vms', 'describe', 'vm-01', '-c', 'all')).toMatchObject([
      { context: 'lab', name: 'vm-01' },
      { context: 'prod', name: 'vm-01' },
    ]);
  });

  it.each([
    [['whoami'], 'lab', 'prod'],
    [['version'], 'lab', 'prod'],
    [['doctor'], 'lab', 'prod'],
    [['top', 'vms'], 'lab', 'prod'],
    [['can-i', 'start', 'vms/vm-01'], 'lab', 'prod'],
    [['events', 'list', '--limit', '1'], 'lab', 'prod'],
  ])('%s', async (words, ...contexts) => {
    const items = await runJson(...words, '-c', 'all');
    expect([...new Set(items.map(({ context }) => context))]).toEqual(contexts);
    const table = await run(...words, '-c', 'all');
    expect(table.stdout.match(/\bCONTEXT\b/g)).toHaveLength(1);
  });

  it.each(nouns)('%s list', async (noun) => {
    const items = await runJson(noun, 'list', '-c', 'lab,prod', '--limit', '1');
    const alone = await runJson(noun, 'list', '-c', 'lab', '--limit', '1');
    expect(items.filter(({ context }) => context === 'lab')).toHaveLength(alone.length);
    expect(items.every(({ context }) => context === 'lab' || context === 'prod')).toBe(true);
  });

  it('an unavailable service does not stop the others', async () => {
    const gone = await startTestServer(['--inventory', 'small']);
    const env = {
      ...{ VMCTL_URL: gone.ready.base_url, VMCTL_PASSWORD: gone.password },
      VMCTL_CA_FILE: gone.ready.ca_file,
    };
    const words = ['login', gone.ready.base_url, '-c', 'gone'];
    expect((await lab.home().runHere(words, env)).code).toBe(0);
    await gone.stop();
    const { code, stdout, stderr } = await run('vms', 'list', '-c', 'lab,gone', '--retries', '0');
    expect(code).toBe(9);
    expect(stdout).toMatch(/^lab +vm-01 /m);
    expect(stderr).toMatch(/^vmctl: gone: /);
    expect((await run('vms', 'list', '-c', 'gone,gone', '--retries', '0')).code).toBe(8);
    expect((await run('context', 'delete', 'gone', '--yes')).code).toBe(0);
  });

  it.each([
    [['vms', 'stop', 'vm-01'], 2, 'several contexts are only for commands that read'],
    [['vms', 'list', '--watch'], 2, '--watch is not valid with several contexts'],
    [['events', 'list', '--tail'], 2, 'the output of several contexts cannot be combined'],
    [['export'], 2, 'the output of several contexts cannot be combined'],
    [['vms', 'list', '-o', 'name'], 2, '-o name does not show the contexts'],
    [['vms', 'list', '-q'], 2, '-q does not show the contexts'],
    [['vms', 'list', '--url', 'https://h'], 2, '--url is not valid with several contexts'],
    [['vms', 'list', '--curl'], 2, '--curl is not valid with several contexts'],
    [['vms', 'get', '-'], 2, 'several contexts cannot share standard input'],
    [['vms', 'list', '--sort', 'nmae'], 2, 'vm has no nmae'],
  ])('refuses %s', async (words, code, message) => {
    const refused = await run(...words, '--context', 'all');
    expect(refused).toMatchObject({ code, stdout: '' });
    expect(refused.stderr).toContain(message);
    // A mistake in the command is reported once.
    expect(refused.stderr.match(/^vmctl: /gm)).toHaveLength(1);
  });

  it('refuses unknown contexts, variables of one service, and names that mean several', async () => {
    expect(await run('vms', 'list', '-c', 'lab,nope')).toMatchObject({ code: 3 });
    const token = await lab.home().runHere(['vms', 'list', '-c', 'all'], {
      ...user,
      VMCTL_TOKEN: 'x',
    });
    expect(token.stderr).toContain('VMCTL_TOKEN is not valid with several contexts');
    for (const name of ['all', 'a,b']) {
      const { code, stderr } = await run('context', 'set', 'lab', '--name', name);
      expect(code).toBe(2);
      expect(stderr).toContain('is not valid as the name of a context');
      const login = ['login', lab.server().ready.base_url, '-c', name];
      expect(await run(...login)).toMatchObject({ code: 2 });
    }
  });

  it('the shell completes names, lists of names, and all', async () => {
    const { stdout } = await run('__complete', 'vms', 'list', '--context', '');
    expect(stdout.split('\n').map((line) => line.trim())).toEqual(['lab', 'prod', 'all', '']);
    const list = await run('__complete', 'vms', 'list', '--context', 'lab,');
    expect(list.stdout).toContain('lab,prod');
  });
});
