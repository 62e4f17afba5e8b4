/** HTTP request and response. */

export interface HttpRequest {
  readonly method: string;
  readonly origin: string;
  /** Absolute path with its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** Whether this is the request of the command itself, rather than a lookup. */
  readonly isPrimary?: boolean;
  /** Whether the request obtains or revokes a token. Dry runs send these too. */
  readonly isSession?: boolean;
  /** Resolves when the head of a successful response has arrived. `stream` contains the body. */
  readonly isStreamed?: boolean;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /**
   * Body of a streamed response while it arrives; `body` is empty. The caller must read it to its
   * end.
   */
  readonly stream?: AsyncIterable<Uint8Array>;
  /** Origin of the response if redirects led to another host. */
  readonly foreignOrigin?: string;
}
