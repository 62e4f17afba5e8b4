/** Errors of requests and commands. The class determines the exit code; `code` is for scripts. */
/** Failure description of a service (specification 7). */
export interface Fault {
  readonly reason?: string;
  readonly detail?: string;
}

export interface ErrorContext {
  /** Stable code for scripts, by default that of the class. */
  readonly code?: string;
  /** Suggested action, with an exact command if possible. */
  readonly hint?: string;
  /** HTTP status of the response. */
  readonly status?: number;
  readonly fault?: Fault;
  readonly request?: { readonly method: string; readonly path: string };
  /** Whether the same command can succeed later. */
  readonly retryable?: boolean;
  /** Suggested next commands. */
  readonly next?: readonly string[];
  readonly cause?: unknown;
}

/** Base class of all failures except bugs. */
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

/** Refusal of a service without a specific class. */
export class FaultError extends VmctlError {
  static override readonly defaultCode = 'refused';
}

/** Invalid flags, arguments or input. No request was sent. */
export class UsageError extends VmctlError {
  static override readonly defaultCode = 'usage';
}

/** The named object does not exist. */
export class NotFoundError extends VmctlError {
  static override readonly defaultCode = 'not_found';
}

/** No session, or refused credentials. */
export class AuthError extends VmctlError {
  static override readonly defaultCode = 'auth_required';
}

/** Missing permission. */
export class ForbiddenError extends VmctlError {
  static override readonly defaultCode = 'forbidden';
}

/** Conflict with the state of the object or with another object. */
export class ConflictError extends VmctlError {
  static override readonly defaultCode = 'conflict';
}

/** A name matches several objects. */
export class AmbiguousError extends VmctlError {
  static override readonly defaultCode = 'ambiguous';
}

/** The wait timed out. The operation may still be running. */
export class WaitTimeoutError extends VmctlError {
  static override readonly defaultCode = 'wait_timeout';
}

/** The server cannot be reached. */
export class ConnectionError extends VmctlError {
  static override readonly defaultCode = 'unreachable';
}

/** The server is not trusted. */
export class TrustError extends VmctlError {
  static override readonly defaultCode = 'untrusted';
}

/** A command failed for some of its objects. */
export class PartialError extends VmctlError {
  static override readonly defaultCode = 'partial';
}

/** A command failed for all of its objects. The first failure determines the exit code. */
export class AllFailedError extends VmctlError {
  static override readonly defaultCode = 'all_failed';
  readonly first: unknown;

  constructor(message: string, first: unknown, context: ErrorContext = {}) {
    super(message, context);
    this.first = first;
  }
}

/** The server failed. The request is valid. */
export class ServerError extends VmctlError {
  static override readonly defaultCode = 'server_error';
}

/** The user declined, or confirmation was impossible. */
export class DeclinedError extends VmctlError {
  static override readonly defaultCode = 'declined';
}

/** The command was ended by a signal. */
export class InterruptedError extends VmctlError {
  static override readonly defaultCode = 'interrupted';
  readonly signal: 'SIGINT' | 'SIGTERM';

  constructor(signal: 'SIGINT' | 'SIGTERM', context: ErrorContext = {}) {
    super(`ended by ${signal}`, context);
    this.signal = signal;
  }
}

/** Whether the failure of a server or connection can be temporary. */
export function isRetryable(error: unknown): error is ConnectionError | ServerError {
  return (error instanceof ConnectionError || error instanceof ServerError) && error.retryable;
}

/** Creates the error for a changing request of a read-only command or context. */
export function readOnlyError({ method, path }: { method: string; path: string }): UsageError {
  return new UsageError(`cannot send ${method} ${path}: changes are disabled`, {
    code: 'read_only',
    hint: 'VMCTL_READ_ONLY is set, or the context is read-only; unset it to allow changes',
  });
}
