/** HTTP server with strict limits: admission, order of requests, client errors, and shutdown. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Admission, AdmittedSocket } from './admission.ts';
import { Connection, type IdleLimits } from './connection.ts';
import { type FormatErrorBody, formatErrorResponse, tooManyConnections } from './error-response.ts';
import { tlsSettings } from './tls-settings.ts';

/** Maximum milliseconds for started handshakes at shutdown. */
const lastHandshakeMs = 1_000;

const sharedSettings = {
  /** A body has no time limit here. Its reader limits it. */
  requestTimeout: 0,
  // Checked by `findAmbiguity`, with a response in the same form as other errors.
  requireHostHeader: false,
  // Detects clients that disappeared without closing the connection.
  keepAlive: true,
  keepAliveInitialDelay: 60_000,
};

export interface HttpListenerOptions extends IdleLimits {
  /** Key and certificate for TLS, PEM. */
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
  /** Maximum bytes of the head of a request. */
  readonly maxHeadBytes: number;
  /** Milliseconds for the head of a request, also for the first one on a connection. */
  readonly headMs: number;
  /** Milliseconds for a TLS handshake. */
  readonly handshakeMs: number;
  /** Whether the Keep-Alive header reports `idleMs`. */
  readonly reportsIdleLimit: boolean;
  /** Limits of connections, which several listeners can share. */
  readonly admission: Admission;
  /** Bodies of responses to invalid HTTP and too many connections (default: none). */
  readonly formatErrorBody?: FormatErrorBody;
  /**
   * Serves the connection of a CONNECT request, whose first bytes may be in `head`. Must not reject. By
   * default, Node closes these connections.
   */
  readonly tunnel?:
    | ((request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>)
    | undefined;
  /**
   * Responds to a request, also to ambiguous ones and to those with any `Expect` header. Must not
   * reject.
   */
  readonly serve: (
    request: IncomingMessage,
    response: ServerResponse,
    connection: Connection,
  ) => Promise<void>;
}

/** Calls `run` once after `ms` milliseconds unless the returned function is called first. */
export type Schedule = (ms: number, run: () => void) => () => void;

const scheduleTimer: Schedule = (ms, run) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

/** A server with its connections. The caller starts to listen. */
export class HttpListener {
  readonly server: Server;
  readonly #options: HttpListenerOptions;
  readonly #connections = new Map<Duplex, Connection>();
  /** Incomplete TLS handshakes by address and port of the client. */
  readonly #handshakes = new Map<string, AdmittedSocket>();
  readonly #tunnels = new Set<Duplex>();
  #isClosing = false;

  constructor(options: HttpListenerOptions) {
    this.#options = options;
    this.server = createNodeServer(options);
    const { server } = this;
    server.on('connection', (socket: Socket) => this.#accept(socket));
    server.on('secureConnection', (socket: Socket) => this.#secure(socket));
    for (const event of ['request', 'checkContinue', 'checkExpectation']) {
      server.on(event, (request: IncomingMessage, response: ServerResponse) => {
        const connection = this.#connections.get(request.socket);
        // Refused connections have no entry.
        connection?.enqueue(request, response, () => options.serve(request, response, connection));
      });
    }
    const { tunnel } = options;
    if (tunnel) {
      server.on('connect', (request, socket, head) => {
        if (this.#detach(socket)) void tunnel(request, socket, head);
        else socket.destroy();
      });
    }
    server.on('timeout', (socket) => this.#connections.get(socket)?.timedOut());
    server.on('clientError', (error, socket) => {
      const connection = this.#connections.get(socket);
      if (connection) connection.fail(error);
      else socket.destroy();
    });
    // Node regards connections with an unsent response as idle. `Connection` does not.
    server.closeIdleConnections = () => {
      this.#isClosing = true;
      for (const connection of this.#connections.values()) connection.finish();
    };
  }

  /**
   * Accepts no connections, finishes received requests, and closes remaining connections after the
   * grace period.
   */
  close(graceMs: number, schedule = scheduleTimer): Promise<void> {
    for (const socket of this.#tunnels) socket.destroy();
    return new Promise((resolve) => {
      const cancels = [
        schedule(Math.min(lastHandshakeMs, graceMs), () => this.#closeHandshakes()),
        schedule(graceMs, () => {
          this.#closeHandshakes();
          this.server.closeAllConnections();
        }),
      ];
      this.server.close(() => {
        for (const cancel of cancels) cancel();
        resolve();
      });
    });
  }

  /**
   * Ends the limits of a connection that is a tunnel. Returns false if an earlier request still runs on
   * it.
   */
  #detach(socket: Duplex): boolean {
    const connection = this.#connections.get(socket);
    if (connection?.idleSince === undefined) return false;
    connection.socket.setTimeout(0);
    this.#connections.delete(socket);
    this.#tunnels.add(socket);
    socket.once('close', () => this.#tunnels.delete(socket));
    return true;
  }

  #accept(socket: Socket): void {
    const { admission, tls, formatErrorBody } = this.#options;
    const admitted = admission.admit(socket);
    if (!admitted) {
      // A handshake is too expensive for a refusal.
      const response = tls ? undefined : formatErrorResponse(tooManyConnections, formatErrorBody);
      admission.refuse(socket, response);
    } else if (tls) {
      const peer = formatPeer(socket);
      this.#handshakes.set(peer, admitted);
      socket.once('close', () => {
        if (this.#handshakes.get(peer) === admitted) this.#handshakes.delete(peer);
      });
    } else this.#open(socket, admitted);
  }

  #secure(socket: Socket): void {
    const peer = formatPeer(socket);
    const admitted = this.#handshakes.get(peer);
    this.#handshakes.delete(peer);
    if (admitted) this.#open(socket, admitted);
    else socket.destroy();
  }

  #open(socket: Socket, admitted: AdmittedSocket): void {
    const connection = new Connection(socket, this.#options, this.#options.formatErrorBody);
    admitted.connection = connection;
    this.#connections.set(socket, connection);
    socket.once('close', () => this.#connections.delete(socket));
    // The connection was accepted before the shutdown started, and its handshake ended after it.
    if (this.#isClosing) connection.finish();
  }

  #closeHandshakes(): void {
    for (const { socket } of this.#handshakes.values()) socket.destroy();
  }
}

function createNodeServer(options: HttpListenerOptions): Server {
  const { tls, maxHeadBytes, headMs, handshakeMs, idleMs, reportsIdleLimit } = options;
  const settings = {
    ...sharedSettings,
    maxHeaderSize: maxHeadBytes,
    headersTimeout: headMs,
    keepAliveTimeout: reportsIdleLimit ? idleMs : 0,
    connectionsCheckingInterval: Math.min(headMs, 1_000),
  };
  const server = tls
    ? createSecureServer({ ...settings, ...tlsSettings, ...tls, handshakeTimeout: handshakeMs })
    : createServer(settings);
  // Node silently drops headers after its default limit.
  server.maxHeadersCount = 0;
  // A failed accept must not stop the server.
  server.on('error', () => {});
  return server;
}

/** Address and port of a client, equal for a connection and its TLS socket. */
function formatPeer({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
