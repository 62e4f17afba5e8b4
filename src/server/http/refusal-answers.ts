/** Responses to refused and failed requests, in the form of the specification or of a deployed engine. */
import type { Dialect } from '../../model/dialect.ts';
import { type MediaType, WireError } from '../../wire/index.ts';
import { type ApiResponse, BadTarget } from '../api/request.ts';
import { notFoundReason, Refusal } from '../core/fault.ts';
import { StoreError } from '../store/store.ts';
import { faultResponse } from './answer.ts';

/** 404: nothing is at the path. */
export class UnknownPath extends Refusal {
  constructor(detail: string) {
    super(404, notFoundReason, detail);
  }
}

/** 405: the path exists, the method does not. */
export class UnknownMethod extends Refusal {
  constructor(path: string, method: string, allow: string) {
    const detail = `${path} does not support ${method}. It allows ${allow}.`;
    super(405, 'Method Not Allowed', detail, { headers: { Allow: allow } });
  }
}

/** The refusal for an error: 400 for an unreadable body, 503 for the store, 500 for a bug. */
function refusalFor(error: unknown, media: MediaType, dialect: Dialect): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof WireError) {
    return new Refusal(400, wireReason(error, media, dialect), error.message);
  }
  if (error instanceof StoreError) return new Refusal(503, 'Service Unavailable', error.message);
  return new Refusal(500, 'Internal Error', 'The server failed to answer; see its log.');
}

/** An engine distinguishes values from syntax in XML only, and reports numbers only if they are out of range. */
function wireReason({ kind }: WireError, sent: MediaType, { engineRefusals }: Dialect): string {
  const isValue = engineRefusals
    ? kind === 'value' && sent === 'application/xml'
    : kind === 'value' || kind === 'number';
  return isValue ? 'Invalid value' : 'Request syntactically incorrect.';
}

/** Media types of the request and of the response. */
export interface RefusedRequest {
  readonly sent: MediaType;
  readonly wanted: MediaType;
}

/** The response to a failed request. `report` receives errors that the client did not cause. */
export function refusalAnswer(
  dialect: Dialect,
  { sent, wanted }: RefusedRequest,
  error: unknown,
  report: (error: unknown) => void,
): ApiResponse {
  const refusal = refusalFor(error, sent, dialect);
  if (!(error instanceof Refusal) && !(error instanceof WireError)) report(error);
  const { status } = refusal;
  const headers: Record<string, string> = { ...refusal.headers };
  if (status === 401) headers['WWW-Authenticate'] = 'Basic realm="RESTAPI"';
  if (!dialect.engineRefusals) return faultResponse(dialect, wanted, refusal, headers);
  if (isPage(refusal, error, sent)) return page(status, headers);
  const isBare =
    [405, 406, 415].includes(status) || refusal instanceof BadTarget || isUnaddressed(refusal);
  return isBare ? { status, headers } : faultResponse(dialect, wanted, refusal, headers);
}

/** Whether the path of the request, or a reference in its body, leads to no object. */
export function isUnaddressed({ status, reason }: Refusal): boolean {
  return status === 404 && reason === notFoundReason;
}

/** Whether an engine refuses the request outside of its API, with a web page. */
function isPage(refusal: Refusal, error: unknown, sent: MediaType): boolean {
  return (
    refusal.status === 401 ||
    refusal instanceof UnknownPath ||
    refusal.reason === 'Invalid version' ||
    (error instanceof WireError && error.kind === 'unknown' && sent === 'application/json')
  );
}

/** A web page. */
export function page(status: number, headers: Readonly<Record<string, string>>): ApiResponse {
  const title = status === 401 ? 'Unauthorized' : status === 404 ? 'Not Found' : 'Bad Request';
  return {
    status,
    headers: { ...headers, 'Content-Type': 'text/html;charset=UTF-8' },
    body: `<html><head><title>Error</title></head><body>${title}</body></html>`,
  };
}
