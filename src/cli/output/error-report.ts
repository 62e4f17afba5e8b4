/** Exit codes, and reports of errors for people and programs. */

import { getErrorMessage } from '../../caught-errors.ts';
import * as errors from '../../client/errors.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { isSystemError, systemMessage } from '../../system-errors.ts';
import type { Io } from '../session/io.ts';

type ErrorClass = abstract new (...args: never[]) => errors.VmctlError;

/** Exit codes by class, subclasses first. Other errors have code 1: a bug or a refusal. */
const codes: readonly (readonly [ErrorClass, number])[] = [
  [errors.UsageError, 2],
  [errors.NotFoundError, 3],
  [errors.AuthError, 4],
  [errors.ForbiddenError, 5],
  [errors.AmbiguousError, 6],
  [errors.ConflictError, 6],
  [errors.WaitTimeoutError, 7],
  [errors.ConnectionError, 8],
  [errors.TrustError, 8],
  [errors.PartialError, 9],
  [errors.ServerError, 10],
  [errors.DeclinedError, 12],
];

/** Returns the exit code of an error. */
export function getExitCode(error: unknown): number {
  if (error instanceof errors.AllFailedError) return getExitCode(error.first);
  if (error instanceof errors.InterruptedError) return error.signal === 'SIGINT' ? 130 : 143;
  // A request that the service rejects as invalid counts as a conflict.
  if (error instanceof errors.FaultError && error.status === 400) return 6;
  return codes.find(([type]) => error instanceof type)?.[1] ?? 1;
}

/**
 * Prints an error: two lines for people, or one JSON object if JSON was requested. `debug` adds the
 * stack of an unexpected error.
 */
export function reportError(reported: unknown, io: Io, isJson: boolean, debug = false): void {
  const error = explainSystemError(reported);
  const known = error instanceof errors.VmctlError;
  const message = getMessage(error);
  if (isJson) {
    io.stderr.write(`${escapeControlChars.json(JSON.stringify(toErrorObject(error)))}\n`);
    return;
  }
  io.stderr.write(`vmctl: ${escapeControlChars.message(message)}\n`);
  if (known && error.hint) io.stderr.write(`hint: ${escapeControlChars.message(error.hint)}\n`);
  if (!known) {
    io.stderr.write('hint: this is a bug in vmctl; run again with --debug and report it\n');
    if ((debug || io.env['VMCTL_DEBUG']) && error instanceof Error)
      io.stderr.write(`${escapeControlChars.message(error.stack ?? '')}\n`);
  }
}

/** Converts an unhandled system error, such as a full disk, into one with a message for users. */
function explainSystemError(error: unknown): unknown {
  if (!isSystemError(error)) return error;
  return new errors.VmctlError(systemMessage(error), { code: 'system_error', cause: error });
}

/** Message of an error; of an unexpected error only the first line. */
function getMessage(error: unknown): string {
  const text = getErrorMessage(error);
  return error instanceof errors.VmctlError ? text : (text.split('\n', 1)[0] ?? '');
}

/** Converts an error into a JSON object for programs. */
export function toErrorObject(thrown: unknown): Record<string, unknown> {
  const error = explainSystemError(thrown);
  const message = getMessage(error);
  if (!(error instanceof errors.VmctlError)) {
    return { code: 'bug', message, exit_code: 1, retryable: false };
  }
  return {
    code: error.code,
    message,
    exit_code: getExitCode(error),
    hint: error.hint,
    status: error.status,
    fault: error.fault,
    request: error.request,
    retryable: error.retryable,
    next: error.next.length > 0 ? error.next : undefined,
  };
}

export const exitCodes: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'success; also an empty list, or a closed stdout (for example by head)'],
  [1, 'unexpected failure, the answer no (can-i), or a rejected request without another code'],
  [2, 'usage: flags, arguments or input files; no request was sent'],
  [3, 'a named object does not exist'],
  [4, 'not signed in, or sign-in refused'],
  [5, 'permission denied'],
  [6, 'ambiguous name, conflict, wrong state or invalid request'],
  [7, 'timeout; the operation may continue on the service'],
  [8, 'server unreachable or not trusted'],
  [9, 'some objects failed, others succeeded'],
  [10, 'server error'],
  [11, 'differences found (diff, conformance)'],
  [12, 'declined, or confirmation missing without a terminal'],
  [130, 'interrupted by Ctrl-C'],
  [143, 'ended by SIGTERM'],
];
