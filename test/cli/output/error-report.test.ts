/** Error reports with JSON output: one JSON object on stderr, and empty stdout. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ids, type Site, startSite } from '../support/site.ts';

let site: Site;

beforeAll(async () => {
  const fault = { fault: { reason: 'Operation Failed', detail: '[Cannot do that.]' } };
  site = await startSite({
    'POST /virt-app/api/vms/*/start': { status: 409, body: fault.fault },
    'POST /virt-app/api/vms/*/stop': { body: { status: 'failed', ...fault } },
    'GET /virt-app/api/disks': { status: 403, body: fault.fault },
    'GET /virt-app/api/networks': { status: 500, body: 'boom' },
    'GET /virt-app/api/tags': { body: 'no JSON' },
  });
});

afterAll(() => site.close());

describe.each(['json', 'jsonl'])('-o %s', (format) => {
  it.each([
    [['vmz'], 2, 'unknown_noun'],
    [['vms', 'strat'], 2, 'unknown_verb'],
    [['vms', 'list', '--serch', 'x'], 2, 'usage'],
    [['vms', 'list', '--search'], 2, 'usage'],
    [['vms', 'list', 'extra'], 2, 'usage'],
    [['vms', 'start'], 2, 'usage'],
    [['vms', 'get', ''], 2, 'usage'],
    [['vms', 'create', '--set', 'nmae=x'], 2, 'unknown_attribute'],
    [['vms', 'create', '--memory', 'much'], 2, 'usage'],
    [['vms', 'create', '-f', '/nonexistent'], 2, 'usage'],
    [['vms', 'list', '--query', '[?'], 2, 'bad_query'],
    [['vms', 'list', '--search', ''], 2, 'empty_search'],
    [['vms', 'delete', '--search', '  ', '--all', '--yes'], 2, 'empty_search'],
    [['snapshots', 'prune', '--search', '', '--keep', '1', '--yes'], 2, 'empty_search'],
    [['vms', 'snapshot', '--search', '', '--all', '--yes'], 2, 'empty_search'],
    [['vms', 'list', '--query', `[?${'('.repeat(50_000)}`], 2, 'bad_query'],
    [['vms', 'list', '--query', 'abs(name)'], 2, 'bad_query'],
    [['vms', 'list', '--timeout', 'soon'], 2, 'usage'],
    [['vms', 'list', '--retries', 'x'], 2, 'usage'],
    [['vms', 'list', '--debug=x'], 2, 'usage'],
    [['vms', 'list', '--page-size', 'x'], 2, 'usage'],
    [['vms', 'list', '-c', 'nowhere', '--url='], 3, 'unknown_context'],
    [['vms', 'list', '--ca-file', '/nonexistent'], 2, 'usage'],
    [['vms', 'list', '--url', 'ftp://x'], 2, 'usage'],
    [['nics', 'list'], 2, 'missing_parent'],
    [['vms', 'get', 'nobody'], 3, 'not_found'],
    [['vms', 'start', 'web01'], 6, 'conflict'],
    [['vms', 'stop', 'web01'], 6, 'action_failed'],
    [['disks', 'list'], 5, 'forbidden'],
    [['networks', 'list', '--retries', '0'], 10, 'server_error'],
    [['tags', 'list'], 10, 'bad_answer'],
    [['api', 'GET', '/disks'], 5, 'forbidden'],
    [['api', 'FETCH', '/disks'], 2, 'usage'],
    [['context', 'delete', 'x'], 3, 'unknown_context'],
    [['restart', 'web01'], 2, 'unknown_command'],
    [['explain', 'nothing'], 2, 'unknown_type'],
    [['completion', 'cmd'], 2, 'usage'],
    [['serve', '--listen', 'x'], 2, 'usage'],
    [['login', 'http://x'], 2, 'usage'],
    [['logout', '--dry-run'], 2, 'usage'],
  ])('%j', async (argv, code, word) => {
    const result = await site.run([...argv, '-o', format]);
    const lines = result.stderr.trimEnd().split('\n');
    expect(lines).toHaveLength(1);
    const error = JSON.parse(lines[0] ?? '');
    expect({ code: result.code, told: error.exit_code, word: error.code }).toEqual({
      code,
      told: code,
      word,
    });
    expect(error.message).not.toBe('');
    expect(result.stdout).toBe('');
  });

  it('one for each object that fails, and one for all', async () => {
    const result = await site.run(['vms', 'start', 'web01', ids.web02, '-o', format]);
    const errors = result.stderr.trimEnd().split('\n');
    expect(errors).toHaveLength(3);
    for (const line of errors)
      expect(JSON.parse(line)).toMatchObject({ exit_code: expect.any(Number) });
  });
});

it('a context may ask for JSON, and errors are JSON then', async () => {
  const folder = join(site.home, 'configured');
  mkdirSync(folder, { mode: 0o700 });
  const config = { version: 1, contexts: {}, defaults: { output: 'json' } };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config), { mode: 0o600 });
  const result = await site.run(['vms', 'get', 'nobody'], { env: { VMCTL_CONFIG_DIR: folder } });
  expect(JSON.parse(result.stderr)).toMatchObject({ code: 'not_found' });
});
