/**
 * Ids of events that are set aside. Who reads sees a change before it is durable, and a power cut may
 * take it away again; the id of such an event must not come back for another one, or who has read up
 * to it would never see that. So ids are durably set aside before they are given, and the store goes
 * on behind all of them when it was not closed.
 */
import type { Statement } from './driver.ts';

/** The counter of the events, and the greatest id that was set aside, in the table `counter`. */
const given = 'event';
export const setAside = 'event_set_aside';

/** Ids that are set aside at a time. */
const ahead = 1_000;

/** The greatest id of an event that was given. */
export function lastEventId(tx: { statement(sql: string): Statement }): number {
  const row = tx.statement('SELECT value FROM counter WHERE name = ?').get(given);
  return Number(row?.['value'] ?? 0);
}

export class EventIds {
  readonly #statement: (sql: string) => Statement;
  /** The greatest id that was set aside, by what is on the disk. */
  #durable = 0;
  #stored = 0;

  constructor(statement: (sql: string) => Statement) {
    this.#statement = statement;
  }

  /** Goes on behind the ids that may have been seen. Called when the store is opened. */
  begin(): void {
    const last = this.#value(setAside);
    if (last > this.#value(given)) this.#set(given, last);
    this.extend();
  }

  /**
   * Sets more ids aside where half of them are gone. Called before each commit; returns whether the
   * commit gives ids beyond those that are set aside: nobody may see it before it is durable.
   */
  extend(): boolean {
    const last = this.#value(given);
    this.#stored = this.#value(setAside);
    // Also where the counter has begun again, with another site.
    if (this.#stored - last < ahead / 2 || this.#stored - last > ahead) {
      this.#stored = last + ahead;
      this.#set(setAside, this.#stored);
    }
    return last > this.#durable;
  }

  /** What the last commit has set aside is on the disk. */
  durable(): void {
    this.#durable = this.#stored;
  }

  /** Gives back what was not given. Called when the store is closed. */
  release(): void {
    this.#set(setAside, this.#value(given));
  }

  #value(counter: string): number {
    const row = this.#statement('SELECT value FROM counter WHERE name = ?').get(counter);
    return Number(row?.['value'] ?? 0);
  }

  #set(counter: string, value: number): void {
    this.#statement(
      'INSERT INTO counter (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    ).run(counter, value);
  }
}
