/** Tickets and their state, as the owner of the daemon sees them. */
import type { ImageLocation } from '../backends/location.ts';
import type { Changes } from '../dirty/backend.ts';

/** Permission to read or write one image until it expires. */
export interface Ticket {
  /** Secret key of the ticket: knowing it is the only credential there is. */
  id: string;
  /** Upper bound of every request, in bytes. */
  size: number;
  /** `write` implies `read`. */
  ops: ('read' | 'write')[];
  /** Where the bytes live: a file that exists, or an export of a server that runs. */
  image: ImageLocation;
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
  trackingBitmap?: string;
  /** What the ticket is for, in the words of whoever made it. */
  transferId?: string;
  /** Name offered to browsers that save the image. */
  filename?: string;
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
