/** Interface of the listener to a service: a site, or a recording. */
import type { IncomingMessage } from 'node:http';
import type { Dialect } from '../../model/dialect.ts';
import type { ApiRequest, ApiResponse } from '../api/request.ts';
import type { ReadBody } from './auxiliary-endpoints.ts';

/** A request whose head is acceptable. */
export interface ServiceRequest {
  readonly message: IncomingMessage;
  /** Path and query. */
  readonly target: string;
  /** Parsed target; undefined outside of the API. */
  readonly api: Pick<ApiRequest, 'segments' | 'parameters' | 'apiPath'> | undefined;
  readonly readBody: ReadBody;
}

export interface HttpService {
  readonly dialect: Dialect;
  /** Responds to a request. Throws a `Refusal` for a fault; any other error closes the connection. */
  answer(request: ServiceRequest): Promise<ApiResponse>;
  /** Counts a sent response. */
  answered(method: string, status: number, seconds: number): void;
  /** Logs an error that the client did not cause. */
  report(error: unknown): void;
}
