/** Tickets and their state, as the owner of the daemon sees them. */
import type { ImageLocation } from '../backends/location.ts';
import type { Changes } from '../dirty/backend.ts';

/** Permission to read or write one image until it expires. */
export interface Ticket {
  /** Secret key of the ticket, and the only credential. */
  id: string;
  /** Maximum offset of all requests, in bytes. */
  size: number;
  /** `write` implies `read`. */
  ops: ('read' | 'write')[];
  /** Existing file, or export of a running server. */
  image: ImageLocation;
  /** Seconds until an unused ticket expires. Each finished operation restarts them. */
  timeout: number;
  /** Idle limit of a connection in seconds; 0 for no limit. */
  inactivityTimeout: number;
  /** Whether zeroed ranges are deallocated. */
  sparse: boolean;
  /** Whether to report changes since a backup, from `changes` or from the server of the export. */
  dirty?: boolean;
  /** Periods since this backup, with their recorded changes. */
  changes?: readonly Changes[];
  /** Path of an existing dirty bitmap that records each write in advance. */
  trackingBitmap?: string;
  /** Name of the transfer, chosen by the owner. */
  transferId?: string;
  /** File name for browsers that save the image. */
  filename?: string;
}

/** State of a ticket at one time. */
export interface TicketState {
  id: string;
  /** Whether an operation is running. */
  active: boolean;
  /** Bytes of the union of all transferred ranges. */
  transferred: number;
  /** Seconds since the last activity; 0 while active. */
  idle: number;
  expired: boolean;
  /** Seconds until the unused ticket expires; negative if it has expired. */
  expiresIn: number;
  /** Whether it was removed while operations still run. */
  cancelled: boolean;
  /** Open client connections that have used the ticket. */
  connections: number;
  /** Whether a flush failed, so that the ticket is unusable. */
  failed: boolean;
}
