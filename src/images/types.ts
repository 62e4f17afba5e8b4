/** Contract between the image daemon and its owner: calls and start-up options. */
import type { Ticket, TicketState } from './tickets/types.ts';

/** A running image daemon. Every call rejects with an `Error` once its thread has stopped. */
export interface ImageDaemon {
  /** `https://HOST:PORT` (or `http://` without TLS), as clients on the network reach it. */
  readonly url: string;
  readonly port: number;
  readonly unixSocket?: string;
  readonly controlSocket?: string;
  /** Makes a ticket usable. Rejects when it is malformed or its id is in use. */
  add(ticket: Ticket): Promise<void>;
  /** The ticket's state, `undefined` when there is no such ticket. */
  state(id: string): Promise<TicketState | undefined>;
  /** Lets the ticket expire `timeout` seconds from now, expired or not. Rejects when unknown. */
  extend(id: string, timeout: number): Promise<void>;
  /** Counts as a use of the ticket: it is not idle, and lives for its timeout. Rejects when unknown. */
  touch(id: string): Promise<void>;
  /**
   * Refuses new requests at once, stops running ones at their next buffer and waits for them.
   * Rejects after `waitMs` (60,000 by default); the ticket then stays unusable and can be removed
   * again. Resolves with the last state; removing an unknown ticket is no error.
   */
  remove(id: string, waitMs?: number): Promise<TicketState | undefined>;
  /** Stops listening and finishes what is in flight, up to a grace period. */
  close(): Promise<void>;
}

/** How to start an image daemon. */
export interface ImageDaemonOptions {
  /** Address to listen on, also the host of `url`. */
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** PEM texts; without them the network listener speaks plain HTTP. */
  tls?: { key: string; cert: string };
  /** Path of a socket for clients on the same machine, created with mode 0600. */
  unixSocket?: string;
  /** Path of a socket for the control API of tickets, created with mode 0600. */
  controlSocket?: string;
  /** Connections to images at once; there is memory for 512. */
  maxConnections?: number;
  /** Those from one address of the network; 256 by default. */
  maxPerAddress?: number;
  /** Run in a thread of its own (default), so that neither TLS nor disks delay the caller. */
  inThread?: boolean;
  /** What `GET /info/` reports. */
  version?: string;
  /** Answer the algorithms of checksums as `{"algorithms": [...]}`, not as a bare list. */
  wrapsAlgorithms?: boolean;
  /** Tickets that are usable from the first request on: those of an earlier run. */
  tickets?: readonly Ticket[];
}
