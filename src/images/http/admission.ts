/** Limits of the daemon, and admission of connections: in all and per address. */
import type { Socket } from 'node:net';
import type { Clock } from '../system/clock.ts';

export interface AdmissionLimits {
  /** Connections at once. */
  readonly connections: number;
  /** Connections at once from one address of the network. */
  readonly perAddress: number;
}

/** Milliseconds that a refused client gets to read why. */
const REFUSAL_TIMEOUT = 2000;
/** Refused clients that are told so at a time; the others are cut off. */
const MAX_REFUSALS = 64;

/** Counts connections from the moment they are accepted, before any handshake. */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #clock: Clock;
  readonly #sockets = new Set<Socket>();
  readonly #perAddress = new Map<string, number>();
  readonly #refused = new Set<Socket>();

  constructor(limits: AdmissionLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Counts a connection until it is closed; false when there are too many already. */
  admit(socket: Socket): boolean {
    const address = addressOf(socket);
    const sameAddress = address === undefined ? 0 : (this.#perAddress.get(address) ?? 0);
    const { connections, perAddress } = this.#limits;
    if (this.#sockets.size >= connections || sameAddress >= perAddress) return false;
    this.#sockets.add(socket);
    if (address !== undefined) this.#perAddress.set(address, sameAddress + 1);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      if (address === undefined) return;
      const left = (this.#perAddress.get(address) ?? 1) - 1;
      if (left > 0) this.#perAddress.set(address, left);
      else this.#perAddress.delete(address);
    });
    return true;
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
    const text = 'There are too many connections, try again later.\n';
    socket.end(
      'HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\n' +
        `Content-Type: text/plain; charset=UTF-8\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
    );
  }

  /** Breaks all connections. */
  destroy(): void {
    for (const socket of [...this.#sockets, ...this.#refused]) socket.destroy();
  }
}

/** The address of a client on the network; one on a unix socket has none. */
function addressOf({ remoteAddress }: Socket): string | undefined {
  return remoteAddress?.replace(/^::ffff:(?=\d+\.)/, '');
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
