/**
 * What goes on on a connection beside its requests: pipelined ones are answered in their order, one
 * after the other, connections that fail or sleep get the answer that they have asked for, and when
 * the server ends, all get the answers to what they have sent.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { formatPeer, type IdleSince } from '../../images/index.ts';
import { isRecord } from '../store/kinds.ts';
import { breakOff } from './request-body.ts';

/** Requests that may wait behind another one before no more are read. */
const maxWaiting = 32;

interface Connection {
  /** Answers that are not sent yet, in the order of their requests. */
  readonly open: Set<ServerResponse>;
  /** Ends with the last of them. */
  last: Promise<void>;
  paused: boolean;
  /** When the last answer ended; undefined before the first one. */
  idleSince?: number;
  /** The request that came last: its body may still be on its way. */
  latest?: IncomingMessage;
}

/** Milliseconds that a client gets to close its side when the server ends. */
const farewell = 1_000;

export class Connections {
  readonly #known = new Map<Socket, Connection>();
  /** By address and port of the client. */
  readonly #byPeer = new Map<string, Socket>();
  #ending = false;

  /**
   * Takes a new connection. Where much is waiting to be sent, the HTTP server of Node pauses its
   * parser; TLS hands over the requests that have come all the same, and they are lost. So no amount
   * is much to it: here one answer is sent at a time, and `send` waits for the client by itself.
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
    // It was accepted before the server was told to end, and is encrypted only now.
    if (this.#ending) this.#endIfIdle(socket);
  }

  /** Whether TLS is spoken on top of a connection. */
  isSecured(socket: Socket): boolean {
    return this.#byPeer.has(formatPeer(socket));
  }

  /** Since when nothing is being answered on a connection, or on top of it. */
  readonly idleSince: IdleSince = (socket, accepted) => {
    const secured = this.#byPeer.get(formatPeer(socket));
    const connection = secured && this.#known.get(secured);
    if (!connection) return accepted;
    return connection.open.size === 0 ? (connection.idleSince ?? accepted) : undefined;
  };

  /** Whether nothing is being answered on the connection. */
  isIdle(socket: Socket): boolean {
    return (this.#known.get(socket)?.open.size ?? 0) === 0;
  }

  /** Whether this answer is the last one that its connection gets. */
  isLast(socket: Socket): boolean {
    return this.#ending && (this.#known.get(socket)?.open.size ?? 0) <= 1;
  }

  /** Takes no further requests; each connection ends when those that have come are answered. */
  finish(): void {
    this.#ending = true;
    for (const socket of this.#known.keys()) this.#endIfIdle(socket);
  }

  /**
   * Nothing has moved on a connection for as long as that may last. It ends where the client is to
   * move: to read its answer, or to ask for something.
   */
  stalled(socket: Socket, limit: number): void {
    if (this.isIdle(socket) || socket.writableLength > 0) socket.destroy();
    else socket.setTimeout(limit);
  }

  /** Runs the work of a request once the requests before it on the same connection are answered. */
  inTurn(request: IncomingMessage, response: ServerResponse, work: () => void): void {
    const { socket } = request;
    const connection = this.#of(socket);
    const { open, last } = connection;
    // What comes now was not begun when the server was told to end: its sender can try elsewhere.
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
      // Others have their turn before the next one.
      setImmediate(() => {
        // What was sent behind a request that ended the connection must not take effect.
        if (!socket.destroyed && !socket.writableEnded) work();
      });
    });
  }

  /** Ends a connection on which something went wrong that is no request yet. */
  fail(error: NodeJS.ErrnoException, socket: Socket): void {
    const { open, last, latest } = this.#of(socket);
    const status = statusOf(error);
    // Whoever has asked for nothing is told nothing.
    if (!socket.writable || socket.bytesRead === 0 || status === undefined) {
      socket.destroy();
      return;
    }
    const [current] = open;
    if (status === timedOut && current) {
      // The request whose body does not come: what has begun to be answered is cut off.
      if (current.headersSent) socket.destroy();
      else end(socket, status);
      return;
    }
    if (!latest || latest.complete) last.then(() => end(socket, status));
    // Its sender has gone, and waits for no other answer.
    else if (error.code === 'HPE_INVALID_EOF_STATE' && open.size === 1) socket.destroy();
    else breakOff(latest);
  }

  #endIfIdle(socket: Socket): void {
    if (!this.isIdle(socket)) return;
    socket.end();
    // What the client may have sent meanwhile is read and dropped: closing before would take the
    // last answer along.
    setTimeout(() => socket.destroy(), farewell).unref();
  }

  #of(socket: Socket): Connection {
    let connection = this.#known.get(socket);
    if (!connection) {
      connection = { open: new Set(), last: Promise.resolve(), paused: false };
      // One that is closed already would never be forgotten.
      if (!socket.destroyed) this.#known.set(socket, connection);
    }
    return connection;
  }
}

const timedOut = '408 Request Timeout';

/** What is told about an error; undefined for connections that broke. */
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
