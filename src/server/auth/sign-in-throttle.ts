/**
 * How long somebody has to wait who failed to sign in. What is counted:
 *
 * - failures of a user at an address: beyond ten in a row, each makes the next wait longer;
 * - failures of an address, whoever it tries to be: beyond fifty likewise, but not for users who have
 *   signed in from there before;
 * - failures of a user, wherever they come from: beyond a hundred, an address gets one try instead of
 *   ten. An address that has not failed always gets its try, so that nobody can lock a user out from
 *   elsewhere.
 *
 * Waiting is no failure: tries that are refused meanwhile count for nothing. A success forgets the
 * failures of that user at that address. All is kept in the store, within bounds: it counts for all servers
 * of a site, and a restart forgives nothing.
 */

import { createHash } from 'node:crypto';
import {
  latestWait,
  purgeSignInCounts,
  type SignInCount,
  signInCounts,
  writeSignInCount,
} from '../store/sign-in-counts.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';

export interface SignInLimits {
  readonly perUserAtAddress: number;
  readonly perAddress: number;
  readonly perUser: number;
  /** Milliseconds of the first wait; each further failure doubles it. */
  readonly firstWait: number;
  readonly longestWait: number;
  /** Milliseconds after which failures are forgotten. */
  readonly memory: number;
  /** Users, addresses, and users at addresses that are remembered, of each so many. */
  readonly entries: number;
}

export const defaultSignInLimits: SignInLimits = {
  perUserAtAddress: 10,
  perAddress: 50,
  perUser: 100,
  firstWait: 1_000,
  longestWait: 5 * 60_000,
  memory: 15 * 60_000,
  entries: 20_000,
};

const longestName = 256;

/** What a failure or a success is counted for. */
interface Subjects {
  readonly pair: string;
  readonly address: string;
  readonly user: string;
}

export class SignInThrottle {
  readonly #store: Store;
  readonly #limits: SignInLimits;
  readonly #now: () => number;
  /** Until when anybody has to wait, as of one version of the store. */
  #latest = 0;
  #version = -1;
  /** Failures between two looks for what is to be removed: each goes through all counts. */
  readonly #purgeInterval: number;
  #untilPurge = 0;

  /** @param now milliseconds of the service's time, which goes on after a restart */
  constructor(store: Store, now: () => number, limits: SignInLimits = defaultSignInLimits) {
    this.#store = store;
    this.#now = now;
    this.#limits = limits;
    this.#purgeInterval = Math.ceil(limits.entries / 100);
  }

  /**
   * Milliseconds until the user may try again from an address; 0 when at once. Costs next to nothing
   * while nobody has to wait.
   */
  wait(user: string, address: string): number {
    if (this.#version !== this.#store.version) {
      this.#store.read((tx) => {
        this.#latest = latestWait(tx);
        this.#version = this.#store.version;
      });
    }
    if (this.#latest <= this.#now()) return 0;
    return this.#store.read((tx) => this.waitIn(tx, user, address));
  }

  /** The same as it is in a transaction. */
  waitIn(tx: Transaction, user: string, address: string): number {
    const now = this.#now();
    const subjects = subjectsOf(user, address);
    const counts = this.#counts(tx, [subjects.pair, subjects.address]);
    const pair = counts.get(subjects.pair);
    const whole = pair?.good ? undefined : counts.get(subjects.address);
    return Math.max(0, (pair?.until ?? 0) - now, (whole?.until ?? 0) - now);
  }

  /** Notes a failure; answers the milliseconds until the next try. */
  failed(tx: Transaction, user: string, address: string): number {
    const { entries, memory, perUserAtAddress, perAddress, perUser } = this.#limits;
    const now = this.#now();
    const subjects = subjectsOf(user, address);
    const before = this.#counts(tx, Object.values(subjects));
    const everywhere = (before.get(subjects.user)?.failures ?? 0) + 1;
    const allowed = {
      pair: everywhere > perUser ? 1 : perUserAtAddress,
      address: perAddress,
      user: Number.POSITIVE_INFINITY,
    };
    for (const scope of ['user', 'pair', 'address'] as const) {
      const subject = subjects[scope];
      const { failures = 0, good = false } = before.get(subject) ?? {};
      const wait = this.#waitAfter(failures + 1 - allowed[scope]);
      // Times of other servers may be a little behind: to them, now would be a time to wait for.
      const until = wait === 0 ? 0 : now + wait;
      writeSignInCount(tx, { scope, subject, failures: failures + 1, last: now, until, good });
    }
    this.#untilPurge -= 1;
    if (this.#untilPurge <= 0) {
      this.#untilPurge = this.#purgeInterval;
      purgeSignInCounts(tx, now - memory, entries - this.#purgeInterval);
    }
    return this.waitIn(tx, user, address);
  }

  /**
   * Notes a success, where that changes what is counted or it is asked for: a promise until it is
   * durable, and undefined where nothing is written.
   */
  succeeded(user: string, address: string, always = false): Promise<void> | undefined {
    if (always) return this.#store.write((tx) => this.#forgive(tx, user, address));
    const { pair } = subjectsOf(user, address);
    const known = this.#store.read((tx) => this.#counts(tx, [pair]).get(pair));
    const isFresh = known && this.#now() - known.last < this.#limits.memory / 3;
    if (known?.good && known.failures === 0 && isFresh) return undefined;
    return this.#store.write((tx) => this.#forgive(tx, user, address));
  }

  #forgive(tx: Transaction, user: string, address: string): void {
    const subjects = subjectsOf(user, address);
    const counts = this.#counts(tx, Object.values(subjects));
    const forgiven = counts.get(subjects.pair)?.failures ?? 0;
    const last = this.#now();
    const subject = subjects.pair;
    writeSignInCount(tx, { scope: 'pair', subject, failures: 0, last, until: 0, good: true });
    if (forgiven === 0) return;
    // What the user mistyped is forgiven; what the address tried as others is not.
    for (const other of [counts.get(subjects.address), counts.get(subjects.user)]) {
      if (!other) continue;
      writeSignInCount(tx, { ...other, failures: Math.max(0, other.failures - forgiven) });
    }
  }

  #counts(tx: Transaction, subjects: readonly string[]): Map<string, SignInCount> {
    return signInCounts(tx, subjects, this.#now() - this.#limits.memory);
  }

  /** Milliseconds to wait after so many failures beyond those that are allowed. */
  #waitAfter(beyond: number): number {
    const { firstWait, longestWait } = this.#limits;
    return beyond < 0 ? 0 : Math.min(longestWait, firstWait * 2 ** Math.min(beyond, 30));
  }
}

function subjectsOf(user: string, address: string): Subjects {
  const network = networkOf(address);
  // Names come from anybody, and may be as long as a request.
  const name = user.slice(0, longestName);
  return {
    pair: hashOf('pair', network, name),
    address: hashOf('address', network),
    user: hashOf('user', name),
  };
}

function hashOf(...words: readonly string[]): string {
  return createHash('sha256').update(words.join('\0')).digest('base64url');
}

/** An IPv4 address, or the network of an IPv6 address: whoever has one has 2^64 of them. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '').replace(/%.*$/, '');
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = plain.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = new Array<string>(Math.max(0, 8 - front.length - back.length)).fill('0');
  const groups = tail === undefined ? front : [...front, ...zeros, ...back];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
