/** Client for operations of the model: requests and decoded responses. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Site } from '../../src/client/address.ts';
import { buildPath, type Call, describeCall, getRootNoun } from '../../src/client/call.ts';
import { Client, type ClientOptions } from '../../src/client/client.ts';
import { DryRunStop, isReading } from '../../src/client/dry-run.ts';
import { AuthError, ConflictError, ServerError, UsageError } from '../../src/client/errors.ts';
import type { Http } from '../../src/client/http.ts';
import type { HttpRequest, HttpResponse } from '../../src/client/http-message.ts';
import { listOperations, type Operation } from '../../src/model/index.ts';

function operation(path: string, name: string): Operation {
  const found = listOperations(path).find((one) => one.name === name);
  if (!found) throw new Error(`${path} has no ${name}.`);
  return found;
}

const list = operation('/vms', 'list');
const get = operation('/vms/{vm}', 'get');
const start = operation('/vms/{vm}', 'start');
const remove = operation('/vms/{vm}', 'remove');
const update = operation('/vms/{vm}', 'update');
const ids = { vm: '1' };

interface Reply {
  readonly status?: number;
  readonly type?: string;
  readonly body?: string;
  /** Chunks of a streamed response. */
  readonly pieces?: readonly string[];
  readonly foreignOrigin?: string;
}

/** Client whose connections return these replies; the last one is repeated. */
function clientThat(
  replies: readonly (Reply | Error)[],
  options: Partial<ClientOptions> = {},
  site: Partial<Site> = {},
) {
  const requests: HttpRequest[] = [];
  const left = [...replies];
  const send = async (request: HttpRequest): Promise<HttpResponse> => {
    requests.push(request);
    const reply = (left.length > 1 ? left.shift() : left[0]) ?? {};
    if (reply instanceof Error) throw reply;
    const { status = 200, type = 'application/json', body = '', pieces, foreignOrigin } = reply;
    return {
      status,
      headers: type === '' ? {} : { 'content-type': type },
      body: Buffer.from(body),
      ...(pieces ? { stream: inPieces(pieces) } : {}),
      ...(foreignOrigin === undefined ? {} : { foreignOrigin }),
    };
  };
  let token = 'first';
  const at: Site = { origin: 'https://a.test', appRoot: '/virt-app', dialect: 'standard', ...site };
  const current = async () => ({ site: at, token });
  const renew = vi.fn(async () => {
    token = 'second';
    return { site: at, token };
  });
  const http = { send } as unknown as Http;
  const client = new Client({ http, session: { current, renew }, ...options });
  return { client, requests, renew, sent: () => requests.at(-1) };
}

async function* inPieces(pieces: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece);
}

async function gathered<T>(pieces: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const piece of pieces) found.push(piece);
  return found;
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('description and path of a call', () => {
  const call: Call = {
    operation: operation('/vms/{vm}/nics/{nic}', 'get'),
    ids: { vm: 'a/b', nic: 'ž' },
    query: { follow: 'a,b', max: 0, all: false, none: undefined },
  };

  it('contains escaped ids and the query', () => {
    expect(buildPath(call)).toBe('/vms/a%2Fb/nics/%C5%BE?follow=a%2Cb&max=0&all=false');
    expect(buildPath({ operation: list, query: { max: undefined } })).toBe('/vms');
    expect(buildPath({ operation: list })).toBe('/vms');
  });

  it('requires an id for each placeholder', () => {
    expect(() => buildPath({ operation: get })).toThrow('The path /vms/{vm} needs the id of vm.');
    expect(() => buildPath({ operation: get, ids: { vm: '' } })).toThrow('needs the id of vm');
  });

  it('uses the description, or the request without one', () => {
    expect(describeCall({ ...call, what: 'get nics/a' })).toBe('get nics/a');
    expect(describeCall({ operation: start, ids })).toBe('POST /vms/1/start');
  });

  it('has a collection only at the root', () => {
    expect(getRootNoun(list)).toEqual({ noun: 'vms' });
    expect(getRootNoun(start)).toEqual({ noun: 'vms' });
    expect(getRootNoun(call.operation)).toEqual({});
    expect(getRootNoun(operation('/', 'get'))).toEqual({});
  });

  it.each([
    ['GET', true],
    ['HEAD', true],
    ['OPTIONS', true],
    ['POST', false],
    ['PUT', false],
    ['DELETE', false],
    ['get', false],
  ])('%s changes nothing: %s', (method, reads) => {
    expect(isReading(method)).toBe(reads);
  });
});

describe('requests', () => {
  it('for reading have no body and no correlation id', async () => {
    const { client, sent } = clientThat([{ body: '{}' }]);
    await client.object({ operation: get, ids, headers: { x: 'y' } });
    expect(sent()).toEqual({
      method: 'GET',
      origin: 'https://a.test',
      path: '/virt-app/api/vms/1',
      headers: { accept: 'application/json', version: '4', x: 'y', authorization: 'Bearer first' },
    });
  });

  it('for changes have a body, and one correlation id for each client', async () => {
    const { client, requests } = clientThat([{ body: '{}' }]);
    await client.object({ operation: update, ids, body: { name: 'a' } });
    await client.action({ operation: start, ids });
    await client.action({ operation: remove, ids });
    await client.action({ operation: remove, ids, body: { async: true } });
    const disks = { disks: [{ id: 'd' }] };
    await client.action({ operation: start, ids, body: { vm: { name: 'x' }, ...disks } });
    expect(requests.map(({ method, body }) => [method, body])).toEqual([
      ['PUT', '{"name":"a"}'],
      ['POST', '{}'],
      ['DELETE', undefined],
      ['DELETE', '{"async":true}'],
      ['POST', expect.stringContaining('"vm":{"name":"x"}')],
    ]);
    const { correlationId } = client;
    expect(correlationId).toMatch(/^vmctl-[0-9a-f]{8}-[0-9a-f]{4}$/);
    for (const { headers } of requests) expect(headers?.['correlation-id']).toBe(correlationId);
    expect(requests.map(({ headers }) => headers?.['content-type'])).toEqual([
      ...['application/json', 'application/json', undefined, 'application/json'],
      'application/json',
    ]);
    expect(clientThat([]).client.correlationId).not.toBe(correlationId);
  });

  it('follow the dialect of the service', async () => {
    const body = { memory: 5, stateless: true };
    for (const [dialect, text] of [
      ['standard', '{"memory":5,"stateless":true}'],
      ['ovirt', '{"memory":"5","stateless":"true"}'],
    ] as const) {
      const { client, sent } = clientThat([{ body: '{}' }], {}, { dialect });
      await client.object({ operation: update, ids, body });
      expect(sent()?.body).toBe(text);
      expect((await client.dialect()).name).toBe(dialect);
    }
  });

  it('can contain a list', async () => {
    const add = listOperations('/tags').find(({ name }) => name === 'add');
    if (!add) throw new Error('no tags');
    const { client, sent } = clientThat([{ body: '{}' }]);
    await client.object({ operation: add, body: [{ name: 'a' }, { name: 'b' }] });
    expect(sent()?.body).toBe('{"tag":[{"name":"a"},{"name":"b"}]}');
  });

  it('pass on the signal, and whether they are the primary request', async () => {
    const { client, sent } = clientThat([{ body: '{}' }]);
    const { signal } = new AbortController();
    await client.object({ operation: get, ids, signal, isPrimary: true });
    expect(sent()).toMatchObject({ signal, isPrimary: true });
    await gathered(client.stream({ operation: list }));
    expect(sent()).toMatchObject({ isStreamed: true });
    expect(sent()).not.toHaveProperty('isPrimary');
  });

  it.each([
    ['/vms', '/virt-app/api/vms'],
    ['vms', '/virt-app/api/vms'],
    ['/', '/virt-app/api'],
    ['/virt-app/api', '/virt-app/api'],
    ['/virt-app/api?x', '/virt-app/api?x'],
    ['/virt-app/api/vms/1', '/virt-app/api/vms/1'],
    ['/virt-app/services/x', '/virt-app/services/x'],
    ['/virt-apple', '/virt-app/api/virt-apple'],
    ['/_vmctl/state', '/_vmctl/state'],
    ['/x/_vmctl/', '/virt-app/api/x/_vmctl/'],
  ])('for %s go to %s', async (path, expected) => {
    const { client, sent } = clientThat([{}]);
    await client.raw({ method: 'GET', path });
    expect(sent()?.path).toBe(expected);
  });

  it('go below the only root of a service', async () => {
    const { client, sent } = clientThat([{}], {}, { appRoot: '' });
    await client.raw({ method: 'GET', path: '/vms', body: 'x' });
    expect([sent()?.path, sent()?.body]).toEqual(['/api/vms', 'x']);
  });
});

describe('unsent requests', () => {
  it('include changes of a read-only client', async () => {
    const guard = vi.fn(async () => {});
    const { client, requests } = clientThat([{ body: '{}' }], { readOnly: true, guard });
    const refused = client.action({ operation: start, ids });
    await expect(refused).rejects.toBeInstanceOf(UsageError);
    await expect(refused).rejects.toMatchObject({
      message: 'cannot send POST /vms/1/start: changes are disabled',
      code: 'read_only',
      hint: expect.stringContaining('VMCTL_READ_ONLY'),
    });
    expect([requests.length, guard.mock.calls.length]).toEqual([0, 0]);
    await client.object({ operation: get, ids });
    expect(requests).toHaveLength(1);
  });

  it('include requests refused by the guard, which runs only for harmful requests', async () => {
    const no = new UsageError('no');
    const guard = vi.fn(() => Promise.reject(no));
    const { client, requests } = clientThat([{ body: '{}' }], { guard });
    await client.object({ operation: get, ids });
    await client.action({ operation: start, ids });
    expect(guard).not.toHaveBeenCalled();
    await expect(client.action({ operation: remove, ids })).rejects.toBe(no);
    expect(guard.mock.calls).toEqual([
      [expect.objectContaining({ method: 'DELETE', path: '/vms/1' })],
    ]);
    expect(requests).toHaveLength(2);
  });

  it('of a dry run contain their call', async () => {
    const held = { method: 'POST', origin: 'o', path: '/p' };
    const call = { operation: start, ids };
    const { client } = clientThat([new DryRunStop([held])]);
    await expect(client.action(call)).rejects.toMatchObject({ requests: [{ ...held, call }] });
    const bug = new TypeError('a bug');
    await expect(clientThat([bug]).client.action(call)).rejects.toBe(bug);
  });
});

describe('a refused token', () => {
  it('is renewed once, and the request is repeated once', async () => {
    const { client, requests, renew } = clientThat([{ status: 401 }, { body: '{"id":"1"}' }]);
    expect(await client.object({ operation: get, ids })).toEqual({ id: '1' });
    expect(renew.mock.calls).toEqual([['first']]);
    expect(requests.map(({ headers }) => headers?.['authorization'])).toEqual([
      'Bearer first',
      'Bearer second',
    ]);
    const never = clientThat([{ status: 401 }]);
    await expect(never.client.object({ operation: get, ids })).rejects.toBeInstanceOf(AuthError);
    expect(never.requests).toHaveLength(2);
  });

  it('is not renewed after a redirect to another host', async () => {
    const reply = { status: 401, foreignOrigin: 'https://b.test' };
    const { client, renew } = clientThat([reply]);
    await expect(client.object({ operation: get, ids })).rejects.toMatchObject({
      name: 'AuthError',
      message: 'the server redirects to https://b.test for sign-in',
      hint: 'vmctl login https://b.test',
    });
    expect(renew).not.toHaveBeenCalled();
  });
});

describe('a response', () => {
  it.each([199, 300, 404])('with %s is an error', async (status) => {
    const { client } = clientThat([{ status }]);
    await expect(client.object({ operation: get, ids, what: 'get vms/x' })).rejects.toMatchObject({
      status,
      message: expect.stringMatching(/^get vms\/x: /),
      request: { method: 'GET', path: '/vms/1' },
    });
  });

  it.each([200, 201, 202, 299])('with %s is not an error', async (status) => {
    const { client } = clientThat([{ status, body: '{"id":"1"}' }]);
    expect(await client.object({ operation: get, ids })).toEqual({ id: '1' });
  });

  it('without a body is an empty object', async () => {
    expect(await clientThat([{}]).client.object({ operation: get, ids })).toEqual({});
    expect(await clientThat([{}]).client.action({ operation: start, ids })).toEqual({});
  });

  it.each([
    ['decoded', (client: Client) => client.object({ operation: get, ids })],
    ['not decoded', (client: Client) => client.fetchUndecoded({ operation: get, ids })],
  ])('with invalid content is a server error if it is %s', async (_, read) => {
    const { client } = clientThat([{ type: 'text/html', body: '<html>' }]);
    const failure = read(client);
    await expect(failure).rejects.toBeInstanceOf(ServerError);
    await expect(failure).rejects.toMatchObject({
      message: expect.stringMatching(/^GET \/vms\/1: cannot read the response: /),
      code: 'bad_answer',
      status: 200,
      request: { method: 'GET', path: '/vms/1' },
      hint: expect.stringContaining('vmctl api GET /'),
      cause: expect.any(Error),
    });
  });

  it.each([
    [{ status: 'failed' }, 'the operation failed without a reason'],
    [{ fault: { reason: 'r', detail: '[d]' } }, 'd'],
    [{ fault: {} }, 'the operation failed without a reason'],
  ])('of a failed action is a conflict: %j', async (body, why) => {
    const { client } = clientThat([{ body: JSON.stringify(body) }]);
    const failure = client.action({ operation: start, ids, what: 'start vms/x' });
    await expect(failure).rejects.toBeInstanceOf(ConflictError);
    await expect(failure).rejects.toMatchObject({
      message: `start vms/x: ${why}`,
      code: 'action_failed',
      status: 200,
      request: { method: 'POST', path: '/vms/1/start' },
      hint: 'vmctl events list',
      ...(why === 'd' ? { fault: { reason: 'r', detail: '[d]' } } : {}),
    });
    const done = clientThat([{ body: '{"status":"complete"}' }]).client;
    expect(await done.action({ operation: start, ids })).toEqual({ status: 'complete' });
  });
});

describe('a list', () => {
  const xml = '<vms><vm id="1"><memory>7</memory></vm><vm id="2"/></vms>';
  const text = '{"vm":[{"id":"1","memory":"7"},{"id":"2"}]}';
  const read = [{ id: '1', memory: 7 }, { id: '2' }];
  const undecoded = [{ id: '1', memory: '7' }, { id: '2' }];

  it.each([
    ['application/json', text, undecoded],
    ['', text, undecoded],
    ['application/xml;charset=UTF-8', xml, read],
    ['text/XML', xml, read],
  ])('in %j can be read completely, in pieces, and undecoded', async (type, body, raw) => {
    const call = { operation: list };
    for (const pieces of [undefined, [body], [...body]]) {
      const reply = { type, body, ...(pieces ? { pieces } : {}) };
      const { client } = clientThat([reply]);
      expect(await client.list(call)).toEqual(read);
      expect((await gathered(client.stream(call))).flat()).toEqual(read);
      expect((await gathered(client.streamUndecoded(call))).flat()).toEqual(raw);
      expect(await client.fetchUndecoded(call)).toEqual(raw);
      const bytes = await gathered(client.bytes(call));
      expect(Buffer.concat(bytes).toString()).toBe(body);
    }
  });

  it.each([
    ['{}', []],
    ['{"vm":[]}', []],
    ['{"link":[],"vm":[{"id":"1"}]}', [{ id: '1' }]],
  ])('may be empty: %s', async (body, found) => {
    const { client } = clientThat([{ body }]);
    expect((await gathered(client.stream({ operation: list }))).flat()).toEqual(found);
  });

  it.each(['{"vm":[{"id":"1"},{"id"', '{"vm":[', '[1]', 'x', ''])(
    'that is truncated or invalid is an error: %s',
    async (body) => {
      const { client } = clientThat([{ body }]);
      await expect(gathered(client.stream({ operation: list }))).rejects.toBeInstanceOf(
        ServerError,
      );
    },
  );

  it('is yielded while large chunks arrive', async () => {
    const one = JSON.stringify({ id: '1', comment: 'x'.repeat(40_000) });
    const { client } = clientThat([{ pieces: [`{"vm":[${one}`, `,${one},${one}`, `]}`] }]);
    const pieces = await gathered(client.stream({ operation: list }));
    expect(pieces.map((items) => items.length)).toEqual([3]);
    const more = clientThat([{ pieces: [`{"vm":[${one},${one}`, `,${one},${one}]}`] }]).client;
    expect((await gathered(more.stream({ operation: list }))).map(({ length }) => length)).toEqual([
      2, 2,
    ]);
  });

  it('with one object is this object', async () => {
    const object = { operation: get, ids };
    const { client } = clientThat([{ body: '{"id":"1","memory":"7"}' }]);
    expect(await client.fetchUndecoded(object)).toEqual([{ id: '1', memory: '7' }]);
    const other = clientThat([{ type: 'application/xml', body: '<vm id="1"/>' }]).client;
    expect(await other.fetchUndecoded(object)).toEqual([{ id: '1' }]);
  });
});

describe('an XML response', () => {
  it('is requested, and yielded while it arrives', async () => {
    const type = 'application/xml';
    const bytes = Buffer.from('<vm id="ž"/>');
    const { client, sent } = clientThat([{ type, body: bytes.toString() }]);
    const call = { operation: get, ids, headers: { accept: 'x', y: 'z' } };
    expect((await gathered(client.xml(call))).join('')).toBe('<vm id="ž"/>');
    expect(sent()?.headers).toMatchObject({ accept: 'application/xml', y: 'z' });
    const pieces = { type, pieces: ['<vm', '/>'] };
    expect((await gathered(clientThat([pieces]).client.xml(call))).join('')).toBe('<vm/>');
  });

  it.each([
    ['text/html', 'answers with text/html instead of XML'],
    ['', 'answers with no content type instead of XML'],
  ])('with the type %j is refused', async (type, words) => {
    const { client } = clientThat([{ type, body: 'x' }]);
    await expect(gathered(client.xml({ operation: get, ids }))).rejects.toMatchObject({
      message: `GET /vms/1: the service ${words}`,
      code: 'bad_answer',
      status: 200,
      hint: 'remove -o xml',
    });
  });
});
