/** Reads and writes of ranges of an image behind a ticket, retried after lost connections. */
import { ConnectionError, ServerError, VmctlError } from '../../../client/errors.ts';
import type { HttpResponse } from '../../../client/http-message.ts';
import { backOff } from '../../../transfer/index.ts';
import type { TicketUrl } from './ticket.ts';

/** How often something is tried again that failed for a reason that may pass. */
export interface Repeating {
  readonly retries: number;
  readonly signal: AbortSignal;
  readonly onRepeat: (why: string) => void;
}

/** Bytes that may be written and not yet be on stable storage. */
const WINDOW = 32 * 2 ** 20;

/** Counts failures in a row, and waits ever longer between them. */
class RetryBudget {
  readonly #repeating: Repeating | undefined;
  #failures = 0;

  constructor(repeating: Repeating | undefined) {
    this.#repeating = repeating;
  }

  /** There was some success: what fails now is another failure. */
  renew(): void {
    this.#failures = 0;
  }

  /** Waits before the next attempt. Throws the error when there should be none. */
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
  /** Bytes to read; without it all to the end of the image. */
  readonly size: number | undefined;
  readonly again: Repeating;
}

/** A range that is read once from its beginning to its end. */
export class RangeReading {
  readonly #url: TicketUrl;
  readonly #offset: number;
  readonly #retryBudget: RetryBudget;
  #size: number | undefined;
  #answer: HttpResponse | undefined;
  /** Bytes that were handed on. */
  received = 0;

  constructor(url: TicketUrl, { offset, size, again }: ReadingOptions) {
    this.#url = url;
    this.#offset = offset;
    this.#size = size;
    this.#retryBudget = new RetryBudget(again);
  }

  /** Asks for the range; nothing else needs to be prepared when that is refused. */
  async begin(): Promise<void> {
    while (!this.#answer) {
      try {
        this.#answer = await this.#ask();
      } catch (error) {
        await this.#retryBudget.wait(error);
      }
    }
  }

  /** Hands on all bytes in order, with their place in the range. */
  async run(take: (bytes: Buffer, at: number) => Promise<void>): Promise<void> {
    for (;;) {
      await this.begin();
      const { body, stream } = this.#answer ?? { body: Buffer.alloc(0) };
      this.#answer = undefined;
      try {
        for await (const chunk of stream ?? [body]) {
          const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
          if (this.received + bytes.length > (this.#size ?? 0)) throw bad('sends too much data');
          await take(bytes, this.received);
          this.received += bytes.length;
          this.#retryBudget.renew();
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

  async #ask(): Promise<HttpResponse> {
    const first = this.#offset + this.received;
    const last = this.#size === undefined ? '' : this.#offset + this.#size - 1;
    const answer = await this.#url.send('read the image', {
      method: 'GET',
      headers: { range: `bytes=${first}-${last}` },
      isStreamed: true,
    });
    if (answer.status !== 206) throw bad('does not support ranges');
    const contentRange = /^bytes (\d+)-(\d+)\//.exec(answer.headers['content-range'] ?? '');
    if (Number(contentRange?.[1]) !== first) throw bad('sends another range than requested');
    this.#size ??= Number(contentRange?.[2]) + 1 - this.#offset;
    return answer;
  }
}

/** Bytes that are written one piece behind the other. */
export class RangeWriting {
  readonly #url: TicketUrl;
  readonly #offset: number;
  readonly #again: Repeating | undefined;
  /** What was sent since the last flush: a lost connection makes it travel once more. */
  #unsafe: Buffer[] = [];
  /** Bytes that were taken, and those of them that are on stable storage. */
  sent = 0;
  safe = 0;

  /** @param again without it nothing is flushed, and no failure is survived */
  constructor(url: TicketUrl, offset: number, again: Repeating | undefined) {
    this.#url = url;
    this.#offset = offset;
    this.#again = again;
  }

  /** Writes a piece behind those before it; with the last one all are brought to stable storage. */
  async write(bytes: Buffer, isLast: boolean): Promise<void> {
    const retryBudget = new RetryBudget(this.#again);
    this.#unsafe.push(bytes);
    const flush = this.#again !== undefined && (isLast || this.#isFull);
    const newest = this.#unsafe.length - 1;
    for (let index = newest; index <= newest; index += 1) {
      try {
        await this.#put(index, flush && index === newest);
      } catch (error) {
        await retryBudget.wait(error);
        // Whoever lost the connection may have lost what it had taken as well.
        index = -1;
      }
    }
    this.sent += bytes.length;
    if (flush) this.safe = this.sent;
    if (flush || !this.#again) this.#unsafe = [];
  }

  get #isFull(): boolean {
    return this.#unsafe.reduce((sum, { length }) => sum + length, 0) >= WINDOW;
  }

  async #put(index: number, flush: boolean): Promise<void> {
    const bytes = this.#unsafe[index] ?? Buffer.alloc(0);
    const before = this.#unsafe.slice(0, index).reduce((sum, { length }) => sum + length, 0);
    const at = this.#offset + (this.#again ? this.safe : this.sent) + before;
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

function bad(what: string): VmctlError {
  return new VmctlError(`cannot read the image: the image daemon ${what}`, { code: 'bad_answer' });
}
