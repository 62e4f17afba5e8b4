/**
 * Limits of data that users can store without administrator permits, for each collection of a
 * profile.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { permitsByType } from '../../../src/model/derive/permits.ts';
import { listAllOperations, listAttributes } from '../../../src/model/index.ts';
import { purgeIdempotencyKeys } from '../../../src/server/api/idempotency.ts';
import { issueToken, readToken, tokensPerUser } from '../../../src/server/auth/tokens.ts';
import { profileLimits } from '../../../src/server/core/profile-limits.ts';
import { removeOldestKeys } from '../../../src/server/store/idempotency-keys.ts';
import { openStore } from '../../../src/server/store/store.ts';
import { RawApi, send } from '../../support/raw.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let admin: RawApi;
let jane: RawApi;
/** `/users/ID` of Jane. */
let profile: string;
beforeAll(async () => {
  server = await startTestServer(['--speed', '0']);
  admin = await RawApi.signIn(server);
  jane = await signedIn('jane@internal');
  const users = await admin.json('GET', '/users?search=usrname%3Djane*');
  const [found] = users.json<{ user: { id: string }[] }>().user;
  profile = `/users/${found?.id}`;
});
afterAll(() => server?.stop());

async function signedIn(username: string): Promise<RawApi> {
  const form = { grant_type: 'password', username, password: server.password };
  const answer = await send(`${server.ready.auth_url}/oauth/token`, {
    method: 'POST',
    ca: server.ca,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' },
    body: new URLSearchParams({ ...form, scope: 'virt-app-api' }).toString(),
  });
  return new RawApi(server, String(answer.json()['access_token']));
}

/** Operations that add objects and need no permit for objects of the caller. */
const additions = listAllOperations().filter(
  ({ name, type, path }) =>
    name === 'add' &&
    path.startsWith('/users/') &&
    permitsByType[type]?.['add']?.every(({ on }) => on === 'own' || on === 'others'),
);

const formatCollection = (path: string) => path.replace('/users/{user}', profile);

/** An object with a text of this length, if its type has one. */
function createObject(type: string, number: number, length: number): object {
  const text = 'x'.repeat(length);
  const attributes = listAttributes(type);
  if (type === 'ssh_public_key') {
    const key = 'AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkV';
    return { name: `n${number}`, content: `ssh-ed25519 ${key} ${text}` };
  }
  if ('content' in attributes) return { name: `n${number}`, content: JSON.stringify(text) };
  return {
    ...{ event: 'host_high_cpu_use', notification_method: 'smtp' },
    address: `${number}${text}@example.com`,
  };
}

describe('each collection of a profile', () => {
  it('is covered by this test', () => {
    expect(additions.map(({ path }) => path).sort()).toEqual([
      '/users/{user}/eventsubscriptions',
      '/users/{user}/options',
      '/users/{user}/sshpublickeys',
    ]);
  });

  it.each(additions.map(({ path, type }) => [path, type]))(
    '%s has a maximum number of objects and a maximum size of each',
    async (path, type) => {
      const collection = formatCollection(path);
      const large = createObject(type, 0, profileLimits.objectBytes);
      const refused = await jane.json('POST', collection, large);
      expect(refused.status, refused.text).toBe(413);
      const named = { ...createObject(type, 0, 1), name: 'n'.repeat(profileLimits.name + 1) };
      expect((await jane.json('POST', collection, named)).status).toBe(400);
      const ids: string[] = [];
      for (let number = 0; number < profileLimits.objects; number += 1) {
        const added = await jane.json('POST', collection, createObject(type, number, 1));
        expect(added.status, added.text).toBe(201);
        ids.push(added.json<{ id: string }>().id);
      }
      const full = await jane.json('POST', collection, createObject(type, 1_000, 1));
      expect([full.status, full.text]).toEqual([409, expect.stringContaining('as many as a user')]);
      // The limit applies to an administrator too.
      expect((await admin.json('POST', collection, createObject(type, 1_000, 1))).status).toBe(409);
      for (const id of ids) {
        expect((await jane.json('DELETE', `${collection}/${id}`)).status).toBe(200);
      }
    },
    120_000,
  );

  it('has a maximum size in bytes for all objects together', async () => {
    // Each user has a separate budget of changes.
    const olaf = await signedIn('olaf@internal');
    const users = await admin.json('GET', '/users?search=usrname%3Dolaf*');
    const [found] = users.json<{ user: { id: string }[] }>().user;
    let stored = 0;
    let status = 201;
    for (let number = 0; status === 201; number += 1) {
      const { path, type } = additions[number % additions.length] ?? { path: '', type: '' };
      const collection = path.replace('{user}', String(found?.id));
      const answer = await olaf.json('POST', collection, createObject(type, number, 50_000));
      status = answer.status;
      if (status === 201) stored += 50_000;
    }
    expect(status).toBe(413);
    expect(stored).toBeLessThanOrEqual(profileLimits.bytes);
    expect(stored).toBeGreaterThan(profileLimits.bytes - 60_000);
  }, 60_000);
});

it('limits the rate of changes of a profile, because each change writes an event', async () => {
  const made = await admin.json('POST', '/users', {
    ...{ user_name: 'kim@internal-authz', domain: { name: 'internal-authz' } },
  });
  const collection = `/users/${made.json<{ id: string }>().id}/options`;
  const kim = await signedIn('kim@internal');
  let answer = await kim.json('GET', collection);
  let changes = 0;
  for (; answer.status < 400; changes += 1) {
    answer = await kim.json('POST', collection, { name: 'again', content: '7' });
    if (answer.status >= 400) break;
    await kim.json('DELETE', `${collection}/${answer.json<{ id: string }>().id}`);
    expect(changes).toBeLessThan(profileLimits.changes + 600);
  }
  expect(answer.status).toBe(429);
  expect(answer.headers['retry-after']).toBeDefined();
  expect(changes).toBeGreaterThanOrEqual(profileLimits.changes);
}, 120_000);

it('limits the tokens of a user: the oldest end', async () => {
  const store = await openStore(':memory:');
  const tokens = await store.write((tx) =>
    Array.from({ length: tokensPerUser + 5 }, (_, number) =>
      issueToken(tx, 'jane@internal', 'scope', 1_000 + number),
    ),
  );
  await store.write((tx) => issueToken(tx, 'olaf@internal', 'scope', 1));
  const valid = store.read((tx) => tokens.map((token) => readToken(tx, token, 0) !== undefined));
  expect(valid).toEqual([...new Array(5).fill(false), ...new Array(tokensPerUser).fill(true)]);
  expect(store.database.prepare('SELECT count(*) AS n FROM token').get()).toMatchObject({
    n: tokensPerUser + 1,
  });
  await store.close();
});

it('retains only the latest idempotency keys of a user, by number and by bytes', async () => {
  const store = await openStore(':memory:');
  const left = () =>
    store.database
      .prepare('SELECT key FROM idempotency_key ORDER BY key')
      .all()
      .map(({ key }) => key);
  await store.write((tx) => {
    for (const [key, expires] of [
      ...[1, 2, 3, 4].map((number) => [`jane:${number}`, number] as const),
      ['olaf:1', 1] as const,
    ]) {
      tx.statement(
        'INSERT INTO idempotency_key (key, request, answer, expires) VALUES (?, ?, ?, ?)',
      ).run(key, 'request', 'x'.repeat(100), expires);
    }
    removeOldestKeys(tx, 'jane:', { keys: 3, bytes: 1_000 });
  });
  expect(left()).toEqual(['jane:2', 'jane:3', 'jane:4', 'olaf:1']);
  await store.write((tx) => removeOldestKeys(tx, 'jane:', { keys: 3, bytes: 150 }));
  expect(left()).toEqual(['jane:4', 'olaf:1']);
  await purgeIdempotencyKeys(store, 10);
  expect(left()).toEqual([]);
  await store.close();
});
