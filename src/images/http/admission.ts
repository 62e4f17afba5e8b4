/** Limits of the daemon, and admission of connections. */
import type { Socket } from 'node:net';
import type { Clock } from '../system/clock.ts';
import { type ConnectionLimits, type IdleSince, LimitedConnections } from './connection-limits.ts';

/** Milliseconds for a refused client to read the response. */
const REFUSAL_TIMEOUT = 2000;
/** Maximum simultaneous refusals with a response. Other connections are closed without one. */
const MAX_REFUSALS = 64;

/** Connections of one kind, and refusals above their limits. */
export class Admission {
  readonly #connections: LimitedConnections;
  readonly #clock: Clock;
  readonly #refused = new Set<Socket>();

  constructor(limits: ConnectionLimits, clock: Clock, idleSince: IdleSince) {
    this.#connections = new LimitedConnections(limits, idleSince);
    this.#clock = clock;
  }

  /** Counts a connection until it is closed. Returns false at the limit. */
  admit(socket: Socket): boolean {
    return this.#connections.admit(socket);
  }

  /**
   * Refuses a connection, with a response unless it uses TLS, because a handshake is too expensive.
   */
  refuse(socket: Socket, isPlain: boolean): void {
    if (!isPlain || this.#refused.size >= MAX_REFUSALS) {
      socket.destroy();
      return;
    }
    this.#refused.add(socket);
    const stop = this.#clock.schedule(REFUSAL_TIMEOUT, () => socket.destroy());
    socket.once('close', () => {
      stop();
      this.#refused.delete(socket);
    });
    socket.on('error', () => {});
    // Discard the request: closing a socket with unread data would destroy the response.
    socket.resume();
    const text = 'Too many connections, try again later.\n';
    socket.end(
      'HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\n' +
        `Content-Type: text/plain; charset=UTF-8\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
    );
  }

  /** Closes all connections immediately. */
  destroy(): void {
    for (const socket of [...this.#connections.all(), ...this.#refused]) socket.destroy();
  }
}

export interface Limits {
  /** Milliseconds for the head of a request, also for the first one on a connection. */
  readonly head: number;
  /** Milliseconds for a TLS handshake. */
  readonly handshake: number;
  /** Milliseconds that a connection without a ticket may be idle. */
  readonly unauthorised: number;
  /** Maximum connections to images, limited by the memory. */
  readonly connections: number;
  /** Maximum connections to images from one network address. */
  readonly perAddress: number;
}

export const defaultLimits: Limits = {
  head: 8000,
  handshake: 10_000,
  unauthorised: 20_000,
  connections: Number.POSITIVE_INFINITY,
  perAddress: 256,
};

/** Maximum connections to the control API, in addition to those to images. */
export const CONTROL_CONNECTIONS = 64;
