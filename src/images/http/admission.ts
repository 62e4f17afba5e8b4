/** Limits of the daemon, and admission of connections. */
import type { Socket } from 'node:net';
import type { Clock } from '../system/clock.ts';
import { type ConnectionLimits, type IdleSince, LimitedConnections } from './connection-limits.ts';

/** Milliseconds that a refused client gets to read why. */
const REFUSAL_TIMEOUT = 2000;
/** Refused clients that are told so at a time; the others are cut off. */
const MAX_REFUSALS = 64;

/** Connections of a sort, and the refusals of those beyond their limits. */
export class Admission {
  readonly #connections: LimitedConnections;
  readonly #clock: Clock;
  readonly #refused = new Set<Socket>();

  constructor(limits: ConnectionLimits, clock: Clock, idleSince: IdleSince) {
    this.#connections = new LimitedConnections(limits, idleSince);
    this.#clock = clock;
  }

  /** Counts a connection until it is closed; false when there are too many already. */
  admit(socket: Socket): boolean {
    return this.#connections.admit(socket);
  }

  /**
   * Turns a connection away, with an answer unless it speaks TLS: a handshake costs more than
   * refusing is worth.
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
    // What it asks is read and dropped: closing before would take the answer along.
    socket.resume();
    const text = 'Too many connections, try again later.\n';
    socket.end(
      'HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\n' +
        `Content-Type: text/plain; charset=UTF-8\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
    );
  }

  /** Breaks all connections. */
  destroy(): void {
    for (const socket of [...this.#connections.all(), ...this.#refused]) socket.destroy();
  }
}

export interface Limits {
  /** For the head of a request, also the first after connecting. */
  readonly head: number;
  /** For a TLS handshake. */
  readonly handshake: number;
  /** That a connection may idle that has not shown a ticket yet. */
  readonly unauthorised: number;
  /** Connections to images at once; more than there is memory for are never had. */
  readonly connections: number;
  /** Those from one address of the network among them. */
  readonly perAddress: number;
}

export const defaultLimits: Limits = {
  head: 8000,
  handshake: 10_000,
  unauthorised: 20_000,
  connections: Number.POSITIVE_INFINITY,
  perAddress: 256,
};

/** Connections to the control API at once: those to images leave them free. */
export const CONTROL_CONNECTIONS = 64;
