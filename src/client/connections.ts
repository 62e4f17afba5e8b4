/**
 * Connections to servers with the HTTP module of Node: keep-alive, limits of connections and time,
 * and errors of truncated responses.
 */
import type { Agent, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionOptions, SecureContext } from 'node:tls';
import pLimit, { type LimitFunction } from 'p-limit';
import { type EnvironmentVariables, namesProxy } from './proxy-env.ts';
import type { Times } from './timing.ts';

export interface ConnectionsOptions {
  readonly tls: ConnectionOptions;
  /** Environment variables, which can name a proxy. */
  readonly env?: EnvironmentVariables;
  readonly times?: Times;
  /** Milliseconds without progress after which a response fails. */
  readonly idleTimeout: number;
}

/** Request for a connection. */
export interface OutgoingRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
}

/** Response after its head has arrived. */
export interface IncomingAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Maximum simultaneous connections to one server. */
export const maxConnections = 8;
/** Milliseconds to connect, including the TLS handshake. */
export const connectTimeout = 10_000;
/** Milliseconds until an idle connection is closed, unless the server sends a limit. */
const keepAliveTimeout = 4_000;
/**
 * Upper limit for the keep-alive time of the server. Agents use it as a timeout of requests too,
 * which must not apply.
 */
const longestKeepAlive = 599_999;

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #http: typeof import('node:http');
  /** Agents by protocol. */
  readonly #agents = new Map<string, Agent>();
  /** Limits of simultaneous requests by origin. */
  readonly #limits = new Map<string, LimitFunction>();
  /** Sockets that are connecting. Agents do not have them yet. */
  readonly #pending = new Set<Socket>();
  /** Sockets whose server sent a keep-alive limit, which the agent enforces. */
  readonly #limited = new WeakSet<Socket>();
  /** Parsed certificate authorities. Parsing takes longer than a handshake, so they are cached. */
  #trust: SecureContext | undefined;

  private constructor(http: typeof import('node:http'), options: ConnectionsOptions) {
    this.#http = http;
    this.#options = options;
  }

  /** Loads the HTTP module. The first request opens a connection. */
  static async open(options: ConnectionsOptions): Promise<Connections> {
    return new Connections(await import('node:http'), options);
  }

  /** Sends a request. Resolves when the head of the response has arrived. */
  request(request: OutgoingRequest): Promise<IncomingAnswer> {
    const { origin, signal } = request;
    let limit = this.#limits.get(origin);
    if (!limit) {
      limit = pLimit(maxConnections);
      this.#limits.set(origin, limit);
    }
    return new Promise((resolve, reject) => {
      let cancel: (reason: Error) => void = reject;
      const abort = () => cancel(signal?.reason);
      signal?.addEventListener('abort', abort, { once: true });
      // Queue here: the limit of the agent does not count connecting sockets.
      const sent = limit(async () => {
        if (signal?.aborted) return;
        const [fail, ended] = this.#send(request, resolve, reject);
        cancel = fail;
        await ended;
      });
      sent.catch(reject).finally(() => signal?.removeEventListener('abort', abort));
    });
  }

  /**
   * Sends a request. Returns a function that cancels it, and a promise of its end, when the
   * connection is free again.
   */
  #send(
    { origin, path, method, body, ...request }: OutgoingRequest,
    resolve: (answer: IncomingAnswer) => void,
    reject: (error: Error) => void,
  ): readonly [fail: (error: Error) => void, ended: Promise<void>] {
    const { protocol, host, hostname, port } = new URL(origin);
    const headers: Record<string, string | number> = { host, ...request.headers };
    const length = body === undefined ? undefined : Buffer.byteLength(body);
    checkHeaders(headers, length ?? 0);
    if (length !== undefined) headers['content-length'] = length;
    const { idleTimeout } = this.#options;
    const sent = this.#http.request({
      ...{ agent: this.#agentFor(protocol), method, path, headers, timeout: idleTimeout },
      ...{ host: hostname.replace(/^\[|\]$/g, ''), port: port || defaultPorts[protocol] },
    });
    let answer: IncomingMessage | undefined;
    let cause: Error | undefined;
    let timer: NodeJS.Timeout | undefined;
    const fail = (error: Error) => {
      cause ??= isHangUp(error) ? hungUp() : error;
      reject(cause);
      answer?.destroy(cause);
      sent.destroy();
    };
    // The socket timeout detects silence, but not a head that arrives byte by byte.
    sent.once('finish', () => {
      timer = setTimeout(() => fail(headersTimeout()), idleTimeout);
    });
    sent.on('timeout', () => {
      if (!answer) fail(headersTimeout());
      // Unread data means that this side is slow, not the server.
      else if (answer.readableLength === 0) fail(bodyTimeout());
    });
    sent.on('error', fail);
    sent.once('response', (incoming) => {
      clearTimeout(timer);
      answer = incoming;
      const { statusCode = 0, rawHeaders, socket } = incoming;
      if (/timeout=\d/.test(String(incoming.headers['keep-alive']))) this.#limited.add(socket);
      const chunks = readChunks(incoming, () => cause);
      resolve({ status: statusCode, headers: joinHeaders(rawHeaders), body: chunks });
    });
    sent.end(body);
    const ended = new Promise<void>((end) => {
      sent.once('close', () => {
        clearTimeout(timer);
        reject(hungUp());
        end();
      });
    });
    return [fail, ended];
  }

  #agentFor(protocol: string): Agent {
    const known = this.#agents.get(protocol);
    if (known) return known;
    const agent = new this.#http.Agent({ keepAlive: true, timeout: longestKeepAlive });
    const keepAliveMs = agent.keepSocketAlive.bind(agent);
    agent.keepSocketAlive = (socket) => {
      const isKept: unknown = keepAliveMs(socket);
      if (!this.#limited.has(socket as Socket)) (socket as Socket).setTimeout(keepAliveTimeout);
      return isKept;
    };
    agent.createConnection = ({ host, port }, callback) => {
      this.#connect(protocol, String(host), Number(port)).then(
        (socket) => callback?.(null, socket),
        (error: Error) => (callback as ((error: Error) => void) | undefined)?.(error),
      );
      return undefined;
    };
    this.#agents.set(protocol, agent);
    return agent;
  }

  async #connect(protocol: string, host: string, port: number): Promise<Socket> {
    const { isIP, connect: connectTcp } = await import('node:net');
    if (protocol === 'http:') {
      return await this.#established(connectTcp({ host, port }), 'connect');
    }
    const { env, tls } = this.#options;
    const origin = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
    const { connect: connectTls, createSecureContext } = await import('node:tls');
    const tunnel =
      env && namesProxy(env)
        ? await (await import('./proxy-tunnel.ts')).connectThroughProxy(origin, env)
        : undefined;
    this.#trust ??= createSecureContext(tls);
    const socket = connectTls({
      ...{ host, port, ...tls, ALPNProtocols: ['http/1.1'], secureContext: this.#trust },
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(tunnel ? { socket: tunnel } : {}),
    });
    return await this.#established(socket, 'secureConnect');
  }

  #established(socket: Socket, event: 'connect' | 'secureConnect'): Promise<Socket> {
    this.#options.times?.watch(socket);
    this.#pending.add(socket);
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        this.#pending.delete(socket);
        socket.off('error', fail).off('close', cut);
      };
      const fail = (error: Error) => {
        end();
        // Ignore later errors of the destroyed socket.
        socket.on('error', () => {}).destroy();
        reject(error);
      };
      const cut = () => fail(hungUp());
      const timer = setTimeout(() => fail(connectionTimeout()), connectTimeout);
      socket.once('error', fail).once('close', cut);
      socket.once(event, () => {
        end();
        resolve(socket.setNoDelay(true));
      });
    });
  }

  /** Closes all connections. */
  close(): void {
    for (const socket of this.#pending) socket.destroy();
    for (const agent of this.#agents.values()) agent.destroy();
  }
}

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** Refuses headers that contradict the body or control the connection. */
function checkHeaders(headers: Readonly<Record<string, string | number>>, length: number): void {
  for (const [name, value] of Object.entries(headers)) {
    const isOfConnection = /^(?:transfer-encoding|keep-alive|upgrade|expect)$/i.test(name);
    const isOther = /^connection$/i.test(name) && !/^(?:close|keep-alive)$/i.test(String(value));
    const isWrong = /^content-length$/i.test(name) && Number(value) !== length;
    if (isOfConnection || isOther || isWrong) {
      throw failure(`invalid ${name} header`, 'UND_ERR_INVALID_ARG');
    }
  }
}

/**
 * Bytes of a body. If several errors occur, the first is thrown, because it is the most specific.
 */
async function* readChunks(
  answer: IncomingMessage,
  cause: () => Error | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    yield* answer as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw cause() ?? (isHangUp(error) ? hungUp() : error);
  }
}

/** Headers with lower-case names. Repeated headers are joined. Values may be UTF-8. */
function joinHeaders(raw: readonly string[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase();
    const text = raw[at + 1] ?? '';
    const value = /[\x80-\xff]/.test(text) ? Buffer.from(text, 'latin1').toString('utf8') : text;
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}

/**
 * Whether the server closed the connection early without an error. Node has no separate code for
 * this.
 */
function isHangUp(error: unknown): boolean {
  return error instanceof Error && /^(socket hang up|aborted)$/.test(error.message);
}

function failure(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}

// Error codes of undici, which transfers use. `connection-errors.ts` explains the errors of both.
const hungUp = () => failure('other side closed', 'UND_ERR_SOCKET');
const headersTimeout = () => failure('headers timeout', 'UND_ERR_HEADERS_TIMEOUT');
const bodyTimeout = () => failure('body timeout', 'UND_ERR_BODY_TIMEOUT');
const connectionTimeout = () => failure('connect timeout', 'UND_ERR_CONNECT_TIMEOUT');
