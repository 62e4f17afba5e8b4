/**
 * User errors: a clear message on standard error, the right exit code, nothing on standard output.
 */
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/command.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let home: Home;

beforeAll(async () => {
  server = await startTestServer(['--speed', '0', '--inventory', 'small']);
  home = makeHome(server);
});

afterAll(async () => {
  home.remove();
  await server.stop();
});

const closed = 'https://127.0.0.1:1/virt-app';
/** State folder without the token of an earlier sign-in. */
const noState = join(tmpdir(), `vmctl-no-state-${process.pid}`);

describe.each([
  ['an unknown noun', ['vns', 'list'], {}, 2, /unknown noun "vns"/, /did you mean vms/],
  ['an unknown verb', ['vms', 'lsit'], {}, 2, /lsit/, /list/],
  ['an unknown flag', ['vms', 'list', '--serch', 'x'], {}, 2, /--serch/, /--search/],
  ['an empty reference', ['vms', 'delete', ''], {}, 2, /empty/, /./],
  ['a name that nothing has', ['vms', 'get', 'zzz'], {}, 3, /zzz/, /hint: vmctl vms list/],
  [
    'a wrong password',
    ['vms', 'list'],
    { VMCTL_PASSWORD: 'wrong', XDG_STATE_HOME: noState },
    4,
    /password/,
    /./,
  ],
  ['a server that is down', ['vms', 'list'], { VMCTL_URL: closed }, 8, /127\.0\.0\.1:1/, /./],
  ['an action that the state forbids', ['vms', 'start', 'vm-01'], {}, 6, /VM is running/, /./],
  [
    'a search that does not parse',
    ['vms', 'list', '--search', 'colour=red'],
    {},
    2,
    /character 1/,
    /./,
  ],
  [
    'a bad enum word',
    ['vms', 'create', '--name', 'x', '--type', 'mainframe'],
    {},
    2,
    /mainframe/,
    /desktop/,
  ],
  [
    'two users of one permission',
    [
      'permissions',
      'grant',
      '--role',
      'UserVmManager',
      '--user',
      'admin@internal',
      '--group',
      'Everyone',
      '--on',
      'vms/vm-01',
    ],
    {},
    2,
    /user and group exclude each other/,
    /either user or group/,
  ],
  [
    'a sign without a column',
    ['vms', 'list', '--columns', '+'],
    {},
    2,
    /no column after \+/,
    /\+name/,
  ],
  ['a negative size', ['vms', 'update', 'vm-01', '--memory=-1'], {}, 2, /negative/, /4GiB/],
  ['a bad size', ['vms', 'create', '--name', 'x', '--memory', 'much'], {}, 2, /much/, /./],
] as const)('%s', (_what, words, env, code, message, hint) => {
  it('reports the problem and its reason', async () => {
    const outcome = await home.run(words, env);
    expect(outcome.code, outcome.stderr).toBe(code);
    expect(outcome.stdout).toBe('');
    expect(outcome.stderr).toMatch(/^vmctl: /m);
    expect(outcome.stderr).toMatch(message);
    expect(outcome.stderr).toMatch(hint);
  });

  it('reports it as one JSON object with -o json', async () => {
    const outcome = await home.runHere([...words, '-o', 'json'], env);
    expect(outcome.code, outcome.stderr).toBe(code);
    expect(outcome.stdout).toBe('');
    const error = JSON.parse(outcome.stderr.trim().split('\n').at(-1) ?? '') as { code: string };
    expect(error.code).toMatch(/^[a-z_]+$/);
  });
});

it('refuses a server with an unknown authority', async () => {
  const other = await startTestServer([]);
  const outcome = await home.run(['vms', 'list'], {
    VMCTL_URL: other.ready.base_url,
    VMCTL_CA_FILE: server.ready.ca_file,
  });
  expect(outcome.code, outcome.stderr).toBe(8);
  expect(outcome.stderr).toMatch(/certificate|authority|trust/i);
  const bare = makeHome();
  const login = await bare.run([
    ...['login', other.ready.base_url, '--username', 'admin@internal', '--no-input'],
    ...['--ca-fingerprint', '00:'.repeat(31).concat('00')],
  ]);
  expect(login.code, login.stderr).toBe(8);
  bare.remove();
  await other.stop();
});

it('refuses a malformed definition file with the position', async () => {
  const file = join(home.folder, 'vm.json');
  writeFileSync(file, '{"name": "x",}');
  const outcome = await home.runHere(['vms', 'create', '-f', file]);
  expect(outcome.code, outcome.stderr).toBe(2);
  expect(outcome.stderr).toContain('vm.json');
});

it('passes the exit code of a command through', async () => {
  const words = ['serve', '--memory', '--listen', '127.0.0.1:0', '--images-listen', '127.0.0.1:0'];
  const outcome = await home.run([...words, '--', 'sh', '-c', 'test -n "$VMCTL_URL" && exit 7']);
  expect(outcome.code).toBe(7);
});

it('refuses invalid server options', async () => {
  for (const words of [
    ['--listen', 'nonsense'],
    ['--inventory', 'cats=3'],
    ['--inventory', 'hosts=0,vms=5'],
    ['--inventory', 'storagedomains=0,vms=5'],
    ['--inventory', 'clusters=0'],
    ['--inventory', 'vms=2,disks=3'],
    ['--speed', 'fast'],
    ['--tls-cert', 'only.pem'],
    ['--host-name', 'a name'],
    ['--host-name', 'engine.example.com:443'],
    ['--allow-origin', 'console.example.com'],
    ['--allow-origin', 'https://console.example.com/path'],
    ['--memory', '--data', '/tmp/x'],
  ]) {
    const outcome = await home.runHere(
      ['serve', '--memory', ...words].filter((word, index, all) => all.indexOf(word) === index),
    );
    expect(outcome.code, words.join(' ')).toBe(2);
    expect(outcome.stderr, words.join(' ')).toContain('vmctl: ');
  }
});
