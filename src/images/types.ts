// The contract between the image daemon and whoever runs it: tickets, their state, start-up options.
import type { ImagePlace } from './backends/location.ts';

/** Permission to read or write one image until it expires. */
export interface Ticket {
  /** Secret key of the ticket: knowing it is the only credential there is. */
  id: string;
  /** Upper bound of every request, in bytes. */
  size: number;
  /** `write` implies `read`. */
  ops: ('read' | 'write')[];
  /** Where the bytes live: a file that exists, or an export of a server that runs. */
  image: ImagePlace;
  /** Seconds until the ticket expires unless used; each finished operation restarts them. */
  timeout: number;
  /** Seconds a connection may be silent; 0 = no limit. */
  inactivityTimeout: number;
  /** Zeroed ranges give their space back to the file system. */
  sparse: boolean;
  /** Tell what has changed since a backup: from `changes`, or as the server of the export knows it. */
  dirty?: boolean;
  /** Periods since that backup, and what was noted of them. */
  changes?: readonly Changes[];
  /** Path of the dirty bitmap that everything is noted in before it is written; it must exist. */
  tracks?: string;
  /** What the ticket is for, in the words of whoever made it. */
  transferId?: string;
  /** Name offered to browsers that save the image. */
  filename?: string;
}

/** What is known of the changes of an image in a period. */
export interface Changes {
  /** The file of the dirty bitmap; without one nothing was written. */
  readonly path?: string;
  /** Bytes of the image when the period began. */
  readonly size: number;
}

/** What is known of a ticket at one moment. */
export interface TicketState {
  id: string;
  /** An operation is running now. */
  active: boolean;
  /** Bytes of the union of the ranges transferred so far. */
  transferred: number;
  /** Seconds since the last activity, 0 while active. */
  idle: number;
  expired: boolean;
  /** Seconds until the ticket expires unless it is used; negative when it has expired. */
  expiresIn: number;
  /** It was removed, but operations still run on it. */
  cancelled: boolean;
  /** Client connections that are open and have used the ticket. */
  connections: number;
  /** Storage failed to confirm a flush: the ticket serves nothing any more. */
  failed: boolean;
}

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
