/** Protection against password guessing: delays, events, and effects on other users. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dialects } from '../../../src/model/dialect.ts';
import { createHashingQueue } from '../../../src/server/auth/hashing-queue.ts';
import { setPassword, storedPassword } from '../../../src/server/auth/passwords.ts';
import { SignIn } from '../../../src/server/auth/sign-in.ts';
import {
  defaultSignInLimits,
  normalizeAddress,
  SignInThrottle,
} from '../../../src/server/auth/sign-in-throttle.ts';
import { RuleContext, systemCaller } from '../../../src/server/core/context.ts';
import { Refusal } from '../../../src/server/core/fault.ts';
import type { Site } from '../../../src/server/core/ports.ts';
import { behaviors } from '../../../src/server/resources/index.ts';
import { fillDefaults } from '../../../src/server/seed/defaults.ts';
import { purgeSignInCounts } from '../../../src/server/store/sign-in-counts.ts';
import { openStore, type Store, StoreError } from '../../../src/server/store/store.ts';

const admin = 'admin@internal';
const here = '192.0.2.1';
const elsewhere = '198.51.100.7';
const { perUserAtAddress, perAddress, perUser, longestWait, memory } = defaultSignInLimits;

describe('the delay after failures', () => {
  let store: Store;
  beforeEach(async () => {
    store = await openStore(':memory:');
  });
  afterEach(() => store.close());

  /** Counts of a server with a manual clock. */
  function throttle(limits = defaultSignInLimits, clock = { now: 0 }) {
    const counts = new SignInThrottle(store, () => clock.now, limits);
    return {
      clock,
      counts: {
        wait: (user: string, address: string) => counts.wait(user, address),
        failed: (user: string, address: string) =>
          store.write((tx) => counts.failed(tx, user, address)),
        succeeded: async (user: string, address: string) => counts.succeeded(user, address),
      },
    };
  }

  it('begins at the tenth failure in a row, doubles, and has a maximum', async () => {
    const { clock, counts } = throttle();
    for (let turn = 1; turn < perUserAtAddress; turn++)
      expect(await counts.failed(admin, here)).toBe(0);
    const waits: number[] = [];
    for (let turn = 0; turn < 12; turn++) {
      const wait = await counts.failed(admin, here);
      waits.push(wait);
      clock.now += wait;
      expect(counts.wait(admin, here)).toBe(0);
    }
    expect(waits.slice(0, 5)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
    expect(waits.at(-1)).toBe(longestWait);
  });

  it('ends after a success, and with time', async () => {
    const { clock, counts } = throttle();
    for (let turn = 0; turn < perUserAtAddress; turn++) await counts.failed(admin, here);
    await counts.succeeded(admin, here);
    expect(counts.wait(admin, here)).toBe(0);
    for (let turn = 1; turn < perUserAtAddress; turn++)
      expect(await counts.failed(admin, here)).toBe(0);
    clock.now += memory + 1;
    expect(await counts.failed(admin, here)).toBe(0);
  });

  it('applies to an address that tries many names, but not to users who have signed in from there', async () => {
    const { counts } = throttle();
    await counts.succeeded('jane@internal', here);
    for (let turn = 0; turn < perAddress; turn++)
      await counts.failed(`guess-${turn}@internal`, here);
    expect(counts.wait('another@internal', here)).toBeGreaterThan(0);
    expect(counts.wait('jane@internal', here)).toBe(0);
    expect(counts.wait('another@internal', elsewhere)).toBe(0);
  });

  it('remains after the client signs in as another user', async () => {
    const { counts } = throttle();
    for (let turn = 0; turn < perAddress; turn++) {
      await counts.failed(`guess-${turn}@internal`, here);
      await counts.succeeded('mallory@internal', here);
    }
    expect(counts.wait('another@internal', here)).toBeGreaterThan(0);
  });

  it('of a user who is attacked from many addresses begins with the first failure at each address', async () => {
    const { counts } = throttle();
    const addresses = Array.from({ length: perUser + 1 }, (_, index) => `203.0.113.${index}`);
    for (const address of addresses) await counts.failed(admin, address);
    expect(counts.wait(admin, elsewhere)).toBe(0);
    expect(await counts.failed(admin, elsewhere)).toBeGreaterThan(0);
    // The correct password is accepted from any address without failures.
    expect(counts.wait(admin, '198.51.100.8')).toBe(0);
  });

  it('treats an IPv6 network as one address, and an embedded IPv4 address as an IPv4 address', () => {
    expect(normalizeAddress('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
    expect(normalizeAddress('2001:db8:1:2::9')).toBe('2001:db8:1:2::/64');
    expect(normalizeAddress('2001:db8::9')).toBe('2001:db8:0:0::/64');
    expect(normalizeAddress('fe80::1%eth0')).toBe('fe80:0:0:0::/64');
    expect(normalizeAddress('::1')).toBe('0:0:0:0::/64');
    expect(normalizeAddress('::ffff:192.0.2.1')).toBe('192.0.2.1');
  });

  it('uses bounded memory, however many names are tried', async () => {
    const limits = { ...defaultSignInLimits, entries: 10 };
    const { counts } = throttle(limits);
    for (let turn = 0; turn < perUserAtAddress; turn++) await counts.failed(admin, here);
    expect(counts.wait(admin, here)).toBeGreaterThan(0);
    for (let turn = 0; turn < 100; turn++) await counts.failed(`name-${turn}`, elsewhere);
    expect(counts.wait(admin, here)).toBe(0);
  });

  it('is the same on all servers of a store, and after a restart', async () => {
    const clock = { now: 0 };
    const servers = [throttle(undefined, clock), throttle(undefined, clock)];
    for (let turn = 0; turn < perUserAtAddress; turn++) {
      await servers[turn % 2]?.counts.failed(admin, here);
    }
    servers.push(throttle(undefined, clock));
    for (const { counts } of servers) expect(counts.wait(admin, here)).toBe(1_000);
    await servers[0]?.counts.failed(admin, here);
    expect(servers[1]?.counts.wait(admin, here)).toBe(2_000);
  });

  it('needs no write for a success without earlier failures', async () => {
    const { clock, counts } = throttle();
    await counts.succeeded(admin, here);
    const before = store.version;
    await counts.succeeded(admin, here);
    expect(store.version).toBe(before);
    // The store records that the user has signed in from the address.
    clock.now += memory / 3;
    await counts.succeeded(admin, here);
    await counts.failed(admin, here);
    await counts.succeeded(admin, here);
    expect(store.version).toBe(before + 3);
  });
});

describe('password hashes', () => {
  const gate = () => {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    return { open, opened };
  };

  it('are limited in number, and computed in turns between addresses', async () => {
    const hashing = createHashingQueue({ atOnce: 2, waiting: 100, waitingPerParty: 50 });
    const { open, opened } = gate();
    const order: string[] = [];
    let running = 0;
    let most = 0;
    const work = (name: string) => async () => {
      running += 1;
      most = Math.max(most, running);
      await opened;
      order.push(name);
      running -= 1;
    };
    const all = [
      ...Array.from({ length: 8 }, () => hashing.run(here, '', work('guesser'))),
      hashing.run(elsewhere, '', work('other')),
    ];
    open();
    await Promise.all(all);
    expect(most).toBe(2);
    // Two were running, and one more of the same address had its turn.
    expect(order.indexOf('other')).toBeLessThanOrEqual(3);
  });

  it('are also computed in turns between users at one address', async () => {
    const hashing = createHashingQueue({ atOnce: 1, waiting: 100, waitingPerParty: 50 });
    const { open, opened } = gate();
    const order: string[] = [];
    const work = (name: string) => async () => {
      await opened;
      order.push(name);
    };
    const all = [
      ...Array.from({ length: 20 }, () => hashing.run(here, 'guessed', work('guessed'))),
      ...Array.from({ length: 20 }, () => hashing.run('user x', '', work('adds users'))),
      hashing.run(here, 'other', work('other')),
    ];
    open();
    await Promise.all(all);
    expect(order).toHaveLength(41);
    // One was running; each party and each user at the address had at most one turn before.
    expect(order.indexOf('other')).toBeLessThanOrEqual(4);
  });

  it('are refused above the limit of an address, and for all addresses above the total limit', async () => {
    const hashing = createHashingQueue({ atOnce: 1, waiting: 4, waitingPerParty: 2 });
    const { open, opened } = gate();
    const wait = () => opened;
    const accepted = [
      hashing.run(here, '', wait),
      hashing.run(here, '', wait),
      hashing.run(here, '', wait),
    ];
    const refusal = await hashing.run(here, '', wait).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ status: 503, headers: { 'Retry-After': expect.any(String) } });
    accepted.push(hashing.run(elsewhere, '', wait), hashing.run(elsewhere, '', wait));
    await expect(hashing.run('203.0.113.1', '', wait)).rejects.toBeInstanceOf(Refusal);
    open();
    await Promise.all(accepted);
    await expect(hashing.run(here, '', async () => 'room')).resolves.toBe('room');
  });
});

describe('sign-in', () => {
  let store: Store;
  let site: Site;
  beforeAll(async () => {
    store = await openStore(':memory:');
    site = {
      behaviors,
      dialect: dialects.standard,
      now: () => new Date(),
      steady: () => Date.now(),
      newId: randomUUID,
      random: () => 0.5,
    } as unknown as Site;
    await store.write((tx) => {
      fillDefaults(RuleContext.system(tx, site), admin);
      setPassword(tx, admin, 'right');
    });
  });
  afterAll(() => store.close());
  beforeEach(() => store.write((tx) => purgeSignInCounts(tx, 0, 0)));

  const failures = () =>
    store.read((tx) => tx.list('event', { where: {} }).filter(({ code }) => Number(code) === 114));

  it('permits a bounded number of guesses, even for concurrent ones', async () => {
    const signIn = new SignIn(store, site, () => 0);
    const guesses = Array.from({ length: 40 }, (_, turn) =>
      signIn.check(admin, `guess ${turn}`, here).then(
        () => 'tried',
        (error: Refusal) => error.status,
      ),
    );
    const outcomes = await Promise.all(guesses);
    const tried = outcomes.filter((one) => one === 'tried').length;
    expect(tried).toBeGreaterThanOrEqual(perUserAtAddress);
    expect(tried).toBeLessThanOrEqual(perUserAtAddress + 1);
    expect(outcomes.filter((one) => one === 429)).toHaveLength(40 - tried);
    // From this address, even the correct password is refused; from others it is accepted.
    await expect(signIn.check(admin, 'right', here)).rejects.toMatchObject({ status: 429 });
    expect((await signIn.check(admin, 'right', elsewhere))?.userName).toBe(admin);
    await expect(signIn.check(admin, 'right', here)).rejects.toMatchObject({ status: 429 });
    expect(failures().length).toBeGreaterThan(0);
    expect(failures().length).toBeLessThanOrEqual(5);
  });

  it('hashes the same password once for many connections', async () => {
    const signIn = new SignIn(store, site, () => 0);
    const before = process.cpuUsage().user;
    await signIn.check(admin, 'wrong once', here);
    const one = process.cpuUsage().user - before;
    const many = await Promise.all(
      Array.from({ length: 100 }, () => signIn.check(admin, 'right', here)),
    );
    expect(many.every((caller) => caller?.userName === admin)).toBe(true);
    expect(process.cpuUsage().user - before).toBeLessThan(20 * one);
  });

  it('writes a bounded number of events for repeated sign-outs', async () => {
    const clock = { now: 0 };
    const signIn = new SignIn(store, site, () => clock.now);
    const signOut = () => store.write((tx) => signIn.tellSignOut(tx, systemCaller, here));
    const count = () =>
      store.read((tx) => tx.list('event')).filter(({ code }) => code === 31).length;
    for (let turn = 0; turn < 20; turn += 1) await signOut();
    expect(count()).toBe(5);
    clock.now += 60_000;
    for (let turn = 0; turn < 20; turn += 1) await signOut();
    expect(count()).toBe(6);
  });

  it('stores a password that was hashed in advance without hashing it again', async () => {
    const signIn = new SignIn(store, site, () => 0);
    const forget = await signIn.hashAhead('made ahead', systemCaller);
    const hashes = await store.write((tx) =>
      ['first', 'second'].map((user) => {
        const began = performance.now();
        setPassword(tx, user, 'made ahead');
        return performance.now() - began;
      }),
    );
    forget();
    // The hash is used once, so that no two users share a salt.
    expect(hashes[0]).toBeLessThan((hashes[1] ?? 0) / 2);
    const [first, second] = store.read((tx) =>
      ['first', 'second'].map((user) => storedPassword(tx, user)),
    );
    expect(first?.salt.equals(second?.salt ?? Buffer.alloc(0))).toBe(false);
  });

  it('does not cache a changed password', async () => {
    const signIn = new SignIn(store, site, () => 0);
    expect(await signIn.check(admin, 'right', here)).toBeDefined();
    expect(signIn.isRemembered(admin, 'right', here)).toBe(true);
    await store.write((tx) => setPassword(tx, admin, 'changed'));
    expect(signIn.isRemembered(admin, 'right', here)).toBe(false);
    expect(await signIn.check(admin, 'right', here)).toBeUndefined();
    expect(await signIn.check(admin, 'changed', here)).toBeDefined();
    await store.write((tx) => setPassword(tx, admin, 'right'));
  });

  it('does not confirm a correct password while failures cannot be counted', async () => {
    let isFull = true;
    const full: Store = Object.assign(Object.create(store), {
      read: store.read.bind(store),
      write: (work: Parameters<Store['write']>[0]) =>
        isFull ? Promise.reject(new StoreError('The disk is full.')) : store.write(work),
    });
    const signIn = new SignIn(full, site, () => 0);
    await expect(signIn.check(admin, 'wrong', here)).rejects.toBeInstanceOf(StoreError);
    await expect(signIn.check(admin, 'right', here)).rejects.toBeInstanceOf(StoreError);
    isFull = false;
    expect((await signIn.check(admin, 'right', here))?.userName).toBe(admin);
  });
});
