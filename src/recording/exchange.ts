/**
 * Recordings: requests and their answers, a line of JSON each, behind a line that says what the file
 * is. Several commands may write into one file; each begins with such a line where the file is empty,
 * and with an end of line where the last one seems to be cut: empty lines mean nothing.
 */

import { Mistake } from '../source-place.ts';

/** Version of the format; readers refuse others. */
export const recordingVersion = 1;

/** A body without secrets, or why it is not there. */
export type RecordedBody =
  | { readonly text: string }
  | { readonly base64: string }
  | { readonly omitted: string; readonly bytes: number };

export interface RecordedRequest {
  readonly method: string;
  /** `https://host:port` */
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: RecordedBody;
}

export interface RecordedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: RecordedBody;
}

export interface Exchange {
  /** When it was complete: ISO 8601. */
  readonly at: string;
  /** How long it took. */
  readonly milliseconds: number;
  readonly request: RecordedRequest;
  /** Absent where none came. */
  readonly response?: RecordedResponse;
  /** Why none came. */
  readonly failure?: { readonly code: string; readonly message: string };
}

export interface RecordingHeader {
  readonly recording: 'vmctl';
  readonly version: number;
  /** Version of the program that made it. */
  readonly program: string;
}

/** The first line of a recording. */
export function headerLine(program: string): string {
  const header: RecordingHeader = { recording: 'vmctl', version: recordingVersion, program };
  return `${JSON.stringify(header)}\n`;
}

export function isHeader(value: unknown): value is RecordingHeader {
  return (
    typeof value === 'object' &&
    value !== null &&
    (value as Partial<RecordingHeader>).recording === 'vmctl' &&
    Number.isInteger((value as Partial<RecordingHeader>).version)
  );
}

/** What keeps a value read from a line from being an exchange; undefined if readers can rely on it. */
export function mistakeIn(value: unknown): Mistake | undefined {
  if (!isRecord(value)) return new Mistake([], 'not an exchange');
  const { request, response, failure, milliseconds, at } = value;
  if (typeof at !== 'string' || Number.isNaN(Date.parse(at))) {
    return new Mistake(['at'], 'at is not a time');
  }
  if (typeof milliseconds !== 'number' || !(milliseconds >= 0)) {
    return new Mistake(['milliseconds'], 'milliseconds is not a number from 0');
  }
  if (!isRecord(request)) return new Mistake(['request'], 'request is missing');
  const { method, path, origin } = request;
  if (typeof method !== 'string' || !/^[A-Z]+$/.test(method)) {
    return new Mistake(['request', 'method'], 'request.method is not a method');
  }
  if (typeof origin !== 'string') {
    return new Mistake(['request', 'origin'], 'request.origin is not a string');
  }
  if (typeof path !== 'string' || !/^\/[!-~]*$/.test(path)) {
    const problem = 'request.path is not a path with its query, percent-encoded';
    return new Mistake(['request', 'path'], problem);
  }
  return (
    mistakeInMessage(request, 'request') ??
    mistakeInResponse(response) ??
    (failure === undefined || (isRecord(failure) && typeof failure['code'] === 'string')
      ? undefined
      : new Mistake(['failure'], 'failure has no code'))
  );
}

function mistakeInResponse(response: unknown): Mistake | undefined {
  if (response === undefined) return undefined;
  if (!isRecord(response)) return new Mistake(['response'], 'response is not an object');
  const { status } = response;
  if (!Number.isInteger(status) || Number(status) < 200 || Number(status) > 599) {
    return new Mistake(
      ['response', 'status'],
      `response.status ${JSON.stringify(status)} is not an HTTP status (200 to 599)`,
    );
  }
  return mistakeInMessage(response, 'response');
}

/** What is wrong with the headers or the body of a message. */
function mistakeInMessage({ headers, body }: Fields, name: string): Mistake | undefined {
  if (!isRecord(headers)) return new Mistake([name, 'headers'], `${name}.headers is not an object`);
  for (const [header, text] of Object.entries(headers)) {
    const steps = [name, 'headers', header];
    const quoted = JSON.stringify(header);
    if (!/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(header)) {
      const problem = `${name}.headers: ${quoted} is not a header name in lower case`;
      return new Mistake(steps, problem);
    }
    if (typeof text !== 'string' || !/^[\t -~\u0080-\u00ff]*$/.test(text)) {
      const problem = `${name}.headers: the value of ${quoted} has characters that are not valid in a header`;
      return new Mistake(steps, problem);
    }
  }
  if (body === undefined || isBody(body)) return undefined;
  return new Mistake(
    [name, 'body'],
    `${name}.body has neither text, base64, nor omitted with bytes`,
  );
}

function isBody(body: unknown): boolean {
  if (!isRecord(body)) return false;
  const { text, base64, omitted, bytes } = body;
  if (typeof omitted === 'string') return Number.isSafeInteger(bytes) && Number(bytes) >= 0;
  if (typeof base64 === 'string') return /^[A-Za-z0-9+/]*={0,2}$/.test(base64);
  return typeof text === 'string';
}

type Fields = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
