/** `vmctl --record`: content of the file, absence of secrets, and refused files. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Exchange, findExchangeMistake } from '../../../../src/recording/exchange.ts';
import { hidden } from '../../../../src/recording/secret-names.ts';
import { useSignedInCommand } from '../../../commands/support/signed-in-command.ts';

const desk = useSignedInCommand();
const file = (name: string) => join(desk.home().folder, name);
// A command that starts while another one writes may complete a partial line, which adds an empty
// one.
const readLines = (path: string) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
const readExchanges = (path: string) =>
  readLines(path)
    .map((line): unknown => JSON.parse(line))
    .filter((value): value is Exchange => findExchangeMistake(value) === undefined);

describe('a recording', () => {
  it('has a header, and a line for each request of several commands', async () => {
    const path = file('several.ndjson');
    await desk.must('--record', path, 'vms', 'list', '-o', 'name');
    await desk.must('tags', 'create', '--name', 'one', '--record', path);
    const { code } = await desk.home().runHere(['vms', 'get', 'nosuch'], { VMCTL_RECORD: path });
    expect(code).toBe(3);
    expect(JSON.parse(readLines(path)[0] ?? '')).toEqual({
      recording: 'vmctl',
      version: 1,
      program: expect.any(String),
    });
    expect(readLines(path).filter((line) => line.includes('"recording"'))).toHaveLength(1);
    const exchanges = readExchanges(path);
    expect(exchanges).toHaveLength(readLines(path).length - 1);
    const [create] = exchanges.filter(({ request }) => request.path === '/virt-app/api/tags');
    expect(create).toMatchObject({
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      milliseconds: expect.any(Number),
      request: {
        method: 'POST',
        origin: new URL(desk.server().ready.base_url).origin,
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        body: { text: expect.stringContaining('"one"') },
      },
      response: { status: 201, body: { text: expect.stringContaining('"one"') } },
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is complete when commands write concurrently', async () => {
    const path = file('parallel.ndjson');
    const commands = Array.from({ length: 6 }, () =>
      desk.home().run(['--record', path, 'vms', 'list', '-o', 'name']),
    );
    for (const { code } of await Promise.all(commands)) expect(code).toBe(0);
    for (const line of readLines(path)) expect(() => JSON.parse(line)).not.toThrow();
    expect(readExchanges(path).filter(({ request }) => /\/vms$/.test(request.path))).toHaveLength(
      6,
    );
  });

  it('does not change the output of a command', async () => {
    const plain = await desk.run(['vms', 'list', '-o', 'json']);
    const recorded = await desk.run(['vms', 'list', '-o', 'json', '--record', file('same.ndjson')]);
    expect(recorded).toEqual(plain);
  });

  it('has the complete list if a command has read only its start', async () => {
    const path = file('limited.ndjson');
    await desk.must('permissions', 'list', '--limit', '1', '-o', 'id', '--record', path);
    const [list] = readExchanges(path).filter(({ request }) => /permissions/.test(request.path));
    const body = list?.response?.body;
    expect(() => JSON.parse(body && 'text' in body ? body.text : '')).not.toThrow();
  });

  it('continues after a truncated line', async () => {
    const path = file('cut.ndjson');
    await desk.must('--record', path, 'tags', 'list');
    writeFileSync(path, readFileSync(path, 'utf8').slice(0, -20));
    const { length } = readLines(path);
    await desk.must('--record', path, 'tags', 'list');
    expect(readLines(path).length).toBeGreaterThan(length);
    expect(() => JSON.parse(readLines(path)[length] ?? '')).not.toThrow();
  });

  it('records missing responses', async () => {
    const path = file('nobody.ndjson');
    const words = ['vms', 'list', '--record', path, '--retries', '0'];
    await desk.home().runHere(words, { VMCTL_URL: 'https://127.0.0.1:1/virt-app' });
    expect(readExchanges(path)).toMatchObject([{ failure: { code: expect.any(String) } }]);
  });
});

describe('secrets', () => {
  it('do not appear in a recording', async () => {
    const path = file('secrets.ndjson');
    const env = { VMCTL_RECORD: path };
    const { folder, runHere } = desk.home();
    // Includes the sign-in.
    await desk.run(['logout']);
    const secrets: string[] = [desk.server().password];
    const secret = (name: string) => {
      const text = `geheim-${name}<&"'>`;
      secrets.push(text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text));
      return text;
    };
    const run = async (words: readonly string[], input = '', more = {}) => {
      const { code, stderr, stdout } = await runHere(words, { ...env, ...more }, input);
      expect([0, 1, 3, 4, 6], `${words.join(' ')}: ${stderr}`).toContain(code);
      return stdout;
    };
    const posted = (noun: string, body: object) =>
      run([noun, 'create', '-f', '-', '-q'], JSON.stringify(body));
    const Default = { name: 'Default' };
    await posted('vms', {
      ...{ name: 's', cluster: Default, template: { name: 'Blank' } },
      initialization: {
        root_password: secret('guest'),
        custom_script: secret('script'),
        windows_license_key: secret('license'),
      },
    });
    await posted('hosts', {
      ...{ name: 'h9', address: 'h9.example.com', cluster: Default },
      root_password: secret('host'),
    });
    await posted('storageconnections', {
      ...{ type: 'iscsi', address: 'i', port: 3260, target: 'iqn.x', username: 'u' },
      password: secret('iscsi'),
    });
    await posted('users', {
      ...{ user_name: 'zoe@internal', domain: { name: 'internal' } },
      password: secret('user'),
    });
    await run(
      ['api', 'POST', '/hosts', '--input', '-', '-H', 'content-type: application/xml'],
      `<host><name>h8</name><address>h8</address><cluster><name>Default</name></cluster>
       <root_password><![CDATA[${secret('cdata')}]]></root_password></host>`,
    );
    await run(
      ['api', 'POST', '/vms', '--input', '-', '-H', 'content-type: text/plain'],
      `{"name": "${'x'}", "password": "geheim-cut`,
    );

    await run(['vms', 'console', 'vm-01', '--file', join(folder, 'c.vv')]);
    const viewer = readFileSync(join(folder, 'c.vv'), 'utf8');
    secrets.push(/^password=(.*)$/m.exec(viewer)?.[1] ?? expect.fail('no password'));

    const size = ['--size', '1MiB', '--format', 'raw', '--storagedomain', 'data1'];
    await run(['disks', 'create', '--name', 'd', ...size]);
    await run(['imagetransfers', 'create', '--disk', 'd', '--direction', 'upload']);
    const [transfer] = await desk.json<{ transfer_url: string }[]>('imagetransfers', 'list');
    const url = transfer?.transfer_url ?? expect.fail('no transfer');
    secrets.push(url.split('/').at(-1) ?? '');
    await run(['imagetransfers', 'list', '-o', 'json']);
    await run(['imagetransfers', 'list', '-o', 'xml']);
    await run(['images', 'info', url]);
    await run(['serve', '--save', join(folder, 'site.json')]);

    await run(['whoami'], '', { VMCTL_USERNAME: 'jane@internal', VMCTL_PASSWORD: secret('wrong') });
    const tokens = join(folder, 'state/vmctl/tokens');
    for (const name of await readdir(tokens)) {
      const { token } = JSON.parse(await readFile(join(tokens, name), 'utf8'));
      secrets.push(token);
      await run(['api', 'GET', `/virt-app/sso/oauth/token-info?token=${token}`]);
      await run(['api', 'GET', `/tags?note=${token}`]);
      await run(['api', 'GET', '/tags', '-H', `x-note: ${token}`, '-H', `cookie: a=${token}`]);
    }
    await run(['logout']);

    const text = readFileSync(path, 'utf8');
    expect(readExchanges(path).length).toBeGreaterThan(20);
    expect(text).toContain(hidden);
    expect(text).not.toContain('geheim');
    for (const one of secrets) expect(text.includes(one), one).toBe(false);
    // Similar texts remain.
    expect(text).toContain('admin%40internal');
    expect(text).not.toContain('/images/');
  });
});

describe('files that are not recordings', () => {
  it.each([
    ['something else', (path: string) => writeFileSync(path, 'precious\n', { mode: 0o600 })],
    [
      'a recording of the future',
      (path: string) =>
        writeFileSync(path, '{"recording":"vmctl","version":2,"program":"9"}\n', { mode: 0o600 }),
    ],
    [
      'a file that others may read',
      (path: string) => {
        writeFileSync(path, '');
        chmodSync(path, 0o644);
      },
    ],
    ['a folder', (path: string) => void mkdirSync(path)],
    ['a link', (path: string) => symlinkSync('/dev/null', path)],
    ['a file in no folder', (path: string) => path],
  ])('refuses %s, and sends nothing', async (what, make) => {
    const name = what.replaceAll(' ', '-');
    const path = what === 'a file in no folder' ? file('nowhere/x') : file(name);
    make(path);
    const before = existsSync(path) && statSync(path).isFile() ? readFileSync(path) : undefined;
    const { code, stdout, stderr } = await desk.run([
      ...['tags', 'create', '--name', name, '--record', path],
    ]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^vmctl: --record(?: \S+: |: cannot write "\S+": )\S/);
    expect(stderr).toContain(path);
    if (before) expect(readFileSync(path)).toEqual(before);
    expect(await desk.must('tags', 'list', '-o', 'name')).not.toContain(name);
  });

  it.skipIf(!existsSync('/dev/full'))('refuses a device', async () => {
    const { code, stderr } = await desk.run(['tags', 'list', '--record', '/dev/full']);
    expect(code).toBe(2);
    expect(stderr).toContain('not a regular file');
  });

  it('commands without requests record nothing', async () => {
    const { code, stderr } = await desk.run(['explain', 'vm', '--record', file('explained')]);
    expect(code).toBe(2);
    expect(stderr).toContain('--record: the command sends no requests');
    expect((await desk.home().runHere(['explain', 'vm'], { VMCTL_RECORD: file('x') })).code).toBe(
      0,
    );
    expect(existsSync(file('x'))).toBe(false);
  });
});
