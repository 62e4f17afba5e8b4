/**
 * Two kinds of time. The time of day is what objects and events show; people and NTP turn it. What is
 * due, and what ends, goes by the time that the service has run: it never goes back and does not jump.
 */
import type { Store } from '../store/store.ts';

/** What tests replace. */
export interface Clock {
  /** The time of day. */
  now(): Date;
  /** Milliseconds since an arbitrary moment; never goes back. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now(),
};

const key = 'service_time';

/** Milliseconds between two notes of the time that the service has run. */
export const noteInterval = 60_000;

interface Noted {
  /** Service time of the note, and the time of day then; milliseconds. */
  readonly steady: number;
  readonly wall: number;
  /** The server has ended with this note. */
  readonly ended: boolean;
}

/**
 * The time that the service has run, in milliseconds. It counts from the time of day of its first
 * start and stands still while no server runs, so that what is kept as a moment of it has the same
 * time left after a restart, whatever happened to the clocks.
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

  /** Goes on where the last server of the store has stopped, or where those are that run now. */
  static async begin(store: Store, clock: Clock): Promise<ServiceTime> {
    const text = store.meta(key);
    const wall = clock.now().getTime();
    const latest = store.read((tx) => Math.max(...tx.servers.all().map(({ seen }) => seen)));
    const base = text === undefined ? wall : goneOn(text, wall);
    const time = new ServiceTime(clock, Number.isFinite(latest) ? latest : base);
    await time.note(store);
    return time;
  }

  /** Catches up with another server of the same store, whose time is later. */
  advanceTo(time: number): void {
    this.#base += Math.max(0, time - this.now());
  }

  /** The service time now. */
  now(): number {
    return Math.floor(this.#base + this.#clock.monotonic() - this.#begun);
  }

  /** Notes durably how late it is. */
  note(store: Store, ended = false): Promise<void> {
    const noted: Noted = { steady: this.now(), wall: this.#clock.now().getTime(), ended };
    return store.write(() => store.setMeta(key, JSON.stringify(noted)));
  }
}

/**
 * The service time at a start. A server that was killed has run for some time after its last note, at
 * most until the next one; the time of day says how long, unless it was turned.
 */
function goneOn(text: string, wall: number): number {
  // `note` wrote it.
  const { steady, wall: then, ended } = JSON.parse(text) as Noted;
  return ended ? steady : steady + Math.min(Math.max(0, wall - then), noteInterval);
}
