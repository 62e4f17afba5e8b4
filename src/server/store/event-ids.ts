/**
 * Reservation of event ids. Readers see events before they are durable, and a power cut may lose
 * these events. A lost id must not return for another event: a client that has read up to it would
 * miss that event. Ids are therefore durably reserved before use. After an unclean shutdown, the
 * store continues after all reserved ids.
 */
import type { Statement } from './driver.ts';

/** Names in the table `counter`: the last used id, and the last reserved one. */
const given = 'event';
export const setAside = 'event_set_aside';

/** Ids per reservation. */
const ahead = 1_000;

/** The last used event id. */
export function lastEventId(tx: { statement(sql: string): Statement }): number {
  const row = tx.statement('SELECT value FROM counter WHERE name = ?').get(given);
  return Number(row?.['value'] ?? 0);
}

export class EventIds {
  readonly #statement: (sql: string) => Statement;
  /** The last durably reserved id. */
  #durable = 0;
  #stored = 0;

  constructor(statement: (sql: string) => Statement) {
    this.#statement = statement;
  }

  /** Continues after all ids that clients may have seen. Called when the store is opened. */
  begin(): void {
    const last = this.#value(setAside);
    if (last > this.#value(given)) this.#set(given, last);
    this.extend();
  }

  /**
   * Reserves more ids after half of them are used. Called before each commit. Returns whether the
   * commit uses ids beyond the durable reservation: it must not be visible before it is durable.
   */
  extend(): boolean {
    const last = this.#value(given);
    this.#stored = this.#value(setAside);
    // Also applies after a counter reset, with another site.
    if (this.#stored - last < ahead / 2 || this.#stored - last > ahead) {
      this.#stored = last + ahead;
      this.#set(setAside, this.#stored);
    }
    return last > this.#durable;
  }

  /** Records that the reservation of the last commit is durable. */
  durable(): void {
    this.#durable = this.#stored;
  }

  /** Releases unused ids. Called when the store is closed. */
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
