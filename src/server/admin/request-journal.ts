/**
 * The last requests of a server with their answers, for whoever writes automation against it. They are
 * kept as they came, in memory alone; secrets are left out when somebody looks (`src/recording`).
 */
import { escapeControlChars } from '../../escape-control-chars.ts';
import type { RecordedBody } from '../../recording/exchange.ts';
import { Redactor } from '../../recording/redactor.ts';
import type { ClientConnection } from '../api/request.ts';

/** So many requests are kept. */
export const maxRequests = 1_000;

/** Bytes of a body that are kept; of longer ones only the length. */
export const maxBody = 64 * 2 ** 10;

/** Bytes of all bodies that are kept; those of the oldest requests go first. */
const maxBodies = 32 * 2 ** 20;

type Headers = Readonly<Record<string, string>>;

const noHeaders: Headers = {};

/** As Node has them: of those that came several times a list. */
type SentHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A body on its way: as much of it as is kept, and how long it is (texts are counted in characters). */
export interface CapturedBody {
  pieces: (string | Uint8Array)[];
  bytes: number;
  isCut: boolean;
}

export interface JournalEntry {
  /** In the order in which answers were complete: whoever follows misses none that took longer. */
  sequence: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  /** Path and query, with secrets. */
  readonly target: string;
  readonly requestHeaders: SentHeaders;
  /** Whole, or in pieces; nothing where there was none. */
  requestBody: string | Uint8Array | CapturedBody | undefined;
  responseBody: string | Uint8Array | CapturedBody | undefined;
  status: number | undefined;
  milliseconds: number;
  responseHeaders: Headers;
}

/** A request as it is shown: nothing secret in it. */
export interface ShownRequest {
  readonly sequence: number;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** Absent where the connection ended without an answer. */
  readonly status?: number;
  /** Until the answer was made, not until it was read. */
  readonly milliseconds: number;
  readonly correlation_id?: string;
  readonly fault?: { readonly reason?: string; readonly detail?: string };
  readonly request: { readonly headers: Headers; readonly body?: RecordedBody };
  readonly response: { readonly headers: Headers; readonly body?: RecordedBody };
}

/** Which requests somebody wants to see. */
export interface JournalFilter {
  /** Only those behind this sequence number. */
  readonly since?: number;
  /** The newest so many. */
  readonly limit?: number;
  readonly method?: string;
  /** `404`, or `4xx`. */
  readonly status?: string;
  /** Part of path or query. */
  readonly path?: string;
}

export function emptyBody(): CapturedBody {
  return { pieces: [], bytes: 0, isCut: false };
}

/** Adds a piece of a body, as far as it is kept. */
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

  /** @param log gets a line for each request, where that is wanted */
  constructor(log?: (line: string) => void) {
    this.#log = log;
  }

  /** Begins an entry; it is kept once it is complete. */
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

  /** The answer is complete: keeps the entry, and tells those who wait. */
  complete(entry: JournalEntry): void {
    this.#last += 1;
    entry.sequence = this.#last;
    this.#entries.push(entry);
    this.#bytes += sizeOf(entry);
    if (this.#entries.length > maxRequests) this.#bytes -= sizeOf(this.#entries.shift());
    this.#forgetBodies();
    this.#log?.(escapeControlChars.line(lineOf(shown(entry, new Redactor()))));
    for (const wake of this.#waiting) wake();
  }

  #forgetBodies(): void {
    for (const entry of this.#entries) {
      if (this.#bytes <= maxBodies) return;
      this.#bytes -= sizeOf(entry);
      entry.requestBody = forgotten(entry.requestBody);
      entry.responseBody = forgotten(entry.responseBody);
    }
  }

  /** The requests that a filter lets through, oldest first, without secrets. */
  requests(filter: JournalFilter): readonly ShownRequest[] {
    const redactor = new Redactor();
    const found = this.#entries.filter((entry) => fits(entry, filter));
    const limited = filter.limit === undefined ? found : found.slice(-filter.limit);
    return limited.map((entry) => shown(entry, redactor));
  }

  /** The number of the last request. */
  get last(): number {
    return this.#last;
  }

  /** Resolves when there is a request behind a number, after so many milliseconds, or when the client leaves. */
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

/** How long a body is, in bytes; of texts about. */
function lengthOf(body: Body): number {
  if (body === undefined) return 0;
  return typeof body === 'object' && 'pieces' in body ? body.bytes : body.length;
}

/** How much of it is in memory. */
function keptOf(body: Body): number {
  return typeof body === 'object' && 'isCut' in body && body.isCut ? 0 : lengthOf(body);
}

function sizeOf(entry: JournalEntry | undefined): number {
  return entry ? keptOf(entry.requestBody) + keptOf(entry.responseBody) : 0;
}

/** A body of which only the length is known any more. */
function forgotten(body: Body): Body {
  const bytes = lengthOf(body);
  return bytes === 0 ? undefined : { pieces: [], bytes, isCut: true };
}

/** A whole body, as it is kept. */
export function whole(body: string | Uint8Array): Body {
  return body.length > maxBody ? forgotten(body) : body;
}

function fits(entry: JournalEntry, { since = 0, method, status, path }: JournalFilter): boolean {
  if (entry.sequence <= since) return false;
  if (method !== undefined && entry.method !== method.toUpperCase()) return false;
  if (path !== undefined && !entry.target.includes(path)) return false;
  if (status === undefined) return true;
  const own = String(entry.status ?? '');
  return own === status || (/^[1-5]xx$/i.test(status) && own.startsWith(status.charAt(0)));
}

function shown(entry: JournalEntry, redactor: Redactor): ShownRequest {
  const { sequence, at, method, target, status, milliseconds } = entry;
  // In this order: what is learned of secrets is looked for in all that comes.
  const received = joined(entry.requestHeaders);
  const requestHeaders = redactor.requestHeaders(received);
  const sent = bodyOf(entry.requestBody, target, received, redactor);
  const answered = bodyOf(entry.responseBody, target, entry.responseHeaders, redactor);
  const responseHeaders = redactor.responseHeaders(entry.responseHeaders);
  const correlation = responseHeaders['correlation-id'];
  const fault = status !== undefined && status >= 400 ? faultIn(answered) : undefined;
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

/** Done when somebody looks: most requests are never looked at. */
function joined(headers: SentHeaders): Headers {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  );
}

function bodyOf(
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

/** Reason and detail of a fault, whatever document it is in. */
function faultIn(body: RecordedBody | undefined): ShownRequest['fault'] {
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

/** `GET /virt-app/api/vms 200 3 ms`, and why it failed. */
export function lineOf(request: ShownRequest): string {
  const { method, path, status, milliseconds, fault, correlation_id: id } = request;
  const why = fault ? ` ${[fault.reason, fault.detail].filter(Boolean).join(': ')}` : '';
  const tie = id === undefined ? '' : ` (${id})`;
  return `${method} ${path} ${status ?? 'no response'} ${milliseconds} ms${why}${tie}`;
}
