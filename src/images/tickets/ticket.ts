/** Lifecycle of a ticket: permission, expiry, running operations, transferred bytes. */

import { RangeSet } from '../../extents/range-set.ts';
import type { Backend } from '../backends/backend.ts';
import { forbidden, HttpError } from '../http/errors.ts';
import type { Clock } from '../system/clock.ts';
import { SharedFlush } from './shared-flush.ts';
import type { Ticket, TicketState } from './types.ts';
import { WrittenDigests } from './written-digests.ts';

/** Opens the image of a ticket. */
export type OpenBackend = (ticket: Ticket) => Promise<Backend>;

/** Connection as far as tickets need it. */
interface Closing {
  onClose(listener: () => void): () => void;
}

/** Active ticket. The first operation opens its image, which remains open until `close`. */
export class LiveTicket {
  readonly ticket: Ticket;
  /** Digests that tickets for the same image share. */
  readonly writtenDigests: WrittenDigests;
  readonly #clock: Clock;
  readonly #open: OpenBackend;
  readonly #operations = new Set<Operation>();
  readonly #connections = new Set<Closing>();
  readonly #ranges = new RangeSet();
  #backend: Promise<Backend> | undefined;
  #flush: SharedFlush | undefined;
  #deadline: number;
  #lastActivity: number;
  #cancelled = false;
  #onIdle: (() => void)[] = [];

  constructor(
    ticket: Ticket,
    clock: Clock,
    open: OpenBackend,
    writtenDigests = new WrittenDigests(),
  ) {
    this.ticket = ticket;
    this.writtenDigests = writtenDigests;
    this.#clock = clock;
    this.#open = open;
    this.#lastActivity = clock.now();
    this.#deadline = this.#lastActivity + ticket.timeout * 1000;
  }

  get state(): TicketState {
    const active = this.#operations.size > 0;
    return {
      id: this.ticket.id,
      active,
      transferred: this.#ranges.total,
      idle: active ? 0 : (this.#clock.now() - this.#lastActivity) / 1000,
      expired: this.#expired,
      expiresIn: (this.#deadline - this.#clock.now()) / 1000,
      cancelled: this.#cancelled,
      connections: this.#connections.size,
      failed: this.#flush?.failed ?? false,
    };
  }

  /** Counts a connection that uses the ticket until it is closed. */
  usedBy(connection: Closing): void {
    if (this.#connections.has(connection)) return;
    this.#connections.add(connection);
    connection.onClose(() => this.#connections.delete(connection));
  }

  /** Whether the ticket was removed or has expired. */
  get ended(): boolean {
    return this.#cancelled || this.#expired;
  }

  /** A ticket cannot expire during an operation. */
  get #expired(): boolean {
    return this.#operations.size === 0 && this.#clock.now() >= this.#deadline;
  }

  /** Sets the expiry to `timeout` seconds from now. */
  extend(timeout: number): void {
    this.#deadline = this.#clock.now() + timeout * 1000;
  }

  /** Restarts the idle time and the timeout after a use. */
  touch(): void {
    this.#lastActivity = this.#clock.now();
    this.extend(this.ticket.timeout);
  }

  /** Throws the refusal unless the ticket permits `need` now. */
  check(need: 'read' | 'write'): void {
    const { ops } = this.ticket;
    const allowed = ops.includes('write') || (need === 'read' && ops.includes('read'));
    if (!allowed || this.ended) throw forbidden();
  }

  /** Starts an operation, which the caller ends with `finish`. Throws like `check`. */
  begin(need: 'read' | 'write'): Operation {
    this.check(need);
    if (this.#flush?.failed) {
      throw new HttpError(500, 'The storage of this image has lost data; the transfer is over.', {
        close: true,
      });
    }
    const operation = new Operation(this, {
      backend: () => this.#openOnce(),
      flush: async () => {
        await this.#openOnce();
        await this.#flush?.run();
      },
      transferred: (start, end) => this.#ranges.add(start, end),
      finished: () => this.#finished(operation),
    });
    this.#operations.add(operation);
    return operation;
  }

  /** Refuses new operations and cancels running ones. */
  cancel(): void {
    this.#cancelled = true;
    for (const operation of this.#operations) operation.cancel();
  }

  /** Resolves when no operation runs. */
  idle(): Promise<void> {
    if (this.#operations.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  /** Closes the image. Only for an idle, cancelled ticket. */
  async close(): Promise<void> {
    const backend = this.#backend;
    this.#backend = undefined;
    await backend?.then(
      (opened) => opened.close(),
      () => {},
    );
  }

  /** Fails stuck operations, if the backend supports this. */
  abandon(): void {
    this.#backend?.then(
      (opened) => opened.abandon?.(),
      () => {},
    );
  }

  #openOnce(): Promise<Backend> {
    if (!this.#backend) {
      const opening = this.#open(this.ticket);
      this.#backend = opening;
      opening.then(
        (backend) => {
          this.#flush = new SharedFlush(() => backend.flush());
        },
        () => {
          // The next operation tries again.
          this.#backend = undefined;
        },
      );
    }
    return this.#backend;
  }

  #finished(operation: Operation): void {
    if (!this.#operations.delete(operation)) return;
    this.touch();
    if (this.#operations.size > 0) return;
    const waiting = this.#onIdle;
    this.#onIdle = [];
    for (const resolve of waiting) resolve();
  }
}

interface OperationHooks {
  backend: () => Promise<Backend>;
  flush: () => Promise<void>;
  transferred: (start: number, end: number) => void;
  finished: () => void;
}

/** Running request for a ticket's image. */
export class Operation {
  readonly live: LiveTicket;
  readonly #hooks: OperationHooks;
  #cancelled = false;
  #onCancel: (() => void) | undefined;

  constructor(live: LiveTicket, hooks: OperationHooks) {
    this.live = live;
    this.#hooks = hooks;
  }

  get ticket(): Ticket {
    return this.live.ticket;
  }

  /** Throws the refusal if the ticket was removed. Called between two buffers. */
  check(): void {
    if (this.#cancelled) throw forbidden();
  }

  /** Callback for a cancellation while the operation waits for its client. */
  set onCancel(wake: (() => void) | undefined) {
    this.#onCancel = wake;
    if (this.#cancelled) wake?.();
  }

  cancel(): void {
    this.#cancelled = true;
    this.#onCancel?.();
  }

  /** Open image. Rejects if it cannot be opened. */
  backend(): Promise<Backend> {
    return this.#hooks.backend();
  }

  /** Resolves when all earlier writes are on stable storage. */
  flush(): Promise<void> {
    return this.#hooks.flush();
  }

  /** Records the bytes from `start` up to but not including `end` as transferred. */
  transferred(start: number, end: number): void {
    this.#hooks.transferred(start, end);
  }

  /** Ends the operation and restarts the timeout of the ticket. Later calls have no effect. */
  finish(): void {
    this.#hooks.finished();
  }
}
