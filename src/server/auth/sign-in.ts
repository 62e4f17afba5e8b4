/** Sign-in with a password: verification, limits on guesses, events of success and failure. */

import { createHmac, randomBytes } from 'node:crypto';
import { type Caller, RuleContext } from '../core/context.ts';
import { Refusal } from '../core/fault.ts';
import type { Site } from '../core/ports.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import { createHashingQueue } from './hashing-queue.ts';
import { hashPassword, isSamePassword, keepHash, storedPassword } from './passwords.ts';
import { callerOf } from './permissions.ts';
import { networkOf, SignInThrottle } from './sign-in-throttle.ts';

/** Events of one user at one address that may follow each other, and milliseconds for a further one. */
const burst = 5;
const interval = 60_000;
/** Failures of all users and addresses that are written within an interval. */
const failuresInAll = 100;
const entries = 10_000;
/** Longest user name that an event repeats. */
const longestName = 256;

interface Told {
  left: number;
  since: number;
  /** Failures that were not told. */
  suppressed: number;
}

class SignInEvents {
  readonly #site: Site;
  readonly #now: () => number;
  readonly #budgets = new Map<string, Told>();
  #window = Number.NEGATIVE_INFINITY;
  #failures = 0;

  /** @param now milliseconds of a clock that never goes back */
  constructor(site: Site, now: () => number) {
    this.#site = site;
    this.#now = now;
  }

  /** The event of a sign-in or sign-out; undefined where enough were written. */
  success(
    event: 'USER_LOGGED_IN' | 'USER_LOGGED_OUT',
    caller: Caller,
    address: string,
  ): ((tx: Transaction) => void) | undefined {
    const budget = this.#of(`+${event} ${caller.userName}`, address);
    if (budget.left === 0) return undefined;
    budget.left -= 1;
    return (tx) => new RuleContext(tx, this.#site, caller).event(event, {}, { SourceIP: address });
  }

  /** Writes the event of a failure; undefined where enough were written. The next one tells how many. */
  failure(user: string, address: string): ((tx: Transaction, reason: string) => void) | undefined {
    const budget = this.#of(`-${user}`, address);
    if (budget.left === 0 || !this.#mayFail()) {
      budget.suppressed += 1;
      return undefined;
    }
    budget.left -= 1;
    const more = budget.suppressed === 0 ? '' : ` (${budget.suppressed} more since the last event)`;
    budget.suppressed = 0;
    const messageParams = {
      UserName: user.length > longestName ? `${user.slice(0, longestName)}...` : user,
      SourceIP: address,
    };
    return (tx, reason) =>
      RuleContext.system(tx, this.#site).event(
        'USER_LOGIN_FAILED',
        {},
        { ...messageParams, Reason: `${reason}${more}` },
      );
  }

  #mayFail(): boolean {
    if (this.#now() - this.#window > interval) {
      this.#window = this.#now();
      this.#failures = 0;
    }
    this.#failures += 1;
    return this.#failures <= failuresInAll;
  }

  #of(who: string, address: string): Told {
    const key = `${networkOf(address)}\0${who.slice(0, longestName)}`;
    const now = this.#now();
    const budget = this.#budgets.get(key) ?? { left: burst, since: now, suppressed: 0 };
    const earned = Math.floor((now - budget.since) / interval);
    if (earned > 0) {
      budget.left = Math.min(burst, budget.left + earned);
      budget.since += earned * interval;
    }
    this.#budgets.delete(key);
    this.#budgets.set(key, budget);
    const oldest = this.#budgets.keys().next();
    if (this.#budgets.size > entries && !oldest.done) this.#budgets.delete(oldest.value);
    return budget;
  }
}

/** Milliseconds that a password is remembered as right: Basic sends it with every request. */
const memory = 60_000;
const maxRemembered = 1_000;
/** Milliseconds without a request after which Basic credentials count as a new sign-in. */
const idle = 30 * 60_000;

export class SignIn {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #key = randomBytes(32);
  /** Until when, by a code of user, password and what is stored of it. */
  readonly #right = new Map<string, number>();
  readonly #checks = new Map<string, Promise<Caller | undefined>>();
  /** Stored hashes by user, as of one version of the store. */
  readonly #hashes = new Map<string, Uint8Array>();
  #version = -1;
  /** When somebody used Basic credentials last, by user and address. */
  readonly #lastBasic = new Map<string, number>();
  readonly #hashing = createHashingQueue();
  readonly #throttle: SignInThrottle;
  readonly #events: SignInEvents;
  /** The last failure could not be counted: a success has to show that something can be written. */
  #isBehind = false;

  /** @param now milliseconds of the service's time */
  constructor(store: Store, site: Site, now: () => number = site.steady) {
    this.#store = store;
    this.#now = now;
    this.#throttle = new SignInThrottle(store, now);
    this.#events = new SignInEvents(site, now);
  }

  /**
   * Whether a password was found right a moment ago and still is: then nothing has to be hashed. Not
   * where the user has to wait at an address, or guesses could be tried on what is remembered.
   */
  isRemembered(user: string, password: string, address: string): boolean {
    if (this.#throttle.wait(user, address) > 0) return false;
    return (this.#right.get(this.#code(user, password)) ?? 0) > this.#now();
  }

  /**
   * The caller behind a name and a password, undefined where they are wrong. A failure takes the same
   * time and leaves the same traces whether the user exists or not. Refuses with 429 who failed too
   * often, and with 503 where too many wait.
   */
  check(user: string, password: string, address: string): Promise<Caller | undefined> {
    if (this.isRemembered(user, password, address)) {
      return Promise.resolve(this.#store.read((tx) => callerOf(tx, user)));
    }
    const blocked = this.#throttle.wait(user, address);
    if (blocked > 0) return Promise.reject(tooManyFailures(blocked));
    // Clients that open many connections at once send the same credentials on each.
    const key = `${address}\0${this.#code(user, password)}`;
    const same = this.#checks.get(key);
    if (same) return same;
    const check = this.#hashing
      .run(networkOf(address), user.slice(0, longestName), () =>
        this.#compare(user, password, address),
      )
      .finally(() => this.#checks.delete(key));
    this.#checks.set(key, check);
    return check;
  }

  /** Writes the event of a success in a transaction, unless enough of them were written. */
  tellSuccess(tx: Transaction, caller: Caller, address: string): void {
    this.#events.success('USER_LOGGED_IN', caller, address)?.(tx);
  }

  /** Writes the event of a sign-out in a transaction, unless enough of them were written. */
  tellSignOut(tx: Transaction, caller: Caller, address: string): void {
    this.#events.success('USER_LOGGED_OUT', caller, address)?.(tx);
  }

  /** Writes the event of a success with Basic credentials; undefined where they are in use already. */
  usedBasic(caller: Caller, address: string): Promise<void> | undefined {
    const key = `${networkOf(address)}\0${caller.userName}`;
    const now = this.#now();
    const last = this.#lastBasic.get(key) ?? Number.NEGATIVE_INFINITY;
    const written =
      now - last <= idle
        ? undefined
        : this.#store.write((tx) => this.tellSuccess(tx, caller, address));
    if (this.#lastBasic.size > maxRemembered) this.#lastBasic.clear();
    this.#lastBasic.set(key, now);
    return written;
  }

  /**
   * Hashes a password that a user is about to set, in another thread; returns what forgets the hash. Who
   * calls this has checked that the user may set it.
   */
  hashAhead(password: string, { userId }: Caller): Promise<() => void> {
    return this.#hashing.run(`user ${userId}`, '', async () => {
      const salt = randomBytes(16);
      return keepHash(password, { salt, hash: await hashPassword(password, salt) });
    });
  }

  async #compare(user: string, password: string, address: string): Promise<Caller | undefined> {
    // Others may have failed while this one waited.
    const blocked = this.#throttle.wait(user, address);
    if (blocked > 0) throw tooManyFailures(blocked);
    const stored = this.#store.read((tx) => storedPassword(tx, user));
    const right = isSamePassword(stored, await hashPassword(password, stored.salt));
    const caller = right ? this.#store.read((tx) => callerOf(tx, user)) : undefined;
    if (!caller) {
      await this.#failed(user, address);
      return undefined;
    }
    await this.#succeeded(user, address);
    if (this.#right.size > maxRemembered) this.#right.clear();
    this.#right.set(this.#code(user, password), this.#now() + memory);
    return caller;
  }

  /** Notes a success. Nobody waits until it is durable, unless failures cannot be counted. */
  async #succeeded(user: string, address: string): Promise<void> {
    const noted = this.#throttle.succeeded(user, address, this.#isBehind);
    if (!this.#isBehind) {
      noted?.catch(() => undefined);
      return;
    }
    await noted;
    this.#isBehind = false;
  }

  /** Counts a failure durably. Refuses where others have failed too often while this one was hashed. */
  async #failed(user: string, address: string): Promise<void> {
    const event = this.#events.failure(user, address);
    this.#isBehind = true;
    const blocked = await this.#store.write((tx) => {
      const before = this.#throttle.waitIn(tx, user, address);
      if (before > 0) return before;
      const wait = this.#throttle.failed(tx, user, address);
      const locked = wait > 0 ? `; next attempt in ${Math.ceil(wait / 1_000)} s` : '';
      event?.(tx, `wrong user name or password${locked}`);
      return 0;
    });
    this.#isBehind = false;
    if (blocked > 0) throw tooManyFailures(blocked);
  }

  /** Changes with the stored password, so that an old one is not remembered. */
  #code(user: string, password: string): string {
    return createHmac('sha256', this.#key)
      .update(this.#storedHash(user))
      .update(`${user}\0${password}`)
      .digest('base64');
  }

  #storedHash(user: string): Uint8Array {
    if (this.#version !== this.#store.version || this.#hashes.size > maxRemembered) {
      this.#hashes.clear();
      this.#version = this.#store.version;
    }
    let hash = this.#hashes.get(user);
    if (!hash) {
      hash = this.#store.read((tx) => storedPassword(tx, user)).hash;
      this.#hashes.set(user, hash);
    }
    return hash;
  }
}

function tooManyFailures(milliseconds: number): Refusal {
  const seconds = Math.ceil(milliseconds / 1_000);
  return new Refusal(
    429,
    'Too Many Requests',
    `Too many failed sign-ins. Try again in ${seconds} second${seconds === 1 ? '' : 's'}.`,
    { headers: { 'Retry-After': String(seconds) } },
  );
}
