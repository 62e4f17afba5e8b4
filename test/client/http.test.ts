/** HTTP core: redirects, retries, shared sign-ins, errors. */
import { afterEach, describe, expect, it } from 'vitest';
import { Client } from '../../src/client/client.ts';
import { AuthError, ConnectionError, ServerError, UsageError } from '../../src/client/errors.ts';
import { Http, type HttpOptions } from '../../src/client/http.ts';
import { Session, type StoredToken } from '../../src/client/session.ts';
import { listOperations } from '../../src/model/index.ts';
import {
  identity,
  password,
  type Routes,
  type Stub,
  serviceRoutes,
  startStub,
} from '../support/stub-server.ts';

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function stubWith(routes: Routes): Promise<Stub> {
  const stub = await startStub(routes);
  open.push(stub);
  return stub;
}

async function httpWith(options: Partial<HttpOptions> = {}): Promise<Http> {
  const http = new Http({ trust: { ca: identity().ca }, ...options });
  open.unshift(http);
  return http;
}

function get(stub: Stub, path: string) {
  return { method: 'GET', origin: stub.url, path, headers: { authorization: 'Bearer secret' } };
}

describe('redirects', () => {
  it('on the same host keep the credentials', async () => {
    const stub = await stubWith({
      'GET /old': { status: 302, headers: { location: '/new' } },
      'GET /new': { body: { ok: true } },
    });
    const answer = await (await httpWith()).send(get(stub, '/old'));
    expect(answer.status).toBe(200);
    expect(answer.foreignOrigin).toBeUndefined();
    expect(stub.requests[1]?.headers.authorization).toBe('Bearer secret');
  });

  it('F9 to another host drop the credentials', async () => {
    const other = await stubWith({ 'GET /x': { body: {} } });
    const stub = await stubWith({
      'GET /x': { status: 307, headers: { location: `${other.url}/x` } },
    });
    const answer = await (await httpWith()).send(get(stub, '/x'));
    expect(answer.foreignOrigin).toBe(other.url);
    expect(other.requests[0]?.headers.authorization).toBeUndefined();
  });

  it.each([
    ['Authorization', false],
    ['COOKIE', false],
    ['x-authorization', true],
    ['cookie-policy', true],
    ['accept', true],
  ])('to another host keep the header %s: %s', async (name, expected) => {
    const other = await stubWith({ 'GET /x?y=1': { body: {} } });
    const stub = await stubWith({
      'GET /x': { status: 307, headers: { location: `${other.url}/x?y=1` } },
    });
    const headers = { [name]: 'secret' };
    await (await httpWith()).send({ method: 'GET', origin: stub.url, path: '/x', headers });
    expect(stub.requests[0]?.headers).toHaveProperty(name.toLowerCase(), 'secret');
    expect(other.log()).toEqual(['GET /x?y=1']);
    expect(name.toLowerCase() in (other.requests[0]?.headers ?? {})).toBe(expected);
  });

  it('to http are refused', async () => {
    const stub = await stubWith({
      'GET /x': { status: 301, headers: { location: 'http://a.test/' } },
    });
    await expect((await httpWith()).send(get(stub, '/x'))).rejects.toThrow(UsageError);
  });

  it('of changing requests are not followed', async () => {
    const stub = await stubWith({ 'POST /x': { status: 302, headers: { location: '/y' } } });
    const answer = await (await httpWith()).send({
      ...get(stub, '/x'),
      method: 'POST',
      body: '{}',
    });
    expect(answer.status).toBe(302);
    expect(stub.log()).toEqual(['POST /x']);
  });

  it('in a loop end with an error', async () => {
    const stub = await stubWith({ 'GET /x': { status: 302, headers: { location: '/x' } } });
    expect((await (await httpWith()).send(get(stub, '/x'))).status).toBe(302);
    expect(stub.requests).toHaveLength(6);
  });
});

describe('retries', () => {
  it('repeat reading requests to a busy server', async () => {
    let count = 0;
    const stub = await stubWith({
      'GET /x': () => {
        count += 1;
        return count < 3 ? { status: 503, headers: { 'retry-after': '0.01' } } : { body: {} };
      },
    });
    expect((await (await httpWith()).send(get(stub, '/x'))).status).toBe(200);
    expect(count).toBe(3);
  });

  it('stop at the limit', async () => {
    const stub = await stubWith({ 'GET /x': { status: 503, headers: { 'retry-after': '0.01' } } });
    expect((await (await httpWith({ retries: 1 })).send(get(stub, '/x'))).status).toBe(503);
    expect(stub.requests).toHaveLength(2);
  });

  it('C5 repeat requests after a lost connection', async () => {
    let count = 0;
    const stub = await stubWith({
      'GET /x': () => {
        count += 1;
        return count === 1 ? { drop: true } : { body: {} };
      },
    });
    expect((await (await httpWith()).send(get(stub, '/x'))).status).toBe(200);
  });

  it('repeat a sign-in after a lost connection, because it changes nothing', async () => {
    let count = 0;
    const stub = await stubWith({
      'POST /token': () => {
        count += 1;
        return count === 1 ? { drop: true } : { body: {} };
      },
    });
    const token = { ...get(stub, '/token'), method: 'POST', body: 'x=y', isSession: true };
    expect((await (await httpWith()).send(token)).status).toBe(200);
    expect(count).toBe(2);
  });

  it('C5 never repeat changing requests', async () => {
    const stub = await stubWith({ 'POST /x': { drop: true }, 'POST /y': { status: 503 } });
    const http = await httpWith();
    const post = (path: string) => ({ ...get(stub, path), method: 'POST', body: '{}' });
    await expect(http.send(post('/x'))).rejects.toThrow(ConnectionError);
    expect((await http.send(post('/y'))).status).toBe(503);
    expect(stub.log()).toEqual(['POST /x', 'POST /y']);
  });
});

describe('an interruption', () => {
  it('ends a request immediately', async () => {
    const controller = new AbortController();
    const stub = await stubWith({
      'GET /x': () => {
        controller.abort(new UsageError('enough'));
        return new Promise(() => {});
      },
    });
    const http = await httpWith({ signal: controller.signal });
    await expect(http.send(get(stub, '/x'))).rejects.toThrow('enough');
  });
});

describe('a client', () => {
  const list = listOperations('/vms').find(({ name }) => name === 'list');

  async function createClient(routes: Routes, kept?: StoredToken) {
    const stub = await stubWith({ ...serviceRoutes(), ...routes });
    const http = await httpWith();
    let stored = kept && { ...kept, site: { ...kept.site, origin: stub.url } };
    const session = new Session(http, {
      address: { origin: stub.url },
      username: 'admin@internal',
      credentials: { description: 'the test', password: () => Promise.resolve(password) },
      store: {
        load: () => stored,
        save: (token) => {
          stored = token;
        },
        forget: () => {},
        exclusively: (work) => work(),
      },
    });
    return { stub, client: new Client({ http, session }), stored: () => stored };
  }

  const stale: StoredToken = {
    site: { origin: '', appRoot: '/virt-app', dialect: 'standard' },
    token: 'stale',
  };

  function withToken(token: string): Routes {
    return {
      'GET /virt-app/api/vms': ({ headers }) =>
        headers.authorization === `Bearer ${token}` ? { body: {} } : { status: 401, body: '' },
    };
  }

  it('signs in once for concurrent requests', async () => {
    const { stub, client, stored } = await createClient(withToken('token-1'), stale);
    if (!list) throw new Error('no list');
    await Promise.all(Array.from({ length: 6 }, () => client.list({ operation: list })));
    expect(stub.log().filter((line) => line.includes('token'))).toHaveLength(1);
    expect(stored()?.token).toBe('token-1');
  });

  it('renews a refused token once', async () => {
    const { stub, client } = await createClient(withToken('never'), stale);
    if (!list) throw new Error('no list');
    await expect(client.list({ operation: list })).rejects.toThrow(AuthError);
    expect(stub.log()).toEqual([
      'GET /virt-app/api/vms',
      'POST /virt-app/sso/oauth/token',
      'GET /virt-app/api/vms',
    ]);
  });

  it('decodes both forms of JSON, and XML', async () => {
    const { client } = await createClient({
      'GET /virt-app/api/vms': {
        body: { vm: [{ id: '1', memory: '1073741824', stateless: 'true', creation_time: 0 }] },
      },
      'GET /virt-app/api/hosts': {
        headers: { 'content-type': 'application/xml;charset=UTF-8' },
        body: '<hosts><host id="1"><memory>7</memory></host></hosts>',
      },
    });
    const hosts = listOperations('/hosts').find(({ name }) => name === 'list');
    if (!list || !hosts) throw new Error('no list');
    expect(await client.list({ operation: list })).toEqual([
      {
        id: '1',
        memory: 1_073_741_824,
        stateless: true,
        creation_time: '1970-01-01T00:00:00.000Z',
      },
    ]);
    expect(await client.list({ operation: hosts })).toEqual([{ id: '1', memory: 7 }]);
  });

  it('distinguishes an HTML page of a proxy from a response', async () => {
    const { client } = await createClient({
      'GET /virt-app/api/vms': {
        headers: { 'content-type': 'text/html' },
        body: '<html>hi</html>',
      },
    });
    if (!list) throw new Error('no list');
    await expect(client.list({ operation: list })).rejects.toThrow(ServerError);
  });

  it('escapes ids in paths', async () => {
    const { stub, client } = await createClient({});
    const get = listOperations('/vms/{vm}').find(({ name }) => name === 'get');
    if (!get) throw new Error('no get');
    await expect(client.object({ operation: get, ids: { vm: '../x?y' } })).rejects.toThrow();
    expect(stub.log().at(-1)).toBe('GET /virt-app/api/vms/..%2Fx%3Fy');
  });
});

describe('streams a response', () => {
  it.each([
    [200, {}, true, true],
    [299, {}, true, true],
    [300, {}, true, false],
    [404, {}, true, false],
    [200, {}, false, false],
    [200, { wholeBodies: true }, true, false],
  ] as const)('with %s and %j, streamed: %s: %s', async (status, options, isStreamed, expected) => {
    const stub = await stubWith({ 'GET /x': { status, body: { here: 1 } } });
    const http = await httpWith(options);
    const { stream, body } = await http.send({ ...get(stub, '/x'), isStreamed });
    expect(stream !== undefined).toBe(expected);
    const pieces: Uint8Array[] = [];
    for await (const piece of stream ?? [body]) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe('{"here":1}');
    expect(body.length).toBe(expected ? 0 : 10);
  });
});

describe('an observer of a streamed response', () => {
  const text = 'x'.repeat(2 ** 21);
  const whole = JSON.stringify({ text });

  /**
   * Reads the first chunk of a response. Resolves with the lengths of the body and of the streamed
   * bytes.
   */
  async function readBeginning(observedBody: number): Promise<readonly (number | undefined)[][]> {
    const seen: (number | undefined)[][] = [];
    const stub = await stubWith({ 'GET /x': { body: { text } } });
    const http = await httpWith({
      observedBody,
      observer: (_request, outcome, _milliseconds, streamed) => {
        if (!(outcome instanceof Error)) seen.push([outcome.body.length, streamed]);
      },
    });
    const { stream = [] } = await http.send({ ...get(stub, '/x'), isStreamed: true });
    for await (const piece of stream) {
      expect(piece.length).toBeLessThan(whole.length);
      break;
    }
    return seen;
  }

  it('receives the complete body although the reader stops early', async () => {
    expect(await readBeginning(2 ** 22)).toEqual([[whole.length, whole.length]]);
  });

  it('receives only the length of a long body', async () => {
    const [[body, streamed = 0] = []] = await readBeginning(1);
    expect(body).toBe(0);
    expect(streamed).toBeGreaterThan(1);
  });
});
