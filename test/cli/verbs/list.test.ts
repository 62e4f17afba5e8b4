/** `list` and `get`, and every format that they print. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ids, type Site, startSite, web01, web02 } from '../support/site.ts';

let site: Site;

beforeAll(async () => {
  site = await startSite({
    'GET /virt-app/api/tags': {
      body: {
        tag: [
          { id: 't1', name: 'a,"b"', description: '\u001b]0;evil\u0007 \u202eabc\r\nx' },
          { id: 't2', name: 'плитка 長い名前' },
        ],
      },
    },
    'GET /virt-app/api/bookmarks': { body: {} },
    'GET /virt-app/api/disks': ({ query }) =>
      query.has('follow')
        ? { status: 400, body: { reason: 'Operation Failed', detail: 'Nothing follows vms.' } }
        : { body: { disk: [{ id: 'k1', alias: 'root', status: 'ok' }] } },
    'GET /virt-app/api/storagedomains': {
      body: {
        storage_domain: [
          { id: 's1', name: 'big', available: '9223372036854775807', data_centers: [{ id: 'd1' }] },
          { id: 's2', name: 'lost', data_centers: [{ id: 'd2' }] },
          { id: 's3', name: 'free', status: 'unattached' },
        ],
      },
    },
    'GET /virt-app/api/datacenters/d1/storagedomains': {
      body: { storage_domain: [{ id: 's1', status: 'maintenance' }] },
    },
  });
});

afterAll(() => site.close());
beforeEach(() => void site.calls());

const out = (...argv: string[]) => site.out(...argv);

/** Columns of VM tables, so that a new column of `vms` changes no test here. */
const columns = ['--columns', 'name,status,host.name,cluster.name,memory,cpus,fqdn'];

describe('formats', () => {
  it('table: aligned, with the names of references, in full', async () => {
    expect(await out('vms', 'list', ...columns)).toBe(
      `NAME   STATUS  HOST   CLUSTER  MEMORY      CPUS  FQDN
web01  up      host1  lab      4294967296  2     -
web02  down    -      lab      1073741824  -     -
`,
    );
    expect(site.calls()).toEqual([
      'GET /vms',
      `GET /hosts/${ids.host1}`,
      `GET /clusters/${ids.lab}`,
    ]);
  });

  it('table: the columns of the resource by default', async () => {
    expect(await out('vms', 'list')).toMatch(/^NAME +STATUS +HOST +CLUSTER +MEMORY +CPUS +FQDN\b/);
  });

  it('table: without followed columns if a service refuses to follow links', async () => {
    expect(await out('disks', 'list', '-o', 'wide')).toMatch(/^root +ok +- +- /m);
    expect(site.calls()).toEqual(['GET /disks?follow=vms', 'GET /disks']);
    const { code } = await site.run(['disks', 'list', '--follow', 'vms']);
    expect(code).toBe(6);
    expect(site.calls()).toEqual(['GET /disks?follow=vms']);
  });

  it('table: the states of storage domains, which data centers tell', async () => {
    expect(await out('storagedomains', 'list', '--columns', 'name,status')).toBe(
      `NAME  STATUS
big   maintenance
lost  -
free  unattached
`,
    );
    expect(site.calls()).toEqual([
      'GET /storagedomains',
      'GET /datacenters/d1/storagedomains',
      'GET /datacenters/d2/storagedomains',
    ]);
    expect(await out('storagedomains', 'list', '--columns', 'name')).toContain('big');
    expect(site.calls()).toEqual(['GET /storagedomains']);
  });

  it('table on a terminal: plain columns, readable sizes, no colour without a request', async () => {
    const result = await site.run(['vms', 'list', ...columns], {
      terminal: 100,
      env: { NO_COLOR: '1' },
    });
    expect(result.stdout).toBe(
      `NAME   STATUS  HOST   CLUSTER  MEMORY  CPUS  FQDN
web01  up      host1  lab      4 GiB   2     -
web02  down    -      lab      1 GiB   -     -
`,
    );
  });

  it('colours states on a terminal', async () => {
    const result = await site.run(['vms', 'list', '--columns', 'status'], { terminal: 100 });
    expect(result.stdout).toContain('\u001b[32mup\u001b[39m');
    const forced = await site.run(['vms', 'list', '--columns', 'status'], {
      terminal: 100,
      env: { NO_COLOR: '1', FORCE_COLOR: '1' },
    });
    expect(forced.stdout).not.toContain('\u001b');
  });

  it('raw: the response of the service, byte for byte', async () => {
    const { stdout } = await site.run(['vms', 'list', '-o', 'raw']);
    expect(stdout).toBe(JSON.stringify({ vm: [web01, web02] }));
    const one = await site.run(['vms', 'get', 'web01', 'web02', '-o', 'raw']);
    expect(one.stdout).toBe(JSON.stringify(web01) + JSON.stringify(web02));
    for (const flag of ['--sort=name', '--utc', '--watch', '--page-size=2', '--query=[0]']) {
      expect(await site.run(['vms', 'list', '-o', 'raw', flag])).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(`${flag.replace(/=.*/, '')} is not valid with -o raw`),
      });
    }
  });

  it('--no-color is --color never', async () => {
    const env = { FORCE_COLOR: '1' };
    const words = ['vms', 'list', '--columns', 'status'];
    const plain = await site.run([...words, '--no-color'], { terminal: 100, env });
    expect(plain.stdout).toBe('STATUS\nup\ndown\n');
    expect((await site.run(words, { terminal: 100, env })).stdout).toContain('\u001b');
  });

  it('shortens cells to the terminal, ids never', async () => {
    const result = await site.run(['vms', 'list', '--columns', 'id,href'], {
      terminal: 60,
      env: { NO_COLOR: '1' },
    });
    expect(result.stdout).toContain(ids.web01);
    expect(result.stdout).toMatch(/ {2}\/virt\S*\.\.\.\d+$/m);
  });

  it('json: an array, typed, without links', async () => {
    const [first, second] = JSON.parse(await out('vms', 'list', '-o', 'json'));
    const { link: _link, ...rest } = web01;
    expect(first).toEqual(rest);
    expect(second).toMatchObject({ memory: 1_073_741_824, stateless: true });
    expect(site.calls()).toEqual(['GET /vms']);
  });

  it('json: an object for one', async () => {
    expect(JSON.parse(await out('vms', 'get', 'web01', '-o', 'json'))).toMatchObject({
      name: 'web01',
    });
    expect(site.calls()).toEqual([
      'GET /vms?search=name=web01&case_sensitive=true',
      `GET /vms/${ids.web01}`,
    ]);
  });

  it('json: whole numbers beyond 2^53 stay exact', async () => {
    expect(await out('storagedomains', 'list', '-o', 'json')).toContain(
      '"available": 9223372036854775807,\n',
    );
  });

  it('json: an empty list is []', async () => {
    expect(await out('bookmarks', 'list', '-o', 'json')).toBe('[]\n');
  });

  it('an empty table says so on stderr', async () => {
    expect(await site.run(['bookmarks', 'list'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'no bookmarks found\n',
    });
  });

  it('jsonl', async () => {
    const lines = (await out('vms', 'list', '-o', 'jsonl')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).name)).toEqual(['web01', 'web02']);
  });

  it('yaml', async () => {
    expect(await out('clusters', 'list', '-o', 'yaml')).toBe(`- id: ${ids.lab}\n  name: lab\n`);
  });

  it('F7 csv, with necessary quotes and without control characters', async () => {
    expect(await out('tags', 'list', '-o', 'csv')).toBe(
      `name,description,id
"a,""b""",\\u001b]0;evil\\u0007 \\u202eabc x,t1
плитка 長い名前,,t2
`,
    );
  });

  it('csv and tsv without formulas on request', async () => {
    const cells = [
      '`-1`',
      ...['=1+1', '+1-cmd', '@SUM(A1)', ' =1', 'a=1', '-'].map((one) => `'${one}'`),
    ];
    const query = ['tags', 'list', '--query', `[[${cells.join(',')}]]`];
    expect(await out(...query, '-o', 'tsv', '--csv-safe')).toBe(
      "-1\t'=1+1\t'+1-cmd\t'@SUM(A1)\t' =1\ta=1\t'-\n",
    );
    expect(await out(...query, '-o', 'csv', '--csv-safe')).toBe(
      "-1,'=1+1,'+1-cmd,'@SUM(A1),' =1,a=1,'-\n",
    );
    expect(await out(...query, '-o', 'csv')).toBe('-1,=1+1,+1-cmd,@SUM(A1)," =1",a=1,-\n');
    const named = ['tags', 'list', '--columns', 'a=name', '-o', 'csv', '--no-headers'];
    expect(await out(...named, '--csv-safe')).toBe(await out(...named));
  });

  it('tsv without titles', async () => {
    expect(await out('vms', 'list', '-o', 'tsv', '--columns', 'name,status', '--no-headers')).toBe(
      'web01\tup\nweb02\tdown\n',
    );
  });

  it('name and id', async () => {
    expect(await out('vms', 'list', '-o', 'name')).toBe('vms/web01\nvms/web02\n');
    expect(await out('vms', 'list', '-q')).toBe(`${ids.web01}\n${ids.web02}\n`);
  });

  it('F7 table: wide characters are aligned, steering ones are escaped', async () => {
    expect(await out('tags', 'list')).toBe(
      `NAME             DESCRIPTION                      ID
a,"b"            \\u001b]0;evil\\u0007 \\u202eabc x  t1
плитка 長い名前  -                                t2
`,
    );
  });

  it('F7 json: steering characters are escapes of JSON', async () => {
    const text = await out('tags', 'list', '-o', 'json');
    for (const character of ['\u001b', '\u202e']) expect(text).not.toContain(character);
    expect(JSON.parse(text)[0].description).toBe('\u001b]0;evil\u0007 \u202eabc\r\nx');
  });

  it('details of one object', async () => {
    expect(await out('vms', 'get', 'web01')).toBe(`name                  web01
id                    ${ids.web01}
status                up
memory                4294967296
cpu.topology.sockets  1
cpu.topology.cores    2
cpu.topology.threads  1
cluster               ${ids.lab}
host                  ${ids.host1}
`);
  });
});

describe('columns and order', () => {
  it('are attribute paths, with titles', async () => {
    expect(await out('vms', 'list', '--columns', 'vm=name,cpu.topology.cores,cluster.id')).toBe(
      `VM     CPU.TOPOLOGY.CORES  CLUSTER.ID
web01  2                   ${ids.lab}
web02  -                   ${ids.lab}
`,
    );
  });

  it('that do not exist are an error with suggestions', async () => {
    const result = await site.run(['vms', 'list', '--columns', 'nam']);
    expect(result.code).toBe(2);
    expect(result.stderr).toBe('vmctl: --columns nam: vm has no nam\nhint: did you mean name?\n');
  });

  it('sort by an attribute, both ways', async () => {
    expect(await out('vms', 'list', '-q', '--sort', 'memory')).toBe(`${ids.web02}\n${ids.web01}\n`);
    expect(await out('vms', 'list', '-q', '--sort', '-memory')).toBe(
      `${ids.web01}\n${ids.web02}\n`,
    );
  });
});

describe('queries', () => {
  it('reach the service unchanged, with explicit defaults for contradictory parameters', async () => {
    await out('vms', 'list', '-q', '--search', 'name=web01', '--follow', 'nics', '--filter');
    expect(site.calls()).toEqual([
      'GET /vms?filter=true&follow=nics&search=name=web01&case_sensitive=false',
    ]);
  });

  it('a limit is never silent', async () => {
    const result = await site.run(['vms', 'list', '-q', '--limit', '2', '--page', '3']);
    expect(result.stderr).toBe('');
    const told = await site.run(['vms', 'list', '-o', 'name', '--max', '2']);
    expect(told.stderr).toBe('showing 2 vms (--limit); more may exist\n');
    expect(site.calls()).toEqual([
      'GET /vms?max=2&search=page 3&case_sensitive=false',
      'GET /vms?max=2',
    ]);
  });
});
