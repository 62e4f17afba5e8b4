/** Devices that a guest is asked to release, by their names in QEMU. */
import { HypervisorError } from '../../server/core/hypervisor.ts';

/** Milliseconds for a guest to release a device. A guest without ACPI never does. */
const limitMs = 15_000;

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class DeviceRemovals {
  readonly #waiters = new Map<string, Waiter>();

  /**
   * Resolves when QEMU has removed a device. Rejects after a limit, if the guest refuses, or if the
   * connection to QEMU ends.
   */
  wait(name: string, disconnected: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (error?: Error) => {
        clearTimeout(timer);
        if (this.#waiters.get(name) === waiter) this.#waiters.delete(name);
        if (error) reject(error);
        else resolve();
      };
      const waiter = { resolve: () => end(), reject: (error: Error) => end(error) };
      const late = new HypervisorError('the guest does not release the device');
      const timer = setTimeout(() => end(late), limitMs);
      this.#waiters.set(name, waiter);
      disconnected.then(() => end(new HypervisorError('the QEMU process has ended')));
    });
  }

  /** QEMU has removed a device. Returns whether something waits for it. */
  end(name: unknown): boolean {
    const waiter = this.#waiters.get(String(name));
    waiter?.resolve();
    return waiter !== undefined;
  }

  /** Ends the wait for a device that the guest is not asked to release. */
  cancel(name: string): void {
    this.#waiters.get(name)?.reject(new HypervisorError('the request has failed'));
  }

  /** The guest refuses to release a device. */
  refuse(name: unknown): void {
    const error = new HypervisorError('the guest refuses to release the device');
    this.#waiters.get(String(name))?.reject(error);
  }
}
