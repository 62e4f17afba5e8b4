/** Client of the guest agent (`qemu-ga`), over a virtio-serial socket. */
import { randomInt } from 'node:crypto';
import { HypervisorError } from '../../server/core/hypervisor.ts';
import { JsonSocket, type Message } from './json-socket.ts';

/** Milliseconds for a response of the agent. */
const timeoutMs = 3_000;

/** Ends earlier incomplete commands and responses. */
const delimiter = '\xff';

export class GuestAgent {
  readonly #socket: JsonSocket;

  private constructor(socket: JsonSocket) {
    this.#socket = socket;
  }

  /** Connects and synchronizes. Rejects if no agent runs in the guest. */
  static async connect(path: string): Promise<GuestAgent> {
    const socket = await JsonSocket.connect(path, 'the guest agent', () => {});
    try {
      const id = randomInt(2 ** 31);
      const synchronized = socket.wait((message) => message['return'] === id, timeoutMs);
      socket.send({ execute: 'guest-sync-delimited', arguments: { id } }, delimiter);
      await synchronized;
      return new GuestAgent(socket);
    } catch (error) {
      socket.close();
      throw error;
    }
  }

  /** Runs a command and returns its result. Commands must not overlap: responses have no id. */
  async execute(command: string, parameters: Message = {}): Promise<unknown> {
    const waiting = this.#socket.wait(() => true, timeoutMs);
    this.#send(command, parameters);
    const response = await waiting;
    if ('error' in response) throw new HypervisorError(`the guest agent refuses ${command}`);
    return response['return'];
  }

  /** Sends a command that has no response after success. */
  #send(command: string, parameters: Message): void {
    this.#socket.send({ execute: command, arguments: parameters });
  }

  /** Shuts down or reboots the guest. The agent sends no response. */
  shutDown(mode: 'powerdown' | 'reboot'): void {
    this.#send('guest-shutdown', { mode });
  }

  close(): void {
    this.#socket.close();
  }
}
