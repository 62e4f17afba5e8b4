/** Password sign-in: verification, limits on guesses, events of success and failure. */

import { createHmac, randomBytes } from 'node:crypto';
import { type Caller, RuleContext } from '../core/context.ts';
import { Refusal } from '../core/fault.ts';
import type { Site } from '../core/ports.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import { createHashingQueue } from './hashing-queue.ts';
import { hashPassword, isSamePassword, keepHash, storedPassword } from './passwords.ts';
import { findCallerByName } from './permissions.ts';
import { normalizeAddress, SignInThrottle } from './sign-in-throttle.ts';

/** Maximum burst of events of one user at one address, and milliseconds per additional one. */
const burst = 5;
const interval = 60_000;
/** Maximum failure events of all users and addresses per interval. */
const failuresInAll = 100;
const entries = 10_000;
/** Maximum length of a user name in an event. */
const longestName = 256;

interface EventBudget {
  left: number;
  since: number;
  /** Number of suppressed failure events. */
  suppressed: number;
}

class SignInEvents {
  readonly #site: Site;
  readonly #now: () => number;
  readonly #budgets = new Map<string, EventBudget>();
  #window = Number.NEGATIVE_INFINITY;
  #failures = 0;

  /** @param now milliseconds of a monotonic clock */
  constructor(site: Site, now: () => number) {
    this.#site = site;
    this.#now = now;
  }

  /** The event of a sign-in or sign-out; undefined if its budget is exhausted. */
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

  /**
   * Writes the event of a failure; undefined if its budget is exhausted. The next event contains
   * the number of suppressed ones.
   */
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

  #of(who: string, address: string): EventBudget {
    const key = `${normalizeAddress(address)}\0${who.slice(0, longestName)}`;
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

/** Milliseconds for which a verified password is cached: Basic sends it with every request. */
const memory = 60_000;
const maxRemembered = 1_000;
/** Milliseconds without a request after which Basic credentials count as a new sign-in. */
const idle = 30 * 60_000;

export class SignIn {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #key = randomBytes(32);
  /** Expiry times of verified passwords, by a hash of user, password and stored hash. */
  readonly #right = new Map<string, number>();
  readonly #checks = new Map<string, Promise<Caller | undefined>>();
  /** Stored hashes by user, in one version of the store. */
  readonly #hashes = new Map<string, Uint8Array>();
  #version = -1;
  /** Last use of Basic credentials, by user and address. */
  readonly #lastBasic = new Map<string, number>();
  readonly #hashing = createHashingQueue();
  readonly #throttle: SignInThrottle;
  readonly #events: SignInEvents;
  /** Whether the last failure could not be counted: a success then requires a successful write. */
  #isBehind = false;

  /** @param now service time in milliseconds */
  constructor(store: Store, site: Site, now: () => number = site.steady) {
    this.#store = store;
    this.#now = now;
    this.#throttle = new SignInThrottle(store, now);
    this.#events = new SignInEvents(site, now);
  }

  /**
   * Whether a password was recently verified and is still valid, so that no hashing is needed.
   * False while a delay applies to the user at the address: the cache must not permit guesses.
   */
  isRemembered(user: string, password: string, address: string): boolean {
    if (this.#throttle.wait(user, address) > 0) return false;
    return (this.#right.get(this.#code(user, password)) ?? 0) > this.#now();
  }

  /**
   * The caller with a name and password; undefined if they are wrong. Failures take the same time
   * and have the same effects for known and unknown users. Refuses with 429 after too many
   * failures, and with 503 if too many requests wait.
   */
  check(user: string, password: string, address: string): Promise<Caller | undefined> {
    if (this.isRemembered(user, password, address)) {
      return Promise.resolve(this.#store.read((tx) => findCallerByName(tx, user)));
    }
    const blocked = this.#throttle.wait(user, address);
    if (blocked > 0) return Promise.reject(tooManyFailures(blocked));
    // Clients that open many connections concurrently send the same credentials on each.
    const key = `${address}\0${this.#code(user, password)}`;
    const same = this.#checks.get(key);
    if (same) return same;
    const check = this.#hashing
      .run(normalizeAddress(address), user.slice(0, longestName), () =>
        this.#compare(user, password, address),
      )
      .finally(() => this.#checks.delete(key));
    this.#checks.set(key, check);
    return check;
  }

  /** Writes the event of a success in a transaction, within its budget. */
  tellSuccess(tx: Transaction, caller: Caller, address: string): void {
    this.#events.success('USER_LOGGED_IN', caller, address)?.(tx);
  }

  /** Writes the event of a sign-out in a transaction, within its budget. */
  tellSignOut(tx: Transaction, caller: Caller, address: string): void {
    this.#events.success('USER_LOGGED_OUT', caller, address)?.(tx);
  }

  /** Writes the event of a success with Basic credentials; undefined if they are already in use. */
  usedBasic(caller: Caller, address: string): Promise<void> | undefined {
    const key = `${normalizeAddress(address)}\0${caller.userName}`;
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
   * Hashes a new password in another thread. The returned function removes the hash. The caller
   * must have checked that the user may set the password.
   */
  hashAhead(password: string, { userId }: Caller): Promise<() => void> {
    return this.#hashing.run(`user ${userId}`, '', async () => {
      const salt = randomBytes(16);
      return keepHash(password, { salt, hash: await hashPassword(password, salt) });
    });
  }

  async #compare(user: string, password: string, address: string): Promise<Caller | undefined> {
    // Other attempts may have failed while this one waited.
    const blocked = this.#throttle.wait(user, address);
    if (blocked > 0) throw tooManyFailures(blocked);
    const stored = this.#store.read((tx) => storedPassword(tx, user));
    const right = isSamePassword(stored, await hashPassword(password, stored.salt));
    const caller = right ? this.#store.read((tx) => findCallerByName(tx, user)) : undefined;
    if (!caller) {
      await this.#failed(user, address);
      return undefined;
    }
    await this.#succeeded(user, address);
    if (this.#right.size > maxRemembered) this.#right.clear();
    this.#right.set(this.#code(user, password), this.#now() + memory);
    return caller;
  }

  /** Records a success. Waits until it is durable only if failures cannot be counted. */
  async #succeeded(user: string, address: string): Promise<void> {
    const noted = this.#throttle.succeeded(user, address, this.#isBehind);
    if (!this.#isBehind) {
      noted?.catch(() => undefined);
      return;
    }
    await noted;
    this.#isBehind = false;
  }

  /** Counts a failure durably. Refuses if too many other attempts failed during the hashing. */
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

  /** Depends on the stored password, so that a changed password invalidates the cache. */
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
