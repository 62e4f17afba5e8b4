/** Requests from pages of other sites, and foreign host names that resolve to this server (F11). */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RawAnswer, RawApi, send } from '../support/raw.ts';
import { password, type ServerProcess, startServerProcess } from '../support/server.ts';
import { recordResult } from './support/catalogue.ts';
import { sendRaw, statuses } from './support/raw-socket.ts';

const allowed = 'https://console.example.com';
let server: ServerProcess;
let api: RawApi;
let own: string;

beforeAll(async () => {
  server = await startServerProcess([
    ...['--speed', '0', '--host-name', 'engine.example.com'],
    ...['--allow-origin', allowed],
  ]);
  api = await RawApi.signIn(server);
  own = new URL(server.ready.base_url).origin;
});

afterAll(async () => {
  await server.stop();
});

let made = 0;
const tags = async () => (await api.json('GET', '/tags')).text;

/** Adds a tag like a page of the origin; resolves with whether the tag exists afterwards. */
async function addTag(
  headers: Record<string, string>,
): Promise<{ answer: RawAnswer; isThere: boolean }> {
  made += 1;
  const name = `tag-of-a-page-${made}`;
  const answer = await api.call('POST', '/tags', {
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ name }),
  });
  return { answer, isThere: (await tags()).includes(name) };
}

const foreign = [
  'https://evil.example.com',
  'http://127.0.0.1',
  'https://127.0.0.1:1',
  'https://localhost.evil.example.com',
  'https://console.example.com.evil.example.com',
  'http://console.example.com',
  'null',
  'file://',
];

describe('F11 - a change requested by a page', () => {
  it.each(foreign)('F11 - of the origin %s is refused and not made', async (origin) => {
    const { answer, isThere } = await addTag({ Origin: origin });
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('--allow-origin');
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect(isThere).toBe(false);
  });

  it('F11 control - is made without an origin, from the own origin and from an allowed one', async () => {
    for (const headers of [{}, { Origin: own }, { Origin: allowed }]) {
      const { answer, isThere } = await addTag(headers);
      expect([answer.status, isThere]).toEqual([201, true]);
    }
    recordResult(
      'F11',
      `${foreign.length} of ${foreign.length} foreign origins refused, nothing changed`,
    );
  });

  it('F11 - is refused for PUT, DELETE, actions and sign-ins, also by GET; reads are allowed', async () => {
    const headers = { Origin: 'https://evil.example.com' };
    const { text } = await api.json('POST', '/tags', { name: 'kept' });
    const { id } = JSON.parse(text) as { id: string };
    expect((await api.call('DELETE', `/tags/${id}`, { headers })).status).toBe(403);
    expect((await api.call('PUT', `/tags/${id}`, { headers })).status).toBe(403);
    expect((await api.call('POST', '/events/undelete', { headers })).status).toBe(403);
    const grant = 'grant_type=urn:ovirt:params:oauth:grant-type:http&scope=virt-app-api';
    const basic = Buffer.from(`admin@internal:${password}`).toString('base64');
    const signIn = (more: Record<string, string>) =>
      send(`${server.ready.auth_url}/oauth/token?${grant}`, {
        ca: server.ca,
        headers: { Accept: 'application/json', Authorization: `Basic ${basic}`, ...more },
      });
    expect((await signIn(headers)).status).toBe(403);
    expect((await signIn({})).status).toBe(200);
    const reset = await send(`${own}/_vmctl/reset`, { method: 'POST', ca: server.ca, headers });
    expect(reset.status).toBe(403);
    expect((await api.call('GET', `/tags/${id}`, { headers })).status).toBe(200);
  });

  it('F11 - of an allowed origin passes the preflight, and a browser can read the response', async () => {
    const asked = await send(`${server.ready.api_url}/vms`, {
      method: 'OPTIONS',
      ca: server.ca,
      headers: {
        Origin: allowed,
        'Access-Control-Request-Method': 'PUT',
        'Access-Control-Request-Headers': 'authorization,content-type',
      },
    });
    expect(asked.status).toBe(204);
    expect(asked.headers).toMatchObject({
      'access-control-allow-origin': allowed,
      'access-control-allow-methods': expect.stringContaining('PUT'),
      'access-control-allow-headers': 'authorization,content-type',
    });
    expect(asked.headers['content-length']).toBeUndefined();
    const { headers } = await api.call('GET', '/tags', { headers: { Origin: allowed } });
    expect(headers['access-control-allow-origin']).toBe(allowed);
    expect(headers['vary']).toContain('Origin');
  });

  it.each([
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['multipart/form-data; boundary=x', 415],
    ['nonsense', 415],
    ['application/xml', 200],
    ['application/json; charset=utf-8', 200],
    [undefined, 200],
  ])('F11 - an action without a body and with the type %s returns %i', async (type, status) => {
    const headers: Record<string, string> = type === undefined ? {} : { 'Content-Type': type };
    expect((await api.call('POST', '/events/undelete', { headers })).status).toBe(status);
  });
});

describe('F11 - a requested host', () => {
  const ask = async (host: string | undefined, target?: string) => {
    const { pathname } = new URL(server.ready.api_url);
    const lines = [
      `GET ${target ?? `${pathname}/tags`} HTTP/${host === undefined ? '1.0' : '1.1'}`,
      ...(host === undefined ? [] : [`Host: ${host}`]),
      `Authorization: Bearer ${api.token}`,
    ];
    return sendRaw(server, `${lines.join('\r\n')}\r\n\r\n`);
  };

  const strangers = [
    'evil.example.com',
    'engine.example.com.evil.example.com',
    'localhost.evil.example.com',
    'notlocalhost',
    '127.0.0.1.evil.example.com',
    '192.168.1.7',
    '[::2]:8443',
    '0.0.0.0',
    '127.1.evil',
  ];
  it.each(strangers)('F11 - %s is refused with a hint on how to allow it', async (host) => {
    const text = await ask(host);
    expect(statuses(text)).toEqual([403]);
    expect(text).toContain('--host-name');
    expect(text).toMatch(/connection: close/i);
  });

  it.each([
    '127.0.0.1',
    '127.0.0.1:9999',
    '127.8.9.10',
    '[::1]:8443',
    'localhost',
    'LOCALHOST:1',
    'localhost.',
    'my.app.localhost:8443',
    'engine.example.com',
    'Engine.Example.com:443',
    undefined,
  ])('F11 control - %s is answered', async (host) => {
    expect(statuses(await ask(host))).toEqual([200]);
  });

  it.each(['a b', 'a/b', 'user@127.0.0.1', '[::1', '', 'a:b:c'])(
    'F11 - "%s" is not a host: 400',
    async (host) => {
      expect(statuses(await ask(host))).toEqual([400]);
    },
  );

  it('F11 - the certificate contains the names of --host-name', () => {
    recordResult('F11', `${strangers.length} of ${strangers.length} foreign hosts refused`);
    const { hostname, port } = new URL(server.ready.base_url);
    const url = `https://engine.example.com:${port}${new URL(server.ready.base_url).pathname}/services/health`;
    const words = ['-sS', '--cacert', server.ready.ca_file];
    const resolve = ['--resolve', `engine.example.com:${port}:${hostname}`];
    expect(execFileSync('curl', [...words, ...resolve, url], { encoding: 'utf8' })).toContain(
      'DB Up',
    );
  });
});

it('F11 control - a server on a network address accepts any name, but still checks origins', async () => {
  const open = await startServerProcess(['--listen', '0.0.0.0:0']);
  try {
    const { hostname, port } = new URL(open.ready.base_url);
    expect(hostname).not.toBe('127.0.0.1');
    const local = { ...open, ready: { ...open.ready, base_url: `https://127.0.0.1:${port}` } };
    const as = async (method: string, origin?: string) => {
      const lines = [`${method} /virt-app/api/tags HTTP/1.1`, 'Host: any.example.com'];
      if (origin !== undefined) lines.push(`Origin: ${origin}`);
      return statuses(await sendRaw(local, `${lines.join('\r\n')}\r\n\r\n`));
    };
    expect(await as('GET')).toEqual([401]);
    expect(await as('POST', 'https://evil.example.com')).toEqual([403]);
    expect(await as('POST', 'https://any.example.com')).toEqual([401]);
  } finally {
    await open.stop();
  }
});
