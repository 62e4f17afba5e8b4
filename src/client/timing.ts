/** Times of connections and requests, for `--debug`. */
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** A stretch of time; milliseconds since the process began. */
export interface Span {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** One request, from when it was made to the last byte of its answer. */
export interface RequestTimes {
  readonly label: string;
  readonly from: number;
  firstByte?: number;
  to?: number;
  bytes?: number;
}

/** What is measured, by everything that takes part. */
export class Times {
  readonly requests: RequestTimes[] = [];
  /** Names looked up, connections made, keys agreed on. */
  readonly connections: Span[] = [];

  /** The time now. */
  now(): number {
    return performance.now();
  }

  /** Begins a request. */
  begin(method: string, path: string): RequestTimes {
    const times: RequestTimes = { label: `${method} ${path}`, from: this.now() };
    this.requests.push(times);
    return times;
  }

  /** Notes how long each part of connecting takes, of a socket that has just begun with it. */
  watch(socket: Socket): void {
    let last = this.now();
    const note = (name: string) => {
      const now = this.now();
      this.connections.push({ name, from: last, to: now });
      last = now;
    };
    socket
      .once('lookup', () => note('DNS'))
      .once('connect', () => note('TCP'))
      .once('secureConnect', () => note('TLS'));
  }

  /** A connector whose sockets are watched. */
  connector(connect: buildConnector.connector): buildConnector.connector {
    return (options, callback) => {
      // The connector returns its socket, although its type does not say so.
      const socket: unknown = connect(options, callback);
      this.watch(socket as Socket);
    };
  }
}
