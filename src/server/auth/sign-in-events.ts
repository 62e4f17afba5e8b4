/** Events of sign-ins: of every one that succeeds or fails, as long as they are few. */
import { type Caller, RuleContext, type Site } from '../core/context.ts';
import type { Transaction } from '../store/transaction.ts';
import { networkOf } from './sign-in-throttle.ts';

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
  untold: number;
}

export class SignInEvents {
  readonly #site: Site;
  readonly #now: () => number;
  readonly #told = new Map<string, Told>();
  #window = Number.NEGATIVE_INFINITY;
  #failures = 0;

  /** @param now milliseconds of a clock that never goes back */
  constructor(site: Site, now: () => number) {
    this.#site = site;
    this.#now = now;
  }

  /** The event of a success; undefined where enough were written. */
  success(caller: Caller, address: string): ((tx: Transaction) => void) | undefined {
    const told = this.#of(`+${caller.userName}`, address);
    if (told.left === 0) return undefined;
    told.left -= 1;
    return (tx) =>
      new RuleContext(tx, this.#site, caller).event('USER_LOGGED_IN', {}, { SourceIP: address });
  }

  /** The event of a failure; undefined where enough were written. The next one tells how many. */
  failure(user: string, address: string, reason: string): ((tx: Transaction) => void) | undefined {
    const told = this.#of(`-${user}`, address);
    if (told.left === 0 || !this.#mayFail()) {
      told.untold += 1;
      return undefined;
    }
    told.left -= 1;
    const more = told.untold === 0 ? '' : ` (${told.untold} more since the last event)`;
    told.untold = 0;
    const words = {
      UserName: user.length > longestName ? `${user.slice(0, longestName)}...` : user,
      SourceIP: address,
      Reason: `${reason}${more}`,
    };
    return (tx) => RuleContext.system(tx, this.#site).event('USER_LOGIN_FAILED', {}, words);
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
    const told = this.#told.get(key) ?? { left: burst, since: now, untold: 0 };
    const earned = Math.floor((now - told.since) / interval);
    if (earned > 0) {
      told.left = Math.min(burst, told.left + earned);
      told.since += earned * interval;
    }
    this.#told.delete(key);
    this.#told.set(key, told);
    const oldest = this.#told.keys().next();
    if (this.#told.size > entries && !oldest.done) this.#told.delete(oldest.value);
    return told;
  }
}
