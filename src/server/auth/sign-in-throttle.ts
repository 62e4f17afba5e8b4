/**
 * Delays after failed sign-ins. Three counts apply:
 *
 * - failures of a user at an address: after ten in a row, each further one increases the delay;
 * - failures of an address with any user: likewise after fifty, but not for users who have signed
 *   in from there before;
 * - failures of a user at any address: after a hundred, an address has one attempt instead of ten.
 *   An address without failures always has an attempt, so that nobody can lock a user out from
 *   elsewhere.
 *
 * Attempts during a delay are refused and not counted. A success resets the failures of the user at
 * the address. The store contains a bounded number of counts: they apply to all servers of a site
 * and survive a restart.
 */

import { createHash } from 'node:crypto';
import {
  latestWait,
  purgeSignInCounts,
  readSignInCounts,
  type SignInCount,
  writeSignInCount,
} from '../store/sign-in-counts.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';

export interface SignInLimits {
  readonly perUserAtAddress: number;
  readonly perAddress: number;
  readonly perUser: number;
  /** Milliseconds of the first delay; each further failure doubles it. */
  readonly firstWait: number;
  readonly longestWait: number;
  /** Milliseconds after which failures expire. */
  readonly memory: number;
  /** Maximum stored counts of users, of addresses, and of users at addresses, each. */
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

/** Subjects of the three counts. */
interface Subjects {
  readonly pair: string;
  readonly address: string;
  readonly user: string;
}

export class SignInThrottle {
  readonly #store: Store;
  readonly #limits: SignInLimits;
  readonly #now: () => number;
  /** Latest end of all delays, in one version of the store. */
  #latest = 0;
  #version = -1;
  /** Failures between two purges, because each purge scans all counts. */
  readonly #purgeInterval: number;
  #untilPurge = 0;

  /** @param now service time in milliseconds, which continues after a restart */
  constructor(store: Store, now: () => number, limits: SignInLimits = defaultSignInLimits) {
    this.#store = store;
    this.#now = now;
    this.#limits = limits;
    this.#purgeInterval = Math.ceil(limits.entries / 100);
  }

  /**
   * Milliseconds until the user may try again from an address; 0 for immediately. Cheap while no
   * delay is active.
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

  /** The same inside a transaction. */
  waitIn(tx: Transaction, user: string, address: string): number {
    const now = this.#now();
    const subjects = hashSubjects(user, address);
    const counts = this.#counts(tx, [subjects.pair, subjects.address]);
    const pair = counts.get(subjects.pair);
    const whole = pair?.good ? undefined : counts.get(subjects.address);
    return Math.max(0, (pair?.until ?? 0) - now, (whole?.until ?? 0) - now);
  }

  /** Counts a failure. Returns the milliseconds until the next attempt. */
  failed(tx: Transaction, user: string, address: string): number {
    const { entries, memory, perUserAtAddress, perAddress, perUser } = this.#limits;
    const now = this.#now();
    const subjects = hashSubjects(user, address);
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
      // Another server's clock may be slightly behind: the current time would delay its attempts.
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
   * Records a success if it changes the counts or `always` is set. The promise resolves after it is
   * durable; undefined if nothing is written.
   */
  succeeded(user: string, address: string, always = false): Promise<void> | undefined {
    if (always) return this.#store.write((tx) => this.#forgive(tx, user, address));
    const { pair } = hashSubjects(user, address);
    const known = this.#store.read((tx) => this.#counts(tx, [pair]).get(pair));
    const isFresh = known && this.#now() - known.last < this.#limits.memory / 3;
    if (known?.good && known.failures === 0 && isFresh) return undefined;
    return this.#store.write((tx) => this.#forgive(tx, user, address));
  }

  #forgive(tx: Transaction, user: string, address: string): void {
    const subjects = hashSubjects(user, address);
    const counts = this.#counts(tx, Object.values(subjects));
    const forgiven = counts.get(subjects.pair)?.failures ?? 0;
    const last = this.#now();
    const subject = subjects.pair;
    writeSignInCount(tx, { scope: 'pair', subject, failures: 0, last, until: 0, good: true });
    if (forgiven === 0) return;
    // Failures of the user at the address no longer count; failures of the address with other users
    // do.
    for (const other of [counts.get(subjects.address), counts.get(subjects.user)]) {
      if (!other) continue;
      writeSignInCount(tx, { ...other, failures: Math.max(0, other.failures - forgiven) });
    }
  }

  #counts(tx: Transaction, subjects: readonly string[]): Map<string, SignInCount> {
    return readSignInCounts(tx, subjects, this.#now() - this.#limits.memory);
  }

  /** Milliseconds of the delay for the failures beyond the permitted ones. */
  #waitAfter(beyond: number): number {
    const { firstWait, longestWait } = this.#limits;
    return beyond < 0 ? 0 : Math.min(longestWait, firstWait * 2 ** Math.min(beyond, 30));
  }
}

function hashSubjects(user: string, address: string): Subjects {
  const network = normalizeAddress(address);
  // Clients send arbitrary names, up to the length of a request.
  const name = user.slice(0, longestName);
  return {
    pair: hashWords('pair', network, name),
    address: hashWords('address', network),
    user: hashWords('user', name),
  };
}

function hashWords(...words: readonly string[]): string {
  return createHash('sha256').update(words.join('\0')).digest('base64url');
}

/** An IPv4 address, or the network of an IPv6 address: a client has 2^64 of those. */
export function normalizeAddress(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '').replace(/%.*$/, '');
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = plain.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = new Array<string>(Math.max(0, 8 - front.length - back.length)).fill('0');
  const groups = tail === undefined ? front : [...front, ...zeros, ...back];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
