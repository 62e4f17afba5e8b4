/**
 * Format of recordings: JSON Lines with a header line, then one exchange per line. Several commands
 * may append to a file: each writes a header to an empty file, and a line break after a truncated
 * line. Empty lines are ignored.
 */

import { isRecord } from '../records.ts';
import { Mistake } from '../source-place.ts';

/** Version of the format; readers refuse others. */
export const recordingVersion = 1;

/** A body without secrets, or the reason why it is omitted. */
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
  /** Time of completion (ISO 8601). */
  readonly at: string;
  /** Duration of the exchange. */
  readonly milliseconds: number;
  readonly request: RecordedRequest;
  /** Absent if the request failed. */
  readonly response?: RecordedResponse;
  /** Reason of a failed request. */
  readonly failure?: { readonly code: string; readonly message: string };
}

export interface RecordingHeader {
  readonly recording: 'vmctl';
  readonly version: number;
  /** Version of `vmctl` that created the file. */
  readonly program: string;
}

/** The first line of a recording. */
export function headerLine(program: string): string {
  const header: RecordingHeader = { recording: 'vmctl', version: recordingVersion, program };
  return `${JSON.stringify(header)}\n`;
}

export function isHeader(value: unknown): value is RecordingHeader {
  return isRecord(value) && value['recording'] === 'vmctl' && Number.isInteger(value['version']);
}

/** Calls `fail` with the reason if a value is not a valid exchange. */
export function requireExchange(
  value: unknown,
  fail: (mistake: Mistake) => never,
): asserts value is Exchange {
  const mistake = findExchangeMistake(value);
  if (mistake) fail(mistake);
}

/** Reason why a value is not a valid exchange; undefined if it is valid. */
export function findExchangeMistake(value: unknown): Mistake | undefined {
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
    findMessageMistake(request, 'request') ??
    findResponseMistake(response) ??
    (failure === undefined || (isRecord(failure) && typeof failure['code'] === 'string')
      ? undefined
      : new Mistake(['failure'], 'failure has no code'))
  );
}

function findResponseMistake(response: unknown): Mistake | undefined {
  if (response === undefined) return undefined;
  if (!isRecord(response)) return new Mistake(['response'], 'response is not an object');
  const { status } = response;
  if (!Number.isInteger(status) || Number(status) < 200 || Number(status) > 599) {
    return new Mistake(
      ['response', 'status'],
      `response.status ${JSON.stringify(status)} is not an HTTP status (200 to 599)`,
    );
  }
  return findMessageMistake(response, 'response');
}

/** Reason why the headers or the body of a message are invalid. */
function findMessageMistake({ headers, body }: Fields, name: string): Mistake | undefined {
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
