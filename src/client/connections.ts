/**
 * Connections to servers over the HTTP of Node: kept open between requests, and few at a time. Their
 * limits of time, and what becomes of answers that end too soon.
 */
import type { Agent, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionOptions, SecureContext, TLSSocket } from 'node:tls';
import pLimit, { type LimitFunction } from 'p-limit';
import { type EnvironmentVariables, namesProxy } from './proxy-env.ts';
import type { Times } from './timing.ts';
import type { TlsSessions } from './tls-sessions.ts';

export interface ConnectionsOptions {
  readonly tls: ConnectionOptions;
  /** Environment that may name a proxy. */
  readonly env?: EnvironmentVariables;
  readonly times?: Times;
  /** Milliseconds without progress after which an answer is given up. */
  readonly idleTimeout: number;
  /** Sessions that outlive the process. */
  readonly sessions?: TlsSessions;
}

/** A request as it goes over a connection. */
export interface OutgoingRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
}

/** An answer of which the head is there. */
export interface IncomingAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Connections to one server at the same time. */
export const maxConnections = 8;
/** Milliseconds in which a connection has to be there, keys and all. */
export const connectTimeout = 10_000;
/** Milliseconds for which a connection is kept that nobody uses, where the server says nothing of it. */
const keepAliveTimeout = 4_000;
/** As long as the server says, but no longer; no time limit of requests, which agents take it for. */
const longestKeepAlive = 599_999;

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #http: typeof import('node:http');
  /** By the protocol. */
  readonly #agents = new Map<string, Agent>();
  /** Requests at the same time, by the origin. */
  readonly #limits = new Map<string, LimitFunction>();
  /** Those that are being made: the agents do not know them yet. */
  readonly #pending = new Set<Socket>();
  /** Those of which the server says how long they are kept: the agent heeds it. */
  readonly #limited = new WeakSet<Socket>();
  /** Whom to believe; to read that takes longer than a handshake, and it is needed once at most. */
  #trust: SecureContext | undefined;
  /** Sessions by their origin, to be kept at the end. */
  readonly #fresh = new Map<string, { readonly session: Buffer; readonly isVerified: boolean }>();
  #isClosed = false;

  private constructor(http: typeof import('node:http'), options: ConnectionsOptions) {
    this.#http = http;
    this.#options = options;
  }

  /** Loads what connections take; none is made before the first request. */
  static async open(options: ConnectionsOptions): Promise<Connections> {
    return new Connections(await import('node:http'), options);
  }

  /** Sends a request; the answer is there as far as its head. */
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
      // Those that wait for their turn are none of the agent: it counts no connection that is being made.
      const sent = limit(async () => {
        if (signal?.aborted) return;
        const [fail, ended] = this.#send(request, resolve, reject);
        cancel = fail;
        await ended;
      });
      sent.catch(reject).finally(() => signal?.removeEventListener('abort', abort));
    });
  }

  /** What ends the request before its time, and the end of it: then the connection is free again. */
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
    // The socket tells of silence; a head that comes byte by byte is not silent.
    sent.once('finish', () => {
      timer = setTimeout(() => fail(headersTimeout()), idleTimeout);
    });
    sent.on('timeout', () => {
      if (!answer) fail(headersTimeout());
      // What is here and not read yet is what the server waits for.
      else if (answer.readableLength === 0) fail(bodyTimeout());
    });
    sent.on('error', fail);
    sent.once('response', (incoming) => {
      clearTimeout(timer);
      answer = incoming;
      const { statusCode = 0, rawHeaders, socket } = incoming;
      if (/timeout=\d/.test(String(incoming.headers['keep-alive']))) this.#limited.add(socket);
      const chunks = bodyOf(incoming, () => cause);
      resolve({ status: statusCode, headers: headersOf(rawHeaders), body: chunks });
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
    const keep = agent.keepSocketAlive.bind(agent);
    agent.keepSocketAlive = (socket) => {
      const isKept: unknown = keep(socket);
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
    const { env, tls, sessions } = this.#options;
    const origin = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
    const { connect: connectTls, createSecureContext } = await import('node:tls');
    let isReached = false;
    const shakeHands = async (options: ConnectionOptions) => {
      const tunnel =
        env && namesProxy(env)
          ? await (await import('./proxy-tunnel.ts')).connectThroughProxy(origin, env)
          : undefined;
      isReached = tunnel !== undefined;
      const socket = connectTls({
        ...{ host, port, ...tls, ALPNProtocols: ['http/1.1'] },
        ...(isIP(host) === 0 ? { servername: host } : {}),
        ...(tunnel ? { socket: tunnel } : {}),
        ...options,
      });
      socket.once('connect', () => {
        isReached = true;
      });
      if (sessions) this.#gatherSessions(origin, socket);
      await this.#established(socket, 'secureConnect');
      return socket;
    };
    const session = this.#trust ? undefined : sessions?.load(origin);
    if (session) {
      // Whoever has the keys of a session was verified when it began. No certificate is read, for that
      // takes longer than all the rest, and none is believed: who does not know the session is refused.
      const socket = await shakeHands({ ...noTrust, session }).catch((error: unknown) => {
        if (!isReached || this.#isClosed) throw error;
        return undefined;
      });
      if (socket?.isSessionReused()) return socket;
      socket?.destroy();
      sessions?.refuse(origin);
    }
    this.#trust ??= createSecureContext(tls);
    return await shakeHands({ secureContext: this.#trust });
  }

  /** Remembers what the server gives to go on with, once it is known whom it is from. */
  #gatherSessions(origin: string, socket: TLSSocket): void {
    let latest: Buffer | undefined;
    const remember = () => {
      if (!latest || !socket.authorized) return;
      this.#fresh.set(origin, { session: latest, isVerified: !socket.isSessionReused() });
    };
    socket.once('secureConnect', remember).on('session', (session) => {
      latest = session;
      remember();
    });
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
        // It may have more to say, of which nobody wants to hear.
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

  /** Ends all connections and what goes over them, and keeps the sessions. */
  close(): void {
    this.#isClosed = true;
    for (const socket of this.#pending) socket.destroy();
    for (const agent of this.#agents.values()) agent.destroy();
    for (const [origin, { session, isVerified }] of this.#fresh) {
      this.#options.sessions?.save(origin, session, isVerified);
    }
    this.#fresh.clear();
  }
}

/** No certificate at all; to say anything about chains makes Node read those that it comes with. */
const noTrust: ConnectionOptions = { ca: [], allowPartialTrustChain: false };

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** Refuses what would say something else about the body than what is sent, or about the connection. */
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

/** The bytes of a body. What went wrong first says most about why it ended. */
async function* bodyOf(
  answer: IncomingMessage,
  cause: () => Error | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    yield* answer as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw cause() ?? (isHangUp(error) ? hungUp() : error);
  }
}

/** Names in small letters; what comes several times is joined. Values may be UTF-8. */
function headersOf(raw: readonly string[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase();
    const text = raw[at + 1] ?? '';
    const value = /[\x80-\xff]/.test(text) ? Buffer.from(text, 'latin1').toString('utf8') : text;
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}

/** Whether the server ended the connection in good order, but too soon. Node has no code for it alone. */
function isHangUp(error: unknown): boolean {
  return error instanceof Error && /^(socket hang up|aborted)$/.test(error.message);
}

function failure(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}

// The codes of undici, which moves images: connection-errors.ts explains both by one table.
const hungUp = () => failure('other side closed', 'UND_ERR_SOCKET');
const headersTimeout = () => failure('headers timeout', 'UND_ERR_HEADERS_TIMEOUT');
const bodyTimeout = () => failure('body timeout', 'UND_ERR_BODY_TIMEOUT');
const connectionTimeout = () => failure('connect timeout', 'UND_ERR_CONNECT_TIMEOUT');
