/**
 * Recordings: requests and their answers, a line of JSON each, behind a line that says what the file
 * is. Several commands may write into one file; each begins with such a line where the file is empty,
 * and with an end of line where the last one seems to be cut: empty lines mean nothing.
 */

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

/** Whether a value read from a line is an exchange, as far as readers rely on it. */
export function isExchange(value: unknown): value is Exchange {
  if (typeof value !== 'object' || value === null) return false;
  const { request, response } = value as Partial<Exchange>;
  const isComplete =
    typeof request?.method === 'string' &&
    typeof request.path === 'string' &&
    typeof request.origin === 'string' &&
    typeof request.headers === 'object';
  const isAnswered =
    response === undefined ||
    (Number.isInteger(response.status) && typeof response.headers === 'object');
  return isComplete && isAnswered;
}
