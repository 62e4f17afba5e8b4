/**
 * HTTP connection to an image daemon for ranges of images. The socket reads directly into the
 * target buffer, which is faster than libraries that allocate chunks.
 */
import { connect, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectSafely } from 'node:tls';
import { invalidResponse } from './daemon-errors.ts';

/** Address of a daemon. */
export interface DaemonEndpoint {
  readonly origin: string;
  /** Path of its socket on this computer. */
  readonly socketPath?: string;
  readonly trust: ConnectionOptions;
  /** Opens a connection through a proxy, if one applies. */
  readonly connectThroughProxy?: () => Promise<Socket | undefined>;
}

export interface RangeRequest {
  readonly path: string;
  /** First and last byte. */
  readonly first: number;
  readonly last: number;
  /** Buffer for all requested bytes. */
  readonly buffer: Buffer;
  readonly signal: AbortSignal;
  readonly pace?: RateControl;
}

/** Control of the receive rate. */
export interface RateControl {
  /** Maximum bytes to receive at once. */
  readonly piece: number;
  /** Called with received bytes. Resolves when more may follow. */
  readonly pass: (count: number) => Promise<void>;
}

export interface RangeResponse {
  /** 206 if the bytes are in the buffer. */
  readonly status: number;
  /** Short text of a refusal. */
  readonly text: string;
}

const MAX_HEAD_LENGTH = 16_384;
const MAX_ERROR_BODY = 65_536;
const CONNECT_TIMEOUT = 10_000;
const IDLE_TIMEOUT = 60_000;
const headEnd = Buffer.from('\r\n\r\n');

interface PendingRequest extends RangeRequest {
  readonly resolve: (answer: RangeResponse) => void;
  readonly reject: (error: unknown) => void;
  /** Status, after the head of the response has arrived. */
  status: number | undefined;
  /** Target of the body, and the received bytes. */
  body: Buffer;
  filled: number;
}

export class RangeConnection {
  readonly #host: string;
  readonly #socket: Socket;
  /** Buffer for heads, and for unexpected bytes. */
  readonly #head = Buffer.allocUnsafeSlow(MAX_HEAD_LENGTH);
  #headLength = 0;
  #turn: PendingRequest | undefined;
  #broken: unknown;
  #answers = 0;

  /** @param socket connected socket to the server */
  constructor({ origin, socketPath, trust }: DaemonEndpoint, socket?: Socket) {
    const { protocol, hostname, port, host } = new URL(origin);
    this.#host = socketPath === undefined ? host : 'localhost';
    const name = hostname.replace(/^\[|\]$/g, '');
    const onread = {
      buffer: () => this.#freeSpace(),
      callback: (count: number) => this.#take(count),
    };
    if (socketPath !== undefined) this.#socket = connect({ path: socketPath, onread });
    else if (protocol === 'https:') {
      this.#socket = connectSafely({
        ...trust,
        ...{ host: name, port: Number(port) || 443 },
        // Node reads into provided memory only on connections that it opens itself.
        ...(socket ? { socket } : { onread }),
        ...(isIP(name) ? {} : { servername: name }),
      });
    } else this.#socket = connect({ host: name, port: Number(port) || 80, onread });
    if (socket) this.#socket.on('data', (piece: Buffer) => this.#takeAll(piece));
    this.#socket.setNoDelay(true);
    const connected =
      socketPath === undefined && protocol === 'https:' ? 'secureConnect' : 'connect';
    this.#socket.setTimeout(CONNECT_TIMEOUT);
    this.#socket.once(connected, () => this.#socket.setTimeout(IDLE_TIMEOUT));
    this.#socket.on('timeout', () => {
      const code = this.#socket.connecting ? 'UND_ERR_CONNECT_TIMEOUT' : 'UND_ERR_BODY_TIMEOUT';
      this.#end(failure('no further data received', code));
    });
    this.#socket.on('error', (error) => this.#end(error));
    this.#socket.on('close', () => this.#end(failure('other side closed', 'UND_ERR_SOCKET')));
  }

  /** Whether another range can be requested. */
  get isUsable(): boolean {
    return this.#broken === undefined && !this.#socket.destroyed;
  }

  /** Whether the connection was used before, so that the server may have closed it. */
  get isUsed(): boolean {
    return this.#answers > 0;
  }

  /** Whether bytes of a response have arrived. */
  get hasBegun(): boolean {
    return this.#headLength > 0;
  }

  /** Requests one range. Rejects for other responses. Only one request at a time. */
  async get(request: RangeRequest): Promise<RangeResponse> {
    const { signal, path, first, last } = request;
    signal.throwIfAborted();
    const stop = () => this.#end(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await new Promise((resolve, reject) => {
        if (this.#broken !== undefined) {
          reject(this.#broken);
          return;
        }
        this.#headLength = 0;
        const body = Buffer.alloc(0);
        this.#turn = { ...request, resolve, reject, status: undefined, body, filled: 0 };
        this.#socket.write(
          `GET ${path} HTTP/1.1\r\nhost: ${this.#host}\r\nrange: bytes=${first}-${last}\r\n\r\n`,
        );
      });
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  close(): void {
    this.#end(failure('closed', 'UND_ERR_SOCKET'));
  }

  /** Buffer for the next bytes, never empty. */
  #freeSpace(): Buffer {
    const turn = this.#turn;
    if (turn?.status !== undefined) {
      const { body, filled, pace } = turn;
      if (filled < body.length) return body.subarray(filled, pace && filled + pace.piece);
      // The response is complete and waits for the rate limit. The next bytes are another head.
      return this.#head;
    }
    return this.#headLength < MAX_HEAD_LENGTH ? this.#head.subarray(this.#headLength) : this.#head;
  }

  /** Copies bytes that arrived in another buffer. */
  #takeAll(piece: Buffer): void {
    for (let at = 0; at < piece.length && this.isUsable; ) {
      const count = piece.copy(this.#freeSpace(), 0, at);
      at += count;
      if (this.#take(count)) continue;
      const rest = piece.subarray(at);
      this.#socket.pause();
      if (rest.length > 0) this.#socket.unshift(rest);
      return;
    }
  }

  /** Processes received bytes in the buffer. Returns whether more may arrive now. */
  #take(count: number): boolean {
    const turn = this.#turn;
    if (!turn) {
      this.#end(failure('a response without a request', 'UND_ERR_SOCKET'));
      return true;
    }
    if (turn.status === undefined) {
      this.#headLength += count;
      this.#readHead(turn);
    } else if (turn.filled < turn.body.length) turn.filled += count;
    else this.#end(failure('data after the response', 'UND_ERR_SOCKET'));
    if (turn.status === undefined || this.#turn !== turn) return true;
    const { status, pace } = turn;
    const resume = () => {
      if (turn.filled === turn.body.length && this.#turn === turn) this.#finish(turn, status);
    };
    if (status !== 206 || pace === undefined) {
      resume();
      return true;
    }
    pace.pass(count).then(
      () => {
        resume();
        this.#socket.resume();
      },
      // A stop has already ended the request.
      () => undefined,
    );
    return false;
  }

  /** Parses the head of the response when it is complete, and processes the bytes after it. */
  #readHead(turn: PendingRequest): void {
    const received = this.#head.subarray(0, this.#headLength);
    const end = received.indexOf(headEnd);
    if (end < 0) {
      if (this.#headLength === MAX_HEAD_LENGTH) this.#end(invalidResponse('does not use HTTP'));
      return;
    }
    const head = new ResponseHead(received.toString('latin1', 0, end));
    const problem = responseProblem(head, turn);
    if (problem !== undefined) {
      this.#end(problem);
      return;
    }
    // The connection cannot be reused after a body that is not read to its end.
    const { status, length = Number.POSITIVE_INFINITY } = head;
    const isRead = status === 206 || length <= MAX_ERROR_BODY;
    if (head.closes || !isRead) this.#broken = failure('other side closed', 'UND_ERR_SOCKET');
    if (status === 206) turn.body = turn.buffer.subarray(0, length);
    else turn.body = Buffer.alloc(isRead ? length : 0);
    const from = end + headEnd.length;
    if (isRead && received.length - from > turn.body.length) {
      this.#end(failure('data after the response', 'UND_ERR_SOCKET'));
      return;
    }
    turn.filled = received.copy(turn.body, 0, from);
    turn.status = status;
  }

  #finish({ body, resolve }: PendingRequest, status: number): void {
    this.#turn = undefined;
    this.#headLength = 0;
    this.#answers += 1;
    if (this.#broken !== undefined) this.#socket.destroy();
    resolve({ status, text: status === 206 ? '' : body.toString('utf8') });
  }

  #end(error: unknown): void {
    const turn = this.#turn;
    this.#turn = undefined;
    this.#broken ??= error;
    this.#socket.destroy();
    turn?.reject(error);
  }
}

/** Reason why a response is unusable. */
function responseProblem(head: ResponseHead, { first, last }: RangeRequest): unknown {
  if (head.status === 200) return invalidResponse('does not support ranges');
  if (!head.status) return invalidResponse('does not use HTTP');
  if (head.status !== 206) return undefined;
  if (!head.field('content-range').startsWith(`bytes ${first}-${last}/`)) {
    return invalidResponse('sends another range than requested');
  }
  const wanted = last - first + 1;
  if (head.length === undefined) return invalidResponse('sends no content length');
  if (head.length > wanted) return invalidResponse('sends more data than requested');
  return head.length < wanted ? failure('short', 'UND_ERR_SOCKET') : undefined;
}

/** Head of a response. */
class ResponseHead {
  readonly status: number;
  readonly #version: string;
  readonly #lines: readonly string[];

  constructor(text: string) {
    const [first = '', ...lines] = text.split('\r\n');
    const [, version = '', status = ''] = /^HTTP\/(1\.[01]) (\d{3})\b/.exec(first) ?? [];
    this.status = Number(status);
    this.#version = version;
    this.#lines = lines;
  }

  field(name: string): string {
    const line = this.#lines.find((one) => one.toLowerCase().startsWith(`${name}:`));
    return line?.slice(name.length + 1).trim() ?? '';
  }

  /** Length of the body in bytes, if declared. */
  get length(): number | undefined {
    const text = this.field('content-length');
    return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  }

  get closes(): boolean {
    return this.#version === '1.0' || /\bclose\b/i.test(this.field('connection'));
  }
}

/** Creates an error in the form of undici. */
function failure(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}
