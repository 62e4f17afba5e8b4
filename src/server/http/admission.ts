/** How many connections there may be at once, in all and from one address. */
import type { Socket } from 'node:net';

export interface AdmissionLimits {
  readonly connections: number;
  readonly perAddress: number;
}

export const usualAdmission: AdmissionLimits = { connections: 6_000, perAddress: 1_000 };

/**
 * Counts connections from the moment they are accepted, before any handshake. Where there is no room
 * for a further one, the address with most connections gives way with one that is idle, so that a few
 * addresses cannot lock out the others.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #byAddress = new Map<string, Map<number, Socket>>();
  #count = 0;

  constructor(limits: AdmissionLimits = usualAdmission) {
    this.#limits = limits;
  }

  /**
   * Counts a connection until it is closed; false when there are too many already.
   * @param isIdle whether nothing is being answered on the connection from an address and port
   */
  admit(socket: Socket, isIdle: (address: string, port: number) => boolean): boolean {
    const { remoteAddress: address = '', remotePort: port = 0 } = socket;
    const same = this.#byAddress.get(address);
    const { connections, perAddress } = this.#limits;
    if ((same?.size ?? 0) >= perAddress) return false;
    if (this.#count >= connections && !this.#makeRoom(same?.size ?? 0, isIdle)) return false;
    this.#count += 1;
    if (same) same.set(port, socket);
    else this.#byAddress.set(address, new Map([[port, socket]]));
    socket.once('close', () => this.#forget(address, port, socket));
    return true;
  }

  /** Closes the connections that no TLS is spoken on. */
  closeUnsecured(isSecured: (address: string, port: number) => boolean): void {
    for (const [address, sockets] of this.#byAddress) {
      for (const [port, socket] of sockets) if (!isSecured(address, port)) socket.destroy();
    }
  }

  #forget(address: string, port: number, socket: Socket): void {
    const sockets = this.#byAddress.get(address);
    if (sockets?.get(port) !== socket) return;
    this.#count -= 1;
    sockets.delete(port);
    if (sockets.size === 0) this.#byAddress.delete(address);
  }

  /** Closes an idle connection of an address that has more than one of `few` connections would. */
  #makeRoom(few: number, isIdle: (address: string, port: number) => boolean): boolean {
    const [busiest] = [...this.#byAddress].sort(([, a], [, b]) => b.size - a.size);
    if (!busiest || busiest[1].size <= few + 1) return false;
    const [address, sockets] = busiest;
    for (const [port, socket] of sockets) {
      if (!isIdle(address, port)) continue;
      this.#forget(address, port, socket);
      socket.destroy();
      return true;
    }
    return false;
  }
}
