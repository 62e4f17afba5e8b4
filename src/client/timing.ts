/** Times of connections and requests, for `--debug`. */
import { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** Time span in milliseconds since the start of the process. */
export interface Span {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** Times of one request, from its start to the last byte of the response. */
export interface RequestTimes {
  readonly label: string;
  readonly from: number;
  firstByte?: number;
  to?: number;
  bytes?: number;
}

/** Measured times of requests and connections. */
export class Times {
  readonly requests: RequestTimes[] = [];
  /** Name lookups, connections, TLS handshakes. */
  readonly connections: Span[] = [];

  /** Current time. */
  now(): number {
    return performance.now();
  }

  /** Begins a request. */
  begin(method: string, path: string): RequestTimes {
    const times: RequestTimes = { label: `${method} ${path}`, from: this.now() };
    this.requests.push(times);
    return times;
  }

  /** Records the time of each connection step of a new socket. */
  watch(socket: Socket): void {
    let last = this.now();
    const recordStep = (name: string) => {
      const now = this.now();
      this.connections.push({ name, from: last, to: now });
      last = now;
    };
    socket
      .once('lookup', () => recordStep('DNS'))
      .once('connect', () => recordStep('TCP'))
      .once('secureConnect', () => recordStep('TLS'));
  }

  /** Creates a connector that measures its sockets. */
  connector(connect: buildConnector.connector): buildConnector.connector {
    return (options, callback) => {
      // The connector returns its socket, although its type does not declare this.
      const socket: unknown = connect(options, callback);
      if (socket instanceof Socket) this.watch(socket);
    };
  }
}
