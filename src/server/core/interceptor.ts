/** Interception of requests by features. */
import type { Operation } from '../../model/index.ts';

export interface RequestInterceptor {
  /** Whether requests are intercepted now. The methods below are called only then. */
  readonly isActive: boolean;
  /** Called before each response, except those below `/_vmctl`. */
  beforeResponse(): Promise<void>;
  /** Called before an operation of the API. Throws to refuse it. `name` reads the name of the object. */
  beforeOperation(operation: Operation, name: () => string | undefined): Promise<void>;
}

/** Thrown to close the connection of a request without a response. */
export class ConnectionDropped extends Error {}
