/**
 * Time of day and service time. Objects and events show the time of day, which people and NTP
 * adjust. Due times and durations use the service time, which is monotonic.
 */
import type { Store } from '../store/store.ts';

/** Time source that tests replace. */
export interface Clock {
  /** The time of day. */
  now(): Date;
  /** Milliseconds since an arbitrary moment; never decreases. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now(),
};

const key = 'service_time';

/** Milliseconds between two records of the service time. */
export const recordIntervalMs = 60_000;

interface TimeRecord {
  /** Service time of the record, and the time of day then; milliseconds. */
  readonly steady: number;
  readonly wall: number;
  /** Whether the server stopped cleanly with this record. */
  readonly ended: boolean;
}

/**
 * Service time in milliseconds: the total time that a server ran. It starts at the time of day of
 * the first start and pauses while no server runs. A stored moment therefore has the same remaining
 * time after a restart, even if a clock was adjusted.
 */
export class ServiceTime {
  readonly #clock: Clock;
  #base: number;
  readonly #begun: number;

  private constructor(clock: Clock, base: number) {
    this.#clock = clock;
    this.#base = base;
    this.#begun = clock.monotonic();
  }

  /** Continues from `running`, the time of running servers, or from the last record in the store. */
  static async begin(store: Store, clock: Clock, running?: number): Promise<ServiceTime> {
    const text = store.meta(key);
    const wall = clock.now().getTime();
    const base = text === undefined ? wall : resumedTime(text, wall);
    const time = new ServiceTime(clock, running ?? base);
    await time.note(store);
    return time;
  }

  /** Advances to the later time of another server of the same store. */
  advanceTo(time: number): void {
    this.#base += Math.max(0, time - this.now());
  }

  /** The current service time. */
  now(): number {
    return Math.floor(this.#base + this.#clock.monotonic() - this.#begun);
  }

  /** Records the service time durably. */
  note(store: Store, ended = false): Promise<void> {
    const noted: TimeRecord = { steady: this.now(), wall: this.#clock.now().getTime(), ended };
    return store.write(() => store.setMeta(key, JSON.stringify(noted)));
  }
}

/**
 * The service time at a start. A killed server ran for at most one interval after its last record.
 * The time of day tells how long, unless it was adjusted.
 */
function resumedTime(text: string, wall: number): number {
  // `note` wrote this text.
  const { steady, wall: then, ended } = JSON.parse(text) as TimeRecord;
  return ended ? steady : steady + Math.min(Math.max(0, wall - then), recordIntervalMs);
}
