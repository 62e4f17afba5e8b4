/** Jobs that administrators do every month: snapshots that are many, hosts that are old. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/command.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let home: Home;

async function start(...inventory: string[]): Promise<void> {
  server = await startTestServer(['--inventory', ...inventory, '--speed', '0']);
  home = makeHome(server);
}

async function stop(): Promise<void> {
  home.remove();
  await server.stop();
}

async function run(...words: string[]) {
  const outcome = await home.runHere(words);
  expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
  return outcome;
}

async function json(...words: string[]): Promise<Record<string, unknown>[]> {
  const { stdout } = await run(...words, '-o', 'json');
  return [JSON.parse(stdout) as Record<string, unknown>].flat();
}

describe('vmctl snapshots prune', () => {
  beforeAll(() => start('small'));
  afterAll(stop);

  const names = async (vm: string) =>
    (await json('snapshots', 'list', '--vm', vm))
      .filter(({ snapshot_type: type }) => type === 'regular')
      .map(({ description }) => description);

  beforeEach(async () => {
    await home.runHere(['snapshots', 'prune', '--all', '--keep', '0', '--yes']);
    for (const number of [1, 2, 3]) {
      await run('snapshots', 'create', '--vm', 'vm-01', '--description', `nightly ${number}`);
    }
    await run('snapshots', 'create', '--vm', 'vm-02', '--description', 'by hand');
  });

  it('leaves the newest, and says which go', async () => {
    const deleted = await json('snapshots', 'prune', 'vm-01', '--keep', '1', '--yes');
    expect(deleted).toMatchObject([
      { vm: 'vm-01', description: 'nightly 1' },
      { vm: 'vm-01', description: 'nightly 2' },
    ]);
    expect(await names('vm-01')).toEqual(['nightly 3']);
    const again = await run('snapshots', 'prune', 'vm-01', '--keep', '1', '--yes');
    expect(again.stderr).toContain('nothing to do');
  });

  it('shows a plan, and changes nothing', async () => {
    const plan = await json('snapshots', 'prune', '--all', '--keep', '1', '--dry-run');
    const doomed = plan.filter(({ action }) => action === 'delete');
    expect(doomed.map(({ description }) => description)).toEqual(['nightly 2', 'nightly 1']);
    expect(plan).toContainEqual(expect.objectContaining({ reason: 'its type is active' }));
    expect(await names('vm-01')).toHaveLength(3);
  });

  it('asks: without an answer nothing goes', async () => {
    const { code, stderr } = await home.runHere(['snapshots', 'prune', '--all', '--keep', '1']);
    expect(code).toBe(12);
    expect(stderr).toContain('this would delete 2 snapshots of 1 VM');
    expect(await names('vm-01')).toHaveLength(3);
  });

  it('of the machines that a search finds, by description and age', async () => {
    await run(
      ...['snapshots', 'prune', '--search', 'name=vm-0*', '--older-than', '0s'],
      ...['--description', 'nightly*', '--yes'],
    );
    expect([await names('vm-01'), await names('vm-02')]).toEqual([[], ['by hand']]);
    const young = await run('snapshots', 'prune', 'vm-02', '--older-than', '1d', '--yes');
    expect(young.stderr).toContain('nothing to do');
  });

  it('takes names from standard input, each once', async () => {
    const words = ['snapshots', 'prune', '-', '--keep', '0', '--yes', '-o', 'json'];
    const { code, stdout } = await home.runHere(words, {}, 'vm-02\nvms/vm-02\n');
    expect([code, JSON.parse(stdout)]).toMatchObject([0, [{ description: 'by hand' }]]);
  });

  it.each([
    ['no limit', ['--all'], /snapshots prune: no limit given/],
    ['no machine', ['--keep', '1'], /snapshots prune: no VM given/],
    [
      'two ways to say which',
      ['vm-01', '--all', '--keep', '1'],
      /--all and vm-01 exclude each other/,
    ],
    ['a number that is none', ['vm-01', '--keep', 'few'], /--keep few/],
    ['an age that is none', ['vm-01', '--older-than', 'old'], /--older-than old/],
    ['a search that does not parse', ['--search', 'statu=up', '--keep', '1'], /unknown field/],
    ['a pattern without machines', ['nobody', '--keep', '1'], /vms\/nobody not found/],
  ])('%s is refused', async (_, words, message) => {
    const { code, stderr } = await home.runHere(['snapshots', 'prune', ...words, '--yes']);
    expect([2, 3]).toContain(code);
    expect(stderr).toMatch(message);
  });
});

describe('vmctl clusters upgrade', () => {
  beforeEach(() => start('hosts=3,vms=6'));
  const cluster = async () => (await json('clusters', 'get', 'Default'))[0];
  const updatable = async () =>
    (await json('hosts', 'list'))
      .filter(({ update_available: available }) => available)
      .map(({ name }) => name);

  it('upgrades host by host, keeps account, and has nothing to do then', async () => {
    const done = await json('clusters', 'upgrade', 'Default');
    expect(done.map(({ name }) => name)).toHaveLength(3);
    expect(done.at(-1)).toMatchObject({ name: 'host1', action: 'upgrade' });
    expect(await updatable()).toEqual([]);
    for (const host of await json('hosts', 'list')) expect(host).toMatchObject({ status: 'up' });
    expect(await cluster()).toMatchObject({ upgrade_in_progress: false });
    const events = await json('events', 'list');
    const codes = events.map(({ code }) => code);
    expect(codes.filter((code) => code === 842)).toHaveLength(3);
    expect([codes.includes(892), codes.includes(894)]).toEqual([true, true]);
    const again = await run('clusters', 'upgrade', 'Default');
    expect(again.stderr).toContain('nothing to upgrade');
    await stop();
  });

  it('prints its plan, excludes hosts, and skips the check for updates with --no-check', async () => {
    await run('hosts', 'upgrade-check', 'host2', 'host3');
    const plan = await json('clusters', 'upgrade', 'Default', '--dry-run', '--skip', 'host3');
    expect(plan.map(({ name, action }) => [name, action])).toEqual([
      ['host2', 'upgrade'],
      ['host3', 'none'],
      ['host1', 'none'],
    ]);
    const words = ['clusters', 'upgrade', 'Default', '--no-check', '--skip', 'host3'];
    expect(await json(...words)).toMatchObject([{ name: 'host2' }]);
    expect(await updatable()).toEqual(['host3']);
    await stop();
  });

  it('a host in maintenance is upgraded and stays there', async () => {
    await run('hosts', 'deactivate', 'host3');
    await run('clusters', 'upgrade', 'Default');
    expect(await updatable()).toEqual([]);
    expect((await json('hosts', 'get', 'host3'))[0]).toMatchObject({ status: 'maintenance' });
    await stop();
  });

  it('stops at the first failure, and the same command resumes', async () => {
    const [vm] = (await json('vms', 'list', '--search', 'status=up')).filter(
      ({ host }) => host !== undefined,
    );
    const hosts = await json('hosts', 'list');
    const home3 = hosts.find(({ name }) => name === 'host3');
    // A machine that may run nowhere else cannot be moved away.
    await run('vms', 'stop', String(vm?.['name']));
    await run(
      ...['vms', 'update', String(vm?.['name']), '--set', 'placement_policy.affinity=pinned'],
      ...['--set-json', `placement_policy.hosts=[{"id":"${String(home3?.['id'])}"}]`],
    );
    await run('vms', 'start', String(vm?.['name']));
    const failed = await home.runHere(['clusters', 'upgrade', 'Default']);
    expect(failed.code, failed.stderr).toBe(6);
    expect(failed.stderr).toContain('upgraded: host2');
    expect(failed.stderr).toContain('not started: host1');
    expect(failed.stderr).toMatch(/vmctl clusters upgrade Default resumes/);
    expect(await cluster()).toMatchObject({ upgrade_in_progress: true });
    await run('vms', 'stop', String(vm?.['name']));
    const resumed = await run('clusters', 'upgrade', 'Default', '-o', 'json');
    expect(resumed.stderr).toContain('clusters/Default: resuming upgrade vmctl-');
    expect(JSON.parse(resumed.stdout)).toMatchObject([{ name: 'host3' }, { name: 'host1' }]);
    expect(await updatable()).toEqual([]);
    expect(await cluster()).toMatchObject({ upgrade_in_progress: false });
    await stop();
  });

  it('refuses an upgrade of another client', async () => {
    const begin = ['clusters', 'upgrade', 'Default', '--upgrade-action', 'start'];
    await run(...begin, '--correlation-id', 'nightly-job');
    const { code, stderr } = await home.runHere(['clusters', 'upgrade', 'Default']);
    expect(code).toBe(6);
    expect(stderr).toContain('--upgrade-action finish');
    await stop();
  });

  it.each([
    ['several clusters', ['Default', 'Default'], /clusters upgrade takes one cluster\n/],
    ['a host that there is not', ['Default', '--skip', 'host9'], /hosts\/host9/],
    ['no cluster', [], /clusters upgrade: no object given/],
  ])('%s is refused', async (_, words, message) => {
    const { code, stderr } = await home.runHere(['clusters', 'upgrade', ...words]);
    expect([2, 3]).toContain(code);
    expect(stderr).toMatch(message);
    await stop();
  });

  it('a host that is switched off stops it before anything begins', async () => {
    const secret = join(home.folder, 'fence-password');
    writeFileSync(secret, 'fenced');
    await run(
      ...['fenceagents', 'create', '--host', 'host2', '--type', 'ipmilan', '--order', '1'],
      ...['--address', '10.0.0.9', '--username', 'root', '--password-file', secret],
    );
    await run('hosts', 'update', 'host2', '--set', 'power_management.enabled=true');
    await run('hosts', 'deactivate', 'host2');
    await run('hosts', 'fence', 'host2', '--fence-type', 'stop');
    const { code, stderr } = await home.runHere(['clusters', 'upgrade', 'Default']);
    expect(code).toBe(6);
    expect(stderr).toMatch(/hosts\/host2 is down[\s\S]*--skip host2/);
    expect(await cluster()).toMatchObject({ upgrade_in_progress: false });
    expect(await updatable()).not.toEqual([]);
    await run('clusters', 'upgrade', 'Default', '--skip', 'host2');
    await stop();
  });
});
