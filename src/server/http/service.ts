/** What answers the requests of a listener: the service itself, and all that is beside its API. */
import type { IncomingMessage } from 'node:http';
import type { Dialect } from '../../model/dialect.ts';
import { type Administration, adminPath } from '../admin/endpoints.ts';
import { type ApiRequest, type ApiResponse, headerOf } from '../api/request.ts';
import type { OAuth } from '../auth/oauth.ts';
import { answerAuxiliary, type ReadBody } from './auxiliary-endpoints.ts';
import { clientConnection } from './client-connection.ts';
import { handle } from './pipeline.ts';
import type { ApiServer } from './request-context.ts';
import { SettlementWaits } from './settlement.ts';

/** A request whose head is acceptable. */
export interface ServiceRequest {
  readonly message: IncomingMessage;
  /** Path and query. */
  readonly target: string;
  /** The target taken apart, where it is below the API root. */
  readonly api: Pick<ApiRequest, 'segments' | 'parameters' | 'apiPath'> | undefined;
  readonly readBody: ReadBody;
}

export interface HttpService {
  readonly dialect: Dialect;
  /** Answers a request. Throws a `Refusal` for a fault, and anything else to end the connection. */
  answer(request: ServiceRequest): Promise<ApiResponse>;
  /** Counts an answer that was sent. */
  answered(method: string, status: number, seconds: number): void;
  /** Notes an error that is ours, not the client's. */
  report(error: unknown): void;
}

export interface ServiceParts {
  readonly api: Omit<ApiServer, 'waits'>;
  readonly oauth: OAuth;
  readonly admin: Administration;
  /** The certificate authority and the certificate, PEM. */
  readonly ca: string;
  readonly certificate: string;
}

/** The service over a store. */
export function storeService({ api, oauth, admin, ca, certificate }: ServiceParts): HttpService {
  const { dialect, faults, store } = api;
  const server: ApiServer = { ...api, waits: new SettlementWaits() };
  const auxiliary = { oauth, admin, ca, certificate, dialect };
  return {
    dialect,
    report: api.report,
    answered: (method, status, seconds) => admin.metrics.answered(method, status, seconds),
    answer: async ({ message, target, api: parsed, readBody }) => {
      // Whoever takes a rule away does not wait for it.
      const mayWait = !target.startsWith(`${adminPath}/`);
      const waits = mayWait && faults.any;
      if (waits) await faults.wait();
      const response = await (parsed
        ? handle(server, {
            ...parsed,
            method: message.method ?? 'GET',
            header: (name) => headerOf(message, name),
            readBody,
            address: message.socket.remoteAddress ?? '',
            connection: clientConnection(message.socket),
          })
        : answerAuxiliary(auxiliary, message, target, readBody));
      // Of a rule that another server has, this one may have learned just now: then the answer waits.
      if (store.isShared && mayWait && !waits && faults.any) await faults.wait();
      return response;
    },
  };
}
