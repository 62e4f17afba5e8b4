/** A request over HTTP, and the answer to it. */

export interface HttpRequest {
  readonly method: string;
  readonly origin: string;
  /** Absolute path with its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** The request that the command is about, not one on the way to it. */
  readonly isPrimary?: boolean;
  /** Gets or returns a token: never held back. */
  readonly isSession?: boolean;
  /** A good answer is handed out as soon as its head is there; its body comes as `rest`. */
  readonly isStreamed?: boolean;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The body of a streamed answer, as it comes; `body` is empty then. To be read to its end. */
  readonly stream?: AsyncIterable<Uint8Array>;
  /** Where the answer came from, when redirects led to another host. */
  readonly foreignOrigin?: string;
}
