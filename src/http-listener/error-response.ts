/** Responses outside of requests: to invalid HTTP, late heads and too many connections. */

/** Body of an error response, with its media type. */
export interface ErrorBody {
  readonly type: string;
  readonly text: string;
}

/** Creates the body of an error response from its explanation. */
export type FormatErrorBody = (detail: string) => ErrorBody;

export interface ErrorResponse {
  /** Status code and reason phrase. */
  readonly status: string;
  readonly detail: string;
  /** Header lines. */
  readonly headers?: readonly string[];
}

export const tooManyConnections: ErrorResponse = {
  status: '503 Service Unavailable',
  detail: 'Too many connections, try again later.',
  headers: ['Retry-After: 5'],
};

/** Response to an error that the HTTP parser reports; undefined for broken connections. */
export function findErrorResponse({ code = '' }: NodeJS.ErrnoException): ErrorResponse | undefined {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const status = '431 Request Header Fields Too Large';
    return { status, detail: 'The request headers are too large.' };
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return { status: '408 Request Timeout', detail: 'Timeout while reading the request headers.' };
  }
  if (!code.startsWith('HPE_')) return undefined;
  return { status: '400 Bad Request', detail: 'The request is not valid HTTP.' };
}

/** The bytes of a response that closes its connection. Without `formatBody` it has no body. */
export function formatErrorResponse(
  { status, detail, headers = [] }: ErrorResponse,
  formatBody: FormatErrorBody | undefined,
): string {
  const body = formatBody?.(detail);
  const lines = [`HTTP/1.1 ${status}`, 'Connection: close', ...headers];
  if (body) lines.push(`Content-Type: ${body.type}`);
  lines.push(`Content-Length: ${Buffer.byteLength(body?.text ?? '')}`);
  return `${lines.join('\r\n')}\r\n\r\n${body?.text ?? ''}`;
}
