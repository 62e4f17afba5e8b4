/** Interface of the listener to a service: a site, or a recording. */
import type { IncomingMessage } from 'node:http';
import type { Dialect } from '../../model/dialect.ts';
import type { ApiRequest, ApiResponse, ClientConnection } from '../api/request.ts';
import type { Tunnel } from './serial-tunnel.ts';

/** Reads a body of at most `maximum` bytes. */
export type ReadBody = (maximum: number) => Promise<Uint8Array>;

/** A request whose head is acceptable. */
export interface ServiceRequest {
  readonly message: IncomingMessage;
  readonly connection: ClientConnection;
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
  /** Serves connections after CONNECT requests; undefined if the service refuses them. */
  readonly tunnel?: Tunnel | undefined;
  /** Counts a sent response. */
  answered(method: string, status: number, seconds: number): void;
  /** Logs an error that the client did not cause. */
  report(error: unknown): void;
}
