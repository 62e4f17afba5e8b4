/**
 * Requests that wait for the end of their work: woken by changes, ended with their connection,
 * limited in number.
 */
import { EventEmitter } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import type { ClientRequest } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dialects } from '../../../src/model/dialect.ts';
import type { Answer, ApiCall } from '../../../src/server/api/call.ts';
import { type ApiRequest, route } from '../../../src/server/api/request.ts';
import type { Authenticator } from '../../../src/server/auth/authenticate.ts';
import { type Caller, systemCaller } from '../../../src/server/core/context.ts';
import { singleServer } from '../../../src/server/core/coordination.ts';
import { Refusal } from '../../../src/server/core/fault.ts';
import { handle } from '../../../src/server/http/pipeline.ts';
import type { ApiServer } from '../../../src/server/http/request-context.ts';
import { ClientGone } from '../../../src/server/http/send.ts';
import { SettlementWaits, waitUntilSettled } from '../../../src/server/http/settlement.ts';
import type { Store } from '../../../src/server/store/store.ts';
import { RawApi } from '../../support/raw.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { useWorld } from '../support/world.ts';

const world = useWorld();

/** A connection that a test closes. */
function openConnection() {
  const events = new EventEmitter();
  return {
    isClosed: false,
    onClose(listener: () => void) {
      events.once('close', listener);
      return () => events.off('close', listener);
    },
    close: () => events.emit('close'),
    listeners: () => events.listenerCount('close'),
  };
}

/** Starts to wait for a starting VM, and counts the reads of the store. */
async function begin(name: string) {
  const id = await world.run((ctx) => {
    const vm = ctx.tx.byName('vm', name);
    ctx.tx.update('vm', { ...vm, status: 'powering_up' });
    return vm?.id ?? '';
  });
  const connection = openConnection();
  const segments = ['vms', id, 'start'];
  const match = route(segments);
  const operation = match?.operations.get('POST');
  if (!match || !operation) throw new Error('VMs are started.');
  const request = {
    ...{ method: 'POST', segments, parameters: new Map(), apiPath: '/virt-app/api' },
    ...{ header: () => undefined, readBody: async () => new Uint8Array(), address: '::1' },
    connection,
  };
  const body = { async: false };
  const call: ApiCall = {
    request,
    match,
    operation,
    body,
    dialect: dialects.standard,
    file: undefined,
  };
  const reads = { count: 0 };
  const store = new Proxy(world.store(), {
    get(target, key) {
      if (key === 'read') reads.count += 1;
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  }) as Store;
  const result: Answer = { status: 200, form: 'action', action: { status: 'complete' } };
  const server = { store, site: world.site() };
  const waiting = waitUntilSettled({ ...call, server, caller: systemCaller }, result);
  return { id, connection, reads, waiting };
}

const change = (id: string, changes: object) =>
  world.run((ctx) => ctx.tx.update('vm', { ...ctx.tx.get('vm', id), ...changes }));

describe('a waiting request', () => {
  it('reads the store only when its object changes', async () => {
    const { id, connection, reads, waiting } = await begin('vm-01');
    expect(reads.count).toBe(1);
    const others = await world.run((ctx) => ctx.tx.ids('vm').filter((one) => one !== id));
    for (let round = 0; round < 50; round += 1) {
      for (const other of others) await change(other, { comment: String(round) });
    }
    expect(reads.count).toBe(1);
    await change(id, { comment: 'still powering up' });
    await turn();
    expect(reads.count).toBe(2);
    await change(id, { status: 'up' });
    expect((await waiting).status).toBe(200);
    expect(reads.count).toBe(3);
    expect(connection.listeners()).toBe(0);
  });

  it('ends when its object is removed', async () => {
    const { id, waiting } = await begin('vm-02');
    await world.run((ctx) => ctx.tx.remove('vm', id));
    expect((await waiting).status).toBe(200);
  });

  it('ends with the connection of its client, without further reads', async () => {
    const { id, connection, reads, waiting } = await begin('vm-03');
    connection.close();
    await expect(waiting).rejects.toBeInstanceOf(ClientGone);
    const before = reads.count;
    await change(id, { status: 'up' });
    await turn();
    expect(reads.count).toBe(before);
  });
});

describe('a request of a disconnected client', () => {
  const list = (connection: ApiRequest['connection']) => {
    const store = world.store();
    const server: ApiServer = {
      ...{ store, site: world.site(), dialect: dialects.standard, waits: new SettlementWaits() },
      authenticator: { authenticate: () => ({ caller: systemCaller }) } as unknown as Authenticator,
      coordination: singleServer,
      interceptors: [],
      committed: () => {},
      report: () => {},
    };
    return handle(server, {
      ...{ method: 'GET', segments: ['vms'], parameters: new Map(), apiPath: '/virt-app/api' },
      ...{ header: () => undefined, readBody: async () => new Uint8Array(), address: '::1' },
      connection,
    });
  };

  it('gets no response: a list ends in the middle', async () => {
    const connection = openConnection();
    expect((await list(connection)).status).toBe(200);
    await expect(list({ ...connection, isClosed: true })).rejects.toBeInstanceOf(ClientGone);
  });
});

it('no request handler sleeps: waiting requests are woken', () => {
  const folder = new URL('../../../src/server/', import.meta.url);
  const rooms = ['http', 'api', 'auth', 'resources', 'inventory', 'seed'];
  const files = rooms.flatMap((room) =>
    readdirSync(new URL(`${room}/`, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${room}/${name}`),
  );
  expect(files.length).toBeGreaterThan(50);
  const sleeping = files.filter((name) =>
    /setTimeout\(resolve|timers\/promises/.test(readFileSync(new URL(name, folder), 'utf8')),
  );
  expect(sleeping).toEqual([]);
});

it('is limited for each user, and in total', () => {
  const waits = new SettlementWaits({ perUser: 2, total: 3 });
  const caller = (userId: string): Caller => ({ ...systemCaller, userId });
  const refused = (userId: string) => {
    try {
      waits.reserve(caller(userId))();
      return undefined;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return [error.status, error.headers['Retry-After']];
    }
  };
  const first = waits.reserve(caller('a'));
  waits.reserve(caller('a'));
  expect(refused('a')).toEqual([503, '5']);
  expect(refused('b')).toBeUndefined();
  waits.reserve(caller('b'));
  expect(refused('c')).toEqual([503, '5']);
  first();
  expect(refused('c')).toBeUndefined();
  expect(refused('a')).toBeUndefined();
});

describe('clients that wait and disconnect', () => {
  /** More waiting requests than one user may have. */
  const count = 104;
  let server: TestServer;
  let api: RawApi;
  const ids: string[] = [];
  beforeAll(async () => {
    // Transitions that last longer than any test.
    server = await startTestServer(['--speed', '1000', '--inventory', 'hosts=4,vms=400']);
    api = await RawApi.signIn(server);
    const found = await api.json('GET', `/vms?search=status%3Ddown&max=${count}`);
    const { vm } = found.json<{ vm: { id: string }[] }>();
    ids.push(...vm.map(({ id }) => id));
    expect(ids).toHaveLength(count);
  }, 60_000);
  afterAll(async () => {
    for (const sent of begun) sent.destroy();
    await server?.stop();
  });
  const begun: ClientRequest[] = [];

  /** Starts a VM over a separate connection, and waits. */
  function start(id: string | undefined) {
    const agent = new Agent({ ca: server.ca });
    const sent = httpsRequest(`${server.ready.api_url}/vms/${id}/start`, {
      ...{ method: 'POST', agent },
      headers: { Authorization: `Bearer ${api.token}`, 'Content-Type': 'application/json' },
    });
    const status = new Promise<number>((resolve) => {
      sent.on('response', (response) => resolve(response.statusCode ?? 0));
      sent.on('error', () => resolve(0));
    });
    sent.end('{"async": false}');
    begun.push(sent);
    return { status, leave: () => sent.destroy() };
  }

  const vmStatus = async (id: string | undefined) =>
    (await api.json('GET', `/vms/${id}`)).json()['status'];

  it('release their slots to others; above the limit, the request has no effect', async () => {
    const waiting = ids.slice(0, 100).map(start);
    await expect
      .poll(
        async () => {
          const found = await api.json('GET', '/vms?search=status%3Dwait_for_launch&max=200');
          return found.json<{ vm?: unknown[] }>().vm?.length ?? 0;
        },
        { timeout: 30_000 },
      )
      .toBe(100);
    expect(await start(ids[100]).status).toBe(503);
    expect(await vmStatus(ids[100])).toBe('down');
    for (const { leave } of waiting) leave();
    // The server detects this when the connection closes.
    await expect
      .poll(
        async () => {
          const next = start(ids[101]);
          const answered = await Promise.race([
            next.status,
            api.until(`/vms/${ids[101]}`, (vm) => vm.json()['status'] !== 'down').then(() => 0),
          ]);
          return answered;
        },
        { timeout: 30_000 },
      )
      .toBe(0);
    expect(await vmStatus(ids[101])).toBe('wait_for_launch');
  }, 120_000);
});
