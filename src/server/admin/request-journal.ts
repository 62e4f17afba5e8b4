/**
 * Journal of the last requests and responses, for developers of automation. Entries are unmodified
 * and in memory only; secrets are removed when they are read (`src/recording`).
 */
import { escapeControlChars } from '../../escape-control-chars.ts';
import type { RecordedBody } from '../../recording/exchange.ts';
import { Redactor } from '../../recording/redactor.ts';
import type { ClientConnection } from '../api/request.ts';

/** Maximum number of entries. */
export const maxRequests = 1_000;

/** Maximum bytes of a recorded body. Only the length of a longer one is recorded. */
export const maxBody = 64 * 2 ** 10;

/** Maximum bytes of all recorded bodies. The oldest are dropped first. */
const maxBodies = 32 * 2 ** 20;

type Headers = Readonly<Record<string, string>>;

const noHeaders: Headers = {};

/** Headers as Node provides them: a repeated header is a list. */
type SentHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A partially received body: its recorded pieces and total length (in characters for texts). */
export interface CapturedBody {
  pieces: (string | Uint8Array)[];
  bytes: number;
  isCut: boolean;
}

export interface JournalEntry {
  /** Number in the order of completed responses: a client that follows misses no slow request. */
  sequence: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  /** Path and query, including secrets. */
  readonly target: string;
  readonly requestHeaders: SentHeaders;
  /** Complete body or pieces; undefined without a body. */
  requestBody: string | Uint8Array | CapturedBody | undefined;
  responseBody: string | Uint8Array | CapturedBody | undefined;
  status: number | undefined;
  milliseconds: number;
  responseHeaders: Headers;
}

/** A request without secrets. */
export interface ShownRequest {
  readonly sequence: number;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** Absent if the connection ended without a response. */
  readonly status?: number;
  /** Duration until the response was complete, before the client read it. */
  readonly milliseconds: number;
  readonly correlation_id?: string;
  readonly fault?: { readonly reason?: string; readonly detail?: string };
  readonly request: { readonly headers: Headers; readonly body?: RecordedBody };
  readonly response: { readonly headers: Headers; readonly body?: RecordedBody };
}

/** Filter of the journal. */
export interface JournalFilter {
  /** Only entries after this sequence number. */
  readonly since?: number;
  /** Maximum number of the newest entries. */
  readonly limit?: number;
  readonly method?: string;
  /** `404` or `4xx`. */
  readonly status?: string;
  /** Part of path or query. */
  readonly path?: string;
}

export function createCapturedBody(): CapturedBody {
  return { pieces: [], bytes: 0, isCut: false };
}

/** Adds a piece of a body, up to the recording limit. */
export function capture(body: CapturedBody, piece: string | Uint8Array): void {
  body.bytes += piece.length;
  if (body.bytes <= maxBody && !body.isCut) {
    body.pieces.push(piece);
    return;
  }
  body.isCut = true;
  body.pieces = [];
}

export class RequestJournal {
  readonly #entries: JournalEntry[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #log: ((line: string) => void) | undefined;
  #last = 0;
  #bytes = 0;

  /** @param log receives a line for each request */
  constructor(log?: (line: string) => void) {
    this.#log = log;
  }

  /** Starts an entry, which is recorded after its completion. */
  begin(at: number, method: string, target: string, requestHeaders: SentHeaders): JournalEntry {
    return {
      sequence: 0,
      at,
      method,
      target,
      requestHeaders,
      requestBody: undefined,
      responseBody: undefined,
      status: undefined,
      milliseconds: 0,
      responseHeaders: noHeaders,
    };
  }

  /** Records the completed entry and notifies waiting clients. */
  complete(entry: JournalEntry): void {
    this.#last += 1;
    entry.sequence = this.#last;
    this.#entries.push(entry);
    this.#bytes += measureEntry(entry);
    if (this.#entries.length > maxRequests) this.#bytes -= measureEntry(this.#entries.shift());
    this.#forgetBodies();
    this.#log?.(escapeControlChars.line(formatJournalLine(redactEntry(entry, new Redactor()))));
    for (const wake of this.#waiting) wake();
  }

  #forgetBodies(): void {
    for (const entry of this.#entries) {
      if (this.#bytes <= maxBodies) return;
      this.#bytes -= measureEntry(entry);
      entry.requestBody = dropBody(entry.requestBody);
      entry.responseBody = dropBody(entry.responseBody);
    }
  }

  /** Entries that match a filter, oldest first, without secrets. */
  requests(filter: JournalFilter): readonly ShownRequest[] {
    const redactor = new Redactor();
    const found = this.#entries.filter((entry) => isMatch(entry, filter));
    const limited = filter.limit === undefined ? found : found.slice(-filter.limit);
    return limited.map((entry) => redactEntry(entry, redactor));
  }

  /** The sequence number of the last entry. */
  get last(): number {
    return this.#last;
  }

  /** Resolves after an entry follows `since`, the time has passed, or the client disconnects. */
  async wait(since: number, milliseconds: number, connection: ClientConnection): Promise<void> {
    if (this.last > since) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => done(), milliseconds);
      const done = () => {
        clearTimeout(timer);
        offClose();
        this.#waiting.delete(done);
        resolve();
      };
      timer.unref();
      const offClose = connection.onClose(done);
      this.#waiting.add(done);
    });
  }
}

type Body = JournalEntry['requestBody'];

/** Length of a body in bytes; approximate for texts. */
function measureLength(body: Body): number {
  if (body === undefined) return 0;
  return typeof body === 'object' && 'pieces' in body ? body.bytes : body.length;
}

/** Bytes of a body in memory. */
function measureMemory(body: Body): number {
  return typeof body === 'object' && 'isCut' in body && body.isCut ? 0 : measureLength(body);
}

function measureEntry(entry: JournalEntry | undefined): number {
  return entry ? measureMemory(entry.requestBody) + measureMemory(entry.responseBody) : 0;
}

/** A body reduced to its length. */
function dropBody(body: Body): Body {
  const bytes = measureLength(body);
  return bytes === 0 ? undefined : { pieces: [], bytes, isCut: true };
}

/** A complete body within the recording limit. */
export function limitBody(body: string | Uint8Array): Body {
  return body.length > maxBody ? dropBody(body) : body;
}

function isMatch(entry: JournalEntry, { since = 0, method, status, path }: JournalFilter): boolean {
  if (entry.sequence <= since) return false;
  if (method !== undefined && entry.method !== method.toUpperCase()) return false;
  if (path !== undefined && !entry.target.includes(path)) return false;
  if (status === undefined) return true;
  const own = String(entry.status ?? '');
  return own === status || (/^[1-5]xx$/i.test(status) && own.startsWith(status.charAt(0)));
}

function redactEntry(entry: JournalEntry, redactor: Redactor): ShownRequest {
  const { sequence, at, method, target, status, milliseconds } = entry;
  // This order matters: the redactor masks secrets of earlier parts in all later ones.
  const received = joinHeaders(entry.requestHeaders);
  const requestHeaders = redactor.requestHeaders(received);
  const sent = readBody(entry.requestBody, target, received, redactor);
  const answered = readBody(entry.responseBody, target, entry.responseHeaders, redactor);
  const responseHeaders = redactor.responseHeaders(entry.responseHeaders);
  const correlation = responseHeaders['correlation-id'];
  const fault = status !== undefined && status >= 400 ? findFault(answered) : undefined;
  return {
    ...{ sequence, at: new Date(at).toISOString(), method, path: redactor.target(target) },
    ...(status === undefined ? {} : { status }),
    milliseconds,
    ...(correlation === undefined ? {} : { correlation_id: correlation }),
    ...(fault ? { fault } : {}),
    request: { headers: requestHeaders, ...(sent ? { body: sent } : {}) },
    response: { headers: responseHeaders, ...(answered ? { body: answered } : {}) },
  };
}

/** Joins repeated headers. Runs on reading only, because most entries are never read. */
function joinHeaders(headers: SentHeaders): Headers {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  );
}

function readBody(
  body: Body,
  target: string,
  headers: Headers,
  redactor: Redactor,
): RecordedBody | undefined {
  if (body === undefined) return undefined;
  if (typeof body === 'string' || !('pieces' in body)) return redactor.body(target, headers, body);
  const { pieces, bytes, isCut } = body;
  if (isCut) return { omitted: `omitted: longer than ${maxBody} bytes, or too old`, bytes };
  const all = pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece));
  return redactor.body(target, headers, Buffer.concat(all));
}

/** Reason and detail of a fault in any document. */
function findFault(body: RecordedBody | undefined): ShownRequest['fault'] {
  if (!body || !('text' in body)) return undefined;
  const find = (name: string) => {
    const [, json] = new RegExp(`"${name}"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*")`).exec(body.text) ?? [];
    if (json !== undefined) return String(JSON.parse(json));
    return new RegExp(`<${name}>([^<]*)</${name}>`).exec(body.text)?.[1];
  };
  const reason = find('reason');
  const detail = find('detail');
  if (reason === undefined && detail === undefined) return undefined;
  return { ...(reason ? { reason } : {}), ...(detail ? { detail } : {}) };
}

/** Log line of an entry: `GET /virt-app/api/vms 200 3 ms`, with the reason of a failure. */
export function formatJournalLine(request: ShownRequest): string {
  const { method, path, status, milliseconds, fault, correlation_id: id } = request;
  const why = fault ? ` ${[fault.reason, fault.detail].filter(Boolean).join(': ')}` : '';
  const tie = id === undefined ? '' : ` (${id})`;
  return `${method} ${path} ${status ?? 'no response'} ${milliseconds} ms${why}${tie}`;
}
