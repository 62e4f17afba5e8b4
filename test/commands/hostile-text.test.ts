/** Names, messages and requests from others in every output and every log: nothing steers a terminal. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formats } from '../../src/cli/session/settings.ts';
import { type Home, makeHome } from '../support/command.ts';
import { send } from '../support/raw.ts';
import { type ServerProcess, startServerProcess } from '../support/server.ts';
import { password, type Stub, serviceRoutes, startStub } from '../support/stub-server.ts';

/** ESC with a colour, OSC 52 (the clipboard), CR and LF, C1, and every bidirectional control. */
const hostile =
  'evil\u001b[31m\u001b]52;c;aGk=\u0007\r\nvmctl: forged\u009b2J\u0085' +
  '\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\u{e0041}end';
/** Controls and format characters, but ends of lines and tabs. */
const steering = /(?![\n\t])[\p{Cc}\p{Cf}]/u;

let stub: Stub;
let home: Home;

const vm = {
  id: '123',
  name: hostile,
  comment: hostile,
  description: hostile,
  status: 'up',
  fqdn: hostile,
  cluster: { id: '1', name: hostile },
};
const event = {
  id: '7',
  code: '1',
  severity: 'normal',
  time: 1_700_000_000_000,
  description: hostile,
};

beforeAll(async () => {
  const fault = { fault: { reason: hostile, detail: `[${hostile}]` } };
  stub = await startStub({
    ...serviceRoutes(),
    'GET /virt-app/api/vms': { body: { vm: [vm] } },
    'GET /virt-app/api/vms/*': { body: vm },
    'POST /virt-app/api/vms/*/start': { status: 409, body: fault },
    'PUT /virt-app/api/vms/*': { body: vm },
    'GET /virt-app/api/events': { body: { event: [event] } },
    'GET /virt-app/api/vms/*/reporteddevices': {
      body: {
        reported_device: [
          { id: '1', name: hostile, ips: { ip: [{ address: hostile, version: 'v4' }] } },
        ],
      },
    },
  });
  home = makeHome();
  const caFile = join(home.folder, 'ca.pem');
  writeFileSync(caFile, stub.identity.ca);
  Object.assign(home.env, {
    VMCTL_URL: stub.url,
    VMCTL_USERNAME: 'admin@internal',
    VMCTL_PASSWORD: password,
    VMCTL_CA_FILE: caFile,
  });
});
afterAll(async () => {
  home.remove();
  await stub.close();
});

const commands = [
  'vms list',
  'vms get 123',
  'vms ip 123',
  'vms start 123',
  'vms update 123 --comment x',
  'vms update 123 --comment x --dry-run',
  'events list',
  'events list --tail --limit 1 --count 1',
  'vms list --columns name,cluster.name',
  'vms list --query [].name',
  'api info',
];

describe('the output of commands', () => {
  it.each(commands)('vmctl %s', async (line) => {
    for (const format of formats) {
      for (const more of [[], ['--verbose', '--debug=http,body', '--timing']]) {
        const words = [...line.split(' '), '-o', format, ...more];
        const { stdout, stderr } = await home.runHere(words);
        // `raw` prints the unchanged response; on a terminal it escapes control characters.
        const printed = format === 'raw' ? stderr : stdout + stderr;
        expect(printed, words.join(' ')).not.toMatch(steering);
        // The content of an element of XML may have several lines.
        if (format === 'xml') continue;
        expect(printed, words.join(' ')).not.toMatch(/^vmctl: forged/m);
      }
    }
  });

  it('shows an end of line in an event or a fault as a space', async () => {
    const { stdout } = await home.runHere(['events', 'list', '--columns', 'description']);
    expect(stdout).toContain(' vmctl: forged');
    expect(stdout).not.toContain('u000a');
    const { stderr } = await home.runHere(['vms', 'start', '123']);
    expect(
      stderr
        .trim()
        .split('\n')
        .map((one) => one.slice(0, 5)),
    ).toEqual(['vmctl', 'hint:']);
    expect(stderr).not.toContain('u000a');
  });
});

describe('logs', () => {
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServerProcess(['--inventory', 'empty', '--log', 'requests']);
  });
  afterAll(() => server.stop());

  it('of the server have one line for each request, with any contents', async () => {
    const { api_url: api, base_url: base } = server.ready;
    const user = '\u202eadmin\u2066\u009b@internal\nvmctl serve: forged';
    const basic = `Basic ${Buffer.from(`${user}:x`).toString('base64')}`;
    await send(`${api}/vms/${encodeURIComponent(user)}?search=${encodeURIComponent(user)}`, {
      ca: server.ca,
      headers: { Authorization: basic, 'User-Agent': 'a\u009b' },
    });
    await send(`${base}/sso/oauth/token`, {
      method: 'POST',
      ca: server.ca,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'password',
        username: user,
        password: 'x',
      }).toString(),
    });
    const linesNow = () => server.stderr().split('\n');
    const logged = () => linesNow().filter((one) => /\/(?:vms\/|token)/.test(one));
    // The lines pass through a pipe: they may arrive after the responses.
    await expect.poll(logged, { timeout: 20_000 }).toHaveLength(2);
    const lines = linesNow();
    expect(server.stderr()).not.toMatch(steering);
    expect(lines.filter((one) => one.startsWith('vmctl serve: forged'))).toEqual([]);
  });

  it('of the tool in a file have no control characters', async () => {
    const file = join(home.folder, 'debug.log');
    await home.runHere(['vms', 'start', '123', '--debug=http,body', '--debug-file', file]);
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('evil');
    expect(text).not.toMatch(steering);
    expect(text).not.toMatch(/^vmctl: forged/m);
  });
});
