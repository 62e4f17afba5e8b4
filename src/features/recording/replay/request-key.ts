/** Key for the comparison of requests: method, path, query in any order, and body content. */
import type { Operation } from '../../../model/index.ts';
import type { RecordedRequest } from '../../../recording/exchange.ts';
import { contentMedia, parseTarget, route } from '../../../server/api/request.ts';
import { requireAllowedDocument } from '../../../server/core/allowed-text.ts';
import {
  decodeAction,
  decodeList,
  decodeObject,
  type MediaType,
  WireError,
} from '../../../wire/index.ts';

/** A request for comparison: recorded, or received and redacted in the same way. */
export interface NormalizedRequest {
  readonly method: string;
  /**
   * Path below the API root, otherwise from the root of the server: `/vms`,
   * `/virt-app/services/health`.
   */
  readonly path: string;
  /** Sorted query: `max=5&search=name%3Dweb*`. */
  readonly query: string;
  /** Normalized body, the same for XML and JSON; empty without content. */
  readonly body: string;
  /** Operation of the model, if any. */
  readonly operation: Operation | undefined;
}

/** Headers that affect the response, treated like query parameters. */
const relevantHeaders = ['all-content', 'filter', 'prefer', 'x-ovirt-expect'] as const;

/** Normalizes a request. Throws a `Refusal` for an invalid path. */
export function normalizeRequest(
  request: Pick<RecordedRequest, 'method' | 'path' | 'headers'>,
  text: string,
  apiRoot: string,
): NormalizedRequest {
  const { method, headers } = request;
  const target = parseTarget(request.path, apiRoot);
  const [plain = '', query = ''] = request.path.split('?', 2);
  const parameters = target ? [...target.parameters] : [...new URLSearchParams(query)];
  for (const name of relevantHeaders) {
    const value = headers[name];
    if (value !== undefined) parameters.push([`${name}:`, value]);
  }
  const match = target && route(target.segments);
  const operation = match?.operations.get(method === 'HEAD' ? 'GET' : method);
  const type = headers['content-type'];
  return {
    method,
    path: target ? `/${target.segments.join('/')}` : plain,
    query: parameters
      // The media type does not distinguish requests.
      .filter(([name]) => name !== 'accept')
      .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
      .sort()
      .join('&'),
    body: method === 'GET' || method === 'HEAD' ? '' : normalizeBody(text, type, operation),
    operation,
  };
}

/** Normalized content of a body, independent of its media type. */
function normalizeBody(
  text: string,
  contentType: string | undefined,
  operation: Operation | undefined,
): string {
  if (text.trim() === '') return '';
  const media = contentMedia(contentType) ?? (text.trimStart()[0] === '<' ? xml : json);
  const decoded = operation && decodeBody(media, text, operation);
  const value = omitChosenId(decoded ?? (media === json ? parseJson(text) : undefined), operation);
  const content = value === undefined ? undefined : normalizeValue(value);
  if (content === undefined) return text.trim().replaceAll(/\s+/g, ' ');
  // The body of an action without parameters is optional.
  return content === '{}' ? '' : content;
}

/** Body without the id of a new disk, which clients choose at random. */
function omitChosenId(value: unknown, operation: Operation | undefined): unknown {
  const isNewDisk = operation?.name === 'add' && operation.path === '/disks';
  if (!isNewDisk || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'id'));
}

/** Value with sorted members; undefined if it is nested too deeply. */
function normalizeValue(value: unknown): string | undefined {
  try {
    requireAllowedDocument(value);
    return sortedJson(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const json: MediaType = 'application/json';
const xml: MediaType = 'application/xml';

function decodeBody(media: MediaType, text: string, operation: Operation): unknown {
  const { isAction, http, type } = operation;
  try {
    if (isAction || http === 'DELETE') return decodeAction(media, text);
    try {
      return decodeObject(media, text, type);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      return decodeList(media, text, type);
    }
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return undefined;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** JSON text with sorted members. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === 'bigint') return String(member);
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** Short text for a request: `GET /vms?max=5`. */
export function describeRequest({ method, path, query }: NormalizedRequest): string {
  return `${method} ${path}${query === '' ? '' : `?${query}`}`;
}
