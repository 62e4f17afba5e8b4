/** Queue of password hashes: few at a time, limited in length, and fair between those who wait. */
import { availableParallelism } from 'node:os';
import { Refusal } from '../core/fault.ts';

export interface HashingLimits {
  readonly atOnce: number;
  /** Hashes that may wait, in all and of one party. */
  readonly waiting: number;
  readonly waitingPerParty: number;
}

const defaultHashingLimits: HashingLimits = {
  // One processor stays free for other work; Node has four threads for files and hashes.
  atOnce: Math.max(1, Math.min(2, availableParallelism() - 1)),
  waiting: 512,
  waitingPerParty: 256,
};

type Work = () => Promise<void>;

/** Queues by a name; the one whose turn it was goes to the end of the line. */
class Turns<T> {
  readonly #queues = new Map<string, T>();

  of(name: string, make: () => T): T {
    const known = this.#queues.get(name);
    if (known) return known;
    const made = make();
    this.#queues.set(name, made);
    return made;
  }

  get(name: string): T | undefined {
    return this.#queues.get(name);
  }

  /** Takes an item of the next queue; `isEmpty` tells whether that queue is empty afterwards. */
  take<R>(from: (queue: T) => R, isEmpty: (queue: T) => boolean): R | undefined {
    const first = this.#queues.entries().next();
    if (first.done) return undefined;
    const [name, queue] = first.value;
    const taken = from(queue);
    this.#queues.delete(name);
    if (!isEmpty(queue)) this.#queues.set(name, queue);
    return taken;
  }
}

/** Work of one address or signed-in user, by the user name of the sign-in. */
interface Party {
  readonly members: Turns<Work[]>;
  waiting: number;
}

export class HashingQueue {
  readonly #limits: HashingLimits;
  readonly #parties = new Turns<Party>();
  #waiting = 0;
  #running = 0;

  constructor(limits: HashingLimits = defaultHashingLimits) {
    this.#limits = limits;
  }

  /**
   * Runs work that hashes, by turns between parties and between the members of each. Refuses with 503
   * if too much waits.
   * @param party address of a client that signs in, or id of a user
   * @param member the name that is signed in as
   */
  run<T>(party: string, member: string, work: () => Promise<T>): Promise<T> {
    const { waiting, waitingPerParty } = this.#limits;
    const own = this.#parties.get(party)?.waiting ?? 0;
    if (this.#waiting >= waiting || own >= waitingPerParty) {
      const detail = 'Too many passwords wait to be hashed. Try again in a moment.';
      const headers = { 'Retry-After': '2' };
      return Promise.reject(new Refusal(503, 'Service Unavailable', detail, { headers }));
    }
    return new Promise<T>((resolve, reject) => {
      const { members } = this.#partyOf(party);
      members.of(member, () => []).push(() => work().then(resolve, reject));
      this.#partyOf(party).waiting += 1;
      this.#waiting += 1;
      this.#next();
    });
  }

  #partyOf(name: string): Party {
    return this.#parties.of(name, () => ({ members: new Turns<Work[]>(), waiting: 0 }));
  }

  #next(): void {
    if (this.#running >= this.#limits.atOnce) return;
    const work = this.#parties.take(takeWork, ({ waiting }) => waiting === 0);
    if (!work) return;
    this.#waiting -= 1;
    this.#running += 1;
    work().finally(() => {
      this.#running -= 1;
      this.#next();
    });
  }
}

function takeWork(party: Party): Work | undefined {
  party.waiting -= 1;
  return party.members.take(
    (queue) => queue.shift(),
    (queue) => queue.length === 0,
  );
}
