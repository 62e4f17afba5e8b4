/** Sign-ins, failed attempts and fault rules shared by two servers of one site in PostgreSQL. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadServer } from '../../../src/server/load.ts';
import type { RunningServer } from '../../../src/server/main.ts';
import { serverExtensions, storeAddress } from '../../../src/testkit/extensions.ts';
import {
  type Cluster,
  createDatabase,
  postgresPrograms,
  startCluster,
} from '../../support/postgres.ts';
import { type RawAnswer, RawApi, send } from '../../support/raw.ts';
import { password, type TestServer } from '../../support/server.ts';

const user = 'admin@internal';

describe.skipIf(postgresPrograms() === undefined)('two servers of one site', () => {
  let cluster: Cluster;
  let folder: string;
  const servers: { readonly running: RunningServer; readonly ca: string }[] = [];

  async function start(name: string, store: string): Promise<void> {
    const address = { host: '127.0.0.1', port: 0 };
    const running = await (await loadServer())({
      ...{ listen: address, imagesListen: address, dialect: 'standard', admin: user, password },
      ...{
        store: await storeAddress(store),
        data: join(folder, name),
        images: join(folder, 'images'),
      },
      ...{ inventory: 'small', speed: 0, tokenLifetime: 3_600, log: () => {} },
      extensions: await serverExtensions({}),
    });
    servers.push({ running, ca: readFileSync(running.caFile, 'utf8') });
  }

  beforeAll(async () => {
    cluster = startCluster();
    folder = mkdtempSync(join(tmpdir(), 'vmctl-shared-sign-in-'));
    const { address } = await createDatabase(cluster.folder);
    await start('a', address);
    await start('b', address);
  }, 60_000);
  afterAll(async () => {
    for (const { running } of servers) await running.stop();
    cluster?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Sends a request to one of the servers, by number. */
  function ask(
    number: number,
    headers: Record<string, string>,
    path = '/tags',
  ): Promise<RawAnswer> {
    const { running, ca } = servers[number % 2] ?? fail();
    return send(`${running.apiUrl}${path}`, { ca, headers });
  }
  function fail(): never {
    throw new Error('The servers did not start.');
  }
  /** Signs in at one of the servers. */
  function signedIn(number: number): Promise<RawApi> {
    const { running, ca } = servers[number] ?? fail();
    const { apiUrl: api_url, authUrl: auth_url, username } = running;
    // Part of a server that the sign-in uses.
    const server = {
      ready: { api_url, auth_url, username },
      ca,
      password,
    } as unknown as TestServer;
    return RawApi.signIn(server);
  }
  const basic = (secret: string) => `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;
  const persistent = { Prefer: 'persistent-auth' };
  async function sessionAt(number: number, authorization = basic(password)): Promise<string> {
    const opened = await ask(number, { ...persistent, Authorization: authorization });
    expect(opened.status).toBe(200);
    return String(opened.headers['set-cookie']).split(';')[0] ?? '';
  }

  it('accept the cookies of each other, and end them immediately', async () => {
    const Cookie = await sessionAt(0);
    for (const number of [1, 0, 1]) {
      expect((await ask(number, { ...persistent, Cookie })).status).toBe(200);
    }
    // A request without the session preference ends it.
    expect((await ask(0, { Cookie })).status).toBe(401);
    expect((await ask(1, { ...persistent, Cookie })).status).toBe(401);
  });

  it('end the sessions of a token that is revoked at one of them', async () => {
    const { token } = await signedIn(0);
    const Cookie = await sessionAt(1, `Bearer ${token}`);
    expect((await ask(0, { ...persistent, Cookie })).status).toBe(200);
    const { running, ca } = servers[1] ?? fail();
    await send(`${running.authUrl}/oauth/revoke?token=${token}`, { method: 'POST', ca });
    for (const number of [0, 1]) {
      expect((await ask(number, { ...persistent, Cookie })).status).toBe(401);
    }
  });

  it('count wrong passwords together: after ten of them both delay further attempts', async () => {
    for (let turn = 0; turn < 10; turn++) {
      expect((await ask(turn, { Authorization: basic(`guess ${turn}`) })).status).toBe(401);
    }
    // Even the right password is refused, cached or not.
    const refused = await Promise.all(
      [0, 1].map((number) => ask(number, { Authorization: basic(password) })),
    );
    expect(refused.map(({ status }) => status)).toEqual([429, 429]);
    for (const number of [0, 1]) {
      const right = async () => (await ask(number, { Authorization: basic(password) })).status;
      await expect.poll(right, { timeout: 10_000 }).toBe(200);
    }
    // A sign-in resets the count of both.
    expect((await ask(0, { Authorization: basic('wrong') })).status).toBe(401);
    expect((await ask(1, { Authorization: basic(password) })).status).toBe(200);
  });

  it('apply the rules of each other, with an exact count', async () => {
    const apis = [await signedIn(0), await signedIn(1)];
    const administer = (number: number, method: string, path: string, body?: unknown) => {
      const { running, ca } = servers[number] ?? fail();
      return send(`${new URL(running.baseUrl).origin}/_vmctl/${path}`, {
        ...{ method, ca, headers: { Authorization: `Bearer ${apis[number]?.token}` } },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    };
    const list = async (turn: number) =>
      (await apis[turn % 2]?.json('GET', '/tags'))?.status ?? fail();
    const rule = { operation: 'list', type: 'tag', status: 503, times: 3 };
    expect((await administer(0, 'POST', 'faults', rule)).status).toBe(201);
    const statuses = await Promise.all(Array.from({ length: 12 }, (_, turn) => list(turn)));
    expect(statuses.filter((status) => status === 503)).toHaveLength(3);
    expect(statuses.filter((status) => status === 200)).toHaveLength(9);
    const left = await administer(1, 'GET', 'faults');
    expect(left.json()).toEqual({ faults: [] });

    const added = await administer(1, 'POST', 'faults', { ...rule, times: undefined });
    expect([await list(0), await list(1)]).toEqual([503, 503]);
    const { id } = added.json<{ id: string }>();
    expect((await administer(0, 'DELETE', `faults/${id}`)).status).toBe(200);
    expect([await list(1), await list(0)]).toEqual([200, 200]);

    await administer(0, 'POST', 'faults', { delay: 300 });
    const began = performance.now();
    expect(await list(1)).toBe(200);
    expect(performance.now() - began).toBeGreaterThan(290);
    expect((await administer(1, 'DELETE', 'faults')).status).toBe(200);
  });
});
