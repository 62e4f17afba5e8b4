/** `--dry-run` and `--curl`: requests are printed and not sent. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { nouns } from '../../../src/cli/args/catalog.ts';
import { listVerbs, type Verb } from '../../../src/cli/verbs/derive-verbs.ts';
import { DryRunStop } from '../../../src/client/dry-run.ts';
import { Http } from '../../../src/client/http.ts';
import { ids, type Site, startSite } from '../support/site.ts';

let site: Site;

beforeAll(async () => {
  site = await startSite({
    'POST /virt-app/api/vms': { status: 201, body: { id: 'x', name: 'leak' } },
    'PUT /virt-app/api/vms/*': { body: {} },
    'DELETE /virt-app/api/vms/*': { body: {} },
    'POST /virt-app/api/vms/*/start': { body: {} },
  });
});

afterAll(() => site.close());
beforeEach(() => void site.calls());

/** Requests of the site since the last look that could have changed something. */
function changing(): readonly string[] {
  return site.calls().filter((call) => !/^(GET|HEAD|OPTIONS) /.test(call));
}

describe('--dry-run', () => {
  it('shows a creation with its body, names looked up', async () => {
    const result = await site.run([
      ...['vms', 'create', '--name', 'new', '--cluster', 'lab', '--memory', '1GiB', '--dry-run'],
    ]);
    expect(result.code).toBe(0);
    expect(
      result.stdout,
    ).toBe(`DRY RUN, nothing sent: POST ${site.stub.url}/virt-app/api/vms (create vms/new)
{
  "name": "new",
  "memory": 1073741824,
  "cluster": {
    "id": "${ids.lab}"
  }
}
`);
    expect(changing()).toEqual([]);
  });

  it('shows which attributes an update would change', async () => {
    const url = `${site.stub.url}/virt-app/api/vms/${ids.web01}`;
    const result = await site.run([
      ...['vms', 'update', 'web01', '--memory', '8GiB', '--set', 'cpu.topology.cores=2'],
      '--dry-run',
    ]);
    expect(result.stdout).toContain(`DRY RUN, nothing sent: PUT ${url} (update vms/web01)\n`);
    expect(result.stdout).toMatch(/Changes:\n {2}memory: 4294967296 -> 8589934592\n$/);
    const same = await site.run(['vms', 'update', 'web01', '--memory', '4GiB', '--dry-run']);
    expect([same.stdout, same.stderr]).toEqual(['', 'vms/web01: no changes; nothing to do\n']);
    expect(changing()).toEqual([]);
  });

  it('shows every request of several objects, in their order', async () => {
    const result = await site.run(['vms', 'start', 'web02', 'web01', '--dry-run']);
    expect(result.stdout.match(/POST \S+/g)).toEqual(
      [ids.web02, ids.web01].map((id) => `POST ${site.stub.url}/virt-app/api/vms/${id}/start`),
    );
    expect(result.code).toBe(0);
    expect(changing()).toEqual([]);
  });

  it('shows the valid requests, and fails for missing objects', async () => {
    const result = await site.run(['vms', 'delete', 'web01', 'nobody', '--dry-run', '-o', 'json']);
    expect(result.code).toBe(3);
    expect(JSON.parse(result.stderr)).toMatchObject({ code: 'not_found' });
    expect(changing()).toEqual([]);
  });

  it('json: one object, or a list of them', async () => {
    const one = await site.run([
      'vms',
      'update',
      'web01',
      '--memory',
      '8GiB',
      '--dry-run',
      '-ojson',
    ]);
    expect(JSON.parse(one.stdout)).toEqual({
      dry_run: true,
      method: 'PUT',
      url: `${site.stub.url}/virt-app/api/vms/${ids.web01}`,
      path: `/virt-app/api/vms/${ids.web01}`,
      query: {},
      headers: {
        accept: 'application/json',
        version: '4',
        'content-type': 'application/json',
        'correlation-id': expect.stringMatching(/^vmctl-/),
        authorization: '(hidden)',
      },
      body: { memory: 8_589_934_592 },
      changes: [{ path: 'memory', from: 4_294_967_296, to: 8_589_934_592 }],
    });
    const two = await site.run(['vms', 'delete', 'web01', 'web02', '--dry-run', '-o', 'json']);
    expect(JSON.parse(two.stdout).map(({ method }: { method: string }) => method)).toEqual([
      'DELETE',
      'DELETE',
    ]);
  });

  it('leaves secrets out, in JSON and in XML', async () => {
    const file = join(site.home, 'secret');
    writeFileSync(file, 'geheim\n');
    const host = ['hosts', 'create', '--name', 'h', '--address', 'h', '--cluster', 'lab'];
    const json = await site.run([...host, '--root-password-file', file, '--dry-run']);
    expect(json.stdout).toContain('"root_password": "(hidden)"');
    const xml = '<action><ticket><expiry>9</expiry><value>geheim</value></ticket></action>';
    const sent = await site.run(['api', 'POST', '/vms/1/ticket', '--input', '-', '--dry-run'], {
      stdin: xml,
    });
    expect(sent.stdout).toContain('<ticket><expiry>9</expiry><value>(hidden)</value></ticket>');
    for (const { stdout, stderr } of [json, sent]) expect(stdout + stderr).not.toContain('geheim');
    expect(changing()).toEqual([]);
  });

  it('works in a read-only context', async () => {
    const result = await site.run(['vms', 'start', 'web01', '--dry-run'], {
      env: { VMCTL_READ_ONLY: '1' },
    });
    expect(result.code).toBe(0);
  });

  it('is refused for commands that work on this computer', async () => {
    for (const words of [['login', site.stub.url], ['logout'], ['context', 'use', 'x']]) {
      const result = await site.run([...words, '--dry-run']);
      expect(result.code).toBe(2);
      expect(result.stderr).toContain('it runs on this computer and sends no request');
    }
  });

  it('passes only reading requests and the sign-in', async () => {
    const http = new Http({ trust: { ca: site.stub.identity.ca }, dryRun: 'changes' });
    const ask = (method: string) => http.send({ method, origin: site.stub.url, path: '/x' });
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'MOVE']) {
      await expect(ask(method)).rejects.toBeInstanceOf(DryRunStop);
    }
    await expect(http.transferAgent()).rejects.toThrow(DryRunStop);
    expect((await ask('GET')).status).toBe(404);
    await http.close();
  });

  const verbs = nouns.filter(({ api }) => api).flatMap(({ name }) => listVerbs(name));

  it('sends nothing for any verb that takes nothing but an object', async () => {
    const simple = verbs.filter(
      ({ noun, kind, candidates }) =>
        noun === 'vms' && !['list', 'get', 'wait'].includes(kind) && candidates[0]?.takesObject,
    );
    expect(simple.length).toBeGreaterThan(20);
    for (const { noun, name } of simple as readonly Verb[]) {
      await site.run([noun, name, 'web01', '--dry-run', '--set', 'x=y']);
      await site.run([noun, name, 'web01', '--dry-run']);
    }
    expect(changing()).toEqual([]);
  });
});

describe('--curl', () => {
  it('gives the command for a list, and does not ask', async () => {
    const result = await site.run([
      ...['vms', 'list', '--search', "name=it's", '--no-search-check', '--curl'],
    ]);
    expect(result.stdout).toBe(
      `curl --cacert ${site.home}/ca.pem -H "Authorization: Bearer $(vmctl auth token)" -H 'accept: application/json' -H 'version: 4' '${site.stub.url}/virt-app/api/vms?search=name%3Dit'\\''s&case_sensitive=false'\n`,
    );
    expect(result.stderr).toBe('nothing sent; the curl command contains no token\n');
    expect(site.calls()).toEqual([]);
  });

  it('gives one for each object, and for changes', async () => {
    const got = await site.run(['vms', 'get', 'web01', 'web02', '--curl']);
    expect(got.stdout.match(/\/vms\/\S+/g)).toEqual([`/vms/${ids.web01}`, `/vms/${ids.web02}`]);
    const started = await site.run(['vms', 'start', 'web01', '--curl', '-o', 'json']);
    const { curl } = JSON.parse(started.stdout);
    expect(curl).toContain(`--request POST`);
    expect(curl).toContain(`--data-raw '{}'`);
    expect(changing()).toEqual([]);
  });

  it('prints a command that works unchanged', async () => {
    const { stdout } = await site.run(['vms', 'get', 'web01', '--curl']);
    const env = { ...process.env, VMCTL_TOKEN: 'token-1' };
    const output = await promisify(execFile)('sh', ['-c', stdout], { env });
    expect(JSON.parse(output.stdout)).toMatchObject({ name: 'web01' });
  });

  it('is refused for commands without a single request', async () => {
    for (const words of [['wait', 'vms/web01'], ['vms', 'wait', 'web01'], ['doctor']]) {
      const result = await site.run([...words, '--curl']);
      expect(result.code).toBe(2);
      expect(result.stderr).toContain('it sends several requests');
    }
    expect(site.calls()).toEqual([]);
    const { stdout } = await site.run(['whoami', '--curl']);
    expect(stdout).toMatch(/^curl .*\/virt-app\/api\n$/);
    const tail = await site.run(['events', 'list', '--tail', '--curl']);
    expect(tail.stdout).toContain('/virt-app/api/events');
    const watch = await site.run(['vms', 'list', '--watch', '--curl']);
    expect(watch.stdout).toContain('/virt-app/api/vms');
  });

  it('writes a pinned authority to a file', async () => {
    const env = { VMCTL_CA_FILE: '', XDG_STATE_HOME: join(site.home, 'pinned') };
    const { fingerprint256 } = await import('node:crypto').then(
      ({ X509Certificate }) => new X509Certificate(site.stub.identity.ca),
    );
    const login = ['login', `${site.stub.url}/virt-app`, '--ca-fingerprint', fingerprint256];
    expect((await site.run(login, { env })).code).toBe(0);
    const { stdout } = await site.run(['vms', 'list', '--curl'], { env });
    const folder = join(site.home, 'pinned/vmctl/ca');
    const [file = ''] = existsSync(folder) ? readdirSync(folder) : [];
    expect(stdout).toContain(`--cacert ${folder}/${file}`);
    expect(readFileSync(join(folder, file), 'utf8')).toContain('BEGIN CERTIFICATE');
  });
});
