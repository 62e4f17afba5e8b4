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
 * failures of that user at that address. All is kept in memory, within bounds.
 */

export interface SignInLimits {
  readonly perUserAtAddress: number;
  readonly perAddress: number;
  readonly perUser: number;
  /** Milliseconds of the first wait; each further failure doubles it. */
  readonly firstWait: number;
  readonly longestWait: number;
  /** Milliseconds after which failures are forgotten. */
  readonly memory: number;
  /** Users and addresses that are remembered. */
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

interface Count {
  failures: number;
  last: number;
  until: number;
  /** The user has signed in from there. */
  good: boolean;
}

export class SignInThrottle {
  readonly #limits: SignInLimits;
  readonly #now: () => number;
  readonly #pairs = new Map<string, Count>();
  readonly #addresses = new Map<string, Count>();
  readonly #users = new Map<string, Count>();

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number, limits: SignInLimits = defaultSignInLimits) {
    this.#now = now;
    this.#limits = limits;
  }

  /** Milliseconds until the user may try again from an address; 0 when at once. */
  wait(user: string, address: string): number {
    const network = networkOf(address);
    const pair = this.#current(this.#pairs, pairKey(user, network));
    const whole = pair?.good ? undefined : this.#current(this.#addresses, network);
    return Math.max(0, (pair?.until ?? 0) - this.#now(), (whole?.until ?? 0) - this.#now());
  }

  /** Notes a failure; answers the milliseconds until the next try. */
  failed(user: string, address: string): number {
    const network = networkOf(address);
    const { perUserAtAddress, perAddress, perUser } = this.#limits;
    const everywhere = this.#count(this.#users, userKey(user), Number.POSITIVE_INFINITY);
    const isAttacked = everywhere.failures > perUser;
    this.#count(this.#pairs, pairKey(user, network), isAttacked ? 1 : perUserAtAddress);
    this.#count(this.#addresses, network, perAddress);
    return this.wait(user, address);
  }

  /** Notes a success. */
  succeeded(user: string, address: string): void {
    const network = networkOf(address);
    const key = pairKey(user, network);
    const failures = this.#current(this.#pairs, key)?.failures ?? 0;
    this.#keep(this.#pairs, key, { failures: 0, last: this.#now(), until: 0, good: true });
    // What the user mistyped is forgiven; what the address tried as others is not.
    for (const count of [this.#addresses.get(network), this.#users.get(userKey(user))]) {
      if (count) count.failures = Math.max(0, count.failures - failures);
    }
  }

  #current(counts: Map<string, Count>, key: string): Count | undefined {
    const count = counts.get(key);
    if (!count || this.#now() - count.last <= this.#limits.memory) return count;
    counts.delete(key);
    return undefined;
  }

  #count(counts: Map<string, Count>, key: string, allowed: number): Count {
    const now = this.#now();
    const before = this.#current(counts, key);
    const failures = (before?.failures ?? 0) + 1;
    const { firstWait, longestWait } = this.#limits;
    const beyond = failures - allowed;
    const wait = beyond < 0 ? 0 : Math.min(longestWait, firstWait * 2 ** Math.min(beyond, 30));
    const count = { failures, last: now, until: now + wait, good: before?.good ?? false };
    this.#keep(counts, key, count);
    return count;
  }

  /** What was used last is forgotten last. */
  #keep(counts: Map<string, Count>, key: string, count: Count): void {
    counts.delete(key);
    counts.set(key, count);
    if (counts.size <= this.#limits.entries) return;
    const oldest = counts.keys().next();
    if (!oldest.done) counts.delete(oldest.value);
  }
}

function pairKey(user: string, network: string): string {
  return `${network}\0${userKey(user)}`;
}

/** Names come from anybody, and may be as long as a request. */
function userKey(user: string): string {
  return user.slice(0, longestName);
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
