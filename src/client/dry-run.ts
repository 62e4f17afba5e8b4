/** Dry run: requests that are shown instead of being sent. */
import type { Call } from './call.ts';
import type { HttpRequest } from './http-message.ts';

/**
 * What is held back: `changes`, everything that could change something; `primary`, also the reading
 * request that the command is about. Looking names up and signing in goes on in either case.
 */
export type DryRunMode = 'changes' | 'primary';

export interface DryRunRequest extends HttpRequest {
  /** What the request was made from, where it calls an operation of the model. */
  readonly call?: Pick<Call, 'operation' | 'ids' | 'body' | 'recordedAs' | 'what'>;
}

/** Ends a command in front of its first request that is held back. Not a failure. */
export class DryRunStop extends Error {
  readonly requests: readonly DryRunRequest[];
  /** What went wrong with others of the objects that the command is about. */
  readonly failure: Error | undefined;

  constructor(requests: readonly DryRunRequest[], failure?: Error) {
    super('held back');
    this.requests = requests;
    this.failure = failure;
  }
}

/** Methods that change nothing. */
export function isReading(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}
