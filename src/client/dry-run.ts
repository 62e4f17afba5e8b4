/** Dry run: prints requests instead of sending them. */
import type { Call } from './call.ts';
import type { HttpRequest } from './http-message.ts';

/**
 * Requests that a dry run does not send. `changes`: all that can change something; `primary`: the
 * reading request of the command too. Lookups and sign-in are sent in both modes.
 */
export type DryRunMode = 'changes' | 'primary';

export interface DryRunRequest extends HttpRequest {
  /** Call of the model that produced the request, if any. */
  readonly call?: Pick<Call, 'operation' | 'ids' | 'body' | 'recordedAs' | 'what'>;
}

/** Ends a command before its first unsent request. It is not a failure. */
export class DryRunStop extends Error {
  readonly requests: readonly DryRunRequest[];
  /** Failure of other objects of the command. */
  readonly failure: Error | undefined;

  constructor(requests: readonly DryRunRequest[], failure?: Error) {
    super('held back');
    this.requests = requests;
    this.failure = failure;
  }
}

/** Whether a method changes nothing. */
export function isReading(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

/** Start of the placeholder for the id of an object that a dry run does not create: `ID-of-web01`. */
export const placeholderPrefix = 'ID-of-';
