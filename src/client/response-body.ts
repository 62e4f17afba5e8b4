/**
 * Response bodies with limits on time without progress and on memory, which a server cannot extend.
 */
import { ConnectionError, ServerError } from './errors.ts';

export interface BodyLimits {
  /** Milliseconds in which at least `minProgress` bytes, or the end, must arrive. */
  readonly idleTimeout: number;
  /** Maximum bytes in memory. */
  readonly maxLength: number;
}

/** Fewer bytes within the timeout are not progress: a list of 10,000 objects would take weeks. */
const minProgress = 1024;

/**
 * Half of the longest string of the engine, because documents are strings before they are objects.
 */
export const maxBodyLength = 256 * 2 ** 20;

/**
 * Chunks of a body. The time of the reader does not count. Throws `ConnectionError` (`timeout`)
 * without sufficient progress.
 */
export async function* withProgress(
  body: AsyncIterable<Uint8Array>,
  { idleTimeout }: Pick<BodyLimits, 'idleTimeout'>,
): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  let waited = 0;
  let came = 0;
  try {
    for (;;) {
      const from = process.uptime();
      const { value, done } = await chunks.next();
      if (done) return;
      waited += (process.uptime() - from) * 1_000;
      came += value.length;
      if (came >= minProgress) waited = came = 0;
      else if (waited > idleTimeout) throw stalled(came, waited);
      yield value;
    }
  } finally {
    await chunks.return?.();
  }
}

/**
 * Reads a complete body. Throws like `withProgress`, and `ServerError` (`answer_too_long`) if it is
 * too large.
 */
export async function readBody(
  body: AsyncIterable<Uint8Array>,
  bounds: BodyLimits,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of withProgress(body, bounds)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > bounds.maxLength) throw responseTooLong(bounds.maxLength);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, length);
}

/** Creates the error for a response, or a part of it, that is too large for memory. */
export function responseTooLong(longest: number): ServerError {
  return new ServerError(`the response exceeds ${longest >> 20} MiB`, {
    code: 'answer_too_long',
    hint: 'limit the result with --max, --page-size or --search',
  });
}

function stalled(bytes: number, milliseconds: number): ConnectionError {
  const seconds = Math.round(milliseconds / 1_000);
  return new ConnectionError(`no progress of the response: ${bytes} bytes in ${seconds} s`, {
    code: 'timeout',
    hint: 'try again; --idle-timeout and VMCTL_IDLE_TIMEOUT set the limit',
  });
}
