/** Cookie sessions in the store: lifetime, end, and number of writes. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SessionIds } from '../../../src/server/auth/session-ids.ts';
import { loadSessionKey } from '../../../src/server/auth/session-key.ts';
import { Sessions } from '../../../src/server/auth/sessions.ts';
import { hashOfToken, issueToken, revokeToken } from '../../../src/server/auth/tokens.ts';
import { openStore, type Store, StoreError } from '../../../src/server/store/store.ts';

const user = 'admin@internal';
const minute = 60_000;
const key = Buffer.alloc(32, 1);

let store: Store;
let sessions: Sessions;

beforeEach(async () => {
  store = await openStore(':memory:');
  sessions = new Sessions(store, { key });
});
afterEach(() => store.close());

const opened = (now = 0, idle = 30 * minute, token?: string) =>
  sessions.open({ user, idle, token, opened: now });
const used = (id: string, now: number, by = sessions) => store.read((tx) => by.use(tx, id, now));
/** Waits until pending records are written. */
async function noted(): Promise<void> {
  await store.write(() => undefined);
  await new Promise(setImmediate);
}
const rows = () => store.database.prepare('SELECT * FROM cookie_session').all();

/** A server that shares the store with others; `changed` overrides members of the store. */
function sharing(changed: Partial<Store> = {}): Sessions {
  const shared: Store = Object.assign(Object.create(store), {
    ...{ read: store.read.bind(store), write: store.write.bind(store), ...changed },
  });
  return new Sessions(shared, { key, coordination: { isLastUse: () => false } });
}

it('is written to the store only at its second use', async () => {
  const ids = Array.from({ length: 1_000 }, () => opened());
  expect(new Set(ids).size).toBe(1_000);
  expect(store.version).toBe(0);
  // Concurrent requests count as one use.
  for (let time = 0; time < 3; time++) expect(used(ids[0] ?? '', 1)).toBe(user);
  await noted();
  expect(rows()).toHaveLength(1);
  expect(store.version).toBe(1);
});

it('expires after its idle time, exactly so with a single server', async () => {
  const id = opened(0, 2 * minute);
  for (const now of [119_000, 125_000, 245_000]) {
    expect(used(id, now)).toBe(user);
    await noted();
  }
  expect(used(id, 365_000)).toBe(user);
  expect(used(id, 485_001)).toBeUndefined();
  expect(used(opened(0, minute), 60_001)).toBeUndefined();
});

it('is written again only after a tenth of its idle time, at most five minutes', async () => {
  const id = opened();
  expect(used(id, 0)).toBe(user);
  await noted();
  const before = store.version;
  for (let now = 0; now < 3 * minute; now += 1_000) expect(used(id, now)).toBe(user);
  await noted();
  expect(store.version).toBe(before + 1);
  expect(used(id, 3 * minute)).toBe(user);
  await noted();
  expect(store.version).toBe(before + 2);
  const day = opened(0, 24 * 60 * minute);
  expect(used(day, 0)).toBe(user);
  await noted();
  expect(used(day, 5 * minute)).toBe(user);
  await noted();
  expect(rows().map((row) => row['used'])).toContain(5 * minute);
});

it('never expires early with several servers, and at most a tenth of its idle time late', async () => {
  const [one, other] = [sharing(), sharing()];
  const id = opened(0, 10 * minute);
  expect(used(id, 0, one)).toBe(user);
  await noted();
  // Not written, because the last write was recent.
  expect(used(id, 59_000, one)).toBe(user);
  await noted();
  expect(used(id, 59_000 + 10 * minute, other)).toBe(user);
  await noted();
  expect(used(id, 59_000 + 21 * minute + 1, one)).toBeUndefined();
});

it('uses the latest recorded use, plus the lag of other servers', async () => {
  const [one, other] = [sharing(), sharing()];
  const id = opened(0, 10 * minute);
  const later = used(id, 5 * minute, one);
  expect([later, used(id, 4 * minute, other)]).toEqual([user, user]);
  await noted();
  expect(rows().map((row) => row['used'])).toEqual([5 * minute]);
  // Another server purges the store.
  expect(used(opened(15 * minute), 15 * minute + 1, sharing())).toBe(user);
  await noted();
  expect(used(id, 15 * minute + 2, other)).toBe(user);
  await noted();
  expect(used(opened(26 * minute), 26 * minute + 3, sharing())).toBe(user);
  await noted();
  expect(rows()).toHaveLength(2);
});

it('is written once, even for many requests before the write has ended', async () => {
  let writes = 0;
  const by = sharing({
    write: (work) => {
      writes += 1;
      return store.write(work);
    },
  });
  const id = opened();
  for (let time = 0; time < 10; time++) expect(used(id, time, by)).toBe(user);
  await noted();
  expect(used(id, 10, by)).toBe(user);
  expect(writes).toBe(1);
});

it('survives a restart, used or not, and a deletion of its row', async () => {
  const [unused, id] = [opened(), opened()];
  expect(used(id, 29 * minute)).toBe(user);
  await noted();
  const restarted = new Sessions(store, { key });
  expect(used(unused, 30 * minute, restarted)).toBe(user);
  expect(used(id, 59 * minute, restarted)).toBe(user);
  await noted();
  store.database.exec('DELETE FROM cookie_session');
  expect(used(id, 20 * minute, new Sessions(store, { key }))).toBe(user);
});

it('is invalid with another key, user, time or token', () => {
  const id = opened(0, minute, hashOfToken('token'));
  const parts = id.split('.');
  const changed = (index: number, part: string) => parts.with(index, part).join('.');
  const name = Buffer.from('jane@internal').toString('base64url');
  expect(new SessionIds(key).read(id)?.user).toBe(user);
  for (const wrong of [
    ...[changed(1, name), changed(2, '9999999999'), changed(3, '60000'), changed(4, '')],
    ...[changed(5, ''), parts.slice(0, 5).join('.'), id.slice(1), `${id}.`, '', '.', 'x'],
    new SessionIds(Buffer.alloc(32, 2)).make({ user, idle: minute, token: undefined, opened: 0 }),
  ]) {
    expect(new SessionIds(key).read(wrong), wrong).toBeUndefined();
    expect(used(wrong, 1), wrong).toBeUndefined();
  }
});

it('ends with its token only, used or not', async () => {
  const [one, other] = await store.write((tx) =>
    [1, 2].map(() => issueToken(tx, user, 'scope', minute)),
  );
  const ids = [one, one, other].map((token) => opened(0, minute, hashOfToken(token ?? '')));
  expect(ids.slice(1).map((id) => used(id, 1))).toEqual([user, user]);
  await noted();
  // A pending write of a use does not restore it.
  expect(used(ids[0] ?? '', 1)).toBe(user);
  const late = [store.write((tx) => revokeToken(tx, one ?? '')), used(ids[1] ?? '', 30_000)];
  await Promise.all(late);
  await noted();
  for (const by of [sessions, new Sessions(store, { key })]) {
    expect(ids.map((id) => used(id, 31_000, by))).toEqual([undefined, undefined, user]);
  }
});

it('is ended permanently by its id, and a write occurs only for an active session', async () => {
  for (const isUsed of [true, false]) {
    const [id, another] = [opened(), opened()];
    if (isUsed) expect(used(id, 0)).toBe(user);
    await noted();
    const before = store.version;
    expect(sessions.end('made up', 1)).toBeUndefined();
    expect(sessions.end(opened(), 31 * minute)).toBeUndefined();
    // A concurrent use does not restore it.
    const ending = sessions.end(id, 1);
    used(id, 4 * minute);
    await ending;
    await noted();
    for (const by of [sessions, sharing()]) expect(used(id, 1, by)).toBeUndefined();
    expect(sessions.end(id, 2)).toBeUndefined();
    expect(store.version - before).toBeLessThanOrEqual(3);
    expect(used(another, 1)).toBe(user);
    await noted();
  }
});

describe('belongs to a bounded number of sessions', () => {
  beforeEach(() => {
    sessions = new Sessions(store, {
      key,
      limits: { total: 10, perUser: 1_000, endedPerUser: 500 },
    });
  });

  it('is removed after its expiry, or if it is the least recently used', async () => {
    const over = opened(0, 5);
    const first = opened(0, minute);
    const rest = Array.from({ length: 20 }, () => opened(0, minute));
    expect(used(over, 1)).toBe(user);
    await noted();
    expect(used(first, 2)).toBe(user);
    await noted();
    for (const [turn, id] of rest.entries()) {
      expect(used(id, 10 + turn)).toBe(user);
      await noted();
    }
    expect(rows()).toHaveLength(10);
    expect(rows().map((row) => row['used'])).not.toContain(2);
    // Later than the validity of an id without a row.
    const late = minute + 5;
    const after = new Sessions(store, { key });
    expect(used(first, late, after)).toBeUndefined();
    expect(rest.map((id) => used(id, late, after))).toEqual([
      ...new Array(10).fill(undefined),
      ...new Array(10).fill(user),
    ]);
  });

  it('stays ended, even after many later sessions', async () => {
    const id = opened(0, minute);
    await sessions.end(id, 1);
    for (let turn = 0; turn < 20; turn++) {
      expect(used(opened(2, minute), 2)).toBe(user);
      await noted();
    }
    expect(used(id, 3, new Sessions(store, { key }))).toBeUndefined();
  });
});

describe('the stored rows', () => {
  const hour = 60 * minute;
  const idle = 366 * 24 * hour;

  it('disappear after the end of sessions with any idle time', async () => {
    const ids = Array.from({ length: 50 }, () => opened(0, idle));
    for (const id of ids) expect(used(id, 1)).toBe(user);
    await noted();
    expect(rows()).toHaveLength(50);
    // A day later, their ids are invalid without rows: nothing is stored.
    for (const id of ids.slice(0, 25)) await sessions.end(id, 24 * hour);
    expect(rows()).toHaveLength(25);
    // Sessions that end early leave a row for an hour and some minutes.
    const early = opened(24 * hour, idle);
    await sessions.end(early, 24 * hour + 1);
    expect(rows()).toHaveLength(26);
    await sessions.purge(25 * hour);
    expect(used(early, 25 * hour, new Sessions(store, { key }))).toBeUndefined();
    await sessions.purge(25 * hour + 6 * minute);
    expect(rows()).toHaveLength(25);
    expect(used(early, 25 * hour + 6 * minute, new Sessions(store, { key }))).toBeUndefined();
    for (const id of ids.slice(0, 25)) expect(used(id, 25 * hour + 7 * minute)).toBeUndefined();
    for (const id of ids.slice(25)) expect(used(id, 25 * hour + 7 * minute)).toBe(user);
  });

  it('are not restored by a use at the time of their end', async () => {
    const id = opened(0, idle);
    expect(used(id, 1)).toBe(user);
    await noted();
    const ending = sessions.end(id, 24 * hour);
    used(id, 24 * hour);
    await ending;
    await noted();
    expect(rows()).toEqual([]);
    expect(used(id, 24 * hour + 1, new Sessions(store, { key }))).toBeUndefined();
  });

  it('are limited for each user: those of active sessions, and those of ended ones', async () => {
    sessions = new Sessions(store, {
      key,
      limits: { total: 1_000, perUser: 5, endedPerUser: 5 },
    });
    const other = sessions.open({ user: 'jane@internal', idle, token: undefined, opened: 1 });
    expect(used(other, 1)).toBe('jane@internal');
    const ids = Array.from({ length: 20 }, (_, number) => opened(number, idle));
    for (const [number, id] of ids.entries()) {
      expect(used(id, 100 + number)).toBe(user);
      await noted();
    }
    expect(rows()).toHaveLength(6);
    const unused = Array.from({ length: 30 }, (_, number) => opened(200 + number, idle));
    const untouched = opened(1_000, idle);
    for (const [number, id] of unused.entries()) await sessions.end(id, 300 + number);
    // Five of each, one of Jane, and the row for all earlier ones.
    expect(rows()).toHaveLength(12);
    for (const by of [sessions, new Sessions(store, { key }), sharing()]) {
      for (const id of unused) expect(used(id, 1_001, by)).toBeUndefined();
    }
    expect(used(untouched, 1_001)).toBe(user);
    expect(used(other, 1_001)).toBe('jane@internal');
    await noted();
  });

  it('exist for each session that is used after an hour, because unused ids are no longer valid', async () => {
    const [id, late] = [opened(0, idle), opened(0, idle)];
    expect(used(id, 30 * minute)).toBe(user);
    await noted();
    const after = new Sessions(store, { key });
    expect(used(late, 61 * minute, after)).toBeUndefined();
    expect(used(id, 61 * minute, after)).toBe(user);
  });
});

it('contain no id in clear text', async () => {
  const id = opened();
  expect(used(id, 1)).toBe(user);
  await noted();
  expect(JSON.stringify(rows())).toContain(hashOfToken(id));
  expect(JSON.stringify(rows())).not.toContain(id);
});

it('are not needed to open and use a session while the store is not writable, but to end one', async () => {
  const full: Store = Object.assign(Object.create(store), {
    read: store.read.bind(store),
    write: () => Promise.reject(new StoreError('The disk is full.')),
  });
  const by = new Sessions(full, { key });
  const id = by.open({ user, idle: minute, token: undefined, opened: 0 });
  expect(used(id, 59_000, by)).toBe(user);
  expect(used(id, 118_000, by)).toBe(user);
  await expect(by.end(id, 119_000)).rejects.toBeInstanceOf(StoreError);
});

it('have a bounded idle time', async () => {
  const id = opened(0, Number.POSITIVE_INFINITY);
  expect(used(id, minute)).toBe(user);
  await noted();
  expect(used(id, 400 * 24 * 60 * minute)).toBeUndefined();
});

describe('the key', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'vmctl-session-key-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is stored in the data folder for its owner only, and replaced if damaged', () => {
    const first = loadSessionKey(folder);
    const path = join(folder, 'session.key');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(loadSessionKey(folder)).toEqual(first);
    writeFileSync(path, readFileSync(path, 'utf8').slice(0, 10));
    const second = loadSessionKey(folder);
    expect(second).toHaveLength(32);
    expect(second).not.toEqual(first);
    expect(loadSessionKey(folder)).toEqual(second);
  });

  it('differs after each start without a data folder', () => {
    expect(loadSessionKey(undefined)).not.toEqual(loadSessionKey(undefined));
    expect(existsSync(join(folder, 'session.key'))).toBe(false);
  });
});
