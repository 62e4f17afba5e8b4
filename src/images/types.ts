/** Interface between the image daemon and its owner: calls and start options. */
import type { Ticket, TicketState } from './tickets/types.ts';

/** Running image daemon. Calls reject with an `Error` after its thread has stopped. */
export interface ImageDaemon {
  /** `https://HOST:PORT`, or `http://` without TLS, for clients on the network. */
  readonly url: string;
  readonly port: number;
  readonly unixSocket?: string;
  readonly controlSocket?: string;
  /** Adds a ticket. Rejects if it is malformed or its id is in use. */
  add(ticket: Ticket): Promise<void>;
  /** State of the ticket. `undefined` for an unknown id. */
  state(id: string): Promise<TicketState | undefined>;
  /**
   * Sets the expiry of the ticket to `timeout` seconds from now, also after it has expired. Rejects
   * for an unknown id.
   */
  extend(id: string, timeout: number): Promise<void>;
  /**
   * Counts as a use of the ticket: restarts its idle time and its timeout. Rejects for an unknown
   * id.
   */
  touch(id: string): Promise<void>;
  /**
   * Refuses new requests, stops running ones at their next buffer, and waits for them. Rejects
   * after `waitMs` (default 60,000); the ticket remains unusable and can be removed again. Resolves
   * with the last state, or `undefined` for an unknown id.
   */
  remove(id: string, waitMs?: number): Promise<TicketState | undefined>;
  /** Stops listening and finishes running requests, within a grace period. */
  close(): Promise<void>;
}

/** Start options of an image daemon. */
export interface ImageDaemonOptions {
  /** Address to listen on, and host of `url`. */
  host: string;
  /** 0 selects a free port. */
  port: number;
  /** PEM texts. Without them, the network listener uses plain HTTP. */
  tls?: { key: string; cert: string };
  /** Path of a socket for clients on the same computer, created with mode 0600. */
  unixSocket?: string;
  /** Path of a socket for the control API of tickets, created with mode 0600. */
  controlSocket?: string;
  /** Maximum connections to images; the memory suffices for 512. */
  maxConnections?: number;
  /** Maximum connections to images from one network address (default 256). */
  maxPerAddress?: number;
  /**
   * Whether to run in a separate thread (default true), so that TLS and disks never block the
   * caller.
   */
  inThread?: boolean;
  /** Version in the response to `GET /info/`. */
  version?: string;
  /** Whether to return checksum algorithms as `{"algorithms": [...]}` instead of an array. */
  wrapsAlgorithms?: boolean;
  /** Initial tickets, from an earlier run. */
  tickets?: readonly Ticket[];
}
