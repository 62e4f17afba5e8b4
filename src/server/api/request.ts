/** Parsing of requests: path, parameters, headers, and service of a path. */

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { services } from '../../model/derive/services.ts';
import { listOperations, type Operation } from '../../model/index.ts';
import type { MediaType } from '../../wire/index.ts';
import { JsonFileError, parseJsonFile } from '../../wire/json-file.ts';
import { requireAllowedText } from '../core/allowed-text.ts';
import { notFoundReason, Refusal } from '../core/fault.ts';
import type { Parameters } from '../core/parameters.ts';

interface Node {
  readonly words: Map<string, Node>;
  /** Branch for ids, and name of the parameter. */
  parameter?: { readonly name: string; readonly node: Node };
  service?: string;
  action?: Operation;
}

export interface Match {
  /** Path template of the service: `/vms/{vm}`. */
  readonly service: string;
  /** Operations of the path, by HTTP method; a single POST if the path ends in an action. */
  readonly operations: ReadonlyMap<string, Operation>;
  /** Values of the path parameters, in order. */
  readonly ids: readonly string[];
  /** The objects in the path need not exist. */
  readonly parentIsUnknown?: true;
}

const root: Node = { words: new Map() };
for (const path of Object.keys(services)) {
  const node = insertPath(path);
  node.service = path;
  for (const operation of listOperations(path)) {
    if (operation.isAction) insertPath(operation.path).action = operation;
  }
}

function insertPath(path: string): Node {
  let node = root;
  for (const segment of path.split('/').filter((word) => word !== '')) {
    node = segment.startsWith('{') ? parameterNode(node, segment) : wordNode(node, segment);
  }
  return node;
}

function parameterNode(node: Node, segment: string): Node {
  node.parameter ??= { name: segment.slice(1, -1), node: { words: new Map() } };
  return node.parameter.node;
}

function wordNode(node: Node, segment: string): Node {
  let next = node.words.get(segment);
  if (!next) {
    next = { words: new Map() };
    node.words.set(segment, next);
  }
  return next;
}

/** Match of a path below the API root; undefined for paths that are not in the model. */
export function route(segments: readonly string[]): Match | undefined {
  let node = root;
  const ids: string[] = [];
  for (const segment of segments) {
    const word = node.words.get(segment);
    if (word) {
      node = word;
    } else if (node.parameter) {
      ids.push(segment);
      node = node.parameter.node;
    } else {
      return undefined;
    }
  }
  if (node.service === undefined && !node.action) return undefined;
  const operations = new Map<string, Operation>();
  if (node.service !== undefined) {
    for (const operation of listOperations(node.service)) {
      if (!operation.isAction) operations.set(operation.http, operation);
    }
  }
  if (node.action) operations.set('POST', node.action);
  return { service: node.service ?? node.action?.service ?? '/', operations, ids };
}

export interface ApiRequest {
  readonly method: string;
  /** Segments below the API root, decoded, without version prefix and matrix parameters. */
  readonly segments: readonly string[];
  /** Query and matrix parameters. The first of each name is used, the query before the matrix. */
  readonly parameters: ReadonlyMap<string, string>;
  /** API root in the request, with `/v4` if the client sent it: `/virt-app/api`. */
  readonly apiPath: string;
  readonly header: (name: string) => string | undefined;
  /**
   * Reads a body of at most `maximum` bytes. Refuses larger and slow bodies, and too many at a
   * time.
   */
  readonly readBody: (maximum: number) => Promise<Uint8Array>;
  readonly address: string;
  readonly connection: ClientConnection;
}

/** Connection of a client that waits for a response. */
export interface ClientConnection {
  readonly isClosed: boolean;
  /**
   * Calls `listener` when the connection closes, or soon if it is closed. The returned function
   * removes it.
   */
  onClose(listener: () => void): () => void;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Complete, or in chunks for lists of any length. */
  readonly body?: string | Iterable<string | Uint8Array>;
}

/** Value of a header, with its name in lower case. Repeated headers are joined. */
export function getRequestHeader({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** 400: the target of the request is not a valid URL. */
export class BadTarget extends Refusal {
  constructor(detail: string) {
    super(400, 'Request syntactically incorrect.', detail);
  }
}

/** Characters that require percent-encoding in a URL. */
const unescaped = /[{}|"<>^`\\]/;

/**
 * Parses the target of a request; undefined outside of the API root. Refuses an invalid path with
 * 400. With `asEngine`, empty segments and dots are resolved, the last of several parameters with
 * one name is used, and characters that require encoding are refused.
 */
export function parseTarget(
  target: string,
  apiRoot: string,
  asEngine = false,
): Pick<ApiRequest, 'segments' | 'parameters' | 'apiPath'> | undefined {
  if (asEngine && unescaped.test(target)) throw new BadTarget('The URL has to be percent-encoded.');
  const question = target.indexOf('?');
  const written = question < 0 ? target : target.slice(0, question);
  const path = asEngine ? withoutDots(written) : written;
  if (path !== apiRoot && !path.startsWith(`${apiRoot}/`) && !path.startsWith(`${apiRoot};`)) {
    return undefined;
  }
  const parts = path.slice(apiRoot.length).split('/').slice(1);
  if (parts.at(-1) === '') parts.pop();
  const matrix: string[] = [];
  const segments = parts.map((word, index) => {
    const [segment = '', ...parameters] = word.split(';');
    if (index === parts.length - 1) matrix.push(...parameters);
    const decoded = decodeUrlText(segment);
    return asEngine ? completeUuid(decoded) : decoded;
  });
  if (parts.length === 0) matrix.push(...path.split(';').slice(1));
  let apiPath = apiRoot;
  const version = /^v(\d+)$/.exec(segments[0] ?? '');
  if (version) {
    if (version[1] !== '4') throw new UnsupportedVersion(String(version[1]), asEngine);
    segments.shift();
    apiPath += '/v4';
  }
  const isWrong = (segment: string) => segment === '' || segment === '.' || segment === '..';
  if (!asEngine && segments.some(isWrong)) throw new BadTarget(`The path ${path} is not valid.`);
  // Encoded dots are not ids of objects.
  if (segments.some(isWrong)) throw new Refusal(404, notFoundReason, `${path} does not exist.`);
  const query = question < 0 ? [] : target.slice(question + 1).split('&');
  if (asEngine) query.reverse();
  // A + is a space in queries only.
  const inPath = matrix.map((pair) => pair.replaceAll('+', '%2B'));
  return { segments, parameters: parameters([...query, ...inPath]), apiPath };
}

const shortUuid = /^[0-9a-f]{1,8}(-[0-9a-f]{1,4}){3}-[0-9a-f]{1,12}$/i;

/** Adds the leading zeros of a UUID, which are optional in engines: `0-0-0-0-0`. */
function completeUuid(segment: string): string {
  if (segment.length >= 36 || !shortUuid.test(segment)) return segment;
  const lengths = [8, 4, 4, 4, 12];
  return segment
    .toLowerCase()
    .split('-')
    .map((part, index) => part.padStart(lengths[index] ?? 0, '0'))
    .join('-');
}

/** A path without empty segments, `.` and `..`. */
function withoutDots(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  return `/${kept.join('/')}`;
}

/** Refuses versions of the API other than 4 (specification 9). Engines know version 3, and refuse its methods. */
export class UnsupportedVersion extends Refusal {
  constructor(version: string, asEngine = false) {
    super(
      asEngine && version === '3' ? 405 : 400,
      'Invalid version',
      `Version ${version} of the API is not supported. Supported versions are 4.`,
    );
  }
}

/** Parameters by name. The first of each name is used. */
function parameters(pairs: readonly string[]): Map<string, string> {
  return new Map(decodePairs(pairs).reverse());
}

function decodePairs(pairs: readonly string[]): [name: string, value: string][] {
  const given = pairs.filter((pair) => pair !== '');
  return given.map((pair) => {
    const equals = pair.indexOf('=');
    const name = decodeUrlText((equals < 0 ? pair : pair.slice(0, equals)).replaceAll('+', ' '));
    const value = equals < 0 ? '' : decodeUrlText(pair.slice(equals + 1).replaceAll('+', ' '));
    return [name, value];
  });
}

/**
 * Parameters of a body in the form of `application/x-www-form-urlencoded`, in order. Refuses malformed
 * encoding and forbidden characters with 400.
 */
export function parseForm(body: Uint8Array): [name: string, value: string][] {
  return decodePairs(utf8Text(body, 'The body').split('&'));
}

/** Decodes UTF-8. Refuses malformed bytes and forbidden characters with 400. */
export function utf8Text(bytes: Uint8Array, place: string): string {
  if (!isUtf8(bytes)) {
    throw new Refusal(400, 'Request syntactically incorrect.', `${place} is not valid UTF-8.`);
  }
  const text = Buffer.from(bytes).toString('utf8');
  requireAllowedText(text, place);
  return text;
}

/** The object in a JSON body. Refuses a body without one with 400 and `NAME:LINE:COLUMN: problem`. */
export function jsonObject(body: Uint8Array, name: string): Readonly<Record<string, unknown>> {
  try {
    return parseJsonFile(body, name).value;
  } catch (error) {
    if (!(error instanceof JsonFileError)) throw error;
    throw new Refusal(400, 'Request syntactically incorrect.', error.message);
  }
}

/** Refuses a target with malformed percent-encoding or forbidden characters with 400. */
export function requireDecodable(target: string): void {
  const question = target.indexOf('?');
  decodeUrlText(question < 0 ? target : target.slice(0, question));
  if (question >= 0) decodePairs(target.slice(question + 1).split('&'));
}

/** Percent-decoded text of a URL. Refuses malformed encoding and forbidden characters with 400. */
export function decodeUrlText(text: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text);
  } catch {
    throw new BadTarget(`"${text}" is not valid in a URL.`);
  }
  requireAllowedText(decoded, 'The URL');
  return decoded;
}

const trueWords = new Set(['', 't', 'true', 'y', 'yes', '1']);
const falseWords = new Set(['f', 'false', 'n', 'no', '0']);

/** Boolean parameter: true without a value; undefined for an invalid value. */
export function booleanParameter(value: string | undefined): boolean | undefined {
  if (value === undefined) return undefined;
  const word = value.toLowerCase();
  return trueWords.has(word) ? true : falseWords.has(word) ? false : undefined;
}

/** Integer parameter; undefined for an invalid value. */
export function integerParameter(value: string | undefined): number | undefined {
  if (value === undefined || !/^-?\d{1,15}$/.test(value)) return undefined;
  return Number(value);
}

/**
 * The representation of an engine: the most preferred range that names one, then the most specific range, then XML.
 * `text/xml` is no representation, and a quality of 0 is a low preference. The parameter counts without a header
 * only.
 */
export function acceptedByEngine(
  parameter: string | undefined,
  header: string | undefined,
): MediaType | undefined {
  if (!header?.trim()) return parameter === 'application/json' ? parameter : 'application/xml';
  const ranges = parseMediaRanges(header).flatMap(({ range, quality }) => {
    const media = /^text\//.test(range) ? undefined : findMediaType(range);
    return media ? [{ media, quality, isSpecific: range === media }] : [];
  });
  const byRank = (one: (typeof ranges)[number], other: (typeof ranges)[number]) =>
    other.quality - one.quality ||
    Number(other.isSpecific) - Number(one.isSpecific) ||
    Number(isXml(other.media)) - Number(isXml(one.media));
  return ranges.sort(byRank)[0]?.media;
}

/** Whether an Accept header contains an invalid media range. */
export function isMalformedAccept(header: string | undefined): boolean {
  return (
    (header ?? '').trim() !== '' &&
    parseMediaRanges(header ?? '').some(({ range }) => !range.includes('/'))
  );
}

function parseMediaRanges(header: string): { range: string; quality: number }[] {
  return header.split(',').map((part) => {
    const [range = '', ...parameters] = part.split(';').map((word) => word.trim().toLowerCase());
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    return { range, quality: q ? Number(q.slice(2)) : 1 };
  });
}

/** Media type of the response: XML unless the client prefers JSON; undefined for neither. */
export function acceptedMedia(accept: string | undefined): MediaType | undefined {
  if (accept === undefined || accept.trim() === '') return 'application/xml';
  let best: { media: MediaType; quality: number } | undefined;
  for (const { range, quality } of parseMediaRanges(accept)) {
    const media = findMediaType(range);
    if (!media) continue;
    const better = !best || quality > best.quality || (quality === best.quality && isXml(media));
    if (quality > 0 && better) best = { media, quality };
  }
  return best?.media;
}

/**
 * Whether the client accepts this media type by its name or family, or, with `preferred`, by any
 * range, and does not prefer a document of the API.
 */
export function asksFor(accept: string | undefined, type: string, preferred: boolean): boolean {
  const family = `${type.slice(0, type.indexOf('/'))}/*`;
  const wanted = parseMediaRanges(accept?.trim() || '*/*');
  const best = (ranges: readonly string[]) =>
    Math.max(0, ...wanted.map(({ range, quality }) => (ranges.includes(range) ? quality : 0)));
  const own = best([type, ...(family === 'application/*' ? [] : [family])]);
  const documents = best(['application/xml', 'text/xml', 'application/json']);
  if (own > 0) return own >= documents;
  return preferred && documents === 0 && best(['*/*']) > 0;
}

const isXml = (media: MediaType) => media === 'application/xml';

function findMediaType(range: string): MediaType | undefined {
  switch (range) {
    case 'application/xml':
    case 'text/xml':
    case 'application/*':
    case 'text/*':
    case '*/*':
      return 'application/xml';
    case 'application/json':
      return 'application/json';
    default:
      return undefined;
  }
}

/** Media type of a request body, from its Content-Type. */
export function contentMedia(contentType: string | undefined): MediaType | undefined {
  const type = contentType?.split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json') return 'application/json';
  return type === 'application/xml' || type === 'text/xml' ? 'application/xml' : undefined;
}

/** Parameters of the query for rules. */
export function createParameters(request: ApiRequest): Parameters {
  return {
    flag: (name) => booleanParameter(request.parameters.get(name)),
    text: (name) => request.parameters.get(name) || undefined,
  };
}
