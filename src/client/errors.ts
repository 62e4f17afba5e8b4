/**
 * Errors between the command line and a server. The class is the kind of failure, from which the exit
 * code follows; `code` is for programs.
 */
/** What the service itself says about a failure (specification 7). */
export interface Fault {
  readonly reason?: string;
  readonly detail?: string;
}

export interface ErrorContext {
  /** Stable word for programs; by default that of the class. */
  readonly code?: string;
  /** What to do about it, with an exact command where there is one. */
  readonly hint?: string;
  /** HTTP status of the answer. */
  readonly status?: number;
  readonly fault?: Fault;
  readonly request?: { readonly method: string; readonly path: string };
  /** The same command may succeed when it is simply run again. */
  readonly retryable?: boolean;
  /** Commands that lead on from here. */
  readonly next?: readonly string[];
  readonly cause?: unknown;
}

/** Base of all failures that are not bugs. */
export class VmctlError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  readonly status: number | undefined;
  readonly fault: Fault | undefined;
  readonly request: { readonly method: string; readonly path: string } | undefined;
  readonly retryable: boolean;
  readonly next: readonly string[];

  constructor(message: string, context: ErrorContext = {}) {
    super(message, context.cause === undefined ? undefined : { cause: context.cause });
    this.name = new.target.name;
    this.code = context.code ?? new.target.defaultCode;
    this.hint = context.hint;
    this.status = context.status;
    this.fault = context.fault;
    this.request = context.request;
    this.retryable = context.retryable ?? false;
    this.next = context.next ?? [];
  }

  static readonly defaultCode: string = 'failed';
}

/** The service refused for a reason that has no class of its own. */
export class FaultError extends VmctlError {
  static override readonly defaultCode = 'refused';
}

/** Wrong flags, arguments or input; nothing was sent. */
export class UsageError extends VmctlError {
  static override readonly defaultCode = 'usage';
}

/** A named object does not exist. */
export class NotFoundError extends VmctlError {
  static override readonly defaultCode = 'not_found';
}

/** Nobody is signed in, or the credentials were refused. */
export class AuthError extends VmctlError {
  static override readonly defaultCode = 'auth_required';
}

/** Signed in, but not allowed to do this. */
export class ForbiddenError extends VmctlError {
  static override readonly defaultCode = 'forbidden';
}

/** The object is in the way or in the wrong state. */
export class ConflictError extends VmctlError {
  static override readonly defaultCode = 'conflict';
}

/** A name that stands for more than one object. */
export class AmbiguousError extends VmctlError {
  static override readonly defaultCode = 'ambiguous';
}

/** Waiting took longer than allowed; the operation may still be running. */
export class WaitTimeoutError extends VmctlError {
  static override readonly defaultCode = 'wait_timeout';
}

/** The server cannot be reached. */
export class ConnectionError extends VmctlError {
  static override readonly defaultCode = 'unreachable';
}

/** The server was reached but is not the one that is trusted. */
export class TrustError extends VmctlError {
  static override readonly defaultCode = 'untrusted';
}

/** Of several objects some were done and some failed. */
export class PartialError extends VmctlError {
  static override readonly defaultCode = 'partial';
}

/** Of several objects all failed; the first failure counts for the exit code. */
export class AllFailedError extends VmctlError {
  static override readonly defaultCode = 'all_failed';
  readonly first: unknown;

  constructor(message: string, first: unknown, context: ErrorContext = {}) {
    super(message, context);
    this.first = first;
  }
}

/** The server failed, not the request. */
export class ServerError extends VmctlError {
  static override readonly defaultCode = 'server_error';
}

/** The user said no, or nobody could be asked. */
export class DeclinedError extends VmctlError {
  static override readonly defaultCode = 'declined';
}

/** Ended by a signal. */
export class InterruptedError extends VmctlError {
  static override readonly defaultCode = 'interrupted';
  readonly signal: 'SIGINT' | 'SIGTERM';

  constructor(signal: 'SIGINT' | 'SIGTERM', context: ErrorContext = {}) {
    super(`ended by ${signal}`, context);
    this.signal = signal;
  }
}

/** Whether a server failed or could not be reached in a way that may pass by itself. */
export function isRetryable(error: unknown): error is ConnectionError | ServerError {
  return (error instanceof ConnectionError || error instanceof ServerError) && error.retryable;
}

/** The error for a request that could change something, of a command or context that only reads. */
export function readOnlyError({ method, path }: { method: string; path: string }): UsageError {
  return new UsageError(`cannot send ${method} ${path}: changes are disabled`, {
    code: 'read_only',
    hint: 'VMCTL_READ_ONLY is set, or the context is read-only; unset it to allow changes',
  });
}
