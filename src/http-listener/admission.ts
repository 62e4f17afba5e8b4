/** Limits on connections, in total and per address. At the limit, idle connections are closed for new addresses. */
import type { Socket } from 'node:net';

export interface ConnectionLimits {
  /** Maximum connections. */
  readonly connections: number;
  /** Maximum connections from one network address. */
  readonly perAddress: number;
}

/** A counted connection. */
export interface AdmittedSocket {
  readonly socket: Socket;
  /** Time of acceptance, in milliseconds of the clock of `Admission`. */
  readonly accepted: number;
  /** The connection that serves requests; undefined before the end of a TLS handshake. */
  connection?: {
    /** Time since which no request runs; undefined during a request. */
    readonly idleSince: number | undefined;
  };
}

/** Milliseconds for a refused client to read the response. */
const refusalMs = 2_000;
/** Maximum simultaneous refusals with a response. Other connections are closed without one. */
const maxRefusals = 64;

/**
 * Counts connections from their acceptance, before any handshake. At the limit, closes the longest
 * idle connection of the address with the most connections, so that a few addresses cannot lock out
 * others.
 */
export class Admission {
  readonly #limits: ConnectionLimits;
  readonly #now: () => number;
  /** Connections by address. Unix sockets have the address ''. */
  readonly #byAddress = new Map<string, Set<AdmittedSocket>>();
  #count = 0;
  #refusals = 0;

  constructor(limits: ConnectionLimits, now = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Counts a connection until it is closed. Returns undefined at the limit. */
  admit(socket: Socket): AdmittedSocket | undefined {
    const address = getAddress(socket);
    const own = this.#byAddress.get(address)?.size ?? 0;
    const { connections, perAddress } = this.#limits;
    if (address !== '' && own >= perAddress) return undefined;
    if (this.#count >= connections && !this.#closeIdle(own)) return undefined;
    const admitted = { socket, accepted: this.#now() };
    const same = this.#byAddress.get(address) ?? new Set();
    this.#byAddress.set(address, same.add(admitted));
    this.#count += 1;
    socket.once('close', () => this.#remove(address, admitted));
    return admitted;
  }

  /** Closes a connection that was not admitted, after `response` if the client can read one. */
  refuse(socket: Socket, response: string | undefined): void {
    if (response === undefined || this.#refusals >= maxRefusals) {
      socket.destroy();
      return;
    }
    this.#refusals += 1;
    const timer = setTimeout(() => socket.destroy(), refusalMs).unref();
    socket.once('close', () => {
      clearTimeout(timer);
      this.#refusals -= 1;
    });
    socket.on('error', () => {});
    // Discard the request: closing a socket with unread data would destroy the response.
    socket.resume();
    socket.end(response);
  }

  #remove(address: string, admitted: AdmittedSocket): void {
    const same = this.#byAddress.get(address);
    if (!same?.delete(admitted)) return;
    this.#count -= 1;
    if (same.size === 0) this.#byAddress.delete(address);
  }

  /** Closes an idle connection of an address that has at least two more than `few` connections. */
  #closeIdle(few: number): boolean {
    const busiest = [...this.#byAddress].sort(([, a], [, b]) => b.size - a.size);
    for (const [address, admitted] of busiest) {
      if (admitted.size <= few + 1) return false;
      const idlest = findIdlest(admitted);
      if (!idlest) continue;
      this.#remove(address, idlest);
      idlest.socket.destroy();
      return true;
    }
    return false;
  }
}

function findIdlest(admitted: Iterable<AdmittedSocket>): AdmittedSocket | undefined {
  let idlest: AdmittedSocket | undefined;
  let earliest = Number.POSITIVE_INFINITY;
  for (const one of admitted) {
    const since = one.connection ? one.connection.idleSince : one.accepted;
    if (since === undefined || since >= earliest) continue;
    idlest = one;
    earliest = since;
  }
  return idlest;
}

/** Network address of a client. Empty for a unix socket. */
function getAddress({ remoteAddress = '' }: Socket): string {
  return remoteAddress.replace(/^::ffff:(?=\d+\.)/, '');
}
