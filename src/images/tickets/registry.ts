/** Registry of the tickets of a daemon. */
import { isAbsolute } from 'node:path';
import { findLocationProblem, formatLocation } from '../backends/location.ts';
import { forbidden } from '../http/errors.ts';
import type { Clock } from '../system/clock.ts';
import { LiveTicket, type OpenBackend } from './ticket.ts';
import type { Ticket, TicketState } from './types.ts';

const DEFAULT_WAIT = 60_000;

export class TicketRegistry {
  readonly #live = new Map<string, LiveTicket>();
  readonly #clock: Clock;
  readonly #open: OpenBackend;

  constructor(clock: Clock, open: OpenBackend) {
    this.#clock = clock;
    this.#open = open;
  }

  /** Adds a ticket. Throws if it is malformed or its id is in use. */
  add(ticket: Ticket): void {
    const problem = findProblem(ticket);
    if (problem) throw new Error(`malformed ticket: ${problem}`);
    if (this.#live.has(ticket.id)) throw new Error('a ticket with this id already exists');
    const image = formatLocation(ticket.image);
    const other = [...this.#live.values()].find(
      (live) => formatLocation(live.ticket.image) === image,
    );
    const live = new LiveTicket(
      structuredClone(ticket),
      this.#clock,
      this.#open,
      other?.writtenDigests,
    );
    this.#live.set(ticket.id, live);
  }

  state(id: string): TicketState | undefined {
    return this.#live.get(id)?.state;
  }

  /** Ticket and its state. */
  get(id: string): { ticket: Ticket; state: TicketState } | undefined {
    const live = this.#live.get(id);
    return live && { ticket: live.ticket, state: live.state };
  }

  /** Ids of all tickets. */
  ids(): string[] {
    return [...this.#live.keys()];
  }

  /** Sets the expiry of a ticket to `timeout` seconds from now. Its timeout remains unchanged. */
  extend(id: string, timeout: number): void {
    const live = this.#live.get(id);
    if (!live) throw new Error('ticket not found');
    if (!isDuration(timeout)) throw new Error('timeout is not a number of seconds');
    live.extend(timeout);
  }

  /** Restarts the idle time of a ticket. */
  touch(id: string): void {
    const live = this.#live.get(id);
    if (!live) throw new Error('ticket not found');
    live.touch();
  }

  /** See `ImageDaemon.remove`. */
  async remove(id: string, waitMs = DEFAULT_WAIT): Promise<TicketState | undefined> {
    const live = this.#live.get(id);
    if (!live) return undefined;
    live.cancel();
    let stopWaiting: () => void = () => {};
    const tooLong = new Promise<boolean>((resolve) => {
      stopWaiting = this.#clock.schedule(waitMs, () => resolve(false));
    });
    const idle = await Promise.race([live.idle().then(() => true), tooLong]);
    stopWaiting();
    if (!idle) {
      throw new Error(
        `operations on the ticket are still running after ${waitMs} ms; remove it again`,
      );
    }
    await live.close();
    // Two removals can wait for the same ticket, and its id can be in use again.
    if (this.#live.get(id) === live) this.#live.delete(id);
    return live.state;
  }

  /** Ticket with an id. Throws the same refusal as for an invalid ticket if it does not exist. */
  find(id: string): LiveTicket {
    const live = this.#live.get(id);
    if (!live) throw forbidden();
    return live;
  }

  /** Abandons stuck operations. */
  abandon(): void {
    for (const live of this.#live.values()) live.abandon();
  }

  /** Cancels all tickets, waits for their operations, and closes the images. */
  async close(): Promise<void> {
    const all = [...this.#live.values()];
    for (const live of all) live.cancel();
    await Promise.all(all.map((live) => live.idle().then(() => live.close())));
    this.#live.clear();
  }
}

function findProblem(ticket: Ticket): string | undefined {
  if (typeof ticket.id !== 'string' || ticket.id === '') return 'id is empty';
  if (!Number.isSafeInteger(ticket.size) || ticket.size < 0) return 'size is not a number of bytes';
  const isKnown = (op: string) => op === 'read' || op === 'write';
  if (!Array.isArray(ticket.ops) || ticket.ops.length === 0 || !ticket.ops.every(isKnown)) {
    return "ops is not a list of 'read' and 'write'";
  }
  const locationProblem = findLocationProblem(ticket.image);
  if (locationProblem) return locationProblem;
  const bitmaps = [ticket.trackingBitmap, ...(ticket.changes ?? []).map(({ path }) => path)];
  if (bitmaps.some((path) => path !== undefined && !isAbsolute(path))) {
    return 'the path of a dirty bitmap is not absolute';
  }
  if (!isDuration(ticket.timeout)) return 'timeout is not a number of seconds';
  if (!isDuration(ticket.inactivityTimeout)) return 'inactivityTimeout is not a number of seconds';
  return undefined;
}

function isDuration(seconds: number): boolean {
  return Number.isFinite(seconds) && seconds >= 0;
}
