/** Defaults, and where settings come from. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Result, temporaryHome, vmctl } from '../support/run.ts';
import { type Site, startSite } from '../support/site.ts';

let home: ReturnType<typeof temporaryHome>;
beforeEach(() => {
  home = temporaryHome();
});
afterEach(() => home.remove());

function run(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Result> {
  return vmctl(argv, { env: { HOME: home.path, ...env } });
}

async function listed(env: Readonly<Record<string, string>> = {}, ...flags: string[]) {
  const { stdout } = await run(['config', 'list', '-o', 'json', ...flags], env);
  const rows = JSON.parse(stdout) as { name: string; value?: string; origin?: string }[];
  return new Map(rows.map(({ name, ...rest }) => [name, rest]));
}

it('a default applies unless another source has a value', async () => {
  expect(await run(['config', 'set', 'retries', '5'])).toMatchObject({
    code: 0,
    stderr: 'retries is 5 by default\n',
  });
  expect((await listed()).get('retries')).toMatchObject({ value: '5', origin: 'defaults' });
  expect((await listed({}, '--retries', '1')).get('retries')).toMatchObject({
    value: '1',
    origin: 'flag',
  });
  await run(['config', 'unset', 'retries']);
  expect((await listed()).get('retries')).not.toHaveProperty('value');
});

it('the variable is named from which a value comes; secrets are not shown', async () => {
  const settings = await listed({ VMCTL_TIMEOUT: '90s', VMCTL_PASSWORD: 'hidden-word' });
  expect(settings.get('timeout')).toMatchObject({ value: '90s', origin: 'VMCTL_TIMEOUT' });
  expect(settings.get('VMCTL_PASSWORD')).toMatchObject({ value: '(not shown)' });
  const { stdout } = await run(['config', 'list'], { VMCTL_PASSWORD: 'hidden-word' });
  expect(stdout).not.toContain('hidden-word');
});

it.each([
  [['config', 'set', 'outptu', 'json'], 'did you mean output?'],
  [['config', 'set', 'output', 'jsn'], 'use one of table'],
  [['config', 'set', 'url', 'https://x'], 'unknown setting "url"'],
  [
    ['config', 'set', 'vmz.columns', 'name'],
    'vmz.columns: unknown noun "vmz"\nhint: did you mean vms?',
  ],
  [['config', 'set', 'vms.colums', 'name'], 'did you mean vms.columns?'],
  [['config', 'set', 'vms.columns', 'name,stauts'], 'vm has no stauts\nhint: did you mean status'],
  [['config', 'set', 'vms.columns', ','], 'vms.columns: no column given'],
  [['config', 'set', 'vms.output', 'jsn'], 'use one of table'],
])('%j is refused', async (argv, message) => {
  expect(await run(argv)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});

it.each([
  ['timeout', ['-5', 'abc', '30d']],
  ['idleTimeout', ['abc', '2d']],
  ['retries', ['1e9', '-1', 'x']],
  ['apiVersion', ['x', '0']],
  ['csvSafe', ['maybe']],
  ['color', ['sometimes']],
  ['history', ['maybe']],
  ['output', ['jsn']],
])('config set %s refuses values with which commands would fail', async (key, values) => {
  for (const value of values) {
    expect(await run(['config', 'set', key, value]), value).toMatchObject({ code: 2 });
    expect(await run(['config', 'list']), value).toMatchObject({ code: 0, stderr: '' });
  }
});

it('a switch can be off by default', async () => {
  await run(['config', 'set', 'csvSafe', 'true']);
  expect((await listed()).get('csvSafe')).toMatchObject({ value: 'true' });
  await run(['config', 'set', 'csvSafe', 'false']);
  expect((await listed()).get('csvSafe')).not.toHaveProperty('value');
});

it('an alias that the configuration cannot contain is refused', async () => {
  for (const words of [
    ['esc', 'vms list --search \u001b'],
    ['constructor', 'vms list'],
  ]) {
    expect(await run(['alias', 'set', ...words])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('use another name or value; the file is unchanged'),
    });
    expect(await run(['alias', 'list'])).toMatchObject({ code: 0 });
  }
});

it.each([
  ['disks', 'delete', 'root', '--yes', '--wait-timeout', 'abc'],
  ['vms', 'stop', 'web01', '--wait-timeout', '-1'],
  ['apply', 'site.yaml', '--yes', '--wait-timeout', '5x'],
  ['wait', 'vms/web01', '--timeout', 'abc'],
  ['events', 'tail', '--until-idle', 'soon'],
  ['snapshots', 'prune', '--vm', 'web01', '--older-than', 'abc', '--yes'],
])('an invalid duration is refused before the first request: %s %s', async (...argv) => {
  const site = await startSite();
  const { code, stderr } = await site.run(argv);
  const calls = site.calls();
  await site.close();
  expect([code, calls]).toEqual([2, []]);
  expect(stderr).toContain(': not a duration');
});

it.each([
  ['--timeout', ['vms', 'list', '--timeout', '30d']],
  ['--watch', ['vms', 'list', '--watch=30d']],
  ['--interval', ['events', 'tail', '--interval', '30d']],
  ['--until-idle', ['events', 'tail', '--until-idle', '30d']],
  ['--interval', ['top', '--interval', '30d']],
])('a time that a timer cannot wait is refused: %s in %j', async (flag, argv) => {
  const site = await startSite();
  const { code, stderr } = await site.run(argv);
  await site.close();
  expect(code).toBe(2);
  expect(stderr).toContain(`${flag} 30d: longer than 24 days`);
});

describe('preferences of a noun', () => {
  let site: Site;
  let config: string;
  beforeEach(async () => {
    site = await startSite();
    config = join(site.home, 'config');
    mkdirSync(join(config, 'vmctl'), { recursive: true, mode: 0o700 });
  });
  afterEach(() => site.close());

  const must = async (...argv: string[]) => {
    const result = await site.run(argv, { env: { XDG_CONFIG_HOME: config } });
    expect(result).toMatchObject({ code: 0 });
    return result;
  };

  it('holds for its lists, by any of its names; a flag wins', async () => {
    await must('config', 'set', 'vm.columns', 'state=status,name');
    expect((await must('vms', 'list')).stdout).toBe('STATE  NAME\nup     web01\ndown   web02\n');
    expect((await must('vms', 'list', '-o', 'csv')).stdout).toMatch(/^state,name\n/);
    expect((await must('vms', 'list', '--columns', 'id')).stdout).toMatch(/^ID\n/);
    expect((await must('vms', 'get', 'web01')).stdout).toMatch(/^name +web01\nid /);
    expect((await must('clusters', 'list')).stdout).toMatch(/^NAME +DATA_CENTER/);
    const { stdout } = await must('config', 'list', '--origin', '-o', 'json');
    expect(JSON.parse(stdout)).toContainEqual({
      name: 'vms.columns',
      value: 'state=status,name',
      origin: `defaults in ${join(config, 'vmctl/config.json')}`,
    });
    await must('config', 'unset', 'vms.columns');
    expect((await must('vms', 'list')).stdout).toMatch(/^NAME +STATUS/);
  });

  it('follows what its columns need', async () => {
    await must('config', 'set', 'vms.columns', 'name,cluster.data_center.name');
    site.calls();
    await must('vms', 'list');
    expect(site.calls().join()).toContain('/vms?follow=cluster.data_center');
  });

  it('by a context wins over all servers, by a variable over the context', async () => {
    const context = {
      url: `${site.stub.url}/virt-app`,
      site: { origin: site.stub.url, appRoot: '/virt-app', dialect: 'standard' },
      username: 'admin@internal',
      credentials: { source: 'env' },
    };
    const file = join(config, 'vmctl/config.json');
    const contexts = { version: 1, current: 'lab', contexts: { lab: context }, defaults: {} };
    writeFileSync(file, JSON.stringify(contexts), { mode: 0o600 });
    await must('config', 'set', 'vms.output', 'csv');
    await must('config', 'set', 'output', 'yaml');
    expect((await must('vms', 'list')).stdout).toMatch(/^name,status/);
    expect((await must('clusters', 'list')).stdout).toMatch(/^- id: /);
    expect((await must('config', 'set', 'vms.output', 'json', '-c', 'lab')).stderr).toBe(
      'vms.output is json in the context lab\n',
    );
    expect((await must('vms', 'list')).stdout).toMatch(/^\[/);
    const refused = await site.run(['vms', 'get', 'nobody'], { env: { XDG_CONFIG_HOME: config } });
    expect(JSON.parse(refused.stderr)).toMatchObject({ code: 'not_found' });
    const byVariable = { XDG_CONFIG_HOME: config, VMCTL_OUTPUT: 'name' };
    expect((await site.run(['vms', 'list'], { env: byVariable })).stdout).toMatch(/^vms\/web01\n/);
    expect((await must('vms', 'list', '-o', 'id')).stdout).toMatch(/^1111/);
    // Of a whole context, it wins over what is preferred for a noun of all servers.
    await must('config', 'unset', 'vms.output', '-c', 'lab');
    await must('config', 'set', 'output', 'jsonl', '-c', 'lab');
    expect((await must('vms', 'list')).stdout).toMatch(/^\{/);
  });
});
