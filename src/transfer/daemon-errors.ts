/** Errors of image daemons and of connections to them. */

import { connectionError } from '../client/connection-errors.ts';
import {
  ConflictError,
  ConnectionError,
  FaultError,
  ServerError,
  VmctlError,
} from '../client/errors.ts';
import { toRecord } from '../records.ts';

/** Converts an error that occurred before a response. `what` was attempted at `origin`. */
export function daemonConnectionError(what: string, error: unknown, origin: string): unknown {
  if (error instanceof VmctlError) return error;
  // Omit the path, which contains the ticket: it permits access.
  const reached = connectionError(error, { method: '', origin, path: '/images' });
  if (!(reached instanceof ConnectionError)) return reached;
  return new ConnectionError(`${what}: ${reached.message}`, {
    code: reached.code,
    ...(reached.hint === undefined ? {} : { hint: reached.hint }),
    retryable: true,
    cause: error,
  });
}

/** Whether a status means that the ticket is invalid or has expired. */
export function isTicketRefusal(status: number | undefined): boolean {
  return status === 403;
}

/** Whether a connection failed after a timeout, rather than immediately. */
export function isTimeout(failure: unknown): boolean {
  const { code } = toRecord(failure instanceof Error ? failure.cause : undefined);
  return typeof code === 'string' && /TIMED?_?OUT/.test(code);
}

/** Creates the error for an unsuccessful response. */
export function daemonError(what: string, status: number, text: string): VmctlError {
  const why = text.trim().split('\n', 1)[0] || `HTTP status ${status}`;
  const message = `${what}: the image daemon reports: ${why}`;
  if (isTicketRefusal(status)) {
    return new ConflictError(`${what}: the image daemon no longer accepts the ticket`, {
      code: 'ticket_refused',
      status,
      hint: 'the transfer was paused, cancelled or has expired',
    });
  }
  if (status === 507) return new ServerError(message, { code: 'no_space_on_server', status });
  // 408: the body made no progress, for example while this computer was asleep. Send it again.
  if (status >= 500 || status === 429 || status === 408) {
    return new ServerError(message, { status, retryable: true });
  }
  return new FaultError(message, { code: 'daemon_refused', status });
}

/** Creates the error for an invalid response with a successful status. */
export function invalidResponse(what: string): ServerError {
  return new ServerError(`cannot download the image: the image daemon ${what}`, {
    code: 'bad_answer',
  });
}
