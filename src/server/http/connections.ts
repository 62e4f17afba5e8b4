/**
 * What goes on on a connection beside its requests: pipelined ones are answered in their order, one
 * after the other, and connections that fail or sleep get the answer that they have asked for.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that may wait behind another one before no more are read. */
const mostWaiting = 32;

interface Connection {
  /** Answers that are not sent yet, in the order of their requests. */
  readonly open: Set<ServerResponse>;
  /** Ends with the last of them. */
  last: Promise<void>;
  paused: boolean;
}

export class Connections {
  readonly #known = new WeakMap<Socket, Connection>();

  /**
   * Takes a new connection. Where much is waiting to be sent, the HTTP server of Node pauses its
   * parser; TLS hands over the requests that have come all the same, and they are lost. So no amount
   * is much to it: here one answer is sent at a time, and `send` waits for the client by itself.
   */
  accept(socket: Socket): void {
    (
      socket as unknown as { _writableState: { highWaterMark: number } }
    )._writableState.highWaterMark = Number.MAX_SAFE_INTEGER;
  }

  /** Runs the work of a request once the requests before it on the same connection are answered. */
  inTurn(request: IncomingMessage, response: ServerResponse, work: () => void): void {
    const { socket } = request;
    const connection = this.#of(socket);
    const { open, last } = connection;
    const isFirst = open.size === 0;
    open.add(response);
    connection.last = new Promise((resolve) => {
      response.once('close', () => {
        open.delete(response);
        if (connection.paused && open.size < mostWaiting) {
          connection.paused = false;
          socket.resume();
        }
        resolve();
      });
    });
    if (isFirst) {
      work();
      return;
    }
    if (open.size >= mostWaiting && !connection.paused) {
      connection.paused = true;
      socket.pause();
    }
    last.then(work);
  }

  /** Ends a connection on which something went wrong that is no request yet. */
  fail(error: NodeJS.ErrnoException, socket: Socket): void {
    const { open, last } = this.#of(socket);
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
    last.then(() => end(socket, status));
  }

  #of(socket: Socket): Connection {
    let connection = this.#known.get(socket);
    if (!connection) {
      connection = { open: new Set(), last: Promise.resolve(), paused: false };
      this.#known.set(socket, connection);
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
