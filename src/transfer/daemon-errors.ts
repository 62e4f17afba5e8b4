/** Errors of image daemons and of connections to them, as errors of this program. */

import { connectionError } from '../client/connection-errors.ts';
import {
  ConflictError,
  ConnectionError,
  FaultError,
  ServerError,
  VmctlError,
} from '../client/errors.ts';

/** What went wrong before there was an answer. `what` was tried at `origin`. */
export function daemonConnectionError(what: string, error: unknown, origin: string): unknown {
  if (error instanceof VmctlError) return error;
  // The path is a secret: whoever knows the ticket may use it.
  const reached = connectionError(error, { method: '', origin, path: '/images' });
  if (!(reached instanceof ConnectionError)) return reached;
  return new ConnectionError(`${what}: ${reached.message}`, {
    code: reached.code,
    ...(reached.hint === undefined ? {} : { hint: reached.hint }),
    retryable: true,
    cause: error,
  });
}

/** Whether an answer of this status says that the ticket is not, or no longer, to be used. */
export function isTicketRefusal(status: number | undefined): boolean {
  return status === 403;
}

/** Whether a connection did not fail at once, but after nothing had come for a while. */
export function tookItsTime(failure: unknown): boolean {
  const { code } = ((failure as Error).cause ?? {}) as { code?: unknown };
  return typeof code === 'string' && /TIMED?_?OUT/.test(code);
}

/** An answer that is no success. */
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
  // 408: the body stood still for a while, as after a sleep of this computer; it is sent again.
  if (status >= 500 || status === 429 || status === 408) {
    return new ServerError(message, { status, retryable: true });
  }
  return new FaultError(message, { code: 'daemon_refused', status });
}

/** An answer that claims success and is none. */
export function invalidResponse(what: string): ServerError {
  return new ServerError(`cannot download the image: the image daemon ${what}`, {
    code: 'bad_answer',
  });
}
