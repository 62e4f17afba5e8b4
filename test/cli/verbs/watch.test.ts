/** Commands that look more than once, and the raw hatch. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ids, type Site, startSite, web02 } from '../support/site.ts';

let site: Site;
const api = '/virt-app/api';

beforeEach(async () => {
  site = await startSite();
});

afterEach(() => site.close());

describe('wait', () => {
  it('waits for a missing object', async () => {
    let looks = 0;
    site.stub.routes[`GET ${api}/vms`] = () => {
      looks += 1;
      return { body: looks < 3 ? {} : { vm: [{ ...web02, name: 'late' }] } };
    };
    const result = await site.run(['wait', 'vm/late', '--for', 'status=down', '-o', 'id']);
    expect(result).toEqual({
      code: 0,
      stdout: `${ids.web02}\n`,
      stderr: 'vms/late: absent\nvms/late: down\n',
    });
  });

  it('times out with the last state and the command to continue', async () => {
    const wait = ['vms', 'wait', 'web02', '--for', 'status=up', '--timeout', '50ms', '-q'];
    const result = await site.run([...wait, '-o', 'json']);
    expect(result.code).toBe(7);
    expect(JSON.parse(result.stderr)).toMatchObject({
      code: 'wait_timeout',
      message: 'timed out after 0 s waiting for status=up of vms/web02; state: down',
      next: ['vmctl wait vms/web02 --for status=up'],
    });
  });

  it.each([
    ['exists', 0],
    ['status!=up', 0],
    ['settled', 0],
    ['cluster.id=none', 7],
    ['gone', 7],
    ['status=upp', 2],
    ['colour=red', 2],
    ['up', 2],
  ])('--for %s ends with %i', async (condition, code) => {
    const wait = ['wait', 'vms/web02', '--for', condition, '--timeout', '10ms'];
    expect((await site.run(wait)).code).toBe(code);
  });

  it('needs the kind', async () => {
    const result = await site.run(['wait', 'web02']);
    expect(result.code).toBe(2);
    expect(result.stderr).toBe('vmctl: web02: kind missing\nhint: use vms/web02\n');
  });

  it('names the parent in the command that waits longer', async () => {
    site.stub.routes[`GET ${api}/vms/${ids.web02}/snapshots`] = {
      body: { snapshot: [{ id: 's1', description: 'old', snapshot_status: 'locked' }] },
    };
    site.stub.routes[`GET ${api}/vms/${ids.web02}/snapshots/s1`] = {
      body: { id: 's1', description: 'old', snapshot_status: 'locked' },
    };
    const result = await site.run([
      'snapshots',
      'wait',
      'old',
      '--vm',
      'web02',
      '--timeout',
      '10ms',
      '-q',
    ]);
    expect(result.stderr).toContain(
      'snapshots/old; state: locked\nhint: to wait longer: vmctl snapshots wait old --vm web02 --for settled\n',
    );
  });
});

describe('events', () => {
  const event = (id: number, description = 'x') => ({
    id: String(id),
    description,
    severity: 'normal',
    time: '2030-01-01T00:00:00Z',
  });

  /** A log that grows by one event with each question, as one dialect tells it. */
  function log(exclusive: boolean): void {
    let newest = 3;
    site.stub.routes[`GET ${api}/events`] = ({ query }) => {
      const from = Number(query.get('from') ?? 0);
      const max = Number(query.get('max') ?? 1_000);
      const all = Array.from({ length: newest }, (_, index) => event(index + 1));
      const told = all.filter(({ id }) => (exclusive ? Number(id) > from : Number(id) >= from));
      if (query.has('from')) newest += 1;
      return { body: { event: told.reverse().slice(0, max) } };
    };
  }

  const tail = ['events', 'list', '--tail', '--interval', '20ms', '-o', 'jsonl'];
  const parseIds = (stdout: string) =>
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id);

  it('are printed once each, from the requested one', async () => {
    log(false);
    const result = await site.run([...tail, '--from', '2', '--count', '4']);
    expect(result.code).toBe(0);
    expect(parseIds(result.stdout)).toEqual(['2', '3', '4', '5']);
    expect(site.calls()).toEqual([
      'GET /events?from=2',
      'GET /events?from=4',
      'GET /events?from=5',
    ]);
  });

  it('are printed once each in the other dialect', async () => {
    await site.close();
    site = await startSite();
    log(true);
    site.stub.routes[`GET /ovirt-engine/api/events`] = site.stub.routes[`GET ${api}/events`] ?? {};
    const token = site.stub.routes['POST /virt-app/sso/oauth/token'];
    if (token) site.stub.routes['POST /ovirt-engine/sso/oauth/token'] = token;
    const result = await site.run([...tail, '--from', '2', '--count', '4'], {
      env: { VMCTL_URL: `${site.stub.url}/ovirt-engine` },
    });
    expect(parseIds(result.stdout)).toEqual(['2', '3', '4', '5']);
    expect(site.stub.log().at(-1)).toBe('GET /ovirt-engine/api/events?from=4');
  });

  it('begin with the requested number of last ones, and end after an idle period', async () => {
    site.stub.routes[`GET ${api}/events`] = ({ query }) => ({
      body: { event: query.has('from') ? [] : [event(3, 'a\u001b[31m'), event(2)].slice(0, 2) },
    });
    const result = await site.run([
      'events',
      'tail',
      '--limit',
      '2',
      '--until-idle',
      '60ms',
      '--interval',
      '20ms',
    ]);
    expect(result).toEqual({
      code: 0,
      stdout:
        '2  2030-01-01T00:00:00.000Z  normal   x\n3  2030-01-01T00:00:00.000Z  normal   a\\u001b[31m\n',
      stderr: '',
    });
  });

  it('are waited for while the server is away', async () => {
    let count = 0;
    site.stub.routes[`GET ${api}/events`] = () => {
      count += 1;
      return count === 1
        ? { status: 503, headers: { 'retry-after': '0.01' } }
        : { body: { event: [event(9)] } };
    };
    const result = await site.run([...tail, '--from', '9', '--count', '1', '--retries', '0']);
    expect(result.code).toBe(0);
    expect(result.stderr).toContain('; retrying"}\n');
    expect(parseIds(result.stdout)).toEqual(['9']);
  });
});

describe('api', () => {
  it('sends the given request and prints the response', async () => {
    site.stub.routes[`GET ${api}/x`] = { body: 'as it is\u001b' };
    const result = await site.run(['api', 'get', '/x?max=1', '-H', 'Filter: true']);
    expect(result.stdout).toBe('as it is\u001b');
    expect(site.calls()).toEqual(['GET /x?max=1']);
    expect(site.stub.requests.at(-1)?.headers['filter']).toBe('true');
  });

  it('gives actions the body that they need', async () => {
    site.stub.routes[`POST ${api}/vms/1/start`] = { body: {} };
    await site.run(['api', 'POST', `${api}/vms/1/start`]);
    expect(site.stub.requests.at(-1)?.body).toBe('{}');
    await site.run(['api', 'POST', '/vms/1/start', '--input', '-'], { stdin: '<action/>' });
    expect(site.stub.requests.at(-1)?.headers['content-type']).toBe('application/xml');
  });

  it('fails as every command does', async () => {
    const result = await site.run(['api', 'GET', '/nothing']);
    expect(result.code).toBe(3);
    expect(result.stdout).toBe('');
    expect(result.stderr).toContain('vmctl: GET /nothing: There is no such object.');
  });

  it('shows the entry point', async () => {
    const info = await site.run(['api', 'info', '-o', 'json']);
    expect(JSON.parse(info.stdout).product_info.name).toBe('Stub');
    site.stub.routes[`HEAD ${api}`] = { body: '' };
    expect((await site.run(['api', 'ping', '-o', 'json'])).stdout).toContain('"status": "ok"');
  });

  it.each([[['api', 'FETCH', '/x']], [['api', 'GET']], [['api', 'GET', '/x', '-H', 'x']]])(
    'refuses %j',
    async (argv) => {
      expect((await site.run(argv)).code).toBe(2);
    },
  );
});

describe('--timeout', () => {
  it('limits the whole command', async () => {
    site.stub.routes[`GET ${api}/vms`] = () => new Promise(() => {});
    const result = await site.run(['vms', 'list', '--timeout', '100ms']);
    expect(result.code).toBe(7);
    expect(result.stderr).toContain('vmctl: the command exceeded its timeout of 100ms\n');
  });
});

describe('--debug', () => {
  it('shows requests without credentials', async () => {
    const result = await site.run(['vms', 'list', '--debug', '-q']);
    expect(result.stderr).toMatch(/debug: GET \S+\/vms -> 200, \d+ bytes/);
    expect(result.stderr).toContain('> authorization: (hidden)');
    expect(result.stderr).not.toContain('token-1');
    expect(result.stderr).not.toContain('correct');
  });
});
