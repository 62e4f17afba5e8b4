/** Errors for unsuccessful responses, by status and fault. */
import { decodeFault } from '../wire/index.ts';
import {
  AuthError,
  ConflictError,
  type ErrorContext,
  FaultError,
  ForbiddenError,
  NotFoundError,
  ServerError,
  type VmctlError,
} from './errors.ts';
import type { HttpRequest, HttpResponse } from './http-message.ts';
import { shellQuote } from './shell-quote.ts';

export interface RequestDescription {
  readonly request: Pick<HttpRequest, 'method' | 'origin' | 'path'>;
  /** Description of the attempt: `start vms/web01` (default: the request). */
  readonly what?: string;
  readonly isAction?: boolean;
  /** Collection of the request at the API root: `vms`. */
  readonly noun?: string;
}

type ErrorClass = new (message: string, context: ErrorContext) => VmctlError;

const classes: Readonly<Record<number, ErrorClass>> = {
  401: AuthError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
};

const phrases: Readonly<Record<number, string>> = {
  400: 'bad request',
  401: 'not signed in',
  403: 'not allowed',
  404: 'not found',
  405: 'the service does not support this operation',
  406: 'the service does not support JSON or XML here',
  409: 'conflict',
  413: 'the request is too large',
  415: 'the service cannot parse the body',
  429: 'too many requests',
  500: 'server error',
  502: 'the proxy gets no response from the server',
  501: 'the service does not support this operation',
  503: 'the service is unavailable',
  504: 'the proxy gets no timely response from the server',
};

const hints: Readonly<Record<number, string>> = {
  401: 'sign in again with vmctl login',
  403: 'check the user with vmctl whoami; an administrator can grant a role',
  405: 'the server may be older than vmctl; vmctl api info shows its version',
  429: 'run the command again later',
  501: 'vmctl api info shows the service and its version',
  503: 'run the command again later',
};

function hintFor(status: number, { noun, what }: RequestDescription): string | undefined {
  if (noun === undefined) return hints[status];
  if (status === 404) return `the object may be deleted: vmctl ${noun} list`;
  const [, word = ''] = what?.split(`${noun}/`) ?? [];
  // The object does not exist yet, so the hint cannot refer to it.
  const isNew = what?.startsWith('create ') || what?.startsWith('add ');
  if (status === 409 && word !== '' && !isNew) {
    return `check the state with vmctl ${noun} get ${shellQuote(word)}`;
  }
  return hints[status];
}

/** Creates the error for a response outside 2xx. */
export function errorFromResponse(answer: HttpResponse, attempt: RequestDescription): VmctlError {
  const fault = decodeFault('application/json', answer.body);
  const { status } = answer;
  const { method, path } = attempt.request;
  const what = attempt.what ?? `${method} ${path}`;
  const why = faultMessage(fault) ?? phrases[status] ?? `unexpected HTTP status ${status}`;
  const hint = hintFor(status, attempt);
  const context: ErrorContext = {
    status,
    request: { method, path },
    retryable: status === 429 || status === 502 || status === 503 || status === 504,
    ...(fault ? { fault } : {}),
    ...(hint === undefined ? {} : { hint }),
  };
  if (status >= 500 || status === 429) return new ServerError(`${what}: ${why}`, context);
  const Known = classes[status];
  if (Known) return new Known(`${what}: ${why}`, context);
  if (status >= 300 && status < 400) {
    return new FaultError(`${what}: the server redirects to ${answer.headers['location'] ?? '?'}`, {
      ...context,
      code: 'redirected',
      hint: 'use that address with vmctl login',
    });
  }
  return attempt.isAction
    ? new ConflictError(`${what}: ${why}`, { ...context, code: 'action_failed' })
    : new FaultError(`${what}: ${why}`, context);
}

/** Message of a fault: its detail without the brackets of lists. */
export function faultMessage(
  fault: { reason?: string; detail?: string } | undefined,
): string | undefined {
  const detail = fault?.detail
    ?.trim()
    .replace(/^\[(.*)\]$/s, '$1')
    .trim();
  return detail || fault?.reason || undefined;
}
