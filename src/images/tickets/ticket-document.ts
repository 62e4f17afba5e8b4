/** JSON documents of tickets in the control API. */

import { forbiddenCharacter } from '../../allowed-characters.ts';
import { getErrorMessage } from '../../caught-errors.ts';
import { isRecord } from '../../records.ts';
import { Mistake } from '../../source-place.ts';
import { formatLocation, type ImageLocation, parseLocation } from '../backends/location.ts';
import type { Ticket, TicketState } from './types.ts';

/** Default idle limit of a connection in seconds. */
const INACTIVITY = 60;
/** Characters of the ticket id that are the default name of the transfer. */
const SHORT_ID = 8;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Parses a ticket. Ignores unknown members. Throws a `Mistake` for the first missing or invalid
 * member.
 */
export function parseTicket(document: unknown): Ticket {
  const fields = requireFields(document);
  const id = text(fields, 'uuid');
  if (id === undefined || id === '') throw new Mistake(['uuid'], 'uuid is missing');
  const url = text(fields, 'url');
  if (url === undefined) throw new Mistake(['url'], 'url is missing');
  const transferId = text(fields, 'transfer_id');
  const filename = text(fields, 'filename');
  return {
    id,
    size: count(fields, 'size'),
    ops: operations(fields),
    image: location(url),
    timeout: count(fields, 'timeout'),
    inactivityTimeout: count(fields, 'inactivity_timeout', INACTIVITY),
    sparse: flag(fields, 'sparse'),
    dirty: flag(fields, 'dirty'),
    ...(transferId === undefined ? {} : { transferId }),
    ...(filename === undefined ? {} : { filename }),
  };
}

/**
 * Formats a ticket and its state.
 * @param now seconds of the host's monotonic clock
 */
export function formatTicket(ticket: Ticket, state: TicketState, now: number): Fields {
  return {
    uuid: ticket.id,
    transfer_id: ticket.transferId ?? ticket.id.slice(0, SHORT_ID),
    url: formatLocation(ticket.image),
    size: ticket.size,
    ops: ticket.ops,
    sparse: ticket.sparse,
    dirty: ticket.dirty ?? false,
    ...(ticket.filename === undefined ? {} : { filename: ticket.filename }),
    timeout: ticket.timeout,
    inactivity_timeout: ticket.inactivityTimeout,
    expires: Math.ceil(now + state.expiresIn),
    active: state.active,
    canceled: state.cancelled,
    connections: state.connections,
    idle_time: Math.floor(state.idle),
    // For a ticket with both operations, the direction of the bytes is unknown.
    ...(ticket.ops.length === 1 ? { transferred: state.transferred } : {}),
  };
}

/**
 * Parses the seconds of a document that extends a ticket. Throws an `Error` if they are missing.
 */
export function parseTimeout(document: unknown): number {
  return count(requireFields(document), 'timeout');
}

function requireFields(document: unknown): Fields {
  if (!isRecord(document)) throw new Mistake([], 'not a JSON object');
  return document;
}

function location(url: string): ImageLocation {
  try {
    return parseLocation(url);
  } catch (cause) {
    throw new Mistake(['url'], getErrorMessage(cause));
  }
}

function member(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? (fields[name] ?? undefined) : undefined;
}

function text(fields: Fields, name: string): string | undefined {
  const value = member(fields, name);
  if (value === undefined) return value;
  if (typeof value !== 'string') throw new Mistake([name], `${name} must be a string`);
  if (forbiddenCharacter(value) !== undefined)
    throw new Mistake([name], `${name} must not contain control characters`);
  return value;
}

function count(fields: Fields, name: string, byDefault?: number): number {
  const value = member(fields, name) ?? byDefault;
  if (value === undefined) throw new Mistake([name], `${name} is missing`);
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new Mistake([name], `${name} must be an integer that is not negative`);
}

function flag(fields: Fields, name: string): boolean {
  const value = member(fields, name) ?? false;
  if (typeof value === 'boolean') return value;
  throw new Mistake([name], `${name} must be true or false`);
}

function operations(fields: Fields): ('read' | 'write')[] {
  const value = member(fields, 'ops');
  if (value === undefined) throw new Mistake(['ops'], 'ops is missing');
  const known: unknown[] = Array.isArray(value) ? value : [];
  if (known.length === 0 || !known.every((one) => one === 'read' || one === 'write'))
    throw new Mistake(['ops'], 'ops must be a list of "read" and "write"');
  return [...new Set(known)];
}
