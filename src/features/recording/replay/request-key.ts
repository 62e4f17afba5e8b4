/** What makes two requests the same: method, path, query in any order, and what is in the body. */
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

/** A request as it is compared: recorded, or come in and redacted in the same way. */
export interface ComparedRequest {
  readonly method: string;
  /** Below the API root, or from the root of the server: `/vms`, `/virt-app/services/health`. */
  readonly path: string;
  /** In alphabetical order: `max=5&search=name%3Dweb*`. */
  readonly query: string;
  /** The same for the same content in XML and in JSON; empty without content. */
  readonly body: string;
  /** The operation of the model, where there is one. */
  readonly operation: Operation | undefined;
}

/** Headers that choose what is answered, as if they were parameters of the same name. */
const choosing = ['all-content', 'filter', 'prefer', 'x-ovirt-expect'] as const;

/** Takes a request apart. Throws a `Refusal` for a path that is none. */
export function comparedRequest(
  request: Pick<RecordedRequest, 'method' | 'path' | 'headers'>,
  text: string,
  apiRoot: string,
): ComparedRequest {
  const { method, headers } = request;
  const target = parseTarget(request.path, apiRoot);
  const [plain = '', query = ''] = request.path.split('?', 2);
  const parameters = target ? [...target.parameters] : [...new URLSearchParams(query)];
  for (const name of choosing) {
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
      // In which representation is no part of what is asked for.
      .filter(([name]) => name !== 'accept')
      .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
      .sort()
      .join('&'),
    body: method === 'GET' || method === 'HEAD' ? '' : contentOf(text, type, operation),
    operation,
  };
}

/** What a body says, whatever it is written in. */
function contentOf(
  text: string,
  contentType: string | undefined,
  operation: Operation | undefined,
): string {
  if (text.trim() === '') return '';
  const media = contentMedia(contentType) ?? (text.trimStart()[0] === '<' ? xml : json);
  const decoded = operation && decodedBody(media, text, operation);
  const value = withoutChosenId(
    decoded ?? (media === json ? jsonValue(text) : undefined),
    operation,
  );
  const content = value === undefined ? undefined : contentOfValue(value);
  if (content === undefined) return text.trim().replaceAll(/\s+/g, ' ');
  // An action without parameters may have a body or not.
  return content === '{}' ? '' : content;
}

/** A body without the id of a new disk, which clients choose at random in each run. */
function withoutChosenId(value: unknown, operation: Operation | undefined): unknown {
  const isNewDisk = operation?.name === 'add' && operation.path === '/disks';
  if (!isNewDisk || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'id'));
}

/** A value with its members in order; undefined for one that is nested too deeply to be compared. */
function contentOfValue(value: unknown): string | undefined {
  try {
    requireAllowedDocument(value);
    return stable(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const json: MediaType = 'application/json';
const xml: MediaType = 'application/xml';

function decodedBody(media: MediaType, text: string, operation: Operation): unknown {
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

function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A value as JSON with its members in alphabetical order. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === 'bigint') return String(member);
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** The request in words: `GET /vms?max=5`. */
export function described({ method, path, query }: ComparedRequest): string {
  return `${method} ${path}${query === '' ? '' : `?${query}`}`;
}
