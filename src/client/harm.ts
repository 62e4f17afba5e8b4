/**
 * Harmful operations, which stop work, lose data or overwrite it. Protected contexts require
 * confirmation.
 */
import { harmlessActions } from '../model/derive/harmless.ts';
import { addressesObject, listAllOperations, type Operation } from '../model/index.ts';
import { toRecord } from '../records.ts';
import { decodeAction, decodeObject, type MediaType } from '../wire/index.ts';
import { absolutePath, apiRoot, type Site } from './address.ts';
import type { ApiObject, Call } from './call.ts';

/** Members of a body that permit overwriting. */
const overwriting: ReadonlySet<string> = new Set(['exclusive', 'override_luns']);

export interface ChangingRequest {
  readonly method: string;
  /** Path below the API root, or absolute path, with its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Request that stops work or loses data. `what` names the object, if known: `stop vms/web01`. */
export interface HarmfulRequest {
  readonly method: string;
  readonly path: string;
  readonly call?: Pick<Call, 'what'>;
}

/**
 * Whether an operation is harmful with any parameters: removals, and actions that the model does
 * not list as harmless.
 */
export function isHarmful({ http, name, type, isAction }: Operation): boolean {
  return http === 'DELETE' || (isAction && !harmlessActions[type]?.includes(name));
}

/**
 * Whether a changing request is harmful. The operation is resolved from the path in the same manner
 * as in the server, in any spelling. A request without an operation in the model is harmful, and so
 * is one with an unreadable body.
 *
 * `owned` contains the ids of objects that the same command created. Changes of these are never
 * harmful.
 */
export function doesHarm(
  request: ChangingRequest,
  site: Site,
  owned: ReadonlySet<string> = new Set(),
): boolean {
  const segments = segmentsBelow(site, absolutePath(site, request.path));
  const operation = segments && operationAt(request.method, segments);
  if (!operation) return true;
  if (isHarmful(operation)) {
    const at = operation.isAction ? -2 : -1;
    return !(addressesObject(operation.service) && owned.has(segments.at(at) ?? ''));
  }
  if (isForced(request.path)) return true;
  const body = parseBody(request, operation);
  if (body === 'unreadable') return true;
  if (operation.service === '/imagetransfers' && operation.name === 'add') {
    return body?.['direction'] !== 'download' && !owned.has(findOverwrittenDisk(body));
  }
  return body !== undefined && hasOverwriting(body);
}

/** Operation of the model for a method and the decoded segments below the API root. */
export function operationAt(method: string, segments: readonly string[]): Operation | undefined {
  const matches = listAllOperations().filter(({ http, path }) => {
    if (http !== method) return false;
    const template = path.split('/').filter((segment) => segment !== '');
    return (
      template.length === segments.length &&
      template.every((segment, index) => segment.startsWith('{') || segment === segments[index])
    );
  });
  // A literal segment takes precedence over an id.
  return matches.find(({ isAction }) => isAction) ?? matches[0];
}

/**
 * Decoded segments of an absolute path below the API root, without matrix parameters, empty
 * segments and dots. `undefined` for other paths, and for paths that servers interpret differently.
 */
export function segmentsBelow(site: Site, path: string): readonly string[] | undefined {
  const root = splitPath(apiRoot(site)) ?? [];
  const segments = splitPath(path);
  if (!segments || !root.every((segment, index) => segments[index] === segment)) return undefined;
  const below = segments.slice(root.length);
  return /^v\d+$/.test(below[0] ?? '') ? below.slice(1) : below;
}

function splitPath(path: string): readonly string[] | undefined {
  const segments: string[] = [];
  for (const encoded of (path.split(/[?#]/, 1)[0] ?? '').split('/')) {
    let segment: string;
    try {
      segment = decodeURIComponent(encoded.split(';', 1)[0] ?? '');
    } catch {
      return undefined;
    }
    if (/[/\\;]/.test(segment)) return undefined;
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return segments;
}

/** Whether a parameter in the path disables safeguards of the server. */
function isForced(path: string): boolean {
  return path.split(/[?&;]/).some((pair) => {
    const [name = '', value = ''] = new URLSearchParams(pair).entries().next().value ?? [];
    return name === 'force' && !/^(f|false|n|no|0)$/i.test(value);
  });
}

function parseBody(
  { body, headers = {} }: ChangingRequest,
  { type, isAction, listBody, http }: Operation,
): ApiObject | undefined | 'unreadable' {
  if (body === undefined || body.length === 0 || listBody) return undefined;
  const header = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type');
  const media: MediaType = /xml/i.test(header?.[1] ?? '') ? 'application/xml' : 'application/json';
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  try {
    if (isAction) return decodeAction(media, bytes, undefined, { unknown: 'skip' });
    return decodeObject(media, bytes, type, { unknown: 'skip' });
  } catch {
    // An update never overwrites disk contents.
    return http === 'PUT' ? undefined : 'unreadable';
  }
}

/** Id of the disk that an upload overwrites. */
function findOverwrittenDisk(body: ApiObject | undefined): string {
  const { disk, image, snapshot } = body ?? {};
  return snapshot === undefined ? String(toRecord(disk ?? image)['id'] ?? '') : '';
}

function hasOverwriting(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([name, inner]) => (overwriting.has(name) && inner === true) || hasOverwriting(inner),
  );
}
