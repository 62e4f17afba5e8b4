/**
 * Text validation of all inputs: characters outside XML 1.0 and invalid encodings get 400, and
 * never a closed connection.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/command.ts';
import { RawApi } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { selectSlowCases } from '../support/slow-tests.ts';

/** Percent-encoded characters that are not allowed, and invalid UTF-8. */
const encoded = [
  ...['%00', '%01', '%08', '%0b', '%1f', '%ef%bf%be', '%ef%bf%bf'],
  ...['%', '%4', '%zz', '%u0041', '%ff', '%c0%80', '%ed%a0%80', '%f4%90%80%80'],
];
/** In JSON: escapes of characters that are not allowed. */
const escaped = ['\\u0000', '\\u0001', '\\u001f', '\\ufffe', '\\uffff', '\\ud800', '\\udc00x'];

interface Sent {
  readonly method?: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a request verbatim, and resolves with the status of the response; 0 without a response. */
function status(origin: string, ca: string, sent: Sent): Promise<number> {
  const { port, hostname } = new URL(origin);
  const { method = 'GET', target, headers = {}, body } = sent;
  const lines = [
    `${method} ${target} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    'Connection: close',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body, 'latin1')}`]),
  ];
  return new Promise((resolve) => {
    let received = '';
    const socket = connect({ port: Number(port), host: hostname, ca }, () => {
      socket.write(Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`, 'latin1'));
    });
    socket.on('data', (bytes: Buffer) => {
      received += bytes.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0)));
  });
}

/** Statuses other than 400, with the sent text. */
async function others(origin: string, ca: string, all: readonly Sent[]): Promise<unknown[]> {
  const wrong: unknown[] = [];
  for (const sent of all) {
    const found = await status(origin, ca, sent);
    if (found !== 400) wrong.push([found, sent]);
  }
  return wrong;
}

/** Every part of an address that is decoded, with this word in it. */
const targetsWith = (root: string, word: string): Sent[] =>
  [
    ...[
      `${root}/api/vms/${word}`,
      `${root}/api/vms/x${word}y/disks`,
      `${root}/api/vms;max=${word}`,
    ],
    ...[`${root}/api/vms?search=${word}`, `${root}/api/vms?${word}=1`, `${root}/api?a=b&c=${word}`],
    ...[`/x/${word}`, `/?${word}`, `${root}/services/health?a=${word}`, `/_vmctl/live?a=${word}`],
    ...[`${root}/services/pki-resource?alias=${word}`, `${root}/sso/oauth/token?username=${word}`],
  ].map((target) => ({ target }));

const form = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' };

const formsWith = (root: string, word: string): Sent[] =>
  ['token', 'token-http-auth', 'revoke', 'token-info'].flatMap((name) => [
    { method: 'POST', target: `${root}/sso/oauth/${name}`, headers: form, body: `token=a${word}` },
    { method: 'POST', target: `${root}/sso/oauth/${name}`, headers: form, body: `a${word}=b` },
  ]);

/** Response to a control character in a header, which HTTP does not allow. */
const headersWith = (target: string): Sent[] =>
  [
    'Filter',
    'Prefer',
    'Session-TTL',
    'Authorization',
    'Correlation-Id',
    'Accept',
    'X-Other',
  ].flatMap((name) =>
    ['\u0000', '\u0001', '\u001f'].map((one) => ({ target, headers: { [name]: `a${one}b` } })),
  );

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

describe.each(['standard', 'ovirt'])('a server with the dialect %s', (dialect) => {
  const root = dialect === 'ovirt' ? '/ovirt-engine' : '/virt-app';
  let server: TestServer;
  let authorization: Readonly<Record<string, string>>;

  beforeAll(async () => {
    server = await startTestServer(['--speed', '0', '--dialect', dialect]);
    const api = await RawApi.signIn(server, dialect === 'ovirt' ? 'ovirt-app-api' : undefined);
    authorization = { Authorization: `Bearer ${api.token}` };
  });
  afterAll(() => server.stop());

  const wrong = (all: readonly Sent[]) => others(server.ready.base_url, server.ca, all);

  it.each(selectSlowCases(encoded, 'test/operations/allowed-text.test.ts'))(
    'refuses %s in addresses and forms',
    async (word) => {
      const all = [...targetsWith(root, word), ...formsWith(root, word)];
      expect(await wrong(all)).toEqual([]);
      const signedIn = all.map((sent) => ({
        ...sent,
        headers: { ...sent.headers, ...authorization },
      }));
      expect(await wrong(signedIn)).toEqual([]);
    },
  );

  it('refuses control characters in headers', async () => {
    expect(await wrong(headersWith(`${root}/api/vms`))).toEqual([]);
  });

  it('refuses them in user names and passwords', async () => {
    const credentials = ['a\u0000b:c', 'a:\u0000', 'a\u001f@internal:c', 'a:\uffff'].map(basic);
    const targets = [`${root}/api`, '/_vmctl/state'];
    const all = credentials.flatMap((Authorization) => [
      ...targets.map((target) => ({ target, headers: { Authorization } })),
      {
        method: 'POST',
        target: `${root}/sso/oauth/token-http-auth`,
        headers: { ...form, Authorization },
        body: 'grant_type=urn:ovirt:params:oauth:grant-type:http&scope=x',
      },
    ]);
    expect(await wrong(all)).toEqual([]);
  });

  it.each(escaped)('refuses %s in bodies', async (word) => {
    const json = {
      'Content-Type': 'application/json',
      Accept: 'application/json',
      ...authorization,
    };
    const body = `{"name":"a${word}"}`;
    const rule = `{"operation":"start","path":"a${word}"}`;
    expect(
      await wrong([
        { method: 'POST', target: `${root}/api/tags`, headers: json, body },
        { method: 'POST', target: `${root}/api/tags`, headers: json, body: `{"a${word}":1}` },
        { method: 'POST', target: '/_vmctl/faults', headers: json, body: rule },
        { method: 'PUT', target: '/_vmctl/state', headers: json, body },
      ]),
    ).toEqual([]);
  });

  it('refuses bytes that are no UTF-8', async () => {
    const json = {
      'Content-Type': 'application/json',
      Accept: 'application/json',
      ...authorization,
    };
    const bytes = ['\u00ff', '\u00c0\u0080'];
    const all = bytes.flatMap((word) => [
      { method: 'POST', target: `${root}/api/tags`, headers: json, body: `{"name":"${word}"}` },
      { method: 'PUT', target: '/_vmctl/state', headers: json, body: word },
      {
        method: 'POST',
        target: `${root}/sso/oauth/token`,
        headers: form,
        body: `username=${word}`,
      },
    ]);
    expect(await wrong(all)).toEqual([]);
  });

  it('answers afterwards as before', async () => {
    const sent = { target: `${root}/api/tags`, headers: { ...authorization } };
    expect(await status(server.ready.base_url, server.ca, sent)).toBe(200);
  });
});

describe('the image daemon', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer(['--speed', '0']);
  });
  afterAll(() => server.stop());

  it.each(encoded)('refuses %s in addresses', async (word) => {
    const targets = [
      `/images/${word}`,
      `/images/x/extents?context=${word}`,
      `/info/?${word}`,
      `/${word}`,
    ];
    const all = targets.flatMap((target) =>
      ['GET', 'PUT', 'PATCH', 'OPTIONS'].map((method) => ({ method, target })),
    );
    const { origin } = new URL(server.ready.upload_url);
    expect(await others(origin, server.ca, all)).toEqual([]);
  });

  it('refuses control characters in headers', async () => {
    const { origin } = new URL(server.ready.upload_url);
    expect(await others(origin, server.ca, headersWith('/images/x'))).toEqual([]);
  });
});

/** No data of the recorded server. */
const replayVariables = { VMCTL_URL: undefined, VMCTL_CA_FILE: undefined };

describe('a replay', () => {
  let folder: string;
  let home: Home;
  let base: string;
  let ca: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'vmctl-replay-'));
    const file = join(folder, 'recording');
    const original = await startTestServer(['--speed', '0']);
    home = makeHome(original);
    const { code, stderr } = await home.runHere(['tags', 'list'], { VMCTL_RECORD: file });
    expect(code, stderr).toBe(0);
    await original.stop();
    const words = ['serve', '--replay', file, '--detach', '--env', '--listen', '127.0.0.1:0'];
    const started = await home.run(words, replayVariables);
    expect(started.code, started.stderr).toBe(0);
    const variable = (name: string) =>
      new RegExp(`^export ${name}='?(.*?)'?$`, 'm').exec(started.stdout)?.[1] ?? '';
    base = variable('VMCTL_URL');
    ca = readFileSync(variable('VMCTL_CA_FILE'), 'utf8');
  });
  afterAll(async () => {
    await home.run(['serve', '--stop'], { ...replayVariables, VMCTL_URL: base });
    home.remove();
    rmSync(folder, { recursive: true });
  });

  const wrong = (all: readonly Sent[]) => others(base, ca, all);

  it.each(selectSlowCases(encoded, 'test/operations/allowed-text.test.ts'))(
    'refuses %s in addresses and forms',
    async (word) => {
      expect(
        await wrong([...targetsWith('/virt-app', word), ...formsWith('/virt-app', word)]),
      ).toEqual([]);
    },
  );

  it('refuses the characters in headers and bodies', async () => {
    expect(await wrong(headersWith('/virt-app/api/tags'))).toEqual([]);
    const headers = { 'Content-Type': 'application/json' };
    const target = '/virt-app/api/tags';
    const all = escaped
      .filter((one) => !one.startsWith('\\ud'))
      .map((one) => ({ method: 'POST', target, headers, body: `{"name":"a${one}"}` }));
    expect(await wrong(all)).toEqual([]);
  });

  it('answers a body that is nested deeply', async () => {
    const body = '['.repeat(20_000) + ']'.repeat(20_000);
    const target = '/virt-app/api/nothing';
    const sent = { method: 'POST', target, headers: { 'Content-Type': 'application/json' }, body };
    expect(await status(base, ca, sent)).toBeGreaterThanOrEqual(400);
  });
});
