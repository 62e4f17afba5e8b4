/** HTTP errors of requests. */

/** Thrown anywhere in a request; becomes an answer of one plain sentence. */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The connection ends with this answer. */
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
 * The one refusal of everything a ticket does not cover: absent, expired, removed or lacking the
 * operation. Whoever guesses ids learns nothing from it and needs a new connection for each guess.
 */
export function forbidden(): HttpError {
  return new HttpError(403, 'No valid ticket allows this operation.', { close: true });
}

/** A range outside the image of `size` bytes. */
export function outOfBounds(size: number, what: string): HttpError {
  return new HttpError(416, `${what} ends after the image, which has ${size} bytes.`, {
    headers: { 'Content-Range': `bytes */${size}` },
  });
}

const OUT_OF_SPACE = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const OUT_OF_FILES = new Set(['EMFILE', 'ENFILE', 'ENOMEM']);

/** The answer for an error that no handler foresaw; details stay out of it. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  const code = (error as NodeJS.ErrnoException | null)?.code ?? '';
  if (OUT_OF_SPACE.has(code)) {
    return new HttpError(507, 'No space left for the image.');
  }
  if (OUT_OF_FILES.has(code)) {
    return new HttpError(503, 'The server has no free files or memory, try again.');
  }
  return new HttpError(500, 'The image is not accessible.');
}
