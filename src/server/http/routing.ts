/** Operation of a request: path, method, version of the API, and accepted media types. */
import type { Dialect } from '../../model/dialect.ts';
import { type FileAnswer, fileAnswers } from '../../model/files.ts';
import type { Operation } from '../../model/index.ts';
import {
  type ApiRequest,
  type ApiResponse,
  asksFor,
  type Match,
  UnsupportedVersion,
} from '../api/request.ts';
import { Refusal } from '../core/fault.ts';
import { UnknownMethod, UnknownPath } from './refusal-answers.ts';

/** Finds the operation. Refuses an unknown path with 404, and an unknown method with 405. */
export function requireOperation(
  request: ApiRequest,
  match: Match | undefined,
  { engineRefusals }: Dialect,
): { match: Match; operation: Operation } {
  const path = `${request.apiPath}/${request.segments.join('/')}`;
  if (!match) throw new UnknownPath(`${path} is not a path of the API.`);
  const { method } = request;
  const operation =
    match.operations.get(method) ?? (method === 'HEAD' ? match.operations.get('GET') : undefined);
  if (!operation) {
    // An engine refuses TRACE before it finds the allowed methods.
    const methods = method === 'TRACE' && engineRefusals ? undefined : allowedMethods(match);
    throw new UnknownMethod(path, method, methods);
  }
  return { match, operation };
}

/** Order of methods in the Allow header of an engine. */
const methodOrder = ['HEAD', 'DELETE', 'POST', 'GET', 'OPTIONS', 'PUT', 'PATCH'];

function allowedMethods(match: Match): string {
  const methods = new Set([...match.operations.keys(), 'OPTIONS']);
  if (methods.has('GET')) methods.add('HEAD');
  return methodOrder.filter((method) => methods.has(method)).join(', ');
}

/** Responds to OPTIONS with the allowed methods. Refuses an unknown path with 404. */
export function optionsResponse(
  request: ApiRequest,
  match: Match | undefined,
  dialect: Dialect,
): ApiResponse {
  if (!match) requireOperation(request, match, dialect);
  const allow = match ? allowedMethods(match) : '';
  return {
    status: 200,
    headers: { Allow: allow, 'Content-Type': 'text/plain;charset=UTF-8' },
    body: allow,
  };
}

/** Finds the file that the client accepts instead of a document: the connection file of a console. */
export function requestedFile(
  request: ApiRequest,
  match: Match | undefined,
): FileAnswer | undefined {
  const operation = match?.operations.get(request.method);
  const file = operation && fileAnswers[`${operation.http} ${operation.path}`];
  const accept = request.parameters.get('accept') ?? request.header('accept');
  return file && asksFor(accept, file.media, file.preferred === true) ? file : undefined;
}

/** Refuses another version of the API than 4. A version in the path takes precedence (specification 9). */
export function requireVersion(request: ApiRequest, { engineRefusals }: Dialect): void {
  const version = request.header('version')?.trim() ?? '';
  if (version === '' || version === '4' || request.apiPath.endsWith('/v4')) return;
  throw new UnsupportedVersion(version, engineRefusals);
}

/** The refusal of a request that accepts neither XML nor JSON. */
export function notAcceptable(): Refusal {
  return new Refusal(
    406,
    'Not Acceptable',
    'The Accept header allows neither application/xml nor application/json.',
  );
}

/** Correlation id of the client, without unsafe characters, or a new one. */
export function correlationIdFrom(given: string | undefined): string {
  const safe = (given ?? '').replace(/[^0-9A-Za-z_-]/g, '').slice(0, 36);
  return safe === '' ? crypto.randomUUID() : safe;
}
