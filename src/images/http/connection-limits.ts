/** Limits on connections, in total and per address. At the limit, idle connections are closed for new addresses. */
import type { Socket } from 'node:net';

export interface ConnectionLimits {
  /** Maximum connections. */
  readonly connections: number;
  /** Maximum connections from one network address. */
  readonly perAddress: number;
}

/**
 * Time when a connection became idle, in milliseconds of the clock of `admit`. `undefined` during a
 * request.
 */
export type IdleSince = (socket: Socket, accepted: number) => number | undefined;

/**
 * Counts connections from their acceptance, before any handshake. At the limit, closes the longest
 * idle connection of the address with the most connections, so that a few addresses cannot lock out
 * others.
 */
export class LimitedConnections {
  readonly #limits: ConnectionLimits;
  readonly #idleSince: IdleSince;
  readonly #now: () => number;
  /** Connections by address, with the time of acceptance. Unix sockets have the address ''. */
  readonly #byAddress = new Map<string, Map<Socket, number>>();
  #count = 0;

  constructor(limits: ConnectionLimits, idleSince: IdleSince, now = () => performance.now()) {
    this.#limits = limits;
    this.#idleSince = idleSince;
    this.#now = now;
  }

  /** Counts a connection until it is closed. Returns false at the limit. */
  admit(socket: Socket): boolean {
    const address = getAddress(socket);
    const own = this.#byAddress.get(address)?.size ?? 0;
    const { connections, perAddress } = this.#limits;
    if (address !== '' && own >= perAddress) return false;
    if (this.#count >= connections && !this.#closeIdle(own)) return false;
    const same = this.#byAddress.get(address) ?? new Map<Socket, number>();
    this.#byAddress.set(address, same.set(socket, this.#now()));
    this.#count += 1;
    socket.once('close', () => this.#remove(address, socket));
    return true;
  }

  /** All counted connections. */
  *all(): Generator<Socket> {
    for (const sockets of this.#byAddress.values()) yield* [...sockets.keys()];
  }

  #remove(address: string, socket: Socket): void {
    const same = this.#byAddress.get(address);
    if (!same?.delete(socket)) return;
    this.#count -= 1;
    if (same.size === 0) this.#byAddress.delete(address);
  }

  /** Closes an idle connection of an address that has at least two more than `few` connections. */
  #closeIdle(few: number): boolean {
    const busiest = [...this.#byAddress].sort(([, a], [, b]) => b.size - a.size);
    for (const [address, sockets] of busiest) {
      if (sockets.size <= few + 1) return false;
      const idlest = this.#idlest(sockets);
      if (!idlest) continue;
      this.#remove(address, idlest);
      idlest.destroy();
      return true;
    }
    return false;
  }

  #idlest(sockets: ReadonlyMap<Socket, number>): Socket | undefined {
    let idlest: Socket | undefined;
    let earliest = Number.POSITIVE_INFINITY;
    for (const [socket, accepted] of sockets) {
      const since = this.#idleSince(socket, accepted);
      if (since === undefined || since >= earliest) continue;
      idlest = socket;
      earliest = since;
    }
    return idlest;
  }
}

/** Network address of a client. Empty for a unix socket. */
function getAddress({ remoteAddress = '' }: Socket): string {
  return remoteAddress.replace(/^::ffff:(?=\d+\.)/, '');
}

/** Address and port of a client, equal for a connection and its TLS socket. */
export function formatPeer({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
