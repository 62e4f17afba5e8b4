/** Context of an API request, with the members that each step of the pipeline adds. */
import type { Dialect } from '../../model/dialect.ts';
import type { MediaType } from '../../wire/index.ts';
import type { ApiCall } from '../api/call.ts';
import type { CallLog, ObservedCall } from '../api/call-log.ts';
import type { EncodedObjects } from '../api/encoded-objects.ts';
import type { ApiRequest, Match } from '../api/request.ts';
import type { Authenticator } from '../auth/authenticate.ts';
import type { Caller } from '../core/context.ts';
import type { Coordination } from '../core/coordination.ts';
import type { RequestInterceptor } from '../core/interceptor.ts';
import type { Site } from '../core/ports.ts';
import type { Store } from '../store/store.ts';
import type { SettlementWaits } from './settlement.ts';

/** Services of the server that the pipeline uses. */
export interface ApiServer {
  readonly store: Store;
  readonly coordination: Pick<Coordination, 'runRead' | 'checkAfterRequest'>;
  readonly site: Site;
  readonly dialect: Dialect;
  readonly authenticator: Authenticator;
  /** Cache of encoded objects. Without it, all responses are encoded. */
  readonly encoded?: EncodedObjects | undefined;
  /** Requests that wait for the end of their work. */
  readonly waits: SettlementWaits;
  /** Called after each committed change: tasks can be due. */
  readonly committed: () => void;
  readonly interceptors: readonly RequestInterceptor[];
  /** Log of operations, if enabled. */
  readonly calls?: CallLog | undefined;
  /** Logs an error that the client did not cause. */
  readonly report: (error: unknown) => void;
}

/** After step 1. */
export interface ReceivedRequest {
  readonly server: ApiServer;
  readonly request: ApiRequest;
  /** Addressed collection or object; undefined if the path is not part of the API. */
  readonly match: Match | undefined;
  /** Media type of the response; undefined if the client accepts neither XML nor JSON. */
  readonly media: MediaType | undefined;
  readonly correlationId: string;
}

/** After step 2. */
export interface AuthenticatedRequest extends ReceivedRequest {
  readonly caller: Caller;
  /** Session cookie of the response. */
  readonly cookie: string | undefined;
}

/** After step 3. */
export interface RoutedRequest extends AuthenticatedRequest, Omit<ApiCall, 'body' | 'match'> {
  readonly match: Match;
}

/** After step 4: a request that the server can perform. */
export interface RequestContext extends RoutedRequest, ApiCall {
  readonly match: Match;
  /** Log entry of the request, if enabled. */
  readonly observed?: ObservedCall | undefined;
}
