/** Bounded queue of expensive work (password hashes, image conversions), fair between callers. */

export interface WorkLimits {
  /** Tasks that run concurrently. */
  readonly atOnce: number;
  /** The same for one party; without it, a party may use all of `atOnce`. */
  readonly atOncePerParty?: number;
  /** Maximum waiting tasks, and those of one party. Default: unlimited. */
  readonly waiting?: number;
  readonly waitingPerParty?: number;
}

type Work = () => Promise<void>;

/** Queues by name. After its turn a queue moves to the end of the line. */
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

  /** Takes an item of the next queue whose name is free; `isEmpty` returns whether the queue is empty afterwards. */
  take<R>(
    from: (queue: T, name: string) => R,
    isEmpty: (queue: T) => boolean,
    isFree: (name: string) => boolean = () => true,
  ): R | undefined {
    for (const [name, queue] of this.#queues) {
      if (!isFree(name)) continue;
      const taken = from(queue, name);
      this.#queues.delete(name);
      if (!isEmpty(queue)) this.#queues.set(name, queue);
      return taken;
    }
    return undefined;
  }
}

/** Waiting work of one party, by member. */
interface Party {
  readonly members: Turns<Work[]>;
  waiting: number;
}

export class WorkQueue {
  readonly #limits: Required<WorkLimits>;
  readonly #refusal: () => Error;
  readonly #parties = new Turns<Party>();
  /** Running work by party. Parties without any are absent. */
  readonly #runningByParty = new Map<string, number>();
  #waiting = 0;
  #running = 0;

  /** @param refusal error of work that exceeds the limits of waiting work */
  constructor(
    { atOnce, atOncePerParty = atOnce, waiting, waitingPerParty }: WorkLimits,
    refusal = () => new Error('the work queue is full'),
  ) {
    this.#limits = {
      atOnce,
      atOncePerParty,
      waiting: waiting ?? Number.POSITIVE_INFINITY,
      waitingPerParty: waitingPerParty ?? Number.POSITIVE_INFINITY,
    };
    this.#refusal = refusal;
  }

  /**
   * Runs work when its turn comes, and settles as the work does. Parties take turns, and so do the members of
   * each. Rejects with the refusal if the work queue is full. Work must not wait for other work of the same queue.
   * @param party caller: an address or the id of a user
   * @param member user name among those that share an address
   */
  run<T>(party: string, member: string, work: () => Promise<T>): Promise<T> {
    const { waiting, waitingPerParty } = this.#limits;
    const own = this.#parties.get(party)?.waiting ?? 0;
    if (this.#waiting >= waiting || own >= waitingPerParty) return Promise.reject(this.#refusal());
    return new Promise<T>((resolve, reject) => {
      const { members } = this.#getParty(party);
      members.of(member, () => []).push(() => work().then(resolve, reject));
      this.#getParty(party).waiting += 1;
      this.#waiting += 1;
      this.#next();
    });
  }

  #getParty(name: string): Party {
    return this.#parties.of(name, () => ({ members: new Turns<Work[]>(), waiting: 0 }));
  }

  #next(): void {
    const { atOnce, atOncePerParty } = this.#limits;
    if (this.#running >= atOnce) return;
    const next = this.#parties.take(
      (party, name) => ({ name, work: takeWork(party) }),
      ({ waiting }) => waiting === 0,
      (name) => (this.#runningByParty.get(name) ?? 0) < atOncePerParty,
    );
    if (!next?.work) return;
    const { name, work } = next;
    this.#waiting -= 1;
    this.#count(name, 1);
    work().finally(() => {
      this.#count(name, -1);
      this.#next();
    });
  }

  #count(party: string, change: 1 | -1): void {
    const running = (this.#runningByParty.get(party) ?? 0) + change;
    if (running > 0) this.#runningByParty.set(party, running);
    else this.#runningByParty.delete(party);
    this.#running += change;
  }
}

function takeWork(party: Party): Work | undefined {
  party.waiting -= 1;
  return party.members.take(
    (queue) => queue.shift(),
    (queue) => queue.length === 0,
  );
}
