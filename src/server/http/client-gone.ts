/** What is known of clients that went away before they were answered: no error of the server. */

/** The client broke its connection off in the middle of a request. */
export class ClientGone extends Error {
  readonly address: string;

  constructor(address: string) {
    super('The client went away before its request was complete.');
    this.address = address;
  }
}

const interval = 60_000;

/** Tells of clients that went away in one line, at most once a minute. */
export class ClientGoneLog {
  readonly #write: (line: string) => void;
  readonly #now: () => number;
  #lastLine = Number.NEGATIVE_INFINITY;
  #untold = 0;

  /** @param now milliseconds of a clock that never goes back */
  constructor(write: (line: string) => void, now: () => number) {
    this.#write = write;
    this.#now = now;
  }

  note({ address }: ClientGone): void {
    if (this.#now() - this.#lastLine < interval) {
      this.#untold += 1;
      return;
    }
    const others = this.#untold === 0 ? '' : ` (and ${this.#untold} more since the last line)`;
    this.#write(`a client at ${address} went away before its request was complete${others}`);
    this.#lastLine = this.#now();
    this.#untold = 0;
  }
}
