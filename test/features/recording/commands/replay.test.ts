/** `vmctl serve --replay`: replays recorded requests, and clearly refuses others. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome, type Outcome } from '../../../support/command.ts';
import { send } from '../../../support/raw.ts';
import { type ServerProcess, startServerProcess, vmctl } from '../../../support/server.ts';

let home: Home;
const file = (name: string) => join(home.folder, name);

/** Commands of a session, in order. */
const session: readonly (readonly string[])[] = [
  ['vms', 'list', '-o', 'json'],
  ['vms', 'list'],
  ['vms', 'start', 'vm-02'],
  ['vms', 'get', 'vm-02', '-o', 'xml'],
  ['vms', 'get', 'vm-02'],
  ['vms', 'get', 'nosuch'],
  ['vms', 'list', '--page-size', '1', '-o', 'name'],
  ['vms', 'list', '--search', 'name=vm-0* and status=up', '--limit', '2'],
  ['vms', 'wait', 'vm-02', '--for', 'status=up'],
  ['vms', 'start', 'vm-02'],
  ['tags', 'create', '--name', 'one', '-o', 'json'],
  ['tags', 'create', '--name', 'one'],
  ['tags', 'update', 'one', '--description', 'd'],
  ['tags', 'list', '-o', 'csv'],
  ['tags', 'delete', 'one'],
  ['tags', 'list', '-o', 'csv'],
  ['vms', 'delete', 'vm-01'],
  ['vms', 'list', '-o', 'raw'],
  ['permissions', 'list', '--limit', '1', '-o', 'json'],
  ['events', 'list', '--limit', '3', '-o', 'tsv'],
  ['api', 'GET', '/vms', '-H', 'accept: application/xml'],
  ['whoami', '-o', 'json'],
];

/** Output without times and the port, which recordings do not contain. */
async function perform(env: NodeJS.ProcessEnv): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const words of session) outcomes.push(await home.runHere(words, env));
  return outcomes;
}

function environment({ ready, password }: ServerProcess): NodeJS.ProcessEnv {
  return {
    VMCTL_URL: ready.base_url,
    VMCTL_USERNAME: ready.username,
    VMCTL_PASSWORD: password,
    VMCTL_CA_FILE: ready.ca_file,
  };
}

interface Replay {
  readonly base: string;
  readonly ca: string;
  /** Environment of a user who signs in with any password. */
  readonly env: NodeJS.ProcessEnv;
  /** Log of the replay. */
  readonly log: () => string;
  readonly stop: () => Promise<unknown>;
}

/** Starts a replay in the background. */
async function startReplay(path: string): Promise<Replay> {
  const words = ['serve', '--replay', path, '--detach', '--env', '--listen', '127.0.0.1:0'];
  const { code, stdout, stderr } = await home.run(words);
  expect(code, stderr).toBe(0);
  const exported = [...stdout.matchAll(/^export (\w+)='?(.*?)'?$/gm)];
  const env = Object.fromEntries(exported.map(([, name = '', value = '']) => [name, value]));
  const log = /; log: (.*)$/m.exec(stderr)?.[1] ?? expect.fail(stderr);
  return {
    base: env['VMCTL_URL'] ?? '',
    ca: readFileSync(env['VMCTL_CA_FILE'] ?? '', 'utf8'),
    env: { ...env, VMCTL_PASSWORD: 'whatever' },
    log: () => readFileSync(log, 'utf8'),
    stop: () => home.run(['serve', '--stop'], env),
  };
}

beforeAll(() => {
  home = makeHome();
});
afterAll(() => home.remove());

describe.each(['standard', 'ovirt'])('a session with a service of the dialect %s', (dialect) => {
  let recorded: readonly Outcome[];
  let replay: Replay;

  beforeAll(async () => {
    const options = ['--speed', '0', '--inventory', 'small', '--dialect', dialect];
    const server = await startServerProcess(options);
    try {
      const path = file(`${dialect}.ndjson`);
      recorded = await perform({ ...environment(server), VMCTL_RECORD: path });
    } finally {
      await server.stop();
    }
    replay = await startReplay(file(`${dialect}.ndjson`));
  });
  afterAll(async () => {
    await replay.stop();
  });

  it('is reproduced: output, errors and exit codes', async () => {
    const again = await perform(replay.env);
    for (const [index, words] of session.entries()) {
      const { code, stdout, stderr } = recorded[index] ?? expect.fail('not recorded');
      const origin = /https:\/\/127\.0\.0\.1:\d+/g;
      const known = (text = '') => text.replaceAll(origin, 'https://HERE');
      expect(again[index]?.code, `${words.join(' ')}: ${again[index]?.stderr}`).toBe(code);
      expect(known(again[index]?.stdout), words.join(' ')).toBe(known(stdout));
      expect(known(again[index]?.stderr), words.join(' ')).toBe(known(stderr));
    }
    expect(new Set(recorded.map(({ code }) => code)).size).toBeGreaterThan(2);
  });

  it('repeats the last responses to reads, and restarts on request', async () => {
    const list = await home.runHere(['tags', 'list', '-o', 'csv'], replay.env);
    expect(list).toEqual(
      recorded[session.findLastIndex(([noun, verb]) => noun === 'tags' && verb === 'list')],
    );
    const create = ['tags', 'create', '--name', 'one', '-o', 'json'];
    const used = await home.runHere(create, replay.env);
    expect(used.code).toBe(10);
    expect(used.stderr).toMatch(/POST \/tags was recorded 2 times; all responses were used\./);
    expect((await home.runHere(['api', 'POST', '/_vmctl/reset'], replay.env)).code).toBe(0);
    const again = await home.runHere(create, replay.env);
    expect(again).toEqual(
      recorded[session.findIndex(([noun, verb]) => noun === 'tags' && verb === 'create')],
    );
  });

  it('refuses other requests with similar recorded ones', async () => {
    const { code, stdout, stderr } = await home.runHere(['clusters', 'list'], replay.env);
    expect([code, stdout]).toEqual([10, '']);
    expect(stderr).toMatch(
      /This is a replay: GET \/clusters was not recorded\. Similar requests: GET/,
    );
    const body = await home.runHere(['tags', 'create', '--name', 'other'], replay.env);
    expect(body.stderr).toMatch(/POST \/tags was recorded with another body/);
    expect(replay.log()).toMatch(/GET \/clusters was not recorded/);
  });
});

describe('other clients', () => {
  let replay: Replay;
  let base: string;
  const get = async (path: string, headers: Record<string, string> = {}) =>
    await send(`${base}${path}`, { headers, ca: replay.ca });

  beforeAll(async () => {
    const server = await startServerProcess(['--speed', '0', '--inventory', 'small']);
    const env = { ...environment(server), VMCTL_RECORD: file('c.ndjson') };
    try {
      await home.runHere(['vms', 'list', '-o', 'name'], env);
      await home.runHere(['tags', 'list', '-o', 'xml'], env);
      await home.runHere(['vms', 'list', '--search', 'name=vm-01', '--limit', '5'], env);
      await home.runHere(['api', 'GET', '/vms/nosuch'], env);
    } finally {
      await server.stop();
    }
    replay = await startReplay(file('c.ndjson'));
    base = replay.base;
  });
  afterAll(async () => {
    await replay.stop();
  });

  it('get XML for recorded JSON, and the other way round', async () => {
    const vms = await get('/api/vms', { accept: 'application/xml' });
    expect(vms.status).toBe(200);
    expect(vms.headers['content-type']).toContain('application/xml');
    expect(vms.text).toMatch(/<vms>[\s\S]*<name>vm-01<\/name>/);
    const tags = await get('/api/tags', { accept: 'application/json' });
    expect(JSON.parse(tags.text)).toHaveProperty('tag');
    const plain = await get('/api/vms', { accept: '*/*' });
    expect(JSON.parse(plain.text)).toHaveProperty('vm');
    expect((await get('/api/vms', { accept: 'image/png' })).status).toBe(406);
    const fault = await get('/api/vms/nosuch', { accept: 'application/xml' });
    expect(fault.status).toBe(404);
    expect(fault.text).toMatch(/<fault>[\s\S]*<reason>/);
  });

  it('may send parameters in any order, a version in the path, and HEAD', async () => {
    const query = 'search=name%3Dvm-01&max=5&case_sensitive=false';
    const turned = query.split('&').reverse().join('&').replace('%3D', '=');
    for (const path of [`/api/vms?${turned}`, `/api/v4/vms?${turned}`, `/api/vms/?${turned}`]) {
      const { status, text } = await get(path, { accept: 'application/json' });
      expect([path, status]).toEqual([path, 200]);
      expect(JSON.parse(text).vm).toHaveLength(1);
    }
    const head = await send(`${base}/api/vms`, { method: 'HEAD', ca: replay.ca });
    expect([head.status, head.text]).toEqual([200, '']);
  });

  it('get an error for disk contents', async () => {
    const server = await startServerProcess(['--speed', '0', '--inventory', 'small']);
    const source = file('f.raw');
    writeFileSync(source, Buffer.alloc(2 ** 20, 1));
    const words = ['disks', 'upload', source, '--storagedomain', 'data1', '-q'];
    const path = file('upload.ndjson');
    try {
      const env = { ...environment(server), VMCTL_RECORD: path };
      expect((await home.runHere(words, env)).code).toBe(0);
    } finally {
      await server.stop();
    }
    const command = [process.execPath, vmctl, ...words];
    const { code, stderr } = await home.run(['serve', '--replay', path, '--', ...command]);
    expect(code).toBe(10);
    expect(stderr).toMatch(/this is a replay; recordings have no disk contents/);
  });

  it('sign in as any user, with the right scope', async () => {
    const token = (form: string) =>
      send(`${base}/sso/oauth/token`, {
        method: 'POST',
        ca: replay.ca,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: form,
      });
    const good = await token('grant_type=password&scope=virt-app-api&username=x&password=y');
    expect(JSON.parse(good.text)).toMatchObject({ access_token: expect.any(String) });
    expect((await token('grant_type=password&scope=other&username=x&password=y')).status).toBe(400);
  });

  it('are refused like by the other servers of this program', async () => {
    const headers = { origin: 'https://evil.example.com' };
    const foreign = await send(`${base}/api/tags`, { method: 'POST', headers, ca: replay.ca });
    expect(foreign.status).toBe(403);
    expect((await get('/elsewhere')).status).toBe(501);
    expect((await get('/services/pki-resource?resource=ca-certificate')).text).toContain('BEGIN');
  });
});

describe('a recording file', () => {
  const header = '{"recording":"vmctl","version":1,"program":"0"}\n';
  const line = (path: string, text = '{"tag":[]}', origin = 'https://a:1') =>
    `${JSON.stringify({
      ...{ at: '2026-01-01T00:00:00Z', milliseconds: 1 },
      request: { method: 'GET', origin, path, headers: {} },
      response: {
        ...{ status: 200, headers: { 'content-type': 'application/json' } },
        body: { text },
      },
    })}\n`;
  const put = (name: string, text: string) => {
    writeFileSync(file(name), text, { mode: 0o600 });
    return file(name);
  };
  const serve = (path: string, ...words: string[]) =>
    home.run([
      ...['serve', '--replay', path, '--', process.execPath, vmctl],
      ...(words.length > 0 ? words : ['tags', 'list', '-o', 'json']),
    ]);

  it.each([
    ['empty', '', /is empty/],
    ['only a header', header, /has no request to a service/],
    ['other JSON', '{"a":1}\n', /:1:1: not a recording\nhint: create one with vmctl --record FILE/],
    ['text', 'hello\n', /:1:1: not a recording\nhint: create one with vmctl --record FILE/],
    [
      'later version',
      header.replace('"version":1', '"version":2'),
      /of version 2; .* reads version 1/,
    ],
  ])('with %s is refused', async (name, text, says) => {
    const { code, stderr } = await serve(put(`${name}.ndjson`, text));
    expect(code).toBe(2);
    expect(stderr).toMatch(says);
    expect(stderr).toMatch(/^hint: /m);
  });

  it('that does not exist is refused', async () => {
    const { code, stderr } = await serve(file('nowhere.ndjson'));
    expect(code).toBe(2);
    expect(stderr).toMatch(/cannot read recording ".*nowhere\.ndjson": no such file or folder/);
  });

  it('that was truncated is used up to that point', async () => {
    const whole = header + line('/x/api/tags') + line('/x/api/vms');
    const { code, stdout, stderr } = await serve(put('cut', whole.slice(0, -10)));
    expect([code, stdout]).toEqual([0, '[]\n']);
    expect(stderr).toMatch(/:3:[1-9]\d*: truncated line; skipped/);
  });

  it('may have several services, of which the first is replayed', async () => {
    const text = header + line('/x/api/tags') + line('/y/api/tags');
    const { code, stderr } = await serve(put('two', text));
    expect(code).toBe(0);
    expect(stderr).toMatch(/ignored requests to services other than \/x: 1/);
  });

  it('has its links rewritten to the replay', async () => {
    const text =
      '{"tag":[{"name":"t","href":"https://a:1/x/api/tags/1","comment":"https://a:10/"}]}';
    const { stdout } = await serve(
      put('links', header + line('/x/api/tags', text)),
      'api',
      'GET',
      '/tags',
    );
    expect(stdout).toMatch(/"href":\s*"https:\/\/127\.0\.0\.1:\d+\/x\/api\/tags\/1"/);
    expect(stdout).toContain('https://a:10/');
  });

  it('reports omitted parts of a response', async () => {
    const omitted = line('/x/api/tags').replace(
      /"body":\{.*\}\}\}/,
      '"body":{"omitted":"it is too long","bytes":7}}}',
    );
    const { code, stderr } = await serve(put('omitted', header + omitted));
    expect(code).toBe(10);
    expect(stderr).toMatch(
      /7 bytes of the response of GET \/x\/api\/tags were not recorded \(it is too long\)/,
    );
  });

  it.each([
    '--data=d',
    '--memory',
    '--inventory=small',
    '--load=x',
    '--speed=1',
    '--fault=rate=1',
    '--dialect=ovirt',
    '--images-listen=:0',
    '--password-file=x',
    '--seed=1',
  ])('and %s exclude each other', async (flag) => {
    const path = put('plain', header + line('/x/api/tags'));
    const { code, stderr } = await home.runHere(['serve', '--replay', path, flag]);
    expect(code).toBe(2);
    expect(stderr).toContain(`${flag.split('=')[0]} is not valid with --replay`);
  });

  it('is served in the background, with latency, and by a recording command', async () => {
    const path = put('more', header + line('/x/api/tags'));
    const begun = await home.run([
      ...[
        'serve',
        '--replay',
        path,
        '--detach',
        '--env',
        '--delay',
        '1ms',
        '--listen',
        '127.0.0.1:0',
      ],
    ]);
    expect(begun.code, begun.stderr).toBe(0);
    expect(begun.stdout).toMatch(/^export VMCTL_URL=https:\/\/127\.0\.0\.1:\d+\/x$/m);
    expect((await home.run(['serve', '--stop'])).code).toBe(0);
    const again = file('again.ndjson');
    const { code } = await home.run([
      ...['serve', '--replay', path, '--record', again, '--'],
      ...[process.execPath, vmctl, 'tags', 'list'],
    ]);
    expect(code).toBe(0);
    expect(readFileSync(again, 'utf8')).toContain('/x/api/tags');
  });
});
