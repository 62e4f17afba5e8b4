/** HTTP errors of requests. */
import { getErrorCode } from '../../caught-errors.ts';

/** Media type of errors. */
export const textType = 'text/plain; charset=UTF-8';

/** Error that becomes a response with one sentence. */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the response ends the connection. */
  readonly close: boolean;

  constructor(
    status: number,
    message: string,
    options: { headers?: Record<string, string>; close?: boolean } = {},
  ) {
    super(message);
    this.status = status;
    this.headers = options.headers ?? {};
    this.close = options.close ?? false;
  }
}

/**
 * Refusal for an absent, expired or removed ticket, and for one without the operation. It is always
 * the same, so that guessing ids reveals nothing, and each guess requires a new connection.
 */
export function forbidden(): HttpError {
  return new HttpError(403, 'No valid ticket allows this operation.', { close: true });
}

/** Error for a range outside an image of `size` bytes. */
export function outOfBounds(size: number, what: string): HttpError {
  return new HttpError(416, `${what} ends after the image, which has ${size} bytes.`, {
    headers: { 'Content-Range': `bytes */${size}` },
  });
}

const OUT_OF_SPACE = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const OUT_OF_FILES = new Set(['EMFILE', 'ENFILE', 'ENOMEM']);

/** Error for an unexpected failure, without details. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  const code = getErrorCode(error) ?? '';
  if (OUT_OF_SPACE.has(code)) {
    return new HttpError(507, 'No space left for the image.');
  }
  if (OUT_OF_FILES.has(code)) {
    return new HttpError(503, 'The server has no free files or memory, try again.');
  }
  return new HttpError(500, 'The image is not accessible.');
}
