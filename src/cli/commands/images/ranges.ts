/** Range reads and writes of an image, retried after lost connections. */
import { ConnectionError, ServerError, VmctlError } from '../../../client/errors.ts';
import type { HttpResponse } from '../../../client/http-message.ts';
import { backOff } from '../../../transfer/index.ts';
import type { TicketUrl } from './ticket.ts';

/** Retry policy for transient failures. */
export interface RetryPolicy {
  readonly retries: number;
  readonly signal: AbortSignal;
  readonly onRepeat: (why: string) => void;
}

/** Maximum number of unflushed bytes. */
const maxUnflushedBytes = 32 * 2 ** 20;

/** Counter of consecutive failures with exponential backoff. */
class RetryBudget {
  readonly #repeating: RetryPolicy | undefined;
  #failures = 0;

  constructor(repeating: RetryPolicy | undefined) {
    this.#repeating = repeating;
  }

  /** Resets the counter after a success. */
  reset(): void {
    this.#failures = 0;
  }

  /**
   * Waits before the next attempt. Throws the error if no retry is left, or if it is not transient.
   */
  async wait(error: unknown): Promise<void> {
    const repeating = this.#repeating;
    const passing =
      error instanceof ConnectionError || (error instanceof ServerError && error.retryable);
    if (!repeating || !passing || this.#failures >= repeating.retries) throw error;
    repeating.onRepeat(error.message);
    this.#failures += 1;
    await backOff(this.#failures, repeating.signal);
  }
}

interface ReadingOptions {
  readonly offset: number;
  /** Number of bytes; undefined for all up to the end of the image. */
  readonly size: number | undefined;
  readonly again: RetryPolicy;
}

/** Sequential read of a range. */
export class RangeReader {
  readonly #url: TicketUrl;
  readonly #offset: number;
  readonly #retryBudget: RetryBudget;
  #size: number | undefined;
  #answer: HttpResponse | undefined;
  /** Number of processed bytes. */
  received = 0;

  constructor(url: TicketUrl, { offset, size, again }: ReadingOptions) {
    this.#url = url;
    this.#offset = offset;
    this.#size = size;
    this.#retryBudget = new RetryBudget(again);
  }

  /** Requests the range, so that a refusal comes before other preparations. */
  async begin(): Promise<void> {
    while (!this.#answer) {
      try {
        this.#answer = await this.#request();
      } catch (error) {
        await this.#retryBudget.wait(error);
      }
    }
  }

  /** Passes all bytes to `take` in order, with their position in the range. */
  async run(take: (bytes: Buffer, at: number) => Promise<void>): Promise<void> {
    for (;;) {
      await this.begin();
      const { body, stream } = this.#answer ?? { body: Buffer.alloc(0) };
      this.#answer = undefined;
      try {
        for await (const chunk of stream ?? [body]) {
          const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
          if (this.received + bytes.length > (this.#size ?? 0))
            throw createBadResponseError('sends too much data');
          await take(bytes, this.received);
          this.received += bytes.length;
          this.#retryBudget.reset();
        }
        if (this.received === this.#size) return;
        throw new ConnectionError(
          `cannot read the image: the response ended after ${this.received} of ${this.#size} bytes`,
          { code: 'connection_lost', retryable: true },
        );
      } catch (error) {
        await this.#retryBudget.wait(error);
      }
    }
  }

  async #request(): Promise<HttpResponse> {
    const first = this.#offset + this.received;
    const last = this.#size === undefined ? '' : this.#offset + this.#size - 1;
    const answer = await this.#url.send('read the image', {
      method: 'GET',
      headers: { range: `bytes=${first}-${last}` },
      isStreamed: true,
    });
    if (answer.status !== 206) throw createBadResponseError('does not support ranges');
    const contentRange = /^bytes (\d+)-(\d+)\//.exec(answer.headers['content-range'] ?? '');
    if (Number(contentRange?.[1]) !== first)
      throw createBadResponseError('sends another range than requested');
    this.#size ??= Number(contentRange?.[2]) + 1 - this.#offset;
    return answer;
  }
}

/** Sequential write of a range. */
export class RangeWriter {
  readonly #url: TicketUrl;
  readonly #offset: number;
  readonly #again: RetryPolicy | undefined;
  /** Pieces since the last flush, sent again after a lost connection. */
  #unflushed: Buffer[] = [];
  /** Number of accepted bytes, and of flushed ones. */
  sent = 0;
  flushed = 0;

  /** @param again retry policy; without it, writes are neither flushed nor retried */
  constructor(url: TicketUrl, offset: number, again: RetryPolicy | undefined) {
    this.#url = url;
    this.#offset = offset;
    this.#again = again;
  }

  /** Writes a piece after the previous ones. The last piece is flushed with all others. */
  async write(bytes: Buffer, isLast: boolean): Promise<void> {
    const retryBudget = new RetryBudget(this.#again);
    this.#unflushed.push(bytes);
    const flush = this.#again !== undefined && (isLast || this.#isFull);
    const newest = this.#unflushed.length - 1;
    for (let index = newest; index <= newest; index += 1) {
      try {
        await this.#put(index, flush && index === newest);
      } catch (error) {
        await retryBudget.wait(error);
        // A lost connection may also have lost accepted pieces.
        index = -1;
      }
    }
    this.sent += bytes.length;
    if (flush) this.flushed = this.sent;
    if (flush || !this.#again) this.#unflushed = [];
  }

  get #isFull(): boolean {
    return this.#unflushed.reduce((sum, { length }) => sum + length, 0) >= maxUnflushedBytes;
  }

  async #put(index: number, flush: boolean): Promise<void> {
    const bytes = this.#unflushed[index] ?? Buffer.alloc(0);
    const before = this.#unflushed.slice(0, index).reduce((sum, { length }) => sum + length, 0);
    const at = this.#offset + (this.#again ? this.flushed : this.sent) + before;
    await this.#url.send(`write ${bytes.length} bytes at ${at}`, {
      method: 'PUT',
      suffix: `?flush=${flush ? 'y' : 'n'}`,
      headers: {
        'content-type': 'application/octet-stream',
        'content-range': `bytes ${at}-${at + bytes.length - 1}/*`,
      },
      body: bytes,
    });
  }
}

function createBadResponseError(what: string): VmctlError {
  return new VmctlError(`cannot read the image: the image daemon ${what}`, { code: 'bad_answer' });
}
