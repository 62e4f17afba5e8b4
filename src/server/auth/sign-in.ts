/**
 * Checks names and passwords, for all ways to sign in: remembers for a short time which were right,
 * makes guessing slow, and writes events.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { Caller, Site } from '../core/context.ts';
import { Refusal } from '../core/fault.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import { hashPassword, PasswordHashing } from './password-hashing.ts';
import { isSamePassword, keepHash, storedPassword } from './passwords.ts';
import { SignInEvents } from './sign-in-events.ts';
import { networkOf, SignInThrottle } from './sign-in-throttle.ts';
import { callerOf } from './users.ts';

/** Milliseconds that a password is remembered as right: Basic sends it with every request. */
const memory = 60_000;
const mostRemembered = 1_000;
/** Milliseconds without a request after which Basic credentials count as a new sign-in. */
const idle = 30 * 60_000;

export class SignIn {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #key = randomBytes(32);
  /** Until when, by a code of user, password and what is stored of it. */
  readonly #right = new Map<string, number>();
  readonly #checks = new Map<string, Promise<Caller | undefined>>();
  /** When somebody used Basic credentials last, by user and address. */
  readonly #lastBasic = new Map<string, number>();
  readonly #hashing = new PasswordHashing();
  readonly #throttle: SignInThrottle;
  readonly #events: SignInEvents;

  /** @param now milliseconds of a clock that never goes back */
  constructor(store: Store, site: Site, now: () => number = () => performance.now()) {
    this.#store = store;
    this.#now = now;
    this.#throttle = new SignInThrottle(now);
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
      .run(networkOf(address), () => this.#compare(user, password, address))
      .finally(() => this.#checks.delete(key));
    this.#checks.set(key, check);
    return check;
  }

  /** Writes the event of a success in a transaction, unless enough of them were written. */
  tellSuccess(tx: Transaction, caller: Caller, address: string): void {
    this.#events.success(caller, address)?.(tx);
  }

  /** Writes the event of a success with Basic credentials; undefined where they are in use already. */
  usedBasic(caller: Caller, address: string): Promise<void> | undefined {
    const key = `${networkOf(address)}\0${caller.userName}`;
    const now = this.#now();
    const last = this.#lastBasic.get(key) ?? Number.NEGATIVE_INFINITY;
    if (this.#lastBasic.size > mostRemembered) this.#lastBasic.clear();
    this.#lastBasic.set(key, now);
    if (now - last <= idle) return undefined;
    return this.#store.write((tx) => this.tellSuccess(tx, caller, address));
  }

  /** Hashes a password that is about to be set, in another thread; returns what forgets the hash. */
  hashAhead(password: string, address: string): Promise<() => void> {
    return this.#hashing.run(networkOf(address), async () => {
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
    if (caller) {
      this.#throttle.succeeded(user, address);
      if (this.#right.size > mostRemembered) this.#right.clear();
      this.#right.set(this.#code(user, password), this.#now() + memory);
      return caller;
    }
    const wait = this.#throttle.failed(user, address);
    const locked = wait > 0 ? `; the next try is in ${Math.ceil(wait / 1_000)} s` : '';
    const event = this.#events.failure(user, address, `wrong user name or password${locked}`);
    if (event) await this.#store.write(event);
    return undefined;
  }

  /** Changes with the stored password, so that an old one is not remembered. */
  #code(user: string, password: string): string {
    const { hash } = this.#store.read((tx) => storedPassword(tx, user));
    return createHmac('sha256', this.#key)
      .update(hash)
      .update(`${user}\0${password}`)
      .digest('base64');
  }
}

function tooManyFailures(milliseconds: number): Refusal {
  const seconds = Math.ceil(milliseconds / 1_000);
  return new Refusal(
    429,
    'Too Many Requests',
    `Too many sign-ins failed. Try again in ${seconds} second${seconds === 1 ? '' : 's'}.`,
    { headers: { 'Retry-After': String(seconds) } },
  );
}
