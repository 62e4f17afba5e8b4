/** Sign-in, pages outside of the API, media types and versions, identical to a recorded engine. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawApi, send } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const formType = 'application/x-www-form-urlencoded';
const nowhere = '11111111-2222-3333-4444-555555555555';

let server: TestServer;
let api: RawApi;

beforeAll(async () => {
  server = await startTestServer(['--speed', '0', '--inventory', 'empty', '--dialect', 'ovirt']);
  api = await RawApi.signIn(server, 'ovirt-app-api');
});
afterAll(() => server.stop());

/** A request below the application root, without credentials. */
function ask(path: string, method = 'GET', body?: Record<string, string>) {
  const root = server.ready.api_url.replace(/\/api$/, '');
  return send(`${root}${path}`, {
    method,
    ca: server.ca,
    headers: { Accept: 'application/json', ...(body && { 'Content-Type': formType }) },
    ...(body && { body: new URLSearchParams(body).toString() }),
  });
}

const credentials = () => ({
  grant_type: 'password',
  username: server.ready.username,
  password: server.password,
});

const dependent =
  'ovirt-ext=token-info:authz-search ovirt-ext=token-info:public-authz-search ovirt-ext=token-info:validate ovirt-ext=token:password-access';

describe('scopes', () => {
  it.each([
    ['', ''],
    ['no-such-scope', 'no-such-scope'],
    ['ovirt-app-api', `ovirt-app-api ${dependent}`],
    ['ovirt-app-api ovirt-ext=token-info:validate', `ovirt-app-api ${dependent}`],
    ['ovirt-app-portal', `ovirt-app-api ovirt-app-portal ovirt-ext=revoke:revoke-all ${dependent}`],
  ])('"%s" is granted with its dependent scopes', async (scope, granted) => {
    const answer = await ask('/sso/oauth/token', 'POST', { ...credentials(), scope });
    expect([answer.status, answer.json()['scope']]).toEqual([200, granted]);
  });
});

describe('tokens', () => {
  it('are not revoked without a client, and end with the sign-out', async () => {
    const { access_token: token } = (
      await ask('/sso/oauth/token', 'POST', { ...credentials(), scope: 'ovirt-app-api' })
    ).json<{ access_token: string }>();
    const status = async () => (await new RawApi(server, token).json('GET', '/tags')).status;
    const refused = await ask('/sso/oauth/revoke', 'POST', { token });
    expect([refused.status, refused.json()['error']]).toEqual([400, 'invalid_request']);
    expect(await status()).toBe(200);
    expect((await ask('/services/sso-logout', 'POST', { token })).status).toBe(200);
    expect(await status()).toBe(401);
  });

  it('for HTTP credentials redirect to the caller without them', async () => {
    const grant = encodeURIComponent('urn:ovirt:params:oauth:grant-type:http');
    const answer = await ask(`/sso/oauth/token?grant_type=${grant}&scope=ovirt-app-api`);
    expect(answer.status).toBe(302);
    expect(answer.headers['location']).toContain('/oauth2-callback?error=unauthorized_client');
  });

  it('for a code require a client', async () => {
    const answer = await ask('/sso/oauth/token', 'POST', {
      grant_type: 'authorization_code',
      code: 'x',
    });
    expect([answer.status, answer.json()['error']]).toEqual([400, 'invalid_request']);
  });
});

describe('pages outside of the API', () => {
  it.each<[string, number, string | undefined, string[]]>([
    ['', 302, '/ovirt-engine/', []],
    ['/', 302, '/ovirt-engine/login?', ['x-frame-options']],
    ['/apidoc', 302, '/ovirt-engine/apidoc/', []],
    ['/sso/', 302, '/ovirt-engine/', ['x-frame-options', 'content-language']],
    ['/sso/oauth/authorize', 400, undefined, ['x-frame-options', 'content-language']],
    ['/sso/nothing', 404, undefined, ['x-frame-options']],
    ['/services/', 403, undefined, []],
    ['/services/nothing', 404, undefined, ['content-language']],
    ['/docs/', 404, undefined, ['x-frame-options', 'content-language']],
  ])('GET "%s" returns %d', async (path, status, location, headers) => {
    const answer = await ask(path);
    expect(answer.status).toBe(status);
    expect(answer.headers['location'] ?? '').toContain(location ?? '');
    const present = ['x-frame-options', 'content-language'].filter((name) => answer.headers[name]);
    expect(present).toEqual(headers);
  });

  it('describe the sign-in, with public keys only', async () => {
    const description = await ask('/sso/openid/.well-known/openid-configuration');
    expect(description.json()['issuer']).toMatch(/\/ovirt-engine\/sso\/openid$/);
    const { keys } = (await ask('/sso/openid/jwks')).json<{ keys: Record<string, string>[] }>();
    expect(keys).toHaveLength(1);
    expect(keys[0]).not.toHaveProperty('d');
  });
});

describe('the Accept header', () => {
  it.each<[string, number, string]>([
    ['*/*', 200, 'application/xml'],
    ['application/*', 200, 'application/xml'],
    ['application/json, */*', 200, 'application/json'],
    ['application/json;q=0.9,application/xml;q=0.8', 200, 'application/json'],
    ['application/json;q=0.1,application/xml;q=0.8', 200, 'application/xml'],
    ['application/json;q=0', 200, 'application/json'],
    ['application/xml;q=0, application/json', 200, 'application/json'],
    ['application/pdf, application/json', 200, 'application/json'],
    ['text/html,application/xml;q=0.9,*/*;q=0.8', 200, 'application/xml'],
    ['text/xml', 406, ''],
    ['application/x-yaml', 406, ''],
    ['nonsense', 400, 'text/html'],
  ])('%s: %d %s', async (accept, status, type) => {
    const answer = await api.call('GET', '/tags', { headers: { Accept: accept } });
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type'] ?? '').toContain(type);
  });

  it('has precedence over the parameter', async () => {
    const answer = await api.xml('GET', '/tags?accept=application%2Fjson');
    expect(answer.headers['content-type']).toContain('application/xml');
  });
});

describe('versions', () => {
  it.each([
    ['/v3', 405],
    ['/v3/vms', 405],
    ['/v5', 400],
    ['/v04/vms', 400],
  ])('%s returns a page and %d', async (path, status) => {
    const answer = await api.call('GET', path, { headers: { 'Correlation-Id': 'mine' } });
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toContain('text/html');
    expect(answer.headers['correlation-id']).toBe('mine');
  });

  it('a short UUID is completed, and an unknown request is complete', async () => {
    const blank = (await api.json('GET', '/templates/0-0-0-0-0')).json();
    expect(blank['name']).toBe('Blank');
    const path = `/vms/${nowhere}/start/${nowhere}`;
    expect((await api.json('GET', path)).json()).toMatchObject({ id: nowhere, status: 'complete' });
  });

  it('the header has the same response', async () => {
    const status = async (version: string) =>
      (await api.xml('GET', '/tags', undefined, { Version: version })).status;
    expect([await status('3'), await status('4'), await status('5')]).toEqual([405, 200, 400]);
  });

  it('TRACE is refused without the allowed methods', async () => {
    const answer = await api.call('TRACE', '/tags');
    expect([answer.status, answer.headers['allow'], answer.headers['correlation-id']]).toEqual([
      405,
      undefined,
      undefined,
    ]);
  });
});

describe('options of the service', () => {
  it.each(['MigrationPolicies', 'PredefinedVMProperties', 'ProductRPMVersion', 'ServerCPUList'])(
    '%s has values',
    async (name) => {
      const { values } = (await api.json('GET', `/options/${name}`)).json<{
        values: { system_option_value: { value: string }[] };
      }>();
      for (const { value } of values.system_option_value) expect(value).not.toMatch(/^$|undefined/);
    },
  );

  it('a processor type has flags and a model', async () => {
    const answer = await api.json('GET', '/options/ServerCPUList?version=4.8');
    expect(answer.text).toContain(
      '2:Secure Intel Nehalem Family:vmx,spec_ctrl,ssbd,model_Nehalem:Nehalem,+spec-ctrl,+ssbd:x86_64;',
    );
  });
});

describe('users and providers', () => {
  it('a user is added only once', async () => {
    const [domain] = (await api.json('GET', '/domains')).json<{ domain: { id: string }[] }>()
      .domain;
    const body = { user_name: server.ready.username.replace(/@.*/, ''), domain };
    expect((await api.json('POST', '/users', body)).status).toBe(400);
  });

  it('the response to an update of a user contains the options of the request', async () => {
    const [user] = (await api.json('GET', '/users')).json<{ user: { id: string }[] }>().user;
    const update = async (body: object) =>
      (await api.json('PUT', `/users/${user?.id}`, body)).json();
    const options = { property: [{ name: 'rows', value: '50' }] };
    expect(await update({ user_options: options })).toMatchObject({ user_options: options });
    expect(await update({ name: 'other' })).not.toHaveProperty('user_options');
  });

  it('two image providers have different addresses, and their domains adopt their names', async () => {
    const provider = { name: 'glance', url: 'https://glance.example.com:9292' };
    const added = await api.json('POST', '/openstackimageproviders', provider);
    expect(added.status).toBe(201);
    const again = await api.json('POST', '/openstackimageproviders', { ...provider, name: 'two' });
    expect(again.status).toBe(400);
    await api.json('PUT', `/openstackimageproviders/${added.json()['id']}`, { name: 'images' });
    const domains = await api.json('GET', '/storagedomains?search=name%3Dimages');
    expect(domains.text).toContain('"name":"images"');
  });

  it('a range of MAC addresses requires both ends', async () => {
    const body = { name: 'half', ranges: { range: [{ from: '00:1a:4a:40:00:00' }] } };
    const answer = await api.json('POST', '/macpools', body);
    expect([answer.status, answer.json()['reason']]).toEqual([400, 'Input validation failed.']);
  });

  it('an unknown object has no separate page', async () => {
    expect((await api.json('GET', `/vms/${nowhere}`)).text).toBe('');
  });
});
