/**
 * Connections of the listener. Pipelined requests get their responses in order, one at a time.
 * Connections that fail or time out, and all connections at shutdown, get the responses to
 * complete requests.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { formatPeer, type IdleSince } from '../../images/index.ts';
import { isRecord } from '../store/kinds.ts';
import { breakOff } from './request-body.ts';

/** Maximum pipelined requests that wait on a connection before the server stops reading it. */
const maxWaiting = 32;

interface Connection {
  /** Unsent responses, in the order of their requests. */
  readonly open: Set<ServerResponse>;
  /** Settles after the last of them. */
  last: Promise<void>;
  paused: boolean;
  /** Time of the last response; undefined before the first one. */
  idleSince?: number;
  /** Latest request, whose body can be incomplete. */
  latest?: IncomingMessage;
}

/** Milliseconds for a client to close its side at shutdown. */
const farewell = 1_000;

export class Connections {
  readonly #known = new Map<Socket, Connection>();
  /** Connections by address and port of the client. */
  readonly #byPeer = new Map<string, Socket>();
  #ending = false;

  /**
   * Registers a new connection. Node pauses its HTTP parser if many bytes wait to be sent, but TLS
   * still delivers received requests, which are lost. The limit is disabled here, because
   * responses are sent one at a time and `send` waits for the client.
   */
  accept(socket: Socket): void {
    const state: unknown = Reflect.get(socket, '_writableState');
    if (!isRecord(state)) throw new Error('This version of Node.js has no socket state.');
    state['highWaterMark'] = Number.MAX_SAFE_INTEGER;
    this.#of(socket);
    const peer = formatPeer(socket);
    this.#byPeer.set(peer, socket);
    socket.once('close', () => {
      this.#known.delete(socket);
      if (this.#byPeer.get(peer) === socket) this.#byPeer.delete(peer);
    });
    // The connection was accepted before the shutdown started, and its handshake ended after it.
    if (this.#ending) this.#endIfIdle(socket);
  }

  /** Whether a connection uses TLS. */
  isSecured(socket: Socket): boolean {
    return this.#byPeer.has(formatPeer(socket));
  }

  /** Time since which a connection, or the TLS connection on it, is idle. */
  readonly idleSince: IdleSince = (socket, accepted) => {
    const secured = this.#byPeer.get(formatPeer(socket));
    const connection = secured && this.#known.get(secured);
    if (!connection) return accepted;
    return connection.open.size === 0 ? (connection.idleSince ?? accepted) : undefined;
  };

  /** Whether the connection is idle. */
  isIdle(socket: Socket): boolean {
    return (this.#known.get(socket)?.open.size ?? 0) === 0;
  }

  /** Whether this response is the last one of its connection. */
  isLast(socket: Socket): boolean {
    return this.#ending && (this.#known.get(socket)?.open.size ?? 0) <= 1;
  }

  /**
   * Accepts no further requests. Each connection closes after the responses to its received
   * requests.
   */
  finish(): void {
    this.#ending = true;
    for (const socket of this.#known.keys()) this.#endIfIdle(socket);
  }

  /**
   * Handles a timeout of a connection. It closes if the client must act: read the response, or
   * send a request.
   */
  stalled(socket: Socket, limit: number): void {
    if (this.isIdle(socket) || socket.writableLength > 0) socket.destroy();
    else socket.setTimeout(limit);
  }

  /** Runs a request after the responses to earlier requests of the same connection. */
  inTurn(request: IncomingMessage, response: ServerResponse, work: () => void): void {
    const { socket } = request;
    const connection = this.#of(socket);
    const { open, last } = connection;
    // The request arrived after the shutdown started. Its client can send it to another server.
    if (this.#ending) return;
    connection.latest = request;
    const isFirst = open.size === 0;
    open.add(response);
    connection.last = new Promise((resolve) => {
      response.once('close', () => {
        open.delete(response);
        connection.idleSince = performance.now();
        if (connection.paused && open.size < maxWaiting) {
          connection.paused = false;
          socket.resume();
        }
        resolve();
        if (this.#ending) this.#endIfIdle(socket);
      });
    });
    if (isFirst) {
      work();
      return;
    }
    if (open.size >= maxWaiting && !connection.paused) {
      connection.paused = true;
      socket.pause();
    }
    last.then(() => {
      // Other connections run before the next request.
      setImmediate(() => {
        // Requests after one that closes the connection must have no effect.
        if (!socket.destroyed && !socket.writableEnded) work();
      });
    });
  }

  /** Closes a connection that failed outside of a request. */
  fail(error: NodeJS.ErrnoException, socket: Socket): void {
    const { open, last, latest } = this.#of(socket);
    const status = statusOf(error);
    // A connection without a request gets no response.
    if (!socket.writable || socket.bytesRead === 0 || status === undefined) {
      socket.destroy();
      return;
    }
    const [current] = open;
    if (status === timedOut && current) {
      // The body of the request is incomplete. A started response is cut off.
      if (current.headersSent) socket.destroy();
      else end(socket, status);
      return;
    }
    if (!latest || latest.complete) last.then(() => end(socket, status));
    // The client has closed the connection, and waits for no response.
    else if (error.code === 'HPE_INVALID_EOF_STATE' && open.size === 1) socket.destroy();
    else breakOff(latest);
  }

  #endIfIdle(socket: Socket): void {
    if (!this.isIdle(socket)) return;
    socket.end();
    // Received bytes are read and dropped. An earlier close would discard the last response.
    setTimeout(() => socket.destroy(), farewell).unref();
  }

  #of(socket: Socket): Connection {
    let connection = this.#known.get(socket);
    if (!connection) {
      connection = { open: new Set(), last: Promise.resolve(), paused: false };
      // A closed connection would stay registered.
      if (!socket.destroyed) this.#known.set(socket, connection);
    }
    return connection;
  }
}

const timedOut = '408 Request Timeout';

/** Response to an error; undefined for broken connections. */
function statusOf({ code = '' }: NodeJS.ErrnoException): string | undefined {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return timedOut;
    case 'HPE_HEADER_OVERFLOW':
      return '431 Request Header Fields Too Large';
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return '413 Payload Too Large';
    default:
      return code.startsWith('HPE_') ? '400 Bad Request' : undefined;
  }
}

function end(socket: Socket, status: string): void {
  if (!socket.writable) return;
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
