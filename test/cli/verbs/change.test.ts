/** Verbs that change objects: requests, waits and output. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Result, RunOptions } from '../support/run.ts';
import { ids, type Site, searchable, startSite, web01, web02 } from '../support/site.ts';

let site: Site;

beforeEach(async () => {
  site = await startSite();
});

afterEach(() => site.close());

const api = '/virt-app/api';

function run(argv: readonly string[], options?: RunOptions): Promise<Result> {
  return site.run(argv, options);
}

/** Returns the bodies of the requests of a kind, unchanged. */
function bodies(method: string): unknown[] {
  return site.stub.requests
    .filter((request) => request.method === method && request.path.startsWith(api))
    .map(({ body }) => (body === '' ? undefined : JSON.parse(body)));
}

describe('create', () => {
  beforeEach(() => {
    site.stub.routes[`GET ${api}/templates`] = searchable('template', [
      { id: 't0', name: 'Blank' },
    ]);
    site.stub.routes[`POST ${api}/vms`] = {
      status: 201,
      body: { id: 'new', name: 'web09', status: 'image_locked' },
    };
    let looks = 0;
    site.stub.routes[`GET ${api}/vms/new`] = () => {
      looks += 1;
      return { body: { id: 'new', name: 'web09', status: looks < 2 ? 'image_locked' : 'down' } };
    };
  });

  it('sends flags as typed attributes, looks references up, waits and shows the object', async () => {
    const result = await run(
      'vms create --name web09 --cluster lab --template templates/Blank --memory 1.5GiB --no-stateless'
        .split(' ')
        .concat(['--cpu-cores', '4', '--os.type=rhel_8x64', '--type', 'high-performance'])
        .concat(['--columns', 'name,status,memory']),
    );
    expect(result).toEqual({
      code: 0,
      stdout: 'NAME   STATUS  MEMORY\nweb09  down    -\n',
      stderr: 'vms/web09: image_locked\nvms/web09: down\n',
    });
    expect(bodies('POST')).toEqual([
      {
        name: 'web09',
        cluster: { id: ids.lab },
        template: { id: 't0' },
        memory: 1_610_612_736,
        stateless: false,
        type: 'high_performance',
        cpu: { topology: { cores: 4 } },
        os: { type: 'rhel_8x64' },
      },
    ]);
  });

  it('takes a document, over it --set, over it flags', async () => {
    const file = join(site.home, 'vm.yaml');
    writeFileSync(
      file,
      'name: from-file\nmemory: 1073741824\ncluster: {name: lab}\nos: {type: other}\nstatus: up\n',
    );
    const result = await run(
      [
        'vms',
        'create',
        '-f',
        file,
        '--set',
        'os.type=rhel_8',
        '--name',
        'web09',
        '--no-wait',
      ].concat(['--set-json', 'custom_properties=[{"name":"a","value":"b"}]']),
    );
    expect(result.stderr).toBe(
      'ignored read-only attributes: status\nnot waiting; to wait: vmctl wait vms/web09 --for status=down\n',
    );
    expect(bodies('POST')).toEqual([
      {
        name: 'web09',
        memory: 1_073_741_824,
        cluster: { name: 'lab' },
        os: { type: 'rhel_8' },
        custom_properties: { custom_property: [{ name: 'a', value: 'b' }] },
      },
    ]);
  });

  it.each([
    ['{"name":"web09"}', { name: 'web09' }],
    ['<vm><name>web09</name></vm>', { name: 'web09' }],
    ['name: web09', { name: 'web09' }],
  ])('reads %s from stdin', async (stdin, body) => {
    const result = await run(['vms', 'create', '-f', '-', '-o', 'id'], { stdin });
    expect(result.stdout).toBe('new\n');
    expect(bodies('POST')).toEqual([body]);
  });

  it.each([
    [['--memory', '4 apples'], '--memory 4 apples: not a number or a size'],
    [
      ['--memory', '4096'],
      '--memory 4096: 4096 bytes is too small\nhint: for MiB, use --memory 4096MiB',
    ],
    [
      ['--memory-max', '8'],
      '--memory-max 8: 8 bytes is too small\nhint: for GiB, use --memory-max 8GiB',
    ],
    [
      ['--set', 'memory=512'],
      '--set memory 512: 512 bytes is too small\nhint: for MiB, use --set memory=512MiB',
    ],
    [['--memory', '99EiB'], '--memory 99EiB: larger than a 64-bit integer'],
    [['--cpu-shares', '1.5'], '--cpu-shares 1.5: not an integer'],
    [['--type', 'dekstop'], '--type dekstop: not a valid vm type'],
    [['--set', 'memroy=1'], '--set memroy: it has no memroy'],
    [['--set', 'os.tpye=x'], '--set os.tpye: os has no tpye'],
    [['--set', 'name'], '--set name: value missing'],
    [['--set-json', 'os={'], '--set-json os: not valid JSON: '],
    [['--set', 'cpu=2'], '--set cpu is a cpu, not a plain value'],
    [['-f', '/dev/null/x'], '-f: cannot read "/dev/null/x": a part of the path is not a folder'],
    [['-f', './absent.yaml'], '-f: cannot read "./absent.yaml": no such file or folder'],
    [['--cluster', ''], '--cluster: the value is empty'],
    [['--cluster', 'hosts/x'], 'hosts/x is of kind hosts; expected clusters\nhint: use clusters/x'],
  ])('refuses %j before anything is sent', async (flags, message) => {
    const result = await run(['vms', 'create', '--name', 'x', ...flags]);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain(`vmctl: ${message}`);
    expect(bodies('POST')).toEqual([]);
  });

  it('takes secrets from files only', async () => {
    const file = join(site.home, 'secret');
    writeFileSync(file, 'pass\n');
    site.stub.routes[`POST ${api}/hosts`] = { status: 201, body: { id: ids.host1, name: 'h' } };
    await run(['hosts', 'create', '--name', 'h', '--root-password-file', file]);
    expect(bodies('POST')).toEqual([{ name: 'h', root_password: 'pass' }]);
    const shown = await run(['hosts', 'create', '--name', 'h', '--root-password', 'pass']);
    expect(shown.code).toBe(2);
    const set = await run(['hosts', 'create', '--name', 'h', '--set', 'root_password=pass']);
    expect(set.code).toBe(2);
    expect(set.stderr).toContain('=...: other users can see secrets on the command line');
  });

  it('tells a wrong member of a document by its place', async () => {
    const result = await run(['vms', 'create', '-f', '-'], { stdin: '{"name":"x","colour":1}' });
    expect(result.code).toBe(2);
    expect(result.stderr).toMatch(/^vmctl: stdin:1:13: vm\.colour: /);
  });
});

describe('update', () => {
  it('sends only the given attributes', async () => {
    site.stub.routes[`PUT ${api}/vms/${ids.web01}`] = { body: { ...web01, description: 'new' } };
    const result = await run(['vms', 'set', 'web01', '--description', 'new', '-o', 'json']);
    expect(JSON.parse(result.stdout)).toMatchObject({ description: 'new' });
    expect(bodies('PUT')).toEqual([{ description: 'new' }]);
  });

  it('without a change exits with code 2', async () => {
    const result = await run(['vms', 'update', 'web01']);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain('vms update: no change given');
  });
});

describe('actions', () => {
  function starting(): void {
    let status = 'down';
    site.stub.routes[`POST ${api}/vms/${ids.web02}/start`] = () => {
      status = 'wait_for_launch';
      return { body: { status: 'complete' } };
    };
    site.stub.routes[`GET ${api}/vms/${ids.web02}`] = () => {
      const now = status;
      if (status === 'wait_for_launch') status = 'powering_up';
      else if (status === 'powering_up') status = 'up';
      return { body: { ...web02, status: now } };
    };
  }

  it('wait for the state that the table of the type names', async () => {
    starting();
    const result = await run(['vms', 'start', 'web02', '--pause', '-o', 'jsonl']);
    expect(
      result.stderr
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(
      ['wait_for_launch', 'powering_up', 'up'].map((state) => ({
        event: 'progress',
        object: 'vms/web02',
        state,
      })),
    );
    expect(JSON.parse(result.stdout)).toMatchObject({ name: 'web02', status: 'up' });
    expect(bodies('POST')).toEqual([{ pause: true }]);
  });

  it('do not wait when asked not to, and say how to', async () => {
    starting();
    const result = await run(['vms', 'start', 'web02', '--no-wait']);
    expect(result).toEqual({
      code: 0,
      stdout: '',
      stderr:
        'not waiting; to wait: vmctl wait vms/web02 --for status=up\nvms/web02: start: begun\n',
    });
    expect(bodies('POST')).toEqual([{ async: true }]);
  });

  it('fail if they end in another state', async () => {
    let looks = 0;
    site.stub.routes[`POST ${api}/vms/${ids.web02}/start`] = { body: {} };
    site.stub.routes[`GET ${api}/vms/${ids.web02}`] = () => {
      looks += 1;
      return { body: { ...web02, status: looks < 2 ? 'powering_up' : 'down' } };
    };
    const result = await run(['vms', 'start', 'web02', '-q']);
    expect(result.code).toBe(6);
    expect(result.stderr).toBe('vmctl: vms/web02 is down instead of up\nhint: vmctl events list\n');
  });

  it('fail with the reason from the service', async () => {
    let looks = 0;
    site.stub.routes[`POST ${api}/vms/${ids.web02}/start`] = { body: {} };
    site.stub.routes[`GET ${api}/vms/${ids.web02}`] = () => {
      looks += 1;
      return { body: { ...web02, status: looks < 2 ? 'powering_up' : 'down' } };
    };
    site.stub.routes[`GET ${api}/events`] = ({ query }) => {
      const [, id = ''] =
        /^correlation_id=(vmctl-[0-9a-f-]+)$/.exec(query.get('search') ?? '') ?? [];
      return { body: { event: [{ correlation_id: id, description: 'No host has memory left.' }] } };
    };
    const result = await run(['vms', 'start', 'web02', '-q']);
    expect(result.stderr).toContain(
      'vmctl: vms/web02 is down instead of up: No host has memory left.\n',
    );
  });

  it('that take too long end with 7 and the command that waits on', async () => {
    site.stub.routes[`POST ${api}/vms/${ids.web02}/start`] = { body: {} };
    site.stub.routes[`GET ${api}/vms/${ids.web02}`] = { body: { ...web02, status: 'powering_up' } };
    const result = await run(['vms', 'start', 'web02', '-q', '--wait-timeout', '300ms']);
    expect(result.code).toBe(7);
    expect(result.stderr).toBe(
      'vmctl: timed out after 0 s waiting for status=up of vms/web02; state: powering_up\nhint: to wait longer: vmctl wait vms/web02 --for status=up\n',
    );
  });

  it.each([
    [
      { status: 409, body: { fault: { reason: 'Operation Failed', detail: '[VM is running.]' } } },
      6,
    ],
    [{ status: 400, body: { reason: 'Operation Failed', detail: '[VM is running.]' } }, 6],
    [
      {
        status: 200,
        body: { status: 'failed', fault: { reason: 'x', detail: '[VM is running.]' } },
      },
      6,
    ],
    [{ status: 403, body: { fault: { reason: 'x', detail: '[VM is running.]' } } }, 5],
    [{ status: 500, body: { fault: { reason: 'x', detail: '[VM is running.]' } } }, 10],
  ])('that fail tell why: %j', async (answer, code) => {
    site.stub.routes[`POST ${api}/vms/${ids.web02}/start`] = answer;
    const result = await run(['vms', 'start', 'web02', '-o', 'json']);
    expect(result.code).toBe(code);
    expect(JSON.parse(result.stderr)).toMatchObject({
      message: 'start vms/web02: VM is running.',
      status: answer.status,
      fault: { detail: '[VM is running.]' },
      request: { method: 'POST', path: `/vms/${ids.web02}/start` },
    });
  });

  it('print what they answer', async () => {
    site.stub.routes[`POST ${api}/vms/${ids.web01}/ticket`] = {
      body: { ticket: { value: 'abc', expiry: '120' }, status: 'complete' },
    };
    const result = await run(['vms', 'ticket', 'web01', '--expiry', '120', '-o', 'json']);
    expect(JSON.parse(result.stdout)).toEqual({ value: 'abc', expiry: 120 });
    expect(bodies('POST')).toEqual([{ ticket: { expiry: 120 } }]);
  });
});

describe('delete', () => {
  it('waits until the object is deleted', async () => {
    let gone = false;
    site.stub.routes[`DELETE ${api}/vms/${ids.web02}`] = () => {
      gone = true;
      return { body: { status: 'complete' } };
    };
    site.stub.routes[`GET ${api}/vms/${ids.web02}`] = () =>
      gone ? { status: 404, body: {} } : { body: web02 };
    const result = await run(['vms', 'rm', 'vms/web02', '--detach-only']);
    expect(result).toEqual({
      code: 0,
      stdout: '',
      stderr: 'vms/web02: gone\nvms/web02: deleted\n',
    });
    expect(site.calls()).toContain(`DELETE /vms/${ids.web02}?detach_only=true`);
  });
});

describe('several objects', () => {
  it('are all looked up before the first is touched', async () => {
    // Suggestions are what lists have shown.
    await run(['vms', 'list']);
    const result = await run(['vms', 'stop', 'web01', 'wbe02']);
    expect(result.code).toBe(3);
    expect(result.stderr).toBe('vmctl: vms/wbe02 not found\nhint: did you mean web02 or web01?\n');
    expect(bodies('POST')).toEqual([]);
  });

  it('end with 9 when some were done and some failed', async () => {
    site.stub.routes[`POST ${api}/vms/${ids.web01}/stop`] = { body: {} };
    site.stub.routes[`GET ${api}/vms/${ids.web01}`] = { body: { ...web01, status: 'down' } };
    site.stub.routes[`POST ${api}/vms/${ids.web02}/stop`] = {
      status: 409,
      body: { reason: 'x', detail: '[busy]' },
    };
    const result = await run(['vms', 'stop', '-', '-q'], { stdin: 'vms/web01\nvms/web02\n' });
    expect(result.code).toBe(9);
    expect(result.stdout).toBe(`${ids.web01}\n`);
    expect(result.stderr).toContain('vmctl: stop vms/web02: busy\n');
    expect(result.stderr).toContain('vmctl: 1 of 2 failed\n');
  });

  it('end with the code of the failure when nothing changed', async () => {
    const refusal = { status: 403, body: { reason: 'x', detail: '[no]' } };
    site.stub.routes[`POST ${api}/vms/${ids.web01}/stop`] = refusal;
    site.stub.routes[`POST ${api}/vms/${ids.web02}/stop`] = refusal;
    expect((await run(['vms', 'stop', 'web01', 'web02'])).code).toBe(5);
  });
});

describe('places', () => {
  it.each([
    [['networks', 'list', '--cluster', 'lab'], `GET /clusters/${ids.lab}/networks`],
    [['nics', 'list', '--on', 'vm/web01'], `GET /vms/${ids.web01}/nics`],
    [['permissions', 'list'], 'GET /permissions'],
    [['permissions', 'list', '--on', 'clusters/lab'], `GET /clusters/${ids.lab}/permissions`],
    [['vms', 'stats', 'web01'], `GET /vms/${ids.web01}/statistics`],
    [['events', 'list', '--from', '7'], 'GET /events?from=7'],
    [['hostnics', 'list', '--host', 'host1'], `GET /hosts/${ids.host1}/nics`],
    [['storage-domains', 'ls'], 'GET /storagedomains'],
  ])('%j asks for %s', async (argv, call) => {
    await run([...argv, '-q']);
    expect(site.calls().at(-1)).toBe(call);
  });

  it('prefer an attribute over a longer path', async () => {
    site.stub.routes[`POST ${api}/cpuprofiles`] = { status: 201, body: { id: 'p' } };
    await run(['cpuprofiles', 'create', '--name', 'x', '--cluster', 'lab']);
    expect(site.calls().at(-1)).toBe('POST /cpuprofiles');
    expect(bodies('POST')).toEqual([{ name: 'x', cluster: { id: ids.lab } }]);
  });

  it('never make a role of one object one of the whole system', async () => {
    site.stub.routes[`GET ${api}/roles`] = { body: { role: [{ id: 'r', name: 'UserRole' }] } };
    site.stub.routes[`GET ${api}/users`] = { body: { user: [{ id: 'u', user_name: 'jane@x' }] } };
    site.stub.routes[`POST ${api}/vms/${ids.web01}/permissions`] = {
      status: 201,
      body: { id: 'p' },
    };
    const grant = ['permissions', 'grant', '--role', 'UserRole', '--user', 'jane@x'];
    await run([...grant, '--vm', 'web01']);
    expect(site.calls().at(-1)).toBe(`POST /vms/${ids.web01}/permissions`);
    expect(bodies('POST')).toEqual([{ role: { id: 'r' }, user: { id: 'u' } }]);
  });

  it('fail if flags cannot name all of them', async () => {
    const result = await run(['nics', 'list', '--vm', 'web01', '--template', 'x']);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain('nics list: --template is not valid together with --vm');
  });

  it('attach what exists by its id', async () => {
    site.stub.routes[`GET ${api}/storagedomains`] = searchable('storage_domain', [
      { id: 's1', name: 'data1' },
    ]);
    site.stub.routes[`GET ${api}/datacenters`] = searchable('data_center', [
      { id: 'd1', name: 'dc' },
    ]);
    site.stub.routes[`POST ${api}/datacenters/d1/storagedomains`] = {
      status: 201,
      body: { id: 's1', name: 'data1', status: 'active' },
    };
    site.stub.routes[`GET ${api}/datacenters/d1/storagedomains/s1`] = {
      body: { id: 's1', name: 'data1', status: 'active' },
    };
    const result = await run(['storagedomains', 'attach', 'data1', '--dc', 'dc', '-o', 'name']);
    expect(result.stdout).toBe('storagedomains/data1\n');
    expect(bodies('POST')).toEqual([{ id: 's1' }]);
  });
});

describe('read-only', () => {
  it('refuses changes before a request is sent', async () => {
    const result = await run(['vms', 'stop', 'web01'], { env: { VMCTL_READ_ONLY: '1' } });
    expect(result.code).toBe(2);
    expect(result.stderr).toContain(
      `/vms/${ids.web01}/stop: changes are disabled\nhint: VMCTL_READ_ONLY is set`,
    );
    expect(bodies('POST')).toEqual([]);
  });
});
