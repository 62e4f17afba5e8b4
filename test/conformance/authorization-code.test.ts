/** Authorization code flow of the server, with plain requests: attacks, and the exchange of codes. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RawAnswer, RawApi, send } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const redirect = 'http://127.0.0.1:40000/callback';
const verifier = 'v'.repeat(43);
const challenge = createHash('sha256').update(verifier).digest('base64url');

describe.each([
  ['standard', 'virt-app-api'],
  ['ovirt', 'ovirt-app-api'],
])('the dialect %s', (dialect, scope) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(['--speed', '0', '--inventory', 'empty', '--dialect', dialect]);
  });
  afterAll(() => server.stop());

  type Form = Readonly<Record<string, string | undefined>>;
  const complete: Form = {
    response_type: 'code',
    client_id: 'vmctl',
    redirect_uri: redirect,
    state: 'the state',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  };
  const toQuery = (form: Form) =>
    new URLSearchParams(
      Object.entries(form).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, value]],
      ),
    ).toString();
  const endpoint = (name: string) => `${server.ready.auth_url}/oauth/${name}`;

  const authorize = (changes: Form = {}) =>
    send(`${endpoint('authorize')}?${toQuery({ ...complete, scope, ...changes })}`, {
      ca: server.ca,
    });
  const post = (name: string, form: Form, headers: Record<string, string> = {}) =>
    send(endpoint(name), {
      method: 'POST',
      ca: server.ca,
      headers: {
        Accept: 'application/json',
        'Content-Type': 'application/x-www-form-urlencoded',
        ...headers,
      },
      body: toQuery(form),
    });
  const submit = (changes: Form = {}, headers: Record<string, string> = {}) => {
    const { username } = server.ready;
    const credentials = { username, password: server.password };
    return post('authorize', { ...complete, scope, ...credentials, ...changes }, headers);
  };
  const location = ({ headers }: RawAnswer) => new URL(String(headers['location']));
  const newCode = async (changes: Form = {}) =>
    location(await submit(changes)).searchParams.get('code') ?? '';
  const exchange = (code: string, changes: Form = {}) =>
    post('token', {
      grant_type: 'authorization_code',
      code,
      client_id: 'vmctl',
      redirect_uri: redirect,
      code_verifier: verifier,
      scope: 'x',
      ...changes,
    });

  it('shows a form without scripts, which no other page can embed', async () => {
    const { status, headers, text } = await authorize({ client_id: '<script>"x"' });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html;charset=UTF-8');
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['cache-control']).toBe('no-store');
    expect(text).not.toContain('<script');
    expect(text).toContain('&#60;script&#62;&#34;x&#34;');
  });

  it('exchanges a code for a token of the user', async () => {
    const answer = await submit();
    expect(answer.status).toBe(302);
    expect(location(answer).href).toContain(`${redirect}?`);
    expect(location(answer).searchParams.get('state')).toBe('the state');
    const code = location(answer).searchParams.get('code') ?? '';
    const granted = (await exchange(code)).json<Record<string, string>>();
    expect(granted).toMatchObject({ token_type: 'bearer', exp: expect.any(String) });
    expect(granted['scope']).toContain(scope);
    const token = String(granted['access_token']);
    expect((await new RawApi(server, token).json('GET', '/tags')).status).toBe(200);
    const info = await post('token-info', { token, client_id: 'vmctl' });
    expect(info.json()['user_id']).toBe(server.ready.username);
  });

  it('refuses a code that was used, and codes as tokens', async () => {
    const code = await newCode();
    expect((await new RawApi(server, code).json('GET', '/tags')).status).toBe(401);
    expect((await exchange(code)).status).toBe(200);
    const again = await exchange(code);
    expect([again.status, again.json()['error']]).toEqual([400, 'invalid_grant']);
  });

  it('accepts only one attempt for each code', async () => {
    const code = await newCode();
    expect((await exchange(code, { code_verifier: 'wrong' })).status).toBe(400);
    expect((await exchange(code)).status).toBe(400);
  });

  it.each<[string, Form]>([
    ['another redirect_uri', { redirect_uri: 'http://127.0.0.1:40001/callback' }],
    ['no redirect_uri', { redirect_uri: undefined }],
    ['another client', { client_id: 'other' }],
    ['another verifier', { code_verifier: 'w'.repeat(43) }],
    ['no verifier', { code_verifier: undefined }],
    ['the challenge as verifier', { code_verifier: challenge }],
    ['no code', { code: undefined }],
    ['an access token', { code: 'x'.repeat(86) }],
  ])('refuses the exchange with %s', async (_, changes) => {
    const { status, text } = await exchange(await newCode(), changes);
    expect([status, text]).toEqual([400, expect.stringContaining('invalid_grant')]);
  });

  it.each([
    undefined,
    'https://127.0.0.1:40000/callback',
    'http://localhost:40000/callback',
    'http://127.0.0.1/callback',
    'http://example.com:40000/callback',
    'http://127.0.0.1:40000@example.com:80/callback',
    'http://user@127.0.0.1:40000/callback',
    'http://127.0.0.1.example.com:40000/',
    'javascript:alert(1)',
    '//127.0.0.1:40000/',
    'http://127.0.0.1:40000/#x',
  ])('never redirects to %s', async (target) => {
    for (const { status, headers } of [
      await authorize({ redirect_uri: target }),
      await submit({ redirect_uri: target }),
    ]) {
      expect([status, headers['location']]).toEqual([400, undefined]);
    }
  });

  it.each<[Form, string]>([
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ code_challenge: undefined }, 'invalid_request'],
    [{ code_challenge: 'short' }, 'invalid_request'],
    [{ code_challenge_method: 'plain', code_challenge: verifier }, 'invalid_request'],
  ])('redirects the error of %j with the state', async (changes, error) => {
    for (const answer of [await authorize(changes), await submit(changes)]) {
      const { searchParams } = location(answer);
      expect(searchParams.get('error')).toBe(error);
      expect(searchParams.get('state')).toBe('the state');
      expect(searchParams.get('code')).toBeNull();
    }
  });

  it('shows the form again after a wrong password', async () => {
    const { status, headers, text } = await submit({ password: 'wrong' });
    expect([status, headers['location']]).toEqual([403, undefined]);
    expect(text).toContain('role="alert"');
    expect(text).not.toContain('wrong"');
  });

  it('refuses forms of pages of other servers', async () => {
    const { status, headers } = await submit({}, { Origin: 'https://example.com' });
    expect([status, headers['location']]).toEqual([403, undefined]);
  });

  it('redirects with the code to the given port only', async () => {
    const answer = await submit({ redirect_uri: 'http://[::1]:7/a?b=c', state: 'x&code=y' });
    const url = location(answer);
    expect([url.host, url.pathname, url.searchParams.get('b')]).toEqual(['[::1]:7', '/a', 'c']);
    expect(url.searchParams.getAll('code')).toHaveLength(1);
    expect(url.searchParams.get('state')).toBe('x&code=y');
  });
});
