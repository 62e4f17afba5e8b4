/** Cookie sessions in the store: how long they live, what ends them, and how seldom they are written. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Sessions } from '../../../src/server/auth/sessions.ts';
import { hashOfToken, issueToken, revokeToken } from '../../../src/server/auth/tokens.ts';
import { openStore, type Store, StoreError } from '../../../src/server/store/store.ts';

const user = 'admin@internal';
const minute = 60_000;

let store: Store;
let sessions: Sessions;

beforeEach(async () => {
  store = await openStore(':memory:');
  sessions = new Sessions(store);
});
afterEach(() => store.close());

async function opened(now = 0, idle = 30 * minute, token?: string): Promise<string> {
  const id = await sessions.open({ user, idle, token }, now);
  if (id === undefined) throw new Error('No session was opened.');
  return id;
}

const used = (id: string, now: number, by = sessions) => store.read((tx) => by.use(tx, id, now));

it('lives from use to use', async () => {
  const id = await opened(0, 2 * minute);
  expect(used(id, 119_000)).toBe(user);
  await store.write(() => undefined);
  expect(used(id, 238_000)).toBe(user);
  await store.write(() => undefined);
  expect(used(id, 359_000)).toBeUndefined();
});

it('is written again only when its use has moved by a tenth of its time, a minute at most', async () => {
  const id = await opened();
  const before = store.version;
  for (let now = 0; now < minute; now += 100) expect(used(id, now)).toBe(user);
  await store.write(() => undefined);
  expect(store.version).toBe(before + 1);
  // Several requests at once are one use.
  for (let time = 0; time < 3; time++) expect(used(id, minute)).toBe(user);
  await store.write(() => undefined);
  expect(store.version).toBe(before + 2);
  expect(used(id, 31 * minute)).toBe(user);
});

it('ends with its token alone, and is not opened with one that has ended', async () => {
  const [one, other] = await store.write((tx) =>
    [1, 2].map(() => issueToken(tx, user, 'scope', minute)),
  );
  const hashes = [one, one, other].map((token) => hashOfToken(token ?? ''));
  const ids = await Promise.all(hashes.map((hash) => opened(0, minute, hash)));
  await store.write((tx) => revokeToken(tx, one ?? ''));
  expect(ids.map((id) => used(id, 1))).toEqual([undefined, undefined, user]);
  expect(await sessions.open({ user, idle: minute, token: hashes[0] }, 1)).toBeUndefined();
});

it('is ended by its id, which costs a write only where there is one', async () => {
  const id = await opened();
  expect(sessions.end('made up')).toBeUndefined();
  await sessions.end(id);
  expect(used(id, 1)).toBeUndefined();
});

it('is one of so many at most: what is over goes first, then what was used least lately', async () => {
  sessions = new Sessions(store, 10);
  const over = await opened(0, 5);
  const first = await opened(1, minute);
  const rest: string[] = [];
  for (let turn = 0; turn < 20; turn++) rest.push(await opened(10 + turn, minute));
  expect(used(over, 40)).toBeUndefined();
  expect(used(first, 40)).toBeUndefined();
  expect(rest.filter((id) => used(id, 40) !== undefined)).toEqual(rest.slice(-10));
});

it('is nowhere in the store as the client has it', async () => {
  const id = await opened();
  const rows = store.database.prepare('SELECT * FROM cookie_session').all();
  expect(JSON.stringify(rows)).toContain(hashOfToken(id));
  expect(JSON.stringify(rows)).not.toContain(id);
});

it('is not opened where nothing can be written, and nobody is refused for that', async () => {
  const full: Store = Object.assign(Object.create(store), {
    write: () => Promise.reject(new StoreError('The disk is full.')),
  });
  expect(await new Sessions(full).open({ user, idle: minute }, 0)).toBeUndefined();
});

it('takes no idle time that the store could not keep', async () => {
  const id = await opened(0, Number.POSITIVE_INFINITY);
  expect(used(id, minute)).toBe(user);
  expect(used(id, 400 * 24 * 60 * minute)).toBeUndefined();
});
