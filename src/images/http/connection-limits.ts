/** Limits on connections, in total and per address. At the limit, idle connections are closed for new addresses. */
import type { Socket } from 'node:net';

export interface ConnectionLimits {
  /** Maximum connections. */
  readonly connections: number;
  /** Maximum connections from one network address. */
  readonly perAddress: number;
}

/**
 * Since when nothing is being answered on a connection, in milliseconds of the clock of `admit`; undefined
 * if a request is being answered.
 */
export type IdleSince = (socket: Socket, accepted: number) => number | undefined;

/**
 * Counts connections from the moment they are accepted, before any handshake. At the limit, the longest idle
 * connection of the address with the most connections is closed, so that a few addresses cannot lock out the
 * others.
 */
export class LimitedConnections {
  readonly #limits: ConnectionLimits;
  readonly #idleSince: IdleSince;
  readonly #now: () => number;
  /** By address: each connection, and when it was accepted. Those on unix sockets have the address ''. */
  readonly #byAddress = new Map<string, Map<Socket, number>>();
  #count = 0;

  constructor(limits: ConnectionLimits, idleSince: IdleSince, now = () => performance.now()) {
    this.#limits = limits;
    this.#idleSince = idleSince;
    this.#now = now;
  }

  /** Counts a connection until it is closed; false when there are too many already. */
  admit(socket: Socket): boolean {
    const address = addressOf(socket);
    const own = this.#byAddress.get(address)?.size ?? 0;
    const { connections, perAddress } = this.#limits;
    if (address !== '' && own >= perAddress) return false;
    if (this.#count >= connections && !this.#makeRoom(own)) return false;
    const same = this.#byAddress.get(address) ?? new Map<Socket, number>();
    this.#byAddress.set(address, same.set(socket, this.#now()));
    this.#count += 1;
    socket.once('close', () => this.#forget(address, socket));
    return true;
  }

  /** All connections that are counted. */
  *all(): Generator<Socket> {
    for (const sockets of this.#byAddress.values()) yield* [...sockets.keys()];
  }

  #forget(address: string, socket: Socket): void {
    const same = this.#byAddress.get(address);
    if (!same?.delete(socket)) return;
    this.#count -= 1;
    if (same.size === 0) this.#byAddress.delete(address);
  }

  /** Closes an idle connection of an address that has more than one of `few` connections would. */
  #makeRoom(few: number): boolean {
    const busiest = [...this.#byAddress].sort(([, a], [, b]) => b.size - a.size);
    for (const [address, sockets] of busiest) {
      if (sockets.size <= few + 1) return false;
      const idlest = this.#idlest(sockets);
      if (!idlest) continue;
      this.#forget(address, idlest);
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

/** The address of a client on the network, '' for one on a unix socket. */
function addressOf({ remoteAddress = '' }: Socket): string {
  return remoteAddress.replace(/^::ffff:(?=\d+\.)/, '');
}

/** Address and port of a client: the same for a connection, and for TLS on top of it. */
export function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
