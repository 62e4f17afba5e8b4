/** Serial consoles of running VMs: sockets of QEMU, which serve one client at a time. */
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { HypervisorError } from '../../server/core/hypervisor.ts';
import { sockets } from './arguments.ts';

export class SerialConsoles {
  /** Clients by the id of the VM. */
  readonly #clients = new Map<string, Socket>();

  /** Connects to the console of a VM. Rejects with a `HypervisorError` if another client uses it. */
  open(id: string, folder: string): Promise<Socket> {
    if (this.#clients.has(id)) {
      return Promise.reject(new HypervisorError('another client uses the serial console'));
    }
    const socket = connect({ path: join(folder, sockets.serial) });
    this.#clients.set(id, socket);
    socket.once('close', () => this.#clients.delete(id));
    return new Promise((resolve, reject) => {
      socket.once('connect', () => {
        socket.on('error', () => socket.destroy());
        resolve(socket);
      });
      socket.once('error', () => reject(new HypervisorError('QEMU has no serial console')));
    });
  }

  close(id: string): void {
    this.#clients.get(id)?.destroy();
  }

  closeAll(): void {
    for (const socket of this.#clients.values()) socket.destroy();
  }
}
