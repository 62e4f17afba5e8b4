/** Byte stream of an NBD connection; long payloads are read straight into their destination. */
import { connect, type Socket } from 'node:net';
import { protocolError, systemError } from './protocol.ts';

/** How an NBD server is reached: by a unix socket or over the network. */
export type NbdAddress =
  | { readonly path: string }
  | { readonly host: string; readonly port: number };

/** Short messages are read through a buffer of this size; it also bounds what is copied twice. */
const STAGING_SIZE = 4096;
/** The most that a server may send ahead of somebody asking for it. */
const MAX_STAGING_SIZE = 1 << 20;

/**
 * A socket that is read on demand: somebody says which buffer comes next, and is called when it is
 * full. The system reads straight into a buffer larger than the stage.
 */
export class ByteReader {
  readonly socket: Socket;
  #stage = Buffer.allocUnsafeSlow(STAGING_SIZE);
  #staged = 0;
  #used = 0;
  #target: Buffer | undefined;
  #filled = 0;
  #whenFull: () => void = () => {};
  #failure: Error | undefined;

  /**
   * Connects. `onClose` is called once, after a failed attempt as well; nothing touches any buffer
   * any more then.
   */
  constructor(address: NbdAddress, onClose: (error: Error) => void) {
    const onread = {
      buffer: () => this.#nextBuffer(),
      callback: (count: number, buffer: Uint8Array) => this.#take(count, buffer),
    };
    this.socket = connect(
      'path' in address
        ? { path: address.path, onread }
        : { host: address.host, port: address.port, noDelay: true, onread },
    );
    this.socket.on('error', (error) => {
      this.#failure ??= error;
    });
    this.socket.once('close', () => {
      onClose(this.#failure ?? systemError('ECONNRESET', 'the NBD server closed the connection'));
    });
  }

  /** Fills `target` with the next bytes, then calls `whenFull`, which asks for what follows. */
  expect(target: Buffer, whenFull: () => void): void {
    this.#target = target;
    this.#filled = 0;
    this.#whenFull = whenFull;
  }

  /** The next `length` bytes, for the slow pace of a handshake. */
  read(length: number): Promise<Buffer> {
    return new Promise((resolve) => {
      const buffer = Buffer.alloc(length);
      this.expect(buffer, () => resolve(buffer));
      // Outside of a callback nobody else looks at what is there already.
      this.#drain();
    });
  }

  /** Breaks the connection because of an error. */
  fail(error: Error): void {
    this.#failure ??= error;
    this.#target = undefined;
    this.socket.destroy();
  }

  /** Where the system shall put what comes next: straight into a long target, else into the stage. */
  #nextBuffer(): Buffer {
    if (this.#used === this.#staged) {
      this.#used = 0;
      this.#staged = 0;
      const rest = this.#target ? this.#target.length - this.#filled : 0;
      if (this.#target && rest >= STAGING_SIZE) return this.#target.subarray(this.#filled);
    }
    if (this.#staged === this.#stage.length) this.#makeRoom();
    return this.#stage.subarray(this.#staged);
  }

  #makeRoom(): void {
    const rest = this.#stage.subarray(this.#used, this.#staged);
    let size = this.#stage.length;
    if (this.#used === 0) size *= 2;
    if (size > MAX_STAGING_SIZE) {
      this.#failure ??= protocolError('it sends unrequested data');
      // Not at once: this is called from inside of the socket's own callback.
      setImmediate(() => this.socket.destroy());
      size = STAGING_SIZE;
    }
    const stage = Buffer.allocUnsafeSlow(size);
    this.#staged = size > rest.length ? rest.copy(stage) : 0;
    this.#used = 0;
    this.#stage = stage;
  }

  #take(count: number, buffer: Uint8Array): boolean {
    if (buffer.buffer === this.#stage.buffer) {
      this.#staged += count;
    } else {
      this.#filled += count;
      if (this.#target && this.#filled === this.#target.length) this.#finish();
    }
    this.#drain();
    return true;
  }

  /** Moves what is staged to where it is wanted, as long as somebody wants something. */
  #drain(): void {
    while (this.#target) {
      const wanted = this.#target.length - this.#filled;
      const available = this.#staged - this.#used;
      if (wanted > 0 && available === 0) break;
      const count = Math.min(wanted, available);
      this.#stage.copy(this.#target, this.#filled, this.#used, this.#used + count);
      this.#used += count;
      this.#filled += count;
      if (count === wanted) this.#finish();
    }
  }

  #finish(): void {
    this.#target = undefined;
    this.#whenFull();
  }
}
