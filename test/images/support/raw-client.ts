// Client that sends exactly the given bytes.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export class RawClient {
  readonly socket: Socket;
  /** Settles with all received data when the connection has ended. */
  readonly closed: Promise<string>;
  #received = '';
  #check: () => void = () => {};

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      this.#received += chunk;
      this.#check();
    });
    // A reset connection has ended too.
    socket.on('error', () => {});
    this.closed = new Promise((resolve) => {
      socket.on('close', () => resolve(this.#received));
    });
  }

  /** Connects to a port of this computer, or to a socket in the file system. */
  static async connect(to: number | string): Promise<RawClient> {
    const socket = typeof to === 'string' ? connect(to) : connect(to, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  get received(): string {
    return this.#received;
  }

  send(data: string | Buffer): this {
    this.socket.write(data);
    return this;
  }

  /** Waits until the received data match. Rejects if the connection ends first. */
  async until(pattern: RegExp): Promise<string> {
    const matched = new Promise<void>((resolve) => {
      this.#check = () => {
        if (pattern.test(this.#received)) resolve();
      };
      this.#check();
    });
    const ended = await Promise.race([matched.then(() => false), this.closed.then(() => true)]);
    if (ended && !pattern.test(this.#received)) {
      throw new Error(`the connection ended after ${JSON.stringify(this.#received)}`);
    }
    return this.#received;
  }
}
