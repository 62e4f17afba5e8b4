/** The protocol of all operations: sign-in, versions, representations, errors, limits. */
import { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawApi, requestToken, send } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let api: RawApi;
const unknown = '11111111-2222-3333-4444-555555555555';

beforeAll(async () => {
  server = await startTestServer(['--speed', '0', '--inventory', 'small']);
  api = await RawApi.signIn(server);
});

afterAll(async () => {
  await server.stop();
});

const get = (path: string, headers: Record<string, string> = {}) =>
  send(`${server.ready.api_url}${path}`, { ca: server.ca, headers });

describe('transport (specification 5.1)', () => {
  it('presents the certificate authority as the last certificate of the handshake', async () => {
    const { hostname, port } = new URL(server.ready.api_url);
    const socket = connect({ host: hostname, port: Number(port), ca: server.ca });
    await new Promise((resolve, reject) => {
      socket.once('secureConnect', resolve);
      socket.once('error', reject);
    });
    let last = socket.getPeerCertificate(true);
    while (
      last.issuerCertificate &&
      last.issuerCertificate.fingerprint256 !== last.fingerprint256
    ) {
      last = last.issuerCertificate;
    }
    socket.destroy();
    expect(last.fingerprint256).toBe(new X509Certificate(server.ca).fingerprint256);
  });

  it('serves its authority without authentication', async () => {
    const base = `${server.ready.base_url}/services/pki-resource`;
    const answer = await send(`${base}?resource=ca-certificate&format=X509-PEM-CA`, {
      ca: server.ca,
    });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/x-x509-ca-cert; charset=ISO-8859-1');
    expect(new X509Certificate(answer.text).ca).toBe(true);
    expect((await send(`${base}?resource=nonsense`, { ca: server.ca })).status).toBe(400);
  });

  it('is not trusted without the authority', async () => {
    await expect(get('/vms').then(() => send(server.ready.api_url))).rejects.toThrow(/certificate/);
  });
});

describe('OAuth (specification 5.2)', () => {
  it('refuses a wrong password without details', async () => {
    const wrong = await requestToken(server, 'virt-app-api', 'nonsense');
    expect(wrong.status).toBe(400);
    expect(wrong.json()['error']).toBe('access_denied');
  });

  it('refuses another grant and a missing scope', async () => {
    const ask = (form: Record<string, string>) =>
      send(`${server.ready.auth_url}/oauth/token`, {
        method: 'POST',
        ca: server.ca,
        headers: {
          Accept: 'application/json',
          'Content-Type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams(form).toString(),
      });
    const { username } = server.ready;
    const { password } = server;
    expect((await ask({ username, password })).json()['error']).toBe('invalid_request');
    const code = await ask({ grant_type: 'client_credentials', username, password });
    expect(code.json()['error']).toBe('unsupported_grant_type');
    const scope = await ask({ grant_type: 'password', username, password, scope: 'other' });
    expect(scope.json()['error']).toBe('invalid_scope');
  });

  it('responds with 401 and a challenge without credentials and with an invalid token', async () => {
    for (const headers of [{}, { Authorization: 'Bearer nonsense' }] as Record<string, string>[]) {
      const answer = await get('/vms', headers);
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toBe('Basic realm="RESTAPI"');
      expect(answer.element('reason')).toBe('Unauthorized');
    }
  });

  it('revokes a token', async () => {
    const other = await RawApi.signIn(server);
    expect((await other.json('GET', '/')).status).toBe(200);
    const revoke = await send(`${server.ready.auth_url}/oauth/revoke`, {
      method: 'POST',
      ca: server.ca,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ token: other.token }).toString(),
    });
    expect(revoke.status).toBe(200);
    expect(revoke.text).toBe('{}');
    expect((await other.json('GET', '/')).status).toBe(401);
  });
});

describe('Basic and sessions (specification 5.3, 5.4)', () => {
  const basic = () =>
    `Basic ${Buffer.from(`${server.ready.username}:${server.password}`).toString('base64')}`;

  it('accepts Basic credentials', async () => {
    expect((await get('/', { Authorization: basic() })).status).toBe(200);
    const wrong = `Basic ${Buffer.from('admin@internal:nonsense').toString('base64')}`;
    expect((await get('/', { Authorization: wrong })).status).toBe(401);
  });

  it('keeps a session if persistent authentication is requested', async () => {
    const prefer = { Prefer: 'persistent-auth' };
    const opened = await get('/', { Authorization: basic(), ...prefer });
    const [cookie = ''] = [opened.headers['set-cookie'] ?? []].flat();
    expect(cookie).toMatch(/^JSESSIONID=[^;]+; Path=\/virt-app\/api; Secure/);
    const session = { Cookie: cookie.split(';')[0] ?? '' };
    expect((await get('/vms', { ...session, ...prefer })).status).toBe(200);
    expect((await get('/vms', session)).status).toBe(401);
    expect((await get('/vms', { ...session, ...prefer })).status).toBe(401);
  });
});

describe('versions and representations (specification 2.3, 9)', () => {
  it('reads the version from prefix or header, and writes links with the prefix', async () => {
    const prefixed = await api.xml('GET', '/v4/vms?max=1');
    expect(prefixed.status).toBe(200);
    expect(prefixed.attribute('href')).toMatch(/^\/virt-app\/api\/v4\/vms\//);
    const header = await api.call('GET', '/vms?max=1', { headers: { Version: '4' } });
    expect(header.status).toBe(200);
    expect((await api.call('GET', '/vms', { headers: { Version: '3' } })).status).toBe(400);
    expect((await api.xml('GET', '/v3/vms')).status).toBe(400);
  });

  it('responds in XML unless JSON is preferred', async () => {
    const accepts: Record<string, string> = {
      '*/*': 'application/xml',
      'application/json': 'application/json',
      'application/xml;q=0.5, application/json': 'application/json',
      'text/html, application/xml;q=0.9': 'application/xml',
    };
    for (const [accept, type] of Object.entries(accepts)) {
      const answer = await api.call('GET', '/', { headers: { Accept: accept } });
      expect(answer.headers['content-type'], accept).toContain(type);
    }
    const neither = await api.call('GET', '/', { headers: { Accept: 'image/png' } });
    expect(neither.status).toBe(406);
  });

  it('accepts trailing slashes and matrix parameters', async () => {
    for (const path of ['/vms/', '/vms;max=1', '/vms/?max=1', '/vms;max=2?max=1']) {
      const answer = await api.json('GET', path);
      expect(answer.status, path).toBe(200);
      if (path.includes('max')) expect(answer.json<{ vm: unknown[] }>().vm, path).toHaveLength(1);
    }
  });

  it('responds to HEAD on the root without a body, with the links as header', async () => {
    const answer = await api.call('HEAD', '/');
    expect(answer.status).toBe(200);
    expect(answer.bytes).toHaveLength(0);
    expect(String(answer.headers['link'])).toContain('; rel=vms');
  });

  it('echoes the correlation id', async () => {
    const answer = await api.call('GET', '/', { headers: { 'Correlation-Id': 'my-id-1' } });
    expect(answer.headers['correlation-id']).toBe('my-id-1');
  });
});

describe('methods and paths', () => {
  it('responds to OPTIONS with Allow, without authentication', async () => {
    const answer = await send(`${server.ready.api_url}/vms`, { method: 'OPTIONS', ca: server.ca });
    expect(answer.status).toBe(200);
    expect(answer.headers['allow']).toBe('HEAD, POST, GET, OPTIONS');
    const action = await api.call('OPTIONS', `/vms/${unknown}/start`);
    expect(action.headers['allow']).toBe('POST, OPTIONS');
  });

  it('responds to an unknown path with 404 and a fault', async () => {
    const answer = await api.json('GET', '/nothing/here');
    expect(answer.status).toBe(404);
    expect(answer.json()).toMatchObject({ reason: 'Not Found', fault: { reason: 'Not Found' } });
    expect(answer.json()['detail']).toContain('/nothing/here');
  });

  it('responds to an unsupported method with 405 and Allow', async () => {
    const answer = await api.xml('DELETE', '/vms');
    expect(answer.status).toBe(405);
    expect(answer.headers['allow']).toBe('HEAD, POST, GET, OPTIONS');
  });

  it('responds to an unknown id with 404 and a fault that contains it', async () => {
    for (const path of [`/vms/${unknown}`, `/vms/${unknown}/nics`, '/vms/not-an-id']) {
      const answer = await api.xml('GET', path);
      expect(answer.status, path).toBe(404);
      expect(answer.element('detail'), path).toContain('does not exist');
    }
  });
});

describe('bodies', () => {
  it('refuses malformed XML and JSON with 400 and the position of the error', async () => {
    const xml = await api.xml('POST', '/vms', '<vm><name>x</vm>');
    expect(xml.status).toBe(400);
    expect(xml.element('reason')).toBe('Request syntactically incorrect.');
    expect(xml.element('detail')).toMatch(/^1:\d+/);
    const json = await api.call('POST', '/vms', {
      headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      body: '{"name": "x",}',
    });
    expect(json.status).toBe(400);
    expect(json.json()['detail']).toMatch(/^1:\d+/);
  });

  it('refuses members that the type lacks, with their names', async () => {
    const answer = await api.json('POST', '/vms', { name: 'x', colour: 'red' });
    expect(answer.status).toBe(400);
    expect(answer.json()['detail']).toContain('colour');
  });

  it('refuses unknown values of enums, with the existing ones', async () => {
    const answer = await api.json('POST', '/vms', { name: 'x', type: 'mainframe' });
    expect(answer.status).toBe(400);
    expect(answer.json()['reason']).toBe('Invalid value');
    expect(answer.json()['detail']).toMatch(/mainframe is not a member of VmType.*desktop, server/);
  });

  it('refuses a document type declaration', async () => {
    const answer = await api.xml('POST', '/vms', '<!DOCTYPE vm [<!ENTITY a "b">]><vm/>');
    expect(answer.status).toBe(400);
  });

  it('lists missing mandatory attributes', async () => {
    const answer = await api.xml(
      'POST',
      '/datacenters',
      '<data_center><name>x</name></data_center>',
    );
    expect(answer.status).toBe(400);
    expect(answer.element('reason')).toBe('Incomplete parameters');
    expect(answer.element('detail')).toBe('DataCenter [local] required for add');
    const vm = await api.json('POST', '/vms', {});
    expect(vm.json()['detail']).toBe(
      'Vm [cluster.id|name, name, template.id|name] required for add',
    );
  });

  it('refuses references to unknown objects with 404', async () => {
    const answer = await api.json('POST', '/vms', {
      name: 'x',
      cluster: { name: 'nowhere' },
      template: { name: 'Blank' },
    });
    expect(answer.status).toBe(404);
    expect(answer.json()['detail']).toBe('Entity not found: Cluster: name=nowhere');
  });

  it('refuses other media types with 415', async () => {
    const answer = await api.call('POST', '/vms', {
      headers: { 'Content-Type': 'text/plain' },
      body: 'hello',
    });
    expect(answer.status).toBe(415);
  });

  it('refuses a body that is too large with 413, and continues', async () => {
    const body = `<vm><name>${'x'.repeat(11 * 2 ** 20)}</name></vm>`;
    const answer = await api
      .xml('POST', '/vms', body)
      .catch((error: NodeJS.ErrnoException) => error);
    // The server may close the connection before the end; it must not accept the body.
    if ('status' in answer) expect(answer.status).toBe(413);
    expect((await api.json('GET', '/')).status).toBe(200);
  });

  it('does not wait for the body of a GET that announces one', async () => {
    const { hostname, port } = new URL(server.ready.api_url);
    const socket = connect({ host: hostname, port: Number(port), ca: server.ca });
    socket.write(
      `GET /virt-app/api/vms HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${api.token}\r\nContent-Length: 100\r\n\r\n`,
    );
    const head = await new Promise<string>((resolve) => {
      socket.once('data', (piece: Buffer) => resolve(piece.toString()));
    });
    socket.destroy();
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    expect(head.toLowerCase()).toContain('connection: close');
  });
});
