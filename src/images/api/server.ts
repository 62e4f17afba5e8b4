/** HTTP server of the daemon: the server of Node with strict limits. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { forbiddenCharacter } from '../../allowed-characters.ts';
import { Admission, CONTROL_CONNECTIONS, defaultLimits, type Limits } from '../http/admission.ts';
import { Connection } from '../http/connection.ts';
import { formatPeer, type IdleSince } from '../http/connection-limits.ts';
import { HttpError, toHttpError } from '../http/errors.ts';
import { Exchange } from '../http/exchange.ts';
import { tlsSettings } from '../http/tls-settings.ts';
import type { Clock } from '../system/clock.ts';
import { routeControl } from './control.ts';
import { routeImages } from './router.ts';
import type { Services } from './services.ts';

const HTTP = {
  maxHeaderSize: 16 << 10,
  /** A body has no time limit while it makes progress. Each connection has an idle limit. */
  requestTimeout: 0,
  keepAliveTimeout: 0,
  // Validated in `malformed`, with a response in the same form as other errors.
  requireHostHeader: false,
  // Detects clients that disappeared without closing the connection.
  keepAlive: true,
  keepAliveInitialDelay: 60_000,
};

/** Serves a request. Throws `HttpError`. */
type Router = (exchange: Exchange, services: Services) => Promise<void>;

type Receive = (
  request: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
  refusal?: HttpError,
) => void;

/** All connections of a daemon, from all listeners. */
export class ImageServer {
  readonly #services: Services;
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #admission: Admission;
  readonly #controlAdmission: Admission;
  readonly #connections = new Map<Socket, Connection>();
  /** TLS connections by address and port of the client. */
  readonly #secured = new Map<string, Connection>();
  readonly #idleSince: IdleSince = (socket, accepted) => {
    const connection = this.#connections.get(socket) ?? this.#secured.get(formatPeer(socket));
    return connection ? connection.idleSince : accepted;
  };
  #closing = false;

  constructor(services: Services, clock: Clock, limits: Limits = defaultLimits) {
    this.#services = services;
    this.#clock = clock;
    this.#limits = limits;
    const connections = Math.min(limits.connections, services.memory.connections);
    this.#admission = new Admission(
      { connections, perAddress: limits.perAddress },
      clock,
      this.#idleSince,
    );
    const control = { connections: CONTROL_CONNECTIONS, perAddress: CONTROL_CONNECTIONS };
    this.#controlAdmission = new Admission(control, clock, this.#idleSince);
  }

  /**
   * Creates a server that does not listen yet.
   * @param kind images over the network, images over a unix socket, or the control API over a unix
   * socket
   * @param tls key and certificate for TLS
   */
  createServer(kind: 'network' | 'local' | 'control', tls?: { key: string; cert: string }): Server {
    const { head, handshake } = this.#limits;
    const http = {
      ...HTTP,
      headersTimeout: head,
      connectionsCheckingInterval: Math.min(head, 1000),
    };
    const server = tls
      ? createSecureServer({ ...http, ...tlsSettings, ...tls, handshakeTimeout: handshake })
      : createServer(http);
    // Node silently drops headers after its default limit.
    server.maxHeadersCount = 0;
    // A failed accept must not stop the server.
    server.on('error', () => {});
    const admission = kind === 'control' ? this.#controlAdmission : this.#admission;
    server.on('connection', (socket: Socket) => {
      if (!admission.admit(socket)) admission.refuse(socket, tls === undefined);
      else if (!tls) this.#add(socket, kind !== 'network');
    });
    if (tls) {
      server.on('secureConnection', (socket: Socket) => {
        const connection = this.#add(socket, false);
        const peer = formatPeer(socket);
        this.#secured.set(peer, connection);
        socket.once('close', () => {
          if (this.#secured.get(peer) === connection) this.#secured.delete(peer);
        });
      });
    }
    const router = kind === 'control' ? routeControl : routeImages;
    const receive: Receive = (...given) => this.#receive(router, ...given);
    server.on('request', (request, response) => receive(request, response, false));
    server.on('checkContinue', (request, response) => receive(request, response, true));
    server.on('checkExpectation', (request, response) => {
      receive(request, response, true, new HttpError(417, 'Only 100-continue is supported.'));
    });
    server.on('timeout', (socket) => this.#connections.get(socket)?.timedOut());
    server.on('clientError', (error, socket) => this.#refuse(error, socket as Socket));
    return server;
  }

  /** Closes each connection after its current response. Resolves when all responses are sent. */
  async finish(): Promise<void> {
    this.#closing = true;
    const connections = [...this.#connections.values()];
    for (const connection of connections) if (!connection.busy) connection.socket.destroy();
    await Promise.all(connections.map((connection) => connection.idle()));
  }

  /** Closes all connections immediately. */
  destroy(): void {
    this.#admission.destroy();
    this.#controlAdmission.destroy();
  }

  #add(socket: Socket, isLocal: boolean): Connection {
    const connection = new Connection(socket, isLocal, this.#limits.unauthorised);
    this.#connections.set(socket, connection);
    socket.once('close', () => this.#connections.delete(socket));
    return connection;
  }

  #receive(
    router: Router,
    request: IncomingMessage,
    response: ServerResponse,
    expectsContinue: boolean,
    refusal = malformed(request),
  ): void {
    const connection = this.#connections.get(request.socket);
    // Refused connections have no entry.
    connection?.enqueue(async () => {
      const closing = this.#closing;
      const clock = this.#clock;
      const parts = { request, response, connection, clock, expectsContinue, closing };
      await this.#serve(router, new Exchange(parts), refusal);
      if (this.#closing) connection.socket.destroySoon();
    });
  }

  async #serve(router: Router, exchange: Exchange, refusal?: HttpError): Promise<void> {
    try {
      if (refusal) throw refusal;
      await router(exchange, this.#services);
    } catch (error) {
      try {
        await exchange.fail(toHttpError(error));
      } catch {
        exchange.connection.socket.destroy();
      }
    }
  }

  /** Answers invalid HTTP, after the responses to earlier requests. */
  #refuse(error: NodeJS.ErrnoException, socket: Socket): void {
    const code = error.code ?? '';
    const heard = code.startsWith('HPE_') || code.startsWith('ERR_HTTP_');
    const connection = this.#connections.get(socket);
    if (!heard || !connection || !socket.writable) {
      socket.destroy();
      return;
    }
    connection.break(async () => {
      const [status, text] = complaint(code);
      const body = `${text}\n`;
      socket.end(
        `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: text/plain; charset=UTF-8\r\n` +
          `Content-Length: ${body.length}\r\n\r\n${body}`,
        () => socket.destroy(),
      );
    });
  }
}

/** Whether the percent-encoding of a target is valid and contains only allowed characters. */
function isAllowedTarget(target: string): boolean {
  try {
    return forbiddenCharacter(decodeURIComponent(target)) === undefined;
  } catch {
    return false;
  }
}

function complaint(code: string): [string, string] {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return ['431 Request Header Fields Too Large', 'The request headers are too large.'];
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return ['408 Request Timeout', 'Timeout while reading the request headers.'];
  }
  return ['400 Bad Request', 'The request is not valid HTTP.'];
}

/** Refusal of requests that proxies may interpret differently. */
function malformed(request: IncomingMessage): HttpError | undefined {
  const coding = request.headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    return new HttpError(501, 'The only supported transfer coding is chunked.', { close: true });
  }
  if (coding !== undefined && request.httpVersion !== '1.1') {
    return new HttpError(400, 'Transfer codings require HTTP/1.1.', { close: true });
  }
  if (!isAllowedTarget(request.url ?? '')) {
    return new HttpError(400, 'The address is not correctly encoded.');
  }
  const hosts = request.rawHeaders.filter((text, i) => i % 2 === 0 && /^host$/i.test(text));
  if (hosts.length > 1 || (hosts.length === 0 && request.httpVersion === '1.1')) {
    return new HttpError(400, 'The request needs exactly one Host header.', { close: true });
  }
  return undefined;
}
