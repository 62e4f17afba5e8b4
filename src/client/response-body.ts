/**
 * Response bodies as they arrive, within limits that a server cannot stretch: they have to make
 * progress, and what is held in memory is bounded.
 */
import { ConnectionError, ServerError } from './errors.ts';

export interface BodyLimits {
  /** Milliseconds in which at least `minProgress` bytes have to come, or the end. */
  readonly idleTimeout: number;
  /** Bytes that are held in memory at most. */
  readonly maxLength: number;
}

/** Less than this in the time limit is no progress: a list of 10,000 objects would take weeks. */
const minProgress = 1024;

/** Half of the longest text that the engine can hold: documents are texts before they are objects. */
export const maxBodyLength = 256 * 2 ** 20;

/**
 * The chunks of a body. Time that the reader takes between them does not count.
 * Throws `ConnectionError` (`timeout`) when hardly anything comes.
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

/** All of a body. Throws as `withProgress`, and `ServerError` (`answer_too_long`) beyond the bound. */
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

/** What is said about an answer, or a part of it, that does not fit into memory. */
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
